import numpy as np
import pandas as pd
import pytest

from frames_to_draw import COMPARED, texts
from pyterrier_diversity import plots
from pyterrier_diversity.meta import compare

pytestmark = pytest.mark.usefixtures("no_layout")

HSD = [{"test": "tukey"}, {"test": "tukey-randomised", "n_trials": 500, "rng": 1}]


def frame(n_systems=5, n_queries=20):
    rng = np.random.default_rng(5)
    rows = [
        (f"s{i}", str(q), measure, rng.random() + 0.1 * i)
        for measure in ("RBU", "AP")
        for i in range(n_systems)
        for q in range(n_queries)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def intervals(ax):
    """Return the ends of each interval, by the name of its row."""
    names = texts(ax.get_yticklabels())
    return {name: path.vertices[:, 0].tolist() for name, path in zip(names, ax.collections[0].get_paths(), strict=True)}


def test_intervals_of_means_are_as_long_as_the_critical_difference():
    ax = plots.means(COMPARED)

    assert intervals(ax) == {
        "x": pytest.approx([0.5, 0.7]),
        "y": pytest.approx([0.4, 0.6]),
        "z": pytest.approx([0.2, 0.4]),
    }
    assert ax.yaxis_inverted()
    assert ax.get_xlabel().startswith("mean RBU")


def test_intervals_of_means_may_have_no_length():
    difference = COMPARED["difference"]

    ax = plots.means(COMPARED.assign(ci_low=difference, ci_high=difference, significant=True))

    assert intervals(ax)["x"] == pytest.approx([0.6, 0.6])


@pytest.mark.parametrize("how", HSD)
@pytest.mark.parametrize("measure", ["RBU", "AP"])
def test_intervals_of_means_overlap_exactly_if_the_test_finds_no_difference(how, measure):
    compared = compare(frame(), **how)

    drawn = intervals(plots.means(compared, measure))

    of_measure = compared[compared["measure"] == measure]
    assert 0 < of_measure["significant"].sum() < len(of_measure)
    for row in of_measure.itertuples():
        (low, high), (other_low, other_high) = drawn[row.name], drawn[row.other]
        assert (high < other_low or other_high < low) == row.significant


def test_the_middle_of_an_interval_is_the_mean():
    perquery = frame()
    ax = plots.means(compare(perquery, "tukey", baseline="s0"), "AP")

    expected = perquery[perquery["measure"] == "AP"].groupby("name")["value"].mean()
    assert {name: np.mean(ends) for name, ends in intervals(ax).items()} == pytest.approx(expected.to_dict())


@pytest.mark.parametrize(
    "how",
    [
        {"test": "t"},
        {"test": "bootstrap", "rng": 1},
        {"test": "t", "correction": "holm"},
        {"test": "tukey", "groups": "pairwise"},
        {"test": "t", "alternative": "greater"},
    ],
)
def test_means_of_tests_without_one_critical_difference_are_refused(how):
    compared = compare(frame(), measures=["RBU"], **how)

    with pytest.raises(ValueError, match=r"^means needs a Tukey HSD test .* use plots\.differences\.$"):
        plots.means(compared)


def test_differences_are_those_of_the_frame_with_intervals_and_p_values():
    compared = compare(frame(), "t", baseline="s0", measures=["RBU"])

    ax = plots.differences(compared)

    drawn = intervals(ax)
    assert list(drawn) == compared.sort_values("difference", ascending=False)["name"].tolist()
    for row in compared.itertuples():
        assert drawn[row.name] == pytest.approx([row.ci_low, row.ci_high])
    said = dict(zip(drawn, texts(ax.texts), strict=True))
    assert said == {row.name: "p < 0.001" if row.p < 0.0005 else f"p {row.p:.3f}" for row in compared.itertuples()}
    assert ax.get_xlabel().startswith("difference in RBU from s0, with 95% intervals\n")


def test_of_each_pair_without_a_baseline_the_higher_mean_is_first():
    turned = COMPARED.assign(name=COMPARED["other"], other=COMPARED["name"], difference=-COMPARED["difference"])
    turned = turned.assign(ci_low=-COMPARED["ci_high"], ci_high=-COMPARED["ci_low"])

    assert intervals(plots.differences(turned)) == intervals(plots.differences(COMPARED))


def test_the_level_of_intervals_is_not_rounded():
    ax = plots.differences(compare(frame(), "t", alpha=0.001, measures=["RBU"]))

    assert "with 99.9% intervals" in ax.get_xlabel()


def test_a_point_is_filled_if_its_difference_is_significant():
    ax = plots.differences(COMPARED)

    filled = [tuple(color[:3]) != (1, 1, 1) for color in ax.collections[1].get_facecolors()]
    assert dict(zip(texts(ax.get_yticklabels()), filled, strict=True)) == {
        "x against z": True,
        "y against z": False,
        "x against y": False,
    }


def test_corrected_differences_say_that_their_intervals_are_not():
    compared = compare(frame(), "t", baseline="s0", correction="holm", measures=["RBU"])

    ax = plots.differences(compared)

    assert "95% intervals, not corrected" in ax.get_xlabel()
    assert "p 1.000" in texts(ax.texts) or compared["p_corrected"].max() < 0.9995
    assert ax.collections[0].get_linestyle()[0][1] is not None
    highest = compared.sort_values("difference", ascending=False)["p_corrected"].iloc[-1]
    assert texts(ax.texts)[-1] == f"p {highest:.3f}"


def test_the_axis_of_differences_includes_0():
    low, high = plots.differences(COMPARED.iloc[1:2].reset_index(drop=True)).get_xlim()

    assert low < 0 < high


def test_an_interval_without_an_end_reaches_the_edge():
    ax = plots.differences(
        compare(frame().replace("RBU", "nEU"), "t", alternative="greater", baseline="s0", measures=["nEU"])
    )

    assert {ends[1] for ends in intervals(ax).values()} == {ax.get_xlim()[1]}


@pytest.mark.parametrize("draw", [plots.means, plots.differences], ids=lambda draw: draw.__name__)
@pytest.mark.parametrize(
    ("compared", "measure", "message"),
    [
        (compare(frame(), "t"), None, "measure must name one of the 2 measures of the frame: RBU, AP"),
        (COMPARED, "AP", "the frame has no measure AP; it has RBU"),
        (
            COMPARED.drop(columns="p"),
            None,
            "missing column p; .*Pass the result of meta.compare, with a test that has intervals.",
        ),
        (compare(frame(), "wilcoxon"), "RBU", "missing column ci_low, ci_high"),
        (COMPARED.iloc[:0], None, "the frame has no rows"),
    ],
)
def test_comparisons_that_cannot_be_drawn_are_refused(draw, compared, measure, message):
    with pytest.raises(ValueError, match=f"^{draw.__name__}: {message}"):
        draw(compared, measure)


def test_the_line_of_the_best_goes_through_the_systems_that_none_surpasses():
    effort = "UserModel(model=3,stop='ERR',effort='rank')"  # lower is better
    values = {"best": (0.6, 0.2), "few": (0.9, 0.5), "early": (0.3, 0.1), "worse": (0.5, 0.3), "equal": (0.6, 0.2)}
    rows = [(name, q, m, of[i]) for name, of in values.items() for i, m in enumerate(["P@5", effort]) for q in "12"]
    perquery = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])

    ax = plots.scatter(perquery, "P@5", effort)

    assert ax.get_lines()[0].get_xydata().tolist() == [[0.3, 0.1], [0.6, 0.2], [0.6, 0.2], [0.9, 0.5]]
    with pytest.raises(ValueError, match="scatter: a and b must be two measures, not both P@5"):
        plots.scatter(perquery, "P@5", "P@5")


def test_the_intervals_of_points_are_those_of_compare():
    values = {"x": {"P@5": [1, 1, 0.8], "RBU@5": [0.2, 0.3, 0.1]}, "y": {"P@5": [1, 1, 1], "RBU@5": [0.3, 0.4, 0.9]}}
    rows = [
        (name, q, m, v) for name, by in values.items() for m, of in by.items() for q, v in enumerate(map(float, of))
    ]
    perquery = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]).astype({"qid": str})

    across, up = (plots.scatter(perquery, "P@5", "RBU@5").collections[i].get_segments()[0] for i in (0, 1))

    compared = compare(perquery, "t").set_index("measure")
    ends = ["mean_low", "mean_high"]
    assert across[:, 0].tolist() == pytest.approx(compared.loc["P@5", ends].tolist())
    assert across[1, 0] == 1
    assert up[:, 1].tolist() == pytest.approx(compared.loc["RBU@5", ends].tolist())
