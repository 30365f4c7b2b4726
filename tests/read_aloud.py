"""Measures of intents read aloud: one query, one intent and one rank at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import pandas as pd


class Intent(NamedTuple):
    """The relevant documents of an intent with their labels, and what is known of the intent."""

    labels: dict[str, float]
    weight: float = 1.0
    navigational: bool = False


class Query(NamedTuple):
    """A ranking, and the intents that a document is relevant to, their weights of sum 1."""

    query_id: str
    ranking: list[str]
    intents: list[Intent]


def weighted(frames: tuple[pd.DataFrame, pd.DataFrame]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give weights and kinds to the intents of random topics."""
    qrels, run = frames
    number = qrels["iteration"].str[-1].astype(int)
    return qrels.assign(weight=1.0 + number, intent_type=number.mod(2).map({0: "inf", 1: "nav"})), run


def queries(qrels: pd.DataFrame, run: pd.DataFrame, rel: float | None = None) -> list[Query]:
    """Read qrels with the columns weight and intent_type, and a run whose rows are in the order of its rankings."""
    intents: dict[str, dict[str, Intent]] = {query_id: {} for query_id in qrels["query_id"].unique()}
    rankings: dict[str, list[str]] = {query_id: [] for query_id in intents}
    for row in qrels.itertuples():
        if row.relevance > 0 and (rel is None or row.relevance >= rel):
            unread = Intent({}, row.weight, row.intent_type == "nav")
            intents[row.query_id].setdefault(row.iteration, unread).labels[row.doc_id] = row.relevance
    for row in run.itertuples():
        rankings[row.query_id].append(row.doc_id)
    return [Query(query_id, rankings[query_id], _share(list(of.values()))) for query_id, of in intents.items()]


def _share(intents: list[Intent]) -> list[Intent]:
    total = sum(intent.weight for intent in intents)
    return [intent._replace(weight=intent.weight / total) for intent in intents]


def worth(label: float, gain: str) -> float:
    """Return the gain value of a label."""
    return {"exp": 2**label - 1, "linear": label, "binary": float(label > 0)}[gain]


def probability(label: float, largest: float, gain: str) -> float:
    """Return the probability of relevance of a label."""
    return {"exp": (2**label - 1) / 2**largest, "linear": label / largest, "binary": float(label > 0)}[gain]


def viewing(stop: str, i: int, theta: float = 0.5) -> float:
    """F(i): the probability that a user who stops at ranks that do not depend on relevance looks at rank i."""
    return {"RBP": (1 - theta) ** (i - 1), "DCG": 1 / math.log2(i + 1), "RR": 1 / i}[stop]


def stopping(stop: str, i: int, theta: float = 0.5) -> float:
    """P(i): the probability that such a user stops at rank i."""
    if stop == "RBP":
        return (1 - theta) ** (i - 1) * theta
    return 1 / (i * (i + 1)) if stop == "RR" else 1 / math.log2(i + 1) - 1 / math.log2(i + 2)


def browse(
    labels: list[float],
    *,
    n_relevant: int,
    largest: float,
    model: int,
    stop: str,
    theta: float,
    redundancy: str | None,
    theta_red: float,
    effort: str,
    gain: str,
) -> float:
    """Return what a user with one intent gets of a ranking that has these labels, rank by rank (Carterette, 2011)."""
    value = utility = 0.0
    found, unsatisfied = 0, 1.0
    for i, label in enumerate(labels, start=1):
        relevant = label > 0
        found += relevant
        gained = worth(label, gain) * (viewing(redundancy, found, theta_red) if redundancy and relevant else 1)
        utility += gained
        if stop == "AP":
            p = relevant / n_relevant
        elif stop == "RRR":
            p = 1 / (found * (found + 1)) if relevant else 0.0
        elif stop == "ERR" and gain == "binary":
            p = (1 - theta) ** (found - 1) * theta if relevant else 0.0
        elif stop == "ERR":
            p = probability(label, largest, gain) * unsatisfied
            unsatisfied *= 1 - probability(label, largest, gain)
        else:
            p = stopping(stop, i, theta)
        if model == 1:
            value += gained * p
        elif model == 2:
            value += gained * viewing(stop, i, theta)
        elif model == 3:
            value += p * (i if effort == "rank" else 1 / i)
        else:
            value += p * utility / i
    return value


def user_model(
    query: Query,
    *,
    model: int,
    stop: str,
    theta: float = 0.5,
    norm: bool = False,
    redundancy: str | None = None,
    theta_red: float = 0.5,
    theta_nav: float | None = None,
    effort: str = "reciprocal",
    gain: str = "binary",
    max_rel: float | None = None,
    cutoff: int | None = None,
    rel: float | None = None,  # what the query was read with
) -> float:
    """Return the mean over the intents of what a user gets, if ``norm`` over what a perfect ranking would give."""
    value = 0.0
    for intent in query.intents:

        def given(labels: list[float], intent: Intent = intent) -> float:
            return browse(
                labels[:cutoff],
                n_relevant=len(intent.labels),
                largest=max(intent.labels.values()) if max_rel is None else max_rel,
                model=model,
                stop=stop,
                theta=theta if theta_nav is None or not intent.navigational else theta_nav,
                redundancy=redundancy,
                theta_red=theta_red,
                effort=effort,
                gain=gain,
            )

        perfect = given(sorted(intent.labels.values(), reverse=True)) if norm else 1.0
        value += intent.weight * given([intent.labels.get(doc, 0) for doc in query.ranking]) / perfect
    return value


def novelty(doc: str, above: list[str], query: Query, *, alpha: float, gain: str, max_rel: float | None) -> float:
    """Return sum_t w_t r_it (1 - alpha)^c_it of a document below others."""
    total = 0.0
    for intent in query.intents:
        r = probability(intent.labels.get(doc, 0), max_rel or max(intent.labels.values()), gain)
        total += intent.weight * r * (1 - alpha) ** sum(other in intent.labels for other in above)
    return total


def discounted_novelty(
    query: Query,
    discount: Callable[[int], float],
    *,
    alpha: float = 0.5,
    e: float = 0.0,
    gain: str = "exp",
    max_rel: float | None = None,
    cutoff: int | None = None,
) -> float:
    """Sum the discounted novelty of each rank, less the effort of looking at it."""
    value, ranking = 0.0, query.ranking[:cutoff]
    for i, doc in enumerate(ranking, start=1):
        value += discount(i) * (novelty(doc, ranking[: i - 1], query, alpha=alpha, gain=gain, max_rel=max_rel) - e)
    return value


def greedy_ranking(
    query: Query, *, alpha: float, e: float, gain: str, max_rel: float | None, cutoff: int | None
) -> list[str]:
    """Take the document of most novelty, of those that tie the last by name, until none is worth the effort."""
    left, taken = sorted({doc for intent in query.intents for doc in intent.labels}), []
    while left and (cutoff is None or len(taken) < cutoff):
        gains = {doc: novelty(doc, taken, query, alpha=alpha, gain=gain, max_rel=max_rel) for doc in left}
        best = max(gains.values())
        if best - e <= 1e-12:
            break
        taken.append(max(doc for doc in left if gains[doc] >= best - 1e-12))
        left.remove(taken[-1])
    return taken
