"""Files that are opened for reading, compressed or not."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader

Path = str | os.PathLike[str]

_GZIP = b"\x1f\x8b"


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader | gzip.GzipFile]:
    """Open a file; what ends in ``.gz`` or begins as gzip does is decompressed."""
    with open(path, "rb") as stream:
        if os.fspath(path).endswith(".gz") or stream.peek(2)[:2] == _GZIP:
            with gzip.open(stream) as content:
                yield content
        else:
            yield stream
