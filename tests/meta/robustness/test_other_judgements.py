import statistics

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, NumRel, P

import by_hand
from by_hand import tau_b, value
from pyterrier_diversity import RBU, Adhoc, StRecall, alpha_nDCG
from pyterrier_diversity.meta import assessor_agreement, pool_depth


def qrels(*rows):
    """Qrels of the rows "qid iteration docno label", with whole labels."""
    return by_hand.qrels(*rows).astype({"label": int})


def system(**rankings):
    """A run as a frame: system(q="d2 d1")."""
    rows = [(query, doc, -float(i)) for query, docs in rankings.items() for i, doc in enumerate(docs.split())]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


# P@1 and P@2 of x, y, z over the topics 1 and 2.
RUNS = {"x": system(**{"1": "a b", "2": "e f"}), "y": system(**{"1": "c a", "2": "f h"}), "z": system(**{"1": "d c"})}
FULL = qrels("1 0 a 1", "1 0 b 0", "1 0 c 1", "1 0 d 0", "1 0 x 1", "2 0 e 0", "2 0 f 1", "2 0 g 1")


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


class TestPoolDepth:
    def test_an_intent_without_any_judgement_is_in_every_pool_and_no_judgement_of_one(self):
        named = pd.concat([FULL, FULL.head(1).assign(docno="", label=0)])

        result = pool_depth(named, RUNS, [P @ 2], depths=[1, 2])

        pd.testing.assert_frame_equal(result, pool_depth(FULL, RUNS, [P @ 2], depths=[1, 2]))

    def test_an_intent_without_any_judgement_brings_no_query_back_that_is_not_in_the_pool(self):
        # Only query q has judgements in the pool, and both runs have the same value there.
        runs = {"x": system(q="a", r="p q r"), "y": system(q="b", r="p")}
        judged = qrels("q 0 a 1", "q 1 b 1", "r 0 z 1")
        named = pd.concat([judged, qrels("r 1 _ 0").assign(docno="")])

        for form in (judged, named):
            result = pool_depth(form, runs, [RBU], depths=[1])

            assert result["n_queries"].item() == 1
            assert np.isnan(result["tau"].item())

    def test_a_pool_agrees_with_a_slow_restatement(self):
        runs, judged = random_runs()
        measures = [alpha_nDCG @ 5, StRecall @ 3, Adhoc(AP)]

        result = pool_depth(judged, runs, measures, depths=[1, 2, 4])

        def values(measure, frame):
            return [value(measure, *map(pt.model.to_ir_measures, (frame, found))) for found in runs.values()]

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

    def test_the_pool_has_the_documents_of_ties_as_they_are_evaluated(self):
        # Documents of one score come last name first: the pool of depth 1 is b and c.
        tied = pd.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "score": [1.0, 1.0]})
        judged = qrels("q 0 a 1", "q 0 b 1", "q 0 c 0")

        result = pool_depth(judged, {"x": tied, "y": system(q="c")}, [P @ 1], depths=[1])

        assert result["judged"].item() == 2 / 3

    def test_a_query_that_no_judgement_is_left_of_is_not_evaluated(self):
        runs = {"x": system(q="a b", r="c d"), "y": system(q="b a", r="c e")}
        judged = qrels("q 0 a 1", "q 0 b 0", "r 0 d 1", "r 0 e 0")

        result = pool_depth(judged, runs, [P @ 1], depths=[1, 2])

        assert result["n_queries"].tolist() == [1, 2]

    def test_measures_have_families(self):
        runs, judged = random_runs()
        measures = [Adhoc(P @ 1), Adhoc(P @ 3), StRecall @ 3]

        result = pool_depth(judged, runs, measures, [1, 2], group=lambda name: name.split("@")[0])

        assert list(result) == ["measure", "family", "depth", "tau", "family_tau", "judged", "n_queries"]
        assert result["family"].tolist() == ["Adhoc(P"] * 4 + ["StRecall"] * 2
        for _, same in result.groupby(["family", "depth"]):
            assert same["family_tau"].tolist() == pytest.approx([statistics.mean(same["tau"])] * len(same))

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"depths": [0]}, r"depths must be an integer in \[1, inf\), not 0"),
            ({"depths": []}, "depths must not be empty"),
            ({"measures": []}, "measures must not be empty"),
            ({"measures": ["nothing"]}, "nothing"),
            ({"group": {"P@1": "P"}}, "group has no family for P@2"),
            ({"runs": {"x": RUNS["x"]}}, "runs must have at least 2 systems, not 1 .x"),
            ({"runs": RUNS["x"]}, "pool_depth: runs is one run"),
            ({"runs": {**RUNS, "w": RUNS["x"].drop(columns="score")}}, "Run w: run is rows without score or rank"),
            ({"qrels": FULL.drop(columns="label")}, "qrels: missing column label;"),
            ({"qrels": FULL.iloc[:0]}, "qrels must not be empty"),
            ({"qrels": qrels("1 0 nobody 1")}, "qrels must judge at least one of the top 1 documents"),
        ],
    )
    def test_invalid_arguments_of_pool_depth_are_refused(self, change, message):
        with pytest.raises(ValueError, match=message):
            pool_depth(**{"runs": RUNS, "qrels": FULL, "measures": [P @ 2], "depths": [1], **change})


NOTHING = ir_measures.define_byquery(lambda judged, retrieved: float("nan"), name="Nothing")


class TestAssessorAgreement:
    def test_assessors_who_tie_different_systems_have_tau_b(self):
        # P@1 is x 1/2, y 1, z 0 by the one; by the other, x 1/2, y 0, z 1/2: one pair of three is tied, the others
        # are one way and the other.
        other = FULL.assign(label=1 - FULL["label"])

        result = assessor_agreement(FULL, other, RUNS, [P @ 1], n_trials=20)

        assert result["tau"].item() == pytest.approx(tau_b([1 / 2, 1, 0], [1 / 2, 0, 1 / 2]))
        assert result["tau"].item() == pytest.approx(-2 / 6**0.5)

    def test_families_have_the_means_of_the_papers_table(self):
        # Carterette (2011), Table 2: rows are stops, columns are models.
        runs, judged = random_runs(seed=7)
        other = judged.assign(label=np.random.default_rng(1).permutation(judged["label"]))
        measures = [alpha_nDCG @ 2, alpha_nDCG @ 5, StRecall @ 2, StRecall @ 5]

        by_model, by_cutoff = (
            assessor_agreement(judged, other, runs, measures, n_trials=20, group=lambda name, i=i: name.split("@")[i])
            for i in (0, 1)
        )

        tau = by_model["tau"].tolist()
        assert list(by_model) == ["measure", "family", "tau", "family_tau", "tau_low", "tau_high"]
        assert by_model["family_tau"].tolist() == pytest.approx(
            [(tau[0] + tau[1]) / 2] * 2 + [(tau[2] + tau[3]) / 2] * 2
        )
        assert by_cutoff["family_tau"].tolist() == pytest.approx([(tau[0] + tau[2]) / 2, (tau[1] + tau[3]) / 2] * 2)

    def test_the_interval_is_that_of_resampled_topics(self):
        runs, judged = random_runs(seed=3)
        other = judged.assign(label=np.random.default_rng(1).permutation(judged["label"]))
        options = {"n_trials": 40, "rng": 5}

        (row,) = assessor_agreement(judged, other, runs, [StRecall @ 2], **options).to_dict("records")

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
        low, high = np.quantile([tau for tau in taus if tau is not None], [0.025, 0.975])
        assert (row["tau_low"], row["tau_high"]) == pytest.approx((low, high), abs=1e-12)
        assert row["tau_low"] <= row["tau"] <= row["tau_high"]

    def test_aggregates_other_than_means_are_resampled_too(self):
        result = assessor_agreement(FULL, FULL, RUNS, [NumRel, P @ 1], n_trials=20, rng=1)

        assert result["tau"].tolist() == [1, 1]
        assert result["tau_low"].tolist() == result["tau_high"].tolist() == [1, 1]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"n_trials": 0}, "n_trials must be an integer in"),
            ({"other": qrels("3 0 a 1")}, "must have at least one query in common"),
            ({"measures": [NOTHING]}, "Nothing must be finite to rank systems, but is nan for run x"),
        ],
    )
    def test_invalid_arguments_of_assessor_agreement_are_refused(self, options, message):
        given = {"other": FULL, "measures": [P @ 1], **options}
        with pytest.raises(ValueError, match=message):
            assessor_agreement(FULL, given.pop("other"), RUNS, **given)

    def test_queries_of_one_assessor_only_are_left_out(self):
        other = pd.concat([FULL[FULL["qid"] == "1"], qrels("3 0 a 1")])

        with pytest.warns(UserWarning, match="2 of 3 queries are left out, because only one of the two qrels has them"):
            result = assessor_agreement(FULL, other, RUNS, [P @ 1])

        assert result["tau"].item() == pytest.approx(1)
        assert result.attrs["n_queries"] == 1
        assert set(result.attrs["legend"]) == set(result)

    def test_a_measure_that_ties_all_systems_has_no_tau(self):
        runs = {"x": system(q="a b"), "y": system(q="b a")}

        result = assessor_agreement(*[qrels("q 0 a 1", "q 0 b 0")] * 2, runs, [P @ 2])

        assert np.isnan(result["tau"].item())


def test_pools_are_taken_at_seven_depths_by_default():
    qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [1, 0]})
    runs = {"x": {"1": ["a", "b"]}, "y": {"1": ["b", "a"]}}

    assert pool_depth(qrels, runs, [Adhoc(P @ 1)])["depth"].tolist() == [1, 2, 5, 10, 20, 50, 100]
