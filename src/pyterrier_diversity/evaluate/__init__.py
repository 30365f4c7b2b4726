"""Values of measures: of one run, of many, of plain labels, and for ir_measures."""

from .aggregates import aggregated
from .check import check_files
from .evaluator import DiversityEvaluator, Evaluation, RefusedMeasureError
from .plain import score
from .provider import register_provider
from .runs import evaluate_runs

__all__ = [
    "DiversityEvaluator",
    "Evaluation",
    "RefusedMeasureError",
    "aggregated",
    "check_files",
    "evaluate_runs",
    "register_provider",
    "score",
]
