import statistics
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, P

from by_hand import of_measures, tau_b
from pyterrier_diversity.meta import stability, topic_sampling


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


@pytest.mark.parametrize(("difference", "ties"), [(0.05, 1), (0.05 + 1e-14, 1), (0.0501, 0), (-0.05, 1), (-0.0501, 0)])
def test_means_that_differ_by_the_fuzziness_are_tied(difference, ties):
    table = stability(of_measures(P=[[0.3 + difference] * 4, [0.3] * 4]), n_trials=5)

    assert table[["stability", "ties"]].to_numpy().tolist() == [[1 - ties, ties]]


@pytest.mark.parametrize("fuzziness", [0.05, 0, 0.2])
def test_values_equal_a_slow_restatement(fuzziness):
    values = {name: np.random.default_rng(i).random((6, 11)).round(1) for i, name in enumerate("PQR")}

    table = stability(of_measures(**values), n_trials=40, fuzziness=fuzziness, rng=7)

    trials = samples(7, 11, 40, 5)
    # Topics in the order of their names: 0, 1, 10, 2, ...
    by_name = sorted(range(11), key=str)
    expected = [slowly(values[name][:, by_name].tolist(), trials, fuzziness) for name in "PQR"]
    assert table["measure"].tolist() == list("PQR")
    np.testing.assert_allclose(table[["stability", "ties"]], expected, atol=1e-12)


NOISE = of_measures(P=np.random.default_rng(3).random((5, 9)), Q=np.random.default_rng(4).random((5, 9)))


@pytest.mark.parametrize(("n_queries", "n_topics"), [(2, 1), (45, 22), (50, 25)])
def test_samples_have_half_of_the_topics_rounded_down(n_queries, n_topics):
    table = stability(of_measures(P=np.zeros((2, n_queries))), n_trials=1)

    assert list(table.attrs["legend"]) == list(table.columns)
    assert table.attrs["n_topics"] == n_topics


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_trials": 0}, r"stability: n_trials must be an integer in \[1, inf\), not 0\."),
        ({"n_trials": 1.5}, r"n_trials must be an integer"),
        ({"fuzziness": -0.1}, r"fuzziness must be a number in \[0, inf\), not -0\.1\."),
        ({"measures": ["AP"]}, r"perquery has no measure AP"),
        ({"perquery": of_measures(P=[[1, 2]])}, r"perquery must have at least two systems, not 1\."),
        ({"perquery": of_measures(P=[[1], [2]])}, r"perquery must have at least two queries, not 1\."),
    ],
)
def test_parameters_out_of_range_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        stability(**{"perquery": NOISE, **arguments})


def random_frame(n_systems=8, n_queries=12, seed=5):
    """Two measures of coarse values, so that means are tied at times."""
    generator = np.random.default_rng(seed)
    return of_measures(**{measure: generator.integers(4, size=(n_systems, n_queries)) / 4 for measure in ("P", "AP")})


class TestTopicSampling:
    def test_samples_of_one_topic_order_the_systems_as_that_topic(self):
        # The means are 0.8, 0.5 and 0.4: of three pairs, q0 swaps none, q1 one, q2 two.
        frame = of_measures(P=[[1, 0.9, 0.5], [0.5, 0, 1], [0, 0.3, 0.9]])

        result = topic_sampling(frame, sizes=[1], n_trials=3000, rng=1)

        expected = [tau_b(topic, [0.8, 0.5, 0.4]) for topic in ([1, 0.5, 0], [0.9, 0, 0.3], [0.5, 1, 0.9])]
        assert expected == pytest.approx([1, 1 / 3, -1 / 3])
        assert result["tau"].item() == pytest.approx(statistics.mean(expected), abs=0.04)
        assert result["sd"].item() == pytest.approx(statistics.pstdev(expected), abs=0.04)

    def test_every_size_agrees_with_a_slow_restatement(self):
        frame = random_frame()
        values = {
            (measure, name): group.set_index("qid")["value"].to_dict()
            for (measure, name), group in frame.groupby(["measure", "name"])
        }

        result = topic_sampling(frame, sizes=[11, 12], n_trials=400, rng=2)

        # All samples of eleven of the twelve topics leave one out.
        for measure in ("P", "AP"):
            tables = [values[measure, f"S{i}"] for i in range(8)]
            means = [statistics.mean(table.values()) for table in tables]
            taus = [
                tau_b([statistics.mean(v for q, v in table.items() if q != out) for table in tables], means)
                for out in tables[0]
            ]
            row = result[(result["measure"] == measure) & (result["size"] == 11)]
            assert row["tau"].item() == pytest.approx(statistics.mean(taus), abs=0.02)
            assert row["sd"].item() == pytest.approx(statistics.pstdev(taus), abs=0.02)

    def test_all_topics_have_tau_one_without_deviation(self):
        result = topic_sampling(random_frame(), sizes=[12], n_trials=5)

        assert result["tau"].tolist() == pytest.approx([1, 1])
        assert result["sd"].tolist() == pytest.approx([0, 0])
        assert result["n_trials"].tolist() == [5, 5]

    def test_one_trial_has_one_sample_for_all_measures(self):
        frame = random_frame()
        copy = frame[frame["measure"] == "P"].assign(measure="copy")

        result = topic_sampling(pd.concat([frame, copy]), sizes=[3, 5], n_trials=10, rng=3).set_index("measure")

        pd.testing.assert_frame_equal(
            result.loc[["P"]].reset_index(drop=True), result.loc[["copy"]].reset_index(drop=True)
        )

    def test_a_generator_is_a_source_of_samples(self):
        generator = np.random.default_rng(1)
        first, again = (topic_sampling(random_frame(), sizes=[4], n_trials=9, rng=generator) for _ in range(2))

        pd.testing.assert_frame_equal(first, topic_sampling(random_frame(), sizes=[4], n_trials=9, rng=1))
        assert (first["tau"] != again["tau"]).all()

    def test_trials_that_tie_all_systems_do_not_count(self):
        # The topic q1 orders nothing.
        frame = of_measures(P=[[1, 0.5], [0, 0.5]])

        result = topic_sampling(frame, sizes=[1], n_trials=50, rng=1)

        assert 0 < result["n_trials"].item() < 50
        assert result["tau"].item() == 1

    def test_a_measure_that_ties_all_systems_has_no_tau(self):
        result = topic_sampling(of_measures(P=[[1, 0], [0, 1]], AP=[[1, 0], [0, 0]]), sizes=[2], n_trials=3)

        assert np.isnan(result["tau"].iloc[0])
        assert result["n_trials"].tolist() == [0, 3]

    def test_means_that_differ_by_rounding_are_equal(self):
        rounded = of_measures(P=[[0.1, 0.2, 0.6], [0.2, 0.1, 0.6 + 1e-13], [0.3, 0.3, 0.3 - 1e-13], [0, 0, 0]])

        result = topic_sampling(rounded, sizes=[2], n_trials=100, rng=1)

        whole = of_measures(P=[[1, 2, 6], [2, 1, 6], [3, 3, 3], [0, 0, 0]])
        exact = topic_sampling(whole, sizes=[2], n_trials=100, rng=1)
        pd.testing.assert_frame_equal(result, exact)

    @pytest.mark.parametrize(
        "group", [{"P": "set", "AP": "list"}, {P: "set", AP: "list"}, {"P": "set", "AP": "list"}.get]
    )
    def test_measures_have_families(self, group):
        result = topic_sampling(random_frame(), sizes=[3, 6], n_trials=4, group=group, rng=1)

        assert result["family"].tolist() == ["set", "set", "list", "list"]
        assert result["family_tau"].tolist() == result["tau"].tolist()
        assert list(result) == ["measure", "family", "size", "tau", "family_tau", "sd", "n_trials"]

    def test_a_family_has_the_mean_of_its_measures(self):
        result = topic_sampling(random_frame(), sizes=[3, 6], n_trials=4, group=lambda measure: "all", rng=1)

        for _, same in result.groupby("size"):
            assert same["family_tau"].tolist() == pytest.approx([statistics.mean(same["tau"])] * 2)

    def test_the_result_describes_its_columns(self):
        result = topic_sampling(random_frame(), sizes=[3], n_trials=4)

        assert set(result.attrs["legend"]) == set(result)
        assert (result.attrs["n_systems"], result.attrs["n_queries"], result.attrs["n_trials"]) == (8, 12, 4)

    def test_by_default_sizes_are_those_of_the_paper(self):
        frame = random_frame(n_systems=3, n_queries=50)

        result = topic_sampling(frame, ["P"], n_trials=2)

        assert result["size"].tolist() == [5, 10, 15, 20, 25, 30, 35, 40, 45]

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"sizes": [13]}, ValueError, r"sizes must be an integer in \[1, 12\], not 13"),
            ({"sizes": [0]}, ValueError, r"sizes must be an integer in \[1, 12\], not 0"),
            ({"sizes": []}, ValueError, "sizes must not be empty"),
            ({"sizes": 5}, TypeError, "sizes must be a list of integers, not 5"),
            ({"n_trials": 0}, ValueError, r"n_trials must be an integer in \[1, inf\), not 0"),
            ({"measures": ["RR"]}, ValueError, "perquery has no measure RR"),
            ({"group": {"P": "set"}}, ValueError, "group has no family for AP"),
            ({"perquery": of_measures(P=[[1, 0]])}, ValueError, "must have at least two systems, not 1"),
        ],
    )
    def test_invalid_arguments_of_topic_sampling_are_refused(self, options, error, message):
        with pytest.raises(error, match=message):
            topic_sampling(**{"perquery": random_frame(), "sizes": [5], **options})
