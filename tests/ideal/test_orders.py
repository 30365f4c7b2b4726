"""Orders of the relevant documents as values: what each puts where, and that equal ones are looked for once."""

import pickle
import re
from math import inf

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from by_hand import qrels, run
from pyterrier_diversity import NDEVAL, alpha_DCG, alpha_nDCG, nERR_IA
from pyterrier_diversity.ideal import (
    ByWorth,
    Exact,
    GeometricDiscount,
    Greedy,
    MostCovering,
    NotProvenError,
    log_discount,
    min_rank,
    min_ranks,
    n_wanted,
    orders,
    reciprocal_discount,
)
from pyterrier_diversity.judged import Order, ideal, judge
from small_topics import (
    qrels_of,
    random_masks,
    smallest_covers,
    topics,
)

# c is best alone, a and b together are better; d repeats what a has.
TOPIC = qrels(
    *("q 1 a 1", "q 2 a 1", "q 5 a 1"),
    *("q 3 b 1", "q 4 b 1", "q 6 b 1"),
    *("q 1 c 1", "q 2 c 1", "q 3 c 1", "q 4 c 1"),
    *("q 5 d 3",),
)


def named(value: object) -> str:
    """The name of a case, the same in every process."""
    return re.sub(r"<function (\w+) at \w+>", r"\1", str(value))


def label(ranked):
    return ranked.label


def label_above(ranked, least):
    return np.where(ranked.label > least, ranked.label, 0.0)


def rankings(order: Order, judgements: pd.DataFrame, depth: int | None = None) -> dict[str, list[str]]:
    """The documents of each query, best first."""
    judged = judge(judgements)
    return dict(zip(judged.query_ids, ideal(judged, order, depth).rankings(), strict=True))


def ranking(order: Order, depth: int | None = None) -> str:
    return "".join(rankings(order, TOPIC, depth)["q"])


ORDERS = {
    "by label": ByWorth(label),
    "by label above": ByWorth(label_above, (1.0,)),
    "greedy": Greedy(0.5),
    "greedy by worth": Greedy(0.5, label),
    "greedy to a gain": Greedy(0.5, None, (), 0.4),
    "exact": Exact(0.5, log_discount, 3, 60.0),
    "exact of others": Exact(0.5, GeometricDiscount(0.8), 3, 60.0),
    "cover": MostCovering(None, 60.0, recall=0.5),
    "most covering": MostCovering(2, 60.0),
    "most covering by weight": MostCovering(2, 60.0, "Coverage"),
}


# Values


@pytest.mark.parametrize("kind", ORDERS)
def test_orders_with_equal_parameters_are_equal(kind):
    order, copy = ORDERS[kind], pickle.loads(pickle.dumps(ORDERS[kind]))

    assert copy == order
    assert hash(copy) == hash(order)


def test_orders_with_other_parameters_differ():
    others = [*ORDERS.values(), Greedy(0.6), Greedy(0.5, label_above, (1.0,)), Exact(0.5, reciprocal_discount, 3, 60.0)]
    others += [Exact(0.5, log_discount, None, 60.0), MostCovering(None, 60.0), ByWorth(label, (1.0,))]
    others += [MostCovering(None, 60.0, recall=0.6)]

    assert len(set(others)) == len(others)


def test_discounts_with_equal_parameters_are_equal():
    assert GeometricDiscount(0.5) == GeometricDiscount(0.5) != GeometricDiscount(0.6)
    assert GeometricDiscount(0.5)(np.array([1.0, 2.0, 3.0])).tolist() == [1, 0.5, 0.25]
    assert reciprocal_discount(np.array([1.0, 2.0, 4.0])).tolist() == [1, 0.5, 0.25]
    assert log_discount(np.array([1.0, 3.0])).tolist() == [1, 0.5]


# Places


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (ByWorth(label), "cdba"),
        (ByWorth(label_above, (1.0,)), "dcba"),
        (Greedy(0.5), "cbad"),
        (Greedy(1.0), "cdba"),
        (Greedy(0.0), "cbad"),
        (Greedy(0.5, label), "cdba"),
        (Greedy(0.5, label_above, (1.0,)), "dcba"),
        (Greedy(1.0, least=0.0), "cdb"),
        (Greedy(1.0, least=1.0), "c"),
        (Exact(1.0, log_discount, 1, 60.0), "c"),
        (Exact(1.0, np.ones_like, 2, 60.0), "ba"),
        (MostCovering(None, 60.0, recall=4 / 6), "c"),
        (MostCovering(None, 60.0), "ba"),
        (MostCovering(2, 60.0), "ba"),
        (MostCovering(1, 60.0), "c"),
    ],
    ids=named,
)
def test_documents_have_the_places_of_the_order(order, expected):
    assert ranking(order)[: len(expected)] == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (MostCovering(None, 60.0), {"b": 1, "a": 2, "c": 0, "d": 0}),
        (Greedy(1.0, least=0.0), {"c": 1, "d": 2, "b": 3, "a": 0}),
    ],
    ids=named,
)
def test_documents_that_are_left_out_have_the_place_0(order, expected):
    judgements = judge(TOPIC)

    places = ideal(judgements, order, None).ranks

    assert dict(zip(judgements.documents.ids, places.tolist(), strict=True)) == expected


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("depth", [1, 2, 3, 9])
def test_a_ranking_ends_at_its_depth(order, depth):
    found = ranking(order, depth)

    assert 1 <= len(found) <= depth
    assert found == ranking(order)[: len(found)]


@pytest.mark.parametrize(
    "order",
    [Exact(0.5, log_discount, 20, 1e-9), MostCovering(None, 1e-9)],
    ids=named,
)
def test_a_query_whose_proof_takes_too_long_is_named(order):
    with pytest.raises(NotProvenError, match=r"^Query '0': .* could not be proven within 1e-09 seconds"):
        rankings(order, qrels_of([random_masks(0, 200, 100, 0.1)]))


def test_by_weight_the_weights_of_a_query_must_be_the_same():
    same = TOPIC.assign(weight=2.0)
    other = TOPIC.assign(weight=np.where(TOPIC["iteration"] == "1", 1.0, 2.0))
    order = MostCovering(2, 60.0, "Coverage@2")

    assert rankings(order, same, 2) == rankings(MostCovering(2, 60.0), same, 2)
    with pytest.raises(ValueError, match=r"Coverage@2: a proof needs intents of equal weight"):
        rankings(order, other, 2)
    assert rankings(MostCovering(2, 60.0), other, 2)["q"] == ["b", "a"]


@pytest.mark.parametrize(
    ("recall", "n_intents", "wanted"),
    [(2 / 3, 3, 2), (0.1, 3, 1), (0.1, 10, 1), (0.7, 10, 7), (1.0, 7, 7), (0.5, 0, 0), (1 / 3, 3000, 1000)],
)
def test_a_fraction_of_the_intents_is_rounded_up(recall, n_intents, wanted):
    assert n_wanted(recall, [n_intents]).tolist() == [wanted]
    assert int(n_wanted(recall, n_intents)) == wanted


# Sharing


@pytest.fixture
def searched(monkeypatch) -> list:
    """The depth of each greedy search."""
    depths = []
    greedy_places = orders.greedy_places

    def counting(*args, **kwargs):
        depths.append(kwargs["depth"])
        return greedy_places(*args, **kwargs)

    monkeypatch.setattr(orders, "greedy_places", counting)
    return depths


def fresh(query_id: str) -> pd.DataFrame:
    """Qrels that no other test has."""
    return TOPIC.assign(qid=query_id)


@pytest.mark.parametrize(
    ("measures", "depths"),
    [
        ([alpha_nDCG @ 10, alpha_nDCG @ 5], [10]),
        ([alpha_nDCG @ 5, alpha_nDCG @ 10], [10]),
        ([alpha_nDCG @ 5, alpha_nDCG @ 10, alpha_nDCG], [None]),
        ([alpha_nDCG @ 5, nERR_IA @ 5], [5]),
        ([alpha_nDCG @ 5, alpha_nDCG(alpha=0.9) @ 5], [5, 5]),
        ([alpha_nDCG @ 5, alpha_nDCG(rel=2) @ 5], [5, 5]),
        ([alpha_DCG @ 5], []),
        (list(NDEVAL), [None]),
    ],
    ids=named,
)
def test_measures_and_cutoffs_with_equal_orders_share_one(measures, depths, searched, request):
    judgements = fresh(request.node.name)

    together = ir_measures.calc_aggregate(measures, judgements, run(**{request.node.name: "d x c a"}))

    assert searched == depths
    alone = [
        ir_measures.calc_aggregate([measure], judgements, run(**{request.node.name: "d x c a"}))[measure]
        for measure in measures
    ]
    assert [together[measure] for measure in measures] == alone


def test_runs_share_the_order_of_their_qrels(searched):
    judgements = fresh("runs share")

    first, other, again = (
        ir_measures.calc_aggregate([alpha_nDCG @ 5], judgements.copy(), run(**{"runs share": docs}))[alpha_nDCG @ 5]
        for docs in ("c b", "d", "c b")
    )

    assert searched == [5]
    assert first == again != other


# Frames


@pytest.mark.parametrize(
    ("n_intents", "docnos"), [(None, [["b", "a"]]), (4, [["c"]]), (0, [[]]), (5, [["b", "a"], ["c", "a"], ["c", "d"]])]
)
def test_min_rank_gives_one_such_cover(n_intents, docnos):
    result = min_rank(TOPIC, n_intents)

    assert list(result) == ["qid", "n_intents", "min_rank", "docnos"]
    assert result["n_intents"].tolist() == [6 if n_intents is None else n_intents]
    assert result["min_rank"].tolist() == [len(docnos[0])]
    assert sorted(result["docnos"][0]) in [sorted(docs) for docs in docnos]


@settings(max_examples=20, deadline=None)
@given(drawn=topics(max_docs=6, max_topics=5), wanted=st.lists(st.integers(0, 5), min_size=5, max_size=5))
def test_min_ranks_are_those_of_each_query_and_number_of_intents(drawn, wanted):
    frame = qrels_of(drawn)
    judgements = judge(frame)
    sizes = [smallest_covers(drawn[int(query)]) if any(drawn[int(query)]) else [0] for query in judgements.query_ids]
    n = np.array([min(m, len(of_query) - 1) for m, of_query in zip(wanted, sizes, strict=False)])

    exact, greedy = (min_ranks(judgements, n, kind, inf, "test") for kind in ("exact", "greedy"))

    assert exact.tolist() == [of_query[m] for m, of_query in zip(n, sizes, strict=True)]
    assert (greedy >= exact).all()
    everything = np.array([len(of_query) - 1 for of_query in sizes])
    assert min_ranks(judgements, everything, "exact", inf, "test").tolist() == min_rank(frame)["min_rank"].tolist()
    greedily = min_rank(frame, ideal="greedy")["min_rank"].tolist()
    assert min_ranks(judgements, everything, "greedy", inf, "test").tolist() == greedily
