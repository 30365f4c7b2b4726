"""The bridge to ir_measures: who computes what, in which order, and from the same ranking."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import NumRet, Qrel, ScoredDoc

from by_hand import evaluator, qrels, run, value
from processes import in_a_new_process
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
from pyterrier_diversity.frames import collected
from pyterrier_diversity.measures.base import other_providers
from pyterrier_diversity.provider import DiversityProvider, register_provider
from pyterrier_diversity.warnings import LabelsWarning

# Registration


def names() -> list[str]:
    return [provider.NAME for provider in ir_measures.DefaultPipeline.providers]


def test_the_provider_comes_first():
    assert names().index("diversity") == 0


def test_registering_twice_is_harmless():
    before = names()

    register_provider()
    register_provider()

    assert names() == before
    assert value(P_IA @ 1, qrels("q a d1 1"), run(q="d1")) == 1


def test_registering_again_puts_it_back_after_a_reload():
    program = (
        "import importlib, ir_measures, pyterrier_diversity\nimportlib.reload(ir_measures)\n"
        "pyterrier_diversity.provider.register_provider()\n"
        "print(ir_measures.DefaultPipeline.providers[0].NAME, ir_measures.parse_measure('RBU@5'))"
    )

    assert in_a_new_process(program).split() == ["diversity", "RBU@5"]


def test_the_provider_is_in_the_registry_of_ir_measures():
    assert ir_measures.providers.registry["diversity"].supports(RBU)


@pytest.mark.parametrize(
    "measure", [RBU, IA(ir_measures.nDCG), ir_measures.P_IA @ 50, ir_measures.alpha_nDCG, ir_measures.ERR @ 5], ids=str
)
def test_the_provider_supports_our_measures_and_those_of_ndeval_and_gdeval(measure):
    assert DiversityProvider().supports(measure)


@pytest.mark.parametrize("measure", [ir_measures.nDCG, ir_measures.AP, ir_measures.RBP(rel=1)], ids=str)
def test_the_provider_leaves_measures_of_others_alone(measure):
    tied, close = {"q": {"a": 1.0, "b": 1.0, "c": 0.5}}, {"q": {"c": 1.0 + 1e-12, "b": 1.0}}
    frame = qrels("q t a 1", "q t c 2", "r t a 1").astype({"label": int}).drop(columns="iteration")
    judged = pt.model.to_ir_measures(frame)

    for retrieved in (tied, close, {}):
        values = list(DiversityProvider().evaluator([measure], judged).iter_calc(retrieved))
        assert values == list(other_providers().evaluator([measure], judged).iter_calc(retrieved))


def test_a_measure_that_nothing_computes_is_not_supported():
    assert not DiversityProvider().supports(ir_measures.nDCG(dcg="exp-log2"))


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


@pytest.mark.parametrize("name", ["RBU", "P_IA", "mine"])
def test_a_measure_of_the_user_can_be_lifted(name):
    mine = ir_measures.define_byquery(lambda judgements, ranking: 42.0, name=name)

    assert value(IA(mine), qrels("q a d1 1", "q b d2 1"), run(q="d1")) == pytest.approx(42)
    assert value(Adhoc(mine), qrels("q a d1 1", "q b d2 1"), run(q="d1")) == 42


def test_a_measure_that_the_user_registered_under_our_name_stays_the_users(monkeypatch):
    mine = ir_measures.define_byquery(lambda judgements, ranking: 42.0, name="RBU")
    monkeypatch.setitem(ir_measures.measures.registry, "RBU", mine)

    assert value(mine, pt.model.to_ir_measures(qrels("q a d1 1")), run(q="d1")) == 42
    assert value(IA(mine), qrels("q a d1 1"), run(q="d1")) == 42


# Order


@pytest.mark.parametrize("kind", [set, frozenset])
def test_the_measures_of_a_set_come_in_the_order_of_their_names(kind):
    measures = kind([StRecall @ 1, RBU, P_IA @ 1, IA(P_IA @ 1), AP_IA, alpha_nDCG @ 5, RBU(p=0.5)])

    metrics = DiversityProvider().evaluator(measures, qrels("q a d1 1")).iter_calc(run(q="d1"))

    assert [repr(metric.measure) for metric in metrics] == sorted(map(repr, measures))


def test_aggregates_come_in_the_order_of_the_measures():
    measures = [StRecall @ 1, RBU, P_IA @ 1, AP_IA]

    assert list(evaluator(*measures, of=qrels("q a d1 1")).calc_aggregate(run(q="d1"))) == measures


def test_calc_gives_aggregates_and_the_values_of_each_query():
    result = evaluator(AP_IA, of=qrels("p a d1 1", "q a d1 1")).calc(run(p="d1", q="x d1"))

    assert result.aggregated == {AP_IA: 0.75}
    assert [tuple(metric) for metric in result.per_query] == [("p", AP_IA, 1), ("q", AP_IA, 0.5)]


# Bare measures, which other providers compute

# Of b, the last label is not the highest. gdeval, which reads only queries named by numbers, reads the lowest above 0.
SEVERAL = [("1", "a", 1, "x"), ("1", "b", 1, "x"), ("1", "b", 3, "y"), ("1", "b", 0, "z"), ("2", "a", 2, "x")]
OF_GDEVAL = [ir_measures.ERR @ 5, ir_measures.nDCG(dcg="exp-log2") @ 5]
OF_OTHERS = [ir_measures.nDCG @ 5, ir_measures.AP, ir_measures.NumRet, *OF_GDEVAL]
RETRIEVED = {"1": {"b": 2.0, "x": 1.5, "a": 1.0}, "2": {"x": 1.0, "a": 0.5}}
FORMS = {
    "frame": lambda rows: pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"]),
    "list": lambda rows: [Qrel(*row) for row in rows],
    "generator": lambda rows: (Qrel(*row) for row in rows),
}


def exact(metrics):
    return sorted((metric.query_id, str(metric.measure), float(metric.value).hex()) for metric in metrics)


@pytest.mark.parametrize("beside", [[], [P_IA @ 5, RBU]], ids=["alone", "beside ours"])
@pytest.mark.parametrize("form", FORMS)
def test_bare_measures_have_the_bits_that_other_providers_give_if_documents_have_several_labels(form, beside):
    with collected():
        metrics = list(ir_measures.iter_calc([*OF_OTHERS, *beside], FORMS[form](SEVERAL), iter_of(RETRIEVED)))

    theirs = other_providers().iter_calc(OF_OTHERS, FORMS[form](SEVERAL), iter_of(RETRIEVED))
    assert exact(metric for metric in metrics if metric.measure in OF_OTHERS) == exact(theirs)
    assert len(metrics) == 2 * (len(OF_OTHERS) + len(beside))


def iter_of(retrieved):
    return (ScoredDoc(query, doc, score) for query, docs in retrieved.items() for doc, score in docs.items())


def test_measures_of_gdeval_have_full_precision_if_documents_have_one_label():
    metrics = ir_measures.calc_aggregate(OF_GDEVAL, FORMS["frame"](SEVERAL[:2]), RETRIEVED)

    assert metrics[OF_GDEVAL[0]] == 1 / 16 + 15 / 16 / 16 / 3  # gdeval prints 0.08203
    # One label, though in several rows.
    twice = FORMS["frame"](
        [*SEVERAL[:2], ("1", "b", 1, "y"), ("1", "a", -2, "z"), ("1", "c", 0, "z"), ("1", "c", -2, "y")]
    )
    assert ir_measures.calc_aggregate(OF_GDEVAL, twice[twice["doc_id"] != "a"], RETRIEVED)[OF_GDEVAL[0]] == 1 / 16


@pytest.mark.parametrize("form", FORMS)
def test_one_warning_names_the_measures_that_do_not_read_the_highest_label(form):
    # What was said recently is not repeated.
    judged = FORMS[form]([(query, doc.replace("b", form), *row) for query, doc, *row in SEVERAL])
    with pytest.warns(LabelsWarning) as warned:
        ir_measures.calc_aggregate([ir_measures.nDCG @ 4, RBU, ir_measures.AP, NumRet], judged, RETRIEVED)

    assert [str(warning.message) for warning in warned] == [
        "AP, nDCG@4: ir_measures reads one label of each document, but documents have several. AP reads label 0 for "
        f"document {form!r} of query '1', whose highest label is 3. Write Adhoc(AP), Adhoc(nDCG@4)."
    ]


def test_the_label_that_gdeval_reads_is_named():
    with pytest.warns(
        LabelsWarning, match="^ERR@4: .* ERR@4 reads label 1 for document 'b' of query '1', whose highest"
    ):
        ir_measures.calc_aggregate([ir_measures.ERR @ 4], FORMS["frame"](SEVERAL), RETRIEVED)


def test_no_warning_if_every_measure_reads_the_highest_labels():
    mine = ir_measures.define_byquery(lambda judgements, ranking: len(judgements), name="mine")
    last = FORMS["frame"]([("1", "b", 1, "x"), ("1", "b", 3, "y"), ("1", "a", -2, "x"), ("1", "a", 0, "y")])

    ir_measures.calc_aggregate([ir_measures.nDCG @ 3, ir_measures.AP], last, RETRIEVED)
    ir_measures.calc_aggregate([mine, NumRet, Adhoc(ir_measures.AP)], FORMS["frame"](SEVERAL), RETRIEVED)
    ir_measures.calc_aggregate([ir_measures.AP], {"1": {"b": 0, "a": 1}}, RETRIEVED)


@pytest.mark.parametrize("columns", [{"relevance": "grade"}, {"doc_id": "document"}], ids=str)
def test_qrels_that_cannot_be_read_are_left_to_the_other_providers(columns):
    mine = ir_measures.define_byquery(lambda judgements, ranking: len(judgements), name="mine")
    frame = FORMS["frame"](SEVERAL).rename(columns=columns)

    assert ir_measures.calc_aggregate([mine], frame, FORMS["frame"](SEVERAL).assign(score=1.0)) == {mine: 2.5}
    with pytest.raises(ValueError, match="unknown qrels format"):
        ir_measures.calc_aggregate([ir_measures.AP], frame, RETRIEVED)


def test_the_columns_that_a_measure_of_the_user_needs_are_its_own():
    mine = ir_measures.define_byquery(len, name="mine", run_inputs=["query_id", "turn"], qrel_inputs=["query_id"])

    assert set(ir_measures.run_inputs([mine])) == {"query_id", "turn"}
    assert ir_measures.qrel_inputs([mine]) == ["query_id"]


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (ir_measures.nDCG @ 0, r"^nDCG: cutoff must be an integer in \[1, inf\), not 0\.$"),
        (ir_measures.P(rel=0) @ 5, "^P: rel must be an integer"),
        (ir_measures.AP @ 2**31, "must not exceed 2147483647"),
        (ir_measures.RBP(rel=1, p=2.0), "^RBP: p must be"),
    ],
    ids=str,
)
def test_parameters_of_bare_measures_are_checked(measure, message):
    with pytest.raises(ValueError, match=message):
        ir_measures.calc_aggregate([measure], {"q": {"a": 1}}, run(q="a"))


# Evaluators


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
        results = list(pool.map(score, list(range(1, 9)) * 12))

    assert results == [1 / rank for rank in range(1, 9)] * 12


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


@pytest.mark.parametrize("name", ["d1\0", "\ud800"], ids=["null", "surrogate"])
def test_names_that_programs_in_c_cannot_hold_are_refused_for_them(name):
    held = pd.Series([name], dtype=object)  # Arrow's strings cannot represent all of them
    judged, retrieved = qrels("q a d1 1").assign(docno=held), {"q": {name: 1.0}}

    assert value(AP_IA, judged, retrieved) == 1
    said = "contains a character that other providers of ir_measures cannot read|must not contain the character NUL"
    for of in (
        (judged, run(q="d1")),
        (qrels("q a d1 1"), retrieved),
        (qrels("q a d1 1").assign(qid=held), run(q="d1")),
    ):
        with pytest.raises(ValueError, match=said):
            value(IA(ir_measures.Bpref), *of)
        with pytest.raises(ValueError, match=said):
            DiversityEvaluator([ir_measures.AP], of[0]).values(of[1])


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
