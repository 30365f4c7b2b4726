"""Ranks against scores, ids of every type, and orders of rows."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from ir_measures import P

from fuzz import law
from fuzz.law import Refusal, answer, fuzzed
from pyterrier_diversity import (
    RBU,
    Adhoc,
    alpha_nDCG,
    evaluate_runs,
    meta,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

MEASURES = [RBU @ 5, alpha_nDCG @ 3, Adhoc(P @ 2)]
# Three queries, of which two intents each share documents.
QRELS = pd.DataFrame(
    [
        (f"q{i}", doc, label, intent)
        for i in (1, 2, 3)
        for doc, label, intent in zip(("d1", "d2", "d10", "Z", "d1"), (1, 3, 0, 2, 2), "xxxyy", strict=True)
    ],
    columns=["qid", "docno", "label", "iteration"],
)


def table(qrels: Any, run: Any, **options: Any) -> Any:
    return evaluate_runs(qrels, {"A": run}, MEASURES, perquery=True, **options)


# Ranks against scores


@st.composite
def ranked_runs(draw: st.DrawFn) -> pd.DataFrame:
    """Draw a run with scores and ranks, which may agree."""
    rows = []
    for query in draw(st.lists(st.sampled_from(["q1", "q2", "q3"]), min_size=1, max_size=3, unique=True)):
        docs = draw(st.lists(st.sampled_from(["d1", "d2", "d10", "é", "Z"]), min_size=1, max_size=5, unique=True))
        scores = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=len(docs), max_size=len(docs)))
        if draw(st.booleans()):
            scores = sorted(scores, reverse=True)
        first = draw(st.sampled_from([0, 1, 7]))
        rows += [(query, doc, score, first + i) for i, (doc, score) in enumerate(zip(docs, scores, strict=True))]
    order = draw(st.permutations(range(len(rows))))
    return pd.DataFrame([rows[i] for i in order], columns=["qid", "docno", "score", "rank"])


def rises(run: pd.DataFrame) -> int:
    """Count the queries in which a score rises somewhere down the ranks."""
    queries = [of_query.sort_values("rank")["score"].tolist() for _, of_query in run.groupby("qid")]
    return sum(any(below > above for above, below in pairwise(scores)) for scores in queries)


@fuzzed(60, run=ranked_runs())
def test_a_run_is_warned_of_exactly_where_its_scores_rise_down_the_ranks(run):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = table(QRELS, run)

    said = [str(warning.message) for warning in warned if "Scores and ranks contradict" in str(warning.message)]
    assert len(said) == bool(rises(run))
    if said:
        assert f"in {rises(run)} of {run['qid'].nunique()} queries" in said[0]
    pd.testing.assert_frame_equal(found, table(QRELS, run.drop(columns="rank")))
    law.confirmed["ranks"] += 1


@fuzzed(40, run=ranked_runs())
def test_ranks_order_where_there_are_no_scores_or_where_they_are_asked_for(run):
    expected = table(QRELS, run.assign(score=-run["rank"]).drop(columns="rank"))

    pd.testing.assert_frame_equal(table(QRELS, run.drop(columns="score")), expected)
    pd.testing.assert_frame_equal(table(QRELS, run, order="rank"), expected)
    law.confirmed["ranks"] += 1


# Types of ids

IDS = {
    "str": str,
    "int": int,
    "numpy": np.int64,
    "numpy string": np.str_,
    "float": float,
    "bytes": lambda name: str(name).encode(),
    "bool": lambda name: bool(int(name) % 2),
}
TAKEN = {"str", "int", "numpy", "numpy string"}


@st.composite
def numbered(draw: st.DrawFn) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw qrels and a run whose ids are digits."""
    digits = st.integers(0, 5).map(str)
    rows = draw(st.lists(st.tuples(digits, digits, digits), min_size=1, max_size=12, unique=True))
    labels = draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "iteration"]).assign(label=labels)
    found = draw(st.lists(st.tuples(digits, digits), min_size=1, max_size=12, unique=True))
    run = pd.DataFrame(found, columns=["qid", "docno"]).assign(score=np.arange(len(found), 0, -1.0))
    return qrels, run


def typed(frame: pd.DataFrame, column: str, kind: str) -> pd.DataFrame:
    return frame.assign(**{column: pd.Series([IDS[kind](name) for name in frame[column]], dtype=object)})


@fuzzed(120, frames=numbered(), column=st.sampled_from(["qid", "docno", "iteration"]), kinds=st.data())
def test_ids_of_any_type_meet_or_are_refused(frames, column, kinds):
    qrels, run = frames
    of_qrels, of_run = (kinds.draw(st.sampled_from(sorted(IDS))) for _ in range(2))
    of_run = "str" if column == "iteration" else of_run
    given = typed(qrels, column, of_qrels), run if column == "iteration" else typed(run, column, of_run)

    found = answer("types of ids", lambda: table(*given))

    if {of_qrels, of_run} <= TAKEN:
        pd.testing.assert_frame_equal(found, answer("types of ids", lambda: table(qrels, run)))
        law.confirmed["types of ids"] += 1
    else:
        assert isinstance(found, Refusal)
        assert found.kind == "TypeError"
        assert column in found.message


# Orders of rows


@st.composite
def perquery(draw: st.DrawFn) -> pd.DataFrame:
    names = draw(st.lists(st.sampled_from(["s1", "s10", "s9", "B", "a", "é"]), min_size=2, max_size=4, unique=True))
    queries = draw(st.lists(st.sampled_from(["1", "10", "9", "x", "2"]), min_size=2, max_size=5, unique=True))
    values = st.sampled_from([0.0, 0.25, 0.25 + 1e-15, 0.5, 1.0])
    rows = [(name, qid, m, draw(values)) for m in ("AP", "RBU", "P") for name in names for qid in queries]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


JUDGING = {
    "discriminative_power": (
        lambda frame: meta.discriminative_power(meta.compare(frame, n_trials=20, rng=1)),
        ["measure"],
    ),
    "delta_required": (lambda frame: meta.delta_required(meta.compare(frame, n_trials=20, rng=1)), ["measure"]),
    "stability": (lambda frame: meta.stability(frame, n_trials=20, rng=1), ["measure"]),
    "topic_sampling": (lambda frame: meta.topic_sampling(frame, sizes=[2], n_trials=10, rng=1), ["measure", "size"]),
    "unanimity": (meta.unanimity, ["measure"]),
    "rank_correlation": (meta.rank_correlation, ["measure", "reference"]),
    "concordance": (lambda frame: meta.concordance(frame, gold="P", measures=["RBU", "AP"]), ["measure", "other"]),
}


@fuzzed(70, frame=perquery(), name=st.sampled_from(sorted(JUDGING)), data=st.data())
def test_the_order_of_rows_changes_no_judgement(frame, name, data):
    function, keys = JUDGING[name]
    order = data.draw(st.permutations(range(len(frame))))

    one, other = (answer(name, lambda given=given: function(given)) for given in (frame, frame.iloc[order]))

    assert isinstance(one, Refusal) == isinstance(other, Refusal)
    if isinstance(one, Refusal):
        return
    expected = {tuple(row[: len(keys)]): row[len(keys) :] for row in rows_of(one, keys)}
    for row in rows_of(other, keys):
        for value, wanted in zip(row[len(keys) :], expected[tuple(row[: len(keys)])], strict=True):
            both_nan = isinstance(value, float) and math.isnan(value) and math.isnan(wanted)
            assert both_nan or value == wanted or math.isclose(value, wanted, rel_tol=1e-9, abs_tol=1e-12)
    law.confirmed[name] += 1


def rows_of(frame: pd.DataFrame, keys: list[str]) -> list[list[Any]]:
    return frame[[*keys, *sorted(set(frame.select_dtypes("number")) - set(keys))]].to_numpy(dtype=object).tolist()
