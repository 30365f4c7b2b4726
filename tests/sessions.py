"""Sessions read aloud: one query, one turn, one document and one passage at a time."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd

# What stands at a rank where a document was read before, or where a turn has none.
NOTHING = ""


class Passage(NamedTuple):
    """A row of the qrels: a document, or a passage of it, and what it is worth for an intent."""

    doc: str
    intent: str
    label: float
    gain: float
    nugget: str


class Session(NamedTuple):
    """The documents of each turn, and what is known of a query: passages, weights of sum 1, words of documents."""

    query_id: str
    turns: list[list[str]]
    passages: list[Passage]
    weights: dict[str, float]
    lengths: dict[str, float]

    @property
    def ranking(self) -> list[str]:
        """The documents of all turns."""
        return [doc for docs in self.turns for doc in docs]

    def gains(self) -> dict[str, dict[str, float]]:
        """Return the gain of each document for each intent: the sum over its passages."""
        gains: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for passage in self.passages:
            gains[passage.intent][passage.doc] += passage.gain
        return gains

    def labels(self) -> dict[str, dict[str, float]]:
        """Return the label of each document for each intent: the highest of its passages."""
        labels: dict[str, dict[str, float]] = defaultdict(dict)
        for doc, intent, label, _, _ in self.passages:
            labels[intent][doc] = max(label, labels[intent].get(doc, 0))
        return labels


def session(*turns: str, query_id: str = "q", **columns: list) -> pd.DataFrame:
    """A run of a letter for each document: session("ab", "", "c") has the turns 0 and 2."""
    rows = [(query_id, doc, -float(i), turn) for turn, docs in enumerate(turns) for i, doc in enumerate(docs)]
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "turn"]).assign(**columns)


def read_sessions(qrels: pd.DataFrame, run: pd.DataFrame, *, batch: int = 5, rel: float = 0) -> list[Session]:
    """Read the sessions of the queries of the qrels, whose rows are documents or passages."""
    read = []
    for query_id, rows in qrels.groupby("qid"):
        relevant = rows[(rows["label"] > 0) & (rows["label"] >= rel)]
        relevant = relevant[relevant["weight"] > 0] if "weight" in relevant else relevant
        passages, weights = [], {}
        for row in relevant.to_dict("records"):
            gain, nugget = row.get("gain", row["label"]), row.get("nugget", "")
            passages.append(Passage(row["docno"], row["iteration"], row["label"], gain, nugget))
            weights[row["iteration"]] = row.get("weight", 1.0)
        weights = {intent: weight / sum(weights.values()) for intent, weight in weights.items()}
        retrieved = run[run["qid"] == query_id].sort_values(["score", "docno"], ascending=False)
        lengths = dict(zip(retrieved["docno"], retrieved["doc_len"], strict=True)) if "doc_len" in retrieved else {}
        turns = in_turns(retrieved) if "turn" in retrieved else in_batches(retrieved["docno"].tolist(), batch)
        read.append(Session(query_id, turns, passages, weights, lengths))
    return read


def in_turns(retrieved: pd.DataFrame) -> list[list[str]]:
    """Return the documents of each turn: of a repeated one, and of a turn without any, only the place is left."""
    turns: list[list[str]] = []
    seen: set[str] = set()
    for turn in range(int(retrieved["turn"].max()) + 1 if len(retrieved) else 0):
        turns.append([])
        for doc in retrieved.loc[retrieved["turn"] == turn, "docno"].tolist() or [NOTHING]:
            turns[-1].append(NOTHING if doc in seen else doc)
            seen.add(doc)
    return turns


def in_batches(docs: list[str], batch: int) -> list[list[str]]:
    """Return the distinct documents, some of them a turn."""
    distinct = list(dict.fromkeys(docs))
    return [distinct[i : i + batch] for i in range(0, len(distinct), batch)]


def random_sessions(seed: int, *, n_queries: int = 10, n_docs: int = 30) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw qrels of passages, and a run with all that makes sessions hard to read.

    Documents come twice, scores tie and are not sorted, turns are short or missing, lengths are not all known. One
    query has no relevant passage, one is not in the run, one not in the qrels.
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


def weighted(qrels: pd.DataFrame) -> pd.DataFrame:
    """Give weights to the intents of random sessions, one of them 0."""
    weights = {"intent 0": 1.0, "intent 1": 0.0, "intent 2": 2.5, "intent 3": 4.0, "intent 4": 1.0}
    return qrels.assign(weight=qrels["iteration"].map(weights))


def of_documents(passages: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each document and intent: the highest label of its passages, and their sum as gain."""
    keys = [name for name in ("qid", "docno", "iteration", "weight", "rarity") if name in passages]
    return passages.groupby(keys, as_index=False, sort=False).agg(label=("label", "max"), gain=("label", "sum"))


def values(measures: Iterable[ir_measures.Measure], qrels: pd.DataFrame, run: pd.DataFrame) -> dict[str, list[float]]:
    """Return the values of each measure, query by query in the order of their names."""
    metrics = sorted(ir_measures.iter_calc(measures, qrels, run), key=lambda metric: metric.query_id)
    return {repr(measure): [m.value for m in metrics if m.measure == measure] for measure in measures}


def by_reading(measures: Iterable[ir_measures.Measure]) -> dict[tuple[int, float], list[ir_measures.Measure]]:
    """Return the measures for each size of a batch and least relevant label that they read sessions with."""
    groups: dict[tuple[int, float], list[ir_measures.Measure]] = defaultdict(list)
    for measure in measures:
        groups[measure.params.get("batch", 5), measure.params.get("rel", 0)].append(measure)
    return groups


def scores_nothing(of: Session) -> bool:
    """Tell whether nothing was retrieved, or there was nothing to find."""
    return not of.ranking or not of.passages


def filled(of: Session, gamma: float, max_height: float, cutoff: int | None) -> Iterator[tuple[int, float]]:
    """Yield the time at each document, and the share of the cube that is filled then."""
    gains = of.gains()
    heights, counts = dict.fromkeys(gains, 0.0), dict.fromkeys(gains, 0)
    for time, docs in enumerate(of.turns[:cutoff], start=1):
        for doc in docs:
            for intent in gains:
                if doc in gains[intent] and heights[intent] < max_height:
                    counts[intent] += 1
                    gained = gamma ** counts[intent] * gains[intent][doc]
                    heights[intent] += min(gained, max_height - heights[intent])
            yield time, sum(of.weights[intent] * height for intent, height in heights.items()) / max_height


def ct(of: Session, *, gamma: float = 0.5, max_height: float = 5.0, batch: int = 5, cutoff: int | None = None) -> float:
    *_, (time, share) = filled(of, gamma, max_height, cutoff)
    return share / time


def act(
    of: Session, *, gamma: float = 0.5, max_height: float = 5.0, batch: int = 5, cutoff: int | None = None
) -> float:
    speeds = [share / time for time, share in filled(of, gamma, max_height, cutoff)]
    return sum(speeds) / len(speeds)


def nct(
    of: Session, *, gamma: float = 0.5, max_height: float = 5.0, batch: int = 5, cutoff: int | None = None
) -> float:
    turns = cutoff or len(of.turns)
    bound = 0.0
    for intent, gains in of.gains().items():
        left = max_height
        for i, gain in enumerate(sorted(gains.values(), reverse=True)[: batch * turns + 1]):
            left -= min(gamma**i * gain, left)
        bound += of.weights[intent] * (max_height - left) / max_height
    return ct(of, gamma=gamma, max_height=max_height, cutoff=cutoff) / (bound / turns) if bound else 0.0


def worth(of: Session) -> dict[str, float]:
    """Return the gain of each document, summed over the intents."""
    total: dict[str, float] = defaultdict(float)
    for passage in of.passages:
        total[passage.doc] += passage.gain
    return total


def place(turn: int, rank: int, *, bq: float, b: float) -> float:
    """Return what a gain counts at a rank of a turn, both from 1."""
    return 1 / ((1 + math.log(rank, b)) * (1 + math.log(turn, bq)))


def session_dcg(of: Session, *, bq: float = 4.0, b: float = 2.0, batch: int = 5, cutoff: int | None = None) -> float:
    gains = worth(of)
    return sum(
        gains.get(doc, 0.0) * place(turn, rank, bq=bq, b=b)
        for turn, docs in enumerate(of.turns[:cutoff], start=1)
        for rank, doc in enumerate(docs, start=1)
    )


def n_session_dcg(of: Session, *, bq: float = 4.0, b: float = 2.0, batch: int = 5, cutoff: int | None = None) -> float:
    ranks = [(turn, rank) for turn in range(1, (cutoff or len(of.turns)) + 1) for rank in range(1, batch + 1)]
    places = sorted((place(turn, rank, bq=bq, b=b) for turn, rank in ranks), reverse=True)
    best = sorted(worth(of).values(), reverse=True)
    ideal = sum(gain * counts for gain, counts in zip(best, places, strict=False))
    return session_dcg(of, bq=bq, b=b, cutoff=cutoff) / ideal if ideal else 0.0


def stops(n_docs: int, p: float) -> list[float]:
    """Return the probability of stopping at each rank of a turn."""
    before = [(1 - p) ** i * p for i in range(n_docs - 1)]
    return [*before, 1 - sum(before)]


def expected_utility(
    of: Session, *, a: float = 0.001, gamma: float = 0.5, p: float = 0.5, batch: int = 5, cutoff: int | None = None
) -> float:
    expected: dict[str, float] = defaultdict(float)
    ratings: dict[str, float] = {}
    cost = 0.0
    for docs in of.turns[:cutoff]:
        met: dict[str, int] = defaultdict(int)
        words = 0.0
        for doc, stop in zip(docs, stops(len(docs), p), strict=True):
            for passage in of.passages:
                if passage.doc == doc:
                    met[passage.nugget] += 1
                    ratings[passage.nugget] = passage.label
            for nugget, times in met.items():
                expected[nugget] += stop * times
            if not math.isnan(of.lengths.get(doc, math.nan)):
                words += of.lengths[doc]
                cost += stop * words
    gain = sum(ratings[nugget] * (1 - gamma**times) / (1 - gamma) for nugget, times in expected.items())
    return gain - a * cost


def ct_rank(
    of: Session,
    *,
    gamma: float = 0.5,
    saturation: float = 1.0,
    probability: dict[str, dict[str, float]],
    cutoff: int | None = None,
) -> float:
    value = 0.0
    for intent, of_doc in probability.items():
        height, count = 0.0, 0
        for i, doc in enumerate(of.ranking[:cutoff], start=1):
            if doc in of_doc:
                value += of.weights[intent] * of_doc[doc] * gamma**count * (height < saturation - 1e-12) / i
                height += of_doc[doc]
                count += 1
    return value


def errs(of: Session, cutoff: int | None = None) -> list[float]:
    """Return the expected reciprocal rank of each intent that is met."""
    values = []
    for labels in of.labels().values():
        value, unsatisfied = 0.0, 1.0
        for i, doc in enumerate(of.ranking[:cutoff], start=1):
            satisfies = (2 ** labels.get(doc, 0) - 1) / 16
            value += unsatisfied * satisfies / i
            unsatisfied *= 1 - satisfies
        values.append(value)
    return [value for value in values if value > 0]


def err_arith(of: Session, cutoff: int | None = None) -> float:
    values = errs(of, cutoff)
    return sum(values) / len(values) if values else 0.0


def err_harm(of: Session, cutoff: int | None = None) -> float:
    values = errs(of, cutoff)
    return len(values) / sum(1 / value for value in values) if values else 0.0


def until_recall(of: Session, cutoff: int | None = None) -> list[set[str]]:
    """Return the intents of each document down to where all intents are met, of all documents where they are not."""
    labels, met, read = of.labels(), set(), []
    for doc in of.ranking[:cutoff]:
        read.append({intent for intent in labels if doc in labels[intent]})
        met |= read[-1]
        if len(met) == len(labels):
            break
    return read


def rr_at_recall(of: Session, cutoff: int | None = None) -> float:
    return 1 / len(until_recall(of, cutoff))


def p_at_recall(of: Session, cutoff: int | None = None) -> float:
    read = until_recall(of, cutoff)
    return sum(bool(intents) for intents in read) / len(read)


def p_at_recall_mod(of: Session, cutoff: int | None = None) -> float:
    read, met, new = until_recall(of, cutoff), set(), 0.0
    for intents in read:
        new += len(intents - met) / len(intents) if intents else 0.0
        met |= intents
    return new / len(read)
