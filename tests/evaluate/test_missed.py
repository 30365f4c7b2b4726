"""Every intent that a system misses is listed: also of queries that it does not answer, and if nobody can cover it."""

import pandas as pd
import pytest

import by_hand
from pyterrier_diversity import Coverage, evaluate_runs, missed_intents
from pyterrier_diversity.io import write_qrels
from pyterrier_diversity.warnings import IdsWarning

QRELS = by_hand.qrels("q cause p1 2", "q cause p4 1", "q fix p2 1", "q fix p1 0", "q since p9 1", "r all p1 1").assign(
    weight=[3, 3, 3, 3, 1, 2], nugget_text=["The cause.", "The cause.", "", "The fix.", "Since.", "All."]
)
UNJUDGED = pd.DataFrame({"qid": ["q"], "iteration": "workaround", "docno": "", "label": 0.0, "weight": 0.5})
NUGGETS = pd.concat([QRELS, UNJUDGED]).fillna({"nugget_text": ""})
SHORT, LONG = {"q": ["p4"]}, {"q": ["x", "p2", "p1"], "r": ["p1"]}


def listed(table, *columns):
    return [tuple(row) for row in table[list(columns)].to_numpy().tolist()]


def test_the_intents_that_each_system_misses_are_listed_by_query():
    table = missed_intents(NUGGETS, {"short": SHORT, "long": LONG})

    assert table.columns.tolist() == ["name", "qid", "iteration", "nugget_text", "weight", "coverable", "covered_by"]
    assert listed(table, *table) == [
        ("short", "q", "fix", "The fix.", 3.0, True, ["long"]),
        ("short", "q", "since", "Since.", 1.0, True, []),
        ("short", "q", "workaround", "", 0.5, False, []),
        ("short", "r", "all", "All.", 2.0, True, ["long"]),
        ("long", "q", "since", "Since.", 1.0, True, []),
        ("long", "q", "workaround", "", 0.5, False, []),
    ]
    counts = {"intents": {"q": 4, "r": 1}, "missed": {"q": 3, "r": 1}}
    assert table.attrs == {"systems": ["short", "long"], **counts, "warnings": []}


def test_a_cutoff_is_the_last_rank_that_counts():
    assert listed(missed_intents(NUGGETS, {"long": LONG}, 2), "qid", "iteration") == [
        ("q", "cause"),
        ("q", "since"),
        ("q", "workaround"),
    ]


def test_rel_is_the_smallest_label_that_covers():
    table = missed_intents(NUGGETS, {"short": SHORT}, rel=2)

    assert dict(listed(table, "iteration", "coverable")) == {
        "cause": True,
        "fix": False,
        "since": False,
        "workaround": False,
        "all": False,
    }


@pytest.mark.filterwarnings("ignore::pyterrier_diversity.warnings.MissingWarning")
def test_the_weight_that_is_not_missed_is_coverage():
    runs = {"short": SHORT, "long": LONG}
    missed = missed_intents(NUGGETS, runs, 2).groupby(["name", "qid"])["weight"].sum()

    table = evaluate_runs(NUGGETS, runs, [Coverage @ 2], perquery=True).set_index(["name", "qid"])["value"]

    total = {"q": 7.5, "r": 2.0}
    expected = {(name, q): 1 - missed.get((name, q), 0) / total[q] for name in runs for q in total}
    assert table.to_dict() == pytest.approx(expected)


def test_intents_of_weight_0_are_not_missed():
    with pytest.warns(IdsWarning, match="^Run short: No document of the run is judged"):
        assert missed_intents(NUGGETS.assign(weight=0), {"short": SHORT}).empty


def test_qrels_need_neither_weights_nor_texts():
    table = missed_intents(QRELS[["qid", "iteration", "docno", "label"]], {"short": SHORT})

    assert listed(table, "iteration", "nugget_text", "weight") == [
        ("fix", "", 1.0),
        ("since", "", 1.0),
        ("all", "", 1.0),
    ]


def test_runs_may_be_files(tmp_path):
    (tmp_path / "a.run").write_text("q Q0 p1 1 1.0 x\n")
    (tmp_path / "b.jsonl").write_text('{"qid": "q", "docno": ["p1"]}\n')
    write_qrels(NUGGETS, tmp_path / "q.csv")

    table = missed_intents(NUGGETS, {name: tmp_path / name for name in ("a.run", "b.jsonl")})

    assert table["name"].value_counts().to_dict() == {"a.run": 4, "b.jsonl": 4}


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"runs": {}}, ValueError, r"missed_intents: give at least one run\."),
        (
            {"runs": pd.DataFrame()},
            ValueError,
            "missed_intents: runs is one run",
        ),
        ({"cutoff": 0}, ValueError, r"missed_intents: cutoff must be an integer in \[1, inf\), not 0"),
        ({"rel": -1}, ValueError, "missed_intents: rel must be a number"),
        ({"runs": {"A": pd.DataFrame({"qid": ["q"]})}}, ValueError, "Run A: run: missing column"),
        ({"runs": {"A": 7}}, TypeError, "Run A: run must be a file, a frame"),
    ],
)
def test_unreadable_input_is_refused(given, error, message):
    with pytest.raises(error, match=f"^{message}"):
        missed_intents(**{"qrels": QRELS, "runs": {"short": SHORT}, **given})
