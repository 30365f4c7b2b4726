"""Laws for every registered measure; a new measure is covered as soon as it is registered."""

import contextlib
import copy
import functools
import pickle
import random
import re
from itertools import combinations, permutations
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RBP, Judged, NumRet, P, nDCG

import by_hand
from drawn import alternatives, small_topics
from pyterrier_diversity import (
    D_Q,
    ERR,
    IA,
    RBU,
    Adhoc,
    AP_Rareness,
    Coverage,
    D_nDCG,
    DINsharp_nDCG,
    P_Rareness,
    Pplus,
    Q,
    Sharp,
    SPrecision,
    StRecall,
    StRecallMinRank,
    UserModel,
    alpha_nDCG,
    alpha_nDCG_exact,
    nDCG_Rareness,
    nP_IA,
)
from pyterrier_diversity.evaluate import DiversityEvaluator
from pyterrier_diversity.measures import registered
from small_topics import CARTERETTE
from write_reference import EXAMPLES

# The drawn labels and intents are often few.
pytestmark = [
    pytest.mark.filterwarnings("ignore:No label of the qrels is full support"),
    pytest.mark.filterwarnings("ignore:No query has more than one intent"),
]

CUTOFF = 5
INTENTS = "xyz"
LABELS = st.sampled_from([-2, 0, 0, 1, 1, 2, 3])


def at_cutoff(measure, **params):
    """Build a measure of the same class, at the cutoff of this page if it has one; in turns of one document."""
    shallow = {"cutoff": CUTOFF, "batch": 1}
    return measure(**{name: shallow[name] for name in shallow.keys() & measure.SUPPORTED_PARAMS.keys()} | params)


def lifts(measure):
    return "measure" in measure.SUPPORTED_PARAMS


# UserModel is twelve named measures and more.
PLAIN = [at_cutoff(measure) for measure in registered() if not lifts(measure) and measure.NAME != "UserModel"]
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
    IA(Coverage @ 5),
    Adhoc(DINsharp_nDCG @ 5),
    Adhoc(P_Rareness @ 5),
    UserModel(1, "RBP", theta_nav=0.9) @ 5,
    UserModel(2, "DCG", redundancy="RBP", gain="exp", norm=True) @ 5,
    UserModel(4, "RBP", redundancy="RR"),
]
MEASURES = [*PLAIN, *WRAPPED]

# Every document read costs, counts in an average, or is one where users stop.
READERS = [
    measure
    for measure in MEASURES
    if re.search("RBU|EU|RBAP|DAG|^RAP|4,stop='RBP'|Concordant|CT[(@]|at_Recall", repr(measure))
]
OTHERS = [measure for measure in MEASURES if measure not in READERS]
NORMALISED = [
    StRecall @ 5,
    StRecallMinRank,
    SPrecision @ 5,
    nP_IA @ 5,
    nP_IA @ 2,
    alpha_nDCG_exact @ 5,
    alpha_nDCG_exact(alpha=0.9) @ 2,
    D_nDCG @ 5,
    D_nDCG @ 2,
    D_Q @ 5,
    D_Q @ 2,
    Q @ 5,
    Q @ 2,
    Pplus @ 5,
    nDCG_Rareness @ 5,
    nDCG_Rareness @ 2,
    AP_Rareness(alpha=0),
]
AT_CUTOFF = [measure for measure in MEASURES if f"@{CUTOFF}" in str(measure)]


def compute(measures, qrels, run):
    return {(str(m.measure), m.query_id): m.value for m in ir_measures.iter_calc(measures, qrels, run)}


def compute_each(measures, *inputs):
    """Compute measures for several pairs of qrels and run: in one call, which takes little longer than for one pair."""
    qrels, run = (
        pd.concat([frame.assign(query_id=f"{i} " + frame["query_id"]) for i, frame in enumerate(frames)])
        for frames in zip(*inputs, strict=True)
    )
    each = [{} for _ in inputs]
    for (name, query), value in compute(measures, qrels, run).items():
        i, _, query_id = query.partition(" ")
        each[int(i)][name, query_id] = value
    return each


def differences(first, second, tolerance=0.0):
    """Return what differs between two sets of values, by measure and query."""
    assert first.keys() == second.keys()
    return {key: (first[key], second[key]) for key in first if not abs(first[key] - second[key]) <= tolerance}


def with_other_columns(qrels, **columns):
    """Add the columns of Dynamic Domain: one passage for a document and intent, with a nugget of its own."""
    gain = 2.0 * qrels["relevance"].clip(lower=0)
    return qrels.assign(gain=gain, passage="1", nugget=qrels["doc_id"], **columns)


@st.composite
def topics(draw, n_intents=3, labels=LABELS):
    """Draw qrels with all columns there are, and a run: a few queries of a few documents, not all of them judged."""
    rows, run = [], []
    for q in range(6):
        intents = INTENTS[: draw(st.integers(1, n_intents))]
        weights = draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(intents), max_size=len(intents)))
        kinds = draw(st.lists(st.sampled_from(["inf", "nav"]), min_size=len(intents), max_size=len(intents)))
        for doc in "abcdef"[: draw(st.integers(1, 6))]:
            judged = draw(st.lists(labels, min_size=len(intents), max_size=len(intents)))
            rows += [(f"q{q}", doc, *row) for row in zip(judged, intents, weights, kinds, strict=True)]
        ranking = draw(st.permutations("abcdefuvw"))[: draw(st.integers(0, 9))]
        run += [(f"q{q}", doc, float(len(ranking) - i)) for i, doc in enumerate(ranking)]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration", "weight", "intent_type"])
    qrels = with_other_columns(qrels, rarity=(qrels["doc_id"] < "c") * 0.25 + 0.5)
    return qrels, pd.DataFrame(run, columns=["query_id", "doc_id", "score"]).assign(doc_len=10.0)


def in_another_order(qrels, run):
    rng = np.random.default_rng(len(qrels) + 7 * len(run))
    return qrels.iloc[rng.permutation(len(qrels))], run.iloc[rng.permutation(len(run))]


def with_other_scores_of_the_same_order(qrels, run):
    return qrels, run.assign(score=-1000 * np.exp(-run["score"]))


def cut_at_the_cutoff(qrels, run):
    return qrels, run.groupby("query_id").head(CUTOFF)


def with_irrelevant_documents_at_the_end(qrels, run):
    rows = [(query, f"zz{i}", -1.0 - i, 10.0) for query in run["query_id"].unique() for i in range(3)]
    below = pd.DataFrame(rows, columns=run.columns)
    judged = qrels.drop_duplicates("query_id").assign(doc_id="zz1", relevance=0, rarity=1.0)
    return pd.concat([qrels, judged]), pd.concat([run, below])


def with_weights_of_another_sum(qrels, run):
    return qrels.assign(weight=qrels["weight"] * 7), run


# For which measures a change changes nothing, or as little as rounding does.
WITHOUT_CHANGE = [
    (MEASURES, in_another_order, 0.0),
    (MEASURES, with_other_scores_of_the_same_order, 0.0),
    (AT_CUTOFF, cut_at_the_cutoff, 0.0),
    (OTHERS, with_irrelevant_documents_at_the_end, 1e-12),
    (MEASURES, with_weights_of_another_sum, 1e-12),
]


@settings(max_examples=5, deadline=None)
@given(data=topics())
def test_values_are_in_range_and_the_same_after_changes_that_do_not_matter(data):
    """The laws are in one test because they all compare with the same values."""
    values, *after = compute_each(MEASURES, data, *(change(*data) for _, change, _ in WITHOUT_CHANGE))

    ranges = {str(measure): measure.range() for measure in PLAIN}
    outside = {
        key: value
        for key, value in values.items()
        if key[0] in ranges and not ranges[key[0]][0] - 1e-12 <= value <= ranges[key[0]][1] + 1e-12
    }
    assert not outside
    for (measures, change, tolerance), changed in zip(WITHOUT_CHANGE, after, strict=True):
        names = set(map(str, measures))
        before, changed = ({key: value[key] for key in value if key[0] in names} for value in (values, changed))
        assert not differences(before, changed, tolerance), change.__name__


@settings(max_examples=5, deadline=None)
@given(data=topics())
def test_the_values_of_a_query_are_those_that_it_has_alone_and_its_data_stay_as_they_are(data):
    alone = [frame[frame["query_id"] == "q0"] for frame in data]
    given = [frame.copy() for frame in alone]

    values = compute(MEASURES, *alone)

    assert not differences({key: value for key, value in compute(MEASURES, *data).items() if key[1] == "q0"}, values)
    for frame, before in zip(alone, given, strict=True):
        pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("n_docs", [12, 60])
def test_larger_queries_in_the_same_batch_change_no_bit(n_docs, random_topics):
    qrels, run = random_topics(9, n_docs=n_docs)
    qrels, run = with_other_columns(qrels, rarity=qrels["doc_id"].str[-1].astype(int) / 20), run.assign(doc_len=10.0)
    qrels = columns_changed(qrels)["intent_type"]

    alone = {}
    for query, rows in qrels.groupby("query_id"):
        alone |= compute(MEASURES, rows, run[run["query_id"] == query])

    assert not differences(compute(MEASURES, qrels, run), alone)


@settings(max_examples=5, deadline=None)
@given(data=topics())
def test_an_intent_without_a_judgement_changes_only_what_counts_all_intents_named(data):
    qrels, run = data
    unjudged = qrels.drop_duplicates("query_id").assign(doc_id="", relevance=0, iteration="unjudged", gain=0.0)

    before, after = compute_each(MEASURES, data, (pd.concat([unjudged, qrels]), run))

    counting = {str(measure) for measure in PLAIN if measure.COUNTS_ALL_NAMED}
    changed = {measure for measure, _ in differences(before, after)}
    lowered = {key for key, value in before.items() if key[0] in counting and value > 0}
    assert changed <= counting == {"Coverage@5", "NuggetScore@5"}
    assert all(after[key] < before[key] for key in lowered)


@settings(max_examples=5, deadline=None)
@given(data=topics())
def test_a_document_judged_irrelevant_is_like_an_unjudged_one(data):
    qrels, run = data
    judged = [rows.iloc[:1].assign(doc_id=doc, relevance=0) for _, rows in qrels.groupby("query_id") for doc in "uv"]

    unjudged, more = compute_each(
        MEASURES, (qrels.assign(rarity=0.5), run), (pd.concat([qrels, *judged]).assign(rarity=0.5), run)
    )

    assert not differences(unjudged, more, tolerance=1e-12)


@settings(max_examples=5, deadline=None)
@given(data=topics(n_intents=1))
def test_with_one_intent_a_measure_is_its_ad_hoc_form(data):
    qrels, run = data
    # A relevant document each: without one, the effort of RBU is charged, and IA(RBU) has no intent to charge it for.
    # Informational ones: a document's highest label does not tell the type of the intent that it is for.
    qrels = qrels.assign(intent_type="inf", relevance=qrels["relevance"].where(qrels["doc_id"] != "a", 2))
    values = compute([*PLAIN, *(lift(measure) for lift in (IA, Adhoc) for measure in PLAIN)], qrels, run)

    plain = {
        (str(measure), query): values[str(measure), query] for measure in PLAIN for query in set(qrels["query_id"])
    }
    for lift in (IA, Adhoc):
        lifted = {(name, query): values[f"{lift.NAME}({name})", query] for name, query in plain}
        assert not differences(plain, lifted, tolerance=1e-12)


@settings(max_examples=5, deadline=None)
@given(data=topics(n_intents=1))
def test_without_a_column_that_names_the_intent_there_is_one(data):
    qrels, run = data

    nameless = compute(PLAIN, qrels.drop(columns=["iteration", "weight"]), run)

    assert not differences(compute(PLAIN, qrels, run), nameless)


@settings(max_examples=6, deadline=None)
@given(data=topics(labels=st.sampled_from([0, -2])))
def test_a_query_without_relevant_documents_scores_0_but_for_effort(data):
    values = compute(OTHERS, *data)

    assert set(values.values()) == {0.0}


@settings(max_examples=4, deadline=None)
@given(data=topics(labels=st.integers(0, 3)))
def test_the_best_ranking_of_a_normalised_measure_scores_1(data):
    few = data[0].query("doc_id < 'e'").assign(intent_type="inf")
    few = few.assign(relevance=few["relevance"].where(few["doc_id"] != "a", 1))
    qrels, run = [], {}
    for query, rows in few.groupby("query_id"):
        for i, docs in enumerate(permutations(rows["doc_id"].unique())):
            qrels.append(rows.assign(query_id=f"{query} {i}"))
            run[f"{query} {i}"] = {doc: -float(place) for place, doc in enumerate(docs)}

    values = compute(NORMALISED, pd.concat(qrels), run)

    best = {}
    for (name, ranking), value in values.items():
        topic = name, ranking.partition(" ")[0]
        best[topic] = max(value, best.get(topic, 0.0))
    assert best == pytest.approx(dict.fromkeys(best, 1.0), abs=1e-12)


def columns_changed(qrels):
    """Return qrels with other values in each optional column."""
    intent = qrels["iteration"].str[-1].astype(int)
    doc = qrels["doc_id"].str[-1].astype(int)
    return {
        "weight": qrels.assign(weight=3.0 + intent**2),
        "intent_type": qrels.assign(intent_type=np.where(intent % 2, "inf", "nav")),
        "rarity": qrels.assign(rarity=doc / 20),
        "gain": qrels.assign(gain=qrels["gain"] * (1 + doc)),
        "nugget": qrels.assign(nugget="one"),
        "importance": qrels.assign(importance=np.where(intent % 2, "vital", "okay")),
        "importance_value": qrels.assign(importance_value=np.where(intent % 2, 1, 0.25)),
    }


@pytest.fixture(scope="module")
def plain(random_topics):
    """Qrels with one value in all rows of each optional column, and by the name of a column with other values."""
    qrels, run = random_topics(0)
    of_intent = {"weight": 1.0, "intent_type": "inf", "importance": "vital"}
    qrels, run = with_other_columns(qrels, **of_intent, rarity=0.5), run.assign(doc_len=10.0)
    return by_hand.Data(qrels, run), {name: by_hand.Data(frame, run) for name, frame in columns_changed(qrels).items()}


@pytest.mark.parametrize("measure", PLAIN, ids=str)
def test_a_measure_reads_the_columns_that_it_declares_and_no_others(measure, plain):
    given, changes = plain
    if "importance" in measure.SUPPORTED_PARAMS:
        measure = measure(importance="weighted")
    if "theta_nav" in measure.SUPPORTED_PARAMS:
        measure = measure(theta_nav=0.9)
    before = given.values([measure])

    changed = {name for name, data in changes.items() if (data.values([measure]) != before).any()}

    # The order of passages is read, but here each document has one.
    assert changed == {*measure.READS} - {"passage"}


# Parameters that need others, and one that changes no value.
BESIDE = {"theta_red": {"redundancy": "RBP"}, "stop": {"model": 4}}
WITHOUT_EFFECT = {"measure", "time_limit"}


@pytest.fixture(scope="module")
def telling(random_topics):
    """Qrels with all columns that a measure may read, whose values tell intents and documents apart, and a run."""
    qrels, run = random_topics(0)
    missed = [("car", doc, 1, f"intent {t}") for doc, intents in CARTERETTE.items() for t in intents]
    qrels = pd.concat([qrels, pd.DataFrame(missed, columns=qrels.columns)])
    run = pd.concat(
        [
            run,
            pd.DataFrame(
                [("car", doc, float(score)) for score, doc in enumerate(["D1", "D2", "D5", "D4", "D3"])],
                columns=run.columns,
            ),
        ]
    )
    number = qrels["iteration"].str.split().str[-1].astype(int)
    rarity = qrels["doc_id"].str[-1].astype(int) / 10
    qrels = with_other_columns(
        qrels,
        weight=1.0 + number,
        intent_type=np.where(number % 2, "nav", "inf"),
        importance=np.where(number % 2, "vital", "okay"),
        rarity=rarity,
    )
    return by_hand.Data(qrels.assign(nugget=qrels["iteration"]), run.assign(doc_len=10.0))


@pytest.mark.parametrize(
    ("measure", "name"),
    [(measure, name) for measure in registered() for name in measure.SUPPORTED_PARAMS if name not in WITHOUT_EFFECT],
    ids=lambda value: getattr(value, "NAME", value),
)
def test_each_parameter_has_an_effect(measure, name, telling):
    beside = BESIDE.get(name, {})
    if name == "max_rel" and measure["gain"] == "binary":
        beside = {"gain": "exp"}
    if measure.NAME == "UserModel":
        beside = {
            "model": 3 if name == "effort" else 4,
            "stop": {"effort": "ERR", "max_rel": "ERR", "base": "DCG"}.get(name, "RBP"),
            **beside,
        }
    if measure.NAME == "ConcordantPairs":
        beside = {"stop": {"theta": "RBP", "base": "DCG"}.get(name, "uniform")}
    if measure.COUNTS_TURNS:
        beside = {"cutoff": 2, "batch": 5}
    base = measure("nDCG@5") if lifts(measure) else at_cutoff(measure, **beside)
    before = telling.values([base])

    effects = []
    for value in alternatives(measure.SUPPORTED_PARAMS[name]):
        try:
            after = telling.values([base(**{name: value})])
        except ValueError:
            continue  # such a label or combination of parameters is refused
        effects.append(np.abs(after - before).max())

    assert max(effects) > 1e-6


# What may differ between two measures of one name: cutoffs, labels that count, and what each name has of its own.
VARIATIONS = [
    {},
    {"cutoff": 5},
    {"cutoff": 2, "rel": 2},
    {"rel": 1},
    {"alpha": 0.1},
    {"alpha": 0.9, "cutoff": 5},
    {"theta": 0.2},
    {"theta_nav": 0.9},
    {"max_rel": 5},
    {"batch": 2, "cutoff": 2},
    {"p": 0.5},
    {"beta": 0.25},
    {"gain": "linear"},
    {"norm": True},
    {"judged_only": True},
    {"gamma": 0.25},
    {"ideal": "greedy"},
]


def variants():
    """Return every registered measure, as users have it, with some of its parameters at other values."""
    built = []
    for measure in registered():
        base = EXAMPLES.get(measure.NAME, ir_measures.measures.registry[measure.NAME])
        base = Adhoc(base) if measure.NAME == "ERR" else base  # refused bare where documents have several labels
        for params in VARIATIONS:
            if params.keys() <= base.SUPPORTED_PARAMS.keys():
                try:
                    built.append(base(**params))
                except ValueError:
                    continue  # a combination of parameters that is refused
    return list(
        dict.fromkeys([*built, *WRAPPED, IA(nDCG @ 5), Adhoc(RBP(p=0.5, rel=1)), IA(alpha_nDCG(judged_only=True))])
    )


VARIANTS = variants()
FORMS = {
    "ties": {"seed": 0},
    "fractions": {"seed": 1, "fractions": True},
    "sessions": {"seed": 3, "passages": True, "turns": True},
}


class Given(NamedTuple):
    """Measures that can be computed from qrels, two runs, and the values of each measure alone on the first run."""

    measures: list
    qrels: pd.DataFrame
    run: pd.DataFrame
    other: pd.DataFrame
    alone: dict


@functools.cache
def given_form(form):
    params = FORMS[form]
    qrels, run = small_topics(**params)
    _, other = small_topics(**params | {"seed": 10})
    data = by_hand.Data(qrels, run)
    measures, alone = [], {}
    for measure in VARIANTS:
        with contextlib.suppress(ValueError):  # columns that are not there, fractions that the provider cannot read
            (values,) = data.values([measure]).tolist()
            measures.append(measure)
            alone |= {(repr(measure), query): v for query, v in zip(data.judgements.query_ids, values, strict=True)}
    return Given(measures, qrels, run, other, alone)


@pytest.fixture(params=FORMS)
def given_frames(request):
    return given_form(request.param)


def values_of(evaluator, run):
    """Return the values of an evaluator by measure and query."""
    return {
        (repr(measure), query): value
        for measure, values in zip(evaluator.measures, evaluator.values(run), strict=True)
        for query, value in zip(evaluator.qrel_qids, values.tolist(), strict=True)
    }


def evaluated(measures, qrels, run):
    return values_of(DiversityEvaluator(measures, qrels), run)


def of_queries(values, queries):
    return {(measure, query): value for (measure, query), value in values.items() if query in queries}


REPEATED = pytest.mark.filterwarnings("ignore::UserWarning")  # documents that are retrieved twice


@REPEATED
def test_nearly_every_variant_can_be_computed_from_some_form():
    names = {measure.NAME for form in FORMS for measure in given_form(form).measures}

    assert names == {measure.NAME for measure in registered()} - {"ERR"}
    assert all(len(given_form(form).measures) > 150 for form in FORMS)


@REPEATED
def test_measures_that_are_computed_together_change_no_bit_of_each_other(given_frames):
    measures, qrels, run, _, alone = given_frames
    orders = [measures, measures[::-1]]
    orders += [[measures[i] for i in np.random.default_rng(seed).permutation(len(measures))] for seed in range(1)]

    for order in orders:
        assert not differences(alone, evaluated(order, qrels, run))


def pairs_of(measures):
    """Return all pairs of measures of one name, each in one of both orders, and some pairs of others in both."""
    names = {}
    for measure in measures:
        names.setdefault(measure.NAME, []).append(measure)
    drawn = random.Random(len(measures))
    of_one_name = [drawn.sample(pair, 2) for group in names.values() for pair in combinations(group, 2)]
    others = [drawn.sample(measures, 2) for _ in range(20)]
    return [*of_one_name, *others, *(pair[::-1] for pair in others)]


@REPEATED
def test_two_measures_change_no_bit_of_each_other(given_frames):
    data = by_hand.Data(given_frames.qrels, given_frames.run)
    names = data.judgements.query_ids
    alone = {
        measure: [given_frames.alone[repr(measure), query] for query in names] for measure in given_frames.measures
    }

    changed = {}
    for pair in pairs_of(given_frames.measures):
        for measure, values in zip(pair, data.values(pair).tolist(), strict=True):
            if values != alone[measure]:
                changed[tuple(map(repr, pair))] = (repr(measure), alone[measure], values)

    assert changed == {}


@REPEATED
def test_each_query_has_the_same_bits_alone_and_among_any_others(given_frames):
    measures, qrels, run, _, _ = given_frames
    every = evaluated(measures, qrels, run)
    queries = sorted(set(qrels["query_id"]))
    rng = np.random.default_rng(0)
    subsets = [[query] for query in queries[::3]] + [rng.permutation(queries)[:n].tolist() for n in (2, 5)]

    for subset in subsets:
        of_subset = qrels[qrels["query_id"].isin(subset)], run[run["query_id"].isin(subset)]
        assert not differences(of_queries(every, subset), evaluated(measures, *of_subset))


@REPEATED
@pytest.mark.parametrize("seed", range(2))
def test_the_order_of_the_rows_of_ties_and_turns_changes_no_bit(given_frames, seed):
    measures, qrels, run, _, alone = given_frames
    rng = np.random.default_rng(seed)

    shuffled = qrels.iloc[rng.permutation(len(qrels))], run.iloc[rng.permutation(len(run))]

    assert not differences(alone, evaluated(measures, *shuffled))


@REPEATED
def test_another_run_changes_no_bit_of_the_runs_after_it(given_frames):
    measures, qrels, run, other, _ = given_frames
    evaluator = DiversityEvaluator(measures, qrels)

    before, between, after = (values_of(evaluator, one) for one in (run, other, run))

    assert not differences(before, after)
    assert not differences(evaluated(measures, qrels, run), before)
    assert not differences(evaluated(measures, qrels, other), between)
    assert differences(before, between)


@REPEATED
@pytest.mark.parametrize("used", [False, True])
def test_an_evaluator_survives_pickling(given_frames, used):
    measures, qrels, run, _, _ = given_frames
    evaluator = DiversityEvaluator(measures, qrels)
    if used:
        evaluator.values(run)

    again = pickle.loads(pickle.dumps(evaluator))

    assert list(again.measures) == measures
    assert not differences(values_of(evaluator, run), values_of(again, run))


@pytest.mark.parametrize(
    "measures", [[IA(nDCG @ 5)], [Adhoc(AP)], [Sharp(nDCG @ 5)], [NumRet, Judged @ 5, RBU]], ids=str
)
def test_an_evaluator_of_measures_of_other_providers_survives_pickling(measures):
    qrels, run = small_topics(0)
    evaluator = DiversityEvaluator(measures, qrels)

    again = pickle.loads(pickle.dumps(evaluator))

    assert not differences(values_of(evaluator, run), values_of(again, run))


AGAIN = {
    "pickle": lambda measure: pickle.loads(pickle.dumps(measure)),
    "deepcopy": copy.deepcopy,
    "parse": lambda measure: ir_measures.parse_measure(repr(measure)),
}


@REPEATED
@pytest.mark.parametrize("again", AGAIN)
def test_a_measure_written_and_read_is_the_same(again):
    read = [AGAIN[again](measure) for measure in VARIANTS]

    assert read == VARIANTS
    assert list(map(repr, read)) == list(map(repr, VARIANTS))
    assert [type(measure) for measure in read] == [type(measure) for measure in VARIANTS]
    for measures, qrels, run, _, alone in map(given_form, FORMS):
        known = set(measures)
        assert not differences(alone, evaluated([measure for measure in read if measure in known], qrels, run))
