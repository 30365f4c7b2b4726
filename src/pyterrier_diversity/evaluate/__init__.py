"""Compute measures for one run, for many runs, for plain labels, and for ir_measures."""

from .arguments import runs_by_name
from .check import check_files
from .evaluator import DiversityEvaluator, Evaluation, RefusedMeasureError, aggregated
from .means import aggregates
from .missed import missed_intents, texts_of_intents
from .plain import score
from .provider import register_provider
from .runs import evaluate_runs

__all__ = [
    "DiversityEvaluator",
    "Evaluation",
    "RefusedMeasureError",
    "aggregated",
    "aggregates",
    "check_files",
    "evaluate_runs",
    "missed_intents",
    "register_provider",
    "runs_by_name",
    "score",
    "texts_of_intents",
]
