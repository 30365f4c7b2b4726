"""Read the content of files, compressed or not, and tell what kind of file it is."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path as File
from typing import IO, Any, NamedTuple

Path = str | os.PathLike[str]

MARK = "\ufeff"
_CHUNK = 2**20
_FIRST_LINE = re.compile(rb"[\r\n]*([^\r\n]*)")
# Lines before the data: comments, the description that NTCIR's runs begin with, and Excel's line about the separator.
_PREAMBLE = re.compile(
    rb"(?:[ \t]*(?:#(?:[ \t][^\r\n]*)?|<SYSDESC>.*?</SYSDESC>[^\r\n]*|\"?sep=.\"?)?(?:\r\n|\r|\n))+", re.DOTALL
)
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _zstd(stream: BytesIO) -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise OSError("this is compressed with zstd, which needs pyarrow; install it, or use gzip") from error
    return pyarrow.CompressedInputStream(stream, "zstd")


def _zip(stream: BytesIO) -> Any:
    raise OSError("zip archives are not supported; unpack this one, or use gzip")


# The first bytes of compressed files, and what decompresses them.
_COMPRESSED: dict[bytes, Callable[[BytesIO], Any]] = {
    rb"\x1f\x8b": gzip.open,
    rb"BZh\d1AY&SY": bz2.open,
    rb"\xfd7zXZ": lzma.open,
    rb"\x28\xb5\x2f\xfd": _zstd,
    rb"PK\x03\x04": _zip,
}


class Content(NamedTuple):
    """The decompressed content of a file in UTF-8, without lines before the data; and its name in messages."""

    name: str
    data: bytes

    @property
    def first_line(self) -> str:
        """The first line that is not empty."""
        found = _FIRST_LINE.match(self.data)
        return found[1].decode(errors="replace") if found else ""

    def text(self) -> str:
        """Return the content as text, or raise a ``ValueError`` that names the first line that is not UTF-8."""
        try:
            return self.data.decode()
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            raise ValueError(f"{self.name}, line {line}: {error}.") from error


Source = Path | IO[bytes] | IO[str] | Content


def is_file(source: object) -> bool:
    """Tell whether something is a path that is not a folder's, an open file or the content of a file."""
    if isinstance(source, (str, os.PathLike)):
        return not os.path.isdir(source)
    return isinstance(source, Content) or hasattr(source, "read")


def visible_files(folder: Path) -> list[File]:
    """Return the files of a folder that are not hidden, sorted by name."""
    return sorted(file for file in File(folder).iterdir() if file.is_file() and not file.name.startswith("."))


def read_content(source: Source) -> Content:
    """Read a file in one pass, so that it may be a pipe.

    Parameters
    ----------
    source : path-like, file object or Content
        A path, compressed (gzip, bzip2, xz, zstd) or not; ``"-"`` for the standard input; an open file; or content that
        was read before.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If the file cannot be read or decompressed; the message names file and line.
    """
    if isinstance(source, Content):
        return source
    if not isinstance(source, (str, os.PathLike)):
        if not hasattr(source, "read"):
            raise TypeError(f"A file must be a path or an open file, not {type(source).__name__}.")
        text = source.read()
        name = str(getattr(source, "name", "the stream"))
        return _decompressed(name, text.encode() if isinstance(text, str) else text)
    is_input = os.fspath(source) == "-"
    name = "standard input" if is_input else os.fspath(source)
    try:
        with nullcontext(sys.stdin.buffer) if is_input else open(source, "rb") as stream:
            data = stream.read()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ValueError(f"{name}: {error.strerror}.") from error
    if not data and (is_input or not os.path.isfile(source)):  # a pipe, to which a program writes
        raise ValueError(f"{name} is empty. A program that should write to it may have failed, or it was already read.")
    return _decompressed(name, data)


def _decompressed(name: str, data: bytes) -> Content:
    opener = next((opener for first, opener in _COMPRESSED.items() if re.match(first, data)), None)
    if opener is None:
        if name.endswith(".gz") and data:
            raise ValueError(f"{name} is not a gzip file, but its name ends in .gz.")
        return Content(name, _without_preamble(name, data))
    chunks: list[bytes] = []
    try:
        with opener(BytesIO(data)) as stream:
            while chunk := stream.read(_CHUNK):
                chunks.append(chunk)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        n_lines = sum(chunk.count(b"\n") for chunk in chunks)
        raise ValueError(f"{name}, line {n_lines}: {error}.") from error
    return Content(name, _without_preamble(name, b"".join(chunks)))


def _without_preamble(name: str, data: bytes) -> bytes:
    """Return text in UTF-8 without a mark; lines before the data are empty, so that the others keep their numbers."""
    if data.startswith(_UTF_16):
        try:
            text = data.decode("utf-16")
            data = data if text.startswith("<?xml") else text.encode()  # XML tells its encoding
        except UnicodeError as error:
            raise ValueError(f"{name} begins like a file in UTF-16, but is none: {error}.") from error
    data = data.removeprefix(codecs.BOM_UTF8)
    before = _PREAMBLE.match(data)
    return data if before is None else re.sub(rb"[^\r\n]+", b"", before[0]) + data[before.end() :]
