"""Compute measures for one run, for many runs, and for plain labels."""

from .check import check_files
from .delegated import left_to_others
from .evaluator import DiversityEvaluator, Evaluation, aggregated
from .means import aggregates
from .missed import first_ranks, intents_by_rank, missed_intents, texts_of_intents
from .plain import score
from .runs import evaluate_runs

__all__ = ["aggregates", "check_files", "evaluate_runs", "missed_intents", "score"]
