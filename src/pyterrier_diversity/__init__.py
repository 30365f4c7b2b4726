"""Search result diversity in PyTerrier: measures, datasets and methods, registered by importing this package."""

from .evaluation import evaluate_runs
from .groups import CARTERETTE, FRESHSTACK, NDEVAL, NTCIR_INTENT, RBU18_OFFICIAL, grid, signature
from .import_hook import register_datasets
from .measures import *  # noqa: F403
from .measures import __all__ as _measures
from .provider import register_provider
from .qrels import add_rarity, add_weights

__version__ = "0.1.0"

__all__ = [
    *_measures,
    "CARTERETTE",
    "FRESHSTACK",
    "NDEVAL",
    "NTCIR_INTENT",
    "RBU18_OFFICIAL",
    "__version__",
    "add_rarity",
    "add_weights",
    "evaluate_runs",
    "grid",
    "signature",
]

register_provider()
register_datasets()
