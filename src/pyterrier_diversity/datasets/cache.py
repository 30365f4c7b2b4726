"""Files in ir_datasets' cache: downloaded whole or not at all, by however many processes and threads."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from uuid import uuid4


def cache_folder() -> Path:
    """Return the folder in which ir_datasets keeps its files.

    Raises
    ------
    OSError
        If it cannot be made.
    """
    try:
        # ir_datasets makes the folder when it is imported, too.
        from ir_datasets.util import home_path

        return Path(home_path())
    except OSError as error:
        raise OSError(
            f"ir_datasets cannot keep its files in {error.filename} ({error.strerror}): let the environment variable "
            "IR_DATASETS_HOME name a folder that can be written to."
        ) from error


def cached(path: Path, what: str, url: str, download: Callable[[Path], None]) -> Path:
    """Return the path of a file, after a download if it is not there yet.

    Parameters
    ----------
    path : Path
        Where the file is kept.
    what, url : str
        What the file is of, and where it comes from.
    download : callable
        Writes the file to the path that it is given, or raises OSError, RuntimeError or ValueError if it cannot be had.

    Raises
    ------
    ConnectionError
        If the file cannot be had: where it is put by hand.
    """
    if path.exists():
        return path
    # Others may download the same file: each has its own, and the last one that is whole stays.
    unchecked = path.with_name(f"{path.name}.{uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        download(unchecked)
        unchecked.replace(path)
    except (OSError, RuntimeError, ValueError) as error:
        raise ConnectionError(
            f"{what} could not be downloaded from {url}. The file may be put into ir_datasets' cache by hand: {path}. "
            "(The environment variable IR_DATASETS_HOME names another cache.)"
        ) from error
    finally:
        with suppress(OSError):
            unchecked.unlink(missing_ok=True)
    return path
