"""Files that are written: whole or not at all, and never over an input."""

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path as File

from .files import Path


@contextmanager
def replaced(path: Path) -> Iterator[File]:
    """Yield a new file beside a path, which replaces the file at the path once it is written without an error.

    A device or a pipe is yielded as it is. Errors of the operating system name the path.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "table.csv"
    >>> with replaced(target) as file:
    ...     _ = file.write_text("RBU")
    ...     target.exists(), file.suffix
    (False, '.csv')
    >>> target.read_text()
    'RBU'
    """
    is_direct, target = is_device(path), File(os.path.realpath(path))  # a link stays a link
    part = File(path) if is_direct else target.with_name(f".{secrets.token_hex(8)}{target.suffix}")
    try:
        yield part
        if not is_direct:
            if target.exists():
                shutil.copymode(target, part)
            os.replace(part, target)
    except OSError as error:
        if error.filename in (None, str(part), part):
            error.filename, error.filename2 = os.fspath(path), None
        raise
    finally:
        if not is_direct:
            part.unlink(missing_ok=True)


def is_device(path: Path) -> bool:
    """Return whether a path is a device, a pipe or anything else that cannot be replaced by a file."""
    return (os.path.exists(path) and not os.path.isfile(path)) or os.fspath(path).startswith("/dev/")


def refuse_inputs(who: str, output: Path, inputs: Iterable[Path]) -> None:
    """Raise a ``ValueError`` if an output is one of the inputs, even under another path.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> qrels = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> qrels.touch()
    >>> refuse_inputs("report", qrels.parent / "." / "qrels.txt", [qrels])
    Traceback (most recent call last):
    ...
    ValueError: report: the output ...qrels.txt is one of the inputs. Choose another file.
    """
    if is_device(output) or not os.path.exists(output):
        return
    for given in inputs:
        if os.path.isfile(given) and os.path.samefile(given, output):
            raise ValueError(f"{who}: the output {os.fspath(output)} is one of the inputs. Choose another file.")
