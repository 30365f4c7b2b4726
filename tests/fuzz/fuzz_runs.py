"""Whole calls: bare measures beside their ad-hoc twins, random orders of ties, and arguments of every kind."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from ir_measures import AP, RR, NumRet, P, nDCG

from fuzz import law
from fuzz.hostile import FORMS, mutated, sound_qrels, sound_runs
from fuzz.law import Refusal, answer, fuzzed
from pyterrier_diversity import IA, RBU, Adhoc, StRecall, evaluate_runs

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


@fuzzed(100, qrels=ARGUMENTS, runs=ARGUMENTS, measures=ARGUMENTS)
def test_arguments_of_any_kind_and_order_are_evaluated_or_refused_in_a_sentence(qrels, runs, measures):
    answer("evaluate_runs", lambda: evaluate_runs(qrels, runs, measures, n_jobs=1))
