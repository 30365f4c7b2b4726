"""Steps of PyTerrier pipelines: evaluating, explaining and diversifying rankings."""

from .diversifiers import PM2 as PM2
from .diversifiers import Diversify as Diversify
from .diversifiers import IASelect as IASelect
from .diversifiers import XQuAD as XQuAD
from .evaluate import Evaluate as Evaluate
from .evaluate import Explain as Explain
from .evaluate import explain_difference as explain_difference
from .ideal import Ideal as Ideal
from .intent_scores import OnSubtopics as OnSubtopics
from .intent_scores import oracle_intent_scores as oracle_intent_scores
from .lexical import BM25 as BM25
from .steps import TokenBudget as TokenBudget
from .steps import stages as stages

__all__ = sorted(name for name, what in globals().items() if getattr(what, "__module__", "").startswith(__name__))
