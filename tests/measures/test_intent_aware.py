import pytest

from pyterrier_diversity import AP_IA, P_IA, nP_IA

JUDGED = {"a": {"x": 1}, "b": {"x": 1, "y": 1}, "c": {"z": 1}, "d": {"x": 1}, "n": {"y": 0}}


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (P_IA @ 1, 1 / 3),
        (P_IA @ 3, (2 / 3 + 1 / 3) / 3),
        (P_IA @ 10, (2 / 10 + 1 / 10) / 3),
        (P_IA, (2 / 3 + 1 / 3) / 3),
        (AP_IA, ((1 + 2 / 3) / 3 + 1 / 3) / 3),
        (nP_IA @ 1, 1 / 2),
        (nP_IA @ 2, 1 / 3),
        (nP_IA @ 3, 3 / 4),
        (nP_IA @ 10, 3 / 5),
        (nP_IA, 3 / 5),
    ],
    ids=repr,
)
def test_values_of_three_documents_worked_by_hand(measure, value, value_of):
    assert value_of(measure, JUDGED, "anb") == pytest.approx(value, abs=1e-15)


def test_precision_at_a_cutoff_that_no_ranking_reaches_is_not_negative(value_of):
    assert value_of(P_IA @ 2**62, JUDGED, "anb") >= 0


def test_precision_of_judged_documents_divides_by_their_number(value_of):
    assert value_of(P_IA(judged_only=True), {"a": {"x": 1}, "n": {"x": 0}}, "uanv") == 1 / 2


# The best ranking under these is c, b, and then a and d, which are worth the same.
WEIGHTS = {"x": 1, "y": 2, "z": 5}


@pytest.mark.parametrize(
    ("cutoff", "value"), [(1, 1 / 5), (2, 1 / (5 + 3)), (3, (1 + 3) / (5 + 3 + 1)), (9, (1 + 3) / (5 + 3 + 1 + 1))]
)
def test_normalised_precision_weighs_intents(cutoff, value, value_of):
    assert value_of(nP_IA @ cutoff, JUDGED, "anb", weights=WEIGHTS) == pytest.approx(value, abs=1e-15)
