from __future__ import annotations

import itertools

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, RBP, RR, P, nDCG

from pyterrier_diversity import (
    ERR,
    EU,
    IA,
    NRBP,
    NRBP_IA,
    RBU,
    SRR,
    Adhoc,
    CT_rank,
    Dsharp_nDCG,
    P_Rareness,
    StRecall,
    UserModel,
    alpha_DCG_IA,
    alpha_nDCG,
)
from pyterrier_diversity.measures import DiversityMeasure
from pyterrier_diversity.meta import axioms, constraints
from pyterrier_diversity.meta.axioms import CONSTRAINTS, Constraint, Pair, axiom_table, check, counterexample, sketch

ALL = "Pri Deep DeepTh CloseTh Conf AspDiv Red MRed Sat AspRel"
NOVELTY = "Pri Deep DeepTh CloseTh AspDiv Red"
ERR_IA = UserModel(model=3, stop="ERR", gain="linear")
RBP_IA = NRBP_IA(alpha=0)

# A measure, what Table 1 of Amigó et al. (2018) says that it satisfies, and what the search finds besides and not.
TABLE = [
    (P @ 20, "DeepTh", "CloseTh", ""),
    (RR, "DeepTh", "Sat", ""),
    (AP, "CloseTh", "", ""),
    (nDCG, "Pri Deep CloseTh", "AspDiv", ""),
    (nDCG @ 20, "Pri Deep CloseTh", "AspDiv DeepTh", ""),
    (ERR @ 20, "Pri Deep DeepTh", "AspDiv", ""),
    (RBP(rel=1), "Pri Deep DeepTh CloseTh", "", "Pri Deep"),
    (IA(P @ 20), "DeepTh AspRel", "CloseTh", ""),
    (IA(RR), "DeepTh Sat AspRel", "", ""),
    (IA(AP), "CloseTh AspRel", "", "AspRel"),
    (IA(nDCG), "Pri Deep CloseTh AspDiv AspRel", "", "AspRel"),
    (IA(ERR @ 20), "Pri Deep DeepTh AspDiv Red MRed Sat AspRel", "", "Sat"),
    (ERR_IA, "Pri Deep DeepTh AspDiv Red MRed Sat AspRel", "", ""),
    (IA(RBP(rel=1)), "Pri Deep DeepTh CloseTh AspDiv AspRel", "", "Pri Deep AspDiv"),
    (RBP_IA, "Pri Deep DeepTh CloseTh AspDiv AspRel", "", ""),
    (StRecall @ 20, "DeepTh Sat", "", ""),
    (SRR, "DeepTh Sat", "", ""),
    (Dsharp_nDCG, "Pri Deep CloseTh AspDiv AspRel", "", ""),
    (NRBP(alpha=0.1, beta=0.9), NOVELTY, "", "Pri Deep AspDiv"),
    (NRBP_IA(alpha=0.1, p=0.9), NOVELTY, "AspRel", "Pri AspDiv"),
    (alpha_nDCG(alpha=0.25) @ 2000, NOVELTY, "", "Pri Deep AspDiv"),
    (alpha_nDCG @ 2000, NOVELTY, "", "Pri Deep CloseTh AspDiv"),
    (alpha_DCG_IA(alpha=0.25), NOVELTY, "AspRel", "Pri AspDiv"),
    (EU(alpha=0.1), f"{NOVELTY} AspRel Conf", "", "Pri AspDiv"),
    (EU, f"{NOVELTY} AspRel Conf", "", "Pri CloseTh AspDiv"),
    (CT_rank(saturation=0.9), "Pri Deep DeepTh AspDiv Red Sat AspRel", "", "Pri AspDiv Red"),
    (CT_rank(gamma=0.9, saturation=0.9), "Pri Deep DeepTh AspDiv Red Sat AspRel", "", "Pri AspDiv Red"),
    (RBU, ALL, "", ""),
    (RBU @ 2000, ALL, "", ""),
]


@pytest.fixture(scope="module")
def table():
    return axiom_table([measure for measure, *_ in TABLE])


@pytest.mark.parametrize(("measure", "row", "more", "less"), TABLE, ids=lambda value: str(value) if value else "-")
def test_measures_satisfy_table_1_except_for_the_documented_differences(table, measure, row, more, less):
    found = table.columns[table.loc[str(measure)]]

    assert set(more.split()).isdisjoint(row.split())
    assert set(less.split()) <= set(row.split())
    assert set(found) == (set(row.split()) | set(more.split())) - set(less.split())


def test_the_table_describes_its_columns(table):
    assert list(table.columns) == list(CONSTRAINTS) == ALL.split()
    assert table.select_dtypes(bool).shape == (len(TABLE), 10)
    assert list(table.attrs["legend"]) == list(table.columns)
    assert "3.2, Eq. 5" in table.attrs["legend"]["Conf"]


@pytest.mark.parametrize(
    ("measure", "missed"),
    [
        (RBU(p=0.9), []),
        (RBU(gain="linear"), []),
        (RBU(gain="linear", max_rel=4), []),
        (RBU(max_rel=4), ["Sat"]),  # 1/16 of a label of 4 is more than the effort, 0.05
        (RBU(max_rel=3), ["Sat"]),
        (RBU(e=0), ["Conf"]),
        (RBU(p=1), ["Pri", "Deep", "DeepTh"]),
    ],
    ids=str,
)
def test_rank_biased_utility_breaks_constraints_with_other_parameters(measure, missed):
    found = axiom_table([measure], n_pairs=50)

    assert list(found.columns[~found.iloc[0]]) == missed


# The premises, restated.


def labels(pair, ranking):
    return [pair.judged[doc] for doc in ranking]


def single(pair):
    """One intent; all labels of retrieved documents are worth little."""
    assert pair.weights == (1.0,)
    retrieved = [label for (label,) in labels(pair, {*pair.better, *pair.worse})]
    assert set(retrieved) <= {0, 1, 2, 5}
    return [[label for (label,) in labels(pair, ranking)] for ranking in (pair.better, pair.worse)]


def places_that_differ(pair):
    assert len(pair.better) == len(pair.worse)
    return [i for i, (a, b) in enumerate(zip(pair.better, pair.worse, strict=True)) if a != b]


def one_aspect_at_most(pair):
    return all(np.count_nonzero(grades) <= 1 for grades in pair.judged.values())


def swap(ranking, i, j):
    ranking = list(ranking)
    ranking[i], ranking[j] = ranking[j], ranking[i]
    return tuple(ranking)


def pri(pair):
    _, before = single(pair)
    i, j = places_that_differ(pair)
    return swap(pair.worse, i, j) == pair.better and before[j] > before[i]


def deep(pair):
    single(pair)
    for i, j in itertools.combinations(range(len(pair.better) - 1), 2):
        base = swap(pair.better, i, i + 1)
        r = [label for (label,) in labels(pair, base)]
        alike = r[i] == r[j] < r[i + 1] == r[j + 1]
        if alike and base == swap(pair.worse, j, j + 1):
            return True
    return False


def early_and_late(early, late):
    n = len(early) // 2
    label = early[0]
    return label > 0 and early[1:] == [0] * (2 * n - 1) and late == [0] * n + [label] * n


def deepth(pair):
    early, late = single(pair)
    return early_and_late(early, late) and len(early) == 2000


def closeth(pair):
    late, early = single(pair)
    return early_and_late(early, late) and 1 <= len(early) // 2 <= 10


def conf(pair):
    without, noisy = single(pair)
    return len(without) > 0 and pair.worse[:-1] == pair.better and noisy[-1] == 0


def aspdiv(pair):
    (i,) = places_that_differ(pair)
    new, old = pair.judged[pair.better[i]], pair.judged[pair.worse[i]]
    retrieved = np.array(labels(pair, {*pair.better, *pair.worse}))
    return set(np.unique(retrieved)) <= {0, 1, 2, 5} and all(a > b for a, b in zip(new, old, strict=True))


def red(pair):
    *before, second = labels(pair, pair.better)
    first = pair.judged[pair.worse[-1]]
    seen = np.array(before)
    label = max(first)
    values = {value for doc, grades in pair.judged.items() if max(grades) < 10 for value in grades}
    return (
        pair.better[:-1] == pair.worse[:-1]
        and one_aspect_at_most(pair)
        and len(set(pair.weights)) == 1
        and values <= {0, label}
        and first[0] == second[1] == label < 10
        and (seen[:, 0] == label).sum() > (seen[:, 1] == label).sum()
    )


def mred(pair):
    *before, second = labels(pair, pair.better)
    first = pair.judged[pair.worse[-1]]
    return (
        pair.better[:-1] == pair.worse[:-1]
        and pair.weights == (0.5, 0.5)
        and first[1] == second[0] == 0 < first[0] == second[1] <= 2
        and all(2 >= a > b for a, b in before)
    )


def sat(pair):
    *_, last = labels(pair, pair.better)
    more = pair.judged[pair.worse[-1]]
    return pair.worse[:-1] == pair.better and one_aspect_at_most(pair) and last[0] == 50 and more[0] > 0


def asprel(pair):
    (i,) = places_that_differ(pair)
    heavier, lighter = pair.judged[pair.better[i]], pair.judged[pair.worse[i]]
    others = labels(pair, [doc for place, doc in enumerate(pair.better) if place != i])
    return (
        one_aspect_at_most(pair)
        and pair.weights[0] < pair.weights[1]
        and heavier[1] == lighter[0] > 0
        and not any(first or second for first, second, *_ in others)
    )


PREMISES = dict(zip(ALL.split(), [pri, deep, deepth, closeth, conf, aspdiv, red, mred, sat, asprel], strict=True))


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_all_instances_meet_the_premises(name):
    constraint = CONSTRAINTS[name]

    instances = [*constraint.instances(), *constraint.draw(100, rng=7)]

    assert len(instances) >= 2
    for pair in itertools.chain.from_iterable(instances):
        assert PREMISES[name](pair)
        assert sum(pair.weights) == pytest.approx(1)
        assert {len(grades) for grades in pair.judged.values()} == {len(pair.weights)}
        assert len(pair.worse) <= 9 or name in ("DeepTh", "CloseTh")
        assert len(set(pair.better)) == len(pair.better)
        assert len(set(pair.worse)) == len(pair.worse)
        assert {*pair.better, *pair.worse} <= set(pair.judged)
        unretrieved = labels(pair, pair.judged.keys() - pair.better - set(pair.worse))
        assert np.array(unretrieved).max(axis=0).tolist() == [constraint.largest] * len(pair.weights)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_small_instances_come_by_size_and_once(name):
    instances = CONSTRAINTS[name].instances()

    sizes = [max(len(pair.better) for pair in instance) for instance in instances]
    assert sizes == sorted(sizes)
    assert len({repr(instance) for instance in instances}) == len(instances)


def test_labels_stay_in_the_requested_range():
    drawn = [pair for constraint in CONSTRAINTS.values() for (pair, *_) in constraint.draw(50, largest=4)]

    assert {label for pair in drawn for grades in pair.judged.values() for label in grades} == {0, 1, 2, 3, 4}


def reevaluated(measure, frame):
    """Values of both rankings, from the frame alone."""
    qrels = frame.rename(columns={"ranking": "query_id", "docno": "doc_id", "label": "relevance"})
    run = qrels.dropna(subset="rank").drop_duplicates(["query_id", "doc_id"])
    run = run.assign(score=-run["rank"].astype(float))[["query_id", "doc_id", "score"]]
    qrels = qrels[["query_id", "doc_id", "relevance", "iteration", "weight"]]
    return {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], qrels, run)}


@pytest.mark.parametrize(
    ("measure", "computed", "constraint"),
    [
        (IA(AP), IA(AP), "Red"),
        (IA(AP), IA(AP), "AspRel"),
        (nDCG, Adhoc(nDCG), "DeepTh"),
        (nDCG, Adhoc(nDCG), "Red"),
        (ERR @ 20, ERR @ 20, "CloseTh"),
        (IA(nDCG), IA(nDCG), "MRed"),
        (IA(ERR @ 20), IA(ERR @ 20), "Sat"),
        (P @ 20, Adhoc(P @ 20), "Deep"),
        (NRBP, NRBP, "Conf"),
        (EU, EU, "Pri"),
        (EU, EU, "AspDiv"),
        (CT_rank(saturation=0.9), CT_rank(saturation=0.9), "Red"),
    ],
    ids=str,
)
def test_a_counter_example_is_what_it_claims_to_be(measure, computed, constraint):
    found = counterexample(measure, constraint)

    claimed = found.groupby("ranking")["value"].first()
    assert reevaluated(computed, found) == pytest.approx(claimed.to_dict(), abs=1e-12)
    if constraint == "Sat":
        assert claimed["better"] < claimed["worse"] - 1e-12
    else:
        assert claimed["better"] <= claimed["worse"] + 1e-12
    assert (found.attrs["measure"], found.attrs["constraint"]) == (str(measure), constraint)
    assert set(found.attrs["legend"]) == set(found.columns)


def test_a_sketch_has_one_line_for_ranks_that_are_alike():
    assert sketch(counterexample(nDCG, "DeepTh")).splitlines()[1:] == [
        "       rank  A             B",
        "          1  label 1       not relevant",
        "     2-1000  not relevant  not relevant",
        "  1001-2000  not relevant  label 1",
        "not retrieved: label 10",
    ]


def test_a_sketch_tells_the_labels_for_each_intent_and_their_weights():
    assert sketch(counterexample(P @ 20, "AspRel")).splitlines() == [
        "A should have a higher value than B, but both have 0.050000.",
        "  rank  A                     B",
        "     1  label 1 for intent 2  label 1 for intent 1",
        "not retrieved: label 10 for intent 1; label 10 for intent 2",
        "weights of the intents: 0.4, 0.6",
    ]


def test_a_sketch_tells_where_a_ranking_ends_and_that_sat_demands_no_rise():
    assert sketch(counterexample(IA(AP), "Sat")).splitlines()[:4] == [
        "A should not be below B, but A has 0.333333 and B 0.666667.",
        "  rank  A            B",
        "     1  label 50     label 50",
        "     2  no document  label 1",
    ]


def test_a_little_relevant_document_takes_novelty_from_better_ones():
    found = counterexample(EU(e=0), "AspDiv")

    # The new document has a label of 1 (probability 2^-10), the one below 5 (31 2^-10); alpha is 1/2.
    r, discount = 2**-10, 1 / (1 + np.log2([1, 2]))
    assert found.groupby("ranking")["value"].first().to_dict() == pytest.approx(
        {"better": r * discount[0] + 31 * r * discount[1] / 2, "worse": 31 * r * discount[1]}, abs=1e-12
    )


def test_average_precision_of_intents_prefers_redundancy_as_the_papers_footnote_says():
    found = counterexample(IA(AP), "Red")

    # N_r is 3 for both intents, the weights 1/2: 1/N_r + 2/2/N_r against 1/N_r + 1/2/N_r.
    assert dict(zip(found["ranking"], found["value"], strict=True)) == {
        "better": pytest.approx((1 / 3 + 1 / 2 / 3) / 2),
        "worse": pytest.approx((1 / 3 + 2 / 2 / 3) / 2),
    }
    assert found.query("ranking == 'worse' and label > 0 and rank <= 2")["iteration"].tolist() == ["1", "1"]


def test_the_smallest_counter_example_comes_first():
    found = counterexample(alpha_nDCG @ 20, "Pri")

    # alpha-nDCG is binary: the two labels are the same to it.
    assert found[["ranking", "rank", "label"]].dropna().astype({"rank": int}).to_numpy().tolist() == [
        ["better", 1, 2],
        ["better", 2, 1],
        ["worse", 1, 1],
        ["worse", 2, 2],
    ]
    assert found["rank"].isna().sum() == 2


def test_closeness_shows_the_size_that_came_nearest():
    found = counterexample(RBP(p=0.5, rel=1), "CloseTh")

    # 0.5 - 0.25 for m = 1, 0.5 - (0.125 + 0.0625) for m = 2, ...
    assert found.dropna(subset="rank")["rank"].max() == 2
    assert found.groupby("ranking")["value"].first().to_dict() == pytest.approx({"better": 0.25, "worse": 0.5})


def test_random_pairs_find_what_small_ones_do_not():
    # Six documents of two intents saturate both.
    assert check(CT_rank, "Red", n_pairs=0).satisfied
    assert not check(CT_rank, "Red", n_pairs=2000).satisfied


class _Constant(DiversityMeasure):
    NAME = __name__ = "Constant"
    PRETTY_NAME = SHORT_DESC = FORMULA = SOURCE = "the same for all"

    def score(self, ranked):
        return np.ones(len(ranked.n))


class _Length(DiversityMeasure):
    NAME = __name__ = "Length"
    PRETTY_NAME = SHORT_DESC = FORMULA = SOURCE = "the more documents the better"

    def score(self, ranked):
        return ranked.n.astype(float)


@pytest.mark.parametrize(("bad", "satisfied"), [(_Constant, ["Sat"]), (_Length, [])])
def test_a_bad_measure_of_a_stranger_fails(bad, satisfied):
    measure = bad()

    table = axiom_table([measure], n_pairs=5)

    assert list(table.columns[table.loc[measure.NAME]]) == satisfied


def test_a_function_of_a_stranger_is_read_over_the_highest_labels():
    hits = ir_measures.define_byquery(
        lambda qrels, run: float(run.merge(qrels)["relevance"].sum()), name="Hits", support_cutoff=False
    )

    table = axiom_table([hits], ["Pri", "CloseTh", "AspDiv", "AspRel"], n_pairs=5)

    assert table.to_numpy().tolist() == [[False, True, True, False]]


@pytest.mark.parametrize("rng", [1, 2])
def test_another_seed_gives_the_same_table(table, rng):
    some = table.index[::3]

    again = axiom_table([measure for measure, *_ in TABLE if str(measure) in some], rng=rng)

    pd.testing.assert_frame_equal(again, table.loc[some])


def test_draws_depend_on_the_seed():
    first, second, third = (CONSTRAINTS["AspDiv"].draw(5, rng=rng) for rng in (1, 1, 2))

    assert first == second != third


def test_the_same_seed_gives_the_same(table):
    some = [EU, CT_rank(saturation=0.9), IA(nDCG)]

    again = axiom_table(some)

    pd.testing.assert_frame_equal(again, table.loc[again.index])
    for name in ("Red", "AspRel"):
        first, second = (counterexample(IA(nDCG), name, rng=rng) for rng in (3, np.random.default_rng(3)))
        pd.testing.assert_frame_equal(first, second)


def test_a_verdict_has_the_counter_example():
    verdict = check(IA(nDCG), "AspRel")

    assert (verdict.measure, verdict.constraint, verdict.satisfied) == ("IA(nDCG)", "AspRel", False)
    pd.testing.assert_frame_equal(verdict.counterexample, counterexample(IA(nDCG), "AspRel"))
    assert check(RBU, "AspRel").counterexample is None


def test_a_constraint_of_a_stranger_is_searched_too():
    def smallest(largest):
        yield (Pair(("a",), ("b",), {"a": (largest,), "b": (1,)}, (1.0,)),)

    graded = Constraint("Graded", "The better document is better.", "none", smallest)

    assert axiom_table([RBU, StRecall], [graded, "Pri"])["Graded"].to_dict() == {"RBU": True, "StRecall": False}


def test_no_measures_make_an_empty_table():
    assert axiom_table([]).shape == (0, 10)


def test_equal_measures_make_one_row():
    assert list(axiom_table([RBU, RBU(p=0.99)], ["Conf"]).index) == ["RBU"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((RBU, "Prio"), ValueError, "constraint must be one of Pri, Deep, .*, not 'Prio'"),
        ((3, "Pri"), TypeError, r"check: a measure must be an object such as RBU @ 20, or its name, not 3\."),
        ((P_Rareness @ 5, "Pri"), ValueError, "needs the column rarity"),
        ((RBU(max_rel=2), "Pri"), ValueError, "3"),
    ],
)
def test_invalid_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        check(*arguments)


def test_a_negative_number_of_pairs_is_refused():
    with pytest.raises(ValueError, match=r"n_pairs must be an integer in \[0, inf\), not -1"):
        axiom_table([RBU], n_pairs=-1)


def test_sizes_of_thresholds_are_as_documented():
    assert f"DeepTh with {constraints.DEEP} documents" in " ".join(axioms.__doc__.split())
    assert f"CloseTh with {constraints.CLOSE[0]} to {constraints.CLOSE[-1]}," in " ".join(axioms.__doc__.split())


@pytest.mark.parametrize("measures", [None, 3])
def test_something_that_is_not_a_measure_is_refused(measures):
    with pytest.raises(TypeError, match=r"axiom_table: measures must be a measure or a list of measures, not "):
        axiom_table(measures)


def test_one_measure_and_names_of_measures_are_accepted():
    tables = [axiom_table(measures, ["Pri"], n_pairs=0) for measures in (RBU, "RBU", [RBU], ["RBU"])]

    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0])
    assert check("RBU", "Pri", n_pairs=0).measure == "RBU"
