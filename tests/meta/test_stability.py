from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ir_measures import P

from pyterrier_diversity.meta.stability import stability


def frame(**values):
    """A per-query frame of a value for each system (row) and topic (column) under each measure."""
    rows = [
        (f"s{i}", f"t{j}", measure, value)
        for measure, table in values.items()
        for i, row in enumerate(np.asarray(table, dtype=float))
        for j, value in enumerate(row)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def samples(seed, n_queries, n_trials, n_topics):
    """The topics of each trial."""
    topics = np.tile(np.arange(n_queries), (n_trials, 1))
    return np.random.default_rng(seed).permuted(topics, axis=1)[:, :n_topics].tolist()


def slowly(values, trials, fuzziness):
    """Türkmen et al. (2023), Sec. 4.4: the mean over pairs of the share of trials that the majority has."""
    of_pairs, ties = [], 0
    for a, b in combinations(range(len(values)), 2):
        wins = {"a": 0, "b": 0}
        for topics in trials:
            mean_a, mean_b = (sum(values[system][t] for t in topics) / len(topics) for system in (a, b))
            if abs(mean_a - mean_b) <= fuzziness + 1e-12:
                ties += 1
            else:
                wins["a" if mean_a > mean_b else "b"] += 1
        of_pairs.append(max(wins.values()) / len(trials))
    return sum(of_pairs) / len(of_pairs), ties / len(of_pairs) / len(trials)


def test_systems_that_win_on_every_topic_are_stable():
    row = stability(frame(P=[[0.9, 0.8, 0.7], [0.5, 0.5, 0.5], [0.1, 0.2, 0.3]]), n_trials=50).iloc[0]

    assert row.to_dict() == {"measure": "P", "stability": 1, "ties": 0}


def test_a_pair_that_each_of_two_topics_orders_otherwise_is_hardly_stable():
    table = stability(frame(P=[[1, 0], [0, 1]]), n_trials=1001, rng=1)

    first = sum(topic == [0] for topic in samples(1, 2, 1001, 1))
    assert table["stability"].item() == pytest.approx(max(first, 1001 - first) / 1001, abs=1e-12)
    assert 0.5 < table["stability"].item() < 0.55


def test_three_systems_of_which_two_are_tied():
    # Systems 0 and 1 are tied in every trial; both lose to system 2 in every trial.
    row = stability(frame(P=[[0.1, 0.2], [0.12, 0.22], [0.5, 0.6]]), n_trials=10).iloc[0]

    assert (row["stability"], row["ties"]) == pytest.approx((2 / 3, 1 / 3), abs=1e-12)


@pytest.mark.parametrize(("difference", "ties"), [(0.05, 1), (0.05 + 1e-14, 1), (0.0501, 0), (-0.05, 1), (-0.0501, 0)])
def test_means_that_differ_by_the_fuzziness_are_tied(difference, ties):
    table = stability(frame(P=[[0.3 + difference] * 4, [0.3] * 4]), n_trials=5)

    assert table[["stability", "ties"]].to_numpy().tolist() == [[1 - ties, ties]]


@pytest.mark.parametrize(("fuzziness", "share"), [(0.05, 0.5), (0, 0.5), (0.2, 0.3), (0.1, 1)])
def test_values_equal_a_slow_restatement(fuzziness, share):
    values = {name: np.random.default_rng(i).random((6, 11)).round(1) for i, name in enumerate("PQR")}

    table = stability(frame(**values), n_trials=40, fuzziness=fuzziness, share=share, rng=7)

    trials = samples(7, 11, 40, int(11 * share))
    # Topics in the order of their names: 0, 1, 10, 2, ...
    by_name = sorted(range(11), key=str)
    expected = [slowly(values[name][:, by_name].tolist(), trials, fuzziness) for name in "PQR"]
    assert table["measure"].tolist() == list("PQR")
    np.testing.assert_allclose(table[["stability", "ties"]], expected, atol=1e-12)


VALUES = arrays(np.float64, (4, 6), elements=st.sampled_from([0, 0.1, 0.25, 0.5, 0.9, 1]))


@settings(max_examples=25)
@given(VALUES, st.sampled_from([0, 0.05, 0.3]), st.sampled_from([0.2, 0.5, 1]))
def test_the_more_frequent_order_has_at_least_half_of_the_trials_without_ties(values, fuzziness, share):
    row = stability(frame(P=values), n_trials=20, fuzziness=fuzziness, share=share).iloc[0]

    assert (1 - row["ties"]) / 2 - 1e-12 <= row["stability"] <= 1 - row["ties"] + 1e-12


@settings(max_examples=25)
@given(VALUES)
def test_with_all_topics_in_the_sample_only_ties_are_unstable(values):
    row = stability(frame(P=values), n_trials=3, share=1).iloc[0]

    assert row["stability"] + row["ties"] == pytest.approx(1, abs=1e-12)


@settings(max_examples=25)
@given(VALUES)
def test_more_fuzziness_makes_more_ties(values):
    ties = [stability(frame(P=values), n_trials=20, fuzziness=f, rng=1)["ties"].item() for f in (0, 0.05, 0.2, 1)]

    assert ties == sorted(ties)
    assert ties[-1] == 1


@settings(max_examples=25)
@given(VALUES, st.permutations(range(4)))
def test_the_order_of_the_systems_does_not_matter(values, order):
    one, other = (stability(frame(P=each), n_trials=20, rng=1) for each in (values, values[order]))

    pd.testing.assert_frame_equal(one, other)


def test_identical_systems_are_always_tied():
    values = np.tile(np.random.default_rng(1).random(7), (4, 1))

    table = stability(frame(P=values), n_trials=20, fuzziness=0)

    assert table[["stability", "ties"]].to_numpy().tolist() == [[0, 1]]


def test_all_measures_are_judged_on_the_same_samples():
    values = np.random.default_rng(2).random((5, 8))

    table = stability(frame(P=values, Q=values), n_trials=20)

    assert table["stability"].nunique() == table["ties"].nunique() == 1


NOISE = frame(P=np.random.default_rng(3).random((5, 9)), Q=np.random.default_rng(4).random((5, 9)))


def test_a_seed_repeats_the_result():
    first, again, other = (stability(NOISE, n_trials=30, rng=seed) for seed in (1, np.random.default_rng(1), 2))

    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)


def test_the_number_of_workers_does_not_matter():
    pd.testing.assert_frame_equal(*(stability(NOISE, n_trials=30, rng=1, n_jobs=n) for n in (1, 2)))


def test_some_measures_may_be_asked_for():
    perquery = NOISE.replace({"measure": {"P": "P@5"}})

    assert stability(perquery, [P @ 5], n_trials=5)["measure"].tolist() == ["P@5"]


@pytest.mark.parametrize(("n_queries", "share", "n_topics"), [(45, 0.5, 22), (50, 0.5, 25), (100, 0.29, 29), (3, 1, 3)])
def test_samples_have_a_share_of_the_topics_rounded_down(n_queries, share, n_topics):
    table = stability(frame(P=np.zeros((2, n_queries))), n_trials=1, share=share)

    assert list(table.attrs["legend"]) == list(table.columns)
    assert table.attrs["n_topics"] == n_topics


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_trials": 0}, r"stability: n_trials must be an integer in \[1, inf\), not 0\."),
        ({"n_trials": 1.5}, r"n_trials must be an integer"),
        ({"fuzziness": -0.1}, r"fuzziness must be a number in \[0, inf\), not -0\.1\."),
        ({"share": 0}, r"share must be a number in \(0, 1\], not 0\."),
        ({"share": 1.1}, r"share must be a number in \(0, 1\], not 1\.1\."),
        ({"share": 0.1}, r"share must leave at least one topic in a sample, but is 0\.1 of 9 topics\."),
        ({"measures": ["AP"]}, r"perquery has no measure AP"),
    ],
)
def test_parameters_out_of_range_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        stability(NOISE, **arguments)


def test_one_system_is_refused():
    with pytest.raises(ValueError, match=r"perquery must have at least two systems, not 1\."):
        stability(frame(P=[[1, 2]]))
