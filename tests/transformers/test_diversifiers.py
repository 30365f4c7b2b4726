from fractions import Fraction

import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity import alpha_nDCG
from pyterrier_diversity.transformers import BM25, PM2, IASelect, OnSubtopics, XQuAD

RESULTS = pd.DataFrame({"qid": "q", "docno": ["a", "b", "c"], "score": [5.0, 3.0, 2.0]})
INTENTS = pd.DataFrame(
    [("q", "1", "a", 0.5), ("q", "1", "b", 0.5), ("q", "2", "c", 1.0)], columns=["qid", "iteration", "docno", "score"]
)

# PyTerrier's add_ranks, whose warnings pytest.warns hands on as those of pandas.
NO_SCORES = pytest.mark.filterwarnings("ignore:.*queries keep their order")
INPLACE = pytest.mark.filterwarnings("ignore:The inplace keyword")


def ranking(reranker, frame=RESULTS):
    return "".join(reranker(frame)["docno"])


def greedily(n_docs, value, chosen_next):
    """Take the document of the largest value again and again, the first of those that tie."""
    left, order = list(range(n_docs)), []
    while left:
        values = [value(doc) for doc in left]
        order.append(left.pop(values.index(max(values))))
        chosen_next(order[-1])
    return order


def xquad_read_aloud(relevance, coverage, weights, lambda_):
    chosen = []

    def value(doc):
        diversity = Fraction(0)
        for intent, weight in enumerate(weights):
            uncovered = Fraction(1)
            for above in chosen:
                uncovered *= 1 - coverage[above][intent]
            diversity += weight * coverage[doc][intent] * uncovered
        return (1 - lambda_) * relevance[doc] + lambda_ * diversity

    return greedily(len(relevance), value, chosen.append)


def pm2_read_aloud(coverage, votes, lambda_):
    seats = [Fraction(0)] * len(votes)
    left = set(range(len(coverage)))
    quotients, due = [], None

    def count():
        nonlocal quotients, due
        quotients = [vote / (2 * seat + 1) for vote, seat in zip(votes, seats, strict=True)]
        parties = [t for t in range(len(votes)) if any(coverage[doc][t] for doc in left)]
        due = max(parties, key=lambda t: (quotients[t], -t), default=None)

    def value(doc):
        return sum(
            (lambda_ if intent == due else 1 - lambda_) * quotients[intent] * coverage[doc][intent]
            for intent in range(len(votes))
        )

    def seat(doc):
        left.remove(doc)
        total = sum(coverage[doc])
        for intent in range(len(votes)):
            seats[intent] += coverage[doc][intent] / total if total else 0
        count()

    count()
    return greedily(len(coverage), value, seat)


EIGHTHS = st.integers(0, 8).map(lambda n: Fraction(n, 8))


@st.composite
def topics(draw):
    n_docs, n_intents = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    relevance = sorted(draw(st.lists(EIGHTHS, min_size=n_docs, max_size=n_docs)), reverse=True)
    row = st.lists(EIGHTHS, min_size=n_intents, max_size=n_intents)
    coverage = draw(st.lists(row, min_size=n_docs, max_size=n_docs))
    votes = draw(st.lists(st.integers(1, 4), min_size=n_intents, max_size=n_intents))
    return relevance, coverage, [Fraction(vote, sum(votes)) for vote in votes]


def orders(kind, topics, **how):
    """Return the order of the documents of each topic, of which the earlier come first if they tie."""
    intents, results, names = [], [], {}
    for query, (relevance, coverage, weights) in enumerate(topics):
        names[str(query)] = docs = [f"{len(coverage) - i:02d}" for i in range(len(coverage))]
        results += [(str(query), doc, float(score)) for doc, score in zip(docs, relevance, strict=True)]
        intents += [
            (str(query), str(t), doc, float(score), float(weight))
            for doc, scores in zip(docs, coverage, strict=True)
            for t, (score, weight) in enumerate(zip(scores, weights, strict=True))
        ]
    intents = pd.DataFrame(intents, columns=["qid", "iteration", "docno", "score", "weight"])
    found = kind(intents, normalise=None, **how)(pd.DataFrame(results, columns=["qid", "docno", "score"]))
    return [list(map(names[query].index, rows["docno"])) for query, rows in found.groupby("qid", sort=False)]


def order(kind, coverage, weights=None, relevance=None, **how):
    """Return the order of the documents of one topic."""
    topic = relevance or [0] * len(coverage), coverage, weights or [1] * len(coverage[0])
    return orders(kind, [topic], **how)[0]


@NO_SCORES
@settings(max_examples=4, deadline=None)
@given(topics=st.lists(topics(), min_size=15, max_size=15), lambda_=EIGHTHS)
def test_each_algorithm_is_as_it_is_read_aloud(topics, lambda_):
    how = {"lambda_": float(lambda_)}

    assert orders(XQuAD, topics, **how) == [xquad_read_aloud(*topic, lambda_) for topic in topics]
    assert orders(IASelect, topics) == [xquad_read_aloud(*topic, 1) for topic in topics]
    assert orders(PM2, topics, **how) == [pm2_read_aloud(*topic[1:], lambda_) for topic in topics]


def test_xquad_worked_by_hand():
    # First .375, .275, .35; after document 0, intent 1 counts half as much: .2125 and .35.
    relevance, coverage = [0.5, 0.3, 0.2], [[0.5, 0.0], [0.5, 0.0], [0.0, 1.0]]

    assert order(XQuAD, coverage, None, relevance) == [0, 2, 1]
    assert order(XQuAD, coverage, None, relevance, k=1) == [0, 1, 2]
    # With an eighth of the probability, intent 2 comes last: .46875, .36875, .1625, and then .2595 and .1625.
    assert order(XQuAD, coverage, [0.875, 0.125], relevance) == [0, 1, 2]


def test_ia_select_worked_by_hand():
    # .9 P(1) comes first, then .5 P(2) = .25 before .1 * .8 * P(1) = .04 and .1 * .9 * P(1) + .5 * .1 * P(2) = .07.
    coverage = [[0.9, 0.0], [0.8, 0.0], [0.9, 0.1], [0.0, 0.5]]

    assert order(IASelect, coverage) == [2, 3, 0, 1]
    assert order(IASelect, coverage, [0.99, 0.01]) == [2, 0, 1, 3]


@pytest.mark.parametrize(
    ("coverage", "votes", "lambda_", "expected"),
    [
        # Sainte-Lague with 3 votes to 1: quotients 3/4 1/4, 1/4 1/4, 3/20 1/4, 3/20 1/12, 3/28 1/12.
        ([[1, 0], [1, 0], [1, 0], [1, 0], [0, 1], [0, 1]], [0.75, 0.25], 1, [0, 1, 4, 2, 3, 5]),
        ([[1, 0], [1, 0], [1, 0], [1, 0], [0, 1], [0, 1]], None, 1, [0, 4, 1, 5, 2, 3]),
        # Document 0 takes 3/4 of a seat for intent 1 and 1/4 for intent 2, whose turn it is then.
        ([[0.75, 0.25], [0.5, 0.0], [0.0, 0.1]], None, 1, [0, 2, 1]),
        # Intent 1 has most votes and one document; the paper's formula would give it every rank after that.
        ([[0.0, 0.0], [1.0, 0.0], [0.0, 0.2], [0.0, 0.9]], [0.9, 0.1], 1, [1, 3, 2, 0]),
        # Intent 1 is due first: without it, what counts is intent 2.
        ([[0.9, 0.1], [0.0, 0.5]], None, 0, [1, 0]),
        ([[0.2], [0.9]], None, 0, [0, 1]),
    ],
)
def test_pm2_gives_ranks_in_proportion_to_votes(coverage, votes, lambda_, expected):
    assert order(PM2, coverage, votes, lambda_=lambda_) == expected


@pytest.mark.parametrize("normalise", ["sum", "max", "minmax"])
@settings(max_examples=3, deadline=None)
@given(scores=st.lists(st.lists(st.floats(0, 1e6), min_size=3, max_size=3), min_size=10, max_size=10))
def test_xquad_without_diversity_keeps_the_order_of_the_results(normalise, scores):
    queries = [f"q{i}" for i in range(10)]
    frame = pd.concat([RESULTS.assign(qid=q, score=of_query) for q, of_query in zip(queries, scores, strict=True)])
    intents = pd.concat([INTENTS.assign(qid=q) for q in queries])
    expected = {
        q: [doc for _, doc in sorted(zip(of_query, "abc", strict=True), reverse=True)]
        for q, of_query in zip(queries, scores, strict=True)
    }

    found = XQuAD(intents, lambda_=0, normalise=normalise)(frame)

    assert {q: rows["docno"].tolist() for q, rows in found.groupby("qid")} == expected


def test_weights_of_intents_count_relative_to_each_other():
    unlikely = INTENTS.assign(weight=[7.0, 7.0, 1.0])

    assert ranking(XQuAD(INTENTS)) == "acb"
    assert ranking(XQuAD(unlikely)) == "abc"
    assert ranking(IASelect(INTENTS)) == "cab"
    assert ranking(IASelect(unlikely)) == "abc"
    assert ranking(PM2(INTENTS)) == "cab"
    assert ranking(PM2(unlikely)) == "abc"


def test_xquad_divides_by_the_sums_over_the_documents_of_the_query():
    # P(d|q) is .5, .3, .2; P(d|1) .5, .5; P(d|2) 1: the example worked by hand.
    intents = INTENTS.assign(score=[7.0, 7.0, 3.0])
    elsewhere = pd.DataFrame([("q", "1", "z", 50.0), ("p", "1", "c", 50.0)], columns=INTENTS.columns)

    assert ranking(XQuAD(pd.concat([intents, elsewhere]), lambda_=0.5)) == "acb"


@INPLACE
def test_queries_without_scores_for_intents_keep_their_order_and_are_counted():
    frame = pd.concat([RESULTS, RESULTS.assign(qid="p"), RESULTS.assign(qid="r")])
    elsewhere = pd.DataFrame([("r", "1", "z", 1.0)], columns=INTENTS.columns)

    for reranker in (IASelect, XQuAD, PM2):
        with pytest.warns(UserWarning, match=f"{reranker.__name__}: 2 of 3 queries keep their order") as warned:
            ranked = reranker(pd.concat([INTENTS, elsewhere]))(frame)
        assert len([one for one in warned if issubclass(one.category, UserWarning)]) == 1
        assert "".join(ranked["docno"]) == "cababcabc" if reranker is not XQuAD else "acbabcabc"


def test_weights_below_1_leave_the_rest_to_intents_without_scores():
    # P(d|q) is .5, .3, .2. With the weights .05 and .05, document c gains .5 * .05 at most: too little.
    rare = INTENTS.assign(weight=0.05)

    assert ranking(XQuAD(rare)) == "abc"
    assert ranking(XQuAD(rare.assign(weight=50.0))) == ranking(XQuAD(INTENTS)) == "acb"


def test_an_intent_of_weight_0_does_not_count():
    never = pd.concat(
        [INTENTS.assign(weight=1.0), pd.DataFrame([("q", "3", "b", 1.0, 0.0)], columns=[*INTENTS, "weight"])]
    )

    assert ranking(IASelect(never)) == ranking(IASelect(INTENTS))


def test_pm2_takes_tied_intents_in_numeric_order():
    intents = pd.DataFrame([("q", "10", "a", 1.0), ("q", "9", "b", 1.0), ("q", "x", "c", 1.0)], columns=INTENTS.columns)

    assert ranking(PM2(intents, lambda_=1)) == "bac"


def test_ia_select_refuses_bm25_scores_unless_they_are_normalised():
    scores = INTENTS.assign(score=[12.0, 3.0, 7.0])

    with pytest.raises(ValueError, match=r"IASelect: an intent's score in query 'q' must be a probability .* is 12"):
        ranking(IASelect(scores))
    assert ranking(IASelect(scores, normalise="max")) == "acb"


@pytest.mark.parametrize("reranker", [IASelect, XQuAD, PM2])
def test_intents_are_a_frame_or_a_transformer(reranker):
    with pytest.raises(TypeError, match=f"{reranker.__name__}: intents must be a frame of scores .*, not dict"):
        reranker({"q": {}})
    with pytest.raises(TypeError, match=rf"^{reranker.__name__}: intents must be a frame of scores .*, not None"):
        reranker()


def demo_pipeline(**parameters):
    demo = pt.get_dataset("diversity:demo")
    scorer = BM25(demo.get_corpus_iter(verbose=False))
    xquad = XQuAD(OnSubtopics(scorer, demo.get_topics("subtopics")), **parameters)
    return demo, scorer % 30, xquad


def test_a_live_pipeline_retrieves_diversifies_and_is_evaluated():
    demo, bm25, xquad = demo_pipeline(lambda_=0.7)

    table = pt.Experiment([bm25, bm25 >> xquad], demo.get_topics(), demo.get_qrels(), [alpha_nDCG @ 10])

    assert table["alpha_nDCG@10"].tolist() == pytest.approx([0.652, 0.883], abs=5e-4)


def test_grid_scan_sets_the_parameters():
    demo, bm25, xquad = demo_pipeline()

    table = pt.GridScan(
        bm25 >> xquad, {xquad: {"lambda_": [0, 0.7]}}, demo.get_topics(), demo.get_qrels(), [alpha_nDCG @ 10]
    )

    assert table["tran_0_lambda_"].tolist() == [0, 0.7]
    assert table.iloc[:, -1].tolist() == pytest.approx([0.652, 0.883], abs=5e-4)
