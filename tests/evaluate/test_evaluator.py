"""Measures x qrels x run -> values, in one place for whoever asks."""

import re
from typing import ClassVar

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
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
from pyterrier_diversity.evaluate import DiversityEvaluator, Evaluation, evaluate_runs
from pyterrier_diversity.io import run_frame
from pyterrier_diversity.judged import Ranked, Run, judge
from pyterrier_diversity.measures.base import DiversityMeasure
from pyterrier_diversity.warnings import LengthsWarning

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


# Values


def test_there_is_one_value_for_each_query_of_the_qrels():
    values = DiversityEvaluator([P_IA @ 1, AP_IA], QRELS).values(RUN)

    assert values.tolist() == [[0.5, 0, 0], [pytest.approx(2 / 3), pytest.approx(7 / 12), 0]]


@pytest.mark.parametrize("measures", [OURS, BARE, [*OURS, *BARE]], ids=["ours", "bare", "both"])
def test_rankings_may_be_given_instead_of_a_run(measures):
    evaluator = DiversityEvaluator(measures, QRELS)

    found = Ranked.of_run(Run(run_frame(RUN)), evaluator.judgements)

    assert evaluator.values(found).tolist() == evaluator.values(RUN).tolist()


@pytest.mark.parametrize("measures", [OURS, BARE, [*OURS, *BARE]], ids=["ours", "bare", "both"])
def test_rankings_of_relevant_documents_may_be_given_without_a_run(measures):
    evaluator = DiversityEvaluator(measures, QRELS)

    # The relevant documents are d2, d1 of p, d2, d1 of q, and d9 of r.
    found = Ranked(evaluator.judgements, np.array([1, 2, 1, 0, 0]), np.array([2, 1, 0]))

    assert evaluator.values(found).tolist() == evaluator.values(run(p="d2 d1", q="d2")).tolist()


# Together and alone


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
    assert together.tolist() == [values for one in alone for values in one.tolist()]
    assert together[0].tolist() != together[1].tolist()


def test_without_measures_there_are_no_values():
    assert DiversityEvaluator([], QRELS).values(RUN).shape == (0, 3)


# Measures of other providers


def test_bare_measures_of_ir_measures_stand_beside_ours():
    measures = [ir_measures.P @ 1, P_IA @ 1, ir_measures.RR]

    values = DiversityEvaluator(measures, QRELS).values(RUN)

    theirs = QRELS.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    alone = {metric.query_id: metric.value for metric in ir_measures.iter_calc([ir_measures.RR], theirs, RUN)}
    assert [alone.get(query, 0) for query in "pqr"] == [1, 0.5, 0]
    assert values.tolist() == [[1, 0, 0], [0.5, 0, 0], [1, 0.5, 0]]


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

    assert values.tolist() == [[0, 0, 0]] * len([*OURS, *BARE])


def test_qrels_without_rows_have_no_values_and_no_aggregate():
    evaluator = DiversityEvaluator([P_IA @ 1, ir_measures.P @ 1], QRELS.iloc[:0])

    assert list(evaluator.iter_calc(RUN)) == []
    for aggregate in (evaluator.calc_aggregate, evaluator.calc):
        with pytest.raises(ValueError, match="qrels must not be empty: they have no queries to aggregate over"):
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

    with pytest.warns(LengthsWarning, match="The run has no column doc_len") as caught:
        DiversityEvaluator([EU_DD, EU_DD(batch=2)], nuggets).values(RUN)

    assert len(caught) == 1


def test_qrels_may_be_changed_after_an_evaluator_was_made():
    frame = QRELS.copy()
    evaluator = DiversityEvaluator([*OURS, *BARE], frame)
    before = evaluator.values(RUN).tolist()

    frame["label"] = 0.0
    frame["docno"] = "other"

    assert evaluator.values(RUN).tolist() == before


# A view of the judgements


@pytest.mark.parametrize("view", ["intents", "ad hoc", "each intent"])
def test_measures_may_be_evaluated_over_a_view(view):
    judgements = judge(QRELS)
    measures = [P_IA @ 1, ir_measures.P @ 1]

    values = Evaluation(judgements.view(view), measures).values(Ranked.of_run(Run(run_frame(RUN)), judgements))

    # Of a document of several labels, other providers read the highest over all intents.
    expected = {
        "intents": [[0.5, 0, 0], [1, 0, 0]],
        "ad hoc": [[1, 0, 0], [1, 0, 0]],
        "each intent": [[0, 1, 0, 0], [0, 1, 0, 0]],
    }[view]
    assert [of_queries.tolist() for of_queries in values] == expected


def test_a_view_may_leave_low_labels_out():
    judgements = judge(QRELS)

    values = Evaluation(judgements.view(rel=2), [P_IA @ 1, StRecall]).values(
        Ranked.of_run(Run(run_frame(RUN)), judgements)
    )

    assert [of_queries.tolist() for of_queries in values] == [[1, 0, 0], [1, 0, 0]]


def test_navigational_intents_and_weights_reach_the_measures():
    typed = QRELS.assign(intent_type=np.where(QRELS["iteration"] == "a", "nav", "inf"))

    plain, navigational = (DiversityEvaluator([DIN_nDCG @ 4], frame).values(RUN) for frame in (QRELS, typed))

    assert plain[0, 0] == navigational[0, 0]
    assert plain[0, 1] != navigational[0, 1]


# One finite number for each query


def scored(compute) -> DiversityMeasure:
    """A measure of one's own whose `score` is ``compute``."""

    class Mine(DiversityMeasure):
        __name__ = "Mine"
        NAME = "Mine"
        SUPPORTED_PARAMS: ClassVar = {}

        def score(self, ranked):
            return compute(ranked)

    return Mine()


ONE = "Mine: score must return one number for each query"
RANGE = "Mine: the values must be in (-inf, inf), the range of this measure, but that of query"
NO_VALUES = [
    (
        lambda ranked: 1.0,
        f"{ONE}, but it returned one for 3 queries. To sum over the entries of a query, use ranked.total(...).",
    ),
    (lambda ranked: None, f"{ONE}: it returned nothing."),
    (lambda ranked: [1j, 2.0, 3.0], f"{ONE}: it returned complex numbers."),
    (lambda ranked: np.array([1j, 2.0, 3.0]), f"{ONE}: it returned complex numbers."),
    (lambda ranked: 1 / ranked.rank, f"{ONE}, but it returned 4 for 3 queries."),
    (lambda ranked: ranked.n[:2], f"{ONE}, but it returned 2 for 3 queries."),
    (lambda ranked: [], f"{ONE}, but it returned 0 for 3 queries."),
    (lambda ranked: np.ones((3, 1)), f"{ONE}, but it returned an array of shape (3, 1) for 3 queries."),
    (lambda ranked: np.ones((1, 3)), f"{ONE}, but it returned an array of shape (1, 3) for 3 queries."),
    (lambda ranked: [[1.0], [1.0, 2.0], []], f"{ONE}: "),
    (lambda ranked: ["a", "b", "c"], f"{ONE}: could not convert string to float: 'a'."),
    (lambda ranked: [1.0, np.nan, 1.0], f"{RANGE} 'q' is nan."),
    (lambda ranked: [1, 2, np.inf], f"{RANGE} 'r' is inf."),
    (lambda ranked: [-np.inf, 2, 3], f"{RANGE} 'p' is -inf."),
]


def in_an_experiment(measure: ir_measures.Measure) -> object:
    run = pd.DataFrame(
        [(q, d, s) for q, docs in RUN.items() for d, s in docs.items()], columns=["qid", "docno", "score"]
    )
    topics = pd.DataFrame({"qid": [*"pqr"], "query": "text"})
    return pt.Experiment([pt.Transformer.from_df(run)], topics, QRELS, [measure])


@pytest.mark.parametrize(
    "evaluate",
    [
        lambda measure: DiversityEvaluator([measure], QRELS).values(RUN),
        lambda measure: ir_measures.calc_aggregate([measure], QRELS, RUN),
        lambda measure: evaluate_runs(QRELS, {"mine": RUN}, [measure]),
        in_an_experiment,
    ],
    ids=["values", "calc_aggregate", "evaluate_runs", "pt.Experiment"],
)
@pytest.mark.parametrize(("compute", "message"), NO_VALUES, ids=[message[-45:] for _, message in NO_VALUES])
def test_a_score_must_be_one_finite_number_for_each_query(evaluate, compute, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        evaluate(scored(compute))


def test_a_score_is_checked_inside_of_wrappers():
    with pytest.raises(
        ValueError, match=r"Mine: score must return one number for each query, but it returned one for 4"
    ):
        DiversityEvaluator([IA(scored(lambda ranked: 1.0))], QRELS).values(RUN)


@pytest.mark.parametrize("values", [[1, 2, 3], (True, False, True), pd.Series([1.0, 2.0, 3.0]), np.ones(3, np.float32)])
def test_a_score_may_be_any_list_of_numbers(values):
    answered = run(p="d1", q="d1", r="d1")

    assert DiversityEvaluator([scored(lambda _: values)], QRELS).values(answered).tolist() == [[*map(float, values)]]


# Measures of one name


def defined(value: float) -> ir_measures.Measure:
    return ir_measures.define_byquery(lambda judgements, ranking: value, name="mine")


@pytest.mark.parametrize("lift", [lambda measure: measure, Adhoc, IA, lambda measure: IA(Adhoc(measure))])
def test_two_measures_of_one_name_have_their_own_values(lift):
    first, second = lift(defined(1.0)), lift(defined(2.0))

    values = DiversityEvaluator([first, second, first, P_IA @ 1], QRELS).values(run(p="d1", q="d1", r="d9"))

    assert first == second
    assert values[:3].tolist() == [[1] * 3, [2] * 3, [1] * 3]


@pytest.mark.parametrize("lift", [lambda measure: measure, Adhoc, Sharp])
def test_two_measures_of_ones_own_of_one_name_have_their_own_values(lift):
    measures = [lift(scored(lambda ranked, value=value: ranked.n * 0 + value)) for value in (1.0, 2.0)]

    together = DiversityEvaluator(measures, QRELS).values(RUN)

    alone = [DiversityEvaluator([measure], QRELS).values(RUN)[0].tolist() for measure in measures]
    assert together.tolist() == alone
    assert alone[0] != alone[1]
