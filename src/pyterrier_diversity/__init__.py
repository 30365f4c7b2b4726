"""Search result diversity in PyTerrier: measures, datasets and methods, registered by importing this package."""

from .evaluate import evaluate_runs, missed_intents, register_provider, score
from .import_hook import register_datasets
from .measures import *  # noqa: F403
from .measures import __all__ as _measures
from .qrels import add_rarity, add_weights
from .report.html import html_report

__version__ = "0.1.0"

__all__ = [
    *_measures,
    "__version__",
    "add_rarity",
    "add_weights",
    "evaluate_runs",
    "html_report",
    "missed_intents",
    "score",
]

register_provider()
register_datasets()
