"""Runs and qrels in every form: no row is lost without a word, and files are as strict as Python."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import strategies as st

import forms
from fuzz import law
from fuzz.hostile import PYTERRIER, sound_qrels, sound_runs
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


@pytest.mark.parametrize("form", forms.RUNS)
@fuzzed(12, run=sound_runs(simple=True))
def test_no_document_of_a_run_is_lost_in_any_form(folder, form, run):
    run = run.rename(columns=PYTERRIER).drop_duplicates(["qid", "docno"])
    run = run[run["score"].abs() < 1e15]
    if run.empty:
        return
    if form.startswith("trec"):
        run = run.assign(qid=run["qid"].str.replace(" ", "_"), docno=run["docno"].str.replace(" ", "_"))
    if "list" in form or form in ("pairs", "json of pairs", "json of hits", "LangChain", "LlamaIndex"):
        run = run.sort_values(["score", "docno"], ascending=False, kind="stable")

    with collected():
        found, expected = (
            answer("read_run", lambda given=given: read_run(given)) for given in (forms.RUNS[form](run, folder), run)
        )

    assert not isinstance(found, Refusal), found
    assert words(found) == words(run)
    if "list" not in form:
        assert (
            found.sort_values("qid", kind="stable")["docno"].tolist()
            == expected.sort_values("qid", kind="stable")["docno"].tolist()
        )
    law.confirmed["read_run"] += len(found)


@pytest.mark.parametrize("form", forms.QRELS)
@fuzzed(12, qrels=sound_qrels(columns=False))
def test_no_judgement_is_lost_in_any_form(folder, form, qrels):
    qrels = qrels.rename(columns=PYTERRIER)
    if form.startswith("trec"):
        for name in ("qid", "docno", "iteration"):
            qrels[name] = qrels[name].str.strip().str.replace(" ", "_")

    found = answer("read_qrels", lambda: read_qrels(forms.QRELS[form](qrels, folder)))

    columns = ["qid", "docno", "iteration", "label"]
    assert found[columns].to_numpy().tolist() == qrels[columns].to_numpy().tolist()
    law.confirmed["read_qrels"] += len(found)


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
