"""Steps of PyTerrier pipelines: evaluating, explaining and diversifying rankings."""

from .diversifiers import PM2, IASelect, XQuAD
from .evaluate import Evaluate
from .explain import Explain, explain_difference
from .ideal import Ideal
from .intent_scores import OnSubtopics, oracle_intent_scores
from .lexical import IntentScorer
from .vectors import Diversify

__all__ = [
    "PM2",
    "Diversify",
    "Evaluate",
    "Explain",
    "IASelect",
    "Ideal",
    "IntentScorer",
    "OnSubtopics",
    "XQuAD",
    "explain_difference",
    "oracle_intent_scores",
]
