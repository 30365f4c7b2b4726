import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity.transformers import TokenBudget

RESULTS = pd.DataFrame(
    [("q", "a", 1.0, 30.0), ("q", "c", 3.0, 60.0), ("p", "a", 1.0, 10.0), ("q", "b", 2.0, 40.0)],
    columns=["qid", "docno", "score", "doc_len"],
)


def kept(results, *arguments):
    return list(TokenBudget(*arguments)(results)[["qid", "docno", "rank"]].itertuples(index=False, name=None))


def test_the_ranking_is_kept_as_long_as_it_fits():
    assert kept(RESULTS, 100) == [("q", "c", 0), ("q", "b", 1), ("p", "a", 0)]
    assert kept(RESULTS, 99) == [("q", "c", 0), ("p", "a", 0)]


def test_documents_below_one_that_does_not_fit_are_left_out():
    assert kept(RESULTS, 50) == [("p", "a", 0)]


def test_another_column_has_the_lengths():
    assert kept(RESULTS.assign(words=1), 2, "words") == [("q", "c", 0), ("q", "b", 1), ("p", "a", 0)]


def test_a_session_is_read_turn_by_turn():
    session = RESULTS.query("qid == 'q'").assign(turn=[0, 1, 0])

    assert kept(session, 70) == [("q", "b", 0), ("q", "a", 1)]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=12), min_size=5, max_size=5), st.integers(1, 40))
def test_the_kept_documents_are_the_longest_top_that_fits(lengths, budget):
    rows = [(f"q{q}", f"d{i:02d}", n, -float(i)) for q, of_query in enumerate(lengths) for i, n in enumerate(of_query)]
    results = pd.DataFrame(rows, columns=["qid", "docno", "doc_len", "score"])

    sizes = TokenBudget(budget)(results.sample(frac=1, random_state=1))["qid"].value_counts()

    for q, of_query in enumerate(lengths):
        n = sizes.get(f"q{q}", 0)
        assert sum(of_query[:n]) <= budget
        assert n == len(of_query) or sum(of_query[: n + 1]) > budget


@pytest.mark.parametrize("budget", [0, -1, float("inf"), "many"])
def test_a_budget_out_of_range_is_refused(budget):
    with pytest.raises(ValueError, match=r"TokenBudget: budget must be a number in \(0, inf\), not"):
        TokenBudget(budget)


@pytest.mark.parametrize(
    ("length", "message"),
    [(-1.0, "doc_len must not be negative"), (float("nan"), "doc_len"), ("long", "doc_len")],
)
def test_a_length_that_cannot_be_read_is_refused(length, message):
    with pytest.raises((ValueError, TypeError), match=message):
        TokenBudget(5)(RESULTS.assign(doc_len=length))
