import pandas as pd
import pytest

from pyterrier_diversity.meta import reproduction

PRINTED = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.7}


def verdicts(theirs, ours, **others):
    frame = reproduction("P", "Table 1", theirs, ours, **{"decimals": 1, "why": "other runs", **others})
    return dict(zip(frame["cell"], frame["verdict"], strict=True))


def test_numbers_agree_up_to_half_of_the_last_place():
    ours = {"a": 0.85, "b": 0.8499, "c": 0.7, "d": 0.7}

    assert verdicts(PRINTED, ours) == dict.fromkeys("abcd", "agrees")


def test_a_number_that_is_off_and_ordered_as_in_the_paper_is_order_only():
    ours = {"a": 0.99, "b": 0.8, "c": 0.7, "d": 0.7}

    assert verdicts(PRINTED, ours)["a"] == "order only"


def test_a_number_that_is_off_and_out_of_order_differs():
    ours = {"a": 0.1, "b": 0.8, "c": 0.7, "d": 0.7}

    assert verdicts(PRINTED, ours)["a"] == "differs"


def test_a_tie_is_not_the_order_of_the_paper():
    assert verdicts({"a": 0.9, "b": 0.8}, {"a": 0.5, "b": 0.5}) == {"a": "differs", "b": "differs"}


def test_cells_that_the_paper_ties_do_not_count_for_the_order():
    ours = {"a": 0.6, "b": 0.5, "c": 0.3, "d": 0.4}

    assert verdicts(PRINTED, ours) == dict.fromkeys("abcd", "order only")


def test_nine_of_ten_other_cells_are_enough_and_eight_are_not():
    theirs = {str(i): float(i) for i in range(11)}
    ours = {name: value + 0.2 for name, value in theirs.items()}

    assert verdicts(theirs, {**ours, "10": 8.5})["10"] == "order only"
    assert verdicts(theirs, {**ours, "10": 7.5})["10"] == "differs"


def test_cells_that_measure_different_things_have_no_order():
    ours = {"a": 0.99, "b": 0.8, "c": 0.7, "d": 0.7}

    assert verdicts(PRINTED, ours, ordered=False)["a"] == "differs"


def test_a_number_alone_agrees_or_differs():
    assert verdicts({"a": 0.4}, {"a": 0.6}) == {"a": "differs"}


def test_what_is_missing_cannot_be_had():
    assert verdicts(PRINTED, {"a": float("nan"), "b": 0.8})["a"] == "cannot be had"
    assert verdicts(PRINTED, {"a": 0.9, "b": 0.8})["d"] == "cannot be had"


def test_text_agrees_if_it_is_equal():
    assert verdicts({"a": "met", "b": "met"}, {"a": "met", "b": "missed"}) == {"a": "agrees", "b": "differs"}


def test_values_are_shown_as_the_paper_prints_them():
    frame = reproduction("P", "Table 1", {"a": 0.5, "b": 0}, {"a": 0.5, "b": -0.0001}, decimals=3)

    assert frame[["theirs", "ours"]].to_numpy().tolist() == [["0.500", "0.500"], ["0.000", "0.000"]]


def test_the_reason_stands_beside_what_does_not_agree():
    frame = reproduction("P", "Table 1", {"a": 1, "b": 2}, {"a": 1, "b": 3}, decimals=0, why={"b": "other runs"})

    assert frame["why"].tolist() == ["", "other runs"]
    assert frame.loc[0, ["paper", "table_or_figure"]].tolist() == ["P", "Table 1"]


def test_series_are_taken_as_mappings():
    frame = reproduction("P", "Table 1", pd.Series({"a": 0.25}), pd.Series({"a": 0.25}), decimals=2)

    assert frame["verdict"].tolist() == ["agrees"]


def test_a_difference_needs_a_reason():
    with pytest.raises(ValueError, match="reproduction: why must have a reason for 'b' of Table 1"):
        reproduction("P", "Table 1", {"a": 1, "b": 2}, {"a": 1, "b": 3})


def test_cells_that_the_paper_lacks_are_refused():
    with pytest.raises(ValueError, match="reproduction: theirs must have each cell that ours has, but b is missing"):
        reproduction("P", "Table 1", {"a": 1}, {"a": 1, "b": 3})


def test_an_empty_table_is_refused():
    with pytest.raises(ValueError, match="reproduction: theirs must not be empty"):
        reproduction("P", "Table 1", {}, {})
