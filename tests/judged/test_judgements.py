"""Judgements: which documents are relevant to which intents, in every view."""

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
    alpha_nDCG,
)
from pyterrier_diversity.judged import Judgements, Memo, judge


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


def test_the_largest_label_is_that_of_the_query_and_the_intent():
    result = judged("q a d1 1", "q a d2 2", "q b d1 3", "p a d1 4")

    largest = zip(result.intents.query.tolist(), result.intents.ids, result.max_label.tolist(), strict=True)
    assert {(result.query_ids[q], t): label for q, t, label in largest} == {("q", "a"): 2, ("q", "b"): 3, ("p", "a"): 4}


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


def test_nothing_is_counted_where_there_are_no_rows():
    result = judge(pd.DataFrame(columns=["qid", "docno", "label"]))

    assert len(result) == 0
    assert [*result.n_intents, *result.n_relevant_docs, *result.n_relevant] == []


def test_values_of_intents_are_averaged_by_their_weights():
    result = judged("q a d1 1", "q b d1 2", "p a d1 0", weight=[1, 3, 1])

    assert result.mean_over_intents(np.array([4.0, 8.0])).tolist() == [0, 7]


def test_documents_are_sorted_by_query_and_descending_name():
    result = judged("q a d2 1", "q a d10 1", "q b D 1", "p a d1 1", "q a é 1")

    names = list(zip(result.documents.query.tolist(), result.documents.ids.tolist(), strict=True))
    assert names == [(0, "d1"), (1, "é"), (1, "d2"), (1, "d10"), (1, "D")]
