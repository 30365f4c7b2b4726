"""Rankings with their judgements, as entries."""

import pickle
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity import RBU, D_nDCG, alpha_nDCG
from pyterrier_diversity.io import run_frame
from pyterrier_diversity.judged import Ranked, Run, ideal, judge, turns_of
from pyterrier_diversity.measures.base import implementation
from pyterrier_diversity.measures.session import gain_column

# Query 1: intents a (d1, d3) and b (d3); query 2: intent c (d1).
QRELS = [
    ("1", "a", "d1", 1, 1),
    ("1", "a", "d3", 2, 1),
    ("1", "b", "d3", 3, 3),
    ("1", "b", "d2", -1, 3),
    ("2", "c", "d1", 2, 1),
    ("2", "c", "d2", 0, 1),
]
RUN = {"1": {"d2": 9, "d3": 8, "x": 7, "d1": 6}, "2": {"x": 3}}


def frame(**columns: list) -> pd.DataFrame:
    return pd.DataFrame(QRELS, columns=["query_id", "iteration", "doc_id", "relevance", "weight"]).assign(**columns)


def ranked(
    cutoff: int | None = None,
    *,
    qrels: pd.DataFrame | None = None,
    run: object = RUN,
    rel: float | None = None,
    judged_only: bool = False,
) -> Ranked:
    judgements = judge(frame() if qrels is None else qrels)
    found = Ranked.of_run(Run(run_frame(run)), judgements).view(judgements.view(rel=rel))
    return (found.judged_only if judged_only else found).top(cutoff)


def entries(result: Ranked, *values: np.ndarray) -> list[tuple]:
    """Query, intent, document, and other values of each entry: rank and label if none are given."""
    judgements = result.judgements
    names = [judgements.query_ids[query] for query in result.query]
    columns = [column.tolist() for column in values or (result.rank, result.label)]
    return list(
        zip(names, judgements.intents.ids[result.intent], judgements.documents.ids[result.doc], *columns, strict=True)
    )


def test_entries_below_the_cutoff_are_left_out():
    result = ranked(cutoff=3)

    assert entries(result) == [("1", "a", "d3", 2, 2), ("1", "b", "d3", 2, 3)]
    assert result.n.tolist() == [3, 1]
    assert result.cutoff == 3


def test_a_last_rank_for_each_query_is_not_the_cutoff_of_a_measure():
    result = ranked().down_to(np.array([3, 0]))

    assert entries(result) == entries(ranked(cutoff=3))
    assert result.n.tolist() == [3, 0]
    assert result.cutoff is None


def test_a_precision_divides_by_the_cutoff_or_by_the_length():
    assert ranked(cutoff=3).depth.tolist() == [3, 3]
    assert ranked().depth.tolist() == [4, 1]


def test_judged_only_moves_the_entries_up():
    result = ranked(judged_only=True)

    # left are d2, d3, d1
    assert entries(result, result.rank) == [("1", "a", "d3", 2), ("1", "b", "d3", 2), ("1", "a", "d1", 3)]
    assert result.n.tolist() == [3, 0]


def test_rel_leaves_lower_labels_and_their_intents_out():
    result = ranked(rel=3)

    assert entries(result) == [("1", "b", "d3", 2, 3)]
    assert result.n_intents.tolist() == [1, 0]
    assert result.weight.tolist() == [1]


def test_the_ad_hoc_view_has_one_entry_for_a_document():
    judgements = judge(frame())

    result = Ranked.of_run(Run(run_frame(RUN)), judgements).view(judgements.view("ad hoc"))

    assert entries(result) == [("1", "", "d3", 2, 3), ("1", "", "d1", 4, 1)]


def test_each_intent_may_be_a_query_with_the_ranking_of_its_query():
    judgements = judge(frame())

    result = Ranked.of_run(Run(run_frame(RUN)), judgements).view(judgements.view("each intent"))

    assert entries(result) == [("1", "a", "d3", 2, 2), ("1", "b", "d3", 2, 3), ("1", "a", "d1", 4, 1)]
    assert result.n.tolist() == [4, 4, 1]
    assert result.query.tolist() == [0, 1, 0]


def test_documents_that_are_relevant_to_the_intent_are_counted_above_each_entry():
    result = ranked()

    assert entries(result, result.met) == [("1", "a", "d3", 0), ("1", "b", "d3", 0), ("1", "a", "d1", 1)]


def test_entries_and_intents_are_summed_by_query():
    result = ranked()

    assert result.total(result.label).tolist() == [6, 0]
    assert result.sum_intents(np.array([1.0, 2.0, 4.0])).tolist() == [3, 4]


def test_navigational_intents_are_told_from_informational_ones():
    qrels = frame(intent_type=["nav", "nav", "inf", "inf", "nav", "nav"])

    assert ranked(qrels=qrels).navigational.tolist() == [True, False, True]
    assert not ranked().navigational.any()


def test_an_entry_has_the_gain_of_its_document_and_intent_or_its_label():
    result = ranked(qrels=frame(gain=[5, 6, 7, 8, 9, 10]))

    assert gain_column(result).tolist() == [6, 7, 5]
    assert gain_column(ranked()).tolist() == [2, 3, 1]


# What entries are worth


def test_a_label_whose_exponential_gain_is_not_finite_is_refused():
    qrels = frame(relevance=[1, 2, 1001, 0, 1, 0])

    with pytest.raises(
        ValueError, match=r"D_nDCG: labels may be at most 1000, but query '1' has 1001 for document 'd3'"
    ):
        ranked(qrels=qrels).gain(D_nDCG)
    assert ranked(qrels=qrels).gain(D_nDCG(gain="linear")).max() == 1001


def test_a_value_is_computed_once_for_each_measure():
    result = ranked()
    result.value("it", lambda every: "first")

    assert result.value("it", lambda every: "second") == "first"
    assert result.value("another", lambda every: "second") == "second"
    assert ranked().value("it", lambda every: "third") == "third"


# Ideals


@dataclass(frozen=True)
class Alphabetic:
    """The relevant documents by ascending name; ``asked`` counts how often the order is looked for."""

    asked: Counter = field(default_factory=Counter, compare=False)

    def places(self, every: Ranked, depth: int | None) -> np.ndarray:
        self.asked[depth] += 1
        documents = every.documents
        # They stand by descending name.
        place = np.zeros(len(documents.doc), dtype=np.int64)
        place[documents.doc] = documents.queries.size[documents.queries.of] - documents.queries.place
        return place if depth is None else np.where(place > depth, 0, place)


def test_an_order_is_looked_for_again_only_where_more_of_it_is_asked_for():
    judgements, asked = judge(frame()), Counter()

    ideals = [ideal(judgements, Alphabetic(asked), depth) for depth in (1, 1, 2, 1, None, 2, 1, None)]

    assert asked == {1: 1, 2: 1, None: 1}
    assert [every.n.tolist() for every in ideals] == [[1 if every.cutoff == 1 else 2, 1] for every in ideals]
    assert [every.cutoff for every in ideals] == [1, 1, 2, 1, None, 2, 1, None]
    first, below = [("1", "a", "d1", 1, 1), ("2", "c", "d1", 1, 2)], [("1", "a", "d3", 2, 2), ("1", "b", "d3", 2, 3)]
    assert [entries(every) for every in ideals[:3]] == [first, first, first + below]
    # Another process remembers nothing.
    ideal(pickle.loads(pickle.dumps(judgements)), Alphabetic(asked), None)
    assert asked[None] == 2


def test_a_measure_is_divided_by_its_value_of_a_ranking_down_to_the_cutoff_that_no_run_changes():
    cut, other = ranked(cutoff=1), ranked(cutoff=1, run={"2": {"d1": 1}})

    at_1 = implementation(alpha_nDCG @ 1)
    best = [("1", "a", "d3", 1, 2), ("1", "b", "d3", 1, 3), ("2", "c", "d1", 1, 2)]
    assert entries(cut.ideal(at_1.normaliser)) == entries(other.ideal(at_1.normaliser)) == best
    assert ranked().ideal(implementation(alpha_nDCG).normaliser).n.tolist() == [2, 1]


# Rankings without a run


def test_rankings_may_be_given_as_ranks_of_relevant_documents():
    judgements = judge(frame())
    places = dict(
        zip(zip(judgements.documents.query.tolist(), judgements.documents.ids, strict=True), range(9), strict=False)
    )
    ranks = np.zeros(len(places), dtype=np.int64)
    ranks[[places[0, "d3"], places[0, "d1"]]] = [2, 1]

    result = Ranked(judgements, ranks, np.array([2, 0]))

    assert result.rankings() == [["d1", "d3"], []]
    assert result.rankings(1) == [["d1"], []]
    assert result.judged_only is result
    assert entries(result, result.rank) == [("1", "a", "d1", 1), ("1", "a", "d3", 2), ("1", "b", "d3", 2)]


@pytest.mark.parametrize("depth", [None, 2, 9])
def test_rankings_are_the_documents_of_the_run_down_to_a_depth(depth):
    result = ranked()

    assert result.rankings(depth) == [["d2", "d3", "x", "d1"][:depth], ["x"]]
    assert result.rankings(depth, slice(1, 2)) == [["x"]]
    assert result.top(3).rankings(depth) == [["d2", "d3", "x"][:depth], ["x"]]
    assert result.down_to(np.array([1, 0])).rankings(depth) == [["d2"], []]


def test_each_intent_has_the_documents_of_its_query():
    judgements = judge(frame())

    result = Ranked.of_run(Run(run_frame(RUN)), judgements).view(judgements.view("each intent"))

    assert result.rankings(2) == [["d2", "d3"], ["d2", "d3"], ["x"]]


@pytest.mark.parametrize("view", [{"view": "each intent"}, {"view": "ad hoc"}, {"rel": 3}], ids=str)
def test_rankings_without_a_run_keep_documents_that_are_not_relevant_in_a_view(view):
    judgements = judge(frame())
    seen = judgements.view(**view)

    result = ideal(judgements, Alphabetic(), None).view(seen)

    every = {"1": ["d1", "d3"], "2": ["d1"]}
    assert result.rankings() == [every[query] for query in seen.query_ids]
    assert result.rankings(1) == [["d1"]] * len(seen)


# A cutoff is the beginning of every array

PER_ENTRY = ["rank", "doc", "intent", "query", "label", "weight", "met", "navigational", "n_relevant"]


@pytest.mark.parametrize("cutoff", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("whole_first", [False, True])
def test_a_cutoff_keeps_the_first_values_of_all_entries(cutoff, whole_first):
    every = ranked(run={**RUN, "2": {"x": 4, "d1": 3}})
    values = [getattr(every, name) for name in PER_ENTRY] if whole_first else []
    top = every.top(cutoff)
    n = int((every.rank <= cutoff).sum())

    assert [getattr(top, name).tolist() for name in PER_ENTRY] == [
        getattr(every, name)[:n].tolist() for name in PER_ENTRY
    ]
    assert [len(value) for value in values] == [4] * len(values)
    assert top.left(RBU).tolist() == every.left(RBU)[:n].tolist()
    assert top.gain(D_nDCG).tolist() == every.gain(D_nDCG)[:n].tolist()
    documents, of_all = top.documents, every.documents
    n_docs = int((of_all.rank <= cutoff).sum())
    assert documents.rank.tolist() == of_all.rank[:n_docs].tolist()
    assert documents.queries.size.sum() == n_docs
    assert documents.total(top.label).tolist() == of_all.total(every.label)[:n_docs].tolist()


@pytest.mark.parametrize("values", ["label", "probability", "gain", "left"])
def test_a_formula_cannot_change_the_values_that_others_read(values):
    shared = getattr(ranked().top(2), values)
    shared = shared if values == "label" else shared(RBU)

    with pytest.raises(ValueError, match="read-only"):
        shared *= 2


def test_values_of_entries_are_computed_once_for_all_cutoffs():
    every, asked = ranked(), []

    def twice(rank: np.ndarray) -> np.ndarray:
        asked.append(rank.tolist())
        return rank * 2

    assert [every.top(cutoff).discounted(twice).tolist() for cutoff in (1, 2, None, 3)] == [
        [],
        [4, 4],
        [4, 4, 8],
        [4, 4],
    ]
    assert asked == [[2, 2, 4]]


@pytest.mark.parametrize("values", ["probability", "left"])
def test_a_label_above_the_largest_is_refused_by_each_value_that_reads_it(values):
    with pytest.raises(ValueError, match=r"labels may be at most 1, but query '1' has"):
        getattr(ranked(), values)(RBU(max_rel=1))


def test_equal_discounts_are_computed_once():
    asked = []

    @dataclass(frozen=True)
    class Discount:
        base: float

        def __call__(self, rank: np.ndarray) -> np.ndarray:
            asked.append(self.base)
            return 1 / (rank + self.base)

    every = ranked()

    assert every.top(2).discounted(Discount(2.0)).tolist() == every.discounted(Discount(2.0))[:2].tolist()
    assert every.discounted(Discount(3.0))[0] == 1 / 5
    assert asked == [2.0, 3.0]


# Turns


def turns(run: pd.DataFrame, batch: int = 5, cutoff: int | None = None) -> list[tuple[int, int]]:
    read = turns_of(ranked(run=run, cutoff=cutoff), batch)
    return list(zip(read.queries.of.tolist(), read.last.tolist(), strict=True))


def session() -> pd.DataFrame:
    """d2 and d3 in the first turn of query 1, nothing in the second, x and d1 in the third."""
    rows = [("1", "d2", 2, 0), ("1", "d3", 1, 0), ("1", "x", 2, 2), ("1", "d1", 1, 2)]
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "turn"])


def test_rankings_are_read_in_the_turns_of_the_run_or_in_batches():
    assert turns(session()) == [(0, 2), (0, 5)]
    assert turns(session(), cutoff=4) == [(0, 2), (0, 4)]
    assert turns(session().drop(columns="turn"), batch=3) == [(0, 3), (0, 4)]


# Against a walk


@settings(max_examples=40, deadline=None)
@given(
    labels=st.dictionaries(
        st.tuples(st.sampled_from(["1", "2"]), st.sampled_from("ab"), st.sampled_from("uvwxyz")),
        st.integers(0, 3),
        min_size=1,
    ),
    rankings=st.fixed_dictionaries({query: st.permutations("uvwxyz!") for query in ("1", "2")}),
    depth=st.integers(0, 7),
    cutoff=st.none() | st.integers(1, 8),
)
def test_entries_are_those_of_a_walk_down_each_ranking(labels, rankings, depth, cutoff):
    rows = [(*key, label) for key, label in labels.items()]
    qrels = pd.DataFrame(rows, columns=["qid", "iteration", "docno", "label"])
    tops = {query: docs[:depth] for query, docs in rankings.items()}
    queries = sorted({query for query, _, _ in labels})
    run = {query: {doc: -i for i, doc in enumerate(tops[query])} for query in queries}
    result = ranked(cutoff, qrels=qrels, run=run)

    expected = [
        (query, intent, doc, rank, labels[query, intent, doc])
        for query in queries
        for intent in "ab"
        for rank, doc in enumerate(tops[query][:cutoff], start=1)
        if labels.get((query, intent, doc), 0) > 0
    ]
    assert entries(result) == sorted(expected, key=lambda entry: (entry[3], entry[0], entry[1]))
    assert result.n.tolist() == [len(tops[query][:cutoff]) for query in queries]
    found = sorted({(rank, query, doc) for query, _, doc, rank, _ in expected})
    names = result.judgements.documents.ids[result.documents.doc].tolist()
    assert list(zip(result.documents.rank.tolist(), names, strict=True)) == [(rank, doc) for rank, _, doc in found]
