import numpy as np
import pandas as pd
import pytest

from pyterrier_diversity.meta import compare, family_wise_error


def frame(values, measure="RBU"):
    """A per-query frame of a value for each system (row) and query (column)."""
    rows = [(f"s{i:02}", f"q{j:02}", measure, v) for i, row in enumerate(values) for j, v in enumerate(row)]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


NOISE = np.random.default_rng(1).normal(size=(20, 24))


def test_the_rate_of_independent_tests_is_the_one_that_sakai_gives():
    row = family_wise_error(frame(NOISE), "t", n_shuffles=1, rng=1).iloc[0]

    assert row["pairs"] == 190
    assert row["independent"] == pytest.approx(1 - 0.95**190, abs=1e-15)
    assert row["independent"] > 0.9999


def test_one_pair_is_wrongly_significant_as_often_as_alpha_says():
    table = family_wise_error(frame(NOISE[:2]), "t", alpha=0.2, n_shuffles=1500, rng=1)

    assert table["independent"].item() == pytest.approx(0.2, abs=1e-15)
    assert table["error"].item() == table["significant"].item() == pytest.approx(0.2, abs=0.03)


def test_two_systems_and_two_queries_by_hand():
    # The differences are 1 and 3, or 1 and -3, up to the sign of both: t is 2 or 1/2 in size, and p is 0.295 or 0.705.
    table = family_wise_error(frame([[2.0, 4.0], [1.0, 1.0]]), "t", alpha=0.4, n_shuffles=1500, rng=1)

    assert table["error"].item() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("test", ["bootstrap", "t"])
def test_tests_of_single_pairs_find_differences_where_none_are(test):
    table = family_wise_error(frame(NOISE), test, n_shuffles=40, n_trials=200, rng=1)

    assert 0.6 < table["error"].item() < table["independent"].item()
    assert 1 < table["significant"].item() < 30


@pytest.mark.parametrize("how", [{"test": "tukey-randomised"}, {"test": "tukey"}, {"test": "t", "correction": "holm"}])
def test_tests_of_all_systems_and_corrections_keep_the_rate_at_alpha(how):
    table = family_wise_error(frame(NOISE[:4]), **how, n_shuffles=50, n_trials=200, rng=1)

    assert table["independent"].item() == 0.05
    assert table["error"].item() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 50)


def test_pairs_of_an_hsd_test_alone_are_not_controlled():
    table = family_wise_error(frame(NOISE), "tukey", groups="pairwise", n_shuffles=20, rng=1)

    assert table["independent"].item() > 0.9999
    assert table["error"].item() > 0.5


def test_true_differences_do_not_count():
    better = frame(NOISE[:6] + 10 * np.arange(6)[:, None])

    assert compare(better, "t")["significant"].all()
    assert family_wise_error(better, "tukey-randomised", n_shuffles=50, n_trials=200, rng=1)["error"].item() < 0.2


def test_measures_share_the_shuffles():
    both = pd.concat([frame(NOISE), frame(NOISE, "twice")])
    table = family_wise_error(both, "t", n_shuffles=10, rng=1)

    assert table["measure"].tolist() == ["RBU", "twice"]
    assert table.loc[0, "significant"] == table.loc[1, "significant"]


def test_the_order_of_rows_and_the_number_of_workers_do_not_matter():
    once = family_wise_error(frame(NOISE[:5]), "bootstrap", n_shuffles=12, n_trials=50, rng=3)
    again = family_wise_error(frame(NOISE[:5])[::-1], "bootstrap", n_shuffles=12, n_trials=50, rng=3, n_jobs=2)

    pd.testing.assert_frame_equal(once, again)


def test_the_legend_describes_each_column():
    table = family_wise_error(frame(NOISE[:3]), "t", n_shuffles=2, rng=1)

    assert set(table.attrs["legend"]) == set(table.columns)
    assert table.attrs["n_shuffles"] == 2
    assert table.attrs["test"] == "t"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_shuffles": 0}, r"family_wise_error: n_shuffles must be an integer in \[1, inf\), not 0\."),
        ({"test": "sign"}, "family_wise_error: test must be one of"),
        ({"test": "tukey", "correction": "holm"}, "family_wise_error: correction='holm' cannot be used"),
    ],
)
def test_bad_parameters_are_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        family_wise_error(frame(NOISE), **options)
