"""Measures x qrels x run -> values, in one place for whoever asks."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import ir_measures
import numpy as np
import pandas as pd
import pytest

from by_hand import qrels, run
from pyterrier_diversity import (
    AP_IA,
    EU_DD,
    IA,
    P_IA,
    RBU,
    Adhoc,
    AP_Rareness,
    DIN_nDCG,
    Sharp,
    StRecall,
    alpha_nDCG,
    nERR_IA,
)
from pyterrier_diversity.evaluate import DiversityEvaluator, Evaluation
from pyterrier_diversity.judged import Run, judge, retrieved

QRELS = qrels("p a d1 1", "p b d2 2", "q a d1 1", "q a d2 1", "q b d3 0", "r a d9 1", weight=[1, 3, 1, 1, 1, 1])
QRELS = QRELS.astype({"label": int})  # measures of other providers read nothing else
RUN = run(p="d2 x d1", q="x d2 d1 d3", s="d1")
OURS = [
    RBU @ 2,
    P_IA @ 2,
    P_IA(judged_only=True) @ 2,
    StRecall(rel=2),
    AP_IA,
    alpha_nDCG @ 2,
    nERR_IA,
    IA(ir_measures.nDCG @ 2),
    IA(RBU),
    Adhoc(ir_measures.AP),
    Sharp(P_IA @ 2),
]
BARE = [ir_measures.P @ 2, ir_measures.RR, ir_measures.nDCG]


def lists(values: dict) -> dict:
    return {measure: of_queries.tolist() for measure, of_queries in values.items()}


# Values


def test_there_is_one_value_for_each_query_of_the_qrels():
    values = DiversityEvaluator([P_IA @ 1, AP_IA], QRELS).values(RUN)

    assert lists(values) == {P_IA @ 1: [0.5, 0, 0], AP_IA: [pytest.approx(2 / 3), pytest.approx(7 / 12), 0]}


@pytest.mark.parametrize("measures", [OURS, BARE, [*OURS, *BARE]], ids=["ours", "bare", "both"])
@pytest.mark.parametrize("form", ["dict", "frame", "PyTerrier's frame", "tuples", "iterator", "Run"])
def test_a_run_may_be_of_any_form(measures, form):
    frame = pd.DataFrame(
        [(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()],
        columns=["query_id", "doc_id", "score"],
    )
    given = {
        "dict": RUN,
        "frame": frame.sample(frac=1, random_state=1),
        "PyTerrier's frame": frame.rename(columns={"query_id": "qid", "doc_id": "docno"}),
        "tuples": [ir_measures.ScoredDoc(*row) for row in frame.itertuples(index=False)],
        "Run": Run(frame),
    }
    given["iterator"] = iter(given["tuples"])
    evaluator = DiversityEvaluator(measures, QRELS)

    assert lists(evaluator.values(given[form])) == lists(evaluator.values(RUN))


@pytest.mark.parametrize("measures", [OURS, BARE, [*OURS, *BARE]], ids=["ours", "bare", "both"])
def test_retrieved_documents_may_be_given_instead_of_a_run(measures):
    evaluator = DiversityEvaluator(measures, QRELS)

    found = Run(RUN).retrieve(evaluator.judgements)

    assert lists(evaluator.values(found)) == lists(evaluator.values(RUN))


@pytest.mark.parametrize("measures", [OURS, BARE, [*OURS, *BARE]], ids=["ours", "bare", "both"])
def test_rankings_of_relevant_documents_may_be_given_without_a_run(measures):
    evaluator = DiversityEvaluator(measures, QRELS)

    found = retrieved(evaluator.judgements, [["d2", "d1"], ["d2"], []])

    assert lists(evaluator.values(found)) == lists(evaluator.values(run(p="d2 d1", q="d2")))


def test_a_run_is_not_changed():
    frame = pd.DataFrame([("q", "d1", 1.0), ("q", "d2", 1.0)], columns=["qid", "docno", "score"])
    before = frame.copy()

    DiversityEvaluator([*OURS, *BARE], QRELS).values(frame)

    pd.testing.assert_frame_equal(frame, before)


# Together and alone


@pytest.mark.parametrize("measure", [*OURS, *BARE], ids=str)
def test_a_measure_has_the_same_values_alone_and_among_others(measure):
    together = DiversityEvaluator([*OURS, *BARE], QRELS).values(RUN)

    assert DiversityEvaluator([measure], QRELS).values(RUN)[measure].tolist() == together[measure].tolist()


SHORT_AND_LONG = [
    (RBU @ 1, RBU @ 3),
    (RBU @ 3, Adhoc(ir_measures.P @ 1)),
    (Adhoc(ir_measures.P @ 1), Adhoc(ir_measures.P @ 3)),
    (Adhoc(ir_measures.P @ 3), Adhoc(ir_measures.P @ 1)),
    (Adhoc(ir_measures.P @ 1), Adhoc(ir_measures.AP)),
    (Adhoc(ir_measures.P @ 1), Adhoc(ir_measures.P(judged_only=True) @ 1)),
    (RBU @ 1, ir_measures.P @ 3),
]


@pytest.mark.parametrize("measures", SHORT_AND_LONG, ids=lambda measures: " ".join(map(str, measures)))
def test_a_cutoff_does_not_shorten_the_ranking_of_other_measures(measures):
    ranked = run(p="x d1 d2", q="x d1 d2")

    together = DiversityEvaluator(measures, QRELS).values(ranked)

    alone = [DiversityEvaluator([measure], QRELS).values(ranked) for measure in measures]
    assert lists(together) == {measure: values for one in alone for measure, values in lists(one).items()}
    assert len({str(values) for values in lists(together).values()}) == 2


def test_without_measures_there_are_no_values():
    assert DiversityEvaluator([], QRELS).values(RUN) == {}


def test_the_order_of_the_measures_changes_no_value():
    measures = [*OURS, *BARE]
    fresh = QRELS.assign(qid=QRELS["qid"] + "!")
    ranked = {f"{query}!": docs for query, docs in RUN.items()}

    backwards = DiversityEvaluator(measures[::-1], fresh).values(ranked)

    assert lists(DiversityEvaluator(measures, fresh).values(ranked)) == lists(backwards)
    assert lists(DiversityEvaluator(measures, QRELS).values(RUN)) == lists(backwards)


def test_a_run_has_the_same_values_before_and_after_another():
    evaluator = DiversityEvaluator([*OURS, *BARE], QRELS)

    first, other, again = (lists(evaluator.values(ranked)) for ranked in (RUN, run(p="d1", q="d1 d3", r="d9"), RUN))

    assert first == again != other


# Measures of other providers


def test_bare_measures_of_ir_measures_stand_beside_ours():
    measures = [ir_measures.P @ 1, P_IA @ 1, ir_measures.RR]

    values = DiversityEvaluator(measures, QRELS).values(RUN)

    theirs = QRELS.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    alone = {metric.query_id: metric.value for metric in ir_measures.iter_calc([ir_measures.RR], theirs, RUN)}
    assert values[ir_measures.RR].tolist() == [alone.get(query, 0) for query in "pqr"] == [1, 0.5, 0]
    assert values[ir_measures.P @ 1].tolist() == [1, 0, 0]
    assert values[P_IA @ 1].tolist() == [0.5, 0, 0]


def test_values_come_query_by_query_in_the_order_of_the_measures():
    measures = [ir_measures.RR, AP_IA, ir_measures.P @ 1, P_IA @ 1]

    metrics = list(DiversityEvaluator(measures, QRELS).iter_calc(RUN))

    assert [(m.query_id, m.measure) for m in metrics] == [(query, measure) for query in "pqr" for measure in measures]
    assert {type(metric.value) for metric in metrics} == {float}


def test_aggregates_are_those_of_each_measure():
    measures = [ir_measures.NumRet, AP_IA, ir_measures.RR]

    aggregates = DiversityEvaluator(measures, QRELS).calc_aggregate(RUN)

    # NumRet is summed, the others are averaged.
    assert aggregates == {ir_measures.NumRet: 7, AP_IA: pytest.approx((2 / 3 + 7 / 12) / 3), ir_measures.RR: 0.5}
    assert list(aggregates) == measures


def test_an_empty_run_has_the_default_of_each_measure():
    values = DiversityEvaluator([*OURS, *BARE], QRELS).values({})

    assert lists(values) == {measure: [0, 0, 0] for measure in [*OURS, *BARE]}


def rows_of(run: dict) -> Iterator[ir_measures.ScoredDoc]:
    return (ir_measures.ScoredDoc(query, doc, score) for query, docs in run.items() for doc, score in docs.items())


@pytest.mark.parametrize("measures", [OURS, BARE, [*OURS, *BARE]], ids=["ours", "bare", "both"])
def test_qrels_that_can_be_read_once_are_read_once(measures):
    frame = QRELS.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    once = (row for row in frame.itertuples(index=False))

    expected = DiversityEvaluator(measures, frame).values(RUN)

    assert lists(DiversityEvaluator(measures, once).values(RUN)) == lists(expected)


@pytest.mark.parametrize("measures", [OURS, BARE, [*OURS, *BARE]], ids=["ours", "bare", "both"])
def test_a_generator_that_was_read_before_is_not_an_empty_run(measures):
    evaluator = DiversityEvaluator(measures, QRELS)
    once = rows_of(RUN)
    evaluator.values(once)

    with pytest.raises(ValueError, match="run: the generator has been read before and is empty now; give a list"):
        evaluator.values(once)
    empty = rows_of({})
    assert not any(column.any() for column in evaluator.values(empty).values())


def test_qrels_that_have_been_read_are_refused():
    once = (row for row in QRELS.itertuples(index=False))
    DiversityEvaluator(OURS, once)

    with pytest.raises(ValueError, match="qrels: the generator has been read before"):
        DiversityEvaluator(OURS, once)


def test_qrels_without_rows_have_no_values_and_no_aggregate():
    evaluator = DiversityEvaluator([P_IA @ 1, ir_measures.P @ 1], QRELS.iloc[:0])

    assert list(evaluator.iter_calc(RUN)) == []
    for aggregate in (evaluator.calc_aggregate, evaluator.calc):
        with pytest.raises(ValueError, match="qrels must not be empty: there are no queries to aggregate over"):
            aggregate(RUN)


def test_a_built_in_measure_without_its_cutoff_is_refused_in_words():
    with pytest.raises(ValueError, match="P: the parameter cutoff is missing"):
        DiversityEvaluator([ir_measures.P], QRELS)


# Qrels that a measure cannot be computed from


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (AP_Rareness, "AP_Rareness needs the column rarity in the qrels; add it with pyterrier_diversity.add_rarity"),
        (EU_DD, "EU_DD needs the column passage and the column nugget in the qrels; .*read_dd_truth"),
        (IA(AP_Rareness), "AP_Rareness needs the column rarity"),
    ],
    ids=str,
)
def test_a_column_that_a_measure_needs_is_asked_for(measure, message):
    with pytest.raises(ValueError, match=message):
        DiversityEvaluator([P_IA, measure], QRELS).values(RUN)


def test_a_run_without_lengths_warns_once_of_a_measure_of_reading_time():
    nuggets = QRELS.assign(passage="1", nugget=QRELS["iteration"]).drop(columns="weight")

    with pytest.warns(UserWarning, match="The run has no column doc_len") as caught:
        DiversityEvaluator([EU_DD, EU_DD(batch=2)], nuggets).values(RUN)

    assert len(caught) == 1


# Copies in other processes


@pytest.mark.parametrize("measures", [OURS, BARE, [*OURS, *BARE]], ids=["ours", "bare", "both"])
@pytest.mark.parametrize("used", [False, True])
def test_an_evaluator_may_be_sent_to_another_process(measures, used):
    evaluator = DiversityEvaluator(measures, QRELS)
    if used:
        evaluator.values(RUN)

    copy = pickle.loads(pickle.dumps(evaluator))

    assert copy.measures == measures
    assert lists(copy.values(RUN)) == lists(evaluator.values(RUN))


def test_qrels_may_be_changed_after_an_evaluator_was_made():
    frame = QRELS.copy()
    evaluator = DiversityEvaluator([*OURS, *BARE], frame)
    before = lists(evaluator.values(RUN))

    frame["label"] = 0.0
    frame["docno"] = "other"

    assert lists(evaluator.values(RUN)) == before


# A view of the judgements


@pytest.mark.parametrize("view", ["intents", "ad hoc", "each intent"])
def test_measures_may_be_evaluated_over_a_view(view):
    judgements = judge(QRELS)
    measures = [P_IA @ 1, ir_measures.P @ 1]

    values = Evaluation(judgements.view(view), measures).values(Run(RUN).retrieve(judgements))

    # Of a document of several labels, other providers read the highest over all intents.
    expected = {
        "intents": [[0.5, 0, 0], [1, 0, 0]],
        "ad hoc": [[1, 0, 0], [1, 0, 0]],
        "each intent": [[0, 1, 0, 0], [0, 1, 0, 0]],
    }[view]
    assert [of_queries.tolist() for of_queries in values] == expected


def test_a_view_may_leave_low_labels_out():
    judgements = judge(QRELS)

    values = Evaluation(judgements.view(rel=2), [P_IA @ 1, StRecall]).values(Run(RUN).retrieve(judgements))

    assert [of_queries.tolist() for of_queries in values] == [[1, 0, 0], [1, 0, 0]]


def test_navigational_intents_and_weights_reach_the_measures():
    typed = QRELS.assign(intent_type=np.where(QRELS["iteration"] == "a", "nav", "inf"))

    plain, navigational = (DiversityEvaluator([DIN_nDCG @ 4], frame).values(RUN) for frame in (QRELS, typed))

    assert plain[DIN_nDCG @ 4][0] == navigational[DIN_nDCG @ 4][0]
    assert plain[DIN_nDCG @ 4][1] != navigational[DIN_nDCG @ 4][1]


@pytest.mark.parametrize("lift", [Adhoc, lambda measure: measure], ids=["lifted", "bare"])
def test_ndcg_keeps_its_gains_beside_others(lift):
    one_row = qrels("q a d1 1", "q a d2 2", "q a d3 3").astype({"label": int})
    ranking = run(q="d1 d3 d2")
    measures = [lift(ir_measures.nDCG(gains={1: worth}) @ 3) for worth in range(20, 30)]
    measures += [lift(ir_measures.nDCG @ 3), lift(ir_measures.P(rel=2) @ 3)]

    together = DiversityEvaluator(measures, one_row).values(ranking)

    for measure in measures:
        assert lists(together)[measure] == lists(DiversityEvaluator([measure], one_row).values(ranking))[measure]
