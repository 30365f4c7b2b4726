import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from by_hand import perquery, t_of
from pyterrier_diversity import __version__
from pyterrier_diversity.meta import asl_curve, compare, delta_required, discriminative_power, overlap
from pyterrier_diversity.meta.scores import rounded
from pyterrier_diversity.meta.significance import randomisation
from pyterrier_diversity.meta.significance.randomisation import blocks_of, resamples
from pyterrier_diversity.meta.significance.tests import Design
from pyterrier_diversity.meta.significance.tests import tested as p_and_intervals

TESTS = ["tukey-randomised", "bootstrap", "permutation", "tukey", "t", "wilcoxon"]
DELTA_TESTS = ["tukey-randomised", "tukey", "bootstrap"]
# Three systems on four queries; x is far better than the others.
SYSTEMS = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.4, 0.5, 0.3], "z": [0.1, 0.5, 0.4, 0.4]}
MATRIX = rounded(np.random.default_rng(5).random((5, 20)) + np.linspace(0, 0.5, 5)[:, None])


def two_measures():
    return pd.concat([perquery(MATRIX), perquery(MATRIX[[1, 0, 2, 4, 3]] ** 2, "AP")])


def compared(*rows):
    """A table of compare, of the rows "measure system other" with a * where the difference is significant."""
    cells = [(*row.rstrip("*").split(), row.endswith("*")) for row in rows]
    return pd.DataFrame(cells, columns=["measure", "name", "other", "significant"])


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)


def fig_3(values, samples, place):
    """Sakai (2013), Fig. 3: the borderline difference of each pair by the bootstrap."""
    deltas = []
    for x, y in itertools.combinations(values, 2):
        z = [a - b for a, b in zip(x, y, strict=True)]
        mean = sum(z) / len(z)
        trials = []
        for queries in samples:
            sample = [z[q] - mean for q in queries]
            trials.append((abs(t_of(sample)), abs(sum(sample) / len(sample))))
        at_place = sorted(trials, reverse=True)[place - 1][0]
        deltas.append(max(delta for t, delta in trials if close(t, at_place)))
    return deltas


def borderlines_of(values, n_trials, alpha):
    first, second = np.triu_indices(len(values), 1)
    how = Design("bootstrap", "all", n_trials, blocks_of(1, n_trials, values.size), alpha, None, level=alpha)
    return p_and_intervals(values, first, second, how).borderline


# Discriminative power


def test_the_share_of_significant_pairs_is_the_discriminative_power():
    result = discriminative_power(compare(perquery(SYSTEMS), "t"))

    assert result.to_dict("records") == [{"measure": "RBU", "pairs": 3, "significant": 2, "share": 2 / 3}]


@pytest.mark.parametrize(
    "options", [{}, {"groups": "pairwise"}, {"groups": "pairwise", "correction": "fdr_bh"}, {"alpha": 0.005}]
)
@pytest.mark.parametrize("test", TESTS)
def test_pairs_are_significant_that_compare_finds_so(test, options):
    options = {**options, "rng": 1, "n_trials": 200}
    table = compare(two_measures(), test, **options)
    expected = table.groupby("measure", sort=False)["significant"]

    result = discriminative_power(table)

    assert result["measure"].tolist() == ["RBU", "AP"]
    assert result["significant"].tolist() == expected.sum().tolist()
    assert result["share"].tolist() == (expected.sum() / 10).tolist()


# Difference required


@pytest.mark.parametrize(("alpha", "place"), [(0.05, 5), (0.29, 29), (0.999, 99)])
@pytest.mark.parametrize("cells", [2**20, 900])
def test_the_borderline_of_the_bootstrap_is_fig_3(monkeypatch, cells, alpha, place):
    monkeypatch.setattr(randomisation, "AT_ONCE", cells)
    samples = np.concatenate(list(resamples(blocks_of(1, 100, MATRIX.size), 20))).tolist()

    expected = fig_3(MATRIX.tolist(), samples, place)

    assert borderlines_of(MATRIX, 100, alpha) == pytest.approx(expected, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(arrays(np.int64, (3, 4), elements=st.integers(0, 2)))
def test_the_borderline_is_fig_3_with_ties_and_samples_without_variance(values):
    values = values / 10
    samples = np.concatenate(list(resamples(blocks_of(1, 40, values.size), 4))).tolist()

    assert borderlines_of(values, 40, 0.1) == pytest.approx(fig_3(values.tolist(), samples, 4), abs=1e-9)


def test_the_bootstrap_requires_the_largest_borderline_difference():
    values = np.array(list(SYSTEMS.values()))

    def required(systems):
        return delta_required(compare(perquery(systems), "bootstrap", rng=3, n_trials=200))["delta"].item()

    result = required(values)

    every = [required(values[list(two)]) for two in itertools.combinations(range(3), 2)]
    assert result == pytest.approx(max(every))


@pytest.mark.parametrize("groups", ["all", "pairwise"])
@pytest.mark.parametrize("test", ["tukey-randomised", "tukey"])
def test_an_hsd_test_requires_the_smallest_significant_difference_as_in_fig_5(test, groups):
    options = {"groups": groups, "rng": 1, "n_trials": 500}
    table = compare(two_measures(), test, **options)

    result = delta_required(table)

    for measure, delta in zip(result["measure"], result["delta"], strict=True):
        rows = table[table["significant"] & (table["measure"] == measure)]
        assert delta == rows["difference"].abs().min()


def test_the_difference_required_is_unknown_where_no_pair_differs():
    with pytest.warns(UserWarning, match="no difference can be significant with 3 queries"):
        result = delta_required(compare(perquery([[0.1, 0.5, 0.3], [0.2, 0.4, 0.3]]), rng=1))

    assert result["delta"].isna().all()


def test_a_level_below_the_digits_of_p_values_is_told_of():
    with pytest.warns(UserWarning, match="at alpha = 1e-30: p-values are rounded to ten decimal places"):
        compare(perquery([[0.1, 0.5, 0.3], [0.2, 0.4, 0.3]]), "t", alpha=1e-30)


# ASL curves


@pytest.mark.parametrize("test", TESTS)
def test_an_asl_curve_has_the_p_values_in_descending_order(test):
    table, key = compare(two_measures(), test, rng=1, n_trials=300), ["measure", "name", "other"]

    curve = asl_curve(table)

    assert curve.set_index(key)["asl"].to_dict() == table.set_index(key)["p"].to_dict()
    for _, rows in curve.groupby("measure"):
        assert rows["rank"].tolist() == list(range(1, 11))
        assert rows["asl"].is_monotonic_decreasing


# Overlap


def test_significant_pairs_are_found_by_one_by_both_or_by_the_other():
    table = compared("P x y*", "P x z*", "P y z", "AP y x*", "AP z x", "AP z y*", "RR x y", "RR x z", "RR y z")

    result = overlap(table)

    assert result.to_numpy().tolist() == [["P", "AP", 1, 1, 1], ["P", "RR", 2, 0, 0], ["AP", "RR", 2, 0, 0]]


def test_a_table_of_one_measure_overlaps_with_nothing():
    assert overlap(compared("P x y*")).empty


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (compared("P x y*").drop(columns="other"), "must be a frame from compare, but the column other is missing"),
        (compared("P x y*", "P y x"), "must have each pair of systems once, but has y and x twice for P"),
        (compared("P x y*", "AP x z"), "P and AP must have the same pairs of systems"),
    ],
)
def test_tables_of_other_kinds_are_refused(table, message):
    with pytest.raises(ValueError, match=f"overlap: (compared )?{message}"):
        overlap(table)


# Views of one comparison


def test_borderline_differences_are_a_column_of_the_bootstrap_alone():
    table = compare(perquery(MATRIX), "bootstrap", rng=np.random.default_rng(1), n_trials=100)

    assert table["borderline"].max() == delta_required(table)["delta"].item()
    others = set(TESTS) - {"bootstrap"}
    assert all("borderline" not in compare(perquery(MATRIX), test, n_trials=20) for test in others)


@pytest.mark.parametrize("view", [discriminative_power, delta_required, asl_curve])
def test_a_frame_without_a_column_is_refused(view):
    with pytest.raises(ValueError, match=f"{view.__name__}: compared must be a frame from compare, but the column mea"):
        view(compare(perquery(SYSTEMS), "tukey").drop(columns="measure"))


@pytest.mark.parametrize("test", ["t", "wilcoxon", "permutation", None])
def test_other_tests_have_no_difference_required(test):
    table = compare(perquery(SYSTEMS), "tukey")
    table.attrs["test"] = test

    with pytest.raises(ValueError, match=f"delta_required: test must be one of .*, not {test!r}"):
        delta_required(table)


def test_a_correction_does_not_reach_the_borderline_differences():
    with pytest.raises(ValueError, match="delta_required: correction must be None with the bootstrap"):
        delta_required(compare(perquery(SYSTEMS), "bootstrap", correction="holm", rng=1))


# All of them


@pytest.mark.parametrize("function", [discriminative_power, delta_required, asl_curve])
def test_tables_say_how_they_were_made(function):
    result = function(compare(two_measures(), "bootstrap", ["AP"], n_trials=100))

    assert list(result.attrs.pop("legend")) == list(result.columns)
    assert result["measure"].unique().tolist() == ["AP"]
    how = {"test": "bootstrap", "alpha": 0.05, "n_trials": 100, "version": __version__, "smallest_p": 0.0}
    assert result.attrs == how | {"n_systems": 5, "n_queries": 20, "n_pairs": 10}


# Real data


def test_hsd_tests_of_real_runs_are_conservative(shared):
    values = pd.read_csv(shared / "scores" / "web2012_err20.csv").to_numpy().T[:30]
    frame = perquery(values, "ERR@20")

    tables = [compare(frame, test, rng=1) for test in DELTA_TESTS[::2]]
    hsd, bootstrap = (discriminative_power(table)["share"].item() for table in tables)
    deltas = [delta_required(table)["delta"].item() for table in tables]

    # Sakai (2013), Tables 2 and 3: about half of the pairs or less, and a difference of like size.
    assert 0.05 < hsd < bootstrap / 2 < 0.3
    assert deltas == pytest.approx([0.15, 0.15], abs=0.03)
