import pytest

from by_hand import qrels, session, value, values
from pyterrier_diversity import (
    ERR_arith,
    ERR_harm,
    P_at_Recall,
    P_at_Recall_mod,
    RR_at_Recall,
)

MEASURES = [ERR_arith, ERR_harm, P_at_Recall, P_at_Recall_mod, RR_at_Recall]

# Of d, nothing is known.
JUDGED = qrels("q x a 2", "q x b 1", "q y b 4", "q z c 1")
X, Y, Z = 3 / 16 + 1 / 2 * 13 / 16 * 1 / 16, 1 / 2 * 15 / 16, 1 / 3 * 1 / 16


@pytest.mark.parametrize(
    ("measure", "docs", "expected"),
    [
        (ERR_arith, "abcd", (X + Y + Z) / 3),
        (ERR_arith @ 2, "abcd", (X + Y) / 2),
        (ERR_harm, "abcd", 3 / (1 / X + 1 / Y + 1 / Z)),
        (ERR_harm @ 2, "abcd", 2 / (1 / X + 1 / Y)),
        (RR_at_Recall, "abcd", 1 / 3),
        (RR_at_Recall, "dbac", 1 / 4),
        (RR_at_Recall(rel=2), "abcd", 1 / 2),
        (P_at_Recall, "dabc", 3 / 4),
        (P_at_Recall(rel=2), "dbca", 2 / 4),
        (P_at_Recall_mod, "dbac", (2 / 2 + 0 + 1) / 4),
        (P_at_Recall_mod(rel=2), "dabc", (1 + 1) / 3),
    ],
    ids=str,
)
def test_values_of_some_documents_worked_by_hand(measure, docs, expected):
    assert value(measure, JUDGED, session(docs)) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (ERR_arith, (3 / 16 / 2 + 1 / 16 / 5) / 2),
        (RR_at_Recall, 1 / 5),
        (RR_at_Recall @ 3, 1 / 3),
        (RR_at_Recall @ 9, 1 / 5),
        (P_at_Recall @ 3, 1 / 3),
        (P_at_Recall_mod, (1 + 1) / 5),
    ],
    ids=repr,
)
def test_where_intents_are_missed_all_of_the_list_is_read(measure, expected):
    assert value(measure, JUDGED, session("daefc")) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("cutoff", [3, 2**40])
def test_a_cutoff_at_or_below_full_recall_has_no_effect(cutoff):
    for measure in (RR_at_Recall, P_at_Recall, P_at_Recall_mod):
        assert value(measure @ cutoff, JUDGED, session("abcde")) == value(measure, JUDGED, session("abcde"))


@pytest.mark.parametrize(
    ("turns", "rank"), [(["ab", "", "c"], 4), (["aab", "c"], 4), (["", "", "b", "bc"], 5)], ids=str
)
def test_turns_follow_each_other_and_places_of_nothing_count(turns, rank):
    assert value(RR_at_Recall, JUDGED, session(*turns)) == 1 / rank


def test_a_rating_above_4_is_refused():
    with pytest.raises(ValueError, match="labels may be at most 4, but query 'q' has 5"):
        value(ERR_arith, qrels("q x a 5"), session("a"))


def test_a_ranking_without_relevant_documents_has_the_reciprocal_rank_of_its_length_and_otherwise_0():
    computed = values(MEASURES, JUDGED, session("de"))

    assert computed == {measure.NAME: [0] for measure in MEASURES} | {"RR_at_Recall": [1 / 2]}
