"""Judging measures and systems, from hostile tables of values."""

import math
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from ir_measures import AP, nDCG

from by_hand import tau_b
from fuzz import law
from fuzz.hostile import mutated, sound_qrels, sound_runs
from fuzz.law import Refusal, answer, fuzzed
from fuzz.parameters import ODD
from pyterrier_diversity import RBU, Adhoc, P_Rareness, alpha_nDCG, meta

EXTREMES = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.sampled_from([0.0, 0.0, 0.25, 0.5, 0.5 + 1e-15, 1.0, -0.5])
TESTS = st.sampled_from(["t", "bootstrap", "tukey", "tukey-randomised", "wilcoxon", "permutation"] * 6 + ["x", None])
GROUPS = st.sampled_from(["all"] * 7 + ["pairwise"] * 3 + ["x"])
CORRECTIONS = st.sampled_from([None] * 9 + ["holm", "fdr_bh", "bonferroni", "x", 1])
SHARES = st.sampled_from([0.05, 0.5] * 100 + ODD)
# Larger counts are more work than anybody waits for.
COUNTS = st.sampled_from([1, 5, 10] * 60 + [odd for odd in ODD if not isinstance(odd, (int, float)) or not odd > 100])
FAMILIES = st.sampled_from([None] * 4 + [{"m1": "f", "m2": "f", "m3": "g"}, {"m1": "f"}, {}, lambda name: "f"])


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    """Draw values of systems on queries, as an experiment gives them."""
    values = draw(st.sampled_from([VALUES] * 7 + [EXTREMES, st.just(0.5)]))
    n_systems, n_queries, n_measures = (
        draw(st.sampled_from(sizes)) for sizes in ([3, 2, 4, 3, 3, 1], [3, 4, 2, 3, 4, 1], [2, 3, 3, 2, 1])
    )
    rows = [
        (f"s{s}", f"q{q}", f"m{m}", draw(values))
        for s in range(1, n_systems + 1)
        for q in range(n_queries)
        for m in range(1, n_measures + 1)
    ]
    frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    return frame.iloc[draw(st.sampled_from([0] * 9 + [1])) :]


PERQUERY = st.one_of(*[tables()] * 3, mutated(tables(), 1))


def check(function: str, found: Any, low: float = -math.inf, high: float = math.inf) -> None:
    """Hold the numbers of a result against their range; NaN only where nothing can be said."""
    if isinstance(found, Refusal):
        return
    numbers = found.select_dtypes("number").to_numpy(float)
    assert not np.isinf(numbers).any() or function in UNBOUNDED, f"{function}: {found}"
    for column in ("p", "asl", "p_value", "share", "stability", "discriminative_power"):
        if column in found:
            values = found[column].dropna().to_numpy(float)
            assert ((values >= 0) & (values <= 1)).all(), f"{function}: {found}"
    assert ((numbers >= low) & (numbers <= high) | np.isnan(numbers)).all(), f"{function}: {found}"
    law.bounded[function] += numbers.size


UNBOUNDED = {"compare", "unanimity"}  # an effect size without variance; nothing but agreement


@fuzzed(120, perquery=PERQUERY, test=TESTS, groups=GROUPS, correction=CORRECTIONS, alpha=SHARES, n=COUNTS, b=st.data())
def test_systems_are_compared_or_refused(perquery, test, groups, correction, alpha, n, b):
    given: dict[str, Any] = {"test": test, "groups": groups, "n_trials": n, "rng": 1}
    baseline = b.draw(st.sampled_from([None] * 7 + ["s1", ["s1"], "x", []]))
    more = {"baseline": baseline, "correction": correction, "alpha": alpha}
    compared = answer("compare", lambda: meta.compare(perquery, **given, **more))
    check("compare", compared)
    if not isinstance(compared, Refusal):
        marked = answer("significance_table", lambda: meta.significance_table(compared, b.draw(COUNTS)))
        if not isinstance(marked, Refusal):
            answer("significance_table", lambda: marked.to_latex() + marked.to_html())
        for view in (meta.discriminative_power, meta.asl_curve, meta.overlap, meta.delta_required):
            check(view.__name__, answer(view.__name__, lambda view=view: view(compared)))


@fuzzed(200, perquery=PERQUERY, group=FAMILIES, share=SHARES, n=COUNTS, data=st.data())
def test_measures_are_judged_or_refused(perquery, group, share, n, data):
    gold = data.draw(st.sampled_from(["m1", ["m1"], ["m1"], ["m1"], ["m1", "m2"], [], "x", RBU]))
    method = data.draw(st.sampled_from(["exact", "normal"] * 6 + ["x", None]))
    check("concordance", answer("concordance", lambda: meta.concordance(perquery, gold, method=method)))
    check("unanimity", answer("unanimity", lambda: meta.unanimity(perquery, group=group)))
    given = {"n_trials": n, "fuzziness": share, "rng": 1}
    check("stability", answer("stability", lambda: meta.stability(perquery, **given)))
    sizes = data.draw(st.sampled_from([[1], [1, 2]] * 5 + [[], [0], [5], [1.5]]))
    sampling = {"sizes": sizes, "n_trials": n, "group": group, "rng": 1}
    check("topic_sampling", answer("topic_sampling", lambda: meta.topic_sampling(perquery, **sampling)))
    method, variant = (data.draw(st.sampled_from(names)) for names in (METHODS, VARIANTS))
    given = {
        "reference": data.draw(st.sampled_from([None, None, None, "m1", "m1", RBU, "x"])),
        "method": method,
        "variant": variant,
    }
    matrix = data.draw(st.booleans())
    found = answer("rank_correlation", lambda: meta.rank_correlation(perquery, **given, matrix=matrix))
    check("rank_correlation", found, -1 - 1e-9, 1 + 1e-9)


METHODS = ["tau", "tau_ap", "tau_ap_symmetric"] * 9 + ["x", None]
VARIANTS = ["b", "a"] * 8 + ["x", None]


@fuzzed(300, pairs=st.lists(st.tuples(VALUES, VALUES), max_size=7))
def test_kendalls_tau_is_that_of_all_pairs(pairs):
    first, second = [x for x, _ in pairs], [y for _, y in pairs]
    found = answer("kendall_tau", lambda: meta.kendall_tau(first, second))

    if isinstance(found, Refusal):
        return
    expected = tau_b(first, second)
    assert math.isnan(found) if expected is None else math.isclose(found, expected, abs_tol=1e-12)
    law.confirmed["kendall_tau"] += 1


ANY_VALUES = st.lists(EXTREMES, max_size=4) | st.lists(st.sampled_from(ODD), max_size=3) | st.sampled_from(ODD)


@fuzzed(150, first=ANY_VALUES, second=ANY_VALUES)
def test_any_lists_are_correlated_or_refused(first, second):
    for other in (second, first):
        found = answer("kendall_tau", lambda other=other: meta.kendall_tau(first, other))
        if not isinstance(found, Refusal):
            assert math.isnan(found) or -1 - 1e-9 <= found <= 1 + 1e-9
            law.bounded["kendall_tau"] += 1


MEASURES = st.sampled_from(
    [[RBU @ 3], [alpha_nDCG @ 3, Adhoc(nDCG @ 3)], [P_Rareness @ 3, RBU], [Adhoc(AP)]] * 5 + [[], ["RBU@3"], ["x"]]
)


@fuzzed(60, qrels=st.one_of(sound_qrels(), sound_qrels(), mutated(sound_qrels(), 1)), data=st.data())
def test_runs_are_judged_again_or_refused(qrels, data):
    run = st.one_of(*[sound_runs()] * 6, mutated(sound_runs(), 1))
    runs = {f"s{i}": data.draw(run) for i in range(data.draw(st.sampled_from([3, 3, 3, 2, 1, 0])))}
    measures, other = data.draw(MEASURES), data.draw(sound_qrels())
    depths = data.draw(st.sampled_from([[1], [1, 2]] * 5 + [[], [0], [1.5], ["x"]]))
    sizes = data.draw(st.sampled_from([[2], [2, 3]] * 5 + [[], [1], [2.5]]))
    n, cutoff = data.draw(COUNTS), data.draw(st.sampled_from([1, 5, 100] * 30 + ODD))
    calls = {
        "pool_depth": lambda: meta.pool_depth(qrels, runs, measures, depths),
        "assessor_agreement": lambda: meta.assessor_agreement(qrels, other, runs, measures),
        "insert_synthetic_system": lambda: meta.insert_synthetic_system(qrels, runs, measures, [1, 3], cutoff=cutoff),
        "number_of_systems": lambda: meta.number_of_systems(qrels, runs, [P_Rareness @ 3], sizes, n_trials=n, rng=1),
    }
    for name, call in calls.items():
        check(name, answer(name, call))


@fuzzed(15, measures=MEASURES, constraints=st.sampled_from([None, ["Pri"], ["x"], []]))
def test_constraints_are_searched_or_refused(measures, constraints):
    found = answer("axiom_table", lambda: meta.axiom_table(measures, constraints))

    if not isinstance(found, Refusal):
        assert set(found.to_numpy().ravel().tolist()) <= {True, False}
        law.bounded["axiom_table"] += found.size
