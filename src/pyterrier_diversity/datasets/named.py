"""What the datasets of this package have in common, and files in ir_datasets' cache.

A download is complete or leaves nothing, even with several processes or threads.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

import pyterrier as pt

from ..io import replaced


class NamedDataset(pt.datasets.Dataset):  # type: ignore[misc]
    """A dataset in English.

    Parameters
    ----------
    name : str
        The name in messages.
    """

    # The variants of each component, besides None; True if it has no others.
    VARIANTS: ClassVar[Mapping[str, bool | list[str]]]

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        """Return the constructor call."""
        return f"{type(self).__name__}({self.name!r})"

    def get_corpus_lang(self) -> str | None:
        """Return the language of the documents, or None if the dataset has no documents."""
        return "en" if "corpus" in self.VARIANTS else None

    def get_topics_lang(self) -> str:
        """Return the language of the topics."""
        return "en"

    def check_variant(self, component: str, variant: str | None) -> None:
        """Raise a ``ValueError`` if a component does not have the variant."""
        variants = self.VARIANTS[component]
        allowed = [None, *(variants if isinstance(variants, list) else ())]
        if variant not in allowed:
            raise ValueError(f"{self.name}: variant must be {' or '.join(map(repr, allowed))}, not {variant!r}.")

    def _describe_component(self, component: str) -> bool | list[str] | None:
        return self.VARIANTS.get(component)


def cache_folder() -> Path:
    """Return the folder in which ir_datasets keeps its files.

    Raises
    ------
    OSError
        If it cannot be created.
    """
    try:
        # ir_datasets creates the folder on import, too.
        from ir_datasets.util import home_path

        return Path(home_path())
    except OSError as error:
        raise OSError(
            f"ir_datasets cannot write to {error.filename} ({error.strerror}): set the environment variable "
            "IR_DATASETS_HOME to a writable folder."
        ) from error


def cached(path: Path, what: str, url: str, download: Callable[[Path], object]) -> Path:
    """Return the path of a file, and download it first if it does not exist.

    Parameters
    ----------
    path : Path
        The path of the file.
    what, url : str
        The name of its dataset, and its address.
    download : callable
        Writes the file to a given path, or raises OSError, RuntimeError or ValueError.

    Raises
    ------
    ConnectionError
        If the download fails; the message says where to put the file by hand.
    """
    if path.exists():
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Other processes may download the same file. Each writes its own copy, and the last complete one stays.
        with replaced(path) as copy:
            download(copy)
    except (OSError, RuntimeError, ValueError) as error:
        raise ConnectionError(
            f"{what} could not be downloaded from {url}. You can put the file into ir_datasets' cache by hand: {path}. "
            "(The environment variable IR_DATASETS_HOME sets another cache.)"
        ) from error
    return path
