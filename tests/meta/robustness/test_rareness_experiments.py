from inspect import signature

import ir_measures
import joblib
import numpy as np
import pandas as pd
import pytest
from ir_measures import P, nDCG
from scipy.stats import kendalltau

from by_hand import tau_b
from pyterrier_diversity import (
    IA,
    Adhoc,
    AP_Rareness,
    P_Rareness,
    RBP_Rareness,
    Sharp,
    StRecall,
    add_rarity,
    nDCG_Rareness,
)
from pyterrier_diversity.meta import insert_synthetic_system, number_of_systems
from pyterrier_diversity.parameters import JUDGED_ONLY


def run(**rankings):
    """A run of a ranking for each query: run(q="ab") ranks a, b."""
    rows = [(query, doc, -float(i)) for query, docs in rankings.items() for i, doc in enumerate(docs)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


def relevant(**documents):
    """Qrels of the relevant documents of each query: relevant(q="ab")."""
    rows = [(query, doc, 1) for query, docs in documents.items() for doc in docs]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])


def collection(seed, n_systems=7, n_queries=5, n_docs=30):
    """Qrels of two intents, and systems of which some are alike."""
    rng = np.random.default_rng(seed)
    docs = [f"d{i:02d}" for i in range(n_docs)]
    quality = {query: rng.random(n_docs) for query in range(n_queries)}
    runs = {}
    for system in range(n_systems):
        noise = rng.random((n_queries, n_docs)) * (0.2 + system / n_systems)
        rankings = {
            f"q{query}": [docs[i] for i in np.argsort(-quality[query] - noise[query])][: rng.integers(3, 20)]
            for query in range(n_queries)
        }
        runs[f"s{system}"] = run(**rankings)
    rows = [
        (f"q{query}", doc, intent, int(rng.integers(0, 3) * (rng.random() < 0.2 + 0.4 * quality[query][i])))
        for query in range(n_queries)
        for i, doc in enumerate(docs)
        for intent in "xy"
    ]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "iteration", "relevance"]), runs


def rankings_of(frame):
    return {query: rows["doc_id"].tolist() for query, rows in frame.groupby("query_id")}


def p_rareness(name, rankings, found, k, alpha, cutoff):
    """Türkmen et al. (2023), Eqs. 1, 2, for one of some systems."""
    values = []
    for query, documents in found.items():
        value = 0
        for doc in rankings[name].get(query, [])[:k]:
            n_systems = sum(doc in ranking.get(query, [])[:cutoff] for ranking in rankings.values())
            value += (doc in documents) * (1 + alpha * (1 - max(n_systems, 1) / len(rankings)))
        values.append(value / k)
    return sum(values) / len(values)


def drawn_by(seed, n_systems, sizes, n_trials):
    """The systems of each size and trial."""
    return {
        size: [generator.choice(n_systems, size, replace=False).tolist() for _ in range(n_trials)]
        for size, generator in zip(sizes, np.random.default_rng(seed).spawn(len(sizes)), strict=True)
    }


# The document of B is rarer than that of A among all four systems, and less rare among A and B.
FOUR = {"A": run(q="xz"), "B": run(q="z"), "C": run(q="nx"), "D": run(q="mx")}


def test_two_of_four_systems_change_places_when_they_are_alone():
    table = number_of_systems(relevant(q="xz"), FOUR, P_Rareness @ 1, sizes=[2], n_trials=300, rng=1)

    # A and B swap (-1), C and D are tied (undefined), the other four pairs stay (1).
    pairs = [sorted(drawn) for drawn in drawn_by(1, 4, [2], 300)[2]]
    swapped, tied = pairs.count([0, 1]), pairs.count([2, 3])
    row = table.iloc[0]
    assert min(swapped, tied) > 30
    assert row["n_trials"] == 300 - tied
    assert row["mean"] == pytest.approx(1 - 2 * swapped / (300 - tied), abs=1e-12)
    assert row["std"] == pytest.approx(np.std([-1] * swapped + [1] * (300 - tied - swapped), ddof=1), abs=1e-12)


@pytest.mark.parametrize(("alpha", "k", "cutoff"), [(1.0, 5, 100), (0.5, 3, 4), (3.0, 10, 8)])
def test_correlations_equal_those_of_the_pseudocode(alpha, k, cutoff):
    qrels, runs = collection(1)
    rankings = {name: rankings_of(frame) for name, frame in runs.items()}
    found = {query: set(rows["doc_id"]) for query, rows in qrels[qrels["relevance"] > 0].groupby("query_id")}
    names = list(runs)

    table = number_of_systems(qrels, runs, P_Rareness(alpha=alpha) @ k, n_trials=15, cutoff=cutoff, rng=3)

    assert table["n_systems"].tolist() == [2, 4]
    initial = {name: p_rareness(name, rankings, found, k, alpha, cutoff) for name in names}
    drawn = drawn_by(3, 7, [2, 4], 15)
    for row in table.itertuples():
        taus = []
        for systems in drawn[row.n_systems]:
            some = {names[i]: rankings[names[i]] for i in systems}
            values = [p_rareness(name, some, found, k, alpha, cutoff) for name in some]
            taus.append(tau_b([initial[name] for name in some], values))
        taus = np.array(taus, dtype=float)
        assert (row.mean, row.std) == pytest.approx((np.nanmean(taus), np.nanstd(taus, ddof=1)), abs=1e-12)
        assert row.n_trials == np.count_nonzero(~np.isnan(taus)) > 10


MEASURES = [
    P_Rareness @ 5,
    P_Rareness(rel=2),
    P_Rareness(alpha="adaptive", mixture=True) @ 5,
    AP_Rareness,
    AP_Rareness(alpha=3) @ 5,
    nDCG_Rareness @ 5,
    RBP_Rareness(p=0.5),
    IA(P_Rareness(alpha=2)) @ 5,
    Sharp(AP_Rareness(alpha=2) @ 5),
    Adhoc(nDCG_Rareness(rel=2)),
    StRecall @ 5,
    nDCG @ 5,
]


@pytest.mark.parametrize(("form", "cutoff"), [("linear", 100), ("bounded", 5), ("log", 3)])
def test_every_measure_has_the_values_that_a_new_evaluation_gives_it(form, cutoff):
    qrels, runs = collection(2)
    qrels = qrels[qrels["iteration"] == "x"]
    runs["s0"] = runs["s0"][runs["s0"]["query_id"] != "q3"]
    names = list(runs)

    table = number_of_systems(qrels, runs, MEASURES, [3, 6], n_trials=3, cutoff=cutoff, form=form, rng=5)

    rare = add_rarity(qrels, runs, cutoff=cutoff, form=form)
    initial = {name: ir_measures.calc_aggregate(MEASURES, rare, runs[name]) for name in names}
    expected = {measure: [] for measure in MEASURES}
    for trials in drawn_by(5, 7, [3, 6], 3).values():
        taus = {measure: [] for measure in MEASURES}
        for systems in trials:
            some = {names[i]: runs[names[i]] for i in systems}
            rare = add_rarity(qrels, some, cutoff=cutoff, form=form)
            values = {name: ir_measures.calc_aggregate(MEASURES, rare, some[name]) for name in some}
            for measure in MEASURES:
                pairs = ([of[name][measure] for name in some] for of in (initial, values))
                taus[measure].append(kendalltau(*(np.round(each, 12) for each in pairs)).statistic)
        for measure in MEASURES:
            expected[measure].append(np.nanmean(taus[measure]))
    assert table["measure"].tolist() == [str(measure) for measure in MEASURES for _ in range(2)]
    np.testing.assert_allclose(table["mean"], np.ravel(list(expected.values())), atol=1e-12)
    assert (table["mean"] < 1 - 1e-9).sum() > 2


def test_systems_that_are_all_tied_have_no_correlation():
    table = number_of_systems(relevant(q="ab"), {"A": run(q="a"), "B": run(q="a")}, P_Rareness @ 5, [2], n_trials=3)

    assert table["n_trials"].item() == 0
    assert table[["mean", "std"]].isna().all(axis=None)


def test_the_sizes_are_the_powers_of_2_below_the_number_of_systems():
    qrels, runs = collection(5, n_systems=8, n_queries=1)

    def sizes(n):
        some = dict(list(runs.items())[:n])
        return number_of_systems(qrels, some, P_Rareness @ 5, n_trials=1)["n_systems"].tolist()

    assert [sizes(n) for n in (3, 4, 5, 8)] == [[2], [2], [2, 4], [2, 4]]


def test_the_number_of_workers_does_not_matter():
    qrels, runs = collection(8)
    measures = [AP_Rareness, IA(P_Rareness(alpha=2) @ 5), Adhoc(nDCG @ 5)]

    alone = number_of_systems(qrels, runs, measures, [2, 5], n_trials=6, rng=1)
    with joblib.parallel_config(n_jobs=2):
        pd.testing.assert_frame_equal(number_of_systems(qrels, runs, measures, [2, 5], n_trials=6, rng=1), alone)


def test_legends_describe_the_test():
    number = number_of_systems(relevant(q="xz"), FOUR, P_Rareness @ 1, n_trials=2, rng=1, cutoff=7)
    rank = insert_synthetic_system(relevant(q="xz"), FOUR, P_Rareness @ 1, [1], cutoff=7)

    for table in (number, rank):
        assert list(table.attrs["legend"]) == list(table.columns)
        assert (table.attrs["n_systems"], table.attrs["n_queries"], table.attrs["cutoff"]) == (4, 1, 7)


@pytest.mark.filterwarnings("error")
def test_repeated_documents_of_a_run_give_a_warning():
    runs = {**FOUR, "A": run(q="xx")}

    with pytest.warns(UserWarning, match="repeats documents"):
        number_of_systems(relevant(q="xz"), runs, P_Rareness @ 1, n_trials=2)


def ranks(table):
    return list(zip(table["n_relevant"], table["value"], table["rank"], strict=True))


# Of four relevant documents both others find b, one of them a.
TWO = {"one": run(q="abm"), "two": run(q="bn")}
OF_FOUR = relevant(q="abcd")


@pytest.mark.parametrize(
    ("kind", "alpha", "expected"),
    [
        # One has a (R = 2/3) and b (R = 1/3), two has b; each new document is found by one of three: R = 2/3.
        ("rare", 1, [(0, 0, 3), (1, 5 / 9, 1 + 1), (2, 10 / 9, 1), (3, 15 / 9, 1)]),
        ("rare", 0, [(0, 0, 3), (1, 1 / 3, 2), (2, 2 / 3, 1), (3, 1, 1)]),
        # The synthetic system finds b, a, d, c: b then has R = 0, a 1/3, and d and c 2/3.
        ("common", 1, [(0, 0, 3), (1, 1 / 3, 2), (2, 7 / 9, 1), (3, 12 / 9, 1)]),
        ("common", 0, [(0, 0, 3), (1, 1 / 3, 2), (2, 2 / 3, 1), (3, 1, 1)]),
    ],
)
def test_ranks_among_two_systems_worked_by_hand(kind, alpha, expected):
    table = insert_synthetic_system(OF_FOUR, TWO, P_Rareness(alpha=alpha) @ 3, range(4), kind)

    assert table["kind"].unique().tolist() == [kind]
    for found, wanted in zip(ranks(table), expected, strict=True):
        assert found == pytest.approx(wanted, abs=1e-12)


def test_a_query_with_fewer_relevant_documents_gives_all_that_it_has():
    table = insert_synthetic_system(relevant(q="ab", r="a"), TWO, P_Rareness(alpha=0) @ 4, [1, 2, 9], "common")

    assert table["value"].tolist() == [1 / 4, 3 / 8, 3 / 8]


def test_new_documents_are_relevant_to_every_intent():
    qrels, runs = collection(9)
    qrels = qrels.assign(weight=qrels["iteration"].map({"x": 3.0, "y": 1.0}), gain=qrels["relevance"] * 2.0)

    table = insert_synthetic_system(qrels, runs, [StRecall @ 5, IA(P @ 5)], [1, 5])

    assert ranks(table) == [(1, 1, 1), (5, 1, 1), (1, pytest.approx(0.2), table["rank"].iloc[2]), (5, 1, 1)]


def synthetic_rank(rankings, found, ranking, n, measure):
    """Türkmen et al. (2023), Sec. 3: the rank of a system among the others, by P@k with rareness."""
    k, alpha, cutoff = measure
    systems = {**rankings, "synthetic": {query: docs[:n] for query, docs in ranking.items()}}
    values = {name: p_rareness(name, systems, found, k, alpha, cutoff) for name in systems}
    return 1 + sum(value > values["synthetic"] + 1e-12 for value in values.values())


@pytest.mark.parametrize("measure", [(10, 0.5, 100), (5, 2.0, 4)])
@pytest.mark.parametrize("kind", ["rare", "common"])
def test_ranks_equal_a_slow_restatement(kind, measure):
    qrels, runs = collection(10, n_docs=20)
    rankings = {name: rankings_of(frame) for name, frame in runs.items()}
    found = {query: set(rows["doc_id"]) for query, rows in qrels[qrels["relevance"] > 0].groupby("query_id")}
    k, alpha, cutoff = measure
    sizes = [1, 3, 5, 8]

    table = insert_synthetic_system(qrels, runs, P_Rareness(alpha=alpha) @ k, sizes, kind, cutoff=cutoff)

    expected = []
    for n in sizes:
        if kind == "rare":
            ranking = {query: [f"new {i}" for i in range(n)] for query in found}
            judged = {query: {*docs, *ranking[query]} for query, docs in found.items()}
        else:
            judged, ranking = found, {}
            for query, docs in found.items():
                tops = [of[query][:cutoff] for of in rankings.values()]
                by_name = sorted(docs, reverse=True)
                ranking[query] = sorted(by_name, key=lambda doc: -sum(doc in top for top in tops))
        expected.append(synthetic_rank(rankings, judged, ranking, n, measure))
    assert table["rank"].tolist() == expected
    assert len(set(expected)) > 1


def test_queries_that_are_not_judged_do_not_count():
    qrels, runs = collection(13)
    one = qrels[qrels["query_id"] == "q1"]
    cut = {name: frame[frame["query_id"] == "q1"] for name, frame in runs.items()}

    tables = [insert_synthetic_system(one, of, AP_Rareness, range(1, 5), "common") for of in (runs, cut)]

    pd.testing.assert_frame_equal(*tables)


class JudgedRareness(type(P_Rareness)):
    NAME = "JudgedRareness"
    SUPPORTED_PARAMS = {**type(P_Rareness).SUPPORTED_PARAMS, **JUDGED_ONLY}


BOTH = [
    ({"runs": [1]}, r"runs must be a mapping of names to runs, or paths, not a list of int\."),
    ({"runs": FOUR["A"]}, r"runs is one run\. Give it a name"),
    ({"measures": []}, r"measures must not be empty\."),
    ({"measures": [5]}, r"a measure must be an object such as RBU @ 20, or its name, not 5\."),
    ({"cutoff": 0}, r"cutoff must be an integer in \[1, inf\), not 0\."),
    ({"form": "idf"}, r"form must be one of 'linear', 'bounded', 'log', not 'idf'"),
    ({"qrels": OF_FOUR.drop(columns="doc_id")}, r"qrels: missing column docno"),
    ({"qrels": OF_FOUR.head(0)}, r"qrels must not be empty"),
    ({"runs": {**FOUR, "E": FOUR["A"].drop(columns="score")}}, r"run is rows without score or rank"),
]
OF_NUMBER = [
    ({"sizes": [2, 5]}, r"number_of_systems: sizes must be an integer in \[2, 4\], not 5\."),
    ({"sizes": [1]}, r"sizes must be an integer in \[2, 4\], not 1\."),
    ({"sizes": []}, r"sizes must not be empty\."),
    ({"runs": dict(list(FOUR.items())[:2])}, r"runs must have at least 3 systems, not 2"),
    ({"n_trials": 0}, r"n_trials must be an integer in \[1, inf\), not 0\."),
    ({"measures": JudgedRareness()(judged_only=True) @ 1}, "must not have judged_only=True"),
]
OF_RANK = [
    ({"n_relevant": []}, r"n_relevant must not be empty\."),
    ({"n_relevant": [1, -1]}, r"n_relevant must be an integer in \[0, inf\), not -1\."),
    ({"kind": "odd"}, r"insert_synthetic_system: kind must be one of 'rare', 'common', not 'odd'\."),
    ({"runs": {}}, r"insert_synthetic_system: give at least one run\."),
]


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        *((number_of_systems, *case) for case in BOTH + OF_NUMBER),
        *((insert_synthetic_system, *case) for case in BOTH + OF_RANK),
    ],
)
def test_bad_input_is_refused(function, arguments, message):
    error = TypeError if "not a list of" in message or "its name" in message else ValueError
    with pytest.raises(error, match=message):
        function(**{"runs": FOUR, "qrels": OF_FOUR, "measures": P_Rareness @ 5, **arguments})


def test_what_the_papers_use_is_the_default():
    of_number, of_rank = (signature(f).parameters for f in (number_of_systems, insert_synthetic_system))

    assert of_number["n_trials"].default == 1000
    assert [*of_rank["n_relevant"].default] == [*range(1, 46)]
    assert of_number["cutoff"].default == of_rank["cutoff"].default == 100
