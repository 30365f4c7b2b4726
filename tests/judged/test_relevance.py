"""The relevant documents of one query after the other."""

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from by_hand import qrels
from pyterrier_diversity.judged import judge, relevance_by_query


def test_each_query_has_its_documents_by_descending_name_and_its_intents():
    judgements = judge(qrels("q a d1 1", "q b d3 2", "q a d3 1", "q c d2 0", "p x d9 1"))

    first, second = relevance_by_query(judgements)

    assert [first.query_id, second.query_id] == ["p", "q"]
    assert [first.docs.tolist(), second.docs.tolist()] == [["d9"], ["d3", "d1"]]
    assert [first.intents.tolist(), second.intents.tolist()] == [["x"], ["a", "b"]]
    assert judgements.documents.ids[second.documents].tolist() == ["d3", "d1"]


def test_labels_say_which_document_is_relevant_to_which_intent():
    (query,) = relevance_by_query(judge(qrels("q a d1 1", "q b d3 2", "q a d3 1")))

    assert list(zip(query.doc.tolist(), query.intent.tolist(), strict=True)) == [(0, 0), (0, 1), (1, 0)]
    assert query.matrix.tolist() == [[True, True], [True, False]]


def test_a_query_without_relevant_documents_has_neither_documents_nor_intents():
    first, _ = relevance_by_query(judge(qrels("p a d1 0", "q a d1 1")))

    assert first.query_id == "p"
    assert [len(values) for values in first[1:]] == [0] * 5
    assert first.matrix.shape == (0, 0)


def test_a_smallest_relevant_label_leaves_intents_and_documents_out():
    (query,) = relevance_by_query(judge(qrels("q a d1 1", "q b d3 2", "q a d3 1")).view(rel=2))

    assert [query.docs.tolist(), query.intents.tolist(), query.matrix.tolist()] == [["d3"], ["b"], [[True]]]


def test_without_queries_there_is_nothing():
    assert relevance_by_query(judge(pd.DataFrame(columns=["qid", "docno", "label"]))) == []


@settings(max_examples=30, deadline=None)
@given(
    labels=st.dictionaries(
        st.tuples(st.sampled_from("pqr"), st.sampled_from("abc"), st.sampled_from("vwxyz")),
        st.sampled_from([-1, 0, 1, 2]),
        min_size=1,
    )
)
def test_the_matrix_holds_the_labels_above_0(labels):
    frame = pd.DataFrame(
        [(*key, label) for key, label in labels.items()], columns=["qid", "iteration", "docno", "label"]
    )

    found = {
        (query.query_id, query.intents[t], query.docs[doc])
        for query in relevance_by_query(judge(frame))
        for doc, row in enumerate(query.matrix.tolist())
        for t, relevant in enumerate(row)
        if relevant
    }

    assert found == {key for key, label in labels.items() if label > 0}
