import io
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

from pyterrier_diversity import RBU, signature
from pyterrier_diversity.io import escaped
from pyterrier_diversity.meta import compare, significance_table
from pyterrier_diversity.meta.tables import with_bounds

# By the t-test, a is above b and c by RBU@5; by P@5, which is nobody's measure here, nothing differs.
VALUES = {
    "RBU@5": {"a": [0.9, 0.8, 0.9, 0.7], "b_1": [0.2, 0.1, 0.3, 0.1], "c": [0.3, 0.1, 0.2, 0.2]},
    "Mine": {"a": [0.1, 0.2, 0.1, 0.2], "b_1": [0.2, 0.1, 0.2, 0.1], "c": [0.2, 0.2, 0.1, 0.1]},
}


@pytest.fixture
def perquery():
    rows = [
        (name, str(i), measure, value)
        for measure, systems in VALUES.items()
        for name, values in systems.items()
        for i, value in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def test_a_mean_is_marked_by_the_systems_that_it_is_significantly_higher_than(perquery):
    table = significance_table(compare(perquery, "t"), places=2)

    assert table.measures == ["RBU@5", "Mine"]
    assert {name: [round(cell.mean, 4) for cell in cells] for name, cells in table.rows.items()} == {
        name: [round(float(np.mean(VALUES[measure][name])), 4) for measure in VALUES] for name in ("a", "b_1", "c")
    }
    assert [cell.higher_than for cells in table.rows.values() for cell in cells] == [["b", "c"], [], [], [], [], []]
    assert [cell.lower_than for cells in table.rows.values() for cell in cells] == [[]] * 6


def test_with_a_baseline_a_mean_is_marked_by_higher_ones_too(perquery):
    table = significance_table(compare(perquery, "t", baseline=["a", "c"], correction="holm"), places=2)

    cells = {name: cells[0] for name, cells in table.rows.items()}
    assert {name: (cell.higher_than, cell.lower_than) for name, cell in cells.items()} == {
        "b_1": ([], ["a"]),
        "c": ([], ["a"]),
        "a": (["b"], []),
    }
    assert table.legend == (
        "Raised: significantly higher than; lowered: significantly lower than "
        "(paired t-test, holm correction per measure, alpha = 0.05, queries: 4). Systems: a a, b c."
    )


def test_text_marks_after_the_mean(perquery):
    lines = str(significance_table(compare(perquery, "t"), places=2)).splitlines()

    assert [line.split() for line in lines[:4]] == [
        ["RBU@5", "Mine"],
        ["a", "0.82^bc", "0.15"],
        ["b_1", "0.18", "0.15"],
        ["c", "0.20", "0.15"],
    ]


def test_latex_has_the_best_in_bold_escapes_names_and_keeps_signatures(perquery):
    lines = significance_table(compare(perquery, "t"), places=2).to_latex().splitlines()

    assert lines[0] == f"% {signature(RBU @ 5)}"
    assert lines[1].startswith("% Raised: significantly higher than (paired t-test")
    assert lines[2:6] == [r"\begin{tabular}{lrr}", r"\toprule", r" & RBU@5 & Mine \\", r"\midrule"]
    assert lines[6] == r"a & \textbf{0.82}$^{\mathrm{bc}}$ & \textbf{0.15} \\"
    assert lines[7] == r"b\_1 & 0.18 & \textbf{0.15} \\"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a&b%c$d#e_f{g}", r"a\&b\%c\$d\#e\_f\{g\}"),
        ("a\\b^c~d", r"a\textbackslash{}b\textasciicircum{}c\textasciitilde{}d"),
        ("two\nlines\r\nor three", "two lines or three"),
    ],
)
def test_latex_shows_names_as_they_are(perquery, name, shown):
    text = significance_table(compare(perquery.replace({"name": {"c": name}}), "t"), places=2).to_latex()

    lines = text.splitlines()
    assert lines[8].startswith(f"{shown} & 0.20 & ")
    assert lines[1].startswith("% Raised")
    assert lines[2].startswith(r"\begin{tabular}")
    assert escaped(name) == shown


def test_html_is_a_table_that_others_can_read(perquery):
    table = significance_table(compare(perquery.replace({"name": {"c": "c<d"}}), "t"), places=2)

    assert table._repr_html_() == table.to_html()
    assert f' title="{signature(RBU @ 5)}"'.replace("'", "&#x27;") in table.to_html()
    (read,) = pd.read_html(io.StringIO(table.to_html()), index_col=0)
    assert read.index.tolist() == ["a", "b_1", "c<d"]
    assert read.loc["a", "RBU@5"] == "0.82bc"


def far_apart():
    rng = np.random.default_rng(1)
    rows = [(name, str(q), m, i + rng.random()) for m in "MN" for i, name in enumerate("xyz") for q in range(20)]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def test_a_p_value_that_no_trial_reached_is_below_one_over_the_trials():
    compared = compare(far_apart(), "tukey-randomised", n_trials=5000, rng=1)

    printed = with_bounds(compared, 3)["p"].tolist()

    shares = compared["p"].tolist()
    assert printed == ["< 0.0002" if share == 0 else f"{share:.3f}" for share in shares]
    assert 0 < shares.count(0) < 6


@pytest.mark.parametrize(("family", "pairs"), [("measure", 3), ("all", 6)])
def test_a_corrected_p_value_that_no_trial_reached_is_below_the_corrected_bound(family, pairs):
    compared = compare(far_apart(), "bootstrap", correction="bonferroni", family=family, rng=1)

    printed = with_bounds(compared, 3)

    assert (compared["p"] == 0).all()
    assert set(printed["p"]) == {"< 0.001"}
    assert set(printed["p_corrected"]) == {f"< {pairs / 1000:g}"}


@pytest.mark.parametrize(("p", "attrs"), [(0.0, {"test": "t"}), (0.25, {"test": "bootstrap", "n_trials": 4})])
def test_other_p_values_are_printed_as_they_are(p, attrs):
    compared = pd.DataFrame({"measure": ["M"], "p": [p]})
    compared.attrs = attrs

    assert with_bounds(compared, 3) is compared


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"test": "t"}, "paired t-test, not corrected, alpha"),
        ({"test": "tukey"}, "two-way Tukey HSD per measure, alpha"),
        ({"test": "tukey", "groups": "pairwise"}, "two-way Tukey HSD, not corrected, alpha"),
        (
            {"test": "t", "correction": "holm", "family": "all"},
            "paired t-test, holm correction over all measures, alpha",
        ),
        ({"test": "t", "alternative": "greater"}, "paired t-test, not corrected, one-sided, alpha"),
    ],
)
def test_the_legend_tells_which_p_values_are_taken_together(perquery, how, told):
    assert f"({told}" in significance_table(compare(perquery, **how)).legend


def test_the_legend_names_the_decisions_that_more_trials_could_change(perquery):
    compared = compare(perquery, "bootstrap", n_trials=50, rng=1)
    legend = significance_table(compared.assign(undecided=True)).legend

    assert legend.endswith(
        "More trials (n_trials) could decide otherwise on a and b_1 by RBU@5, a and c by RBU@5, b_1 and c by RBU@5 and "
        "3 more: p is within two standard errors of alpha."
    )
    assert "More trials" not in significance_table(compare(perquery, "t")).legend


def test_the_legend_tells_trials_and_seed(perquery):
    legend = significance_table(compare(perquery, n_trials=50, rng=7)).legend

    assert "(randomised Tukey HSD per measure, alpha = 0.05, trials: 50, seed: 7, queries: 4)" in legend


@pytest.mark.parametrize("attrs", [{}, {"baseline": ["b"]}])
def test_equal_means_are_not_marked_even_if_their_distributions_differ(attrs):
    compared = pd.DataFrame([{"measure": "M", "system": "a", "other": "b", "mean": 0.5, "other_mean": 0.5}])
    compared["significant"] = True
    compared.attrs = attrs

    table = significance_table(compared)

    assert table.rows == {"a": [(0.5, [], [])], "b": [(0.5, [], [])]}


def test_a_table_is_not_changed_and_equals_only_itself(perquery):
    one, other = (significance_table(compare(perquery, "t")) for _ in range(2))

    assert len({one, other}) == 2
    with pytest.raises(FrozenInstanceError):
        one.places = 2


@pytest.mark.parametrize(("n_systems", "last"), [(26, "z"), (27, "27")])
def test_up_to_26_systems_are_marked_by_letters_and_more_by_numbers(n_systems, last):
    rows = [(f"s{i}", f"s{n_systems}", "M", 0.1, 0.2, False) for i in range(1, n_systems)]
    compared = pd.DataFrame(rows, columns=["system", "other", "measure", "mean", "other_mean", "significant"])

    legend = significance_table(compared).legend

    assert legend.endswith(f", {last} s{n_systems}.")


def test_many_systems_are_marked_by_numbers():
    rng = np.random.default_rng(1)
    rows = [(f"s{i}", str(q), "M", i / 5 + rng.random() / 10) for i in range(28) for q in range(9)]
    frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])

    table = significance_table(compare(frame, "t", alpha=0.001))

    assert table.rows["s12"][0].higher_than == [str(i) for i in range(1, 13)]
    assert "^1,2,3,4" in str(table)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.drop(columns=["mean", "other"]), "but the column other, mean is missing"),
        (lambda frame: frame.head(0), "but it has no rows"),
    ],
)
def test_anything_but_a_comparison_is_refused(perquery, change, message):
    with pytest.raises(ValueError, match=f"compared must be a frame from compare, {message}"):
        significance_table(change(compare(perquery, "t")))


@pytest.mark.parametrize("places", [-1, 1.5, 101, "2"])
def test_invalid_decimal_places_are_refused(perquery, places):
    with pytest.raises(ValueError, match=r"significance_table: places must be an integer in \[0, 100\], not"):
        significance_table(compare(perquery, "t"), places)


def test_a_table_that_lost_how_it_was_made_says_nothing_of_it():
    values = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.4, 0.5, 0.3]}
    rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    compared = compare(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), "t")
    compared.attrs = {}

    assert str(significance_table(compared)).endswith("Raised: significantly higher than. Systems: a x, b y.")
