"""What earlier releases had, and what to use now."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

# Arguments of functions, and names of modules.
_GONE = {"evaluate_runs": {"save": "save_dir, a folder"}, "transformers": {"IntentScorer": "BM25, its new name"}}


def refuses_gone(function: Function) -> Function:
    """Make a function name the successor of an argument that it no longer has."""
    gone = _GONE[function.__name__]

    @wraps(function)
    def checked_call(*args: Any, **options: Any) -> Any:
        for name in gone.keys() & options.keys():
            raise TypeError(f"{function.__name__}: the argument {name} was removed. Use {gone[name]}.")
        return function(*args, **options)

    return cast("Function", checked_call)


def refuse_gone(module: str, name: str) -> NoReturn:
    """Raise an error for a name that a module does not have; if an earlier release had it, name the successor."""
    if name in _GONE.get(module, {}):
        raise ImportError(f"{module}: {name} was removed. Use {_GONE[module][name]}.")
    raise AttributeError(f"module 'pyterrier_diversity.{module}' has no attribute {name!r}", name=name)
