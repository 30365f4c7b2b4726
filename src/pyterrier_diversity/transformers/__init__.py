"""Steps of PyTerrier pipelines: evaluating, explaining and diversifying rankings."""

from .budget import TokenBudget
from .diversifiers import PM2, IASelect, XQuAD
from .evaluate import Evaluate
from .explain import Explain, explain_difference
from .fusion import FuseSubtopics
from .ideal import Ideal
from .intent_scores import OnSubtopics, oracle_intent_scores
from .lexical import IntentScorer
from .stages import stages
from .vectors import Diversify

__all__ = [
    "PM2",
    "Diversify",
    "Evaluate",
    "Explain",
    "FuseSubtopics",
    "IASelect",
    "Ideal",
    "IntentScorer",
    "OnSubtopics",
    "TokenBudget",
    "XQuAD",
    "explain_difference",
    "oracle_intent_scores",
    "stages",
]
