"""The same seed gives the same numbers, in whichever order rows, queries and systems come."""

import functools
import inspect

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import P

from pyterrier_diversity import P_Rareness, meta
from pyterrier_diversity.meta import (
    asl_curve,
    assessor_agreement,
    compare,
    concordance,
    delta_required,
    discriminative_power,
    number_of_systems,
    overlap,
    rank_correlation,
    risk,
    stability,
    topic_sampling,
    topics_needed,
    unanimity,
    worse_than,
)

# Names whose order is neither that of the numbers in them nor that of the frame.
SYSTEMS, QUERIES, MEASURES = ["s9", "s10", "b", "a"], ["10", "9", "101", "2", "33", "1", "7"], ["RBU", "AP", "P"]
VALUES = np.random.default_rng(7).integers(0, 5, (3, 4, 7)) / 5 + np.linspace(0, 1, 4)[None, :, None]
FRAME = pd.DataFrame(
    [
        (name, qid, measure, VALUES[m, s, q])
        for m, measure in enumerate(MEASURES)
        for s, name in enumerate(SYSTEMS)
        for q, qid in enumerate(QUERIES)
    ],
    columns=["name", "qid", "measure", "value"],
)
TESTS = ["tukey-randomised", "bootstrap", "permutation", "tukey", "t", "wilcoxon"]
EXACT = ["p", "significant", "mean", "other_mean"]

orders = st.permutations(range(len(FRAME))).map(list)


def by_pair(compared):
    """The rows of a comparison by measure and pair, each pair in the order of its names."""
    swapped = (compared["name"] > compared["other"]).to_numpy()
    signs = np.where(swapped, -1.0, 1.0)
    table = compared.copy()
    pairs = {"name": "other", "mean": "other_mean", "wins": "losses"}
    pairs |= {f"mean_{end}": f"other_mean_{end}" for end in ("low", "high")}
    for one, other in pairs.items():
        table[one] = compared[one].where(~swapped, compared[other])
        table[other] = compared[other].where(~swapped, compared[one])
    for column in ("difference", "effect_size"):
        table[column] = compared[column] * signs
    if "ci_low" in table:
        table["ci_low"] = compared["ci_low"].where(~swapped, -compared["ci_high"])
        table["ci_high"] = compared["ci_high"].where(~swapped, -compared["ci_low"])
    return table.set_index(["measure", "name", "other"]).sort_index()


@functools.cache
def of_frame(function, *arguments):
    """Return what a function gives for the frame as it is, which is compared with several orders."""
    return function(FRAME, *arguments)


def compared(frame, test, groups):
    return by_pair(compare(frame, test, groups=groups, n_trials=50, rng=1))


@pytest.mark.parametrize("groups", ["all", "pairwise"])
@pytest.mark.parametrize("test", TESTS)
@settings(deadline=None, max_examples=2)
@given(order=orders)
def test_comparisons_are_the_same(test, groups, order):
    one, other = of_frame(compared, test, groups), compared(FRAME.iloc[order], test, groups)

    exact = [column for column in EXACT if column in one]
    pd.testing.assert_frame_equal(one[exact], other[exact], check_exact=True)
    pd.testing.assert_frame_equal(one, other, check_exact=False, rtol=1e-9, atol=1e-12)


@settings(deadline=None, max_examples=2)
@given(order=orders)
def test_pairs_are_in_the_order_of_the_frame(order):
    frame = FRAME.iloc[order]
    names = frame["name"].unique().tolist()

    result = compare(frame, "t").query("measure == 'AP'")

    assert list(zip(result["name"], result["other"], strict=True)) == [
        (one, other) for i, one in enumerate(names) for other in names[i + 1 :]
    ]


def thrice(frame):
    """The values of a frame on three times as many queries."""
    return pd.concat([frame.assign(qid=frame["qid"] + end) for end in "xyz"])


@pytest.mark.parametrize(
    ("function", "keys"),
    [
        (lambda frame: discriminative_power(compare(frame, n_trials=50, rng=1)), ["measure"]),
        (lambda frame: delta_required(compare(frame, "bootstrap", n_trials=50, rng=1)), ["measure"]),
        (lambda frame: asl_curve(compare(frame, n_trials=50, rng=1))[["measure", "rank", "asl"]], ["measure", "rank"]),
        (lambda frame: overlap(compare(frame, measures=MEASURES, n_trials=50, rng=1)), ["measure", "other_measure"]),
        (lambda frame: stability(frame, n_trials=50, rng=1), ["measure"]),
        (lambda frame: topic_sampling(frame, sizes=[2, 5], n_trials=20, rng=1), ["measure", "size"]),
        (lambda frame: topics_needed(frame, n=9), ["measure"]),
        # So many queries that flips are drawn.
        (lambda frame: worse_than(thrice(frame.query("measure == 'AP'")), "s10", all_systems=True, rng=1), ["name"]),
        (unanimity, ["measure"]),
        (lambda frame: rank_correlation(frame), ["measure", "reference"]),
        (lambda frame: risk(frame, "s10"), ["measure", "name"]),
        (lambda frame: concordance(frame, gold="P", measures=["RBU", "AP"]), ["measure", "other"]),
    ],
)
@settings(deadline=None, max_examples=2)
@given(order=orders)
def test_judgements_of_measures_are_the_same(function, keys, order):
    # The measures keep their order, which is that of the rows of some results.
    frame = FRAME.iloc[order]
    frame = pd.concat([frame[frame["measure"] == measure] for measure in MEASURES])

    one, other = (table.set_index(keys).sort_index() for table in (of_frame(function), function(frame)))

    pd.testing.assert_frame_equal(one, other, check_exact=False, rtol=1e-9, atol=1e-12)


def test_every_function_that_draws_is_tested_here():
    drawing = {
        name
        for name in meta.__all__
        if callable(of := getattr(meta, name)) and "rng" in inspect.signature(of).parameters
    }

    assert drawing <= globals().keys()


@pytest.mark.parametrize("rng", [-1, 1.5, "seed"])
@pytest.mark.parametrize(
    "function",
    [
        lambda rng: compare(FRAME, rng=rng),
        lambda rng: stability(FRAME, rng=rng),
        lambda rng: topic_sampling(FRAME, sizes=[2], rng=rng),
    ],
)
def test_an_invalid_seed_is_refused(function, rng):
    with pytest.raises(ValueError, match=r"rng must be an integer >= 0, .*, not " + repr(rng)):
        function(rng)


def in_two_orders(names, random):
    """Return runs by name and qrels, in two orders of names and rows."""
    rng = np.random.default_rng(3)
    rows = [
        (name, query, f"d{doc}", score)
        for name in SYSTEMS
        for query in QUERIES[:3]
        for doc, score in zip(rng.permutation(12)[:6], range(6, 0, -1), strict=True)
    ]
    found = pd.DataFrame(rows, columns=["name", "qid", "docno", "score"])
    qrels = pd.DataFrame(
        [(query, f"d{doc}", int(doc % 3 > 0)) for query in QUERIES[:3] for doc in range(12)],
        columns=["qid", "docno", "label"],
    )
    shuffled = found.sample(frac=1, random_state=random.randrange(1000))
    return [
        ({name: frame[frame["name"] == name].drop(columns="name") for name in order}, judged)
        for frame, order, judged in ((found, SYSTEMS, qrels), (shuffled, names, qrels.iloc[::-1]))
    ]


# Rows in any order may look as if they came from the worst to the best.
@pytest.mark.filterwarnings("ignore::pyterrier_diversity.warnings.RanksWarning")
@pytest.mark.parametrize(
    "function",
    [
        lambda runs, qrels: number_of_systems(qrels, runs, P_Rareness @ 5, sizes=[2, 3], n_trials=10, cutoff=5, rng=1),
        lambda runs, qrels: assessor_agreement(
            qrels, qrels.assign(label=(qrels["docno"] < "d5").astype(int)), runs, [P @ 5], n_trials=20, rng=1
        ),
    ],
    ids=["number_of_systems", "assessor_agreement"],
)
@settings(deadline=None, max_examples=2)
@given(names=st.permutations(SYSTEMS), random=st.randoms())
def test_results_from_runs_are_the_same(function, names, random):
    one, other = (function(*given) for given in in_two_orders(names, random))

    pd.testing.assert_frame_equal(one, other, check_exact=False, rtol=1e-9, atol=1e-12)
