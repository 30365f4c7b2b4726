import io
import re

import numpy as np
import pandas as pd
import pytest

from by_hand import of_measures
from pyterrier_diversity import RBU, UserModel, signature
from pyterrier_diversity.io import renamed
from pyterrier_diversity.io.labels import tex
from pyterrier_diversity.meta import compare, comparison_text, significance_table
from pyterrier_diversity.meta.significance.marks import with_bounds

# By the t-test, a is above b and c by RBU@5; by P@5, which is nobody's measure here, nothing differs.
VALUES = {
    "RBU@5": {"a": [0.9, 0.8, 0.9, 0.7], "b_1": [0.2, 0.1, 0.3, 0.1], "c": [0.3, 0.1, 0.2, 0.2]},
    "Mine": {"a": [0.1, 0.2, 0.1, 0.2], "b_1": [0.2, 0.1, 0.2, 0.1], "c": [0.2, 0.2, 0.1, 0.1]},
}


@pytest.fixture
def perquery():
    return of_measures(**VALUES)


def test_a_mean_is_marked_by_the_systems_that_it_is_significantly_higher_than(perquery):
    table = significance_table(compare(perquery, "t"), places=2)

    assert table.header == ["", "name", "RBU@5", "Mine"]
    assert {row[1].text: [cell.text for cell in row[2:]] for row in table.cells} == {
        name: [f"{np.mean(VALUES[measure][name]):.2f}" for measure in VALUES] for name in ("a", "b_1", "c")
    }
    assert [cell.above for row in table.cells for cell in row[2:]] == ["bc", "", "", "", "", ""]
    assert [cell.below for row in table.cells for cell in row[2:]] == [""] * 6


def test_with_a_baseline_a_mean_is_marked_by_higher_ones_too(perquery):
    table = significance_table(compare(perquery, "t", baseline=["a", "c"], correction="holm"), places=2)

    assert [(mark.text, name.text, of_rbu.above, of_rbu.below) for mark, name, of_rbu, _ in table.cells] == [
        ("a", "a", "b", ""),
        ("b", "c", "", "a"),
        ("", "b_1", "", "a"),
    ]
    assert table.legend == (
        "Raised: significantly higher than; lowered: significantly lower than "
        "(paired t-test, holm correction of 3 pairs per measure, alpha = 0.05, queries: 4)."
    )


def test_of_a_measure_of_which_lower_values_are_better_the_lowest_mean_is_bold_and_marked():
    effort = UserModel(model=3, stop="ERR", effort="rank") @ 10
    values = of_measures(**{str(effort): {"a": [1.0, 1.2, 1.1], "b": [4.0, 4.1, 4.3]}})

    table = significance_table(compare(values, "t", baseline="b"), labels={effort: "ranks read"})

    assert [(row[1].text, row[2].above, row[2].below, row[2].best) for row in table.cells] == [
        ("b", "", "", False),
        ("a", "a", "", True),
    ]
    assert table.header == ["", "name", "ranks read"]
    assert table.legend.startswith("Raised: significantly better than (paired t-test, not corrected")


def test_text_marks_after_the_mean(perquery):
    lines = str(significance_table(compare(perquery, "t"), places=2)).splitlines()

    assert [line.split() for line in lines[:4]] == [
        ["name", "RBU@5", "Mine"],
        ["a", "a", "0.82^bc", "0.15"],
        ["b", "b_1", "0.18", "0.15"],
        ["c", "c", "0.20", "0.15"],
    ]
    assert len({line.index(".") for line in lines[1:4]}) == 1


def test_latex_has_the_best_in_bold_escapes_names_and_keeps_signatures(perquery):
    lines = significance_table(compare(perquery, "t"), places=2).to_latex().splitlines()

    assert lines[0] == r"% needs \usepackage{booktabs}"
    assert lines[1] == f"% {signature(RBU @ 5)}"
    assert lines[2].startswith("% Raised: significantly higher than (paired t-test")
    assert lines[2].endswith(" Bold: the best mean.")
    assert lines[3:7] == [
        r"\begin{tabular}{llr@{}lr}",
        r"\toprule",
        r" & name & \multicolumn{2}{r}{RBU@5} & Mine \\",
        r"\midrule",
    ]
    assert lines[7] == r"a & a & \textbf{0.82} & $^{\mathrm{bc}}$ & \textbf{0.15} \\"
    assert lines[8] == r"b & b\_1 & 0.18 &  & \textbf{0.15} \\"


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
    assert lines[9].startswith(f"c & {shown} & 0.20 & ")
    assert lines[2].startswith("% Raised")
    assert lines[3].startswith(r"\begin{tabular}")
    assert tex(name, formulas=False) == shown


def test_html_is_a_table_that_others_can_read(perquery):
    table = significance_table(compare(perquery.replace({"name": {"c": "c<d"}}), "t"), places=2)

    assert table._repr_html_() == table.to_html()
    assert f' title="{signature(RBU @ 5)}"'.replace("'", "&#x27;") in table.to_html()
    (read,) = pd.read_html(io.StringIO(table.to_html()), index_col=1)
    assert read.index.tolist() == ["a", "b_1", "c<d"]
    assert read.loc["a", "RBU@5"] == "0.82bc"


def test_letters_are_in_the_first_column_of_each_form(perquery):
    table = significance_table(compare(perquery, "t"), places=2)

    assert [cells[0].text for cells in table.cells] == ["a", "b", "c"]
    assert "<tr><th>b</th><th>b_1</th><td" in table.to_html()
    assert "| b | b_1" in " ".join(table.to_markdown().replace("|", " | ").split())


def test_systems_and_measures_are_called_as_asked_and_labels_with_a_dollar_are_latex(perquery):
    labels = {RBU @ 5: r"$\mathrm{RBU}_5$", "Mine": "my_own"}
    table = significance_table(compare(perquery, "t"), names={"b_1": "B&1"}, labels=labels)

    latex = table.to_latex()
    assert r"\multicolumn{2}{r}{$\mathrm{RBU}_5$} & my\_own \\" in latex
    assert r"b & B\&1 & " in latex
    assert f"% {signature(RBU @ 5)}" in latex
    formula = significance_table(compare(perquery, "t"), names={"b_1": r"MDP$_{\text{x}}$", "c": "cheap_$"})
    for latex in (formula.to_latex(), formula.transposed().to_latex()):
        assert re.search(r"b (& )?MDP\$_\{\\text\{x\}\}\$", latex)
        assert r"cheap\_\$" in latex


@pytest.mark.parametrize("what", ["names", "labels"])
def test_names_that_are_all_unknown_are_refused(perquery, what):
    compared, known = compare(perquery, "t"), {"names": "a, b_1, c", "labels": "RBU@5, Mine, measure, name"}[what]

    with pytest.raises(ValueError, match=rf"^{what}: unknown names QL, x\. The names are {known}"):
        significance_table(compared, **{what: {"QL": "a", "x": "y"}})
    with pytest.raises(
        TypeError, match=rf"^{what} must be a mapping such as \{{'old name': 'new name'\}}, not list\.$"
    ):
        significance_table(compared, **{what: ["a", "b"]})
    assert systems_of(significance_table(compared, names={"a": "QL", "other": "y"})) == ["QL", "b_1", "c"]


def systems_of(table):
    return [row[1].text for row in table.cells]


def test_rows_are_in_the_order_of_the_systems_after_the_baselines(perquery):
    systems = ["c", "a", "b_1"]
    ordered = pd.concat([perquery[perquery["name"] == name] for name in systems])

    assert systems_of(significance_table(compare(ordered, "t"))) == systems
    assert systems_of(significance_table(compare(ordered, "t", baseline="a"))) == ["a", "c", "b_1"]
    assert systems_of(significance_table(compare(ordered, "t", baseline=["b_1", "c"]))) == ["b_1", "c", "a"]


def test_the_legend_explains_only_marks_that_occur(perquery):
    legends = {name: significance_table(compare(perquery, "t", baseline=name)).legend for name in ("a", "c")}

    assert legends["a"].startswith("Lowered: significantly lower than (paired")
    assert legends["c"].startswith("Raised: significantly higher than (paired")
    alike = significance_table(compare(perquery, "t", ["Mine"]))
    assert alike.legend.startswith("No difference is significant (paired t-test")
    for text in (alike.to_latex(), alike.to_html(), alike.to_markdown()):
        assert "queries: 4). Bold: the best mean." in text
    assert "Bold" not in str(alike)


def test_a_table_that_is_turned_round_has_the_measures_as_rows(perquery):
    lines = significance_table(compare(perquery, "t"), places=2).transposed().to_text().splitlines()

    assert [line.split() for line in lines[:3]] == [
        ["measure", "a", "a", "b", "b_1", "c", "c"],
        ["RBU@5", "0.82^bc", "0.18", "0.20"],
        ["Mine", "0.15", "0.15", "0.15"],
    ]


def frame(names, measures=("RBU@20",), n=12, step=0.3):
    rng = np.random.default_rng(3)
    return of_measures(**{m: {name: rng.random(n) + step * i for i, name in enumerate(names)} for m in measures})


FAR_APART = frame("xyz", "MN", 20, step=1)


def test_a_p_value_that_no_trial_reached_is_below_one_over_the_trials():
    compared = compare(FAR_APART, "tukey-randomised", n_trials=5000, rng=1)

    printed = with_bounds(compared, 3)["p"].tolist()

    shares = compared["p"].tolist()
    assert printed == ["< 0.0002" if share == 0 else f"{share:.3f}" for share in shares]
    assert 0 < shares.count(0) < 6


def test_a_corrected_p_value_that_no_trial_reached_is_below_the_corrected_bound():
    compared = compare(FAR_APART, "bootstrap", correction="bonferroni", rng=1)

    printed = with_bounds(compared, 3)

    assert (compared["p"] == 0).all()
    assert set(printed["p"]) == {"< 0.001"}
    assert set(printed["p_corrected"]) == {"< 0.003"}


@pytest.mark.parametrize("correction", ["bonferroni", "fdr_bh"])
def test_some_rows_of_a_comparison_have_the_bounds_of_all(correction):
    perquery = pd.concat([FAR_APART, frame("xyz", ["Q"], n=20)])
    compared = compare(perquery, "bootstrap", correction=correction, rng=1)

    printed = with_bounds(compared, 3)

    assert 0 < (compared["p"] == 0).sum() < len(compared)
    for some in (compared["measure"] == "N", compared["name"] == "x", compared.index == 0):
        pd.testing.assert_frame_equal(with_bounds(compared[some], 3), printed[some])
    new_name = with_bounds(renamed(compared, labels={"M": "N", "N": "M"}), 3)
    assert new_name["p_corrected"].tolist() == printed["p_corrected"].tolist()


@pytest.mark.parametrize(
    ("p", "attrs", "text"),
    [
        (0.0, {"test": "t"}, "< 0.001"),
        (0.0004, {"test": "t"}, "< 0.001"),
        (0.25, {"test": "bootstrap", "n_trials": 4}, "0.250"),
    ],
)
def test_no_p_value_is_printed_as_0(p, attrs, text):
    compared = pd.DataFrame({"measure": ["M"], "p": [p]})
    compared.attrs = attrs

    assert with_bounds(compared, 3)["p"].tolist() == [text]


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"test": "t"}, "paired t-test, not corrected, alpha"),
        ({"test": "tukey"}, "two-way Tukey HSD of 3 systems per measure, alpha"),
        ({"test": "tukey", "groups": "pairwise"}, "two-way Tukey HSD, not corrected, alpha"),
        ({"test": "t", "correction": "holm"}, "paired t-test, holm correction of 3 pairs per measure, alpha"),
        ({"test": "t", "alternative": "greater"}, "paired t-test, not corrected, one-sided, alpha"),
    ],
)
def test_the_legend_tells_which_p_values_are_taken_together(perquery, how, told):
    assert f"({told}" in significance_table(compare(perquery, **how)).legend


@pytest.mark.parametrize("attrs", [{}, {"baseline": ["b"]}])
def test_equal_means_are_not_marked_even_if_their_distributions_differ(attrs):
    compared = pd.DataFrame([{"measure": "M", "name": "a", "other": "b", "mean": 0.5, "other_mean": 0.5}])
    compared["significant"] = True
    compared.attrs = attrs

    table = significance_table(compared)

    assert {(cell.text, cell.above, cell.below) for row in table.cells for cell in row[2:]} == {("0.500", "", "")}


@pytest.mark.parametrize(("n_systems", "last"), [(26, "z"), (27, "27")])
def test_up_to_26_systems_are_marked_by_letters_and_more_by_numbers(n_systems, last):
    rows = [(f"s{i}", f"s{n_systems}", "M", 0.1, 0.2, False) for i in range(1, n_systems)]
    compared = pd.DataFrame(rows, columns=["name", "other", "measure", "mean", "other_mean", "significant"])

    assert significance_table(compared).cells[-1][0].text == last


@pytest.mark.parametrize("shown", [significance_table, comparison_text])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.drop(columns=["mean", "other"]), "but the column other, mean is missing"),
        (lambda frame: frame.head(0), "but it has no rows"),
        (lambda frame: [frame], "but the column measure, name, other, mean, other_mean, significant"),
        (lambda frame: None, "but the column measure, name, other, mean, other_mean, significant"),
    ],
)
def test_anything_but_a_comparison_is_refused(perquery, shown, change, message):
    with pytest.raises(ValueError, match=f"{shown.__name__}: compared must be a frame from compare, {message}"):
        shown(change(compare(perquery, "t")))


@pytest.mark.parametrize("places", [-1, 1.5, 101, "2"])
def test_invalid_decimal_places_are_refused(perquery, places):
    with pytest.raises(ValueError, match=r"significance_table: places must be an integer in \[0, 100\], not"):
        significance_table(compare(perquery, "t"), places)


def test_a_table_that_lost_how_it_was_made_says_nothing_of_it(perquery):
    compared = compare(perquery, "t", ["RBU@5"])
    compared.attrs = {}

    assert str(significance_table(compared)).endswith("\n\nRaised: significantly higher than.")


@pytest.mark.parametrize("test", ["tukey-randomised", "tukey", "bootstrap", "t", "wilcoxon", "permutation"])
def test_a_row_has_the_numbers_of_the_frame(test):
    compared = compare(frame(["a", "b"]), test, rng=1)
    (expected,) = compared.to_dict("records")

    _, header, row, _, legend = comparison_text(compared, 6).splitlines()

    cells = row.replace("< ", "<").split()
    assert cells[:2] == ["a", "b"]
    assert [float(cell) for cell in cells[2:5]] == pytest.approx(
        [expected[name] for name in ("mean", "other_mean", "difference")], abs=1e-6
    )
    has_interval = test not in ("wilcoxon", "permutation")
    assert ("95% interval" in header) == has_interval
    if has_interval:
        assert [float(cell) for cell in cells[5:7]] == pytest.approx(
            [expected["ci_low"], expected["ci_high"]], abs=1e-6
        )
    assert row.endswith("*") == expected["significant"]
    assert legend.startswith("* significant (")


@pytest.mark.parametrize(("alpha", "level"), [(0.001, "99.9%"), (0.025, "97.5%"), (0.07, "93%")])
def test_the_level_of_an_interval_is_not_rounded(alpha, level):
    assert f"  {level} interval" in comparison_text(compare(frame(["a", "b"]), "t", alpha=alpha))


def test_each_measure_has_its_block():
    text = comparison_text(compare(frame(["a", "b", "c"], ["RBU@20", "AP"]), "t"))

    assert [block.splitlines()[0] for block in text.split("\n\n")[:-1]] == ["RBU@20", "AP"]
    assert [len(block.splitlines()) for block in text.split("\n\n")] == [5, 5, 1]


def test_long_names_become_letters_that_are_explained():
    names = ["a-run-with-a-very-long-name", "another-run-with-a-very-long-name"]
    lines = comparison_text(compare(frame(names), "t"), width=80).splitlines()

    assert max(map(len, lines[:3])) <= 80
    assert lines[2].split()[:2] == ["a", "b"]
    assert lines[-2:] == [f"a: {names[0]}", f"b: {names[1]}"]


def test_control_characters_are_escaped():
    assert "\\x1b[31m" in comparison_text(compare(frame(["\x1b[31m", "b"]), "t"))
