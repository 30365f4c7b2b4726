"""Rows and JSON of any kind: files are as strict as Python."""

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import strategies as st

from fuzz.law import Refusal, answer, fuzzed
from pyterrier_diversity.frames import collected
from pyterrier_diversity.io import read_qrels, read_run

WORDS = st.sampled_from(["q1", "d1", "d2", "", "7", 7, 0, 1.5, True, None, 2**60, "1e3", "x", [], {}, ["d1"], -1])
KEYS = st.sampled_from(
    ["qid", "query_id", "docno", "docid", "score", "rank", "label", "q1", "results", "id", "", "turn"]
)
ANYTHING = st.recursive(
    WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
ROW = st.fixed_dictionaries(
    {"qid": WORDS, "docno": WORDS, "score": WORDS},
    optional={"rank": WORDS, "query_id": WORDS, "turn": WORDS, "doc_id": WORDS},
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forms")


def words(frame: pd.DataFrame) -> list[tuple[str, str]]:
    return sorted(zip(frame["qid"].map(str), frame["docno"].map(str), strict=True))


@fuzzed(150, rows=st.lists(ROW, min_size=1, max_size=4))
def test_rows_in_a_file_are_those_of_python_or_refused_as_they_are(folder, rows):
    path = folder / "rows"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) if len(rows) > 1 else json.dumps(rows))

    with collected():
        python, file = (answer("read_run", lambda given=given: read_run(given)) for given in (rows, path))

    if isinstance(file, Refusal):
        return  # a file may be refused for an empty id
    assert not isinstance(python, Refusal), (rows, python)
    assert words(python) == words(file)
    assert [float(one) for one in python["score"]] == [float(one) for one in file["score"]]


@fuzzed(250, value=ANYTHING)
def test_any_json_is_read_or_refused_in_a_sentence(folder, value):
    path = folder / "json"
    path.write_text(json.dumps(value))

    with collected():
        for name, reader in (("read_run", read_run), ("read_qrels", read_qrels)):
            for given in (path, value):
                found: Any = answer(name, lambda reader=reader, given=given: reader(given))
                if isinstance(found, pd.DataFrame) and name == "read_run":
                    assert all(math.isfinite(score) for score in found["score"])
