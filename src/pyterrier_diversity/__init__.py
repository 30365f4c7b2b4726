"""Search result diversity in PyTerrier: measures, datasets and methods. Importing this package registers them."""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from .evaluate import check_files, evaluate_runs, missed_intents, register_provider, score
from .import_hook import register_datasets
from .measures import *  # noqa: F403
from .measures import __all__ as _measures
from .qrels import add_rarity, add_weights
from .report.html import html_report

if TYPE_CHECKING:
    from . import datasets as datasets
    from . import ideal as ideal
    from . import io as io
    from . import meta as meta
    from . import plots as plots
    from . import simulate as simulate
    from . import transformers as transformers

__version__ = "1.0.0"

__all__ = [
    *_measures,
    "__version__",
    "add_rarity",
    "add_weights",
    "check_files",
    "evaluate_runs",
    "html_report",
    "missed_intents",
    "score",
]

# Imported on first use, because some of them import PyTerrier, matplotlib or ir_datasets.
_MODULES = frozenset({"datasets", "ideal", "io", "meta", "plots", "simulate", "transformers"})

register_provider()
register_datasets()


def __getattr__(name: str) -> ModuleType:
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


def __dir__() -> list[str]:
    return sorted(_MODULES.union(globals()))
