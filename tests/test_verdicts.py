import pandas as pd
import pytest

from reproduction import Reproduction, reproduction

PRINTED = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.7}


def verdicts(theirs, ours, **others):
    options = {"evidence": "real", "decimals": 1, "why": "other runs", **others}
    frame = reproduction("P", "Table 1", theirs, ours, **options)
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


def test_what_is_missing_is_not_available():
    assert verdicts(PRINTED, {"a": float("nan"), "b": 0.8})["a"] == "not available"
    assert verdicts(PRINTED, {"a": 0.9, "b": 0.8})["d"] == "not available"


def test_text_agrees_if_it_is_equal():
    assert verdicts({"a": "met", "b": "met"}, {"a": "met", "b": "missed"}) == {"a": "agrees", "b": "differs"}


def test_values_are_shown_as_the_paper_prints_them():
    frame = reproduction("P", "Table 1", {"a": 0.5, "b": 0}, {"a": 0.5, "b": -0.0001}, evidence="real")

    assert frame[["theirs", "ours"]].to_numpy().tolist() == [["0.500", "0.500"], ["0.000", "0.000"]]


def test_the_reason_stands_beside_what_does_not_agree():
    options = {"evidence": "real", "decimals": 0, "why": {"b": "other runs"}}
    frame = reproduction("P", "Table 1", {"a": 1, "b": 2}, {"a": 1, "b": 3}, **options)

    assert frame["why"].tolist() == ["", "other runs"]
    assert frame.loc[0, ["paper", "table_or_figure"]].tolist() == ["P", "Table 1"]


def test_series_are_taken_as_mappings():
    frame = reproduction("P", "Table 1", pd.Series({"a": 0.25}), pd.Series({"a": 0.25}), evidence="real", decimals=2)

    assert frame["verdict"].tolist() == ["agrees"]


def test_a_difference_needs_a_reason():
    with pytest.raises(ValueError, match="reproduction: why must have a reason for 'b' of Table 1"):
        reproduction("P", "Table 1", {"a": 1, "b": 2}, {"a": 1, "b": 3}, evidence="real")


def test_cells_that_the_paper_lacks_are_refused():
    with pytest.raises(ValueError, match="reproduction: theirs must have each cell that ours has, but b is missing"):
        reproduction("P", "Table 1", {"a": 1}, {"a": 1, "b": 3}, evidence="real")


def test_an_empty_table_is_refused():
    with pytest.raises(ValueError, match="reproduction: theirs must not be empty"):
        reproduction("P", "Table 1", {}, {}, evidence="real")


def test_the_order_is_that_of_values_rounded_as_the_paper_prints_them():
    assert verdicts({"a": 0.9, "b": 0.8}, {"a": 0.52, "b": 0.48}) == {"a": "differs", "b": "differs"}


def test_an_error_of_the_paper_stands_with_its_derivation_whatever_is_found_here():
    derivation = {"a": "it contradicts b", "c": "it contradicts d"}
    options = {"evidence": "definition", "why": "other runs", "errors": derivation}
    frame = reproduction("P", "Table 1", PRINTED, {"a": 0.1, "b": 0.8, "c": 0.7}, **options).set_index("cell")

    assert frame["verdict"].to_dict() == {"a": "paper error", "b": "agrees", "c": "paper error", "d": "not available"}
    assert frame["why"].to_dict() == {"a": "it contradicts b", "b": "", "c": "it contradicts d", "d": "other runs"}


def test_what_made_up_systems_give_stands_beside_real_data_and_has_no_verdict():
    beside = {"a": 0.9}
    frame = reproduction("P", "Table 1", {"a": 0.9}, {"a": 0.4}, evidence="real", simulated=beside, why="w", decimals=1)

    assert frame.loc[0, ["ours", "simulated", "verdict"]].tolist() == ["0.4", "0.9", "differs"]
    with pytest.raises(ValueError, match="simulated stands beside real data only, not beside evidence='collection'"):
        reproduction("P", "Table 1", {"a": 1}, {"a": 1}, evidence="collection", simulated={"a": 1})


def test_evidence_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="evidence must be one of definition, collection, simulated, real, not 'made'"):
        reproduction("P", "Table 1", {"a": 1}, {"a": 1}, evidence="made")


def test_a_notebook_writes_its_rows_and_claims_beside_those_of_others(tmp_path):
    for notebook, value in (("one", 1), ("two", 1), ("one", 2)):
        found = Reproduction("P", notebook)
        found.compare("Table 1", {"a": 1}, {"a": value}, evidence="collection", why="another year", decimals=0)
        found.sentence("Sec. 1", "it rises", True, evidence="real", simulated=False, why="it does not")
        found.claim("It rises", {"2012": True, "2013": value == 1}, "by 1", "by 2", "Sec. 1")
        counts = found.write(tmp_path)
    rows, claims = (pd.read_csv(tmp_path / f"{name}.csv", keep_default_na=False) for name in ("reproduction", "claims"))

    assert rows["notebook"].tolist() == ["one", "one", "two", "two"]
    assert rows["verdict"].tolist() == ["differs", "agrees", "agrees", "agrees"]
    assert rows["simulated"].tolist() == ["", "does not hold"] * 2
    assert claims[["outcome", "notebook"]].to_numpy().tolist() == [["mixed", "one"], ["reproduced", "two"]]
    assert claims.loc[0, "data"] == "2012: yes; 2013: no"
    assert counts.loc["collection", "differs"] == counts.loc["real", "agrees"] == 1


def test_a_claim_without_data_is_not_tested_and_one_that_never_holds_is_contradicted(tmp_path):
    found = Reproduction("P", "one")
    found.compare("Table 1", {"a": 1}, {"a": 1}, evidence="real")
    found.claim("A", {}, "1", "nothing", "Table 1")
    found.claim("B", {"2012": False, "2013": False}, "1", "2", "Table 1")
    found.write(tmp_path)

    assert pd.read_csv(tmp_path / "claims.csv")["outcome"].tolist() == ["not tested", "contradicted"]
