"""Measures over sound and hostile qrels and runs, each value beside the naive one."""

import math
import re
from typing import Any

import ir_measures
import pandas as pd
import pyterrier as pt
from hypothesis import strategies as st
from ir_measures import AP, RR, NumRet, P, nDCG

import disagreements
import naive
from fuzz import law
from fuzz.hostile import FORMS, PYTERRIER, in_levels, mutated, sound_qrels, sound_runs
from fuzz.law import Refusal, answer, fuzzed
from fuzz.parameters import measures
from pyterrier_diversity import (
    CT,
    ERR_IA,
    EU,
    IA,
    RBU,
    SRR,
    Adhoc,
    Coverage,
    D_nDCG,
    DINsharp_Q,
    P_Rareness,
    SessionDCG,
    Sharp,
    StRecall,
    UserModel,
    alpha_nDCG,
    evaluate_runs,
)
from pyterrier_diversity.measures.base import implementation

# Each is asked for alone or with another on frames that may have to be refused for one of them only.
CHOSEN = [RBU @ 5, alpha_nDCG @ 3, ERR_IA @ 20, StRecall @ 2, IA(AP), Adhoc(nDCG @ 4), Sharp(P @ 2), IA(D_nDCG @ 3)]
CHOSEN += [SRR, Coverage, D_nDCG, DINsharp_Q, EU, UserModel(4, "RBP", gain="exp"), CT, SessionDCG @ 2, P_Rareness @ 3]

# Errors of measures that refuse valid qrels, or that need a column that is missing.
OF_MEASURES = "labels may be at most|accepts only integer labels|accepts labels up to|"
OF_MEASURES += "needs the column|needs a cutoff|cannot read"


def values(measures: list[ir_measures.Measure], qrels: Any, run: Any) -> dict[tuple[str, str], float]:
    return {(repr(m.measure), m.query_id): m.value for m in ir_measures.iter_calc(measures, qrels, run)}


def check(function: str, measures: list[ir_measures.Measure], found: Any, qrels: Any, run: Any) -> None:
    """Hold values, or a refusal, against what the naive program makes of the same input."""
    try:
        topics = naive.read(qrels, run)
    except naive.RefusedError:
        topics = None
    except naive.UnknownError:
        if not isinstance(found, Refusal):
            assert all(math.isfinite(value) for value in found.values())
            law.bounded[function] += len(found)
        return
    if topics is None:
        assert isinstance(found, Refusal), f"{function} gave {found}"
        return
    if isinstance(found, Refusal):
        assert re.search(OF_MEASURES, found.message), f"{function} refused what is sound: {found}"
        return
    assert found.keys() == {(repr(m), topic.query_id) for m in measures for topic in topics}
    for measure in measures:
        for topic in topics:
            compare(function, measure, topic, found[repr(measure), topic.query_id])


def compare(function: str, measure: ir_measures.Measure, topic: naive.Topic, value: float) -> None:
    assert math.isfinite(value)
    if disagreements.is_known(measure):
        return
    ours = implementation(measure)
    try:
        expected = naive.value(ours, topic)
    except (naive.UnknownError, OverflowError, ZeroDivisionError):
        low, high = ours.range()
        assert low <= value <= high, f"{measure!r} is {value}, not in {low:g} to {high:g}"
        law.bounded[function] += 1
        return
    assert math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-9), f"{measure!r} is {value}, not {expected}"
    law.confirmed[function] += 1


@fuzzed(500, measure=measures(), qrels=sound_qrels(), run=sound_runs())
def test_a_measure_of_any_parameters_has_the_value_of_the_naive_program(measure, qrels, run):
    if measure is not None:
        # gdeval computes its measures itself if documents have several labels, and cannot read all ids.
        measure = Adhoc(measure) if ir_measures.gdeval.supports(measure) else measure
        check("measures", [measure], answer("measures", lambda: values([measure], qrels, run)), qrels, run)


@fuzzed(550, wanted=st.lists(st.sampled_from(CHOSEN), min_size=1, max_size=2, unique_by=repr), data=st.data())
def test_hostile_frames_are_evaluated_right_or_refused(wanted, data):
    forms = [*FORMS, in_levels, in_levels]
    qrels = data.draw(mutated(sound_qrels(), forms=forms) | sound_qrels())
    run = data.draw(mutated(sound_runs(), forms=forms) | sound_runs())

    check("iter_calc", wanted, answer("iter_calc", lambda: values(wanted, qrels, run)), qrels, run)


@fuzzed(60, wanted=st.lists(st.sampled_from(CHOSEN), min_size=1, max_size=2, unique_by=repr), data=st.data())
def test_an_experiment_has_the_values_of_ir_measures(wanted, data):
    sound = data.draw(sound_qrels()).rename(columns=PYTERRIER), data.draw(sound_runs()).rename(columns=PYTERRIER)
    odd = data.draw(mutated(st.just(sound[0]), 1)), data.draw(mutated(st.just(sound[1]), 1))
    qrels, run = data.draw(st.sampled_from([sound, sound, odd]))
    topics = pd.DataFrame({"qid": sound[0]["qid"].unique(), "query": "words"})
    batch_size = data.draw(st.sampled_from([None, None, 1]))

    def experiment() -> Any:
        system = run if batch_size is None else pt.Transformer.from_df(run)
        given = {"perquery": True, "validate": "ignore"}
        table = pt.Experiment({"system": system}, topics, qrels, wanted, batch_size=batch_size, **given)
        return {(name, query): value for query, name, value in table[["qid", "measure", "value"]].to_numpy().tolist()}

    found = answer("pt.Experiment", experiment, hosts=("pyterrier", "ir_measures", "pandas"))
    expected = answer("iter_calc", lambda: values(wanted, *map(names_of_ir_measures, (qrels, run))))

    if isinstance(found, Refusal):
        assert found.of_host or isinstance(expected, Refusal), f"{found}, not {expected}"
        return
    assert not isinstance(expected, Refusal)
    in_table = {str(measure): repr(measure) for measure in wanted}
    expected = {(name, query): value for (name, query), value in expected.items() if query in set(topics["qid"])}
    assert {(in_table[name], str(query)): value for (name, query), value in found.items()} == expected
    law.confirmed["pt.Experiment"] += len(found)


def names_of_ir_measures(frame: Any) -> Any:
    return pt.model.to_ir_measures(frame) if isinstance(frame, pd.DataFrame) else frame


# Whole calls: bare measures beside their ad-hoc twins, and arguments of every kind


BARE = [P @ 1, P @ 3, AP, nDCG @ 5, RR, NumRet]
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


@fuzzed(70, qrels=QRELS, run=RUNS, measure=st.sampled_from(BARE))
def test_a_bare_measure_is_refused_or_that_of_the_highest_labels(qrels, run, measure):
    both = [measure, Adhoc(measure)]
    table = answer("evaluate_runs", lambda: evaluate_runs(qrels, {"mine": run}, both, perquery=True, n_jobs=1))

    if isinstance(table, Refusal):
        return
    by_measure = table.pivot_table(index="qid", columns="measure", values="value", sort=False)
    assert by_measure[str(measure)].tolist() == by_measure[f"Adhoc({measure})"].tolist()
    law.confirmed["evaluate_runs"] += len(by_measure)


@fuzzed(100, qrels=ARGUMENTS, runs=ARGUMENTS, measures=ARGUMENTS)
def test_arguments_of_any_kind_and_order_are_evaluated_or_refused_in_a_sentence(qrels, runs, measures):
    answer("evaluate_runs", lambda: evaluate_runs(qrels, runs, measures, n_jobs=1))
