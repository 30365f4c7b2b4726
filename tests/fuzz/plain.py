"""Qrels and runs read row by row, and measures defined in loops: slow, and plain to see that it is right."""

from __future__ import annotations

import math
import numbers
from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import combinations, permutations
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd

import sakai
import sessions
from pyterrier_diversity.measures import DiversityMeasure, registered
from read_aloud import Intent, Query, discounted_novelty, greedy_ranking, probability, user_model, worth

NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
OPTIONAL = ("iteration", "subtopic_id", "weight", "intent_type", "rarity", "gain", "passage", "nugget")
NOWHERE = "\1nowhere "


class RefusedError(Exception):
    """The specification says to refuse this."""


class UnknownError(Exception):
    """There is no plain definition for this."""


class Topic(NamedTuple):
    """A query: rows for each intent, its weight and type; rarity of documents; the ranking; its turns if told."""

    query_id: str
    labels: dict[str, dict[str, float]]
    gains: dict[str, dict[str, float]]
    weights: dict[str, float]
    navigational: set[str]
    rarity: dict[str, float]
    ranking: list[str]
    turns: list[list[str]] | None


Rows = list[dict[str, Any]]


def rows_of(data: Any, required: tuple[str, ...], optional: tuple[str, ...]) -> Rows:
    """Return the rows of a frame, of named tuples or of a dict of dicts, by ir_measures' names."""
    if isinstance(data, Mapping):
        if not all(isinstance(docs, Mapping) for docs in data.values()):
            raise RefusedError("no dict of dicts")
        rows = [(query, doc, value) for query, docs in data.items() for doc, value in docs.items()]
        return [dict(zip(required, row, strict=True)) for row in rows]
    if isinstance(data, (list, np.ndarray, pd.Series)):
        rows = list(data)
        if rows and not hasattr(rows[0], "_fields"):
            raise RefusedError("no named tuples")
        data = pd.DataFrame(rows)
    if not isinstance(data, pd.DataFrame):
        raise RefusedError("no table")
    if data.shape == (0, 0):
        return []
    # Of names of several levels pandas finds a column by the first, if the others are empty.
    columns = [name[0] if isinstance(name, tuple) and not any(name[1:]) else name for name in data.columns]
    names = [NAMES.get(name, name) if NAMES.get(name) not in columns else name for name in columns]
    if len(set(names)) < len(names) or not set(required) <= set(names):
        raise RefusedError("columns")
    cells = [data.iloc[:, i].astype(object).tolist() for i in range(len(names))]
    return [
        {name: cell for name, cell in zip(names, row, strict=True) if name in required + optional}
        for row in zip(*cells, strict=True)
    ] or [dict.fromkeys(names)][:0]


def missing(value: Any) -> bool:
    return not isinstance(value, (list, tuple, dict, set)) and bool(pd.isna(value))


def text(value: Any) -> str:
    if missing(value):
        raise RefusedError("missing")
    return str(value)


def number(value: Any) -> float:
    try:
        real = float(value) if isinstance(value, (numbers.Number, str, bytes)) else math.nan
    except (TypeError, ValueError, OverflowError) as error:
        raise RefusedError("no number") from error
    if not math.isfinite(real):
        raise RefusedError("no finite number")
    return real


def same(known: dict[Any, Any], key: Any, value: Any) -> None:
    if known.setdefault(key, value) != value:
        raise RefusedError(f"two values of {key}")


def read(qrels: Any, run: Any) -> list[Topic]:
    """Return the queries of the qrels; `RefusedError` if the specification does, `UnknownError` for passages."""
    judged = rows_of(qrels, ("query_id", "doc_id", "relevance"), OPTIONAL)
    if any("passage" in row for row in judged):
        raise UnknownError
    rankings = rankings_of(rows_of(run, ("query_id", "doc_id", "score"), ("turn", "doc_len")))
    iterations = {text(row["iteration"]) for row in judged if "iteration" in row}
    label: dict[Any, float] = {}
    gain: dict[Any, float] = {}
    weight: dict[Any, float] = {}
    kind: dict[Any, str] = {}
    rarity: dict[Any, float] = {}
    for row in judged:
        query, doc = text(row["query_id"]), text(row["doc_id"])
        intent = _intent(row, len(iterations))
        if intent is None and (query, "0", doc) in label:
            raise RefusedError("several rows and no intent")
        intent = "0" if intent is None else intent
        same(label, (query, intent, doc), number(row["relevance"]))
        same(gain, (query, intent, doc), _at_least_0(row.get("gain", number(row["relevance"])), "gain" in row))
        same(weight, (query, intent), _at_least_0(row.get("weight", 1.0), True))
        same(kind, (query, intent), text(row.get("intent_type", "inf")))
        same(rarity, (query, doc), number(row.get("rarity", 0.0)))
    if any(value not in ("inf", "nav") for value in kind.values()):
        raise RefusedError("intent type")
    if any(not 0 <= value <= 1 for value in rarity.values()) or any(value > 1e100 for value in weight.values()):
        raise RefusedError("rarity or weight out of range")
    topics = []
    for query in dict.fromkeys(query for query, _, _ in label):
        labels: dict[str, dict[str, float]] = defaultdict(dict)
        gains: dict[str, dict[str, float]] = defaultdict(dict)
        for (of, intent, doc), value in label.items():
            if of == query and weight[query, intent] > 0:
                labels[intent][doc] = value
                gains[intent][doc] = gain[of, intent, doc]
        of_query = {intent: value for (of, intent), value in weight.items() if of == query and value > 0}
        navigational = {intent for (of, intent), value in kind.items() if of == query and value == "nav"}
        rare = {doc: value for (of, doc), value in rarity.items() if of == query}
        turns = rankings.pop(query, [])
        if turns is None:
            raise RefusedError("missing")
        ranking = [doc for docs in turns for doc in docs]
        told = turns if any("turn" in row for row in rows_of(run, ("query_id", "doc_id", "score"), ("turn",))) else None
        topics.append(Topic(query, dict(labels), dict(gains), of_query, navigational, rare, ranking, told))
    if None in rankings.values():
        raise UnknownError
    return topics


def _at_least_0(value: Any, given: bool) -> float:
    real = number(value)
    if given and real < 0:
        raise RefusedError("negative")
    return real


def _intent(row: dict[str, Any], n_iterations: int) -> str | None:
    if "subtopic_id" not in row:
        return text(row["iteration"]) if "iteration" in row else None
    subtopic = text(row["subtopic_id"])
    if n_iterations > 1 and text(row["iteration"]) != subtopic:
        raise RefusedError("iteration contradicts subtopic_id")
    return subtopic


def rankings_of(rows: Rows) -> dict[str, list[list[str]] | None]:
    """Return each query's turns, or its ranking as one turn: each document once, at its best rank.

    None stands for a ranking of which a document is missing, which need not be refused if nobody asks for it.
    """
    listed: dict[str, list[tuple[float, float, Any]]] = defaultdict(list)
    for row in rows:
        turn = number(row.get("turn", 0))
        if turn < 0 or turn != int(turn) or turn >= 10**6:
            raise RefusedError("turn")
        length = row.get("doc_len")
        if "doc_len" in row and not pd.isna(length) and number(length) < 0:
            raise RefusedError("doc_len")
        doc = None if missing(row["doc_id"]) else text(row["doc_id"])
        listed[text(row["query_id"])].append((-turn, number(row["score"]), doc))
    turned = any("turn" in row for row in rows)
    rankings: dict[str, list[list[str]] | None] = {}
    for query, triples in listed.items():
        if any(doc is None for _, _, doc in triples):
            rankings[query] = None
            continue
        ranked = sorted(triples, reverse=True)
        if not turned:
            rankings[query] = [list(dict.fromkeys(doc for _, _, doc in ranked))]
            continue
        seen: set[str] = set()
        turns: list[list[str]] = []
        for turn in range(int(-ranked[-1][0]) + 1):
            docs = [doc for at, _, doc in ranked if -at == turn] or [NOWHERE]
            turns.append([])
            for doc in docs:
                turns[-1].append(f"{NOWHERE}{len(seen)} {turn} {len(turns[-1])}" if doc in seen | {NOWHERE} else doc)
                seen.add(doc)
        rankings[query] = turns
    return rankings


def query_of(topic: Topic, ours: DiversityMeasure, *, ad_hoc: bool = False) -> Query:
    """Return a topic as a measure with these parameters reads it."""
    rel = ours.get("rel")
    labels = {"": _highest(topic)} if ad_hoc else topic.labels
    intents = []
    for name, of_intent in labels.items():
        relevant = {doc: label for doc, label in of_intent.items() if label > 0 and (rel is None or label >= rel)}
        if relevant:
            intents.append(Intent(relevant, 1.0 if ad_hoc else topic.weights[name], name in topic.navigational))
    total = sum(intent.weight for intent in intents)
    judged = {doc for of_intent in topic.labels.values() for doc in of_intent}
    ranking = [doc for doc in topic.ranking if doc in judged] if ours.get("judged_only") else topic.ranking
    return Query(topic.query_id, ranking, [intent._replace(weight=intent.weight / total) for intent in intents])


def _highest(topic: Topic) -> dict[str, float]:
    highest: dict[str, float] = {}
    for of_intent in topic.labels.values():
        for doc, label in of_intent.items():
            highest[doc] = max(label, highest.get(doc, 0.0))
    return highest


def value(ours: DiversityMeasure, topic: Topic) -> float:
    """Return the value of a measure for a topic; `UnknownError` if there is no plain definition."""
    if not topic.ranking:
        return 0.0
    if ours.NAME in ("IA", "Adhoc", "Sharp"):
        return _lifted(ours, topic)
    if ours.NAME not in PLAIN:
        raise UnknownError
    return PLAIN[ours.NAME](ours, topic)


def _ours(measure: ir_measures.Measure) -> DiversityMeasure:
    known = {one.NAME: one for one in registered()}
    if measure.NAME not in known:
        raise UnknownError
    return measure if isinstance(measure, DiversityMeasure) else known[measure.NAME](**measure.params)


def _lifted(ours: Any, topic: Topic) -> float:
    inner: Callable[[Topic], float] = lambda topic: _inner(ours.measure, topic)  # noqa: E731
    if ours.NAME == "Adhoc":
        return inner(_alone(topic, {"": _highest(topic)}))
    if ours.NAME == "Sharp":
        measure = ours.measure
        known = {one.NAME for one in registered()}
        of_inner = inner(topic if measure.NAME in known else _alone(topic, {"": _highest(topic)}))
        at = {name: ours.measure.params[name] for name in ("cutoff", "rel") if name in ours.measure.params}
        return ours["gamma"] * value(_ours(ir_measures.StRecall(**at)), topic) + (1 - ours["gamma"]) * of_inner
    rel = ours.rel
    met = {t: docs for t, docs in topic.labels.items() if any(x > 0 and x >= (rel or 0) for x in docs.values())}
    total = sum(topic.weights[t] for t in met)
    return sum(topic.weights[t] / total * inner(_alone(topic, {t: met[t]})) for t in met)


def _alone(topic: Topic, labels: dict[str, dict[str, float]]) -> Topic:
    gains = topic.gains
    if set(labels) == {""}:
        gains = {"": {doc: max(of.get(doc, 0.0) for of in gains.values()) for doc in labels[""]}}
    navigational = topic.navigational & set(labels)
    return topic._replace(labels=labels, gains=gains, weights=dict.fromkeys(labels, 1.0), navigational=navigational)


def _inner(measure: ir_measures.Measure, topic: Topic) -> float:
    theirs = {"P": _p, "AP": _ap, "RR": _rr, "nDCG": _ndcg}
    if measure.NAME in theirs:
        rel = measure.params.get("rel", 1)
        return theirs[measure.NAME](topic, measure.params.get("cutoff"), rel) if topic.ranking else 0.0
    return value(_ours(measure), topic)


def _one(topic: Topic) -> dict[str, float]:
    (labels,) = topic.labels.values() or [{}]
    return labels


def _p(topic: Topic, cutoff: int | None, rel: float) -> float:
    return sum(_one(topic).get(doc, 0) >= rel for doc in topic.ranking[:cutoff]) / (cutoff or len(topic.ranking))


def _ap(topic: Topic, cutoff: int | None, rel: float) -> float:
    labels, found, total = _one(topic), 0, 0.0
    for i, doc in enumerate(topic.ranking[:cutoff], start=1):
        if labels.get(doc, 0) >= rel:
            found += 1
            total += found / i
    n_relevant = sum(label >= rel for label in labels.values())
    return total / n_relevant if n_relevant else 0.0


def _rr(topic: Topic, cutoff: int | None, rel: float) -> float:
    ranks = [i for i, doc in enumerate(topic.ranking[:cutoff], start=1) if _one(topic).get(doc, 0) >= rel]
    return 1 / ranks[0] if ranks else 0.0


def _ndcg(topic: Topic, cutoff: int | None, rel: float) -> float:
    labels = _one(topic)
    ideal = _dcg(sorted((max(label, 0) for label in labels.values()), reverse=True)[:cutoff])
    return _dcg([max(labels.get(doc, 0), 0) for doc in topic.ranking[:cutoff]]) / ideal if ideal else 0.0


def _dcg(gains: list[float]) -> float:
    return sum(gain / math.log2(i + 1) for i, gain in enumerate(gains, start=1))


def _met(query: Query, doc: str) -> set[int]:
    return {t for t, intent in enumerate(query.intents) if doc in intent.labels}


def _documents(query: Query) -> list[str]:
    return sorted({doc for intent in query.intents for doc in intent.labels}, reverse=True)


def covered(query: Query, docs: list[str]) -> set[int]:
    return set().union(*(_met(query, doc) for doc in docs))


def _rbu(ours: DiversityMeasure, topic: Topic) -> float:
    query, total = query_of(topic, ours), 0.0
    left = [1.0] * len(query.intents)
    for i, doc in enumerate(query.ranking[: ours["cutoff"]], start=1):
        utility = 0.0
        for t, intent in enumerate(query.intents):
            r = probability(intent.labels.get(doc, 0), ours["max_rel"] or max(intent.labels.values()), ours["gain"])
            utility += intent.weight * r * left[t]
            left[t] *= 1 - r
        total += ours["p"] ** i * (utility - ours["e"])
    return total * (1 - ours["p"]) / ours["p"] if ours["norm"] else total


def novelty(query: Query, docs: list[str], alpha: float, discount: Callable[[int], float]) -> float:
    seen: dict[int, int] = defaultdict(int)
    total = 0.0
    for i, doc in enumerate(docs, start=1):
        for t in _met(query, doc):
            total += (1 - alpha) ** seen[t] * discount(i)
            seen[t] += 1
    return total


def _counting(query: Query) -> Query:
    """Return a query whose intents count the same, with labels that do not tell."""
    intents = [Intent(dict.fromkeys(intent.labels, 1.0)) for intent in query.intents]
    return query._replace(intents=intents)


def _discounts(ours: DiversityMeasure) -> Callable[[int], float]:
    if "NRBP" in ours.NAME:
        return lambda i: ours["beta"] ** (i - 1)
    return (lambda i: 1 / i) if "ERR" in ours.NAME else (lambda i: 1 / math.log2(i + 1))


def _over_perfect(ours: DiversityMeasure, topic: Topic) -> float:
    query, alpha, discount = query_of(topic, ours), ours.alpha, _discounts(ours)  # type: ignore[attr-defined]
    cutoff = ours.get("cutoff")
    if ours.NAME == "NRBP":
        perfect = 1 / (1 - (1 - alpha) * ours["beta"])
    elif cutoff is None or cutoff > 10**5:
        raise UnknownError
    else:
        perfect = sum((1 - alpha) ** (i - 1) * discount(i) for i in range(1, cutoff + 1))
    found = novelty(query, query.ranking[:cutoff], alpha, discount)
    return found / (perfect * len(query.intents)) if query.intents else 0.0


def _over_ideal(ours: DiversityMeasure, topic: Topic) -> float:
    query, alpha, cutoff = query_of(topic, ours), ours.alpha, ours.get("cutoff")  # type: ignore[attr-defined]
    ideal = greedy_ranking(_counting(query), alpha=alpha, e=0, gain="binary", max_rel=None, cutoff=cutoff)
    best = novelty(query, ideal, alpha, _discounts(ours))
    return novelty(query, query.ranking[:cutoff], alpha, _discounts(ours)) / best if best else 0.0


def _over_best(ours: DiversityMeasure, topic: Topic) -> float:
    query, alpha, cutoff = query_of(topic, ours), ours["alpha"], ours["cutoff"]
    docs, discount = _documents(query), _discounts(ours)
    depth = min(len(docs), cutoff or len(docs))
    best = max(novelty(query, list(some), alpha, discount) for some in permutations(docs, depth))
    return novelty(query, query.ranking[:cutoff], alpha, discount) / best if best else 0.0


def _graded(ours: DiversityMeasure, topic: Topic) -> float:
    query = query_of(topic, ours)
    given: dict[str, Any] = {name: ours[name] for name in ("alpha", "gain", "max_rel", "cutoff")}
    if ours.NAME == "alpha_DCG_IA":
        return discounted_novelty(query, lambda i: 1 / math.log2(i + 1), **given)
    if ours.NAME == "NRBP_IA":
        return discounted_novelty(query, lambda i: ours["p"] ** (i - 1), **given)
    given["e"] = ours["e"]
    utility = lambda query: discounted_novelty(query, lambda i: 1 / (1 + math.log(i, ours["base"])), **given)  # noqa: E731
    if ours.NAME == "EU":
        return utility(query)
    best = utility(query._replace(ranking=greedy_ranking(query, **given)))
    return utility(query) / best if best else 0.0


def _recall(ours: DiversityMeasure, topic: Topic) -> float:
    query = query_of(topic, ours)
    met = covered(query, query.ranking[: ours.get("cutoff")])
    return len(met) / len(query.intents) if query.intents else 0.0


def _coverage(ours: DiversityMeasure, topic: Topic) -> float:
    rel, top = ours["rel"] or 0, topic.ranking[: ours["cutoff"]]
    met = {t for t, docs in topic.labels.items() if any(docs.get(doc, 0) > 0 and docs[doc] >= rel for doc in top)}
    total = sum(topic.weights.values())
    return sum(topic.weights[t] for t in met) / total if total else 0.0


def _srr(ours: DiversityMeasure, topic: Topic) -> float:
    query = query_of(topic, ours)
    for i in range(1, len(query.ranking[: ours["cutoff"]]) + 1):
        n_met = len(covered(query, query.ranking[:i]))
        if n_met and n_met >= ours["recall"] * len(query.intents) - 1e-9:
            return 1 / i
    return 0.0


def least(query: Query, m: int, ideal: str) -> int:
    """Return how many documents it takes to cover ``m`` intents: of all choices, or greedily."""
    docs = _documents(query)
    if ideal == "exact":
        sizes = range(len(docs) + 1)
        return next(n for n in sizes for some in combinations(docs, n) if len(covered(query, list(some))) >= m)
    taken: list[str] = []
    while len(covered(query, taken)) < m:
        taken.append(max(docs, key=lambda doc: (len(_met(query, doc) - covered(query, taken)), doc)))
    return len(taken)


def _precision_at_cover(ours: DiversityMeasure, topic: Topic) -> float:
    query = query_of(topic, ours)
    m = len(covered(query, query.ranking[: ours["cutoff"]]))
    first = next(i for i in range(len(query.ranking) + 1) if len(covered(query, query.ranking[:i])) >= m)
    return least(query, m, ours["ideal"]) / first if m else 0.0


def _recall_at_min_rank(ours: DiversityMeasure, topic: Topic) -> float:
    query = query_of(topic, ours)
    if not query.intents:
        return 0.0
    depth = least(query, len(query.intents), ours["ideal"])
    return len(covered(query, query.ranking[:depth])) / len(query.intents)


def _np_ia(ours: DiversityMeasure, topic: Topic) -> float:
    query, cutoff = query_of(topic, ours), ours["cutoff"]
    worth_of = {doc: sum(query.intents[t].weight for t in _met(query, doc)) for doc in _documents(query)}
    best = sum(sorted(worth_of.values(), reverse=True)[:cutoff])
    return sum(worth_of.get(doc, 0.0) for doc in query.ranking[:cutoff]) / best if best else 0.0


def _ap_ia(ours: DiversityMeasure, topic: Topic) -> float:
    query, total = query_of(topic, ours), 0.0
    for intent in query.intents:
        found = 0
        for i, doc in enumerate(query.ranking, start=1):
            if doc in intent.labels:
                found += 1
                total += found / i / len(intent.labels)
    return total / len(query.intents) if query.intents else 0.0


def _p_ia(ours: DiversityMeasure, topic: Topic) -> float:
    query, cutoff = query_of(topic, ours), ours["cutoff"]
    found = sum(len(_met(query, doc)) for doc in query.ranking[:cutoff])
    depth = cutoff or len(query.ranking)
    return found / depth / len(query.intents) if query.intents and depth else 0.0


def _err(ours: DiversityMeasure, topic: Topic) -> float:
    labels, total, left = _highest(topic), 0.0, 1.0
    for i, doc in enumerate(topic.ranking[: ours["cutoff"]], start=1):
        r = (2 ** max(labels.get(doc, 0.0), 0.0) - 1) / 16
        total += left * r / i
        left *= 1 - r
    return total


def _rareness(ours: DiversityMeasure, topic: Topic) -> float:
    relevant = {doc: x for doc, x in _highest(topic).items() if x > 0 and x >= (ours["rel"] or 0)}
    if not relevant:
        return 0.0
    alpha = 1 / len(relevant) if ours["alpha"] == "adaptive" else ours["alpha"]
    least = 1 - alpha if ours.get("mixture") else 1.0
    reward = {doc: least + alpha * topic.rarity[doc] for doc in relevant}
    top = topic.ranking[: ours["cutoff"]]
    if ours.NAME == "P_Rareness":
        return sum(reward.get(doc, 0.0) for doc in top) / (ours["cutoff"] or len(topic.ranking))
    if ours.NAME == "AP_Rareness":
        sums = [sum(reward.get(doc, 0.0) for doc in top[:i]) / i for i in range(1, len(top) + 1)]
        return sum(x for x, doc in zip(sums, top, strict=True) if doc in relevant) / len(relevant)
    if ours.NAME == "RBP_Rareness":
        return (1 - ours["p"]) * sum(ours["p"] ** i * reward.get(doc, 0.0) for i, doc in enumerate(top))
    gains = {doc: worth(relevant[doc], ours["gain"]) * reward[doc] for doc in relevant}
    ideal = _dcg(sorted(gains.values(), reverse=True)[: ours["cutoff"]])
    return _dcg([gains.get(doc, 0.0) for doc in top]) / ideal if ideal else 0.0


def _ntcir(ours: DiversityMeasure, topic: Topic) -> float:
    query = query_of(topic, ours)
    aloud: dict[str, Callable[..., float]] = {
        **{"D_nDCG": sakai.d_ndcg, "D_Q": sakai.d_q, "DIN_nDCG": sakai.din_ndcg, "DIN_Q": sakai.din_q},
        **{"EfP": sakai.ef_p, "Q": sakai.q, "Pplus": sakai.p_plus, "PplusQ": sakai.p_plus_q},
    }
    given = {name: ours[name] for name in ("beta", "gain", "cutoff") if name in ours.SUPPORTED_PARAMS}
    value = aloud[ours.NAME.replace("sharp", "")](query, **given)
    if "sharp" not in ours.NAME:
        return value
    return ours["gamma"] * _recall(ours, topic) + (1 - ours["gamma"]) * value


def _user_model(ours: DiversityMeasure, topic: Topic) -> float:
    names = ("theta", "norm", "redundancy", "theta_red", "theta_nav", "effort", "gain", "max_rel", "cutoff", "rel")
    given = {name: ours[name] for name in names if name in ours.SUPPORTED_PARAMS and ours[name] is not None}
    return user_model(query_of(topic, ours), model=ours.model, stop=ours.stop, **given)  # type: ignore[attr-defined]


def _session(ours: DiversityMeasure, topic: Topic) -> float:
    """The measures of sessions, of which `sessions` has the definitions."""
    aloud: dict[str, Callable[..., float]] = {
        **{"CT": sessions.ct, "ACT": sessions.act, "nCT": sessions.nct, "SessionDCG": sessions.session_dcg},
        **{"nSessionDCG": sessions.n_session_dcg, "ERR_arith": sessions.err_arith, "ERR_harm": sessions.err_harm},
        **{"P_at_Recall": sessions.p_at_recall, "P_at_Recall_mod": sessions.p_at_recall_mod},
        **{"RR_at_Recall": sessions.rr_at_recall, "CT_rank": sessions.ct_rank},
    }
    query = query_of(topic, ours)
    if not query.intents:
        return 0.0
    rel = ours.get("rel") or 0
    positive = {t: {d: x for d, x in docs.items() if x > 0 and x >= rel} for t, docs in topic.labels.items()}
    positive = {t: docs for t, docs in positive.items() if docs}
    passages = [
        sessions.Passage(doc, t, label, topic.gains[t][doc], doc)
        for t, docs in positive.items()
        for doc, label in docs.items()
    ]
    total = sum(topic.weights[t] for t in positive)
    weights = {t: topic.weights[t] / total for t in positive}
    turns = topic.turns or sessions.in_batches(topic.ranking, ours.get("batch") or 5)
    of = sessions.Session(topic.query_id, turns, passages, weights, {})
    given = {name: ours[name] for name in ours.SUPPORTED_PARAMS if name not in ("rel", "gain", "max_rel")}
    if ours.NAME == "CT_rank":
        given["probability"] = {
            t: {d: probability(x, ours["max_rel"] or max(docs.values()), ours["gain"]) for d, x in docs.items()}
            for t, docs in positive.items()
        }
    return aloud[ours.NAME](of, **given)


PLAIN: dict[str, Callable[[DiversityMeasure, Topic], float]] = {
    "RBU": _rbu,
    **dict.fromkeys(("alpha_DCG", "ERR_IA", "NRBP"), _over_perfect),
    **dict.fromkeys(("alpha_nDCG", "nERR_IA", "nNRBP"), _over_ideal),
    "alpha_nDCG_exact": _over_best,
    **dict.fromkeys(("alpha_DCG_IA", "NRBP_IA", "EU", "nEU"), _graded),
    "StRecall": _recall,
    "Coverage": _coverage,
    "SRR": _srr,
    "SPrecision": _precision_at_cover,
    "StRecallMinRank": _recall_at_min_rank,
    "nP_IA": _np_ia,
    "AP_IA": _ap_ia,
    "P_IA": _p_ia,
    "ERR": _err,
    **dict.fromkeys(("P_Rareness", "AP_Rareness", "RBP_Rareness", "nDCG_Rareness"), _rareness),
    **dict.fromkeys(("D_nDCG", "D_Q", "DIN_nDCG", "DIN_Q", "EfP", "Q", "Pplus", "PplusQ"), _ntcir),
    **dict.fromkeys(("Dsharp_nDCG", "Dsharp_Q", "DINsharp_nDCG", "DINsharp_Q", "PplusQsharp"), _ntcir),
    **dict.fromkeys(
        ["UserModel", "RBTR", "RBAP", "CDG", "DCG", "DAG", "RRG", "RRTR", "RAP", "EPR", "ARR", "RRR", "RRAP"],
        _user_model,
    ),
    **dict.fromkeys(["CT", "ACT", "nCT", "SessionDCG", "nSessionDCG", "CT_rank"], _session),
    **dict.fromkeys(["ERR_arith", "ERR_harm", "P_at_Recall", "P_at_Recall_mod", "RR_at_Recall"], _session),
}
