import math

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

import naive
from pyterrier_diversity import AP_Rareness, P_Rareness, RBP_Rareness, add_rarity, nDCG_Rareness
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


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_qrels_without_rarity_are_refused_with_the_name_of_what_writes_it(measure, value_of):
    with pytest.raises(ValueError, match=r"rarity.*add_rarity.*\.$"):
        value_of(measure, JUDGED, "acb")


@pytest.mark.parametrize("build", [lambda m: m(alpha=1.5, mixture=True), lambda m: m(mixture=True)(alpha=1.5) @ 5])
@pytest.mark.parametrize("measure", [P_Rareness, AP_Rareness], ids=repr)
def test_a_mixture_with_an_alpha_above_1_is_refused_when_it_is_built(measure, build):
    with pytest.raises(ValueError, match=rf"^{measure.NAME}: .*alpha.*1\.5.*\.$"):
        build(measure)


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
        (value,) = DiversityEvaluator([nDCG_Rareness(alpha=1e100)], qrels).values({"q": {"b": 2.0, "a": 1.0}})[0]

    assert value == pytest.approx(1 / math.log2(3))
