import pandas as pd
import pytest

from reproduction import Reproduction, reproduction

PRINTED = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.7}
ELEVEN = {str(i): float(i) for i in range(11)}
ABOVE = {name: value + 0.2 for name, value in ELEVEN.items()}


def verdicts(theirs, ours, **others):
    options = {"evidence": "real", "decimals": 1, "why": "other runs", **others}
    frame = reproduction("P", "Table 1", theirs, ours, **options)
    return dict(zip(frame["cell"], frame["verdict"], strict=True))


@pytest.mark.parametrize(
    ("theirs", "ours", "options", "expected"),
    [
        # Numbers agree up to half of the last place.
        (PRINTED, {"a": 0.85, "b": 0.8499, "c": 0.7, "d": 0.7}, {}, dict.fromkeys("abcd", "agrees")),
        # One that is off is ordered as in the paper, or out of order, or measures something else than the others.
        (PRINTED, {"a": 0.99, "b": 0.8, "c": 0.7, "d": 0.7}, {}, {"a": "order only"}),
        (PRINTED, {"a": 0.1, "b": 0.8, "c": 0.7, "d": 0.7}, {}, {"a": "differs"}),
        (PRINTED, {"a": 0.99, "b": 0.8, "c": 0.7, "d": 0.7}, {"ordered": False}, {"a": "differs"}),
        # A tie is not the order of the paper, also not one of values that are rounded as the paper prints them.
        ({"a": 0.9, "b": 0.8}, {"a": 0.5, "b": 0.5}, {}, {"a": "differs", "b": "differs"}),
        ({"a": 0.9, "b": 0.8}, {"a": 0.52, "b": 0.48}, {}, {"a": "differs", "b": "differs"}),
        # Cells that the paper ties do not count for the order.
        (PRINTED, {"a": 0.6, "b": 0.5, "c": 0.3, "d": 0.4}, {}, dict.fromkeys("abcd", "order only")),
        # Nine of ten other cells are enough, and eight are not.
        (ELEVEN, {**ABOVE, "10": 8.5}, {}, {"10": "order only"}),
        (ELEVEN, {**ABOVE, "10": 7.5}, {}, {"10": "differs"}),
        # A number alone agrees or differs, as text does.
        ({"a": 0.4}, {"a": 0.6}, {}, {"a": "differs"}),
        ({"a": "met", "b": "met"}, {"a": "met", "b": "missed"}, {}, {"a": "agrees", "b": "differs"}),
        (PRINTED, {"a": float("nan"), "b": 0.8}, {}, {"a": "not available"}),
        (PRINTED, {"a": 0.9, "b": 0.8}, {}, {"d": "not available"}),
        (pd.Series({"a": 0.25}), pd.Series({"a": 0.25}), {"decimals": 2}, {"a": "agrees"}),
    ],
)
def test_a_cell_has_its_verdict(theirs, ours, options, expected):
    assert verdicts(theirs, ours, **options).items() >= expected.items()


def test_values_are_shown_as_the_paper_prints_them():
    frame = reproduction("P", "Table 1", {"a": 0.5, "b": 0}, {"a": 0.5, "b": -0.0001}, evidence="real")

    assert frame[["theirs", "ours"]].to_numpy().tolist() == [["0.500", "0.500"], ["0.000", "0.000"]]


def test_the_reason_stands_beside_what_does_not_agree():
    options = {"evidence": "real", "decimals": 0, "why": {"b": "other runs"}}
    frame = reproduction("P", "Table 1", {"a": 1, "b": 2}, {"a": 1, "b": 3}, **options)

    assert frame["why"].tolist() == ["", "other runs"]
    assert frame.loc[0, ["paper", "table_or_figure"]].tolist() == ["P", "Table 1"]


@pytest.mark.parametrize(
    ("theirs", "ours", "options", "message"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, {}, "why must have a reason for 'b' of Table 1"),
        ({"a": 1}, {"a": 1, "b": 3}, {}, "theirs must have each cell that ours has, but b is missing"),
        ({}, {}, {}, "theirs must not be empty"),
        (
            {"a": 1},
            {"a": 1},
            {"evidence": "collection", "simulated": {"a": 1}},
            "simulated stands beside real data only, not beside evidence='collection'",
        ),
        (
            {"a": 1},
            {"a": 1},
            {"evidence": "made"},
            "evidence must be one of definition, collection, simulated, real, not 'made'",
        ),
    ],
)
def test_other_arguments_are_refused(theirs, ours, options, message):
    with pytest.raises(ValueError, match=f"reproduction: {message}"):
        reproduction("P", "Table 1", theirs, ours, **{"evidence": "real", **options})


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
