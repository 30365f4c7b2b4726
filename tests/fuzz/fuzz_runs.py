"""Whole calls: bare measures beside their ad-hoc twins, random orders of ties, and arguments of every kind."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
from hypothesis import strategies as st
from ir_measures import AP, RR, NumRet, P, nDCG

from fuzz import law
from fuzz.hostile import FORMS, mutated, sound_qrels, sound_runs
from fuzz.law import Refusal, answer, fuzzed
from pyterrier_diversity import IA, RBU, Adhoc, StRecall, evaluate_runs
from pyterrier_diversity.evaluate import DiversityEvaluator
from pyterrier_diversity.frames import collected

BARE = [P @ 1, P @ 3, AP, nDCG @ 5, RR, NumRet]
OURS = [RBU @ 3, StRecall @ 2, IA(RR), Adhoc(AP)]
QRELS = st.one_of(sound_qrels(columns=False), sound_qrels(columns=False), mutated(sound_qrels()))
RUNS = st.one_of(sound_runs(), sound_runs(), mutated(sound_runs()))
ARGUMENTS = st.one_of(
    sound_qrels(),
    sound_runs(),
    st.sampled_from([RBU @ 3, [RBU @ 3], "RBU@3", "RBU@3 AP", "x", "", None, 5, [5], {}, [], {"mine": None}, [{}]]),
    st.builds(lambda frame, form: form(frame), sound_runs(), st.sampled_from(FORMS)),
    st.builds(lambda frame: {"mine": frame}, RUNS),
    st.builds(lambda frame: iter([frame]), sound_runs()),
)


def evaluated(qrels: Any, run: Any, measures: list[Any], **options: Any) -> Any:
    return answer(
        "evaluate_runs", lambda: evaluate_runs(qrels, {"mine": run}, measures, perquery=True, n_jobs=1, **options)
    )


@fuzzed(70, qrels=QRELS, run=RUNS, measure=st.sampled_from(BARE))
def test_a_bare_measure_is_refused_or_that_of_the_highest_labels(qrels, run, measure):
    table = evaluated(qrels, run, [measure, Adhoc(measure)])

    if isinstance(table, Refusal):
        return
    by_measure = table.pivot_table(index="qid", columns="measure", values="value", sort=False)
    assert by_measure[str(measure)].tolist() == by_measure[f"Adhoc({measure})"].tolist()
    law.confirmed["evaluate_runs"] += len(by_measure)


@fuzzed(25, qrels=sound_qrels(max_queries=1), run=sound_runs(), seed=st.integers(0, 3))
def test_a_seed_gives_the_same_orders_of_ties_for_any_order_of_rows(qrels, run, seed):
    tables = [
        evaluated(qrels, rows, OURS, ties="expected", samples=3, rng=seed)
        for rows in (run, run.iloc[::-1], run.sample(frac=1, random_state=seed))
    ]

    if isinstance(tables[0], Refusal):  # of labels that are fractions
        assert set(map(repr, tables)) == {repr(tables[0])}
        return
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0], check_exact=True)
    law.confirmed["evaluate_runs"] += len(tables[0])


@fuzzed(25, qrels=sound_qrels(), run=sound_runs(simple=True), measure=st.sampled_from(OURS), seed=st.integers(0, 3))
def test_random_orders_of_ties_change_queries_with_ties_only(qrels, run, measure, seed):
    table = evaluated(qrels, run, [measure], ties="expected", samples=5, rng=seed)
    if isinstance(table, Refusal):
        return
    n_docs = run.groupby("query_id")["score"].agg(["size", "nunique"])

    with collected():
        values = DiversityEvaluator([measure], qrels).values(run)[0]

    for usual, row in zip(values.tolist(), table.itertuples(), strict=True):
        untied = row.qid not in n_docs.index or n_docs["size"][row.qid] == n_docs["nunique"][row.qid]
        assert math.isfinite(row.value)
        assert row.se >= 0
        if untied:
            assert (row.value, row.se) == (usual, 0.0)
            law.confirmed["evaluate_runs"] += 1


@fuzzed(100, qrels=ARGUMENTS, runs=ARGUMENTS, measures=ARGUMENTS)
def test_arguments_of_any_kind_and_order_are_evaluated_or_refused_in_a_sentence(qrels, runs, measures):
    answer("evaluate_runs", lambda: evaluate_runs(qrels, runs, measures, n_jobs=1))
