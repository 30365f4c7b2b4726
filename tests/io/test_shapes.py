"""Each shape of data is taken by its own row of the table; data of a wrong shape gets a sentence that leads on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pyterrier_diversity.io.look import look_at
from pyterrier_diversity.io.shapes import NUMBERED, SHAPES, shape_of
from shape_examples import EXAMPLES

BY_NUMBER = {"1": "qid", "2": "docno", "3": "score"}


def placed(example: Any, folder: Path) -> Any:
    """Return data, or a file or folder of it."""
    if not isinstance(example, str):
        return example
    (folder / "n.jsonl").write_text('{"qid": "1", "docid": "d1", "nuggets": []}')
    (folder / "file").write_text(example)
    return folder if example == "folder" else folder / "file"


@pytest.mark.parametrize(
    ("shape", "wanted", "example"),
    [(shape, *one) for shape, one in zip(SHAPES, EXAMPLES, strict=True)],
    ids=[shape.name for shape in SHAPES],
)
def test_each_example_is_taken_by_its_own_shape(shape, wanted, example, tmp_path):
    look = look_at(placed(example, tmp_path), wanted, BY_NUMBER if shape is NUMBERED else {})

    assert shape_of(look) is shape
