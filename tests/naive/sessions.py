"""The measures of the Dynamic Domain track, formula by formula (specification, section 2.7)."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator

from naive.measures import Doc, Query, Settings, divide, err, probability
from naive.reading import RefusedError


def turns_of(query: Query, m: Settings) -> list[list[Doc]]:
    """Return all turns of the session; without turns, ``batch`` documents are a turn."""
    topic, batch = query.topic, m["batch"]
    if topic.has_turns:
        return topic.turns
    return [topic.ranking[i : i + batch] for i in range(0, len(topic.ranking), batch)]


def cube_filled(query: Query, m: Settings) -> Iterator[tuple[int, float]]:
    """Yield, at each document, the number of turns begun and the share of the cube that is filled."""
    heights, counts = [0.0 for _ in query.intents], [0 for _ in query.intents]
    for time, docs in enumerate(turns_of(query, m)[: m["cutoff"]], start=1):
        for doc in docs:
            for t, intent in enumerate(query.intents):
                if doc in intent.gains and heights[t] < m["max_height"]:
                    counts[t] += 1
                    heights[t] += min(m["gamma"] ** counts[t] * intent.gains[doc], m["max_height"] - heights[t])
            filled = sum(intent.weight * height for intent, height in zip(query.intents, heights, strict=True))
            yield time, filled / m["max_height"]


def ct(query: Query, m: Settings) -> float:
    *_, (time, share) = cube_filled(query, m)
    return share / time


def act(query: Query, m: Settings) -> float:
    speeds = [share / time for time, share in cube_filled(query, m)]
    return sum(speeds) / len(speeds)


def n_ct(query: Query, m: Settings) -> float:
    n_turns = m["cutoff"] or len(turns_of(query, m))
    bound = 0.0
    for intent in query.intents:
        best, height = sorted(intent.gains.values(), reverse=True), 0.0
        for i, gain in enumerate(best[: m["batch"] * n_turns + 1]):
            height += min(m["gamma"] ** i * gain, m["max_height"] - height)
        bound += intent.weight * height / m["max_height"]
    return divide(ct(query, m), bound / n_turns)


def document_gains(query: Query) -> dict[Doc, float]:
    """Return the gain of each document, summed over the intents."""
    gains: dict[Doc, float] = defaultdict(float)
    for intent in query.intents:
        for doc, gain in intent.gains.items():
            gains[doc] += gain
    return gains


def session_discount(turn: int, rank: int, m: Settings) -> float:
    return 1 / ((1 + math.log(rank, m["b"])) * (1 + math.log(turn, m["bq"])))


def session_dcg(query: Query, m: Settings) -> float:
    gains, value = document_gains(query), 0.0
    for turn, docs in enumerate(turns_of(query, m)[: m["cutoff"]], start=1):
        for rank, doc in enumerate(docs, start=1):
            value += gains.get(doc, 0.0) * session_discount(turn, rank, m)
    return value


def n_session_dcg(query: Query, m: Settings) -> float:
    best = sorted(document_gains(query).values(), reverse=True)
    # Turns without any of these documents change nothing.
    n_turns = min(m["cutoff"] or len(turns_of(query, m)), len(best))
    places = [(turn, rank) for turn in range(1, n_turns + 1) for rank in range(1, m["batch"] + 1)]
    discounts = sorted((session_discount(turn, rank, m) for turn, rank in places), reverse=True)
    ideal = sum(gain * discount for gain, discount in zip(best, discounts, strict=False))
    return divide(session_dcg(query, m), ideal)


def stopping_in_turn(n_docs: int, p: float) -> list[float]:
    """Return the probability of stopping at each rank of a turn."""
    before = [(1 - p) ** i * p for i in range(n_docs - 1)]
    return [*before, 1 - sum(before)]


def eu_dd(query: Query, m: Settings) -> float:
    if not {"passage", "nugget"} <= query.topic.columns:
        raise RefusedError("no columns passage and nugget")
    expected: dict[tuple[str, str], float] = defaultdict(float)
    ratings: dict[tuple[str, str], float] = {}
    cost = 0.0
    for docs in turns_of(query, m)[: m["cutoff"]]:
        met: dict[tuple[str, str], int] = defaultdict(int)
        words = 0.0
        for doc, p in zip(docs, stopping_in_turn(len(docs), m["p"]), strict=True):
            for passage in query.topic.passages:
                if passage.doc == doc:
                    met[passage.intent, passage.nugget] += 1
                    ratings[passage.intent, passage.nugget] = passage.label
            for nugget, times in met.items():
                expected[nugget] += p * times
            if doc in query.topic.lengths:
                words += query.topic.lengths[doc]
                cost += p * words
    gain = sum(ratings[nugget] * (1 - m["gamma"] ** times) / (1 - m["gamma"]) for nugget, times in expected.items())
    return gain - m["a"] * cost


def ct_rank(query: Query, m: Settings) -> float:
    value = 0.0
    for intent in query.intents:
        height, count = 0.0, 0
        for i, doc in enumerate(query.ranking, start=1):
            r = probability(doc, intent, m)
            if height < m["saturation"] - 1e-12:
                value += intent.weight * r * m["gamma"] ** count / i
            height += r
            count += doc in intent.labels
    return value


def errs_of_intents(query: Query) -> list[float]:
    """Return the expected reciprocal rank of each intent that the ranking meets."""
    if any(label > 4 for intent in query.intents for label in intent.labels.values()):
        raise RefusedError("a label above 4")
    met = [intent.labels for intent in query.intents if any(doc in intent.labels for doc in query.ranking)]
    return [err((2 ** labels.get(doc, 0) - 1) / 16 for doc in query.ranking) for labels in met]


def err_arith(query: Query, m: Settings) -> float:
    values = errs_of_intents(query)
    return divide(sum(values), len(values))


def err_harm(query: Query, m: Settings) -> float:
    values = errs_of_intents(query)
    return divide(len(values), sum(1 / value for value in values))


def until_recall(query: Query) -> list[set[int]]:
    """Return the intents of each document down to the rank where all are met, or down to the last rank."""
    read: list[set[int]] = []
    for doc in query.ranking:
        read.append({t for t, intent in enumerate(query.intents) if doc in intent.labels})
        if len(set.union(*read)) == len(query.intents):
            break
    return read


def rr_at_recall(query: Query, m: Settings) -> float:
    return 1 / len(until_recall(query))


def p_at_recall(query: Query, m: Settings) -> float:
    read = until_recall(query)
    return sum(bool(intents) for intents in read) / len(read)


def p_at_recall_mod(query: Query, m: Settings) -> float:
    read, met, new = until_recall(query), set(), 0.0
    for intents in read:
        new += divide(len(intents - met), len(intents))
        met |= intents
    return new / len(read)


DEFINITIONS: dict[str, Callable[[Query, Settings], float]] = {
    "CT": ct,
    "ACT": act,
    "nCT": n_ct,
    "SessionDCG": session_dcg,
    "nSessionDCG": n_session_dcg,
    "EU_DD": eu_dd,
    "CT_rank": ct_rank,
    "ERR_arith": err_arith,
    "ERR_harm": err_harm,
    "P_at_Recall": p_at_recall,
    "P_at_Recall_mod": p_at_recall_mod,
    "RR_at_Recall": rr_at_recall,
}
