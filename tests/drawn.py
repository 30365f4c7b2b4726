"""Random qrels, runs and sessions, and settings of measures: the inputs that the naive reference is compared on."""

import math
from typing import Any

import numpy as np
import pandas as pd

Frames = tuple[pd.DataFrame, pd.DataFrame]
# Values of all labels that are drawn here, whole and fractions: probabilities, too.
TABLE = {label: (0.1 + label**3) / 100 for label in (0.75, 1, 1.5, 2, 2.25, 3, 4)}


def small_topics(seed: int, *, fractions: bool = False, turns: bool = False, passages: bool = False) -> Frames:
    """Draw qrels with every optional column, and a run with ties, few enough documents to try all rankings.

    Query q0 has no relevant document and q1 is not in the run. Some intents have no relevant document, one of each
    query has no judgement, some weigh nothing; some documents are not judged for all intents, and some that are
    retrieved are not judged.
    """
    rng = np.random.default_rng(seed)
    qrels: list[dict[str, Any]] = []
    run: list[dict[str, Any]] = []
    for q in range(8):
        docs = [f"d{i}" for i in rng.permutation(6)]
        rarity = dict(zip(docs, rng.choice([0.0, 0.25, 0.5, 1.0], len(docs)), strict=True))
        for t in range(1 if q == 2 else rng.integers(2, 5)):
            of_intent = {"weight": 1.0 if t == 0 else rng.choice([0.0, 0.5, 1.0, 3.0])}
            of_intent["intent_type"] = rng.choice(["inf", "nav"])
            of_intent["importance"] = ("vital", "okay", "vital", "failed")[t]
            highest = 0 if q == 0 else rng.choice([0, 1, 3] if t else [2, 4])
            for doc in docs:
                if rng.random() < 0.7:
                    label = rng.integers(-2, highest + 1) * (0.75 if fractions else 1)
                    row = {"query_id": f"q{q}", "doc_id": doc, "relevance": label, "iteration": f"t{t}", **of_intent}
                    qrels.append({**row, "rarity": rarity[doc], "gain": max(2.5 * label, 0.0)})
        nothing = {"doc_id": "", "relevance": 0, "iteration": "unjudged", "rarity": 0.0, "gain": 0.0}
        qrels.append({"query_id": f"q{q}", **nothing, **of_intent})
        if q != 1:
            every = rng.permutation([*docs, "u1", "u2", "u3"])
            for doc in rng.choice(every, rng.integers(1, 10), replace=turns).tolist():
                row = {"query_id": f"q{q}", "doc_id": doc, "score": float(rng.integers(0, 6))}
                run.append({**row, "turn": int(rng.choice([0, 0, 1, 2, 4])), "doc_len": _length(doc)})
    judged, retrieved = pd.DataFrame(qrels), pd.DataFrame(run)
    if passages:
        judged = _with_passages(judged, rng)
    return judged, retrieved if turns else retrieved.drop(columns="turn")


def _length(doc: str) -> float:
    return math.nan if doc in ("d1", "u1") else 100.0 * int(doc[1:])


def _with_passages(judged: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Give some documents a second passage, with another label or another nugget."""
    again = judged[(rng.random(len(judged)) < 0.4) & (judged["doc_id"] != "")]
    again = again.assign(relevance=np.minimum(again["relevance"] + 1, 4))
    judged = pd.concat([judged, again], ignore_index=True)
    judged["passage"] = [str(i) for i in rng.permutation(len(judged))]
    judged["nugget"] = [f"n{i}" for i in rng.integers(0, 3, len(judged))]
    return judged.drop(columns="gain")


def alternatives(parameter: Any) -> list[Any]:
    """Return values of a parameter other than its default."""
    if parameter.dtype is bool:
        return [not parameter.default]
    if parameter.dtype is str:
        tables = [TABLE] if getattr(parameter, "table", "") else []
        return [*(choice for choice in parameter.choices if choice != parameter.default), *tables]
    numbers = [2, 3, 4, 5, 0.1, 0.25, 0.9, 1]
    if parameter.dtype is int:
        numbers = [1, 2, 3]
    low, high = (float(bound) for bound in parameter.interval[1:-1].split(","))
    return [number for number in numbers if low < number < high and number != parameter.default]


def intent_topics(seed: int, *, n_queries: int = 10, n_docs: int = 14) -> Frames:
    """Draw weighted intents of both types, and a run without ties; labels are fractions if the seed is odd.

    The first query has no relevant document, the second no document in the run. Some other intents have no relevant
    document, some documents are not judged for all intents, and some that are retrieved are not judged.
    """
    rng = np.random.default_rng(seed)
    qrels, run = [], []
    for q in range(n_queries):
        docs = [f"d{i:02d}" for i in rng.permutation(n_docs)]
        for t in range(rng.integers(1, 5)):
            weight, kind = rng.choice([0.2, 1.0, 3.0]), rng.choice(["inf", "nav"])
            highest = 0 if q == 0 else rng.choice([0, 1, 4] if t else [3, 4])
            labels = rng.integers(-2, highest + 1, n_docs) * (0.75 if seed % 2 else 1)
            qrels += [(f"q{q}", docs[i], labels[i], f"t{t}", weight, kind) for i in range(n_docs) if rng.random() < 0.7]
        retrieved = rng.permutation([*docs, "u1", "u2", "u3"])[: rng.integers(1, n_docs + 4)].tolist()
        run += [(f"q{q}", doc, float(-i)) for i, doc in enumerate(retrieved) if q != 1]
    return (
        pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance", "iteration", "weight", "intent_type"]),
        pd.DataFrame(run, columns=["query_id", "doc_id", "score"]),
    )


def sessions(seed: int, *, n_queries: int = 10, n_docs: int = 30) -> Frames:
    """Draw qrels of passages, and a run with everything that makes sessions hard to read.

    Documents are repeated, scores tie and are not sorted, turns are short or missing, some lengths are unknown. One
    query has no relevant passage, one is not in the run, one is not in the qrels.
    """
    rng = np.random.default_rng(seed)
    qrels, run = [], []
    for q in range(n_queries):
        for nugget in range(int(rng.integers(3, 12))):
            intent = f"intent {nugget % 4}"
            for doc in rng.integers(0, n_docs, int(rng.integers(1, 9))):
                qrels.append((f"q{q}", f"d{doc}", int(rng.integers(1, 5)), intent, f"n{nugget}"))
        qrels += [(f"q{q}", f"d{doc}", 0, f"intent {doc % 5}", f"nothing {doc}") for doc in rng.integers(0, n_docs, 5)]
        for turn in range(int(rng.integers(1, 7))):
            docs = rng.integers(0, n_docs, int(rng.choice([0, 1, 3, 5, 5, 7])))
            run += [(f"q{q}", f"d{doc}", float(rng.integers(0, 6)), turn) for doc in docs]
    qrels += [("no relevant", "d1", 0, "intent 0", "n0"), ("not in the run", "d1", 1, "intent 0", "n0")]
    run += [("no relevant", "d1", 1.0, 0), ("not in the qrels", "d1", 1.0, 0)]
    judged = pd.DataFrame(qrels, columns=["qid", "docno", "label", "iteration", "nugget"])
    judged["passage"] = [str(i) for i in range(len(judged))]
    retrieved = pd.DataFrame(run, columns=["qid", "docno", "score", "turn"])
    words = {f"d{doc}": float(rng.integers(20, 2000)) if rng.random() < 0.8 else math.nan for doc in range(n_docs)}
    retrieved["doc_len"] = retrieved["docno"].map(words)
    return judged, retrieved.sample(frac=1, random_state=seed)


def without_turns(run: pd.DataFrame) -> pd.DataFrame:
    """Return a run without the column turn, and each document once."""
    best = run.sort_values("score", ascending=False).drop_duplicates(["qid", "docno"])
    return best.drop(columns="turn")


def of_documents(passages: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each document and intent: the highest label of its passages, and their sum as gain."""
    keys = [name for name in ("qid", "docno", "iteration", "weight", "rarity") if name in passages]
    return passages.groupby(keys, as_index=False, sort=False).agg(label=("label", "max"), gain=("label", "sum"))
