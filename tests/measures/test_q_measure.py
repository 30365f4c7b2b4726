import pytest
from ir_measures import AP

import drawn
from pyterrier_diversity import IA, Adhoc, Pplus, PplusQ, Q, score

# Gains of a, b, c: 1, 7, 3; the ideal list cumulates 7, 10, 11.
JUDGED = {"a": {"i": 1}, "b": {"i": 3}, "c": {"i": 2}, "n": {"i": 0}}
# Blended ratios of the ranking a, n, b, c.
AT_1, AT_3, AT_4 = (1 + 1) / (1 + 7), (2 + 8) / (3 + 11), (3 + 11) / (4 + 11)

# Fig. 1 of Sakai (2013), a document of rank 5 that is L1-relevant: i is informational, j navigational.
FIGURE_1 = {"a": {"i": 1}, "b": {"i": 3, "j": 1}, "d": {"j": 3}, "e": {"i": 1}}
NAVIGATIONAL = "j"
# Gains for i: 1, 7, 0, 0, 1 (ideal 7, 8, 9); for j: 0, 1, 0, 7, 0 (ideal 7, 8).
Q_OF_I = ((1 + 1) / (1 + 7) + (2 + 8) / (2 + 8) + (3 + 9) / (5 + 9)) / 3
P_PLUS_OF_J = ((1 + 1) / (2 + 8) + (2 + 8) / (4 + 8)) / 2


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (Q, (AT_1 + AT_3 + AT_4) / 3),
        (Q @ 1, AT_1),
        (Q @ 2, AT_1 / 2),
        (Q @ 3, (AT_1 + AT_3) / 3),
        (Q @ 4, (AT_1 + AT_3 + AT_4) / 3),
        (Q(beta=0), (1 + 2 / 3 + 3 / 4) / 3),
        (Q(beta=10), (11 / 71 + 82 / 113 + 113 / 114) / 3),
        (Q(gain="linear"), (2 / (1 + 3) + (2 + 4) / (3 + 6) + (3 + 6) / (4 + 6)) / 3),
        (Q(gain="binary"), (2 / 2 + 4 / (3 + 3) + 6 / (4 + 3)) / 3),
        (Pplus, (AT_1 + AT_3) / 2),
        (Pplus @ 1, AT_1),
        (Pplus @ 2, AT_1),
        (Pplus @ 3, (AT_1 + AT_3) / 2),
        (Pplus(beta=0), (1 + 2 / 3) / 2),
        (Pplus(beta=10), (11 / 71 + 82 / 113) / 2),
        (Pplus(gain="linear"), (2 / (1 + 3) + (2 + 4) / (3 + 6)) / 2),
    ],
    ids=repr,
)
def test_values_of_three_documents_worked_by_hand(measure, value, value_of):
    assert value_of(measure, JUDGED, "anbc") == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("cutoff", "value"),
    [
        (10, (2 / (1 + 7) + (2 + 4) / (5 + 14)) / 2),
        (9, (2 / (1 + 7) + (2 + 4) / (5 + 14)) / 2),
        (4, 2 / (1 + 7)),
        (20, (2 / (1 + 7) + (2 + 4) / (5 + 14) + (3 + 7) / (10 + 14) + (4 + 14) / (20 + 14)) / 4),
        (None, (2 / (1 + 7) + (2 + 4) / (5 + 14) + (3 + 7) / (10 + 14) + (4 + 14) / (20 + 14)) / 4),
    ],
)
def test_the_preferred_rank_is_that_of_the_papers_footnote_6(cutoff, value, value_of):
    ranks = {1: 1, 5: 2, 10: 2, 20: 3}
    judged = {f"d{rank}": {"i": label} for rank, label in ranks.items()}

    value_at_cutoff = value_of(Pplus(cutoff=cutoff), judged, [f"d{rank}" for rank in range(1, 21)])

    assert value_at_cutoff == pytest.approx(value, abs=1e-12)


def test_the_preferred_rank_is_the_first_of_the_highest_grade(value_of):
    judged = {"a": {"i": 2}, "b": {"i": 2}, "c": {"i": 3}}

    assert value_of(Pplus, judged, "uabv") == pytest.approx((1 + 3) / (2 + 10), abs=1e-12)


def test_documents_below_the_preferred_rank_change_nothing(value_of):
    assert value_of(Pplus, JUDGED, "anbcuv") == value_of(Pplus, JUDGED, "anbu")


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (PplusQ, (Q_OF_I + P_PLUS_OF_J) / 2),
        (PplusQ @ 5, (Q_OF_I + P_PLUS_OF_J) / 2),
        (PplusQ @ 2, ((1 / 4 + 1) / 2 + 2 / 10) / 2),
        (PplusQ @ 1, (1 / 4 + 0) / 2),
        (PplusQ(beta=0), ((1 + 1 + 3 / 5) / 3 + (1 / 2 + 2 / 4) / 2) / 2),
        (PplusQ(gain="linear") @ 2, ((2 / 4 + (2 + 4) / (2 + 4)) / 2 + 2 / (2 + 4)) / 2),
    ],
    ids=repr,
)
def test_values_of_figure_1_worked_by_hand(measure, value, value_of):
    assert value_of(measure, FIGURE_1, "abcde", navigational=NAVIGATIONAL) == pytest.approx(value, abs=1e-12)


def test_pplusq_of_figure_1_falls_below_intent_aware_q_if_the_first_document_for_j_is_its_best(value_of):
    judged = {**FIGURE_1, "b": {"i": 3, "j": 3}}

    value = value_of(PplusQ @ 5, judged, "abcde", navigational=NAVIGATIONAL)

    # For j, gains 7 and 7 at ranks 2 and 4; the second one is below the preferred rank.
    assert value == pytest.approx((Q_OF_I + (1 + 7) / (2 + 14)) / 2, abs=1e-12)
    assert value < value_of(IA(Q @ 5), judged, "abcde")


@pytest.mark.parametrize("seed", [0, 2])  # whole labels, which pytrec_eval wants
@pytest.mark.parametrize("rel", [None, 2])
def test_q_without_persistence_is_the_average_precision_of_ir_measures(rel, seed, by_query):
    qrels, run = drawn.intent_topics(seed)

    expected = by_query(Adhoc(AP(rel=rel or 1)), qrels, run)

    assert by_query(Q(beta=0, rel=rel), qrels, run) == pytest.approx(expected, abs=1e-9)
    assert len(set(expected.values())) > 2


@pytest.mark.parametrize(("measure", "value"), [(Q, (1 + 4 / 6) / 2), (Pplus, 1), (PplusQ, (1 + 4 / 6) / 2)], ids=repr)
def test_the_ideal_list_ends_with_its_last_relevant_document(measure, value, value_of):
    # The ideal list cumulates 1, 2, 2, 2, ...; the cutoff is larger than R.
    assert value_of(measure @ 10, {"a": {"i": 1}, "b": {"i": 1}}, "auvb") == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("cutoff", [None, 4, 100])
def test_q_also_divides_by_relevant_documents_that_are_not_retrieved(cutoff, value_of):
    assert value_of(Q(cutoff=cutoff), JUDGED, "b") == pytest.approx(1 / 3, abs=1e-12)


def test_documents_that_are_not_relevant_push_the_others_down():
    # The ideal list cumulates 7, 10, 11.
    ratios = (1 + 0.5 * 1) / (1 + 0.5 * 7), (2 + 0.5 * 8) / (3 + 0.5 * 11), (3 + 0.5 * 11) / (5 + 0.5 * 11)

    assert score(Q(beta=0.5), [1, 0, 3, 0, 2]) == sum(ratios) / 3
