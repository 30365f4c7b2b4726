"""Register datasets with ir_datasets when it is imported, now or later.

ir_datasets has no entry point for datasets, and importing it takes 0.4 seconds, although most users do not need it. So
a finder waits until ir_datasets is imported, registers the datasets, and removes itself.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_HOST = "ir_datasets"


def register_datasets() -> None:
    """Register the datasets now if ir_datasets is imported, otherwise on its import. Calling this twice is harmless."""
    if _HOST in sys.modules:
        module = import_module(".datasets.trec_dd", __package__)
        # If that module is importing ir_datasets right now, it has no such function yet, and registers at its end.
        if hasattr(module, "register"):
            module.register()
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Find ir_datasets with the other finders, and register the datasets after its import."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _HOST:
            return None
        others = [finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec")]
        specs = (finder.find_spec(fullname, path, target) for finder in others)
        spec = next((spec for spec in specs if spec), None)
        if spec and spec.loader:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    """A wrapper of the loader that was found; it removes itself and the finder after the import."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # ir_datasets reads its own files through its loader.
        module.__loader__ = self._loader
        if module.__spec__:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
        register_datasets()
