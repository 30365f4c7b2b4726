import pickle
import re
from inspect import signature

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import RBP

from by_hand import renamed
from pyterrier_diversity import RBU, Adhoc
from pyterrier_diversity.transformers import (
    BM25,
    PM2,
    Diversify,
    Evaluate,
    Explain,
    IASelect,
    Ideal,
    OnSubtopics,
    TokenBudget,
    XQuAD,
    oracle_intent_scores,
)
from pyterrier_diversity.transformers.steps import first_best, normalised

INTENTS = pd.DataFrame(
    [("q", "1", "a", 0.9), ("q", "1", "b", 0.8), ("q", "2", "c", 0.5), ("p", "1", "a", 0.5)],
    columns=["qid", "iteration", "docno", "score"],
)


def results(**rankings: str) -> pd.DataFrame:
    """Results of a ranking for each query, with vectors: results(q="a b c")."""
    rows = [
        (qid, doc, float(-i), [float(ord(doc) % 3), 1.0])
        for qid, docs in rankings.items()
        for i, doc in enumerate(docs.split())
    ]
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "doc_vec"])


def rerankers(intents: pd.DataFrame = INTENTS, k: int | None = None) -> list[pt.Transformer]:
    return [
        IASelect(intents, normalise="max", k=k),
        XQuAD(intents, normalise="minmax", lambda_=0.8, k=k),
        PM2(intents, normalise="sum", k=k),
        Diversify("mmr", diversity=0.7, k=k),
        Diversify("dpp", diversity=0.7, k=k),
    ]


EACH = pytest.mark.parametrize("reranker", rerankers(), ids=repr)

QRELS = pd.DataFrame(
    [("q", "a", 1, "x"), ("q", "b", 2, "y"), ("p", "a", 1, "x")], columns=["qid", "docno", "label", "iteration"]
)
SUBTOPICS = pd.DataFrame({"qid": ["q", "p"], "iteration": "1", "query": ["cat", "old"]})
TOPICS = pd.DataFrame({"qid": ["q", "p"], "query": ["cat car", "old"], "extra": [1, 2]})
RESULTS = results(q="b a c", p="b a").assign(query="cat", doc_len=4.0, extra=range(5))
DOCUMENTS = [{"docno": "a", "text": "old cat"}, {"docno": "b", "text": "car"}, {"docno": "c", "text": "a cat"}]
SCORER = BM25(DOCUMENTS)
# Each kind of step, and what it reads.
EVERY = {
    **{f"{type(each).__name__}{i}": (each, RESULTS) for i, each in enumerate(rerankers())},
    "Retriever": (SCORER, TOPICS),
    "Scorer": (SCORER, RESULTS),
    "OnSubtopics": (OnSubtopics(SCORER, SUBTOPICS), TOPICS),
    "Rescored": (OnSubtopics(SCORER, SUBTOPICS, rescore=True), RESULTS),
    "TokenBudget": (TokenBudget(9), RESULTS),
    "Evaluate": (Evaluate(QRELS, [RBU @ 5, RBP(rel=1)]), RESULTS),
    "Explain": (Explain(QRELS, Adhoc(RBP(rel=1))), RESULTS),
    "Ideal": (Ideal(QRELS, RBU @ 2), TOPICS),
    "Exact": (Ideal(QRELS, ideal="exact", time_limit=7), TOPICS),
    "Candidates": (Ideal(QRELS, RBU @ 3, candidates=True), RESULTS),
}
WITH_INPUT = pytest.mark.parametrize(("step", "frame"), EVERY.values(), ids=EVERY)


def as_pyterrier_tests_it(step: pt.Transformer) -> type[pt.testing.TransformerTestCase]:
    return type("TestCase", (pt.testing.TransformerTestCase,), {"get_transformer": staticmethod(lambda: step)})


globals().update({f"Test{name}": as_pyterrier_tests_it(step) for name, (step, _) in EVERY.items()})


@WITH_INPUT
def test_a_step_survives_pickling_and_leaves_its_input_as_it_is(step, frame):
    before = frame.copy()

    again = pickle.loads(pickle.dumps(step))

    assert repr(again) == repr(step)
    assert len(step(frame)) > 0
    pd.testing.assert_frame_equal(again(frame), step(frame))
    pd.testing.assert_frame_equal(frame, before)


@WITH_INPUT
def test_an_empty_frame_comes_out_empty_with_all_columns_as_pyterrier_knows(step, frame):
    columns = step(frame).columns.tolist()

    empty = step(frame.head(0))

    assert empty.empty
    assert set(empty) == set(columns)
    assert set(pt.inspect.transformer_outputs(step, list(frame))) == set(columns)


@WITH_INPUT
def test_a_missing_column_is_an_input_validation_error(step, frame):
    for column in set.intersection(*map(set, pt.inspect.transformer_inputs(step))):
        with pytest.raises(pt.validate.InputValidationError, match=column):
            step(frame.drop(columns=column))


@WITH_INPUT
def test_pyterrier_finds_the_settings_of_a_step(step, frame):
    assert [one.name for one in pt.inspect.transformer_attributes(step)] == list(signature(type(step)).parameters)


@EACH
def test_columns_are_kept_and_scores_count_down_from_rank_0(reranker):
    frame = results(q="b a c", p="b a").assign(query="text", extra=range(5))

    ranked = reranker(frame)

    assert ranked.columns.tolist() == ["qid", "docno", "score", "doc_vec", "query", "extra", "rank"]
    assert ranked["qid"].tolist() == ["q"] * 3 + ["p"] * 2
    assert ranked["score"].tolist() == [3, 2, 1, 2, 1]
    assert ranked["rank"].tolist() == [0, 1, 2, 0, 1]
    assert ranked["score"].dtype == np.float64
    extra = dict(zip(zip(frame["qid"], frame["docno"], strict=True), frame["extra"], strict=True))
    assert [extra[key] for key in zip(ranked["qid"], ranked["docno"], strict=True)] == ranked["extra"].tolist()


@pytest.mark.parametrize("k", [1, 2, 3, 9])
def test_documents_that_are_not_chosen_keep_their_order(k):
    frame = results(q="b d a e c")
    for everything, reranker in zip(rerankers(), rerankers(k=k), strict=True):
        chosen = everything(frame)["docno"].tolist()[:k]

        assert reranker(frame)["docno"].tolist() == chosen + [doc for doc in "bdaec" if doc not in chosen]


@st.composite
def results_and_intents(draw: st.DrawFn) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Results of two queries with many ties, and scores of some of their documents for some intents."""
    frame = results(q=" ".join("abcdef"[: draw(st.integers(1, 6))]), p=" ".join("abc"[: draw(st.integers(1, 3))]))
    frame["score"] = draw(st.lists(st.sampled_from([1.0, 2.0, 2.5]), min_size=len(frame), max_size=len(frame)))
    pairs = [(qid, intent, doc) for qid, intents in (("q", "xyz"), ("p", "xy")) for intent in intents for doc in "abcd"]
    scored = draw(st.lists(st.sampled_from(pairs), unique=True, min_size=1))
    rows = [(*pair, draw(st.sampled_from([0.25, 0.5, 0.9])), {"x": 3.0}.get(pair[1], 1.0)) for pair in scored]
    return frame, pd.DataFrame(rows, columns=["qid", "iteration", "docno", "score", "weight"])


@settings(max_examples=6, deadline=None)
@given(drawn=results_and_intents(), rng=st.randoms(use_true_random=False))
@pytest.mark.filterwarnings("ignore:.*keep their order")
def test_the_order_of_rows_changes_nothing_and_each_ranking_is_one_of_the_same_documents(drawn, rng):
    frame, intents = drawn
    rows, others = list(range(len(frame))), list(range(len(intents)))
    rng.shuffle(rows)
    rng.shuffle(others)
    shuffled = frame.iloc[rows].set_index(pd.Index(rows) * 7)
    for reranker, again in zip(rerankers(intents), rerankers(intents.iloc[others]), strict=True):
        ranked = reranker(frame)
        for qid, group in ranked.groupby("qid"):
            assert sorted(group["docno"]) == sorted(frame["docno"][frame["qid"] == qid])
            assert (np.diff(group["score"]) < 0).all()
            assert group["rank"].tolist() == list(range(len(group)))
        by_rank = ["qid", "rank"]
        pd.testing.assert_frame_equal(
            again(shuffled).sort_values(by_rank, ignore_index=True), ranked.sort_values(by_rank, ignore_index=True)
        )


def test_ties_are_broken_by_descending_docno():
    tied = results(q="a c b").assign(score=1.0, doc_vec=[[1.0, 0.0]] * 3)
    intents = pd.DataFrame({"qid": "q", "iteration": "1", "docno": ["a", "b", "c"], "score": 0.5})

    for reranker in rerankers(intents):
        if reranker.get_parameter("normalise") == "minmax" and isinstance(reranker, XQuAD):
            continue  # all scores are 0
        assert reranker(tied)["docno"].tolist() == ["c", "b", "a"]


def test_large_integers_as_scores_are_not_rounded():
    large = results(q="b a").assign(score=[2**60, 2**60 + 1], doc_vec=[[1.0, 0.0]] * 2, doc_len=5)
    intents = pd.DataFrame({"qid": "q", "iteration": "1", "docno": ["a", "b"], "score": 0.5})

    assert TokenBudget(5)(large)["docno"].tolist() == ["a"]
    for reranker in [PM2(intents), Diversify("mmr")]:
        assert reranker(large)["docno"].tolist() == ["a", "b"]


def test_numbers_as_names_are_read_as_strings():
    numbered = {"qid": {"q": 7, "p": 8}, "docno": {"a": 9, "b": 10, "c": 11}, "iteration": {"1": 1, "2": 2}}
    frame, intents = results(q="b a c"), INTENTS
    for reranker, other in zip(rerankers(), rerankers(renamed(intents, numbered)), strict=True):
        expected = [numbered["docno"][doc] for doc in reranker(frame)["docno"]]

        assert other(renamed(frame, numbered))["docno"].tolist() == expected


@EACH
@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (results(q="a b").assign(score=[1.0, np.nan]), "score must be a finite number, but query 'q' has nan"),
        (results(q="a b").assign(score=[np.inf, 1.0]), "score must be a finite number, but query 'q' has inf"),
        (results(q="a b a"), "docno must appear once in a query, but query 'q' has 'a'"),
        (results(q="a b").assign(docno=["a", None]), "row 1 has no docno"),
        (results(q="a b").assign(turn=0), r"cannot re-rank a session"),
    ],
)
def test_results_that_cannot_be_ranked_are_refused(reranker, frame, message):
    with pytest.raises(ValueError, match=f"{type(reranker).__name__}: .*{message}"):
        reranker(frame)


@pytest.mark.parametrize(
    ("kind", "data", "name", "value", "rule"),
    [
        (XQuAD, INTENTS, "lambda_", 1.5, "a number in [0, 1]"),
        (XQuAD, INTENTS, "lambda_", None, "a number in [0, 1]"),
        (XQuAD, INTENTS, "k", 0, "an integer in [1, inf)"),
        (XQuAD, INTENTS, "k", 2.5, "an integer in [1, inf)"),
        (XQuAD, INTENTS, "normalise", "l2", "one of 'sum', 'max', 'minmax'"),
        (Diversify, "mmr", "strategy", "mmd", "one of 'mmr', 'msd', 'dpp', 'cover', 'ssd'"),
        (Diversify, "mmr", "diversity", None, "a number in [0, 1]"),
        (BM25, DOCUMENTS, "num_results", 1.5, "an integer in [1, inf)"),
        (BM25, DOCUMENTS, "k1", -0.1, "a number in [0, inf)"),
        (BM25, DOCUMENTS, "b", 1.1, "a number in [0, 1]"),
        (Ideal, QRELS, "ideal", "best", "one of 'greedy', 'exact'"),
        (Ideal, QRELS, "time_limit", -1.0, "a number in (0, inf)"),
    ],
)
def test_parameters_are_checked_when_they_are_given_and_when_they_are_set(kind, data, name, value, rule):
    message = f"^{kind.__name__}: {name} must be {re.escape(rule)}, not {re.escape(repr(value))}\\.$"
    with pytest.raises(ValueError, match=message):
        kind(**{next(iter(signature(kind).parameters)): data, name: value})

    step = kind(data)
    before = step.get_parameter(name)
    with pytest.raises((ValueError, AttributeError), match=f"{message}|{name} cannot be changed"):
        step.set_parameter(name, value)
    assert step.get_parameter(name) == before


def test_scores_are_divided_by_their_sum_or_the_highest_or_spread_over_the_range():
    scores = np.array([4.0, 1.0, 3.0])

    assert normalised(scores, "sum", "").tolist() == [0.5, 0.125, 0.375]
    assert normalised(scores, "max", "").tolist() == [1, 0.25, 0.75]
    assert normalised(scores, "minmax", "").tolist() == pytest.approx([1, 0, 2 / 3])
    assert normalised(scores / 4, None, "").tolist() == [1, 0.25, 0.75]


def test_each_intent_is_normalised_by_itself_and_a_missing_score_is_0_or_the_lowest():
    scores = np.array([[2.0, -1.0], [np.nan, np.nan], [6.0, -5.0]])

    assert normalised(scores[:, :1], "sum", "").tolist() == [[0.25], [0], [0.75]]
    assert normalised(scores, "minmax", "").tolist() == pytest.approx(np.array([[1 / 3, 1], [0, 0], [1, 0]]))


@pytest.mark.parametrize("how", ["sum", "max", "minmax", None])
@pytest.mark.parametrize("scores", [np.zeros(2), np.zeros((2, 3)), np.full((2, 1), np.nan), np.zeros((2, 0))])
def test_scores_that_are_all_0_or_missing_become_0(how, scores):
    assert normalised(scores, how, "").tolist() == np.zeros(scores.shape).tolist()


@pytest.mark.parametrize("how", ["sum", "max", None])
def test_negative_scores_are_refused_where_a_probability_is_needed(how):
    with pytest.raises(ValueError, match=r"^A score must not be negative, but one is -2\. Use normalise='minmax'"):
        normalised(np.array([1.0, -2.0]), how, "A score")


@pytest.mark.parametrize("how", ["sum", "max", "minmax"])
def test_scores_whose_sums_may_not_be_finite_are_refused(how):
    with pytest.raises(ValueError, match=r"^A score must be at most 1e\+100 in size, not 1\.7e\+308\.$"):
        normalised(np.array([1.7e308, np.nan, 1.0]), how, "A score")


def test_scores_above_1_are_refused_as_probabilities():
    with pytest.raises(
        ValueError, match=r"^A score must be a probability if normalise is None, but one is 2\. Use normalise='sum'"
    ):
        normalised(np.array([2.0, 1.0]), None, "A score")


def test_values_that_differ_by_rounding_only_are_a_tie_that_the_first_one_left_wins():
    left = np.array([False, True, True, True])

    assert first_best(np.array([9.0, 0.1 + 0.2, 0.3, 0.2]), left) == 1
    assert first_best(np.array([9.0, 0.3, 0.1 + 0.2, 0.2]), left) == 1
    assert first_best(np.array([9.0, 1e-30, 2e-30, 1e-30]), left) == 2
    assert first_best(np.zeros(4), left) == 1


def test_the_data_of_a_step_cannot_be_changed():
    qrels = pd.DataFrame([("q", "a", 1, "x")], columns=["qid", "docno", "label", "iteration"])

    for step, name in (
        (Evaluate(qrels, RBU), "measures"),
        (Explain(qrels, RBU), "measure"),
        (Explain(qrels, RBU), "qrels"),
        (Ideal(qrels, RBU), "ideal"),
    ):
        who = type(step).__name__
        with pytest.raises(AttributeError, match=f"^{who}: {name} cannot be changed; make another {who}\\.$"):
            setattr(step, name, RBU @ 2)


@WITH_INPUT
def test_a_schematic_is_small_and_shows_the_step_as_it_prints_itself(step, frame):
    schematic = pt.schematic.transformer_schematic(step)

    assert len(pt.schematic.draw(step)) < 60_000
    assert schematic["label"]
    assert schematic["settings"] == {"step": repr(step)}
    assert (schematic["help_url"] or "https://doi.org/").startswith("https://doi.org/")


def rerankers_of_the_demo():
    demo = pt.get_dataset("diversity:demo")
    scores = oracle_intent_scores(demo.get_qrels())
    return [IASelect(scores), XQuAD(scores, lambda_=0.7), PM2(scores), XQuAD(scores, k=8), XQuAD(scores, k=3)]


@pytest.mark.parametrize("reranker", rerankers_of_the_demo(), ids=repr)
def test_a_cutoff_behind_a_reranker_makes_it_choose_no_more(reranker):
    results = pt.get_dataset("diversity:demo").get_results("bm25")
    pipeline = reranker % 5
    wanted, k = pipeline(results), reranker.k

    compiled = pipeline.compile()

    chosen = next(iter(compiled))
    assert chosen.k == (3 if k == 3 else 5)
    assert reranker.k == k
    if k != 3:  # which ranks three anew, and leaves two as they were
        assert list(map(type, compiled)) == [type(reranker), pt.RankCutoff]
    pd.testing.assert_frame_equal(compiled(results), wanted)
