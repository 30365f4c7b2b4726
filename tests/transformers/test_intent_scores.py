import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity.transformers import BM25, OnSubtopics, oracle_intent_scores
from pyterrier_diversity.transformers.intent_scores import read_intent_scores
from pyterrier_diversity.transformers.steps import candidates

DOCUMENTS = [
    {"docno": "d1", "text": "The big cat."},
    {"docno": "d2", "text": "An old car."},
    {"docno": "d3", "text": "A cat in a car."},
]
SUBTOPICS = pd.DataFrame(
    [("q", "1", "jaguar cat", 3.0), ("q", "2", "jaguar car", 1.0), ("p", "1", "old", 1.0)],
    columns=["qid", "iteration", "query", "weight"],
)
TOPICS = pd.DataFrame({"qid": ["q", "p", "z"], "query": ["jaguar", "old", "nothing"]})
RESULTS = pd.DataFrame(
    [("q", "jaguar", "d3", 5.0, "three"), ("q", "jaguar", "d2", 4.0, "two"), ("p", "old", "d1", 3.0, "one")],
    columns=["qid", "query", "docno", "score", "extra"],
)
QRELS = pd.DataFrame(
    [
        ("q", "d1", 2, "x", 3.0),
        ("q", "d2", 1, "x", 3.0),
        ("q", "d2", 4, "y", 1.0),
        ("q", "d3", -2, "y", 1.0),
        ("q", "d3", 0, "z", 1.0),
        ("p", "d1", 1, "x", 5.0),
    ],
    columns=["qid", "docno", "label", "iteration", "weight"],
)


def keys(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    return list(frame[["qid", "iteration", "docno"]].itertuples(index=False, name=None))


def spy(seen: list[pd.DataFrame]) -> pt.Transformer:
    """A re-ranker that notes what it is given, and scores by row."""

    def score(frame: pd.DataFrame) -> pd.DataFrame:
        seen.append(frame.copy())
        return frame.assign(score=np.arange(len(frame), dtype=float), rank=0)

    return pt.apply.generic(score)


class TestOnSubtopics:
    def test_the_pipeline_is_asked_for_each_subtopic_of_the_queries_that_come_in(self):
        scorer = BM25(DOCUMENTS)

        found = OnSubtopics(scorer, SUBTOPICS)(TOPICS)

        assert found.columns.tolist() == ["qid", "iteration", "docno", "score", "weight"]
        assert keys(found) == [("q", "1", "d1"), ("q", "1", "d3"), ("q", "2", "d2"), ("q", "2", "d3"), ("p", "1", "d2")]
        assert found["weight"].tolist() == [0.75, 0.75, 0.25, 0.25, 1]
        assert found["score"].tolist()[:2] == scorer.search("jaguar cat")["score"].tolist()

    def test_queries_that_do_not_come_in_are_not_asked_for(self):
        seen = []
        retrieve = pt.apply.generic(lambda frame: seen.append(frame) or frame.assign(docno="d", score=1.0, rank=0))

        found = OnSubtopics(retrieve, SUBTOPICS)(TOPICS[TOPICS["qid"] == "p"])

        assert [frame.to_dict("list") for frame in seen] == [{"qid": ["p.1"], "query": ["old"]}]
        assert keys(found) == [("p", "1", "d")]

    def test_results_are_scored_anew_for_each_subtopic_with_all_their_columns(self):
        seen = []

        found = OnSubtopics(spy(seen), SUBTOPICS, rescore=True)(RESULTS)

        (given_,) = seen
        assert given_.columns.tolist()[:2] == ["qid", "query"]
        assert given_[["qid", "query", "docno", "extra"]].to_numpy().tolist() == [
            ["q.1", "jaguar cat", "d3", "three"],
            ["q.1", "jaguar cat", "d2", "two"],
            ["q.2", "jaguar car", "d3", "three"],
            ["q.2", "jaguar car", "d2", "two"],
            ["p.1", "old", "d1", "one"],
        ]
        assert "score" not in given_
        assert keys(found) == [("q", "1", "d3"), ("q", "1", "d2"), ("q", "2", "d3"), ("q", "2", "d2"), ("p", "1", "d1")]
        assert found["score"].tolist() == [0, 1, 2, 3, 4]

    def test_other_columns_of_the_results_do_not_get_in_the_way(self):
        rescoring = OnSubtopics(BM25(DOCUMENTS), SUBTOPICS, rescore=True)

        more = rescoring(RESULTS.assign(name="a", title="b", weight=7.0))

        pd.testing.assert_frame_equal(more, rescoring(RESULTS))

    def test_other_columns_of_the_subtopics_do_not_get_in_the_way(self):
        scorer = BM25(DOCUMENTS)
        more = SUBTOPICS.assign(docno="d9", score=9.0, intent_type="nav")

        pd.testing.assert_frame_equal(OnSubtopics(scorer, more)(TOPICS), OnSubtopics(scorer, SUBTOPICS)(TOPICS))
        uniform = OnSubtopics(scorer, SUBTOPICS.drop(columns="weight"))(TOPICS)
        assert uniform["weight"].tolist() == [0.5, 0.5, 0.5, 0.5, 1]

    def test_subtopics_without_documents_keep_their_share(self):
        more = pd.concat([SUBTOPICS, pd.DataFrame([("q", "3", "zebra", 4.0)], columns=SUBTOPICS.columns)])

        found = OnSubtopics(BM25(DOCUMENTS), more)(TOPICS)

        of_query = found[found["qid"] == "q"].drop_duplicates("iteration")
        assert of_query["iteration"].tolist() == ["1", "2"]
        assert of_query["weight"].tolist() == [0.375, 0.125]

    def test_negative_weights_are_refused(self):
        with pytest.raises(
            ValueError, match=r"^OnSubtopics: subtopics: weight must not be negative, but query 'q' has"
        ):
            OnSubtopics(BM25(DOCUMENTS), SUBTOPICS.assign(weight=-1.0))

    def test_nothing_in_and_nothing_known_are_empty_frames(self):
        on_subtopics = OnSubtopics(BM25(DOCUMENTS), SUBTOPICS)

        for frame in (TOPICS.head(0), TOPICS[TOPICS["qid"] == "z"]):
            assert on_subtopics(frame).empty
            assert on_subtopics(frame).columns.tolist() == ["qid", "iteration", "docno", "score", "weight"]

    def test_numbers_as_names_are_read_as_strings(self):
        numbered = SUBTOPICS.replace({"qid": {"q": "7", "p": "8"}}).astype({"qid": int, "iteration": int})
        topics = TOPICS.head(2).replace({"qid": {"q": "7", "p": "8"}})

        found = OnSubtopics(BM25(DOCUMENTS), numbered)(topics.astype({"qid": int}))

        assert keys(found)[0] == ("7", "1", "d1")
        assert len(found) == 5

    @pytest.mark.parametrize("column", ["qid", "iteration", "query"])
    def test_subtopics_need_their_columns(self, column):
        with pytest.raises(ValueError, match=f"^OnSubtopics: subtopics: missing column {column}; found: "):
            OnSubtopics(BM25(DOCUMENTS), SUBTOPICS.drop(columns=column))
        with pytest.raises(TypeError, match=r"^OnSubtopics: subtopics must be a frame, not BM25\. dataset"):
            OnSubtopics(SUBTOPICS, BM25(DOCUMENTS))

    def test_a_subtopic_that_is_there_twice_is_refused(self):
        with pytest.raises(
            ValueError,
            match=r"^OnSubtopics: subtopics must have each row once, but have q\.1 \(qid\.iteration\) twice\.$",
        ):
            OnSubtopics(BM25(DOCUMENTS), pd.concat([SUBTOPICS, SUBTOPICS.head(1)]))

    @pytest.mark.parametrize(
        ("pipeline", "message"),
        [
            (lambda frame: frame.assign(docno="d1"), "returned no column score"),
            (lambda frame: frame, "returned no column docno, score"),
            (lambda frame: frame.assign(qid="q.9", docno="d1", score=1.0), "returned results for other queries"),
            (
                lambda frame: frame.assign(qid=[*frame["qid"][1:], "q.9"], docno="d1", score=1.0),
                "returned results for other queries",
            ),
        ],
    )
    def test_a_pipeline_that_does_not_answer_is_refused(self, pipeline, message):
        with pytest.raises(ValueError, match=f"^OnSubtopics: the pipeline .* {message}"):
            OnSubtopics(pt.apply.generic(pipeline), SUBTOPICS)(TOPICS)


def scores_of(frame: pd.DataFrame) -> dict[tuple[str, ...], float]:
    return dict(zip(keys(frame), frame["score"], strict=True))


class TestOracle:
    def test_scores_are_probabilities_of_relevance(self):
        # (2^g - 1) / 2^m, m being the largest label of the intent: x of q 2, y 4, x of p 1.
        oracle = oracle_intent_scores(QRELS)

        assert oracle.columns.tolist() == ["qid", "iteration", "docno", "score", "weight"]
        assert scores_of(oracle) == {
            ("q", "x", "d1"): 3 / 4,
            ("q", "x", "d2"): 1 / 4,
            ("q", "y", "d2"): 15 / 16,
            ("p", "x", "d1"): 1 / 2,
        }
        assert dict(zip(keys(oracle), oracle["weight"], strict=True)) == {
            ("q", "x", "d1"): 3,
            ("q", "x", "d2"): 3,
            ("q", "y", "d2"): 1,
            ("p", "x", "d1"): 5,
        }

    def test_without_relevant_documents_there_are_no_scores(self):
        oracle = oracle_intent_scores(QRELS.assign(label=0))

        assert oracle.empty
        assert oracle.columns.tolist() == ["qid", "iteration", "docno", "score", "weight"]


INTENTS = pd.DataFrame(
    [("q", "10", "a", 0.5), ("q", "9", "b", 0.25), ("q", "x", "a", 1.0), ("p", "9", "c", 0.1)],
    columns=["qid", "iteration", "docno", "score"],
)
QUERIES = candidates(
    pd.DataFrame({"qid": ["q", "q", "z", "p"], "docno": ["a", "b", "a", "c"], "score": [1.0, 2.0, 1.0, 1.0]}), "test"
)


def test_intent_scores_are_laid_out_documents_by_intents_with_numbers_first():
    (q, weights), (z, none), (p, _) = read_intent_scores(INTENTS, QUERIES, "test")

    # Documents b, a in ranking order; intents 9, 10, x.
    np.testing.assert_array_equal(q, [[0.25, np.nan, np.nan], [np.nan, 0.5, 1]])
    assert weights.tolist() == [1 / 3] * 3
    assert z.shape == (1, 0)
    assert none.tolist() == []
    assert p.tolist() == [[0.1]]


def test_weights_of_intents_are_shares_and_intents_of_weight_0_do_not_count():
    (q, of_q), _, (_, of_p) = read_intent_scores(INTENTS.assign(weight=[6.0, 0.0, 2.0, 5.0]), QUERIES, "test")

    np.testing.assert_array_equal(q, [[np.nan, np.nan], [0.5, 1]])
    assert of_q.tolist() == [0.75, 0.25]
    assert of_p.tolist() == [1]


@pytest.fixture(scope="module")
def in_order():
    return read_intent_scores(INTENTS, QUERIES, "test")


@settings(max_examples=20, deadline=None)
@given(rng=st.randoms(use_true_random=False), others=st.booleans())
def test_neither_the_order_of_rows_nor_other_queries_and_documents_matter(in_order, rng, others):
    rows = list(range(len(INTENTS)))
    rng.shuffle(rows)
    frame = INTENTS.iloc[rows]
    if others:
        more = pd.DataFrame([("q", "x", "u", 9.0), ("y", "1", "a", -4.0)], columns=INTENTS.columns)
        frame = pd.concat([more, frame])

    for one, other in zip(read_intent_scores(frame, QUERIES, "test"), in_order, strict=True):
        for array, expected in zip(one, other, strict=True):
            np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (INTENTS.drop(columns="iteration"), r"missing column iteration; found: qid, docno.* OnSubtopics\(pipeline, "),
        (INTENTS.drop(columns="score"), r"missing column score; found: .* so does oracle_intent_scores\(qrels\)\.$"),
        (INTENTS.assign(score=np.nan), "score must be a finite number, but query 'q' has nan"),
        (INTENTS.assign(docno=None), "row 0 has no docno"),
        (
            pd.concat([INTENTS, INTENTS.head(1)]),
            "docno must appear once for each intent of a query, but query 'q' has 'a'",
        ),
        (INTENTS.assign(weight=-1.0), "weight must not be negative, but query 'q' has -1.0"),
        (
            pd.concat([INTENTS, INTENTS.head(1).assign(docno="b")]).assign(weight=[1.0, 1, 1, 1, 2]),
            r"weight must be the same in all rows of a query's intent, but query 'q' has 2.0 \(such rows: 1\)",
        ),
    ],
)
def test_intent_scores_that_cannot_be_read_are_refused(frame, message):
    with pytest.raises(ValueError, match=f"^test: intents: {message}"):
        read_intent_scores(frame, QUERIES, "test")
