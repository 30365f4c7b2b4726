"""Each shape of data is taken by its own row of the table; data of a wrong shape gets a sentence that leads on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import forms
import shell
from pyterrier_diversity import RBU, Coverage, alpha_nDCG, evaluate_runs
from pyterrier_diversity.io.look import look_at
from pyterrier_diversity.io.shapes import NUMBERED, SHAPES, shape_of
from shape_examples import EXAMPLES
from write_reference import FOLDER
from write_shapes import page

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


def test_the_page_of_files_is_written_from_the_table():
    for name, text in page().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, "python tests/write_shapes.py writes it"


# Grades, weights, intents with odd names, ties, long ids, and ids with quotes.
QRELS = pd.DataFrame(
    [
        ("1", 'a"b', 2, "é", 0.75),
        ("1", "1290000000000000001", 1, "0-1", 0.25),
        ("1", "1290000000000000002", 3, "é", 0.75),
        ("7", "x", 0, "'", 1.0),
        ("7", "'y'", 1, "'", 1.0),
    ],
    columns=["qid", "docno", "label", "iteration", "weight"],
)
RUN = pd.DataFrame(
    [
        ("1", "1290000000000000001", 1.5),
        ("1", 'a"b', 0.5),
        ("1", "1290000000000000002", 0.25),
        ("7", "x", 0.1),
        ("7", "'y'", 0.1),
    ],
    columns=["qid", "docno", "score"],
)
MEASURES = [RBU @ 5, alpha_nDCG @ 5, Coverage @ 1]


def values(qrels: Any, run: Any) -> list[float]:
    return evaluate_runs(qrels, {"mine": run}, MEASURES, perquery=True)["value"].tolist()


@pytest.mark.parametrize(
    ("of", "form"), [("run", form) for form in forms.RUNS] + [("qrels", form) for form in forms.QRELS]
)
@pytest.mark.filterwarnings("ignore:All documents", "ignore:Run mine")
def test_one_run_and_one_set_of_qrels_give_the_same_bits_in_every_shape(of, form, tmp_path):
    run = RUN if of == "qrels" else forms.RUNS[form](RUN, tmp_path)
    qrels = QRELS if of == "run" else forms.QRELS[form](QRELS, tmp_path)
    if "list" in form and "to_dict" not in form:  # which has the order of the list
        run = RUN
    found = values(qrels, run)

    assert found == values(QRELS, RUN)
    if isinstance(run, Path) or isinstance(qrels, Path):
        QRELS.to_csv(tmp_path / "qrels.csv", index=False)
        RUN.to_csv(tmp_path / "run.csv", index=False)
        given = [
            str(qrels) if of == "qrels" else f"{tmp_path}/qrels.csv",
            str(run) if of == "run" else f"{tmp_path}/run.csv",
        ]
        lines = shell.run("evaluate", *given, *(f"-m{m}" for m in MEASURES), "-q", "--format", "csv").splitlines()
        by_query = [line.split(",")[2:] for line in lines[1:] if ",all," not in line]
        assert [float(value) for row in by_query for value in row] == found
