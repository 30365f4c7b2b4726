"""What holds for every measure of the registry, so that a new one is covered by being registered."""

from __future__ import annotations

import math

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, P, nDCG

from pyterrier_diversity import ERR, IA, RBU, Adhoc, Sharp, alpha_nDCG
from pyterrier_diversity.measures import registered

CUTOFF = 5
INTENTS = "xyz"
LABELS = st.sampled_from([-2, 0, 0, 1, 1, 2, 3])


def at_cutoff(measure, **params):
    """Build a measure of the same class, at the cutoff of this page if it has one."""
    return type(measure)(**({"cutoff": CUTOFF} if "cutoff" in measure.SUPPORTED_PARAMS else {}), **params)


def lifts(measure):
    return "measure" in measure.SUPPORTED_PARAMS


PLAIN = [at_cutoff(measure) for measure in registered() if not lifts(measure)]
WRAPPED = [
    IA(nDCG @ 5),
    IA(AP),
    IA(RBU @ 5),
    IA(ERR @ 5),
    Adhoc(AP),
    Adhoc(P @ 5),
    Adhoc(RBU @ 5),
    Adhoc(alpha_nDCG @ 5),
    Sharp(alpha_nDCG @ 5),
    Sharp(nDCG @ 5, gamma=0.25),
    IA(Sharp(P @ 5)),
]
MEASURES = [*PLAIN, *WRAPPED]

# The effort of reading makes these negative, and every document further down costs.
EFFORTFUL = [measure for measure in MEASURES if "RBU" in str(measure)]
EFFORTLESS = [measure for measure in MEASURES if measure not in EFFORTFUL]
AT_CUTOFF = [measure for measure in MEASURES if f"@{CUTOFF}" in str(measure)]

# Greedy need not be optimal, but it is within 1 - 1/e of the optimum down to any rank (the gains are submodular,
# Nemhauser et al. 1978), and therefore under any discount that falls with the rank.
HIGHEST = {"alpha_nDCG": 1 / (1 - 1 / math.e), "nERR_IA": 1 / (1 - 1 / math.e), "nNRBP": 1 / (1 - 1 / math.e)}


def compute(measures, qrels, run):
    return {(str(m.measure), m.query_id): m.value for m in ir_measures.iter_calc(measures, qrels, run)}


def differences(first, second, tolerance=0.0):
    """Return what differs between two sets of values, by measure and query."""
    assert first.keys() == second.keys()
    return {key: (first[key], second[key]) for key in first if not abs(first[key] - second[key]) <= tolerance}


@st.composite
def topics(draw, n_intents=3, labels=LABELS, max_queries=3):
    """Draw qrels with all columns there are, and a run: a few queries of a few documents, not all of them judged."""
    rows, run = [], []
    for q in range(draw(st.integers(1, max_queries))):
        intents = INTENTS[: draw(st.integers(1, n_intents))]
        weights = draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(intents), max_size=len(intents)))
        for doc in "abcdef"[: draw(st.integers(1, 6))]:
            judged = draw(st.lists(labels, min_size=len(intents), max_size=len(intents)))
            rows += [(f"q{q}", doc, *row) for row in zip(judged, intents, weights, strict=True)]
        ranking = draw(st.permutations("abcdefuvw"))[: draw(st.integers(0, 9))]
        run += [(f"q{q}", doc, float(len(ranking) - i)) for i, doc in enumerate(ranking)]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration", "weight"])
    qrels = qrels.assign(intent_type="inf", rarity=(qrels["doc_id"] < "c") * 0.25 + 0.5)
    return qrels, pd.DataFrame(run, columns=["query_id", "doc_id", "score"])


@settings(max_examples=40, deadline=None)
@given(data=topics(), seed=st.integers(0, 99))
def test_the_order_of_rows_changes_no_bit(data, seed):
    qrels, run = data
    rng = np.random.default_rng(seed)

    shuffled = compute(MEASURES, qrels.iloc[rng.permutation(len(qrels))], run.iloc[rng.permutation(len(run))])

    assert not differences(compute(MEASURES, qrels, run), shuffled)


@settings(max_examples=40, deadline=None)
@given(data=topics())
def test_other_queries_change_no_bit(data):
    qrels, run = data

    alone = {}
    for query, rows in qrels.groupby("query_id"):
        alone |= compute(MEASURES, rows, run[run["query_id"] == query])

    assert not differences(compute(MEASURES, qrels, run), alone)


@pytest.mark.parametrize("n_docs", [12, 60])
def test_larger_queries_in_the_same_batch_change_no_bit(n_docs, random_topics):
    qrels, run = random_topics(9, n_docs=n_docs)

    alone = {}
    for query, rows in qrels.groupby("query_id"):
        alone |= compute(MEASURES, rows, run[run["query_id"] == query])

    assert not differences(compute(MEASURES, qrels, run), alone)


@settings(max_examples=40, deadline=None)
@given(data=topics())
def test_only_the_order_of_scores_matters(data):
    qrels, run = data

    rescored = compute(MEASURES, qrels, run.assign(score=-1000 * np.exp(-run["score"])))

    assert not differences(compute(MEASURES, qrels, run), rescored)


@settings(max_examples=40, deadline=None)
@given(data=topics())
def test_documents_below_the_cutoff_change_nothing(data):
    qrels, run = data

    cut = compute(AT_CUTOFF, qrels, run.groupby("query_id").head(CUTOFF))

    assert not differences(compute(AT_CUTOFF, qrels, run), cut)


@settings(max_examples=60, deadline=None)
@given(data=topics())
def test_values_lie_between_0_and_1(data):
    values = compute(EFFORTLESS, *data)

    highest = {key: max([1.0, *(HIGHEST[name] for name in HIGHEST if name in key[0])]) for key in values}
    assert not {key: value for key, value in values.items() if not 0 <= value <= highest[key] + 1e-12}


@settings(max_examples=40, deadline=None)
@given(data=topics())
def test_values_less_effort_lie_below_1(data):
    values = compute(EFFORTFUL, *data)

    assert not {key: value for key, value in values.items() if not -0.05 * CUTOFF <= value <= 1}


@settings(max_examples=40, deadline=None)
@given(data=topics())
def test_irrelevant_documents_at_the_end_change_nothing_but_effort(data):
    qrels, run = data
    rows = [(query, f"zz{i}", -1.0 - i) for query in run["query_id"].unique() for i in range(3)]
    below = pd.DataFrame(rows, columns=run.columns)
    judged = qrels.drop_duplicates("query_id").assign(doc_id="zz1", relevance=0, rarity=1.0)

    longer = compute(EFFORTLESS, pd.concat([qrels, judged]), pd.concat([run, below]))

    assert not differences(compute(EFFORTLESS, qrels, run), longer, tolerance=1e-12)


@settings(max_examples=40, deadline=None)
@given(data=topics())
def test_a_document_judged_irrelevant_is_like_an_unjudged_one(data):
    qrels, run = data
    judged = [rows.iloc[:1].assign(doc_id=doc, relevance=0) for _, rows in qrels.groupby("query_id") for doc in "uv"]

    more = compute(MEASURES, pd.concat([qrels, *judged]).assign(rarity=0.5), run)

    assert not differences(compute(MEASURES, qrels.assign(rarity=0.5), run), more, tolerance=1e-12)


@settings(max_examples=40, deadline=None)
@given(data=topics(n_intents=1))
def test_with_one_intent_a_measure_is_its_ad_hoc_form(data):
    qrels, run = data
    # A relevant document each: without one, the effort of RBU is charged, and IA(RBU) has no intent to charge it for.
    qrels = qrels.assign(relevance=qrels["relevance"].where(qrels["doc_id"] != "a", 2))
    plain = compute(PLAIN, qrels, run)

    for lift in (IA, Adhoc):
        lifted = compute([lift(measure) for measure in PLAIN], qrels, run)
        unlifted = {(name.removeprefix(f"{lift.NAME}(")[:-1], query): value for (name, query), value in lifted.items()}
        assert not differences(plain, unlifted, tolerance=1e-12)


@settings(max_examples=40, deadline=None)
@given(data=topics(n_intents=1))
def test_without_a_column_that_names_the_intent_there_is_one(data):
    qrels, run = data

    nameless = compute(PLAIN, qrels.drop(columns=["iteration", "weight"]), run)

    assert not differences(compute(PLAIN, qrels, run), nameless)


@settings(max_examples=40, deadline=None)
@given(data=topics())
def test_weights_matter_only_relative_to_each_other(data):
    qrels, run = data

    scaled = compute(MEASURES, qrels.assign(weight=qrels["weight"] * 7), run)

    assert not differences(compute(MEASURES, qrels, run), scaled, tolerance=1e-12)


@settings(max_examples=30, deadline=None)
@given(data=topics())
def test_a_query_that_the_run_lacks_scores_the_default(data):
    qrels, run = data

    values = compute(MEASURES, qrels, run.iloc[:0])

    assert set(values.values()) == {0.0}
    assert len(values) == len(MEASURES) * qrels["query_id"].nunique()


@settings(max_examples=30, deadline=None)
@given(data=topics(labels=st.sampled_from([0, -2])))
def test_a_query_without_relevant_documents_scores_0_but_for_effort(data):
    values = compute(EFFORTLESS, *data)

    assert set(values.values()) == {0.0}


@settings(max_examples=30, deadline=None)
@given(data=topics())
def test_the_frames_are_left_as_they_were(data):
    qrels, run = data
    before = qrels.copy(), run.copy()

    compute(MEASURES, qrels, run)

    pd.testing.assert_frame_equal(qrels, before[0])
    pd.testing.assert_frame_equal(run, before[1])


@settings(max_examples=30, deadline=None)
@given(data=topics())
def test_pyterriers_names_of_columns_are_read_as_well(data):
    qrels, run = data
    names = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    provider = ir_measures.providers.registry["diversity"]

    metrics = provider.iter_calc(PLAIN, qrels.rename(columns=names), run.rename(columns=names))

    values = {(str(m.measure), m.query_id): m.value for m in metrics}
    assert not differences(compute(PLAIN, qrels, run), values)


def alternatives(parameter):
    """Return values of a parameter other than its default."""
    if parameter.kind is bool:
        return [not parameter.fallback]
    if parameter.kind is str:
        return [choice for choice in parameter.allowed if choice != parameter.fallback]
    numbers = [2, 3, 4, 5, 0.1, 0.25, 0.9, 1]
    if parameter.kind is int:
        numbers = [1, 2, 3]
    low, high = (float(bound) for bound in parameter.interval[1:-1].split(","))
    return [number for number in numbers if low < number < high and number != parameter.fallback]


@pytest.mark.parametrize(
    ("measure", "name"),
    [(measure, name) for measure in registered() for name in measure.SUPPORTED_PARAMS if name != "measure"],
    ids=lambda value: getattr(value, "NAME", value),
)
def test_each_parameter_has_an_effect(measure, name, random_topics):
    qrels, run = random_topics(0)
    # All columns that a measure may read, with values that tell intents and documents apart.
    number = qrels["iteration"].str[-1].astype(int)
    rarity = qrels["doc_id"].str[-1].astype(int) / 10
    qrels = qrels.assign(weight=1.0 + number, intent_type=np.where(number % 2, "nav", "inf"), rarity=rarity)
    base = type(measure)("nDCG@5") if lifts(measure) else at_cutoff(measure)
    before = compute([base], qrels, run).values()

    effects = []
    for value in alternatives(measure.SUPPORTED_PARAMS[name]):
        try:
            after = compute([base(**{name: value})], qrels, run).values()
        except ValueError:
            continue  # such a label or combination of parameters is refused
        effects.append(max(abs(new - old) for new, old in zip(after, before, strict=True)))

    assert max(effects) > 1e-6
