from __future__ import annotations

import math

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, RBP, P, nDCG

import naive
from by_hand import values_by_query
from pyterrier_diversity import IA, P_IA, AP_Rareness, P_Rareness, RBP_Rareness, add_rarity, nDCG_Rareness
from pyterrier_diversity.evaluate import DiversityEvaluator

# The ranking is a, c, b: d is relevant, but nobody finds it.
JUDGED = {"a": {"x": 1}, "b": {"x": 2}, "c": {"x": 0}, "d": {"x": 1}}
RARITY = {"a": 0.75, "b": 0.5, "c": 0.25, "d": 0.0}
LOG3 = math.log2(3)

MEASURES = [P_Rareness @ 3, P_Rareness, AP_Rareness @ 3, AP_Rareness, nDCG_Rareness @ 3, nDCG_Rareness, RBP_Rareness]


@pytest.fixture
def scored(topic, by_query):
    """Return the value of one query, given the rarity of its documents."""

    def score(measure, judged=JUDGED, ranking="acb", rarity=RARITY):
        qrels, run = topic(judged, ranking)
        return by_query(measure, qrels.assign(rarity=qrels["doc_id"].map(rarity)), run)["q"]

    return score


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (P_Rareness @ 3, (1.75 + 1.5) / 3),
        (P_Rareness, (1.75 + 1.5) / 3),
        (P_Rareness @ 1, 1.75),
        (P_Rareness @ 2, 1.75 / 2),
        (P_Rareness @ 10, (1.75 + 1.5) / 10),
        (P_Rareness(alpha=0) @ 3, 2 / 3),
        (P_Rareness(alpha=0.5) @ 3, (1.375 + 1.25) / 3),
        (P_Rareness(alpha=4) @ 3, (4 + 3) / 3),
        (P_Rareness(alpha="adaptive") @ 3, (1 + 0.75 / 3 + 1 + 0.5 / 3) / 3),
        (P_Rareness(rel=2) @ 3, 1.5 / 3),
        (P_Rareness(mixture=True) @ 3, (0.75 + 0.5) / 3),
        (P_Rareness(alpha=0, mixture=True) @ 3, 2 / 3),
        (P_Rareness(alpha=0.25, mixture=True) @ 3, (0.75 + 0.25 * 0.75 + 0.75 + 0.25 * 0.5) / 3),
        (P_Rareness(alpha="adaptive", mixture=True) @ 3, (2 / 3 + 0.75 / 3 + 2 / 3 + 0.5 / 3) / 3),
        (AP_Rareness, (1.75 + 3.25 / 3) / 3),
        (AP_Rareness @ 3, (1.75 + 3.25 / 3) / 3),
        (AP_Rareness @ 2, 1.75 / 3),
        (AP_Rareness(alpha=0), (1 + 2 / 3) / 3),
        (AP_Rareness(alpha=0.5), (1.375 + 2.625 / 3) / 3),
        (AP_Rareness(alpha="adaptive"), (1.25 + (1.25 + 1 + 0.5 / 3) / 3) / 3),
        (AP_Rareness(rel=2), 1.5 / 3),
        (AP_Rareness(alpha=0.5, mixture=True), (0.875 + (0.875 + 0.75) / 3) / 3),
        (AP_Rareness(mixture=True), (0.75 + 1.25 / 3) / 3),
        (nDCG_Rareness, (1.75 + 3 / 2) / (3 + 1.75 / LOG3 + 1 / 2)),
        (nDCG_Rareness @ 3, (1.75 + 3 / 2) / (3 + 1.75 / LOG3 + 1 / 2)),
        (nDCG_Rareness @ 2, 1.75 / (3 + 1.75 / LOG3)),
        (nDCG_Rareness(alpha=0), (1 + 2 / 2) / (2 + 1 / LOG3 + 1 / 2)),
        (nDCG_Rareness(alpha="adaptive"), (1.25 + (7 / 3) / 2) / (7 / 3 + 1.25 / LOG3 + 1 / 2)),
        (nDCG_Rareness(gain="exp"), (1.75 + 4.5 / 2) / (4.5 + 1.75 / LOG3 + 1 / 2)),
        (nDCG_Rareness(gain="binary"), (1.75 + 1.5 / 2) / (1.75 + 1.5 / LOG3 + 1 / 2)),
        (nDCG_Rareness(rel=2), (3 / 2) / 3),
        (RBP_Rareness, 0.2 * (1.75 + 0.64 * 1.5)),
        (RBP_Rareness @ 2, 0.2 * 1.75),
        (RBP_Rareness(alpha=0.5, p=0.5), 0.5 * (1.375 + 0.25 * 1.25)),
        (RBP_Rareness(alpha="adaptive"), 0.2 * (1.25 + 0.64 * (1 + 0.5 / 3))),
        (RBP_Rareness(alpha="adaptive", rel=2), 0.2 * 0.64 * 1.5),
    ],
    ids=repr,
)
def test_values_of_four_documents_worked_by_hand(measure, value, scored):
    assert scored(measure) == pytest.approx(value, abs=1e-15)


def test_rarity_of_documents_that_are_not_relevant_does_not_matter(scored):
    for measure in MEASURES:
        assert scored(measure, rarity=RARITY | {"c": 1.0}) == scored(measure)


def gain_of(label, gain):
    return {"linear": label, "exp": 2**label - 1, "binary": 1.0}[gain]


def add_random_rarity(qrels, seed):
    pairs = qrels[["query_id", "doc_id"]].drop_duplicates()
    rarity = np.random.default_rng(seed).integers(0, 20, len(pairs)) / 20
    return qrels.merge(pairs.assign(rarity=rarity), on=["query_id", "doc_id"])


def by_document(qrels):
    """Return labels and rarity of each query's documents: the highest label over the intents."""
    return {
        query: (rows.groupby("doc_id")["relevance"].max().to_dict(), rows.groupby("doc_id")["rarity"].max().to_dict())
        for query, rows in qrels.groupby("query_id")
    }


EITHER = [
    {"alpha": 0},
    {"alpha": 0.3},
    {"alpha": 2.5, "rel": 2},
    {"alpha": "adaptive"},
    {"alpha": "adaptive", "rel": 3},
]
MIXED = [
    {},
    {"mixture": True},
    {"alpha": 0.3, "mixture": True},
    {"alpha": "adaptive", "mixture": True, "rel": 2},
]
EVERY = [
    *(form(**more) for form in (P_Rareness, AP_Rareness) for more in [*EITHER, *MIXED]),
    *(nDCG_Rareness(gain=gain, **more) for gain in ("linear", "exp", "binary") for more in [{}, *EITHER]),
    *(RBP_Rareness(p=p, **more) for p in (0.5, 0.8) for more in [{}, *EITHER]),
]


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("cutoff", [None, 1, 7, 60])
def test_values_of_many_measures_in_one_call_are_those_of_the_naive_reference(cutoff, seed, random_topics):
    qrels, run = random_topics(seed)
    qrels = add_random_rarity(qrels, seed)
    measures = [measure(cutoff=cutoff) for measure in EVERY]

    values = values_by_query(measures, qrels, run)

    assert len(values) == 12 * len(set(measures)) == 12 * len(EVERY)
    assert values == pytest.approx(naive.values_of_all(measures, qrels, run), abs=1e-12)


@pytest.mark.parametrize("seed", [2, 3])
@pytest.mark.parametrize(
    ("measure", "peer", "tool"),
    [
        (P_Rareness(alpha=0) @ 5, P @ 5, "pytrec_eval"),
        (P_Rareness(alpha=0, mixture=True) @ 20, P @ 20, "pytrec_eval"),
        (P_Rareness(alpha=0, rel=2) @ 5, P(rel=2) @ 5, "pytrec_eval"),
        (AP_Rareness(alpha=0), AP, "pytrec_eval"),
        (AP_Rareness(alpha=0) @ 5, AP @ 5, "pytrec_eval"),
        (AP_Rareness(alpha=0, mixture=True, rel=2) @ 5, AP(rel=2) @ 5, "pytrec_eval"),
        (nDCG_Rareness(alpha=0), nDCG, "pytrec_eval"),
        (nDCG_Rareness(alpha=0) @ 5, nDCG @ 5, "pytrec_eval"),
        (nDCG_Rareness(alpha=0, gain="linear") @ 20, nDCG @ 20, "pytrec_eval"),
        (RBP_Rareness(alpha=0), RBP(p=0.8, rel=1), "cwl_eval"),
        (RBP_Rareness(alpha=0, p=0.5, rel=2), RBP(p=0.5, rel=2), "cwl_eval"),
    ],
    ids=repr,
)
def test_with_an_alpha_of_0_a_measure_is_the_usual_one(measure, peer, tool, seed, random_topics, by_query):
    provider = ir_measures.providers.registry[tool]
    qrels, run = random_topics(seed)
    highest = qrels.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
    expected = {metric.query_id: metric.value for metric in provider.iter_calc([peer], highest, run)}

    values = by_query(measure, add_random_rarity(qrels, seed), run)

    assert values == pytest.approx(expected, abs=1e-9)
    assert len(set(values.values())) > 3


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_where_nothing_is_rare_alpha_does_not_matter(measure, random_topics, by_query):
    qrels, run = random_topics(4)
    qrels = qrels.assign(rarity=0.0)

    assert by_query(measure, qrels, run) == pytest.approx(by_query(measure(alpha=0), qrels, run), abs=1e-15)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_an_adaptive_alpha_is_the_reciprocal_of_the_number_of_relevant_documents(measure, scored):
    assert scored(measure(alpha="adaptive")) == pytest.approx(scored(measure(alpha=1 / 3)), abs=1e-15)
    assert scored(measure(alpha="adaptive", rel=2)) == pytest.approx(scored(measure(alpha=1, rel=2)), abs=1e-15)


def test_an_adaptive_alpha_is_that_of_each_query(topic, by_query):
    one, run_of_one = topic({"a": {"x": 1}}, "a", query_id="one")
    two, run_of_two = topic({"a": {"x": 1}, "b": {"x": 1}}, "a", query_id="two")
    qrels = pd.concat([one, two]).assign(rarity=0.5)

    values = by_query(P_Rareness(alpha="adaptive") @ 1, qrels, pd.concat([run_of_one, run_of_two]))

    assert values == pytest.approx({"one": 1.5, "two": 1.25}, abs=1e-15)


@pytest.mark.parametrize("n_systems", [1, 2, 10, 1000])
@pytest.mark.parametrize("measure", [P_Rareness @ 2, P_Rareness, AP_Rareness], ids=repr)
def test_the_best_value_for_a_number_of_systems_lies_below_2(measure, n_systems, scored):
    rarest = 1 - 1 / n_systems

    value = scored(measure, {"a": {"x": 1}, "b": {"x": 1}}, "ab", {"a": rarest, "b": rarest})

    assert value == pytest.approx(1 + rarest, abs=1e-15)
    assert value < 2


@pytest.mark.parametrize("alpha", [0, 0.4, 1, "adaptive"])
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_values_lie_between_0_and_2(measure, alpha, random_topics, by_query):
    qrels, run = random_topics(5, n_queries=40, n_docs=8)

    values = by_query(measure(alpha=alpha), add_random_rarity(qrels, 5), run).values()

    assert 0 <= min(values) < max(values) < (1 + 1e-12 if measure.NAME == "nDCG_Rareness" else 2)


@pytest.mark.parametrize("alpha", [0, 0.4, 1, "adaptive"])
@pytest.mark.parametrize("measure", [P_Rareness @ 1, P_Rareness, AP_Rareness @ 3, AP_Rareness], ids=repr)
def test_values_of_a_mixture_lie_between_0_and_1(measure, alpha, random_topics, by_query):
    qrels, run = random_topics(6, n_queries=40, n_docs=8)
    pairs = qrels[["query_id", "doc_id"]].drop_duplicates()
    qrels = qrels.merge(pairs.assign(rarity=np.arange(len(pairs)) % 3 / 2), on=["query_id", "doc_id"])

    values = by_query(measure(alpha=alpha, mixture=True), qrels, run).values()

    assert 0 <= min(values) < max(values) <= 1 + 1e-12


@pytest.mark.parametrize("measure", [P_Rareness @ 1, AP_Rareness], ids=repr)
def test_a_mixture_of_the_rarest_documents_reaches_1(measure, scored):
    assert scored(measure(mixture=True), {"a": {"x": 1}}, "a", {"a": 1.0}) == 1


@pytest.mark.parametrize("measure", [P_Rareness @ 1, AP_Rareness, RBP_Rareness, nDCG_Rareness], ids=repr)
def test_of_two_relevant_documents_the_rarer_one_is_worth_more(measure, scored):
    judged, rarity = {"a": {"x": 1}, "b": {"x": 1}}, {"a": 0.75, "b": 0.25}

    assert scored(measure, judged, "a", rarity) > scored(measure, judged, "b", rarity)


@pytest.mark.parametrize("alpha", [1, 0.3, "adaptive"])
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_labels_are_the_highest_over_the_intents(measure, alpha, scored):
    intents = {"a": {"x": 1, "y": 1}, "b": {"x": -2, "y": 2, "z": 1}, "c": {"z": 0}, "d": {"x": 0, "y": 1}}

    assert scored(measure(alpha=alpha), intents) == pytest.approx(scored(measure(alpha=alpha)), abs=1e-15)


def test_the_weights_of_the_intents_do_not_matter(topic, by_query):
    judged = {"a": {"x": 1}, "b": {"y": 2}, "c": {"x": 0}, "d": {"x": 1, "y": 1}}
    (uniform, run), (weighted, _) = topic(judged, "acb"), topic(judged, "acb", weights={"x": 9, "y": 0.5})

    for measure in MEASURES:
        values = [by_query(measure, qrels.assign(rarity=0.5), run) for qrels in (uniform, weighted)]
        assert values[0] == values[1]


@pytest.mark.parametrize("alpha", [0, 1, "adaptive"])
def test_ia_takes_a_measure_of_rareness(alpha, random_topics, by_query):
    qrels, run = random_topics(7)

    values = by_query(IA(P_Rareness(alpha=alpha) @ 5), qrels.assign(rarity=0.0), run)

    assert values == pytest.approx(by_query(P_IA @ 5, qrels, run), abs=1e-12)


@pytest.mark.parametrize("gain", ["linear", "exp", "binary"])
@pytest.mark.parametrize("alpha", [0, 1, 3.5, "adaptive"])
def test_the_ideal_of_ndcg_scores_1(alpha, gain, random_topics, by_query):
    qrels, _ = random_topics(8)
    qrels = add_random_rarity(qrels, 8)
    rows = []
    for query, (labels, rarity) in by_document(qrels).items():
        weight = 1 / sum(label > 0 for label in labels.values()) if alpha == "adaptive" else alpha
        relevant = {doc: label for doc, label in labels.items() if label > 0}
        values = {doc: gain_of(label, gain) * (1 + weight * rarity[doc]) for doc, label in relevant.items()}
        rows += [(query, doc, value) for doc, value in values.items()]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])

    for measure in (nDCG_Rareness, nDCG_Rareness @ 3, nDCG_Rareness @ 100):
        values = by_query(measure(alpha=alpha, gain=gain), qrels, run)
        assert list(values.values()) == pytest.approx([1] * 12, abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_qrels_without_rarity_are_refused_with_the_name_of_what_writes_it(measure, value_of):
    with pytest.raises(ValueError, match=r"rarity.*add_rarity.*\.$"):
        value_of(measure, JUDGED, "acb")


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_an_empty_run_scores_0_even_without_rarity(measure, value_of):
    assert value_of(measure, JUDGED, "") == 0


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.parametrize("alpha", [1, "adaptive"])
def test_a_query_without_relevant_documents_scores_0(alpha, measure, scored):
    assert scored(measure(alpha=alpha), {"a": {"x": 0}, "b": {"x": -2}}, "ab") == 0


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_a_query_that_is_missing_from_the_run_scores_0(measure, topic, by_query):
    (first, run), (second, _) = topic(JUDGED, "acb"), topic(JUDGED, "", query_id="r")

    values = by_query(measure, pd.concat([first, second]).assign(rarity=0.5), run)

    assert values["r"] == 0
    assert values["q"] > 0


FOUR = [P_Rareness, AP_Rareness, nDCG_Rareness, RBP_Rareness]


@pytest.mark.parametrize("alpha", [-0.1, math.nan, math.inf, "1", "Adaptive", "", True, [0.5]], ids=repr)
@pytest.mark.parametrize("measure", FOUR, ids=repr)
def test_an_alpha_that_is_not_a_number_from_0_is_refused_when_the_measure_is_built(measure, alpha):
    with pytest.raises(ValueError, match=rf"^{measure.NAME}: alpha must be .*\[0, 1e100\].*'adaptive'.*, not .*\.$"):
        measure(alpha=alpha)


@pytest.mark.parametrize("build", [lambda m: m(alpha=1.5, mixture=True), lambda m: m(mixture=True)(alpha=1.5) @ 5])
@pytest.mark.parametrize("measure", [P_Rareness, AP_Rareness], ids=repr)
def test_a_mixture_with_an_alpha_above_1_is_refused_when_it_is_built(measure, build):
    with pytest.raises(ValueError, match=rf"^{measure.NAME}: .*alpha.*1\.5.*\.$"):
        build(measure)


@pytest.mark.parametrize("alpha", [0, 1, 0.5, "adaptive"])
@pytest.mark.parametrize("measure", [P_Rareness, AP_Rareness], ids=repr)
def test_a_mixture_takes_an_alpha_up_to_1(measure, alpha):
    assert measure(alpha=alpha, mixture=True)["alpha"] == alpha


@pytest.mark.parametrize("measure", [nDCG_Rareness, RBP_Rareness], ids=repr)
def test_a_mixture_is_only_available_for_the_measures_of_the_paper(measure):
    with pytest.raises(ValueError, match=f"^{measure.NAME} has no parameter 'mixture'"):
        measure(mixture=True)


@pytest.mark.parametrize(
    ("measure", "text"),
    [
        (P_Rareness @ 10, "P_Rareness@10"),
        (P_Rareness(alpha=1, mixture=False), "P_Rareness"),
        (P_Rareness(alpha=np.float32(0.5), mixture=True) @ 10, "P_Rareness(alpha=0.5,mixture=True)@10"),
        (P_Rareness(alpha="adaptive") @ 100, "P_Rareness(alpha='adaptive')@100"),
        (P_Rareness(alpha="adaptive")(alpha=1.0), "P_Rareness"),
        (AP_Rareness(alpha=np.str_("adaptive")), "AP_Rareness(alpha='adaptive')"),
        (AP_Rareness(alpha=0) @ 20, "AP_Rareness(alpha=0.0)@20"),
        (nDCG_Rareness(gain="linear") @ 5, "nDCG_Rareness@5"),
        (nDCG_Rareness(alpha="adaptive", gain="exp"), "nDCG_Rareness(alpha='adaptive',gain='exp')"),
        (RBP_Rareness(p=0.8), "RBP_Rareness"),
        (RBP_Rareness(alpha=2), "RBP_Rareness(alpha=2.0)"),
    ],
)
def test_repr_is_canonical_and_parses_to_an_equal_measure(measure, text):
    assert repr(measure) == text
    assert ir_measures.parse_measure(text) == measure


def test_an_experiment_rewards_what_other_systems_miss():
    demo = pt.get_dataset("diversity:demo")
    systems = {name: demo.get_results(name) for name in ("bm25", "xquad", "more-like-this")}
    qrels = add_rarity(demo.get_qrels(), systems, cutoff=5)
    measures = [P_Rareness @ 5, P_Rareness(alpha="adaptive", mixture=True) @ 5, AP_Rareness @ 5]

    table = pt.Experiment(systems, demo.get_topics(), qrels, measures, batch_size=4, perquery=True)

    naively = {name: naive.values_of_all(measures, qrels, run) for name, run in systems.items()}
    by_name = {str(measure): repr(measure) for measure in measures}
    expected = [naively[row.name][by_name[row.measure], row.qid] for row in table.itertuples(index=False)]
    assert len(table) == 3 * 14 * 3
    assert table["value"].tolist() == pytest.approx(expected, abs=1e-12)


def test_large_gains_and_a_large_alpha_are_compared():
    qrels = pd.DataFrame(
        {"qid": "q", "docno": ["a", "b"], "label": [1e300, 1.0], "iteration": "1", "rarity": [0.5, 0.9]}
    )

    with np.errstate(over="raise"):
        (value,) = DiversityEvaluator([nDCG_Rareness(alpha=1e100)], qrels).values({"q": ["b", "a"]})[0]

    assert value == pytest.approx(1 / math.log2(3))
