import math

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_diversity.transformers import BM25
from pyterrier_diversity.transformers.lexical import words

DOCUMENTS = [
    {"docno": "d1", "text": "The jaguar is a cat."},
    {"docno": "d2", "title": "Jaguar", "text": "Jaguar cars: old cars, new cars."},
    {"docno": "d3", "text": "A cat and another cat"},
    {"docno": "d4", "title": None, "text": ""},
    {"docno": "d10", "text": "The jaguar is a cat."},
]


def topics(**queries: str) -> pd.DataFrame:
    return pd.DataFrame({"qid": list(queries), "query": list(queries.values())})


def bm25(query: str, doc: list[str], docs: list[list[str]], k1: float, b: float) -> float:
    """Return Lucene's BM25: the formula of Kamphuis et al. (2020), Table 1, "Lucene (accurate)"."""
    mean_length = sum(map(len, docs)) / len(docs)
    score = 0.0
    for word in set(words(query)):
        n = sum(word in other for other in docs)
        frequency = doc.count(word)
        idf = math.log(1 + (len(docs) - n + 0.5) / (n + 0.5))
        if frequency:
            score += idf * frequency / (frequency + k1 * (1 - b + b * len(doc) / mean_length))
    return score


def test_words_are_lower_case_runs_of_letters_and_digits_without_a_plural_s():
    expected = ["the", "cat", "9", "live", "naïve", "übermut", "s", "s", "x86"]

    assert words("The CATS' 9-lives, naïve_Übermut: s ss x86") == expected
    assert words("... !") == []


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0, 0), (0.9, 1), (2.0, 0.4)])
@pytest.mark.parametrize("query", ["jaguar", "jaguar cat", "new cars of the jaguar", "cat cat cats", "dog", ""])
def test_scores_are_bm25_by_the_formula(k1, b, query):
    texts = {doc["docno"]: words(f"{doc.get('title') or ''} {doc['text']}") for doc in DOCUMENTS}
    expected = {docno: bm25(query, text, list(texts.values()), k1, b) for docno, text in texts.items()}
    scorer = BM25(DOCUMENTS, k1=k1, b=b)

    scored = scorer(pd.DataFrame({"qid": "q", "query": query, "docno": list(texts)}))

    assert dict(zip(scored["docno"], scored["score"], strict=True)) == pytest.approx(expected, abs=1e-12)
    retrieved = scorer(topics(q=query))
    positive = {docno: score for docno, score in expected.items() if score > 0}
    assert dict(zip(retrieved["docno"], retrieved["score"], strict=True)) == pytest.approx(positive, abs=1e-12)


def test_documents_are_retrieved_query_by_query_best_first():
    retrieved = BM25(DOCUMENTS)(topics(q2="old car", q1="cat", q3="dog").assign(extra=[1, 2, 3]))

    assert retrieved.columns.tolist() == ["qid", "query", "extra", "docno", "score", "rank"]
    assert retrieved["qid"].tolist() == ["q2", "q1", "q1", "q1"]
    assert retrieved["docno"].tolist() == ["d2", "d3", "d10", "d1"]
    assert retrieved["rank"].tolist() == [0, 0, 1, 2]
    assert retrieved["extra"].tolist() == [1, 2, 2, 2]
    assert retrieved["score"].dtype == np.float64


def test_documents_of_the_same_score_come_in_descending_order_of_their_names():
    scorer = BM25(DOCUMENTS)
    results = pd.DataFrame({"qid": "q", "query": "jaguar", "docno": ["d4", "d10", "d3", "d1"]})

    assert scorer.search("the")["docno"].tolist() == ["d10", "d1"]
    assert (scorer % 1).search("the")["docno"].tolist() == ["d10"]
    assert scorer(results)["docno"].tolist() == ["d10", "d1", "d4", "d3"]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 1000])
def test_as_many_documents_are_retrieved_as_are_asked_for(n):
    everything = BM25(DOCUMENTS)(topics(p="jaguar cats", q="cars"))

    some = BM25(DOCUMENTS, num_results=n)(topics(p="jaguar cats", q="cars"))

    pd.testing.assert_frame_equal(some, everything.groupby("qid").head(n).reset_index(drop=True))


def test_results_that_come_in_are_scored_anew_and_keep_their_columns():
    results = pd.DataFrame(
        [("p", "cat", "d2", 9.0, "x"), ("q", "car", "d1", 8.0, "y"), ("p", "cat", "d3", 7.0, "z")],
        columns=["qid", "query", "docno", "score", "extra"],
    ).assign(rank=5)
    before = results.copy()

    scored = BM25(DOCUMENTS)(results)

    assert scored["docno"].tolist() == ["d3", "d2", "d1"]
    assert scored["extra"].tolist() == ["z", "x", "y"]
    assert scored["rank"].tolist() == [0, 1, 0]
    assert scored["score"].tolist()[1:] == [0, 0]
    assert scored["score"].tolist()[0] > 0
    pd.testing.assert_frame_equal(results, before)


def test_queries_of_one_qid_may_differ_from_row_to_row():
    results = pd.DataFrame({"qid": "q", "query": ["cat", "car", "cat"], "docno": ["d3", "d2", "d1"]})
    scorer = BM25(DOCUMENTS)

    scored = scorer(results).set_index("docno")["score"]

    for query, docno in (("cat", "d3"), ("car", "d2"), ("cat", "d1")):
        alone = scorer.search(query).set_index("docno")["score"]
        assert scored[docno] == alone[docno]


def test_nothing_found_and_nothing_asked_are_empty_frames_with_all_columns():
    scorer = BM25(DOCUMENTS)
    columns = ["qid", "query", "docno", "score", "rank"]

    assert scorer(topics(q="dog", p="")).columns.tolist() == columns
    assert scorer(topics(q="dog", p="")).empty
    assert scorer(topics(q="cat").head(0)).columns.tolist() == columns
    empty = scorer(scorer(topics(q="cat")).head(0))
    assert empty.columns.tolist() == columns
    assert empty.empty


def test_names_that_are_numbers_are_read_as_strings():
    scorer = BM25([{"docno": 9, "text": "cat"}, {"docno": 10, "text": "cat"}])

    assert scorer(topics(q="cat"))["docno"].tolist() == ["9", "10"]
    scored = scorer(pd.DataFrame({"qid": [1, 1], "query": "cat", "docno": [10, 9]}))
    assert scored["docno"].tolist() == [9, 10]
    assert len(set(scored["score"])) == 1


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([{"docno": "d1"}], r"a document has no text: {'docno': 'd1'}"),
        ([{"text": "cat"}], r"a document has no docno: {'text': 'cat'}"),
        ([{"docno": None, "text": "cat"}], "a document has no docno"),
        (
            [{"docno": "d1", "text": "cat"}, {"docno": "d1", "text": "car"}],
            "documents must have each docno once, but have 'd1' twice",
        ),
        (
            [{"docno": 1, "text": "cat"}, {"docno": "1", "text": "car"}],
            "documents must have each docno once, but have '1' twice",
        ),
        ([{"docno": "d1", "text": "..."}], "documents must have at least one word"),
        ([], "documents must have at least one word"),
    ],
)
def test_documents_that_cannot_be_indexed_are_refused(documents, message):
    with pytest.raises(ValueError, match=f"^BM25: {message}"):
        BM25(documents)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"docno": ["d1", "d9"]}, "the results contain document 'd9', which is not in the index"),
        ({"docno": ["d1", "d1"]}, "docno must appear once in a query, but query 'q' has 'd1'"),
        ({"docno": ["d1", None]}, "row 1 has no docno"),
        ({"query": ["cat", None]}, "row 1 has no query"),
    ],
)
def test_results_that_cannot_be_scored_are_refused(columns, message):
    results = pd.DataFrame({"qid": "q", "query": "cat", "docno": ["d1", "d2"]}).assign(**columns)

    with pytest.raises(ValueError, match=f"^BM25: {message}"):
        BM25(DOCUMENTS)(results)


def test_inspection_finds_the_arguments_which_cannot_be_set_later():
    scorer = BM25(iter(DOCUMENTS), k1=0.9)

    attributes = {one.name: one.value for one in pt.inspect.transformer_attributes(scorer)}

    assert attributes == {"documents": DOCUMENTS, "num_results": 1000, "k1": 0.9, "b": 0.75}
    assert pt.inspect.transformer_apply_attributes(scorer, b=0.1).scores("jaguar").tolist() == (
        BM25(DOCUMENTS, k1=0.9, b=0.1).scores("jaguar").tolist()
    )
    with pytest.raises(AttributeError, match=r"^BM25: k1 cannot be changed; make another BM25\.$"):
        scorer.set_parameter("k1", 2.0)


@pytest.mark.parametrize(("documents", "kind"), [("demo", "str"), (["text"], "str"), (7, "int"), (DOCUMENTS[0], "str")])
def test_documents_that_are_no_corpus_are_refused(documents, kind):
    with pytest.raises(TypeError, match=rf"^BM25: documents must be dicts with docno and text, .*, not {kind}\.$"):
        BM25(documents)
