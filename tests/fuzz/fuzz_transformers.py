"""Steps of pipelines over hostile results, judgements and scores of intents."""

import math
from typing import Any

import pandas as pd
from hypothesis import strategies as st
from ir_measures import AP, nDCG

import naive
from fuzz import law
from fuzz.hostile import PYTERRIER, mutated, sound_qrels, sound_runs
from fuzz.law import Refusal, answer, fuzzed
from fuzz.parameters import ODD
from naive import reading
from pyterrier_diversity import EU, IA, RBU, Adhoc, P_Rareness, Sharp, StRecall, alpha_nDCG
from pyterrier_diversity.measures.base import implementation
from pyterrier_diversity.transformers import PM2, Evaluate, Explain, IASelect, Ideal, XQuAD

HOSTS = ("pyterrier", "ir_measures", "pandas")
MEASURES = [RBU @ 5, alpha_nDCG @ 3, StRecall, IA(AP), Adhoc(nDCG @ 4), Sharp(alpha_nDCG @ 2), EU(gain="linear")]
ANY_MEASURE = st.sampled_from([*MEASURES * 5, P_Rareness @ 3, "RBU@5", "x", ""])


def results(most: int = 2, *, simple: bool = False) -> st.SearchStrategy[Any]:
    """Draw results with PyTerrier's names, most of them sound."""
    sound = sound_runs(simple=simple).map(lambda run: run.rename(columns=PYTERRIER).assign(query="words"))
    # PyTerrier makes frames of lists, and lists of the results.
    return st.one_of(sound, sound, mutated(sound, most).filter(lambda run: isinstance(run, pd.DataFrame)))


def judgements() -> st.SearchStrategy[Any]:
    sound = sound_qrels().map(lambda qrels: qrels.rename(columns=PYTERRIER))
    return st.one_of(sound, sound, mutated(sound, 2))


def documents(frame: Any) -> list[tuple[str, str]]:
    return sorted(zip(frame["qid"].astype(str), frame["docno"].astype(str), strict=True))


@fuzzed(120, qrels=judgements(), run=results(), measure=ANY_MEASURE)
def test_each_query_is_evaluated_right_or_refused(qrels, run, measure):
    transformer = answer("Evaluate", lambda: Evaluate(qrels, measure), hosts=HOSTS)
    if isinstance(transformer, Refusal):
        return
    table = answer("Evaluate", lambda: transformer(run), hosts=HOSTS)
    if not isinstance(table, Refusal):
        (measure,) = transformer.measures
        compare("Evaluate", table, str(measure), measure, qrels, run)


def compare(function: str, table: pd.DataFrame, column: str, measure: Any, qrels: Any, run: Any) -> None:
    """Hold the value of each query against the naive one; NaN where the query has no judgements."""
    try:
        topics = {topic.query_id: topic for topic in naive.read(qrels, run)}
    except naive.UnknownError:
        return
    assert not table["qid"].duplicated().any()
    for query, value in zip(table["qid"].astype(str), table[column], strict=True):
        if query not in topics:
            assert math.isnan(value)
            continue
        ours = implementation(measure)
        if ours is None:
            assert math.isfinite(value)
        else:
            assert math.isclose(value, naive.value(ours, topics[query]), rel_tol=1e-9, abs_tol=1e-9)
            law.confirmed[function] += 1


@fuzzed(120, qrels=judgements(), run=results(), measure=ANY_MEASURE)
def test_contributions_sum_to_the_value_or_are_refused(qrels, run, measure):
    transformer = answer("Explain", lambda: Explain(qrels, measure), hosts=HOSTS)
    if isinstance(transformer, Refusal):
        return
    explained = answer("Explain", lambda: transformer(run), hosts=HOSTS)
    if isinstance(explained, Refusal) or explained.empty:
        return
    told = explained.assign(qid=explained["qid"].astype(str)).groupby("qid")["contribution"]
    table = told.agg(lambda parts: parts.sum(skipna=False)).reset_index()
    compare("Explain", table, "contribution", transformer.measure, qrels, run)


@fuzzed(80, qrels=judgements(), run=results(1), measure=ANY_MEASURE, data=st.data())
def test_ideal_rankings_hold_relevant_documents_or_are_refused(qrels, run, measure, data):
    kind = data.draw(st.sampled_from(["greedy", "greedy", "exact", "exact", "x"]))
    ideal = answer("Ideal", lambda: Ideal(qrels, measure, ideal=kind), hosts=HOSTS)
    if isinstance(ideal, Refusal):
        return
    topics = run.drop(columns="docno") if "docno" in run and data.draw(st.booleans()) else run
    ranked = answer("Ideal", lambda: ideal(topics), hosts=HOSTS)
    if isinstance(ranked, Refusal):
        return
    judged = reading.rows_of(qrels, ("query_id", "doc_id", "relevance"), ())
    relevant = {(str(row["query_id"]), str(row["doc_id"])) for row in judged if float(row["relevance"]) > 0}
    found = documents(ranked)
    assert len(found) == len(set(found))
    assert set(found) <= relevant
    law.confirmed["Ideal"] += len(found)


@st.composite
def intent_scores(draw: st.DrawFn) -> pd.DataFrame:
    """Draw how well documents serve intents: probabilities, or scores of any size."""
    qrels = draw(sound_qrels(columns=False, max_queries=3)).rename(columns=PYTERRIER)
    score = draw(
        st.sampled_from([st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1e9), st.floats(-9, 9)])
    )
    frame = qrels.drop(columns="label").assign(score=[draw(score) for _ in range(len(qrels))])
    if draw(st.booleans()):
        frame = frame.assign(weight=frame["iteration"].map(len).astype(float))
    return frame


KINDS = st.sampled_from(["sum", "max", "minmax"] * 5 + [None, "x"])


@fuzzed(
    140,
    scores=st.one_of(*[intent_scores()] * 3, mutated(intent_scores(), 1)),
    run=results(1, simple=True),
    data=st.data(),
)
def test_results_are_reordered_or_refused(scores, run, data):
    kind, k = data.draw(KINDS), data.draw(st.sampled_from([None, 1, 3] * 60 + ODD))
    trade = data.draw(st.sampled_from([0, 0.5, 0.8, 1.0] * 60 + ODD))
    builders = {
        "IASelect": lambda: IASelect(scores, normalise=kind, k=k),
        "XQuAD": lambda: XQuAD(scores, lambda_=trade, normalise=kind, k=k),
        "PM2": lambda: PM2(scores, lambda_=trade, normalise=kind, k=k),
    }
    for name, build in builders.items():
        transformer = answer(name, build, hosts=HOSTS)
        if isinstance(transformer, Refusal):
            continue
        ranked = answer(name, lambda transformer=transformer: transformer(run), hosts=HOSTS)
        if isinstance(ranked, Refusal):
            continue
        assert documents(ranked) == documents(run)
        assert all(ranked.groupby("qid")["score"].agg(lambda values: values.is_monotonic_decreasing))
        law.bounded[name] += len(ranked)
