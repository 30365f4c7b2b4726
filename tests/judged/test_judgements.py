"""Judgements: which documents are relevant to which intents, in every view."""

from __future__ import annotations

import pickle
import re
from math import log2

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity import (
    AP_IA,
    ERR,
    ERR_IA,
    IA,
    NRBP,
    P_IA,
    RBU,
    Adhoc,
    Sharp,
    StRecall,
    alpha_DCG,
    alpha_nDCG,
    nERR_IA,
    nNRBP,
)
from pyterrier_diversity.judged import Judgements, Memo, judge
from pyterrier_diversity.provider import DiversityProvider

MEASURES = [
    RBU,
    RBU(gain="linear", rel=2) @ 3,
    P_IA @ 3,
    P_IA(judged_only=True),
    AP_IA,
    StRecall(rel=2) @ 2,
    alpha_DCG @ 3,
    alpha_nDCG @ 3,
    alpha_nDCG(alpha=0.9),
    ERR_IA @ 3,
    nERR_IA,
    NRBP,
    nNRBP,
    ERR @ 3,
    IA(ir_measures.nDCG @ 3),
    IA(RBU),
    Adhoc(ir_measures.AP),
    Adhoc(nERR_IA @ 3),
    Sharp(ERR @ 3),
]


def judged(*rows: str, **columns: list) -> Judgements:
    """Judgements of the rows "qid iteration docno label"."""
    frame = pd.DataFrame([row.split() for row in rows], columns=["qid", "iteration", "docno", "label"])
    return judge(frame.astype({"label": float}).assign(**columns))


def table(judgements: Judgements) -> dict[tuple[str, str, str], float]:
    """The label of each query, intent and document."""
    documents, intents, labels = judgements.documents, judgements.intents, judgements.labels
    return {
        (judgements.query_ids[documents.query[doc]], intents.ids[intent], documents.ids[doc]): label
        for doc, intent, label in zip(labels.doc.tolist(), labels.intent.tolist(), labels.value.tolist(), strict=True)
    }


def weights(judgements: Judgements) -> dict[tuple[str, str], float]:
    """The weight of each query and intent."""
    queries = [judgements.query_ids[query] for query in judgements.intents.query]
    return dict(
        zip(zip(queries, judgements.intents.ids.tolist(), strict=True), judgements.weights.tolist(), strict=True)
    )


# Content


LABELLED = st.dictionaries(
    st.tuples(st.sampled_from(["1", "2", "10"]), st.sampled_from(["a", "b", "7"]), st.sampled_from("vwxyz")),
    st.sampled_from([-2, 0, 1, 1.5, 3]),
    min_size=1,
    max_size=25,
)


def frame_of(labels: dict[tuple[str, str, str], float]) -> pd.DataFrame:
    rows = [(*key, label) for key, label in labels.items()]
    return pd.DataFrame(rows, columns=["query_id", "iteration", "doc_id", "relevance"])


@settings(max_examples=60, deadline=None)
@given(labels=LABELLED)
def test_they_hold_the_labels_above_0_of_the_qrels(labels):
    result = judge(frame_of(labels))

    assert table(result) == {key: label for key, label in labels.items() if label > 0}
    assert list(result.query_ids) == sorted({query for query, _, _ in labels}, key=int)


@settings(max_examples=60, deadline=None)
@given(labels=LABELLED, rel=st.sampled_from([0.5, 1, 1.25, 2, 3, 4]))
def test_rel_is_the_smallest_relevant_label(labels, rel):
    result = judge(frame_of(labels)).view(rel=rel)

    assert table(result) == {key: label for key, label in labels.items() if label >= rel}


@settings(max_examples=60, deadline=None)
@given(labels=LABELLED)
def test_ad_hoc_labels_are_the_highest_over_the_intents(labels):
    result = judge(frame_of(labels)).view("ad hoc")

    highest: dict[tuple[str, str], float] = {}
    for (query, _, doc), label in labels.items():
        highest[query, doc] = max(highest.get((query, doc), -3), label)
    assert {(query, doc): label for (query, _, doc), label in table(result).items()} == {
        key: label for key, label in highest.items() if label > 0
    }
    rows = zip(result.rows.query.tolist(), result.rows.doc_ids.tolist(), result.rows.label.tolist(), strict=True)
    assert {(result.query_ids[query], doc): label for query, doc, label in rows} == highest


@settings(max_examples=60, deadline=None)
@given(labels=LABELLED)
def test_each_intent_is_a_query_with_its_own_rows(labels):
    judgements = judge(frame_of(labels))

    result = judgements.view("each intent")

    satisfiable = {key[:2] for key, label in labels.items() if label > 0}
    of = [
        (judgements.query_ids[base], intent) for base, intent in zip(result.base_query, result.intents.ids, strict=True)
    ]
    assert sorted(of) == sorted(satisfiable)
    rows = zip(result.rows.query.tolist(), result.rows.doc_ids.tolist(), result.rows.label.tolist(), strict=True)
    assert {(*of[query], doc): label for query, doc, label in rows} == {
        key: label for key, label in labels.items() if key[:2] in satisfiable
    }


def test_weights_have_sum_1_over_the_intents_with_a_relevant_document():
    result = judged("q a d1 1", "q b d1 1", "q c d1 0", "p a d1 2", weight=[1, 3, 4, 5])

    assert weights(result) == {("q", "a"): 0.25, ("q", "b"): 0.75, ("p", "a"): 1}


def test_weights_are_uniform_if_there_are_none():
    assert weights(judged("q a d1 1", "q b d1 1", "q c d2 1", "q d d2 0")) == {("q", t): 1 / 3 for t in "abc"}


def test_weights_have_sum_1_over_the_intents_that_reach_rel():
    result = judged("q a d1 1", "q b d1 2", "q c d1 3", weight=[2, 1, 1]).view(rel=2)

    assert weights(result) == {("q", "b"): 0.5, ("q", "c"): 0.5}


def test_the_weight_of_all_intents_named_is_known():
    result = judged("q a d1 1", "q a d2 0", "q b d1 0", "q c d1 0", weight=[1, 1, 3, 0])

    assert np.bincount(result.named.query, result.named.weight).tolist() == [4]
    assert result.named.weight.tolist() == [1, 3, 0]


def test_judged_documents_are_those_of_all_rows_with_weight():
    result = judged("q a d1 1", "q a d2 0", "q b d3 -1", "q c d4 1", "p a d5 1", weight=[1, 1, 1, 0, 1])

    assert dict(zip(result.query_ids, result.judged_docs, strict=True)) == {"q": {"d1", "d2", "d3"}, "p": {"d5"}}


def test_ad_hoc_judged_documents_are_those_of_all_intents_in_any_number_of_queries():
    rows = [f"{query} {intent} {doc} 1" for query in "opqrs" for intent in "ab" for doc in ("d1", "d2")]

    assert judged(*rows).view("ad hoc").judged_docs == [{"d1", "d2"}] * 5


def test_the_largest_label_is_that_of_the_query_and_the_intent():
    result = judged("q a d1 1", "q a d2 2", "q b d1 3", "p a d1 4")

    largest = zip(result.intents.query.tolist(), result.intents.ids, result.intents.max_label.tolist(), strict=True)
    assert {(result.query_ids[q], t): label for q, t, label in largest} == {("q", "a"): 2, ("q", "b"): 3, ("p", "a"): 4}


def test_the_largest_ad_hoc_label_is_that_of_the_query():
    result = judged("q a d1 1", "q a d2 2", "q b d1 3", "p a d1 4").view("ad hoc")

    assert dict(zip(result.query_ids, result.intents.max_label, strict=True)) == {"q": 3, "p": 4}


def test_labels_up_to_max_rel_are_fine():
    judged("q a d1 1", "q b d2 3").check_labels(3, "RBU")


@pytest.mark.parametrize("view", ["intents", "ad hoc", "each intent"])
def test_a_label_above_max_rel_is_refused_with_query_label_and_document(view):
    with pytest.raises(ValueError, match=r"RBU@5: labels may be at most 2\.5, but query 'q' has 3 for document 'd2'"):
        judged("p a d1 1", "q a d1 1", "q b d2 3").view(view).check_labels(2.5, "RBU@5")


@pytest.mark.parametrize("view", ["intents", "ad hoc", "each intent"])
def test_a_label_that_is_not_listed_is_refused_with_query_label_and_document(view):
    of_view = judged("p a d1 1", "q a d1 1", "q b d2 3", "q b d3 -1").view(view)

    of_view.check_labels(None, "RBU@5", {1: 0.1, 3: 1})
    sentence = "RBU@5: labels must be in the table gain (1, 2.5), but query 'q' has 3 for document 'd2'."
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        of_view.check_labels(None, "RBU@5", {1: 0.1, 2.5: 1})


# Documents that tie in an ideal ranking: the highest name first


@pytest.mark.parametrize(("names", "ideal"), [("312", [2, 2]), ("132", [2, 1.5]), ("abc", [2, 2])])
def test_ideal_rankings_break_ties_by_the_highest_docno(names, ideal):
    # Intents 1 to 4; the middle document shares one with each of the others. Taken first, it spoils both.
    left, middle, right = names
    frame = pd.DataFrame(
        [("q", t, doc, 1) for doc, of_doc in ((left, "12"), (middle, "23"), (right, "34")) for t in of_doc],
        columns=["qid", "iteration", "docno", "label"],
    )
    run = {"q": {left: 2, right: 1}}

    result = ir_measures.calc_aggregate([alpha_nDCG @ 2], frame, run)[alpha_nDCG @ 2]

    assert result == pytest.approx((2 + 2 / log2(3)) / (ideal[0] + ideal[1] / log2(3)), abs=1e-12)


# A query stands alone


def collection(seed: int, n_queries: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Qrels and a run of queries with very different numbers of intents and documents."""
    rng = np.random.default_rng(seed)
    rows: list[tuple] = []
    retrieved: list[tuple] = []
    for query in range(n_queries):
        docs = [f"d{i}" for i in range(rng.integers(1, 16))]
        rows.append((query, 0, "best", 2, 1))
        for intent in range(rng.integers(1, 7)):
            rows += [(query, intent, doc, rng.integers(-1, 4), 1 + intent % 3) for doc in docs if rng.random() < 0.6]
        retrieved += [(query, doc, rng.integers(0, 5)) for doc in [*docs, "best", "x"] if rng.random() < 0.7]
    return (
        pd.DataFrame(rows, columns=["query_id", "iteration", "doc_id", "relevance", "weight"]),
        pd.DataFrame(retrieved, columns=["query_id", "doc_id", "score"]),
    )


def by_query(measures: list, judgements: pd.DataFrame, run: pd.DataFrame) -> dict[tuple[str, str], float]:
    metrics = DiversityProvider().evaluator(measures, judgements).iter_calc(run)
    return {(str(metric.measure), metric.query_id): metric.value for metric in metrics}


QRELS, RUN = collection(seed=5, n_queries=12)


@pytest.fixture(scope="module")
def of_all() -> dict[tuple[str, str], float]:
    """Values of all measures for all queries at once."""
    return by_query(MEASURES, QRELS, RUN)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_a_query_has_the_same_value_alone(measure, of_all):
    for query in QRELS.query_id.unique():
        alone = by_query([measure], QRELS[QRELS.query_id == query], RUN[RUN.query_id == query])

        assert alone == pytest.approx({(str(measure), str(query)): of_all[str(measure), str(query)]}, abs=1e-12)


@pytest.mark.filterwarnings("ignore:No query of the run")
@pytest.mark.parametrize("measure", MEASURES, ids=str)
@settings(max_examples=5, deadline=None)
@given(queries=st.sets(st.integers(0, 11), min_size=1, max_size=11))
def test_a_query_has_the_same_value_among_any_others(measure, of_all, queries):
    some = by_query([measure], QRELS[QRELS.query_id.isin(queries)], RUN)

    expected = {(str(measure), str(query)): of_all[str(measure), str(query)] for query in queries}
    assert some == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_five_intents_more_for_other_queries_change_nothing(measure, of_all):
    others = [(query, f"new {t}", f"e{t}", 3, 9) for query in (3, 4, 7) for t in range(5)]
    more = pd.concat([QRELS, pd.DataFrame(others, columns=QRELS.columns)], ignore_index=True)

    result = by_query([measure], more, RUN)

    kept = {key: value for key, value in result.items() if key[1] not in ("3", "4", "7")}
    assert len(kept) == 9
    assert kept == pytest.approx({key: of_all[key] for key in kept}, abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_queries_without_relevant_documents_are_no_trouble(measure):
    frame = pd.DataFrame({"query_id": ["p", "q"], "iteration": ["a", "a"], "doc_id": ["d", "d"], "relevance": [0, -1]})
    run = {"p": {"d": 2.0, "e": 1.0}}

    result = by_query([measure], frame, run)

    # Two documents for nothing, which only RBU minds; IA has no intent to average over.
    effort = {"RBU": -0.001 * (0.99 + 0.99**2), "RBU(gain='linear',rel=2.0)@3": -0.001 * (0.99 + 0.99**2)}
    assert list(result.values()) == pytest.approx([effort.get(str(measure), 0), 0], abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_many_queries_without_relevant_documents_are_no_trouble(measure, of_all):
    hopeless = pd.DataFrame(
        [(f"z{i}", 0, "d", 0, 1) for i in range(61)], columns=["query_id", "iteration", "doc_id", "relevance", "weight"]
    )
    more = pd.concat([QRELS, hopeless], ignore_index=True)

    result = by_query([measure], more, RUN)

    assert {key: result[key] for key in result if key in of_all} == pytest.approx(
        {key: value for key, value in of_all.items() if key[0] == str(measure)}, abs=1e-12
    )
    assert [value for key, value in result.items() if key not in of_all] == [0] * 61


# Cache


def test_a_memo_computes_each_key_once():
    memo = Memo()

    assert [memo("a", lambda: 1), memo("a", lambda: 2), memo("b", lambda: 3), memo("a", lambda: 4)] == [1, 1, 3, 1]


def test_a_cached_value_may_be_none():
    memo, asked = Memo(), []

    memo("a", lambda: asked.append(1))
    memo("a", lambda: asked.append(2))

    assert asked == [1]


def test_a_copy_of_a_memo_in_another_process_forgets():
    memo = Memo()
    memo("a", lambda: 1)

    assert pickle.loads(pickle.dumps(memo))("a", lambda: 2) == 2


@pytest.mark.parametrize("view", ["intents", "ad hoc", "each intent"])
@pytest.mark.parametrize("rel", [None, 2])
def test_a_view_is_made_once(view, rel):
    result = judged("q a d1 1", "q b d1 2", "p a d1 2")

    assert result.view(view, rel) is result.view(view, rel)


def test_a_view_may_have_both_a_kind_and_a_smallest_label():
    result = judged("q a d1 1", "q b d1 2", "q b d2 3", "p a d1 2").view("each intent", rel=2)

    assert [*result.query_ids] == ["p", "q"]
    assert table(result) == {("p", "a", "d1"): 2, ("q", "b", "d1"): 2, ("q", "b", "d2"): 3}
    assert result.weights.tolist() == [1, 1]


def test_a_copy_in_another_process_holds_the_same():
    result = judged("q a d1 1", "q b d1 2", "p a d1 2", weight=[1, 3, 1])

    copy = pickle.loads(pickle.dumps(result))

    assert [table(copy), weights(copy)] == [table(result), weights(result)]


# Counts


def test_intents_and_documents_are_counted():
    result = judged("q a d1 1", "q b d1 2", "q b d2 2", "q c d3 0", "p a d1 0", "r a d1 1")

    assert [*result.query_ids] == ["p", "q", "r"]
    assert result.n_intents.tolist() == [0, 2, 1]
    assert result.n_relevant_docs.tolist() == [0, 2, 1]
    assert result.n_relevant.tolist() == [1, 2, 1]
    assert result.largest_label == 2


def test_nothing_is_counted_where_there_are_no_rows():
    result = judge(pd.DataFrame(columns=["qid", "docno", "label"]))

    assert len(result) == 0
    assert [*result.n_intents, *result.n_relevant_docs, *result.n_relevant] == []
    assert result.largest_label == 0


def test_values_of_intents_are_averaged_by_their_weights():
    result = judged("q a d1 1", "q b d1 2", "p a d1 0", weight=[1, 3, 1])

    assert result.mean_over_intents(np.array([4.0, 8.0])).tolist() == [0, 7]


def test_documents_are_sorted_by_query_and_descending_name():
    result = judged("q a d2 1", "q a d10 1", "q b D 1", "p a d1 1", "q a é 1")

    names = list(zip(result.documents.query.tolist(), result.documents.ids.tolist(), strict=True))
    assert names == [(0, "d1"), (1, "é"), (1, "d2"), (1, "d10"), (1, "D")]


def test_labels_are_sorted_by_intent_and_document():
    result = judged("q b d1 1", "q a d2 2", "q a d1 3", "p c d9 1")

    assert list(table(result)) == [("p", "c", "d9"), ("q", "a", "d2"), ("q", "a", "d1"), ("q", "b", "d1")]
