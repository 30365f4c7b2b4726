"""Write the page about files and forms that can be read from the table of shapes and its examples.

Run it after adding or changing a shape: ``python tests/write_shapes.py``. A test fails while the page differs.
"""

import json
import re
from typing import Any

import pandas as pd

from pyterrier_diversity.io.shapes import SHAPES, Shape
from shape_examples import EXAMPLES
from write_reference import write

_HEAD = """\
Files and forms that can be read
================================

Runs, qrels and results by query are recognised by what they look like, not by the name of the file, and in the same
way everywhere: by :func:`~pyterrier_diversity.io.read_run`, :func:`~pyterrier_diversity.io.read_qrels`, each function
that takes runs or qrels, and the shell. Files may be compressed (gzip, bzip2, xz, zstd), pipes, and in UTF-8 or UTF-16.
Lines before the data that begin with ``#`` and a space, ``<SYSDESC>`` and ``sep=`` are skipped, and words may be quoted
as pandas quotes them. Of the following, the first shape that fits counts.

``columns={"theirs": "ours"}``, or ``--columns theirs=ours`` in the shell, gives columns new names: ``qid``, ``docno``,
``score`` or ``rank`` (a run); ``label``, ``iteration``, ``weight`` (qrels). Fields inside others are written with a
dot, as in ``metadata.topic_id=qid``. Columns without names are numbered, as in ``1=qid,2=docno,3=score``. The names
``query_id``, ``query-id``, ``q_id``, ``topic_id``, ``doc_id``, ``docid``, ``corpus-id``, ``corpus_id`` and
``relevance`` are known.

A table in one object of JSON or Python may have any orient of pandas (columns, index, split, table), or be the only
value of an object, as in ``{"results": [{"qid": "1", "docno": "d1", "score": 2.5}]}``.

>>> from pyterrier_diversity import io
>>> rows = [{"metadata": {"topic": 7}, "passage": "d2", "score": 0.5}]
>>> names = {"metadata.topic": "qid", "passage": "docno"}
>>> io.read_run(rows, columns=names)[["qid", "docno", "score"]]
  qid docno  score
0   7    d2    0.5

"""
_REFUSED = """\
What is refused
---------------

These shapes are recognised, but they hold no runs, qrels or results that could be read without a guess. The message
says what was seen and what to do:

"""


def page() -> dict[str, str]:
    """Return the page by its file name."""
    read, refused = [], []
    for shape, (wanted, example) in zip(SHAPES, EXAMPLES, strict=True):
        if not isinstance(shape.read, str) and example != "folder" and not shape.name.startswith("lines of"):
            read.append(f"{_name(shape)} ({wanted})\n{_example(example)}")
        elif isinstance(shape.read, str):
            literal = re.sub(r"(['\"-])", r"\\\1", shape.read)  # or quotes of code would be curved, and hyphens joined
            refused.append(f"{_name(shape)}\n    {literal}\n")
    return {"files.rst": _HEAD + "\n".join(read) + "\n" + _REFUSED + "\n".join(dict.fromkeys(refused))}


def _name(shape: Shape) -> str:
    return shape.name[0].upper() + shape.name[1:]


def _example(example: Any) -> str:
    if isinstance(example, pd.DataFrame):
        example = example.to_string(index=False)
    text = example if isinstance(example, str) else json.dumps(example, default=str)
    lines = [line for line in text.expandtabs(4).splitlines() if line.strip()] or ["(no line)"]
    return "    .. code-block:: none\n\n" + "".join(f"        {line}\n" for line in lines)


if __name__ == "__main__":
    write(page(), "files.rst")
