"""Values of measures: of one run, of many, of plain labels, and for ir_measures."""

from .evaluator import DiversityEvaluator, Evaluation, RefusedMeasureError
from .missed import missed_intents, texts_of_intents
from .plain import score
from .provider import register_provider
from .runs import evaluate_runs

__all__ = [
    "DiversityEvaluator",
    "Evaluation",
    "RefusedMeasureError",
    "evaluate_runs",
    "missed_intents",
    "register_provider",
    "score",
    "texts_of_intents",
]
