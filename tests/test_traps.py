"""The traps of evaluating diversity: what ir_measures makes of them through pyndeval, and what we do.

Traps that cannot be shown beside pyndeval: it crashes where a document has no id, or one that is a number.
"""

import math
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, ERR_IA, P_IA, StRecall, alpha_DCG, alpha_nDCG, nNRBP

import timing
from by_hand import qrels, run
from pyterrier_diversity import IA, RBU, Adhoc
from pyterrier_diversity.warnings import LabelsWarning

pyndeval = pytest.importorskip("pyndeval")

Values = dict[tuple[str, str], float]
NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
JUDGED = qrels("q a d1 1", "q a d3 1", "q b d2 1")
RANKED = run(q="d1 d3 d2")


def values(of: object, *measures: ir_measures.Measure, by: ir_measures.providers.Provider = ir_measures) -> Values:
    judgements, retrieved = of
    metrics = by.iter_calc(measures, judgements.rename(columns=NAMES), retrieved)
    return {(str(metric.measure), metric.query_id): metric.value for metric in metrics}


def beside(*measures: ir_measures.Measure, of: object) -> tuple[list[float], list[float]]:
    """Return pyndeval's values and ours."""
    return tuple(list(values(of, *measures, by=by).values()) for by in (timing.pyndeval(), ir_measures))


def rows(*lines: tuple[object, object, float]) -> pd.DataFrame:
    return pd.DataFrame(lines, columns=["query_id", "doc_id", "score"])


def refused(message: str) -> Any:
    return pytest.raises(ValueError, match=message)


# Measures


def test_two_alphas_in_one_call():
    both = [alpha_nDCG(alpha=0.1) @ 5, alpha_nDCG(alpha=0.9) @ 5]
    theirs, ours = beside(*both, of=(JUDGED, RANKED))

    assert theirs[1] == 0
    assert ours == pytest.approx([beside(measure, of=(JUDGED, RANKED))[0][0] for measure in both], abs=1e-12)


def test_judged_only():
    retrieved = run(q="x d1 d2")
    with pytest.raises(TypeError, match="not subscriptable"):
        values((JUDGED, retrieved), P_IA(judged_only=True) @ 2, by=timing.pyndeval())

    assert values((JUDGED, retrieved), P_IA(judged_only=True) @ 2) == {("P_IA(judged_only=True)@2", "q"): 0.5}


def test_a_cutoff_of_1():
    theirs, ours = beside(ERR_IA @ 1, alpha_DCG @ 1, of=(JUDGED, RANKED))

    assert theirs == [1, 1]  # not divided by the perfect list, as ndeval does from cutoff 2 on
    assert ours == [0.5, 0.5]


def test_a_cutoff_above_20():
    with pytest.raises(AssertionError, match="cutoffs up to 20"):
        beside(alpha_nDCG @ 25, of=(JUDGED, RANKED))

    assert values((JUDGED, RANKED), alpha_nDCG @ 25) == {
        ("alpha_nDCG@25", "q"): pytest.approx(beside(alpha_nDCG @ 20, of=(JUDGED, RANKED))[0][0])
    }


def test_a_bare_ad_hoc_measure_on_qrels_of_several_intents():
    judged = qrels("q a d1 1", "q b d1 0", "q b d2 1").astype({"label": int})
    with pytest.warns(LabelsWarning, match="AP reads label 0 for document 'd1' of query 'q', whose highest label is 1"):
        found = values((judged, RANKED), AP, Adhoc(AP), IA(AP))

    assert found["AP", "q"] == pytest.approx(1 / 3)  # of d1 the last row is seen, which is 0
    assert found["Adhoc(AP)", "q"] == pytest.approx((1 + 2 / 3) / 2)
    assert found["IA(AP)", "q"] == pytest.approx((1 + 1 / 3) / 2)


# Runs


def test_rows_of_queries_that_are_interleaved():
    judged = qrels("q a d1 1", "r a d1 1")
    retrieved = rows(("q", "x", 2), ("r", "x", 2), ("q", "d1", 1), ("r", "d1", 1))

    theirs = list(timing.pyndeval().iter_calc([StRecall @ 2], judged.rename(columns=NAMES), retrieved))

    assert [metric.value for metric in theirs] == [0, 0, 1, 1]  # of two queries
    assert values((judged, retrieved), StRecall @ 2) == {("StRecall@2", "q"): 1, ("StRecall@2", "r"): 1}


def test_scores_that_tie():
    theirs, ours = beside(P_IA @ 1, of=(JUDGED, rows(("q", "d1", 1), ("q", "x", 1))))

    assert theirs == [0.5]  # ascending document ids
    assert ours == [0]  # descending ones, as in trec_eval


def test_a_document_that_is_retrieved_twice():
    retrieved = rows(("q", "d1", 3), ("q", "d1", 2), ("q", "d2", 1))
    with pytest.warns(UserWarning, match="repeats documents within a query, .*repeated rows: 1"):
        theirs, ours = beside(P_IA @ 2, of=(JUDGED, retrieved))

    assert theirs == [0.25]
    assert ours == [0.5]


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_not_a_finite_number(score):
    retrieved = rows(("q", "d1", score), ("q", "x", 1))
    assert len(values((JUDGED, retrieved), P_IA @ 1, by=timing.pyndeval())) == 1

    with refused("score must be a finite number"):
        values((JUDGED, retrieved), P_IA @ 1)


def test_query_ids_that_are_integers_on_one_side():
    judged = JUDGED.assign(qid=1)
    retrieved = rows(("1", "d1", 1))

    assert values((judged, retrieved), P_IA @ 1, by=timing.pyndeval()) == {("P_IA@1", 1): 0}
    assert values((judged, retrieved), P_IA @ 1) == {("P_IA@1", "1"): 0.5}


# Qrels


def test_intents_that_are_named_by_subtopic_id():
    theirs, ours = beside(StRecall @ 1, of=(JUDGED.rename(columns={"iteration": "subtopic_id"}), RANKED))

    assert theirs == [1]  # one intent
    assert ours == [0.5]


def test_labels_that_contradict_each_other():
    first, last = qrels("q a d1 1", "q a d1 0"), qrels("q a d1 0", "q a d1 1")

    theirs = [values((judged, RANKED), P_IA @ 1, by=timing.pyndeval())["P_IA@1", "q"] for judged in (first, last)]

    assert theirs == [0, 1]  # the last row wins
    for judged in (first, last):
        with refused("different labels for one query, intent and document"):
            values((judged, RANKED), P_IA @ 1)


def test_a_query_without_relevant_documents():
    judged = qrels("q a d1 0", "r a d1 1")
    theirs, ours = beside(nNRBP, of=(judged, run(q="d1", r="d1")))

    assert np.isnan(theirs).tolist() == [True, False]  # and so the mean is
    assert ours == [0, 1]


def test_intents_whose_ids_are_globally_unique_take_memory_in_proportion():
    def evaluate(n_queries: int) -> None:
        query = [f"q{i // 4}" for i in range(4 * n_queries)]
        names = [f"{i}" for i in range(4 * n_queries)]
        judged = pd.DataFrame({"qid": query, "docno": names, "label": 1, "iteration": names})
        found = rows(*zip(query, names, map(float, range(len(names), 0, -1)), strict=True))
        ir_measures.calc_aggregate([alpha_nDCG @ 20, RBU @ 20, StRecall @ 20], judged, found)

    _, small, large = (timing.peak_mb(evaluate, n) for n in (1000, 1000, 4000))

    assert large < 60  # a matrix of all queries and all intents is 512
    assert large < 12 * small  # 16 if it grew with the square
