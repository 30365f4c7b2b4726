import numpy as np
import pytest
from ir_measures import nDCG

import drawn
from by_hand import qrels, session, value, values
from pyterrier_diversity import ACT, CT, Adhoc, CT_rank, nCT
from pyterrier_diversity.measures import registered

# Documents a, b, then, in another turn, c. Of x, they fill 1, 1 and 0; of y, 1/2, 0 and 3/4: the cube is 5 high.
JUDGED = qrels("q x a 2", "q x b 4", "q y a 1", "q y c 3")
READ = session("ab", "c")


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
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
    assert value(measure, JUDGED, READ) == pytest.approx(expected, abs=1e-15)


def test_the_bound_may_be_over_more_documents_than_a_float_can_count():
    with np.errstate(all="raise"):
        bounded = value(nCT(batch=10**10) @ 10**300, JUDGED, READ)

    assert bounded == pytest.approx(1.625 / 2 / 4.25 * 1e300, rel=1e-12)


def test_the_gain_of_a_document_is_the_column_gain_where_there_is_one():
    judged = qrels("q x a 4", "q y a 1", gain=[6, 1])

    assert value(CT(max_height=10), judged, session("a")) == pytest.approx((3 + 0.5) / 2 / 10, abs=1e-15)
    assert value(nCT(max_height=10), judged, session("a")) == pytest.approx(1 / 2, abs=1e-15)


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
def test_missing_turns_and_repeated_documents_take_time_and_gain_nothing(turns, filled):
    # Of a cube of height 4, a and b fill 1 each.
    judged, run = qrels("q x a 2", "q x b 4"), session(*turns)

    assert value(ACT(max_height=4), judged, run) == pytest.approx(sum(filled) / len(filled) / 4, abs=1e-15)
    assert value(CT(max_height=4), judged, run) == pytest.approx(2 / 4 / len(turns), abs=1e-15)


@pytest.mark.parametrize(("batch", "turns"), [(1, 3), (2, 2)])
def test_without_turns_some_documents_are_one(batch, turns):
    run = session("abc").drop(columns="turn")

    assert value(CT(batch=batch), JUDGED, run) == pytest.approx(1.625 / 5 / turns, abs=1e-15)


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
