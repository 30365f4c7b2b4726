"""Read the content of files, compressed or not, and tell what kind of file it is."""

import bz2
import codecs
import gzip
import lzma
import os
import re
import shutil
import sys
import weakref
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path as File
from tempfile import NamedTemporaryFile
from typing import IO, Any, NamedTuple

Path = str | os.PathLike[str]

MARK = "\ufeff"
_BLOCK = 2**20
_FIRST_LINE = re.compile(rb"[\r\n]*([^\r\n]*)")
# Lines before the data: comments, the description that NTCIR's runs begin with, and Excel's line about the separator.
_PREAMBLE = re.compile(
    rb"(?:<SYSDESC>.*?</SYSDESC>|[ \t]*(?:#(?:[ \t][^\r\n]*)?|\"?(?i:sep)=.\"?)?(?:\r\n|\r|\n))+", re.DOTALL
)
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _zip(stream: IO[bytes]) -> Any:
    raise OSError("zip archives are not supported: unpack this one, or use gzip; save a sheet of Excel as CSV")


# The first bytes of compressed files, and what decompresses them.
_COMPRESSED: dict[bytes, Callable[[IO[bytes]], Any]] = {
    rb"\x1f\x8b": gzip.open,
    rb"BZh\d1AY&SY": bz2.open,
    rb"\xfd7zXZ": lzma.open,
    rb"\x28\xb5\x2f\xfd": lambda stream: import_module("pyarrow").CompressedInputStream(stream, "zstd"),
    rb"PK\x03\x04": _zip,
}


class Content(NamedTuple):
    """The decompressed content of a file, or of a part of it.

    Attributes
    ----------
    name : str
        The name of the file in messages.
    data : bytes
        The content in UTF-8, without lines before the data.
    """

    name: str
    data: bytes

    @property
    def first_line(self) -> str:
        """The first line that is not empty."""
        return next(_FIRST_LINE.finditer(self.data))[1].decode(errors="replace")

    def text(self) -> str:
        """Return the content as text, or raise a ``ValueError`` that names the first line that is not UTF-8."""
        try:
            return self.data.decode()
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            byte = f"byte {self.data[error.start]:#04x} is not UTF-8: {error.reason}"
            raise ValueError(f"{self.name}, line {line}: {byte}. Save the file in UTF-8.") from error


@dataclass(frozen=True)
class Renamed(os.PathLike[str]):
    """The path of a file whose columns have new names, or that has another name in messages, as the copy of a pipe.

    Unlike an open file, it can be sent to other processes.
    """

    path: Path
    columns: Mapping[str, str] | None = None
    name: str = ""

    def __fspath__(self) -> str:
        """Return the path."""
        return os.fspath(self.path)


Source = Path | IO[bytes] | IO[str] | Content


def is_file(source: object) -> bool:
    """Tell whether something is a path that is not a folder's, an open file or the content of a file."""
    is_path = isinstance(source, (str, os.PathLike)) and not os.path.isdir(source)
    return is_path or isinstance(source, Content) or hasattr(source, "read")


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
    return next(read_parts(source, -1))


def read_parts(source: Source, size: int) -> Iterator[Content]:
    """Read a file in parts of about ``size`` bytes, or whole if ``size`` is -1; `read_content` says what it raises.

    A part ends above a line whose first word is not that of the line before. Text in UTF-16 is one part. Errors count
    the lines of their part.
    """
    if isinstance(source, Content):
        yield source
    elif hasattr(source, "read"):
        text = source.read()
        data = text.encode() if isinstance(text, str) else text
        yield from _parts(str(getattr(source, "name", "the stream")), BytesIO(data), size)
    else:
        path = regular(source)
        yield from _parts(*_opened(path), size)


def regular(path: Path) -> Path:
    """Return the path of a file that can be read again and by other processes: that of a copy, if it is a pipe.

    The copy is removed with the object that is returned. Columns that have new names keep them.

    Raises
    ------
    ValueError
        If a pipe is empty or cannot be read.
    """
    if os.fspath(path) != "-" and (os.path.isfile(path) or not os.path.exists(path)):
        return path
    name, opened = _opened(path)
    with opened as stream, NamedTemporaryFile(delete=False) as file:
        copy = Renamed(file.name, path.columns if isinstance(path, Renamed) else None, name)
        weakref.finalize(copy, os.unlink, file.name)
        shutil.copyfileobj(stream, file)
    if not os.path.getsize(copy):
        raise ValueError(f"{name} is empty. A program that should write to it may have failed, or it was already read.")
    return copy


def _opened(path: Path) -> tuple[str, AbstractContextManager[IO[bytes]]]:
    """Return the name of a file in messages, and a context in which its content can be read."""
    if os.fspath(path) == "-":
        return "standard input", nullcontext(sys.stdin.buffer)
    name = (isinstance(path, Renamed) and path.name) or os.fspath(path)
    try:
        return name, open(path, "rb", buffering=0)  # what was read to look at it would slow down the rest
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ValueError(f"{name}: {error.strerror}.") from error


def _parts(name: str, opened: AbstractContextManager[IO[bytes]], size: int) -> Iterator[Content]:
    blocks: list[bytes] = []
    content: Callable[[str, bytes], Content] = _content
    with opened as stream:
        begin = stream.read(16)
        stream.seek(0)
        opener = next((opener for first, opener in _COMPRESSED.items() if re.match(first, begin)), nullcontext)
        try:
            with opener(stream) as plain:
                while block := plain.read(size if plain is stream or 0 < size < _BLOCK else _BLOCK):
                    size = size if blocks or not block.startswith(_UTF_16) else -1
                    is_full = 0 < size <= len(block) + sum(map(len, blocks))
                    if end := _last_group(block) if is_full else 0:
                        yield content(name, b"".join([*blocks, block[:end]]))
                        content, blocks = Content, []
                    blocks.append(block[end:])
        except (OSError, EOFError, ImportError, zlib.error, lzma.LZMAError) as error:
            n_lines = sum(block.count(b"\n") for block in blocks)
            raise ValueError(f"{name}, line {n_lines + 1}: {error}.") from error
    yield content(name, b"".join(blocks))


def _last_group(lines: bytes) -> int:
    """Return where the last lines begin that have one first word; 0 if there is no line with another one above."""
    end, below = lines.rfind(b"\n") + 1, list[bytes]()
    while start := lines.rfind(b"\n", 0, max(end - 1, 0)) + 1:
        first = lines[start:end].split(maxsplit=1)[:1] or below  # a blank line belongs to the lines below it
        if below and first != below:
            return end
        end, below = start, first
    return 0


def _content(name: str, data: bytes) -> Content:
    """Return text in UTF-8 without a mark; lines before the data are empty, so that the others keep their numbers."""
    if data.startswith(_UTF_16):
        with suppress(UnicodeError):
            # XML in UTF-8 needs no declaration of its encoding.
            data = re.sub(r"\A<\?xml[^>]*>", "", data.decode("utf-16")).encode()
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" in data[:2]:
        raise ValueError(f"{name}, line 1: this is not UTF-8. Save the file in UTF-8.")
    before = _PREAMBLE.match(data)
    return Content(name, data if before is None else re.sub(rb"[^\r\n]+", b"", before[0]) + data[before.end() :])
