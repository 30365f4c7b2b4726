"""The bridge to ir_measures: who computes what, in which order, and from the same ranking."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import Qrel, ScoredDoc

from by_hand import evaluator, qrels, run, value
from pyterrier_diversity import (
    AP_IA,
    CT,
    ERR,
    EU_DD,
    IA,
    P_IA,
    RBU,
    Adhoc,
    P_Rareness,
    StRecall,
    alpha_nDCG,
    nSessionDCG,
)
from pyterrier_diversity.evaluate import DiversityEvaluator
from pyterrier_diversity.provider import DiversityProvider, register_provider

# Registration


def names() -> list[str]:
    return [provider.NAME for provider in ir_measures.DefaultPipeline.providers]


def test_the_provider_comes_right_after_runtime_and_before_pyndeval():
    assert names().index("diversity") == names().index("runtime") + 1
    assert names().index("diversity") < names().index("pyndeval")


def test_registering_twice_is_harmless():
    before = names()

    register_provider()
    register_provider()

    assert names() == before
    assert value(P_IA @ 1, qrels("q a d1 1"), run(q="d1")) == 1


def test_the_provider_is_in_the_registry_of_ir_measures():
    assert ir_measures.providers.registry["diversity"].supports(RBU)


@pytest.mark.parametrize(
    "measure", [RBU, IA(ir_measures.nDCG), ir_measures.P_IA @ 50, ir_measures.alpha_nDCG, ir_measures.ERR @ 5], ids=str
)
def test_the_provider_supports_our_measures_and_those_of_ndeval_and_gdeval(measure):
    assert DiversityProvider().supports(measure)


@pytest.mark.parametrize("measure", [ir_measures.nDCG, ir_measures.AP, ir_measures.RBP(rel=1)], ids=str)
def test_the_provider_leaves_measures_of_others_alone(measure):
    assert not DiversityProvider().supports(measure)


def test_measures_of_ndeval_are_ours_to_compute():
    # ndeval stops at rank 20, and pyndeval breaks ties the other way.
    ties = {"q": {f"d{i:02d}": 1.0 for i in range(30)}}

    assert value(ir_measures.P_IA @ 25, qrels("q a d00 1", "q a d05 1"), ties) == 1 / 25


def test_measures_of_other_providers_may_stand_beside_ours():
    judgements = (Qrel(*row) for row in [("q", "d1", 1, "a"), ("q", "d2", 1, "b")])
    retrieved = (ScoredDoc(*row) for row in [("q", "d1", 2.0), ("q", "x", 1.0)])

    aggregates = ir_measures.calc_aggregate([StRecall @ 2, ir_measures.P @ 2], judgements, retrieved)

    assert aggregates == {StRecall @ 2: 0.5, ir_measures.P @ 2: 0.5}


# Measures of the user


def test_a_measure_that_the_user_defines_under_our_name_stays_the_users():
    mine = ir_measures.define_byquery(lambda judgements, ranking: 42.0, name="RBU")
    frame = pd.DataFrame({"query_id": ["q"], "doc_id": ["d1"], "relevance": [1]})

    assert value(mine, frame, run(q="d1")) == 42
    assert value(mine @ 3, frame, run(q="d1")) == 42
    assert not DiversityProvider().supports(mine)


@pytest.mark.parametrize("name", ["RBU", "P_IA", "mine"])
def test_a_measure_of_the_user_can_be_lifted(name):
    mine = ir_measures.define_byquery(lambda judgements, ranking: 42.0, name=name)

    assert value(IA(mine), qrels("q a d1 1", "q b d2 1"), run(q="d1")) == pytest.approx(42)
    assert value(Adhoc(mine), qrels("q a d1 1", "q b d2 1"), run(q="d1")) == 42


def test_a_measure_that_the_user_registered_under_our_name_stays_the_users(monkeypatch):
    mine = ir_measures.define_byquery(lambda judgements, ranking: 42.0, name="RBU")
    monkeypatch.setitem(ir_measures.measures.registry, "RBU", mine)

    assert not DiversityProvider().supports(mine)
    assert value(IA(mine), qrels("q a d1 1"), run(q="d1")) == 42


# Order


def test_values_come_query_by_query_in_natural_order_and_by_measure_in_the_given_order():
    judgements = qrels("10 a d1 1", "9 a d1 1", "100 a d1 1")

    metrics = list(evaluator(StRecall @ 1, AP_IA, P_IA @ 1, of=judgements).iter_calc(run(**{"100": "d1", "10": "d1"})))

    measures = [StRecall @ 1, AP_IA, P_IA @ 1]
    assert [(m.query_id, m.measure) for m in metrics] == [(q, m) for q in ("9", "10", "100") for m in measures]
    assert [m.value for m in metrics] == [0, 0, 0, 1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("kind", [set, frozenset])
def test_the_measures_of_a_set_come_in_the_order_of_their_names(kind):
    measures = kind([StRecall @ 1, RBU, P_IA @ 1, IA(P_IA @ 1), AP_IA, alpha_nDCG @ 5, RBU(p=0.5)])

    metrics = DiversityProvider().evaluator(measures, qrels("q a d1 1")).iter_calc(run(q="d1"))

    assert [repr(metric.measure) for metric in metrics] == sorted(map(repr, measures))


def test_aggregates_come_in_the_order_of_the_measures():
    measures = [StRecall @ 1, RBU, P_IA @ 1, AP_IA]

    assert list(evaluator(*measures, of=qrels("q a d1 1")).calc_aggregate(run(q="d1"))) == measures


def test_aggregates_are_means_over_the_queries_of_the_qrels():
    judgements = qrels("p a d1 1", "q a d1 1", "r a d1 1", "s a d1 1")

    assert value(AP_IA, judgements, run(p="d1", q="x d1", r="x", t="d1")) == (1 + 1 / 2 + 0 + 0) / 4


def test_calc_gives_aggregates_and_the_values_of_each_query():
    result = evaluator(AP_IA, of=qrels("p a d1 1", "q a d1 1")).calc(run(p="d1", q="x d1"))

    assert result.aggregated == {AP_IA: 0.75}
    assert [tuple(metric) for metric in result.per_query] == [("p", AP_IA, 1), ("q", AP_IA, 0.5)]


def test_values_are_plain_floats():
    metrics = evaluator(AP_IA, RBU, IA(ir_measures.AP), of=qrels("q a d1 1")).iter_calc(run(q="d1"))

    assert {type(metric.value) for metric in metrics} == {float}


# Evaluators


def test_an_evaluator_scores_any_number_of_runs():
    scores = evaluator(AP_IA, IA(ir_measures.AP), of=qrels("q a d1 1"))
    rankings = ["d1", "x d1", "x", "d1", "x y z d1"]

    results = [list(scores.calc_aggregate(run(q=ranking)).values()) for ranking in rankings]

    assert results == [[1, 1], [1 / 2, 1 / 2], [0, 0], [1, 1], [1 / 4, 1 / 4]]


def test_two_evaluators_do_not_disturb_each_other():
    one = evaluator(AP_IA, Adhoc(ir_measures.P @ 1), of=qrels("q a d1 1", "q b d1 1"))
    other = evaluator(AP_IA, Adhoc(ir_measures.P @ 1), of=qrels("q a d2 1", "q b d3 1"))

    results = [list(scores.calc_aggregate(run(q="d1 d2")).values()) for scores in (one, other, one, other)]

    assert results == [[1, 1], [1 / 4, 0], [1, 1], [1 / 4, 0]]


def test_iterations_over_one_evaluator_may_be_interleaved():
    scores = evaluator(AP_IA, StRecall @ 1, of=qrels("q a d1 1"))

    pairs = zip(scores.iter_calc(run(q="d1")), scores.iter_calc(run(q="x d1")), strict=True)

    assert [(one.value, other.value) for one, other in pairs] == [(1, 1 / 2), (1, 0)]


def test_a_run_that_was_refused_leaves_the_evaluator_usable():
    scores = evaluator(AP_IA, of=qrels("q a d1 1"))

    with pytest.raises(ValueError, match="score must be a finite number"):
        scores.calc_aggregate({"q": {"d1": float("nan")}})
    assert scores.calc_aggregate(run(q="x d1")) == {AP_IA: 0.5}


@pytest.fixture
def impatient_threads() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("impatient_threads")
@pytest.mark.parametrize(
    "measure", [AP_IA, RBU(p=0.5, e=0, gain="binary"), IA(ir_measures.AP), alpha_nDCG @ 9], ids=str
)
def test_threads_may_share_an_evaluator(measure):
    rankings = [" ".join([*(f"x{i}" for i in range(rank - 1)), "d1"]) for rank in range(1, 9)] * 8
    scores = evaluator(measure, of=qrels("threads a d1 1", "threads b d1 2"))

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda ranking: scores.calc_aggregate(run(threads=ranking))[measure], rankings))

    at_rank = {"RBU": lambda rank: 0.5**rank, "alpha_nDCG": lambda rank: 1 / np.log2(rank + 1)}.get(
        measure.NAME, lambda rank: 1 / rank
    )
    assert results == pytest.approx([at_rank(rank) for rank in range(1, 9)] * 8, abs=1e-12)


@pytest.mark.usefixtures("impatient_threads")
def test_threads_may_make_evaluators_at_once():
    def score(rank: int) -> float:
        return value(AP_IA, qrels(f"q a d{rank} 1"), run(q=" ".join(f"d{i}" for i in range(1, 9))))

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(score, list(range(1, 9)) * 25))

    assert results == [1 / rank for rank in range(1, 9)] * 25


# One ranking for one table


def test_wrapped_measures_of_other_providers_see_the_same_order_as_this_package():
    tied = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5}}
    measures = [
        ir_measures.AP,
        ir_measures.RR,
        ir_measures.nDCG,
        ir_measures.RBP(rel=1, p=0.5),
        ir_measures.Compat(p=0.5),
    ]

    ours = ir_measures.calc_aggregate(
        [lift(m) for m in measures for lift in (IA, Adhoc)], qrels("q t a 1", "q t c 1"), tied
    )
    distinct = {"q": {"c": 4.0, "b": 3.0, "a": 2.0, "d": 1.0}}
    theirs = ir_measures.calc_aggregate(measures, {"q": {"a": 1, "c": 1}}, distinct)

    for measure in measures:
        assert ours[IA(measure)] == ours[Adhoc(measure)] == pytest.approx(theirs[measure], abs=1e-12)


@pytest.mark.parametrize(
    "measure",
    [ir_measures.AP, ir_measures.P @ 2, ir_measures.INST(max_rel=2), ir_measures.nDCG],
    ids=str,
)
@pytest.mark.parametrize("lift", [IA, Adhoc])
def test_lifted_measures_of_other_providers_read_a_negative_label_as_0(lift, measure):
    spam, plain = qrels("q a d1 1", "q a d2 -2"), qrels("q a d1 1", "q a d2 0")

    assert value(lift(measure), spam, run(q="d2 d1")) == value(lift(measure), plain, run(q="d2 d1"))


def test_measures_of_gdeval_can_be_lifted_to_intents():
    measure = ir_measures.nDCG(dcg="exp-log2") @ 5
    judgements = qrels("1 a d1 1", "1 b d2 1", "2 a d1 1")

    # 1/log2(3) is 0.63093 with gdeval's five decimals
    assert value(IA(measure), judgements, run(**{"1": "d1 d2", "2": "x d1"})) == pytest.approx(
        ((1 + 0.63093) / 2 + 0.63093) / 2, abs=1e-5
    )


def test_fractional_labels_are_refused_for_a_provider_that_truncates_them():
    with pytest.raises(
        ValueError,
        match=r"Bpref is computed by pytrec_eval, which accepts only integer labels.* qrels contain fractions",
    ):
        value(Adhoc(ir_measures.Bpref), qrels("q a d1 0.5"), run(q="d1"))


@pytest.mark.parametrize("name", ["d1\0", "\ud800"], ids=["null", "surrogate"])
def test_names_that_programs_in_c_cannot_hold_are_refused_for_them(name):
    held = pd.Series([name], dtype=object)  # Arrow's strings cannot represent all of them
    judged, retrieved = qrels("q a d1 1").assign(docno=held), {"q": {name: 1.0}}

    assert value(AP_IA, judged, retrieved) == 1
    for of in (
        (judged, run(q="d1")),
        (qrels("q a d1 1"), retrieved),
        (qrels("q a d1 1").assign(qid=held), run(q="d1")),
    ):
        with pytest.raises(ValueError, match="contains a character that other providers of ir_measures cannot read"):
            value(IA(ir_measures.Bpref), *of)
        with pytest.raises(ValueError, match="contains a character that other providers of ir_measures cannot read"):
            DiversityEvaluator([ir_measures.AP], of[0]).values(of[1])


def test_fractional_labels_are_fine_for_our_measures():
    assert value(Adhoc(RBU(p=0.5, e=0, gain="linear")), qrels("q a d1 0.5", "q b d1 0.25"), run(q="d1")) == 0.5


# A slow restatement of the definitions


Labels = dict[tuple[str, str, str], float]
QUERIES, INTENTS, DOCS = ["9", "10"], ["a", "b", "7"], "uvwxyz"


class Slow:
    """The definitions, one document at a time."""

    def __init__(
        self, labels: Labels, weights: dict[str, float], scores: dict[tuple[str, str], float], query: str
    ) -> None:
        documents = sorted(((score, doc) for (q, doc), score in scores.items() if q == query), reverse=True)
        self.ranking = [doc for _, doc in documents]
        rows = {(t, doc): label for (q, t, doc), label in labels.items() if q == query and label > 0 and weights[t] > 0}
        self.labels = rows
        self.intents = sorted({t for t, _ in rows})
        total = sum(weights[t] for t in self.intents)
        self.weights = {t: weights[t] / total for t in self.intents}

    def precision_ia(self, k: int) -> float:
        found = sum((t, doc) in self.labels for t in self.intents for doc in self.ranking[:k])
        return found / (k * len(self.intents)) if self.intents else 0

    def recall(self, k: int) -> float:
        covered = [t for t in self.intents if any((t, doc) in self.labels for doc in self.ranking[:k])]
        return len(covered) / len(self.intents) if self.intents else 0

    def average_precision(self, intent: str) -> float:
        relevant = {doc for t, doc in self.labels if t == intent}
        hits, total = 0, 0.0
        for rank, doc in enumerate(self.ranking, start=1):
            if doc in relevant:
                hits += 1
                total += hits / rank
        return total / len(relevant)

    def average_precision_ia(self) -> float:
        return sum(map(self.average_precision, self.intents)) / max(len(self.intents), 1)

    def weighted_average_precision(self) -> float:
        return sum(self.weights[t] * self.average_precision(t) for t in self.intents)

    def rbu(self, p: float, e: float, k: int) -> float:
        utility = 0.0
        unsatisfied = dict.fromkeys(self.intents, 1.0)
        for rank, doc in enumerate(self.ranking[:k], start=1):
            gain = 0.0
            for t in self.intents:
                largest = max(label for (intent, _), label in self.labels.items() if intent == t)
                label = self.labels.get((t, doc), 0)
                probability = (2**label - 1) / 2**largest
                gain += self.weights[t] * probability * unsatisfied[t]
                unsatisfied[t] *= 1 - probability
            utility += p**rank * (gain - e)
        return utility


@settings(max_examples=80, deadline=None)
@given(
    labels=st.dictionaries(
        st.tuples(st.sampled_from(QUERIES), st.sampled_from(INTENTS), st.sampled_from(DOCS)),
        st.sampled_from([-1, 0, 1, 1, 2, 3]),
        min_size=1,
    ),
    weights=st.fixed_dictionaries({intent: st.sampled_from([0, 0.5, 1, 3]) for intent in INTENTS}),
    scores=st.dictionaries(
        st.tuples(st.sampled_from([*QUERIES, "11"]), st.sampled_from(DOCS + "!")), st.sampled_from([0.0, 1.0, 2.5])
    ),
)
def test_values_are_those_of_a_slow_restatement(labels, weights, scores):
    frame = pd.DataFrame(
        [(*key, label) for key, label in labels.items()], columns=["qid", "iteration", "docno", "label"]
    )
    frame["weight"] = frame["iteration"].map(weights)
    retrieved = pd.DataFrame([(*key, score) for key, score in scores.items()], columns=["qid", "docno", "score"])
    measures = [P_IA @ 2, StRecall @ 3, AP_IA, IA(AP_IA), IA(ir_measures.AP), RBU(p=0.9, e=0.1) @ 4]

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No query of the run")
        metrics = list(evaluator(*measures, of=frame).iter_calc(retrieved))

    for query in {query for query, _, _ in labels}:
        slow = Slow(labels, weights, scores, query)
        lifted = slow.weighted_average_precision()
        expected = [
            slow.precision_ia(2),
            slow.recall(3),
            slow.average_precision_ia(),
            lifted,
            lifted,
            slow.rbu(0.9, 0.1, 4),
        ]
        assert [metric.value for metric in metrics if metric.query_id == query] == pytest.approx(expected, abs=1e-9)


# Bad input leads to the message of the specification, however it is evaluated


@pytest.mark.parametrize("measure", [RBU, ERR @ 3, IA(ir_measures.AP), Adhoc(ir_measures.AP)], ids=str)
@pytest.mark.parametrize(
    "evaluate",
    [ir_measures.calc_aggregate, lambda *args: list(ir_measures.iter_calc(*args))],
    ids=["aggregate", "iter"],
)
def test_bad_qrels_and_runs_are_refused_however_they_are_evaluated(evaluate, measure):
    with pytest.raises(ValueError, match="run: missing column score"):
        evaluate([measure], qrels("q a d1 1"), pd.DataFrame({"qid": ["q"], "docno": ["d1"]}))
    with pytest.raises(ValueError, match="no column iteration or subtopic_id"):
        evaluate([measure], qrels("q a d1 1", "q b d1 1").drop(columns="iteration"), run(q="d1"))


# The columns that measures need


@pytest.mark.parametrize(
    ("measure", "columns"),
    [
        (RBU @ 5, []),
        (P_Rareness @ 5, ["rarity"]),
        (EU_DD, ["passage", "nugget"]),
        (IA(P_Rareness @ 5), ["rarity"]),
        (CT @ 5, []),
        (ERR @ 5, []),
    ],
    ids=str,
)
def test_the_columns_that_a_measure_needs_are_named(measure, columns):
    usual = ["query_id", "doc_id", "relevance"]

    assert DiversityProvider().qrel_inputs([measure]) == [*usual, *columns]
    assert set(ir_measures.qrel_inputs([measure, ir_measures.P @ 5])) == {*usual, *columns}


@pytest.mark.parametrize("measure", [RBU, CT @ 5, nSessionDCG @ 5], ids=str)
def test_no_measure_needs_turns(measure):
    assert set(ir_measures.run_inputs([measure])) == {"query_id", "doc_id", "score"}
