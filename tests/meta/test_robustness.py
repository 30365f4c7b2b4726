import statistics
from itertools import combinations

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, NumRel, P

import by_hand
from by_hand import run
from pyterrier_diversity import RBU, Adhoc, StRecall, alpha_nDCG
from pyterrier_diversity.meta.robustness import assessor_agreement, pool_depth, topic_sampling


def tau_b(first, second):
    """Kendall's tau-b, pair by pair; None where a list orders nothing."""

    def sign(a, b):
        return 0 if abs(a - b) <= 1e-12 else (1 if a > b else -1)

    pairs = list(combinations(range(len(first)), 2))
    one = [sign(first[i], first[j]) for i, j in pairs]
    two = [sign(second[i], second[j]) for i, j in pairs]
    untied = sum(map(abs, one)) * sum(map(abs, two))
    return sum(a * b for a, b in zip(one, two, strict=True)) / untied**0.5 if untied else None


def perquery(**tables):
    """A frame of measures, each a list of a list of values by query for each system: perquery(P=[[1, 0], [0, 0]])."""
    rows = [
        (f"s{i}", f"q{j}", measure, float(value))
        for measure, table in tables.items()
        for i, values in enumerate(table)
        for j, value in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def random_frame(n_systems=8, n_queries=12, seed=5):
    """Two measures of coarse values, so that means are tied at times."""
    generator = np.random.default_rng(seed)
    return perquery(**{measure: generator.integers(4, size=(n_systems, n_queries)) / 4 for measure in ("P", "AP")})


def qrels(*rows):
    """Qrels of the rows "qid iteration docno label", with whole labels."""
    return by_hand.qrels(*rows).astype({"label": int})


def frame_of(retrieved):
    """A run as a frame with PyTerrier's names."""
    rows = [(query, doc, score) for query, docs in retrieved.items() for doc, score in docs.items()]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


def system(**rankings):
    """A run as a frame: system(q="d2 d1")."""
    return frame_of(run(**rankings))


# P@1 and P@2 of x, y, z over the topics 1 and 2.
RUNS = {"x": system(**{"1": "a b", "2": "e f"}), "y": system(**{"1": "c a", "2": "f h"}), "z": system(**{"1": "d c"})}
FULL = qrels("1 0 a 1", "1 0 b 0", "1 0 c 1", "1 0 d 0", "1 0 x 1", "2 0 e 0", "2 0 f 1", "2 0 g 1")
TREC_RUNS = ("cwindri", "cedr-first-stage", "syn02-strong", "syn03-middle", "syn04-weak", "syn07-diverse", "syn08-ties")


def random_runs(n_systems=5, n_queries=4, seed=3):
    """Runs and qrels with two intents."""
    generator = np.random.default_rng(seed)
    docs = [f"d{i:02d}" for i in range(12)]
    runs = {
        f"s{i}": system(**{f"q{j}": " ".join(generator.permutation(docs)[:8]) for j in range(n_queries)})
        for i in range(n_systems)
    }
    judged = qrels(
        *(
            f"q{j} {intent} {doc} {generator.integers(3)}"
            for j in range(n_queries)
            for doc in docs
            if generator.random() < 0.7
            for intent in "ab"
        )
    )
    return runs, judged


class TestTopicSampling:
    def test_samples_of_one_topic_order_the_systems_as_that_topic(self):
        # The means are 0.8, 0.5 and 0.4: of three pairs, q0 swaps none, q1 one, q2 two.
        frame = perquery(P=[[1, 0.9, 0.5], [0.5, 0, 1], [0, 0.3, 0.9]])

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
            tables = [values[measure, f"s{i}"] for i in range(8)]
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

    def test_topics_that_agree_have_tau_one_at_any_size(self):
        frame = perquery(P=[[0.3] * 6, [0.2] * 6, [0.2] * 6, [0.1] * 6])

        assert topic_sampling(frame, sizes=[1, 3])["tau"].tolist() == pytest.approx([1, 1])

    def test_one_trial_has_one_sample_for_all_measures(self):
        frame = random_frame()
        copy = frame[frame["measure"] == "P"].assign(measure="copy")

        result = topic_sampling(pd.concat([frame, copy]), sizes=[3, 5], n_trials=10, rng=3).set_index("measure")

        pd.testing.assert_frame_equal(
            result.loc[["P"]].reset_index(drop=True), result.loc[["copy"]].reset_index(drop=True)
        )

    def test_a_sample_does_not_depend_on_the_other_measures(self):
        frame = random_frame()

        alone = topic_sampling(frame, [AP], [3, 5], n_trials=10, rng=3)
        among = topic_sampling(frame, None, [3, 5], n_trials=10, rng=3)

        pd.testing.assert_frame_equal(alone, among[among["measure"] == "AP"].reset_index(drop=True))

    def test_a_seed_gives_one_result_and_others_another(self):
        first, again, other = (topic_sampling(random_frame(), sizes=[4], n_trials=9, rng=seed) for seed in (1, 1, 2))

        pd.testing.assert_frame_equal(first, again)
        assert (first["tau"] != other["tau"]).all()

    def test_a_generator_is_a_source_of_samples(self):
        generator = np.random.default_rng(1)
        first, again = (topic_sampling(random_frame(), sizes=[4], n_trials=9, rng=generator) for _ in range(2))

        pd.testing.assert_frame_equal(first, topic_sampling(random_frame(), sizes=[4], n_trials=9, rng=1))
        assert (first["tau"] != again["tau"]).all()

    def test_the_number_of_workers_does_not_matter(self):
        one, two = (topic_sampling(random_frame(), sizes=[3, 6], n_trials=9, rng=1, n_jobs=n) for n in (1, 2))

        pd.testing.assert_frame_equal(one, two)

    def test_trials_that_tie_all_systems_do_not_count(self):
        # The topic q1 orders nothing.
        frame = perquery(P=[[1, 0.5], [0, 0.5]])

        result = topic_sampling(frame, sizes=[1], n_trials=50, rng=1)

        assert 0 < result["n_trials"].item() < 50
        assert result["tau"].item() == 1

    def test_a_measure_that_ties_all_systems_has_no_tau(self):
        result = topic_sampling(perquery(P=[[1, 0], [0, 1]], AP=[[1, 0], [0, 0]]), sizes=[2], n_trials=3)

        assert np.isnan(result["tau"].iloc[0])
        assert result["n_trials"].tolist() == [0, 3]

    def test_means_that_differ_by_rounding_are_equal(self):
        rounded = perquery(P=[[0.1, 0.2, 0.6], [0.2, 0.1, 0.6 + 1e-13], [0.3, 0.3, 0.3 - 1e-13], [0, 0, 0]])

        result = topic_sampling(rounded, sizes=[2], n_trials=100, rng=1)

        exact = topic_sampling(perquery(P=[[1, 2, 6], [2, 1, 6], [3, 3, 3], [0, 0, 0]]), sizes=[2], n_trials=100, rng=1)
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

    def test_larger_samples_order_the_systems_more_alike(self):
        taus = topic_sampling(random_frame(n_queries=50), ["P"], sizes=[2, 10, 40], rng=1)["tau"].tolist()

        assert taus == sorted(taus)
        assert taus[0] < taus[2] - 0.2

    def test_queries_without_a_value_of_a_system_are_left_out(self):
        with pytest.warns(UserWarning, match="1 of 12 queries are left out"):
            result = topic_sampling(random_frame().iloc[1:], ["P"], sizes=[11], n_trials=2)

        assert result["tau"].item() == pytest.approx(1)

    @given(st.lists(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=4, max_size=4), min_size=2, max_size=5))
    def test_tau_is_in_its_range_for_any_values(self, table):
        result = topic_sampling(perquery(P=table), sizes=[2, 4], n_trials=3, rng=1)

        assert result["tau"].dropna().between(-1 - 1e-12, 1 + 1e-12).all()
        assert result["tau"].iloc[1] == pytest.approx(1) or result["n_trials"].iloc[1] == 0

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
        ],
    )
    def test_invalid_arguments_of_topic_sampling_are_refused(self, options, error, message):
        with pytest.raises(error, match=message):
            topic_sampling(random_frame(), **{"sizes": [5], **options})

    def test_one_system_is_refused(self):
        with pytest.raises(ValueError, match=r"must have at least two systems, not 1"):
            topic_sampling(perquery(P=[[1, 0]]), sizes=[1])


class TestPoolDepth:
    def test_an_intent_without_any_judgement_is_in_every_pool_and_no_judgement_of_one(self):
        named = pd.concat([FULL, FULL.head(1).assign(docno="", label=0)])

        result = pool_depth(RUNS, named, [P @ 2], depths=[1, 2])

        pd.testing.assert_frame_equal(result, pool_depth(RUNS, FULL, [P @ 2], depths=[1, 2]))

    def test_judgements_outside_of_the_pool_are_dropped(self):
        # The pool of depth 1 is a, c, d, e and f; depth 2 adds b and h, which is not judged. P@2 is x 1/2, y 3/4, z 1/4
        # by either.
        result = pool_depth(RUNS, FULL, [P @ 2], depths=[1, 2])

        assert result["judged"].tolist() == [5 / 8, 6 / 8]
        assert result["tau"].tolist() == [1, 1]
        assert result["n_queries"].tolist() == [2, 2]

    def test_systems_change_places_where_judgements_are_missing(self):
        # P@2 is x 1/2, y 0, z 1/2, w 1. The pool of depth 1 is a, b, c and e. Without f, w is above x and z.
        runs = {"x": system(q="a d"), "y": system(q="b d"), "z": system(q="c e"), "w": system(q="e f")}
        judged = qrels("q 0 a 1", "q 0 b 0", "q 0 c 0", "q 0 d 0", "q 0 e 1", "q 0 f 1")

        result = pool_depth(runs, judged, [P @ 2], depths=[1, 2])

        full, pooled = [1 / 2, 0, 1 / 2, 1], [1 / 2, 0, 1 / 2, 1 / 2]
        assert result["tau"].tolist() == pytest.approx([tau_b(pooled, full), 1])

    def test_a_pool_agrees_with_a_slow_restatement(self):
        import ir_measures

        runs, judged = random_runs()
        measures = [alpha_nDCG @ 5, StRecall @ 3, Adhoc(AP)]

        result = pool_depth(runs, judged, measures, depths=[1, 2, 4])

        def values(measure, frame):
            renamed = frame.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
            return [
                ir_measures.calc_aggregate(
                    [measure],
                    renamed,
                    retrieved.rename(columns={"qid": "query_id", "docno": "doc_id"}),
                )[measure]
                for retrieved in runs.values()
            ]

        expected = []
        for measure in measures:
            for depth in (1, 2, 4):
                pool = {
                    (query, doc)
                    for retrieved in runs.values()
                    for query, group in retrieved.groupby("qid")
                    for doc in group.sort_values("score", ascending=False)["docno"].head(depth)
                }
                kept = judged[[pair in pool for pair in zip(judged["qid"], judged["docno"], strict=True)]]
                expected.append((str(measure), depth, tau_b(values(measure, kept), values(measure, judged))))
        assert [row[:2] for row in expected] == list(zip(result["measure"], result["depth"], strict=True))
        assert result["tau"].tolist() == pytest.approx([tau for *_, tau in expected])
        assert (result["tau"] < 1).any()

    def test_a_pool_of_all_documents_has_tau_one(self):
        runs, judged = random_runs()

        result = pool_depth(runs, judged, [RBU(p=0.8) @ 5, "Adhoc(P@3)", "Adhoc(AP)"], depths=[1000])

        assert result["measure"].tolist() == ["RBU(p=0.8)@5", "Adhoc(P@3)", "Adhoc(AP)"]
        assert result["tau"].tolist() == pytest.approx([1, 1, 1])

    def test_the_pool_has_the_documents_of_ties_as_they_are_evaluated(self):
        # Documents of one score come last name first: the pool of depth 1 is b and c.
        tied = pd.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "score": [1.0, 1.0]})
        judged = qrels("q 0 a 1", "q 0 b 1", "q 0 c 0")

        result = pool_depth({"x": tied, "y": system(q="c")}, judged, [P @ 1], depths=[1])

        assert result["judged"].item() == 2 / 3

    def test_a_query_that_no_judgement_is_left_of_is_not_evaluated(self):
        runs = {"x": system(q="a b", r="c d"), "y": system(q="b a", r="c e")}
        judged = qrels("q 0 a 1", "q 0 b 0", "r 0 d 1", "r 0 e 0")

        result = pool_depth(runs, judged, [P @ 1], depths=[1, 2])

        assert result["n_queries"].tolist() == [1, 2]

    def test_frames_stay_as_they_are_and_either_names_will_do(self):
        runs, judged = random_runs()
        before = judged.copy(), runs["s0"].copy()
        theirs = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
        renamed = {name: frame.rename(columns=theirs) for name, frame in runs.items()}

        result = pool_depth(runs, judged, [StRecall @ 3], depths=[1, 3])

        pd.testing.assert_frame_equal(
            result, pool_depth(renamed, judged.rename(columns=theirs), [StRecall @ 3], [1, 3])
        )
        pd.testing.assert_frame_equal(judged, before[0])
        pd.testing.assert_frame_equal(runs["s0"], before[1])

    def test_measures_have_families(self):
        runs, judged = random_runs()
        measures = [Adhoc(P @ 1), Adhoc(P @ 3), StRecall @ 3]

        result = pool_depth(runs, judged, measures, [1, 2], group=lambda name: name.split("@")[0])

        assert list(result) == ["measure", "family", "depth", "tau", "family_tau", "judged", "n_queries"]
        assert result["family"].tolist() == ["Adhoc(P"] * 4 + ["StRecall"] * 2
        for _, same in result.groupby(["family", "depth"]):
            assert same["family_tau"].tolist() == pytest.approx([statistics.mean(same["tau"])] * len(same))

    def test_the_result_describes_its_columns(self):
        result = pool_depth(RUNS, FULL, [P @ 2], [1])

        assert set(result.attrs["legend"]) == set(result)
        assert (result.attrs["n_systems"], result.attrs["n_queries"]) == (3, 2)

    def test_precision_of_real_runs_needs_no_judgements_below_its_cutoff(self, trec_qrels, trec_run):
        runs = {name: trec_run(f"2011/{name}") for name in TREC_RUNS}

        result = pool_depth(runs, trec_qrels(2011), [Adhoc(P @ 10), StRecall @ 10], [1, 3, 10])

        shares, taus = result["judged"].tolist(), result["tau"].tolist()
        assert 0 < shares[0] < shares[1] < shares[2] < 1
        assert taus[2] == pytest.approx(1)
        assert all(0.5 < tau < 0.99 for tau in (*taus[:2], *taus[3:5]))

    @pytest.mark.parametrize(
        ("change", "error", "message"),
        [
            ({"depths": [0]}, ValueError, r"depths must be an integer in \[1, inf\), not 0"),
            ({"depths": []}, ValueError, "depths must not be empty"),
            ({"measures": []}, ValueError, "measures must not be empty"),
            ({"measures": ["nothing"]}, ValueError, "nothing"),
            ({"group": {"P@1": "P"}}, ValueError, "group has no family for P@2"),
            ({"runs": {"x": RUNS["x"]}}, ValueError, "runs must have at least two systems, not ..x"),
            ({"runs": RUNS["x"]}, TypeError, "runs must be a dict of names to runs, not DataFrame"),
            ({"runs": {**RUNS, "w": RUNS["x"].drop(columns="score")}}, ValueError, "run w: missing column score"),
            ({"qrels": FULL.drop(columns="label")}, ValueError, "qrels: missing column label;"),
            ({"qrels": FULL.iloc[:0]}, ValueError, "qrels must not be empty"),
            ({"qrels": qrels("1 0 nobody 1")}, ValueError, "qrels must judge at least one of the top 1 documents"),
        ],
    )
    def test_invalid_arguments_of_pool_depth_are_refused(self, change, error, message):
        with pytest.raises(error, match=message):
            pool_depth(**{"runs": RUNS, "qrels": FULL, "measures": [P @ 2], "depths": [1], **change})


class TestAssessorAgreement:
    def test_the_same_judgements_have_tau_one(self):
        runs, judged = random_runs()

        result = assessor_agreement(runs, judged, judged, [RBU(p=0.8) @ 5, StRecall @ 2, Adhoc(AP)])

        assert result["tau"].tolist() == pytest.approx([1, 1, 1])

    def test_opposite_judgements_have_tau_minus_one(self):
        runs = {"x": system(q="a"), "y": system(q="b")}
        judged, opposite = qrels("q 0 a 1", "q 0 b 0"), qrels("q 0 a 0", "q 0 b 1")

        assert assessor_agreement(runs, judged, opposite, [P @ 1])["tau"].item() == pytest.approx(-1)

    def test_assessors_who_tie_different_systems_have_tau_b(self):
        # P@1 is x 1/2, y 1, z 0 by the one; by the other, x 1/2, y 0, z 1/2: one pair of three is tied, the others
        # are one way and the other.
        other = FULL.assign(label=1 - FULL["label"])

        result = assessor_agreement(RUNS, FULL, other, [P @ 1])

        assert result["tau"].item() == pytest.approx(tau_b([1 / 2, 1, 0], [1 / 2, 0, 1 / 2]))
        assert result["tau"].item() == pytest.approx(-2 / 6**0.5)

    def test_families_have_the_means_of_the_papers_table(self):
        # Carterette (2011), Table 2: rows are stops, columns are models.
        runs, judged = random_runs(seed=7)
        other = judged.assign(label=np.random.default_rng(1).permutation(judged["label"]))
        measures = [alpha_nDCG @ 2, alpha_nDCG @ 5, StRecall @ 2, StRecall @ 5]

        by_model = assessor_agreement(runs, judged, other, measures, group=lambda name: name.split("@")[0])
        by_cutoff = assessor_agreement(runs, judged, other, measures, group=lambda name: name.split("@")[1])

        tau = by_model["tau"].tolist()
        assert list(by_model) == ["measure", "family", "tau", "family_tau", "tau_low", "tau_high"]
        assert by_model["family_tau"].tolist() == pytest.approx(
            [(tau[0] + tau[1]) / 2] * 2 + [(tau[2] + tau[3]) / 2] * 2
        )
        assert by_cutoff["family_tau"].tolist() == pytest.approx([(tau[0] + tau[2]) / 2, (tau[1] + tau[3]) / 2] * 2)

    def test_the_order_of_the_assessors_does_not_matter(self):
        runs, judged = random_runs()
        other = judged.assign(label=np.random.default_rng(1).permutation(judged["label"]))
        measures = [StRecall @ 2, alpha_nDCG @ 5]

        pd.testing.assert_frame_equal(
            assessor_agreement(runs, judged, other, measures, rng=1),
            assessor_agreement(runs, other, judged, measures, rng=1),
        )

    def test_the_interval_is_that_of_resampled_topics(self):
        runs, judged = random_runs(seed=3)
        other = judged.assign(label=np.random.default_rng(1).permutation(judged["label"]))
        options = {"n_trials": 40, "ci": 0.9, "rng": 5}

        (row,) = assessor_agreement(runs, judged, other, [StRecall @ 2], **options).to_dict("records")

        tables = []
        for each in (judged, other):
            evaluator = ir_measures.evaluator([StRecall @ 2], pt.model.to_ir_measures(each))
            rows = [
                {metric.query_id: metric.value for metric in evaluator.iter_calc(pt.model.to_ir_measures(run))}
                for run in runs.values()
            ]
            queries = sorted(rows[0], key=lambda name: (len(name), name))
            tables.append([[values[query] for query in queries] for values in rows])
        n = len(tables[0][0])
        taus = []
        for sample in np.random.default_rng(5).integers(n, size=(40, n)):
            means = [[sum(row[q] for q in sample) / n for row in table] for table in tables]
            taus.append(tau_b(*means))
        low, high = np.quantile([tau for tau in taus if tau is not None], [0.05, 0.95])
        assert (row["tau_low"], row["tau_high"]) == pytest.approx((low, high), abs=1e-12)
        assert row["tau_low"] <= row["tau"] <= row["tau_high"]

    def test_aggregates_other_than_means_are_resampled_too(self):
        result = assessor_agreement(RUNS, FULL, FULL, [NumRel, P @ 1], n_trials=20, rng=1)

        assert result["tau"].tolist() == [1, 1]
        assert result["tau_low"].tolist() == result["tau_high"].tolist() == [1, 1]

    @pytest.mark.parametrize(
        ("options", "message"),
        [({"n_trials": 0}, "n_trials must be an integer in"), ({"ci": 1}, r"ci must be a number in \(0, 1\), not 1")],
    )
    def test_intervals_of_nothing_are_refused(self, options, message):
        with pytest.raises(ValueError, match=message):
            assessor_agreement(RUNS, FULL, FULL, [P @ 1], **options)

    def test_queries_of_one_assessor_only_are_left_out(self):
        other = pd.concat([FULL[FULL["qid"] == "1"], qrels("3 0 a 1")])

        with pytest.warns(UserWarning, match="2 of 3 queries are left out, because only one of the two qrels has them"):
            result = assessor_agreement(RUNS, FULL, other, [P @ 1])

        assert result["tau"].item() == pytest.approx(1)
        assert result.attrs["n_queries"] == 1
        assert set(result.attrs["legend"]) == set(result)

    def test_a_measure_that_ties_all_systems_has_no_tau(self):
        runs = {"x": system(q="a b"), "y": system(q="b a")}

        result = assessor_agreement(runs, *[qrels("q 0 a 1", "q 0 b 0")] * 2, [P @ 2])

        assert np.isnan(result["tau"].item())

    def test_assessors_of_other_queries_are_refused(self):
        with pytest.raises(ValueError, match="must have at least one query in common"):
            assessor_agreement(RUNS, FULL, qrels("3 0 a 1"), [P @ 1])

    def test_values_other_than_numbers_are_refused(self):
        from ir_measures import define_byquery

        nothing = define_byquery(lambda judged, retrieved: float("nan"), name="Nothing")

        with pytest.raises(ValueError, match="Nothing must be finite to rank systems, but is nan for run x"):
            assessor_agreement(RUNS, FULL, FULL, [nothing])


def test_pools_are_taken_at_seven_depths_by_default():
    qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [1, 0]})
    runs = {"x": {"1": ["a", "b"]}, "y": {"1": ["b", "a"]}}

    assert pool_depth(runs, qrels, [Adhoc(P @ 1)])["depth"].tolist() == [1, 2, 5, 10, 20, 50, 100]
