"""What writes columns, searches ideals and simulates: hostile qrels and runs, and parameters of every kind."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import naive
import naive.measures as formulas
from fuzz import law
from fuzz.hostile import mutated, sound_qrels, sound_runs
from fuzz.law import Refusal, answer, fuzzed
from fuzz.parameters import ODD
from naive import reading
from naive.measures import Intent, Query
from pyterrier_diversity import add_rarity, add_weights, simulate
from pyterrier_diversity.ideal import min_rank

QRELS = st.one_of(sound_qrels(), sound_qrels(), mutated(sound_qrels()))
RUNS = st.lists(st.one_of(sound_runs(), sound_runs(), mutated(sound_runs())), max_size=3)


@fuzzed(250, qrels=QRELS, scheme=st.sampled_from(["uniform", "sakai", "sakai", "", None, 1]))
def test_weights_are_those_of_the_scheme(qrels, scheme):
    found = answer("add_weights", lambda: add_weights(qrels, scheme))

    if isinstance(found, Refusal) or found.empty:
        return
    for rows in rows_by_query(found, "weight").values():
        names = sorted({row["iteration"] for row in rows}, key=in_order([row["iteration"] for row in rows]))
        total = sum(2**k for k in range(1, len(names) + 1))
        for row in rows:
            j = names.index(row["iteration"]) + 1
            expected = 1 / len(names) if scheme == "uniform" else 2 ** (len(names) - j + 1) / total
            assert math.isclose(row["weight"], expected)
            law.confirmed["add_weights"] += 1


def in_order(names: list[str]) -> Any:
    """Return a sort key: by value if all names are numbers, otherwise by name."""
    values = dict(zip(names, pd.to_numeric(pd.Series(names), errors="coerce").astype(float), strict=True))
    if all(math.isfinite(value) for value in values.values()):
        return lambda name: (values[name], name)
    return lambda name: (name, name)


def rows_by_query(frame: Any, *columns: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each query, the intent of each as its iteration."""
    by_query: dict[str, list[dict[str, Any]]] = {}
    for row in reading.rows_of(frame, ("query_id",), ("doc_id", "iteration", "subtopic_id", *columns)):
        if "weight" in row:
            row["iteration"] = reading.text(row.get("subtopic_id", row.get("iteration", "0")))
        by_query.setdefault(reading.text(row["query_id"]), []).append(row)
    return by_query


@fuzzed(
    250,
    qrels=QRELS,
    runs=RUNS,
    cutoff=st.sampled_from([1, 2, 3, 100] * 9 + ODD),
    form=st.sampled_from(["linear", "bounded", "log"]),
    named=st.booleans(),
)
def test_rarity_is_what_the_number_of_systems_says(qrels, runs, cutoff, form, named):
    given = {f"system {i}": run for i, run in enumerate(runs)} if named else runs
    found = answer("add_rarity", lambda: add_rarity(qrels, given, cutoff, form=form))

    if isinstance(found, Refusal) or found.empty:
        return
    systems = []
    for run in runs:
        rows = reading.rows_of(run, ("query_id", "doc_id", "score"), ("turn",))
        rankings = reading.rankings_of(rows).items()
        systems.append({query: [doc for docs in turns or [] for doc in docs] for query, turns in rankings})
    for query, rows in rows_by_query(found, "rarity").items():
        counts = Counter(
            doc for of_system in systems for doc in of_system.get(query, [])[: None if cutoff is None else int(cutoff)]
        )
        for row in rows:
            n = max(counts[reading.text(row["doc_id"])], 1)
            others = len(systems) - 1
            expected = {
                "linear": 1 - n / len(systems),
                "bounded": 1 - (n - 1) / others if others else 0.0,
                "log": 1 - math.log(n) / math.log(len(systems)) if others else 0.0,
            }
            assert math.isclose(row["rarity"], expected[form], abs_tol=1e-12)
            law.confirmed["add_rarity"] += 1


@fuzzed(200, qrels=QRELS, rel=st.sampled_from([None, 1, 2] * 15 + ODD), n=st.sampled_from([None, 1, 2] * 15 + ODD))
def test_covers_are_the_smallest(qrels, rel, n):
    for kind in ("exact", "greedy"):
        name = f"min_rank, {kind}"
        found = answer(name, lambda kind=kind: min_rank(qrels, n, ideal=kind, rel=rel))
        if isinstance(found, Refusal):
            continue
        for query in queries(qrels, rel):
            row = found[found["qid"] == query.topic.query_id].iloc[0]
            wanted = len(query.intents) if n is None else n
            least = formulas.min_rank(query, wanted, kind)
            assert row["min_rank"] == least == len(row["docnos"])
            assert len(formulas.covered(query, row["docnos"])) >= wanted == row["n_intents"]
            law.confirmed[name] += 1


def queries(qrels: Any, rel: float | None) -> list[Query]:
    """Return the queries of qrels that are not refused, their intents binary and of the same weight."""
    try:
        topics = naive.read(qrels, {})
    except naive.UnknownError:
        return []
    read = []
    for topic in topics:
        intents = [{d for d, x in docs.items() if x > 0 and x >= (rel or 0)} for docs in topic.labels.values()]
        read.append(Query([], [Intent(dict.fromkeys(docs, 1.0)) for docs in intents if docs], topic))
    return read


WRITTEN = {"random_grades": ["label", "relevance"], "random_weights": ["weight"], "degrade": ["score"]}


@fuzzed(80, qrels=QRELS, run=mutated(sound_runs()), data=st.data())
def test_simulations_give_sound_frames_or_refuse(qrels, run, data):
    odd = data.draw(st.sampled_from(ODD))
    pair = data.draw(st.tuples(st.sampled_from(ODD), st.sampled_from(ODD)) | st.sampled_from(ODD))
    calls = {
        "random_grades": lambda: simulate.random_grades(qrels, rng=1),
        "random_weights": lambda: simulate.random_weights(qrels, rng=1),
        "random_lengths": lambda: simulate.random_lengths(run, odd, rng=1),
        "degrade": lambda: simulate.degrade(qrels, rng=1),
        "degrade of any shape": lambda: simulate.degrade(qrels, pair, rng=1),
        "greedy_study": lambda: simulate.greedy_study(qrels),
        "swap_topics": lambda: simulate.swap_topics(qrels, 1, burn_in=50, attempts=5, rng=1),
    }
    for name, call in calls.items():
        found = answer(name, call)
        if isinstance(found, pd.DataFrame):
            written = set(WRITTEN.get(name, [])) & set(found.columns)
            assert all(np.isfinite(found[column].to_numpy(float)).all() for column in written)
            law.bounded[name] += len(found)
