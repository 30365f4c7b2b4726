"""The formulas of ir_measures' ad-hoc measures, beside the tools that compute them in ir_measures."""

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, RBP, RR, P, nDCG

import by_hand
from pyterrier_diversity import ERR, IA, Adhoc, Sharp, signature
from pyterrier_diversity.measures.base import implementation

EXP = nDCG(dcg="exp-log2")
SERVED = [
    *(P @ k for k in (1, 3, 10, 100, 2000)),
    P(rel=2) @ 5,
    P(rel=3, judged_only=False) @ 5,
    P(rel=9) @ 5,
    RR,
    RR(rel=2),
    RR @ 3,
    RR(rel=2) @ 10,
    AP,
    AP @ 3,
    AP @ 100,
    AP(rel=2),
    AP(rel=3) @ 10,
    nDCG,
    *(nDCG @ k for k in (1, 3, 10, 100, 2000)),
    nDCG(dcg="log2") @ 10,
    nDCG(gains={1: 3, 2: 10, 3: 40}) @ 10,
    nDCG(gains={0: 0, 1: 2, 2: 2}),
    nDCG(gains={1: 7}) @ 10,
    nDCG(gains={1: 0, 2: 1}) @ 10,
    RBP(rel=1),
    RBP(rel=2, p=0.5),
    RBP(rel=1, p=0.99),
    RBP(rel=1, p=0.9999),
    RBP(rel=1, p=1.0),
    RBP(rel=1, p=0.0),
]
# Measures that only their providers compute.
PROVIDED = [
    P,
    P(rel=0) @ 5,
    P(rel=-1) @ 5,
    P(judged_only=True) @ 5,
    P @ 0,
    RR(judged_only=True),
    AP(judged_only=True) @ 5,
    nDCG(judged_only=True) @ 5,
    nDCG(gains={0: 1, 1: 2}) @ 5,
    nDCG(gains={-1: 1}) @ 5,
    nDCG(gains={1: -1}) @ 5,
    nDCG(gains={1: 3, 2: 1}) @ 5,
    nDCG(gains={"1": 3}) @ 5,
    EXP(gains={1: 3}) @ 5,
    EXP,
    RBP,
    RBP(rel=1) @ 10,
    RBP(rel=1, p=1.5),
    ir_measures.Bpref,
    ir_measures.R @ 5,
]


def drawn(seed: int, n_queries: int = 12, n_docs: int = 60) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw qrels with negative labels and queries without relevant documents, and a run with ties."""
    rng = np.random.default_rng(seed)
    docs = [f"d{i:04}" for i in range(n_docs)]
    qrels, run = [], []
    for query in range(n_queries):
        judged = rng.choice(docs, rng.integers(1, n_docs), replace=False)
        labels = rng.integers(-2, 4 if query % 4 else 1, len(judged))
        qrels += zip([f"q{query}"] * len(judged), judged, labels.tolist(), strict=True)
        retrieved = rng.choice(docs, rng.integers(1, n_docs + 1), replace=False)
        run += zip([f"q{query}"] * len(retrieved), retrieved, rng.integers(0, 20, len(retrieved)).tolist(), strict=True)
    run = [row for row in run if row[0] != "q3"]  # this query is missing
    return (
        pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"]),
        pd.DataFrame(run, columns=["query_id", "doc_id", "score"]).astype({"score": float}),
    )


def beside(measures, qrels, run):
    """Return the values by formulas and those of the providers, on the same ranking."""
    ours = by_hand.values_by_query([Adhoc(measure) for measure in measures], qrels, run)
    ordered = run.sort_values(["query_id", "score", "doc_id"], ascending=False)
    ordered = ordered.assign(score=-np.arange(len(ordered), dtype=float))
    some = qrels[qrels["relevance"].groupby(qrels["query_id"]).transform("max") >= 0]  # pytrec_eval crashes on others
    values = {(repr(m.measure), m.query_id): m.value for m in by_providers(measures, some, ordered)}
    return ours, {
        (repr(Adhoc(m)), query): values.get((repr(m), query), 0.0) for m in measures for query in qrels["query_id"]
    }


def by_providers(measures, qrels, run):
    """Yield the values of other providers; one call each, because pytrec_eval confuses gains."""
    for measure in measures:
        provider = next(
            each
            for each in ir_measures.DefaultPipeline.providers
            if each.NAME != "diversity" and each.supports(measure) and each.is_available()
        )
        yield from provider.iter_calc([measure], qrels, run)


@pytest.mark.parametrize("seed", range(2))
def test_values_are_those_of_the_providers(seed):
    ours, theirs = beside(SERVED, *drawn(seed))

    assert ours == pytest.approx(theirs, abs=1e-12)
    assert len(set(ours.values())) > len(SERVED)


def test_values_of_long_rankings_are_those_of_the_providers():
    ours, theirs = beside(SERVED, *drawn(9, n_queries=1, n_docs=1200))

    assert ours == pytest.approx(theirs, abs=1e-12)


def test_each_intent_has_the_value_of_the_providers():
    (qrels, run), (others, _) = drawn(0, n_queries=6), drawn(100, n_queries=6)
    intents = {"x": qrels, "y": others}
    weights = {"x": 1.0, "y": 3.0}
    both = pd.concat([rows.assign(iteration=name, weight=weights[name]) for name, rows in intents.items()])
    by_intent = {name: beside(SERVED, rows, run)[1] for name, rows in intents.items()}

    for measure in SERVED:
        rel = measure.params.get("rel", 1)
        met = {name: set(rows[rows["relevance"] >= rel]["query_id"]) for name, rows in intents.items()}
        for (_, query), value in by_hand.values_by_query([IA(measure)], both, run).items():
            of = [name for name in intents if query in met[name]]
            expected = sum(weights[name] * by_intent[name][repr(Adhoc(measure)), query] for name in of)
            total = sum(weights[name] for name in of)
            assert value == pytest.approx(expected / total if of else 0, abs=1e-12), (measure, query)


@pytest.mark.parametrize("measure", [*SERVED, EXP @ 5, EXP(judged_only=True) @ 5, ERR @ 20], ids=repr)
def test_formulas_are_used_inside_of_other_measures(measure):
    assert implementation(measure, inside=True) is not None
    for outer in (IA, Adhoc, Sharp):
        assert " over " not in signature(outer(measure))


@pytest.mark.parametrize("measure", SERVED, ids=repr)
def test_a_bare_measure_stays_its_owners(measure):
    assert implementation(measure) is None
    assert "pyterrier-diversity" not in signature(measure)


@pytest.mark.parametrize("measure", PROVIDED, ids=repr)
def test_other_measures_and_parameters_are_left_to_their_providers(measure):
    assert implementation(measure, inside=True) is None


def test_a_measure_that_a_user_defines_under_the_same_name_is_the_users():
    own = ir_measures.define_byquery(lambda qrels, run: 42.0, name="P")

    assert implementation(own, inside=True) is None
    assert by_hand.value(Adhoc(own), by_hand.qrels("q x a 1"), by_hand.run(q="a")) == 42


def test_fractional_labels_are_gains_of_ndcg():
    value = by_hand.value(Adhoc(nDCG), by_hand.qrels("q x a 0.5", "q x b 1.5"), by_hand.run(q="a b"))

    assert value == pytest.approx((0.5 + 1.5 / np.log2(3)) / (1.5 + 0.5 / np.log2(3)), abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "value"), [(P @ 2, 1), (RR, 1), (AP, 1), (AP(rel=2), 0), (RBP(rel=1, p=0.5), 3 / 4)]
)
def test_fractional_labels_are_relevant_above_0_or_from_rel_on(measure, value):
    qrels = by_hand.qrels("q x a 0.5", "q x b 1.5")

    assert by_hand.value(Adhoc(measure), qrels, by_hand.run(q="a b")) == pytest.approx(value, abs=1e-15)
