"""Compute measures for one run, for many runs, for plain labels, and for ir_measures."""

from .check import check_files
from .evaluator import DiversityEvaluator, Evaluation, RefusedMeasureError
from .means import aggregates
from .missed import missed_intents, texts_of_intents
from .plain import score
from .provider import register_provider
from .runs import evaluate_runs

__all__ = [
    "DiversityEvaluator",
    "Evaluation",
    "RefusedMeasureError",
    "aggregates",
    "check_files",
    "evaluate_runs",
    "missed_intents",
    "register_provider",
    "score",
    "texts_of_intents",
]
