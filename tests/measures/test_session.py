import math
import warnings

import pandas as pd
import pytest

import drawn
from by_hand import qrels, session, value, values
from pyterrier_diversity import EU_DD, SessionDCG, nSessionDCG

# Documents a, b, then, in another turn, c: worth 3, 4 and 3.
JUDGED = qrels("q x a 2", "q x b 4", "q y a 1", "q y c 3")
READ = session("ab", "c")
D3 = 1 / (1 + math.log2(3))


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (SessionDCG, 3 + 4 / 2 + 3 / 1.5),
        (SessionDCG @ 1, 3 + 4 / 2),
        (SessionDCG @ 9, 3 + 4 / 2 + 3 / 1.5),
        (SessionDCG(b=4), 3 + 4 / 1.5 + 3 / 1.5),
        (SessionDCG(bq=2), 3 + 4 / 2 + 3 / 2),
        # The ideal reads b at rank 1 of turn 1, a and c at the next best places.
        (nSessionDCG, 7 / (4 + 3 / 1.5 + 3 / 2)),
        (nSessionDCG @ 1, 5 / (4 + 3 / 2 + 3 * D3)),
        (nSessionDCG @ 3, 7 / (4 + 3 / 1.5 + 3 / (1 + math.log(3, 4)))),
        (nSessionDCG(b=4), (3 + 7 / 1.5) / (4 + 6 / 1.5)),
        (nSessionDCG(batch=1) @ 1, 5 / 4),
        (nSessionDCG(batch=1), 7 / (4 + 3 / 1.5)),
    ],
    ids=repr,
)
def test_values_of_three_documents_in_two_turns_worked_by_hand(measure, expected):
    assert value(measure, JUDGED, READ) == pytest.approx(expected, abs=1e-14)


def test_an_intent_of_weight_0_is_left_out():
    assert value(SessionDCG, JUDGED.assign(weight=[1, 1, 0, 0]), READ) == pytest.approx(2 + 4 / 2, abs=1e-15)


def test_the_gain_of_a_document_is_the_column_gain_where_there_is_one():
    judged = qrels("q x a 1", "q y a 1", "q x b 4", gain=[6, 1, 3])

    assert value(SessionDCG, judged, session("ab")) == pytest.approx((6 + 1) + 3 / 2, abs=1e-15)
    assert value(nSessionDCG, judged, session("ab")) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (["ab", "", "c"], 3 + 4 / 2 + 3 / (1 + math.log(3, 4))),
        (["ab", "a", "c"], 3 + 4 / 2 + 3 / (1 + math.log(3, 4))),
        (["ab", "ac"], 3 + 4 / 2 + 3 / 2 / 1.5),
        (["aab"], 3 + 4 * D3),
    ],
    ids=str,
)
def test_missing_turns_and_repeated_documents_keep_their_places_and_gain_nothing(turns, expected):
    assert value(SessionDCG, JUDGED, session(*turns)) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("batch", "expected"),
    [(1, 3 + 4 / 1.5 + 3 / (1 + math.log(3, 4))), (5, 3 + 4 / 2 + 3 * D3)],
)
def test_without_turns_some_documents_are_one(batch, expected):
    run = session("abc").drop(columns="turn")

    assert value(SessionDCG(batch=batch), JUDGED, run) == pytest.approx(expected, abs=1e-15)


def test_the_best_session_scores_1():
    judged = qrels("q x a 4", "q x b 3", "q y c 2", "q x d 1")

    # The discounts of two turns of two documents are 1, 1/2 and 2/3, 1/3.
    assert value(nSessionDCG(batch=2), judged, session("ac", "bd")) == pytest.approx(1, abs=1e-15)


def test_a_cutoff_beyond_the_session_makes_the_ideal_longer():
    judged = qrels("q x a 1", "q x b 1")

    at = [value(nSessionDCG(batch=1) @ k, judged, session("ab")) for k in (1, 2, 50)]

    assert at == pytest.approx([1.5, 1.5 / (1 + 1 / 1.5), 1.5 / (1 + 1 / 1.5)], abs=1e-15)


def passages(*rows: str) -> pd.DataFrame:
    """Qrels of the rows "passage document rating nugget", all of one intent but for the nugget n2."""
    read = [row.split() for row in rows]
    judged = qrels(*(f"q {'y' if nugget == 'n2' else 'x'} {doc} {rating}" for _, doc, rating, nugget in read))
    return judged.assign(passage=[row[0] for row in read], nugget=[row[3] for row in read])


# In the first turn, a or b is the last document, with the same probability. So n1 is met 1/2 * 1 + 1/2 * 2 times,
# n2 1/2 times; in the second turn, n2 is met two times more.
PASSAGES = passages("1 a 2 n1", "2 b 3 n1", "3 b 1 n2", "4 c 1 n2", "5 c 1 n2")
WORDS = {"a": 100.0, "b": 300.0, "c": 50.0}


def told(turns, **words):
    """A run whose documents have the given lengths; others are unknown."""
    run = session(*turns)
    return run.assign(doc_len=run["docno"].map(words).astype(float))


TOLD = told(["ab", "c"], **WORDS)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (EU_DD(a=0), 3 * 2 * (1 - 0.5**1.5) + 2 * (1 - 0.5**2.5)),
        (EU_DD, 3 * 2 * (1 - 0.5**1.5) + 2 * (1 - 0.5**2.5) - 0.001 * (50 + 200 + 50)),
        (EU_DD @ 1, 3 * 2 * (1 - 0.5**1.5) + 2 * (1 - 0.5**0.5) - 0.001 * (50 + 200)),
        (EU_DD @ 9, 3 * 2 * (1 - 0.5**1.5) + 2 * (1 - 0.5**2.5) - 0.001 * (50 + 200 + 50)),
        (EU_DD(gamma=0), 3 + 1 - 0.3),
        (EU_DD(gamma=0.25), 3 / 0.75 * (1 - 0.25**1.5) + 1 / 0.75 * (1 - 0.25**2.5) - 0.3),
        (EU_DD(p=0.25), 3 * 2 * (1 - 0.5**1.75) + 2 * (1 - 0.5**2.75) - 0.001 * (25 + 300 + 50)),
    ],
    ids=repr,
)
def test_utilities_of_three_documents_in_two_turns_worked_by_hand(measure, expected):
    assert value(measure, PASSAGES, TOLD) == pytest.approx(expected, abs=1e-14)


def test_users_who_stop_for_sure_read_the_first_document_of_each_turn():
    judged = passages("1 a 2 n1", "2 b 2 n1", "3 b 1 n2", "4 c 1 n2", "5 c 1 n2")

    assert value(EU_DD(p=1), judged, TOLD) == pytest.approx(2 * 2 * 0.5 + 2 * 0.75 - 0.001 * (100 + 50), abs=1e-15)


GAIN = 3 * 2 * (1 - 0.5**1.5) + 2 * (1 - 0.5**2.5)


@pytest.mark.parametrize(
    ("words", "cost"),
    [
        ({"a": 100, "c": 50}, 50 + 50),
        ({"b": 300, "c": 50}, 150 + 50),
        ({}, 0),
    ],
    ids=str,
)
def test_a_document_of_unknown_length_costs_nothing_at_its_rank(words, cost):
    assert value(EU_DD, PASSAGES, told(["ab", "c"], **words)) == pytest.approx(GAIN - 0.001 * cost, abs=1e-14)


@pytest.mark.parametrize(
    ("turns", "cost"),
    [
        (["ab", "ac"], 50 + 200 + 25),
        (["aab", "c"], 50 + 0 + 1 / 4 * 400 + 50),
        (["ab", "", "c"], 50 + 200 + 50),
    ],
    ids=str,
)
def test_missing_turns_and_repeated_documents_cost_nothing(turns, cost):
    run = told(turns, **WORDS)

    assert value(EU_DD(a=0), PASSAGES, run) - value(EU_DD, PASSAGES, run) == pytest.approx(0.001 * cost, abs=1e-14)


@pytest.mark.parametrize(
    ("turns", "n1", "n2"),
    [
        # Having read a before, users stop at it with probability 1/2.
        (["ab", "ac"], 1.5, 1.5),
        (["ab", "", "c"], 1.5, 2.5),
        (["aab"], 1 / 2 + 1 / 4 + 2 / 4, 1 / 4),
    ],
    ids=str,
)
def test_missing_turns_and_repeated_documents_add_no_gain(turns, n1, n2):
    gain = 3 * 2 * (1 - 0.5**n1) + 2 * (1 - 0.5**n2)

    assert value(EU_DD(a=0), PASSAGES, told(turns)) == pytest.approx(gain, abs=1e-14)


@pytest.mark.parametrize(("turns", "rating"), [(["ab"], 3), (["b", "ab"], 2)], ids=str)
def test_a_nugget_is_worth_the_rating_of_the_last_passage_read(turns, rating):
    # One rating or the other, since the first document has been read for sure.
    judged = passages("1 a 2 n1", "2 b 3 n1")

    gain = value(EU_DD(a=0, gamma=0), judged, told(turns))

    assert gain == pytest.approx(rating, abs=1e-15)


def test_a_nugget_counts_for_each_passage_of_a_document():
    judged = passages("1 a 2 n1", "2 a 2 n1", "3 a 2 n1", "4 a 1 n2")

    assert value(EU_DD(a=0), judged, told(["a"])) == pytest.approx(2 * 2 * (1 - 0.5**3) + 2 * 0.5, abs=1e-15)


def test_a_session_without_relevant_documents_is_pure_cost():
    assert value(EU_DD, PASSAGES, told(["uv"], u=200, v=100)) == pytest.approx(-0.001 * (100 + 150), abs=1e-15)


@pytest.mark.parametrize(("batch", "cost"), [(2, 50 + 200 + 50), (5, 50 + 1 / 4 * 400 + 1 / 4 * 450)])
def test_without_turns_reading_costs_by_batches(batch, cost):
    run = told(["abc"], **WORDS).drop(columns="turn")

    free, costly = (value(EU_DD(a=a, batch=batch), PASSAGES, run) for a in (0, 0.001))

    assert free - costly == pytest.approx(0.001 * cost, abs=1e-14)


def test_a_run_without_lengths_costs_nothing_and_is_warned_of_once():
    run = TOLD.drop(columns="doc_len")

    with pytest.warns(UserWarning, match="doc_len") as caught:
        computed = values([EU_DD, EU_DD @ 1, EU_DD(gamma=0)], PASSAGES, run)

    assert len(caught) == 1
    assert computed["EU_DD"] == pytest.approx([GAIN], abs=1e-14)


def test_an_empty_run_needs_no_lengths():
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        assert value(EU_DD, PASSAGES, TOLD.drop(columns="doc_len").head(0)) == 0


@pytest.mark.parametrize("missing", [["passage", "nugget"], ["passage"], ["nugget"]], ids=str)
def test_qrels_without_passages_are_refused(missing):
    judged = drawn.of_documents(PASSAGES) if "passage" in missing else PASSAGES
    judged = judged.drop(columns="nugget", errors="ignore") if "nugget" in missing else judged.assign(nugget="n1")

    with pytest.raises(ValueError, match=r"^EU_DD.* needs .*io\.read_dd_truth") as refused:
        value(EU_DD, judged, TOLD)

    assert all(name in str(refused.value) for name in missing)


@pytest.mark.parametrize("run", [TOLD.head(0), {}], ids=["frame", "dict"])
def test_qrels_without_passages_are_fine_for_an_empty_run(run):
    assert value(EU_DD, drawn.of_documents(PASSAGES), run) == 0
