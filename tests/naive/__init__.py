"""The naive reference: every measure of the specification in loops over lists and dicts.

``naive.values(measure, qrels, run)`` returns the value of each query of the qrels. `naive.reading` reads the qrels and
the run, `naive.measures` holds the measures of a ranking, `naive.sessions` those of Dynamic Domain. This module holds
IA, Adhoc and Sharp, and the few measures of ir_measures that tests put inside of them.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any

import ir_measures

from naive import measures, sessions
from naive.measures import Settings, average_precision, dcg, divide, query_of
from naive.reading import RefusedError, Topic, UnknownError, read
from pyterrier_diversity.measures import registered

__all__ = [
    "COMPOSITES",
    "COUNT_TURNS",
    "DEFINITIONS",
    "RefusedError",
    "Topic",
    "UnknownError",
    "read",
    "value",
    "values",
    "values_of_all",
]

DEFINITIONS = {**measures.DEFINITIONS, **sessions.DEFINITIONS}
# Measures that charge for every document read: without relevant documents they are not 0.
OF_EFFORT = ("RBU", "EU", "EU_DD")
# Measures whose cutoff counts turns.
COUNT_TURNS = ("CT", "ACT", "nCT", "SessionDCG", "nSessionDCG", "EU_DD")
# ir_measures' own measures, whose default is rel=1: all labels above 0.
OF_IR_MEASURES_BY_1 = (
    "P",
    "AP",
    "RR",
    "RBP",
    "alpha_DCG",
    "alpha_nDCG",
    "ERR_IA",
    "nERR_IA",
    "NRBP",
    "nNRBP",
    "AP_IA",
    "P_IA",
    "StRecall",
)
# Measures that divide by a perfect list as long as the cutoff.
NEED_CUTOFF = ("alpha_DCG", "ERR_IA")


def values(measure: ir_measures.Measure, qrels: Any, run: Any) -> dict[str, float]:
    """Return the value of a measure for each query of the qrels.

    Raises
    ------
    RefusedError
        If the specification refuses the qrels, the run, or the measure on this input.
    UnknownError
        If the naive program has no definition of the measure, or would need too long.
    """
    return {topic.query_id: value(measure, topic) for topic in read(qrels, run)}


def values_of_all(measures: Iterable[ir_measures.Measure], qrels: Any, run: Any) -> dict[tuple[str, str], float]:
    """Return the value of each measure, named by its repr, for each query of the qrels."""
    topics = read(qrels, run)
    return {(repr(measure), topic.query_id): value(measure, topic) for measure in measures for topic in topics}


def value(measure: ir_measures.Measure, topic: Topic) -> float:
    """Return the value of a measure for a topic."""
    if not topic.ranking:
        return 0.0
    if measure.NAME in COMPOSITES:
        return COMPOSITES[measure.NAME](measure, topic)
    if measure.NAME in OF_IR_MEASURES:
        return of_ir_measures(measure, topic)
    m = settings(measure)
    query = query_of(topic, {**m, "cutoff": None} if measure.NAME in COUNT_TURNS else m)
    labels = [label for intent in query.intents for label in intent.labels.values()]
    if m.get("max_rel") and any(label > m["max_rel"] for label in labels):
        raise RefusedError("a label above max_rel")
    if measure.NAME in NEED_CUTOFF and m["cutoff"] is None:
        raise RefusedError("no cutoff")
    if not query.intents and measure.NAME not in OF_EFFORT:
        return 0.0
    return DEFINITIONS[measure.NAME](query, m)


@functools.cache
def settings(measure: ir_measures.Measure) -> Settings:
    """Return the value of every parameter of a measure of the package."""
    declared = {one.NAME: one for one in registered()}.get(measure.NAME)
    if declared is None or measure.NAME not in DEFINITIONS:
        raise UnknownError(measure.NAME)
    given = {**measure.params, "rel": smallest_relevant(measure)} if "rel" in measure.params else measure.params
    return {name: declared[name] for name in declared.SUPPORTED_PARAMS} | given


# 2.2 Measures of another measure


def inner(measure: ir_measures.Measure) -> ir_measures.Measure:
    return ir_measures.parse_measure(measure.params["measure"])


def innermost(measure: ir_measures.Measure) -> ir_measures.Measure:
    return innermost(inner(measure)) if measure.NAME in COMPOSITES else measure


def highest(topic: Topic) -> dict[str, float]:
    """Return max_t g(d, t) of each judged document, negative labels as 0."""
    docs = {doc for labels in topic.labels.values() for doc in labels}
    return {doc: max(0.0, *(labels.get(doc, 0.0) for labels in topic.labels.values())) for doc in docs}


def ad_hoc_topic(topic: Topic) -> Topic:
    """Return a topic whose only intent has the highest labels, and the highest gains."""
    labels = highest(topic)
    gains = {doc: max(of_intent.get(doc, 0.0) for of_intent in topic.gains.values()) for doc in labels}
    return topic._replace(labels={"": labels}, gains={"": gains}, weights={"": 1.0}, navigational=set(), importance={})


def topic_of_intent(topic: Topic, t: str) -> Topic:
    """Return a topic with the rows of one intent."""
    return topic._replace(
        labels={t: topic.labels[t]},
        gains={t: topic.gains[t]},
        passages=[passage for passage in topic.passages if passage.intent == t],
        weights={t: 1.0},
    )


def smallest_relevant(measure: ir_measures.Measure) -> float | None:
    """Return the parameter ``rel``, if it is other than ir_measures' default."""
    rel = measure.params.get("rel")
    return None if rel == 1 and measure.NAME in OF_IR_MEASURES_BY_1 else rel


def ia(measure: ir_measures.Measure, topic: Topic) -> float:
    rel = smallest_relevant(innermost(measure))
    met = [t for t in topic.labels if any(measures.is_relevant(x, rel) for x in topic.labels[t].values())]
    total = sum(topic.weights[t] for t in met)
    return sum(topic.weights[t] / total * value(inner(measure), topic_of_intent(topic, t)) for t in met)


def ad_hoc(measure: ir_measures.Measure, topic: Topic) -> float:
    return value(inner(measure), ad_hoc_topic(topic))


def sharp(measure: ir_measures.Measure, topic: Topic) -> float:
    params = innermost(measure).params
    of_recall = {"cutoff": params.get("cutoff"), "rel": smallest_relevant(innermost(measure))}
    query = query_of(topic, of_recall)
    recall = measures.st_recall(query, of_recall) if query.intents else 0.0
    gamma = measure.params.get("gamma", 0.5)
    # A bare ad-hoc measure M means Adhoc(M): `value` gives it the highest labels anyway.
    return gamma * recall + (1 - gamma) * value(inner(measure), topic)


COMPOSITES: dict[str, Callable[[ir_measures.Measure, Topic], float]] = {"IA": ia, "Adhoc": ad_hoc, "Sharp": sharp}


# A few measures of ir_measures


def of_ir_measures(measure: ir_measures.Measure, topic: Topic) -> float:
    """Return the value of a measure of ir_measures under the highest labels."""
    labels, rel = highest(topic), measure.params.get("rel", 1)
    provided = measure.params.get("judged_only") and measure.params.get("dcg") != "exp-log2"
    if provided and any(label % 1 for label in labels.values()):
        raise RefusedError("pytrec_eval takes whole labels")
    judged = set(labels) if measure.params.get("judged_only") else set(topic.ranking)
    ranking = [doc for doc in topic.ranking if doc in judged][: measure.params.get("cutoff")]
    relevant = {doc for doc, label in labels.items() if label > 0 and (rel == 1 or label >= rel)}
    return OF_IR_MEASURES[measure.NAME](ranking, labels, relevant, measure.params)


def precision(ranking, labels, relevant, params):
    return sum(doc in relevant for doc in ranking) / params.get("cutoff", len(ranking))


def reciprocal_rank(ranking, labels, relevant, params):
    return max((1 / i for i, doc in enumerate(ranking, start=1) if doc in relevant), default=0.0)


def ndcg(ranking, labels, relevant, params):
    gains = labels
    if params.get("dcg") == "exp-log2":
        gains = {doc: 2 ** max(label, 0) - 1 for doc, label in labels.items()}
    ideal = sorted(gains.values(), reverse=True)[: params.get("cutoff")]
    return divide(dcg(gains.get(doc, 0.0) for doc in ranking), dcg(ideal))


def rank_biased_precision(ranking, labels, relevant, params):
    p = params.get("p", 0.8)
    return (1 - p) * sum(p**i for i, doc in enumerate(ranking) if doc in relevant)


OF_IR_MEASURES: dict[str, Callable[..., float]] = {
    "P": precision,
    "AP": lambda ranking, labels, relevant, params: average_precision(ranking, relevant),
    "RR": reciprocal_rank,
    "nDCG": ndcg,
    "RBP": rank_biased_precision,
}
