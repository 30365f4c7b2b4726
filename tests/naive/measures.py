"""The measures of a ranking, formula by formula (specification, sections 2.1 to 2.6, 2.8 and 2.9)."""

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations, permutations
from typing import Any, NamedTuple

from naive.reading import RefusedError, Topic, UnknownError

# Gains that differ by less are equal.
TIE = 1e-12
# Optima are found by trying all rankings of so many documents, and all sets of so many.
MOST_RANKED, MOST_CHOSEN = 8, 16

Doc = str | None
Settings = dict[str, Any]


class Intent(NamedTuple):
    """The relevant documents of an intent with their labels and gains."""

    labels: dict[Doc, float]
    weight: float = 1.0
    navigational: bool = False
    gains: dict[Doc, float] = {}


class Query(NamedTuple):
    """A ranking down to the cutoff, and the intents with a relevant document; their weights sum to 1."""

    ranking: list[Doc]
    intents: list[Intent]
    topic: Topic | None = None


def query_of(topic: Topic, m: Settings) -> Query:
    """Return a topic as a measure with the parameters ``m`` reads it."""
    intents = []
    for name, labels in topic.labels.items():
        relevant = {doc: label for doc, label in labels.items() if is_relevant(label, m.get("rel"))}
        if relevant:
            gains = {doc: topic.gains[name][doc] for doc in relevant}
            intents.append(Intent(relevant, topic.weights[name], name in topic.navigational, gains))
    total = sum(intent.weight for intent in intents)
    intents = [intent._replace(weight=intent.weight / total) for intent in intents]
    ranking = topic.ranking
    if m.get("judged_only"):
        judged = {doc for labels in topic.labels.values() for doc in labels}
        ranking = [doc for doc in ranking if doc in judged]
    return Query(ranking[: m.get("cutoff")], intents, topic)


def is_relevant(label: float, rel: float | None) -> bool:
    return label > 0 and (rel is None or label >= rel)


def divide(a: float, b: float) -> float:
    """Return a / b; 0 where there is nothing to divide by."""
    return a / b if b else 0.0


def gain_value(label: float, gain: str | Mapping[float, float]) -> float:
    if not isinstance(gain, str):
        return gain[label] if label > 0 else 0.0
    return {"exp": 2**label - 1, "linear": label, "binary": float(label > 0)}[gain]


def probability_of(label: float, largest: float, gain: str | Mapping[float, float]) -> float:
    if not isinstance(gain, str):
        return gain_value(label, gain)
    return {"exp": (2**label - 1) / 2**largest, "linear": label / largest, "binary": float(label > 0)}[gain]


def probability(doc: Doc, intent: Intent, m: Settings) -> float:
    """Return r_it."""
    largest = m["max_rel"] or max(intent.labels.values())
    return probability_of(intent.labels.get(doc, 0), largest, m["gain"])


def documents(query: Query) -> list[str]:
    """Return the relevant documents."""
    return sorted({doc for intent in query.intents for doc in intent.labels})


def highest_labels(query: Query) -> dict[Doc, float]:
    """Return max_t g(d, t) of each relevant document."""
    return {doc: max(intent.labels.get(doc, 0) for intent in query.intents) for doc in documents(query)}


def log_discount(i: int) -> float:
    return 1 / math.log2(i + 1)


def dcg(gains: Iterable[float]) -> float:
    return sum(gain * log_discount(i) for i, gain in enumerate(gains, start=1))


def err(probabilities: Iterable[float]) -> float:
    total, unsatisfied = 0.0, 1.0
    for i, r in enumerate(probabilities, start=1):
        total += unsatisfied * r / i
        unsatisfied *= 1 - r
    return total


# 2.1 Rank-Biased Utility


def rbu(query: Query, m: Settings) -> float:
    value, unsatisfied = 0.0, [1.0 for _ in query.intents]
    for i, doc in enumerate(query.ranking, start=1):
        utility = 0.0
        for t, intent in enumerate(query.intents):
            r = probability(doc, intent, m)
            utility += intent.weight * r * unsatisfied[t]
            unsatisfied[t] *= 1 - r
        value += m["p"] ** i * (utility - m["e"])
    return value * (1 - m["p"]) / m["p"] if m["norm"] else value


# 2.3 and 2.6: alpha-DCG, ERR-IA, NRBP and expected utility


Worth = Callable[[Doc, Intent], float]
Discount = Callable[[int], float]


def one(doc: Doc, intent: Intent) -> float:
    """Return J_it."""
    return float(doc in intent.labels)


def graded(m: Settings) -> Worth:
    """Return the function w_t r_it."""
    return lambda doc, intent: intent.weight * probability(doc, intent, m)


def novelty(doc: Doc, above: list[Doc], query: Query, alpha: float, worth: Worth = one) -> float:
    """Return sum_t worth_it (1 - alpha)^c_it."""
    value = 0.0
    for intent in query.intents:
        c = sum(other in intent.labels for other in above)
        value += worth(doc, intent) * (1 - alpha) ** c
    return value


def discounted_novelty(
    query: Query, discount: Discount, alpha: float, worth: Worth = one, *, e: float = 0.0, docs: list[Doc] | None = None
) -> float:
    """Sum the discounted novelty of each rank less the effort ``e``; ``docs`` replaces the ranking."""
    docs = query.ranking if docs is None else docs
    return sum(
        discount(i) * (novelty(doc, docs[: i - 1], query, alpha, worth) - e) for i, doc in enumerate(docs, start=1)
    )


def greedy_ranking(
    query: Query, alpha: float, worth: Worth = one, *, e: float = 0.0, cutoff: int | None = None
) -> list[Doc]:
    """Take the document of most novelty, the highest docno of ties, until none is worth the effort ``e``."""
    left, taken = documents(query), []
    while left and (cutoff is None or len(taken) < cutoff):
        gains = {doc: novelty(doc, taken, query, alpha, worth) for doc in left}
        best = max(gains.values())
        if best - e <= TIE * best:
            break
        taken.append(max(doc for doc in left if gains[doc] >= best - TIE))
        left.remove(taken[-1])
    return taken


def over_perfect(query: Query, alpha: float, discount: Discount, cutoff: int) -> float:
    """Divide by a list of ``cutoff`` documents that are relevant to all intents."""
    if cutoff > 10**5:
        raise UnknownError("a long sum")
    perfect = sum((1 - alpha) ** (i - 1) * discount(i) for i in range(1, cutoff + 1))
    return divide(discounted_novelty(query, discount, alpha), perfect * len(query.intents))


def over_greedy(query: Query, alpha: float, discount: Discount, cutoff: int | None) -> float:
    ideal = greedy_ranking(query, alpha, cutoff=cutoff)
    return divide(discounted_novelty(query, discount, alpha), discounted_novelty(query, discount, alpha, docs=ideal))


def alpha_dcg(query: Query, m: Settings) -> float:
    return over_perfect(query, m["alpha"], log_discount, m["cutoff"])


def alpha_ndcg(query: Query, m: Settings) -> float:
    return over_greedy(query, m["alpha"], log_discount, m["cutoff"])


def err_ia(query: Query, m: Settings) -> float:
    return over_perfect(query, 0.5, lambda i: 1 / i, m["cutoff"])


def n_err_ia(query: Query, m: Settings) -> float:
    return over_greedy(query, 0.5, lambda i: 1 / i, m["cutoff"])


def nrbp(query: Query, m: Settings) -> float:
    value = discounted_novelty(query, lambda i: m["beta"] ** (i - 1), m["alpha"])
    return value * (1 - (1 - m["alpha"]) * m["beta"]) / len(query.intents)


def n_nrbp(query: Query, m: Settings) -> float:
    return over_greedy(query, m["alpha"], lambda i: m["beta"] ** (i - 1), None)


def alpha_ndcg_exact(query: Query, m: Settings) -> float:
    docs = documents(query)
    if len(docs) > MOST_RANKED:
        raise UnknownError("many rankings")
    depth = min(len(docs), m["cutoff"] or len(docs))
    value = lambda docs: discounted_novelty(query, log_discount, m["alpha"], docs=list(docs))  # noqa: E731
    return divide(value(query.ranking), max(value(docs) for docs in permutations(docs, depth)))


def alpha_dcg_ia(query: Query, m: Settings) -> float:
    return discounted_novelty(query, log_discount, m["alpha"], graded(m))


def alpha_ndcg_ia(query: Query, m: Settings) -> float:
    ideal = greedy_ranking(query, m["alpha"], graded(m), cutoff=m["cutoff"])
    best = discounted_novelty(query, log_discount, m["alpha"], graded(m), docs=ideal)
    return divide(alpha_dcg_ia(query, m), best)


def nrbp_ia(query: Query, m: Settings) -> float:
    return discounted_novelty(query, lambda i: m["p"] ** (i - 1), m["alpha"], graded(m))


def eu(query: Query, m: Settings, docs: list[Doc] | None = None) -> float:
    discount = lambda i: 1 / (1 + math.log(i, m["base"]))  # noqa: E731
    return discounted_novelty(query, discount, m["alpha"], graded(m), e=m["e"], docs=docs)


def n_eu(query: Query, m: Settings) -> float:
    ideal = greedy_ranking(query, m["alpha"], graded(m), e=m["e"], cutoff=m["cutoff"])
    return divide(eu(query, m), eu(query, m, ideal))


def err_of_gdeval(query: Query, m: Settings) -> float:
    labels = highest_labels(query)
    if max(labels.values()) > 4:
        raise RefusedError("a label above 4")
    return err((2 ** labels.get(doc, 0) - 1) / 16 for doc in query.ranking)


def p_ia(query: Query, m: Settings) -> float:
    found = sum(one(doc, intent) for doc in query.ranking for intent in query.intents)
    return divide(found, (m["cutoff"] or len(query.ranking)) * len(query.intents))


def average_precision(ranking: list[Doc], relevant: Iterable[Doc]) -> float:
    found, value, relevant = 0, 0.0, set(relevant)
    for i, doc in enumerate(ranking, start=1):
        if doc in relevant:
            found += 1
            value += found / i
    return divide(value, len(relevant))


def ap_ia(query: Query, m: Settings) -> float:
    return sum(average_precision(query.ranking, intent.labels) for intent in query.intents) / len(query.intents)


# 2.4 Subtopic retrieval and exact optima


def covered(query: Query, docs: Iterable[Doc]) -> set[int]:
    """Return the intents that the documents cover."""
    return {t for t, intent in enumerate(query.intents) if any(doc in intent.labels for doc in docs)}


def st_recall(query: Query, m: Settings) -> float:
    return len(covered(query, query.ranking)) / len(query.intents)


def coverage(query: Query, m: Settings) -> float:
    weights, labels = query.topic.weights, query.topic.labels
    met = {t for t in labels for doc in query.ranking if is_relevant(labels[t].get(doc, 0), m["rel"])}
    return sum(weights[t] for t in met) / sum(weights.values())


def nugget_score(query: Query, m: Settings) -> float:
    labels = query.topic.labels
    if m["importance"] != "all" and "importance" not in query.topic.columns:
        raise RefusedError("no column importance")
    total = gained = 0.0
    for t in labels:
        importance = query.topic.importance.get(t, 0.0)
        count = {"all": 1.0, "vital": float(importance == 1), "weighted": importance}[m["importance"]]
        label = max((labels[t].get(doc, 0.0) for doc in query.ranking), default=0.0)
        total += count
        gained += count * (1.0 if label >= m["full"] else m["partial"] if label > 0 else 0.0)
    return divide(gained, total)


def m_recall(query: Query, m: Settings) -> float:
    wanted = min(m["cutoff"] or len(query.intents), len(query.intents))
    return float(len(covered(query, query.ranking)) >= wanted)


def srr(query: Query, m: Settings) -> float:
    for i in range(1, len(query.ranking) + 1):
        n_covered = len(covered(query, query.ranking[:i]))
        if n_covered and n_covered >= m["recall"] * len(query.intents) - 1e-9:
            return 1 / i
    return 0.0


def min_rank(query: Query, n_intents: int, ideal: str = "exact") -> int:
    """Return the least number of documents that cover ``n_intents`` intents, or what the greedy choice takes."""
    docs = documents(query)
    if ideal == "exact":
        if len(docs) > MOST_CHOSEN:
            raise UnknownError("many sets of documents")
        sizes = range(len(docs) + 1)
        return next(n for n in sizes for some in combinations(docs, n) if len(covered(query, some)) >= n_intents)
    taken: list[str] = []
    while len(covered(query, taken)) < n_intents:
        taken.append(max(docs, key=lambda doc: (len(covered(query, [*taken, doc])), doc)))
    return len(taken)


def st_recall_min_rank(query: Query, m: Settings) -> float:
    depth = min_rank(query, len(query.intents), m["ideal"])
    return len(covered(query, query.ranking[:depth])) / len(query.intents)


def s_precision(query: Query, m: Settings) -> float:
    n_intents = len(covered(query, query.ranking))
    first = next(i for i in range(len(query.ranking) + 1) if len(covered(query, query.ranking[:i])) >= n_intents)
    return divide(min_rank(query, n_intents, m["ideal"]), first)


def np_ia(query: Query, m: Settings) -> float:
    value = {doc: sum(intent.weight * one(doc, intent) for intent in query.intents) for doc in documents(query)}
    best = sorted(value.values(), reverse=True)[: m["cutoff"]]
    return sum(value.get(doc, 0.0) for doc in query.ranking) / sum(best)


# 2.5 The D, DIN and P+Q families


def global_gains(query: Query, m: Settings, *, din: bool) -> list[float]:
    """Return GG_i, or GG_i^DIN, of each rank."""
    gains, satisfied = [], set()
    for doc in query.ranking:
        gains.append(0.0)
        for t, intent in enumerate(query.intents):
            if doc in intent.labels:
                if not (din and intent.navigational and t in satisfied):
                    gains[-1] += intent.weight * gain_value(intent.labels[doc], m["gain"])
                satisfied.add(t)
    return gains


def ideal_gains(query: Query, m: Settings) -> list[float]:
    """Return GG* of each rank."""
    every = query._replace(ranking=documents(query))
    return sorted(global_gains(every, m, din=False), reverse=True)


def d_ndcg(query: Query, m: Settings, *, din: bool = False) -> float:
    return divide(dcg(global_gains(query, m, din=din)), dcg(ideal_gains(query, m)[: m["cutoff"]]))


def blended_ratios(gains: list[float], ideal: list[float], beta: float) -> list[float]:
    """Return J_i BR_i of each rank."""
    ratios = []
    for i, gain in enumerate(gains, start=1):
        count = sum(other > 0 for other in gains[:i])
        ratio = (count + beta * sum(gains[:i])) / (i + beta * sum(ideal[:i]))
        ratios.append(ratio if gain > 0 else 0.0)
    return ratios


def d_q(query: Query, m: Settings, *, din: bool = False) -> float:
    ideal = ideal_gains(query, m)
    ratios = blended_ratios(global_gains(query, m, din=din), ideal, m["beta"])
    return sum(ratios) / min(len(ideal), m["cutoff"] or len(ideal))


def din_ndcg(query: Query, m: Settings) -> float:
    return d_ndcg(query, m, din=True)


def din_q(query: Query, m: Settings) -> float:
    return d_q(query, m, din=True)


def with_one_intent(query: Query, labels: dict[Doc, float]) -> Query:
    return query._replace(intents=[Intent(labels)])


def q(query: Query, m: Settings) -> float:
    return d_q(with_one_intent(query, highest_labels(query)), m)


def p_plus(query: Query, m: Settings) -> float:
    labels = highest_labels(query)
    grades = [labels.get(doc, 0) for doc in query.ranking]
    if not any(grades):
        return 0.0
    alone = with_one_intent(query, labels)
    preferred = grades.index(max(grades)) + 1
    ratios = blended_ratios(global_gains(alone, m, din=False), ideal_gains(alone, m), m["beta"])
    return sum(ratios[:preferred]) / sum(grade > 0 for grade in grades[:preferred])


def p_plus_q(query: Query, m: Settings) -> float:
    value = 0.0
    for intent in query.intents:
        alone = with_one_intent(query, intent.labels)
        value += intent.weight * (p_plus(alone, m) if intent.navigational else q(alone, m))
    return value


def sharp(query: Query, m: Settings, measure: Callable[[Query, Settings], float]) -> float:
    return m["gamma"] * st_recall(query, m) + (1 - m["gamma"]) * measure(query, m)


def ef_p(query: Query, m: Settings) -> float:
    effective, satisfied = 0, set()
    for doc in query.ranking:
        relevant = {t for t, intent in enumerate(query.intents) if doc in intent.labels}
        effective += any(not query.intents[t].navigational or t not in satisfied for t in relevant)
        satisfied |= relevant
    return effective / (m["cutoff"] or len(query.ranking))


# 2.8 Rareness


def rewards(query: Query, m: Settings) -> dict[Doc, float]:
    """Return what each relevant document counts."""
    if "rarity" not in query.topic.columns:
        raise RefusedError("no column rarity")
    relevant = documents(query)
    alpha = 1 / len(relevant) if m["alpha"] == "adaptive" else m["alpha"]
    return {doc: (1 - alpha if m.get("mixture") else 1) + alpha * query.topic.rarity[doc] for doc in relevant}


def p_rareness(query: Query, m: Settings) -> float:
    reward = rewards(query, m)
    return sum(reward.get(doc, 0.0) for doc in query.ranking) / (m["cutoff"] or len(query.ranking))


def ap_rareness(query: Query, m: Settings) -> float:
    reward, value = rewards(query, m), 0.0
    for i, doc in enumerate(query.ranking, start=1):
        if doc in reward:
            value += sum(reward.get(other, 0.0) for other in query.ranking[:i]) / i
    return value / len(reward)


def ndcg_rareness(query: Query, m: Settings) -> float:
    gains = {doc: gain_value(highest_labels(query)[doc], m["gain"]) * x for doc, x in rewards(query, m).items()}
    ideal = sorted(gains.values(), reverse=True)[: m["cutoff"]]
    return divide(dcg(gains.get(doc, 0.0) for doc in query.ranking), dcg(ideal))


def rbp_rareness(query: Query, m: Settings) -> float:
    reward = rewards(query, m)
    return (1 - m["p"]) * sum(m["p"] ** i * reward.get(doc, 0.0) for i, doc in enumerate(query.ranking))


# 2.9 User models

CELLS = {
    **{"RBTR": (2, "RBP"), "RBAP": (4, "RBP"), "CDG": (1, "DCG"), "DCG": (2, "DCG"), "DAG": (4, "DCG")},
    **{"RRG": (1, "RR"), "RRTR": (2, "RR"), "RAP": (4, "RR"), "EPR": (4, "ERR"), "ARR": (3, "AP")},
    **{"RRR": (3, "RRR"), "RRAP": (4, "RRR")},
}
STATIC = ("RBP", "DCG", "RR")


def viewing(stop: str, i: int, theta: float = 0.5, base: float = 2) -> float:
    """Return F(i)."""
    return {"RBP": (1 - theta) ** (i - 1), "DCG": math.log(base) / math.log(i + base - 1), "RR": 1 / i}[stop]


def stopping(stop: str, i: int, theta: float = 0.5, base: float = 2) -> float:
    """Return P(i) of a distribution that does not depend on relevance."""
    if stop == "RBP":
        return (1 - theta) ** (i - 1) * theta
    return 1 / (i * (i + 1)) if stop == "RR" else viewing(stop, i, base=base) - viewing(stop, i + 1, base=base)


def reading_on(stop: str, labels: list[float], intent: Intent, theta: float, m: Settings) -> float:
    """Return the share of users who read on after these labels, of a distribution that depends on relevance."""
    redundancy = m.get("redundancy") if m["model"] == 3 else None
    relevant = [label for label in labels if label > 0]
    worth = [viewing(redundancy, c, m["theta_red"]) if redundancy else 1 for c in range(1, len(intent.labels) + 1)]
    utility = sum(worth[: len(relevant)])
    if stop == "AP":
        return 1 - utility / sum(worth)
    if stop == "RRR":
        return 1 / (utility + 1)
    if m["gain"] == "binary":
        return (1 - theta) ** utility
    largest = m["max_rel"] or max(intent.labels.values())
    r = [probability_of(label, largest, m["gain"]) for label in relevant]
    return math.prod((1 - of_label) ** of_place for of_label, of_place in zip(r, worth, strict=False))


def stopping_at_relevant(stop: str, labels: list[float], intent: Intent, theta: float, m: Settings) -> float:
    """Return P(i) at the last of these labels, of a distribution that depends on relevance."""
    return reading_on(stop, labels[:-1], intent, theta, m) - reading_on(stop, labels, intent, theta, m)


def user_model(query: Query, m: Settings) -> float:
    if m["model"] is None or m["stop"] is None:
        raise RefusedError("a model and a distribution are needed")
    return sum(intent.weight * user_model_of_intent(query, intent, m) for intent in query.intents)


def user_model_of_intent(query: Query, intent: Intent, m: Settings) -> float:
    value = browse([intent.labels.get(doc, 0) for doc in query.ranking], intent, m)
    if not m["norm"]:
        return value
    # The perfect ranking: the relevant documents by label, then others down to the last rank.
    depth = m["cutoff"] or max(len(query.ranking), len(intent.labels))
    if depth > 10**4:
        raise UnknownError("a long ranking")
    perfect = [*sorted(intent.labels.values(), reverse=True), *[0.0] * depth][:depth]
    return divide(value, browse(perfect, intent, m))


def browse(labels: list[float], intent: Intent, m: Settings) -> float:
    """Return M1, M2, M3 or M4 of a ranking with these labels."""
    theta = (m.get("theta_nav") if intent.navigational else None) or m.get("theta") or 0.5
    gain, redundancy = m.get("gain") or "binary", m.get("redundancy")
    value = utility = 0.0
    for i, label in enumerate(labels, start=1):
        gained = gain_value(label, gain)
        if redundancy and label > 0:
            gained *= viewing(redundancy, sum(x > 0 for x in labels[:i]), m["theta_red"])
        utility += gained
        if m["stop"] in STATIC:
            p = stopping(m["stop"], i, theta, m.get("base") or 2)
        else:
            p = stopping_at_relevant(m["stop"], labels[:i], intent, theta, {"gain": gain, **m})
        if m["model"] == 1:
            value += gained * p
        elif m["model"] == 2:
            value += gained * viewing(m["stop"], i, theta, m.get("base") or 2)
        elif m["model"] == 3:
            value += p * (i if m["effort"] == "rank" else 1 / i)
        else:
            value += p * utility / i
    return value


def cell(model: int, stop: str) -> Callable[[Query, Settings], float]:
    """Return a named cell of the table of models and distributions."""
    return lambda query, m: user_model(query, {**m, "model": model, "stop": stop})


def concordant_pairs(query: Query, m: Settings) -> float:
    return sum(intent.weight * concordant_pairs_of_intent(query, intent, m) for intent in query.intents)


def concordant_pairs_of_intent(query: Query, intent: Intent, m: Settings) -> float:
    labels = [intent.labels.get(doc, 0) for doc in query.ranking]
    depth, value = m["cutoff"] or len(labels), 0.0
    for i, label in enumerate(labels, start=1):
        p = 1 / depth if m["stop"] == "uniform" else stopping(m["stop"], i, m["theta"])
        preferred = sum(other > label or (m["ties"] and other == label > 0) for other in labels[:i])
        value += p * preferred / (i if m["above"] == "one" else 1)
    if m["above"] == "all" and labels:
        # The users who stop below the last rank find nothing relevant there.
        n = len(labels)
        rest = (depth - n) / depth if m["stop"] == "uniform" else viewing(m["stop"], n + 1, m["theta"])
        value += rest * sum(label > 0 for label in labels)
    return value


def sharp_form(measure: Callable[[Query, Settings], float]) -> Callable[[Query, Settings], float]:
    return lambda query, m: sharp(query, m, measure)


DEFINITIONS: dict[str, Callable[[Query, Settings], float]] = {
    "RBU": rbu,
    "alpha_DCG": alpha_dcg,
    "alpha_nDCG": alpha_ndcg,
    "alpha_nDCG_exact": alpha_ndcg_exact,
    "alpha_DCG_IA": alpha_dcg_ia,
    "alpha_nDCG_IA": alpha_ndcg_ia,
    "ERR_IA": err_ia,
    "nERR_IA": n_err_ia,
    "NRBP": nrbp,
    "nNRBP": n_nrbp,
    "NRBP_IA": nrbp_ia,
    "EU": eu,
    "nEU": n_eu,
    "ERR": err_of_gdeval,
    "P_IA": p_ia,
    "nP_IA": np_ia,
    "AP_IA": ap_ia,
    "StRecall": st_recall,
    "StRecallMinRank": st_recall_min_rank,
    "Coverage": coverage,
    "NuggetScore": nugget_score,
    "MRecall": m_recall,
    "SRR": srr,
    "SPrecision": s_precision,
    "D_nDCG": d_ndcg,
    "D_Q": d_q,
    "DIN_nDCG": din_ndcg,
    "DIN_Q": din_q,
    "Q": q,
    "Pplus": p_plus,
    "PplusQ": p_plus_q,
    "Dsharp_nDCG": sharp_form(d_ndcg),
    "Dsharp_Q": sharp_form(d_q),
    "DINsharp_nDCG": sharp_form(din_ndcg),
    "DINsharp_Q": sharp_form(din_q),
    "PplusQsharp": sharp_form(p_plus_q),
    "EfP": ef_p,
    "P_Rareness": p_rareness,
    "AP_Rareness": ap_rareness,
    "nDCG_Rareness": ndcg_rareness,
    "RBP_Rareness": rbp_rareness,
    "UserModel": user_model,
    "ConcordantPairs": concordant_pairs,
    **{name: cell(*of) for name, of in CELLS.items()},
}
