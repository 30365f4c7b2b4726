import math
import warnings

import numpy as np
import pandas as pd
import pytest
from ir_measures import nDCG

import drawn
from by_hand import qrels, session, value, values
from pyterrier_diversity import ACT, CT, EU_DD, Adhoc, CT_rank, SessionDCG, nCT, nSessionDCG
from pyterrier_diversity.measures import registered

# Documents a, b, then, in another turn, c: worth 3, 4 and 3. Of x, they fill 1, 1 and 0; of y, 1/2, 0 and 3/4: the cube
# is 5 high.
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
        (CT, 1.625 / 5 / 2),
        (CT @ 1, 1.25 / 5),
        (CT @ 4, 1.625 / 5 / 2),
        (CT(gamma=1), (5 + 4) / 2 / 5 / 2),
        (ACT, (0.75 / 5 + 1.25 / 5 + 1.625 / 5 / 2) / 3),
        (ACT @ 1, (0.75 / 5 + 1.25 / 5) / 2),
        (ACT(max_height=1), (0.75 + 0.75 + 1 / 2) / 3),
        # The bound: 4 + 1 of x, and 3 + 1/2 of y.
        (nCT, 1.625 / 2 / (4.25 / 2)),
        (nCT @ 1, 1.25 / 4.25),
        (nCT @ 4, 1.625 / 2 / (4.25 / 4)),
        (nCT(gamma=1), 4.5 / 4.5),
        (nCT(max_height=3), (1 + 1 + 1 / 2 + 3 / 4) / (3 + 3)),
    ],
    ids=repr,
)
def test_values_of_three_documents_in_two_turns_worked_by_hand(measure, expected):
    assert value(measure, JUDGED, READ) == pytest.approx(expected, abs=1e-14)


def test_an_intent_of_weight_0_is_left_out():
    assert value(SessionDCG, JUDGED.assign(weight=[1, 1, 0, 0]), READ) == pytest.approx(2 + 4 / 2, abs=1e-15)


def test_the_gain_of_a_document_is_the_column_gain_where_there_is_one():
    judged = qrels("q x a 1", "q y a 1", "q x b 4", gain=[6, 1, 3])
    cubes = qrels("q x a 4", "q y a 1", gain=[6, 1])

    assert value(SessionDCG, judged, session("ab")) == pytest.approx((6 + 1) + 3 / 2, abs=1e-15)
    assert value(nSessionDCG, judged, session("ab")) == pytest.approx(1, abs=1e-15)
    assert value(CT(max_height=10), cubes, session("a")) == pytest.approx((3 + 0.5) / 2 / 10, abs=1e-15)
    assert value(nCT(max_height=10), cubes, session("a")) == pytest.approx(1 / 2, abs=1e-15)


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
    ("measure", "expected"),
    [
        (SessionDCG(batch=1), 3 + 4 / 1.5 + 3 / (1 + math.log(3, 4))),
        (SessionDCG(batch=5), 3 + 4 / 2 + 3 * D3),
        (CT(batch=1), 1.625 / 5 / 3),
        (CT(batch=2), 1.625 / 5 / 2),
    ],
    ids=repr,
)
def test_without_turns_some_documents_are_one(measure, expected):
    run = session("abc").drop(columns="turn")

    assert value(measure, JUDGED, run) == pytest.approx(expected, abs=1e-15)


def test_the_best_session_scores_1():
    judged = qrels("q x a 4", "q x b 3", "q y c 2", "q x d 1")

    # The discounts of two turns of two documents are 1, 1/2 and 2/3, 1/3.
    assert value(nSessionDCG(batch=2), judged, session("ac", "bd")) == pytest.approx(1, abs=1e-15)


def test_a_cutoff_beyond_the_session_makes_the_ideal_longer():
    judged = qrels("q x a 1", "q x b 1")

    at = [value(nSessionDCG(batch=1) @ k, judged, session("ab")) for k in (1, 2, 50)]

    assert at == pytest.approx([1.5, 1.5 / (1 + 1 / 1.5), 1.5 / (1 + 1 / 1.5)], abs=1e-15)


def test_the_bound_may_be_over_more_documents_than_a_float_can_count():
    with np.errstate(all="raise"):
        bounded = value(nCT(batch=10**10) @ 10**300, JUDGED, READ)

    assert bounded == pytest.approx(1.625 / 2 / 4.25 * 1e300, rel=1e-12)


def test_a_short_perfect_run_has_a_normalised_cube_test_above_1():
    # CT is 1/2 * 4 / 5 after a turn; the bound, 4 / 5, is shared out to five turns.
    assert value(nCT @ 5, qrels("q x a 4"), session("a")) == pytest.approx(5 / 2, abs=1e-15)


def test_a_perfect_run_of_all_turns_has_a_normalised_cube_test_below_1():
    assert value(nCT @ 1, qrels("q x a 4"), session("a")) == pytest.approx(1 / 2, abs=1e-15)


@pytest.mark.parametrize(("batch", "bound"), [(1, 2 + 1), (3, 2 + 1 + 1 / 2 + 1 / 4)])
def test_the_bound_looks_at_one_document_more_than_the_turns_have(batch, bound):
    judged = qrels("q x a 2", "q x b 2", "q x c 2", "q x d 2", "q x e 2")

    assert value(nCT(batch=batch) @ 1, judged, session("a")) == pytest.approx(1 / bound, abs=1e-15)


@pytest.mark.parametrize(
    ("turns", "filled"),
    [
        (["a", "", "b"], [1, 1 / 2, 2 / 3]),
        (["a", "a", "b"], [1, 1 / 2, 2 / 3]),
        (["aa", "uab"], [1, 1, 1 / 2, 1 / 2, 2 / 2]),
    ],
    ids=str,
)
def test_missing_turns_and_repeated_documents_take_time_and_fill_nothing(turns, filled):
    # Of a cube of height 4, a and b fill 1 each.
    judged, run = qrels("q x a 2", "q x b 4"), session(*turns)

    assert value(ACT(max_height=4), judged, run) == pytest.approx(sum(filled) / len(filled) / 4, abs=1e-15)
    assert value(CT(max_height=4), judged, run) == pytest.approx(2 / 4 / len(turns), abs=1e-15)


def test_a_cutoff_beyond_every_session_only_affects_the_bound():
    assert value(CT @ 2**40, JUDGED, READ) == value(CT, JUDGED, READ)
    assert value(ACT @ 2**40, JUDGED, READ) == value(ACT, JUDGED, READ)
    assert value(nCT @ 2**40, JUDGED, READ) == pytest.approx(value(nCT, JUDGED, READ) * 2**40 / 2, rel=1e-12)


# r of x: 3/4 of a, 1/4 of b; of y: 1/2 of a.
GRADED = qrels("q x a 2", "q x b 1", "q y a 1")


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (CT_rank, (3 / 4 + 1 / 2) / 2 + 1 / 2 * 1 / 4 * 1 / 2 / 2),
        (CT_rank @ 1, (3 / 4 + 1 / 2) / 2),
        (CT_rank(gamma=1), (3 / 4 + 1 / 2) / 2 + 1 / 2 * 1 / 4 / 2),
        (CT_rank(saturation=0.75), (3 / 4 + 1 / 2) / 2),
        (CT_rank(saturation=0.76), (3 / 4 + 1 / 2) / 2 + 1 / 2 * 1 / 4 * 1 / 2 / 2),
        (CT_rank(gain="linear"), (1 + 1) / 2),
        (CT_rank(gain="linear", saturation=1.5), (1 + 1) / 2 + 1 / 2 * 1 / 2 * 1 / 2 / 2),
        (CT_rank(max_rel=3), (3 / 8 + 1 / 8) / 2 + 1 / 2 * 1 / 8 * 1 / 2 / 2),
        (CT_rank(rel=2), 3 / 4),
    ],
    ids=repr,
)
def test_values_of_the_cube_test_by_rank_worked_by_hand(measure, expected):
    assert value(measure, GRADED, session("ab")) == pytest.approx(expected, abs=1e-15)


def test_the_cutoff_of_the_cube_test_by_rank_counts_documents_and_those_of_the_others_turns():
    run = session("a", "b")

    assert value(CT_rank @ 2, GRADED, run) == value(CT_rank @ 2, GRADED, session("ab"))
    assert value(CT @ 1, GRADED, run) < value(CT @ 1, GRADED, session("ab"))


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


# Measures of documents and intents, because those of passages read other columns.
PLAIN = [
    measure
    for measure in registered()
    if "measure" not in measure.SUPPORTED_PARAMS and measure.NAME not in ("UserModel", "EU_DD")
]


def test_all_measures_read_passages_as_documents_with_their_highest_label_and_the_sum_as_gain():
    passages, run = drawn.sessions(2)
    passages["rarity"] = 0.5
    measures = [
        *PLAIN,
        *(measure(cutoff=2) for measure in PLAIN if "cutoff" in measure.SUPPORTED_PARAMS),
        Adhoc(nDCG @ 5),
    ]
    measures = [m for m in measures if m.NAME not in ("ERR_IA", "alpha_DCG") or "cutoff" in m.params]

    of_passages = values(measures, passages, run)

    assert of_passages == values(measures, drawn.of_documents(passages), run)
    assert len(of_passages) > 60
