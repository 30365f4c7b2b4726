"""Search result diversity in PyTerrier: measures, datasets and methods. Importing this package registers them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import interrupts as interrupts

# isort: split
import wrapt

if TYPE_CHECKING:
    from . import datasets as datasets
    from . import evaluate as evaluate
    from . import ideal as ideal
    from . import io as io
    from . import measures as measures
    from . import meta as meta
    from . import plots as plots
    from . import simulate as simulate
    from . import transformers as transformers
    from . import warnings as warnings
    from .evaluate import check_files as check_files
    from .evaluate import evaluate_runs as evaluate_runs
    from .evaluate import missed_intents as missed_intents
    from .evaluate import score as score
    from .measures import *  # noqa: F403
    from .qrels import add_rarity as add_rarity
    from .qrels import add_weights as add_weights
    from .report.html import html_report as html_report

__version__ = "3.0.0"

# Everything is imported on first use: some modules import PyTerrier, matplotlib or ir_datasets. Interrupts come first:
# the command must be able to end by Ctrl-C from its start.
_MODULES = {"datasets", "evaluate", "ideal", "io", "measures", "meta", "plots", "simulate", "transformers", "warnings"}
# The modules of the functions; all other names are those of measures.
_FUNCTIONS = {
    "add_rarity": "qrels",
    "add_weights": "qrels",
    "check_files": "evaluate",
    "evaluate_runs": "evaluate",
    "html_report": "report.html",
    "missed_intents": "evaluate",
    "score": "evaluate",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name in _FUNCTIONS:
        return getattr(import_module(f".{_FUNCTIONS[name]}", __name__), name)
    if name == "__all__" or not name.startswith("_"):
        measures = import_module(".measures", __name__)
        if name == "__all__":
            return sorted({*measures.__all__, *_FUNCTIONS, "__version__"})
        if name in measures.__all__:
            return getattr(measures, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *__getattr__("__all__")})


def _register(_: object) -> None:
    """Register measures and provider with ir_measures."""
    import_module(".measures", __name__)
    import_module(".provider", __name__)


# When these are imported, or now. Importing ir_datasets takes long, and most calls do not need it.
wrapt.when_imported("ir_measures")(_register)
wrapt.when_imported("ir_datasets")(lambda _: import_module(".datasets.trec_dd", __name__))
