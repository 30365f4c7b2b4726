"""Steps of PyTerrier pipelines: evaluating, explaining and diversifying rankings."""

from typing import NoReturn

from ..parameters import refuse_gone
from .budget import TokenBudget
from .diversifiers import PM2, IASelect, XQuAD
from .evaluate import Evaluate
from .explain import Explain, explain_difference
from .fusion import FuseSubtopics
from .ideal import Ideal
from .intent_scores import OnSubtopics, oracle_intent_scores
from .lexical import BM25
from .stages import stages
from .vectors import Diversify

__all__ = [
    "BM25",
    "PM2",
    "Diversify",
    "Evaluate",
    "Explain",
    "FuseSubtopics",
    "IASelect",
    "Ideal",
    "OnSubtopics",
    "TokenBudget",
    "XQuAD",
    "explain_difference",
    "oracle_intent_scores",
    "stages",
]


def __getattr__(name: str) -> NoReturn:
    refuse_gone("transformers", name)
