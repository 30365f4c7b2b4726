"""Measures of other providers: over the rows of the qrels or over a view, in this package's ranking."""

import re

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RBP, RR, Bpref, Judged, NumQ, NumRel, NumRet, P, R, infAP, nDCG

from pyterrier_diversity import IA, RBU, Adhoc, Sharp, evaluate_runs
from pyterrier_diversity.evaluate import DiversityEvaluator, score
from pyterrier_diversity.frames import collected
from pyterrier_diversity.transformers import Evaluate, Explain

OF_LABELS = [P @ 1, P(rel=2) @ 2, RR, RBP(rel=1), NumRet(rel=1), AP, nDCG @ 20, R @ 5, NumRel]
OF_NONE = [NumRet, NumQ, Judged @ 2]

# The last row of b does not have its highest label.
QRELS = pd.DataFrame(
    [("q", "a", 0, "1"), ("q", "b", 2, "1"), ("q", "a", 1, "2"), ("q", "b", 1, "2")],
    columns=["qid", "docno", "label", "iteration"],
)


def run_of(*docs: str, query: str = "q") -> dict[str, dict[str, float]]:
    return {query: {doc: -float(i) for i, doc in enumerate(docs)}}


@pytest.mark.parametrize("measure", OF_LABELS, ids=str)
def test_a_measure_that_would_read_a_lower_label_is_refused(measure):
    message = (
        f"{measure} would use only the last label of each document (1 for document 'b' of query 'q', "
        f"whose highest label is 2). Use Adhoc({measure})."
    )

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        evaluate_runs(QRELS, {"mine": run_of("a", "b")}, [RBU @ 20, measure])


@pytest.mark.parametrize("measure", OF_LABELS, ids=str)
def test_a_measure_that_would_read_a_row_of_weight_0_is_refused(measure):
    qrels = QRELS.assign(label=[0, 0, 0, 2], weight=[1.0, 1.0, 0.0, 0.0])
    message = "(2 for document 'b' of query 'q', whose highest label in a row of a weight above 0 is 0)."

    with pytest.raises(ValueError, match=re.escape(f"{message} Use Adhoc({measure}).")):
        evaluate_runs(qrels, {"mine": run_of("a", "b")}, [measure])


@pytest.mark.parametrize("measure", OF_NONE, ids=str)
def test_a_measure_that_reads_no_label_is_computed(measure):
    table = evaluate_runs(QRELS, {"mine": run_of("a", "b")}, [measure, Adhoc(measure)])

    assert table[str(measure)][0] == table[f"Adhoc({measure})"][0]


def test_negative_labels_mislead_nobody():
    negative = QRELS.assign(label=[0, 1, -2, 1])

    assert evaluate_runs(negative, {"mine": run_of("a", "b")}, [AP])["AP"][0] == 0.5


@pytest.mark.parametrize("labels", [[2, -2, 0, 1], [-2, 1, -2, 0], [-1, -2, -2, -1]])
@pytest.mark.parametrize("measure", [Bpref, infAP, AP, nDCG @ 2], ids=str)
def test_labels_below_0_mean_to_a_bare_measure_what_they_mean_to_its_program(measure, labels):
    qrels = pd.DataFrame({"query_id": "q", "doc_id": [*"abcd"], "relevance": labels})
    run = {"q": {"b": 4.0, "c": 3.0, "a": 2.0}}
    answerable = max(labels) >= 0  # pytrec_eval crashes otherwise

    expected = ir_measures.calc_aggregate([measure], qrels, run)[measure] if answerable else 0
    assert evaluate_runs(qrels, {"mine": run}, [measure])[str(measure)][0] == pytest.approx(expected, abs=1e-12)


def test_steps_of_pipelines_refuse_as_well():
    run = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "score": [2.0, 1.0]})

    with pytest.raises(ValueError, match=r"Use Adhoc\(nDCG@20\)"):
        Evaluate(QRELS, [nDCG @ 20])(run)
    with pytest.raises(ValueError, match=r"Use Adhoc\(AP\)"):
        Explain(QRELS, AP)(run)
    with pytest.raises(ValueError, match=r"Use Adhoc\(AP\)"):
        score(AP, [[2, 1], [1, 0]])


@given(
    rows=st.lists(st.tuples(st.sampled_from("abc"), st.integers(-1, 2)), min_size=1, max_size=8),
    docs=st.lists(st.sampled_from("abcx"), unique=True),
    measure=st.sampled_from([*OF_LABELS, *OF_NONE]),
)
def test_a_bare_measure_is_refused_or_has_the_value_of_adhoc(rows, docs, measure):
    qrels = pd.DataFrame(rows, columns=["docno", "label"]).assign(qid="q")
    qrels["iteration"] = np.arange(len(qrels)).astype(str)
    by_document = qrels.groupby("docno")["label"]
    misread = by_document.last().clip(lower=0) < by_document.max()

    if measure in OF_NONE or not misread.any():
        values = DiversityEvaluator([measure, Adhoc(measure)], qrels).values(run_of(*docs))
        assert values[0] == pytest.approx(values[1], abs=1e-15)
    else:
        with pytest.raises(ValueError, match="Use Adhoc"):
            DiversityEvaluator([measure], qrels)


def test_bare_measures_see_the_ranking_that_ours_see():
    qrels = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "label": [1, 0]})
    close = pd.DataFrame(
        {"qid": "q", "docno": ["a", "b"], "score": [1.0 + 1e-12, 1.0]}
    )  # one number in single precision
    twice = pd.DataFrame({"qid": "q", "docno": ["a", "b", "a"], "score": [3.0, 2.0, 1.0]})
    large = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "score": [2**60 + 1, 2**60]})

    for run in (close, twice, large):
        with collected():  # a warning of the document that is there twice
            values = DiversityEvaluator([P @ 1, Adhoc(P @ 1), RBP(rel=1)], qrels).values(run)
        assert values.tolist() == [[1.0], [1.0], [pytest.approx(0.2)]]


@pytest.mark.parametrize("dtype", ["object", "str", "string"])
@pytest.mark.parametrize("measure", [IA(nDCG @ 5), IA(AP), Sharp(IA(P @ 1)), P @ 1, RBU @ 5], ids=str)
@pytest.mark.parametrize("score", [[2.0, 1.0], [1.0, 1.0]], ids=["untied", "tied"])
def test_a_missing_document_is_refused_by_every_measure(measure, dtype, score):
    qrels = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "label": [1, 2], "iteration": ["x", "y"]})
    run = pd.DataFrame({"qid": "q", "docno": pd.Series(["a", None], dtype=dtype), "score": score})

    with pytest.raises(ValueError, match=r"^run: (row 1|a row of query 'q') has no docno\.$"):
        DiversityEvaluator([measure], qrels).values(run)
    with pytest.raises(ValueError, match=r"^Run mine: run: .* has no docno\.$"):
        evaluate_runs(qrels, {"mine": run}, [measure])


# Negative labels and what stands beside a measure

OF_NEGATIVES = [
    Bpref,
    Bpref(rel=2),
    infAP,
    AP(judged_only=True),
    P(judged_only=True) @ 2,
    RR(judged_only=True),
    nDCG(judged_only=True) @ 3,
    R(judged_only=True) @ 3,
    AP,
    nDCG @ 3,
    NumRet,
]
NEGATIVES = pd.DataFrame(
    [
        *(("p", doc, label) for doc, label in zip("abcdefg", [1, -2, 0, 2, -1, -2, 0], strict=True)),
        *(("q", doc, label) for doc, label in zip("abcdefg", [-2, -1, 1, 0, 0, 2, -2], strict=True)),
        *(("r", doc, label) for doc, label in zip("abc", [-2, -1, -1], strict=True)),
    ],
    columns=["query_id", "doc_id", "relevance"],
)
OF_NEGATIVES_RUN = run_of(*"xbgdfea", query="p") | run_of(*"gaxbcedf") | run_of(*"abc", query="r")


@pytest.mark.parametrize("lift", [Adhoc, IA], ids=["Adhoc", "IA"])
@pytest.mark.parametrize("measure", OF_NEGATIVES, ids=str)
@pytest.mark.parametrize("one_intent", [False, True])
def test_labels_below_0_mean_inside_a_wrapper_what_they_mean_outside(measure, lift, one_intent):
    qrels = NEGATIVES.assign(iteration="1") if one_intent else NEGATIVES

    bare, lifted = DiversityEvaluator([measure, lift(measure)], qrels).values(OF_NEGATIVES_RUN)

    # Query r has no relevant document, and so no intent.
    assert lifted[:2].tolist() == pytest.approx(bare[:2].tolist(), abs=1e-12)


@pytest.mark.parametrize("measure", [Bpref, AP(judged_only=True)], ids=str)
def test_the_highest_label_over_the_intents_may_be_below_0(measure):
    split = pd.concat([NEGATIVES.assign(iteration="1"), NEGATIVES.assign(iteration="2", relevance=-2)])

    lifted = DiversityEvaluator([Adhoc(measure)], split).values(OF_NEGATIVES_RUN)

    assert lifted.tolist() == DiversityEvaluator([Adhoc(measure)], NEGATIVES).values(OF_NEGATIVES_RUN).tolist()


@pytest.mark.parametrize("measure", [AP, nDCG @ 2, Bpref, P @ 1, infAP, RR], ids=str)
def test_a_query_whose_last_rows_are_all_below_0_does_not_crash_the_program_of_a_measure(measure):
    qrels = pd.DataFrame({"qid": "q", "docno": ["a", "a", "b"], "label": [0, -2, -1], "iteration": ["1", "2", "1"]})

    assert DiversityEvaluator([measure, Adhoc(measure)], qrels).values(run_of("a", "b")).tolist() == [[0], [0]]


def test_an_id_of_a_long_column_that_a_program_in_c_cannot_read_is_refused():
    docs = [f"d{i}" for i in range(3000)]
    qrels = pd.DataFrame({"qid": "q", "docno": docs[:5], "label": 1})
    run = pd.DataFrame({"qid": "q", "docno": [*docs, "a\0b"], "score": -np.arange(3001.0)})

    for measure in (P @ 5000, Adhoc(Bpref)):
        with pytest.raises(ValueError, match=r"run: the id 'a\\x00b' contains a character that other providers"):
            DiversityEvaluator([measure], qrels).values(run)
    assert DiversityEvaluator([Adhoc(P @ 5), Adhoc(AP)], qrels).values(run).tolist() == [[1.0], [1.0]]


JUDGED_ONLY = [RR(judged_only=True), nDCG(judged_only=True), P(judged_only=True) @ 2]


@pytest.mark.parametrize("lift", [Adhoc, IA, lambda measure: measure], ids=["Adhoc", "IA", "bare"])
@pytest.mark.parametrize("other", JUDGED_ONLY, ids=str)
def test_retrieved_documents_are_counted_beside_a_measure_of_judged_ones(other, lift):
    qrels = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "label": [1, 0]})
    run = run_of("x", "a", "y", "b")

    for measures in ([NumRet, other], [other, NumRet]):
        values = DiversityEvaluator([lift(measure) for measure in measures], qrels).values(run)
        assert values[measures.index(NumRet)].tolist() == [4]


@pytest.mark.parametrize("lift", [Adhoc, lambda measure: measure], ids=["lifted", "bare"])
def test_ndcg_keeps_its_gains_beside_others(lift):
    one_row = pd.DataFrame({"qid": "q", "docno": ["d1", "d2", "d3"], "label": [1, 2, 3]})
    ranking = run_of("d1", "d3", "d2")
    measures = [lift(nDCG(gains={1: worth}) @ 3) for worth in range(20, 30)]
    measures += [lift(nDCG @ 3), lift(P(rel=2) @ 3)]

    together = DiversityEvaluator(measures, one_row).values(ranking)

    alone = [DiversityEvaluator([measure], one_row).values(ranking)[0].tolist() for measure in measures]
    assert together.tolist() == alone
