from __future__ import annotations

import copy
import itertools
import math
import pickle
import random
import re

import ir_measures
import numpy as np
import pytest

import disagreements
import drawn
import naive
from naive.measures import stopping, viewing
from pyterrier_diversity import (
    ARR,
    CDG,
    DAG,
    DCG,
    EPR,
    IA,
    RAP,
    RBAP,
    RBTR,
    RRAP,
    RRG,
    RRR,
    RRTR,
    UserModel,
)

# Relevant documents at the ranks 1, 3 and 4 of 5, and one that is not retrieved.
JUDGED = {doc: {"x": 1} for doc in "abcz"} | {"n": {"x": 0}}
RANKING = "anbcm"
D2, D3, D4, D5, D6 = (1 / math.log2(i + 1) for i in range(2, 7))
STATIC, DYNAMIC = ["RBP", "DCG", "RR"], ["ERR", "AP", "RRR"]
CELLS = [
    *((model, stop) for model in (1, 2) for stop in STATIC),
    *((3, stop) for stop in DYNAMIC),
    *((4, stop) for stop in (*STATIC, *DYNAMIC)),
]
NAMED = {
    (2, "RBP"): RBTR,
    (4, "RBP"): RBAP,
    (1, "DCG"): CDG,
    (2, "DCG"): DCG,
    (4, "DCG"): DAG,
    (1, "RR"): RRG,
    (2, "RR"): RRTR,
    (4, "RR"): RAP,
    (4, "ERR"): EPR,
    (3, "AP"): ARR,
    (3, "RRR"): RRR,
    (4, "RRR"): RRAP,
}


@pytest.mark.parametrize(
    ("model", "stop", "value"),
    [
        (1, "RBP", 1 / 2 + 1 / 8 + 1 / 16),
        (1, "DCG", (1 - D2) + (D3 - D4) + (D4 - D5)),
        (1, "RR", 1 / 2 + 1 / 12 + 1 / 20),
        (2, "RBP", 1 + 1 / 4 + 1 / 8),
        (2, "DCG", 1 + D3 + D4),
        (2, "RR", 1 + 1 / 3 + 1 / 4),
        (3, "ERR", 1 / 2 + 1 / 3 * 1 / 4 + 1 / 4 * 1 / 8),
        (3, "AP", (1 + 1 / 3 + 1 / 4) / 4),
        (3, "RRR", 1 / 2 + 1 / 3 * 1 / 6 + 1 / 4 * 1 / 12),
        (4, "RBP", 1 / 2 + 1 / 2 * 1 / 4 + 2 / 3 * 1 / 8 + 3 / 4 * 1 / 16 + 3 / 5 * 1 / 32),
        (
            4,
            "DCG",
            (1 - D2) + 1 / 2 * (D2 - D3) + 2 / 3 * (D3 - D4) + 3 / 4 * (D4 - D5) + 3 / 5 * (D5 - D6),
        ),
        (4, "RR", 1 / 2 + 1 / 2 * 1 / 6 + 2 / 3 * 1 / 12 + 3 / 4 * 1 / 20 + 3 / 5 * 1 / 30),
        (4, "ERR", 1 / 2 + 2 / 3 * 1 / 4 + 3 / 4 * 1 / 8),
        (4, "AP", (1 + 2 / 3 + 3 / 4) / 4),
        (4, "RRR", 1 / 2 + 2 / 3 * 1 / 6 + 3 / 4 * 1 / 12),
    ],
)
def test_each_cell_of_the_papers_table_worked_by_hand(model, stop, value, value_of):
    assert value_of(UserModel(model, stop), JUDGED, RANKING) == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (UserModel(1, "RBP", theta=0.2), 0.2 * (1 + 0.8**2 + 0.8**3)),
        (UserModel(2, "RBP", theta=0.2), 1 + 0.8**2 + 0.8**3),
        (UserModel(3, "ERR", theta=0.2), 0.2 * (1 + 0.8 / 3 + 0.8**2 / 4)),
        (UserModel(3, "ERR", effort="rank"), 1 / 2 + 3 * 1 / 4 + 4 * 1 / 8),
        (UserModel(3, "AP", effort="rank"), (1 + 3 + 4) / 4),
        (UserModel(3, "RRR", effort="rank"), 1 / 2 + 3 * 1 / 6 + 4 * 1 / 12),
        (UserModel(2, "DCG") @ 3, 1 + D3),
        (UserModel(2, "DCG") @ 2, 1),
        (UserModel(4, "AP") @ 3, (1 + 2 / 3) / 4),
        (UserModel(4, "RR") @ 2, 1 / 2 + 1 / 2 * 1 / 6),
        (UserModel(2, "DCG", norm=True), (1 + D3 + D4) / (1 + D2 + D3 + D4)),
        (UserModel(2, "DCG", norm=True) @ 3, (1 + D3) / (1 + D2 + D3)),
        (UserModel(2, "RBP", norm=True) @ 100, (1 + 1 / 4 + 1 / 8) / (1 + 1 / 2 + 1 / 4 + 1 / 8)),
        (UserModel(3, "AP", norm=True), (1 + 1 / 3 + 1 / 4) / (1 + 1 / 2 + 1 / 3 + 1 / 4)),
        (UserModel(3, "AP", norm=True) @ 2, 1 / (1 + 1 / 2)),
        (UserModel(4, "RR", norm=True) @ 2, (1 / 2 + 1 / 2 * 1 / 6) / (1 / 2 + 1 / 6)),
        (UserModel(1, "DCG", base=10), sum(1 / math.log10(i + 9) - 1 / math.log10(i + 10) for i in (1, 3, 4))),
        (UserModel(2, "DCG", base=10), 1 + 1 / math.log10(12) + 1 / math.log10(13)),
        (UserModel(2, "DCG", base=10) @ 3, 1 + 1 / math.log10(12)),
        (UserModel(4, "DCG", base=4) @ 2, (1 - 1 / math.log(5, 4)) + 1 / 2 * (1 / math.log(5, 4) - 1 / math.log(6, 4))),
        (UserModel(2, "DCG", redundancy="RBP"), 1 + 1 / 2 * D3 + 1 / 4 * D4),
        (UserModel(2, "DCG", redundancy="RBP", theta_red=0.2), 1 + 0.8 * D3 + 0.64 * D4),
        (UserModel(2, "DCG", redundancy="DCG"), 1 + D2 * D3 + D3 * D4),
        (UserModel(2, "DCG", redundancy="RR"), 1 + 1 / 2 * D3 + 1 / 3 * D4),
        (UserModel(2, "RR", redundancy="RBP", norm=True), (1 + 1 / 6 + 1 / 16) / (1 + 1 / 4 + 1 / 12 + 1 / 32)),
        (UserModel(3, "AP", redundancy="RBP"), (1 + 1 / 2 / 3 + 1 / 4 / 4) / (1 + 1 / 2 + 1 / 4 + 1 / 8)),
        (UserModel(3, "RRR", redundancy="RBP"), (1 - 1 / 2) + (1 / 2 - 2 / 5) / 3 + (2 / 5 - 4 / 11) / 4),
        (
            UserModel(3, "ERR", redundancy="RR"),
            (1 - 2**-1) + (2**-1 - 2**-1.5) / 3 + (2**-1.5 - 2 ** -(11 / 6)) / 4,
        ),
        (UserModel(3, "ERR", theta=1, redundancy="DCG"), 1),
        (UserModel(4, "AP", redundancy="RBP"), (1 + 3 / 2 / 3 + 7 / 4 / 4) / 4),
        (UserModel(4, "ERR", redundancy="RR"), 1 / 2 + 3 / 2 / 3 * 1 / 4 + 11 / 6 / 4 * 1 / 8),
        (
            UserModel(4, "RR", redundancy="RBP"),
            1 / 2 + 1 / 2 * 1 / 6 + 3 / 2 / 3 * 1 / 12 + 7 / 4 / 4 * 1 / 20 + 7 / 4 / 5 * 1 / 30,
        ),
    ],
    ids=repr,
)
def test_parameters_worked_by_hand(measure, value, value_of):
    assert value_of(measure, JUDGED, RANKING) == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (UserModel(2, "DCG"), 1 + D3),
        (UserModel(1, "RR", gain="linear"), 2 * 1 / 2 + 1 * 1 / 12),
        (UserModel(2, "DCG", gain="exp"), 3 + D3),
        (UserModel(2, "DCG", gain="exp", norm=True), (3 + D3) / (3 + D2)),
        (UserModel(2, "DCG", gain="exp", redundancy="RR"), 3 + 1 / 2 * D3),
        (UserModel(4, "RBP", gain="exp"), 3 * 1 / 2 + 3 / 2 * 1 / 4 + 4 / 3 * 1 / 8),
        (UserModel(3, "ERR", gain="exp"), 3 / 4 + 1 / 3 * 1 / 4 * 1 / 4),
        (UserModel(3, "ERR", gain="exp", max_rel=4), 3 / 16 + 1 / 3 * 1 / 16 * 13 / 16),
        (UserModel(3, "ERR", gain="linear", max_rel=4), 1 / 2 + 1 / 3 * 1 / 4 * 1 / 2),
        (UserModel(3, "ERR", gain="exp", effort="rank"), 3 / 4 + 3 * 1 / 4 * 1 / 4),
        (UserModel(4, "ERR", gain="exp"), 3 * 3 / 4 + 4 / 3 * 1 / 4 * 1 / 4),
        (UserModel(4, "ERR", gain="exp", redundancy="RBP"), 3 * 3 / 4 + (3 + 1 / 2) / 3 * 1 / 4 * 1 / 4),
        (UserModel(2, "RR", gain="exp", rel=2), 3),
        (UserModel(1, "RR", gain={1: 5, 2: 10}), 10 * 1 / 2 + 5 * 1 / 12),
        (UserModel(2, "DCG", gain={1: 5, 2: 10}, norm=True), (10 + 5 * D3) / (10 + 5 * D2)),
        (UserModel(4, "RBP", gain={1: 5, 2: 10}), 10 * 1 / 2 + 10 / 2 * 1 / 4 + 15 / 3 * 1 / 8),
        (UserModel(3, "ERR", gain={1: 0.1, 2: 0.7}), 0.7 + 1 / 3 * 0.1 * 0.3),
        (UserModel(4, "ERR", gain={1: 0.1, 2: 0.7}), 0.7 * 0.7 + 0.8 / 3 * 0.1 * 0.3),
        (UserModel(2, "RR", gain={2: 10}, rel=2), 10),
        (UserModel(4, "AP", rel=2), 1),
    ],
    ids=repr,
)
def test_graded_labels_worked_by_hand(measure, value, value_of):
    assert value_of(measure, {"a": {"x": 2}, "b": {"x": 1}}, "anb") == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(
    ("params", "value"),
    [
        ({}, 1 / 4 * (1 / 2) + 3 / 4 * (1 / 4)),
        ({"theta": 0.2}, 1 / 4 * 0.2 + 3 / 4 * 0.16),
        ({"theta_nav": 0.9}, 1 / 4 * (1 / 2) + 3 / 4 * 0.09),
        ({"theta": 0.2, "theta_nav": 0.9}, 1 / 4 * 0.2 + 3 / 4 * 0.09),
    ],
    ids=str,
)
def test_navigational_intents_may_have_a_patience_of_their_own(params, value, value_of):
    judged, weights = {"a": {"x": 1}, "b": {"y": 1}}, {"x": 1, "y": 3}

    measured = value_of(UserModel(1, "RBP", **params), judged, "ab", weights=weights, navigational="y")

    assert measured == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize("measure", [UserModel(2, "RBP"), UserModel(3, "ERR"), UserModel(4, "ERR")], ids=repr)
def test_the_patience_of_navigational_intents_has_no_effect_without_navigational_intents(
    measure, random_topics, by_query
):
    qrels, run = drawn.with_weights_and_types(random_topics(1))

    values = by_query(measure(theta_nav=0.9), qrels.assign(intent_type="inf"), run)

    assert values == by_query(measure, qrels, run)
    assert values != by_query(measure(theta_nav=0.9), qrels, run)


@pytest.mark.parametrize("measure", [UserModel(2, "RBP"), UserModel(3, "ERR"), UserModel(4, "ERR")], ids=repr)
def test_where_all_intents_are_navigational_only_their_patience_counts(measure, random_topics, by_query):
    qrels, run = drawn.with_weights_and_types(random_topics(1))

    values = by_query(measure(theta_nav=0.9), qrels.assign(intent_type="nav"), run)

    assert values == by_query(measure(theta=0.9), qrels, run)


@pytest.mark.parametrize("measure", [UserModel(3, "ERR"), EPR], ids=repr)
def test_with_err_a_table_has_probabilities(measure):
    sentence = f"{measure.NAME}: with stop='ERR' the values of gain are probabilities and may be at most 1, not 2."
    with pytest.raises(ValueError, match=re.escape(sentence)):
        measure(gain={1: 2})


@pytest.mark.parametrize("params", [{"theta": 0.2}, {"theta_nav": 0.2}, {"max_rel": 3}], ids=str)
def test_a_table_replaces_patience_and_the_largest_label(params):
    with pytest.raises(ValueError, match="has no effect in"):
        EPR(gain={1: 0.5, 2: 0.9}, **params)


def test_a_label_without_a_gain_is_refused_wherever_the_document_is(value_of):
    measure = UserModel(2, "DCG", gain={1: 1, 3: 2})

    with pytest.raises(ValueError, match=r"labels must be in the table gain \(1, 3\), but query 'q' has 2"):
        value_of(measure, {"a": {"x": 1}, "b": {"x": 2}}, "a")


def every_set_of_parameters(model, stop):
    """Return all valid sets of some values of each parameter, for a cell."""
    gains = ["exp", "linear"] if stop not in ("AP", "RRR") else []
    redundancies = [
        {},
        {"redundancy": "RBP"},
        {"redundancy": "RBP", "theta_red": 0.2},
        {"redundancy": "RBP", "theta_red": 1.0},
        {"redundancy": "DCG"},
        {"redundancy": "RR"},
    ]
    patience = [{"theta": theta, "theta_nav": nav} for theta in (None, 0.2) for nav in (None, 0.8)]
    grades = [{"gain": gain, "max_rel": max_rel} for gain in gains for max_rel in (None, 3, 4.5)]
    grades = [*patience, *grades] if stop == "ERR" else [{"gain": gain} for gain in (None, *gains)]
    choices = itertools.product(
        patience if stop == "RBP" else [{}],
        grades,
        redundancies if model != 1 else [{}],
        [{"base": base} for base in ((None, 2.5, 10) if stop == "DCG" else (None,))],
        [{"effort": effort} for effort in ((None, "rank") if model == 3 else (None,))],
        [{"norm": norm} for norm in (None, True)],
        [{"rel": rel} for rel in (None, 2)],
        [{"cutoff": cutoff} for cutoff in (None, 1, 4, 40)],
    )
    return [
        {name: value for chosen in choice for name, value in chosen.items() if value is not None} for choice in choices
    ]


def some_sets_of_parameters(model, stop, n=150):
    everything = every_set_of_parameters(model, stop)
    return random.Random(f"{model} {stop}").sample(everything, min(n, len(everything)))


def compute(measures, qrels, run):
    return {(repr(m.measure), m.query_id): m.value for m in ir_measures.iter_calc(measures, qrels, run)}


@pytest.mark.parametrize(("model", "stop"), CELLS)
def test_values_are_those_of_the_naive_reference(model, stop, random_topics):
    qrels, run = drawn.with_weights_and_types(random_topics(0, n_queries=6, n_docs=14))
    sets = some_sets_of_parameters(model, stop)
    every = [UserModel(model, stop, **params) for params in sets]
    measures = [measure for measure in every if not disagreements.is_known(measure)]

    values = compute(measures, qrels, run)

    expected = naive.values_of_all(measures, qrels, run)
    assert values == pytest.approx(expected, abs=1e-12)
    assert len(set(expected.values())) > len(measures)


@pytest.mark.parametrize(("cell", "named"), NAMED.items(), ids=lambda value: getattr(value, "NAME", None))
def test_a_named_cell_is_the_user_model_with_the_same_parameters(cell, named, random_topics):
    qrels, run = drawn.with_weights_and_types(random_topics(2, n_queries=4))
    pairs = [(named(**params), UserModel(*cell, **params)) for params in some_sets_of_parameters(*cell, n=40)]

    values = compute([measure for pair in pairs for measure in pair], qrels, run)

    for query in qrels["query_id"].unique():
        short, long = zip(*((values[repr(a), query], values[repr(b), query]) for a, b in pairs), strict=True)
        assert short == long


@pytest.mark.parametrize(("cell", "named"), NAMED.items(), ids=lambda value: getattr(value, "NAME", None))
def test_a_named_cell_has_the_parameters_that_have_an_effect(cell, named):
    model, stop = cell
    names = {"norm", "rel", "cutoff"}
    names |= {"theta", "theta_nav"} if stop in ("RBP", "ERR") else set()
    names |= {"base"} if stop == "DCG" else set()
    names |= {"redundancy", "theta_red"} if model != 1 else set()
    names |= {"effort"} if model == 3 else set()
    names |= {"gain"} if stop not in ("AP", "RRR") else set()
    names |= {"max_rel"} if stop == "ERR" else set()

    assert set(named.SUPPORTED_PARAMS) == names


@pytest.mark.parametrize("measure", [UserModel(1, "RBP"), UserModel(model=1, stop="RBP"), UserModel(1, stop="RBP")])
def test_model_and_stop_may_be_given_by_position(measure):
    assert measure == UserModel(stop="RBP", model=1)
    assert repr(measure) == "UserModel(model=1,stop='RBP')"


@pytest.mark.parametrize(
    ("measure", "text"),
    [
        (UserModel(1, "RBP", theta=0.2) @ 20, "UserModel(model=1,stop='RBP',theta=0.2)@20"),
        (UserModel(np.int64(4), "AP"), "UserModel(model=4,stop='AP')"),
        (UserModel(2, "DCG", norm=True, redundancy="RR"), "UserModel(model=2,stop='DCG',norm=True,redundancy='RR')"),
        (UserModel(3, "ERR", gain="exp", max_rel=4), "UserModel(model=3,stop='ERR',gain='exp',max_rel=4.0)"),
        (UserModel(3, "AP", effort="rank", norm=False), "UserModel(model=3,stop='AP',effort='rank')"),
        (UserModel(1, "RBP")(theta=0.2), "UserModel(model=1,stop='RBP',theta=0.2)"),
        (EPR(theta=0.2, theta_nav=0.9) @ 5, "EPR(theta=0.2,theta_nav=0.9)@5"),
        (DCG @ 20, "DCG@20"),
    ],
    ids=repr,
)
def test_repr_is_canonical(measure, text):
    assert repr(measure) == text


EXAMPLES = [
    *(UserModel(model, stop) for model, stop in CELLS),
    UserModel(2, "DCG", norm=True, redundancy="RBP", theta_red=0.1 + 0.2, gain="exp") @ 20,
    UserModel(3, "ERR", theta=1 - 0.8, theta_nav=0.9, effort="rank", rel=2),
    IA(UserModel(1, "RBP", theta=0.2) @ 7),
    RBTR(theta=0.2, norm=True) @ 10,
    RRR(effort="rank"),
]


@pytest.mark.parametrize("measure", EXAMPLES, ids=repr)
def test_repr_parses_to_an_equal_measure(measure):
    parsed = ir_measures.parse_measure(repr(measure))

    assert parsed == measure
    assert repr(parsed) == repr(measure)


@pytest.mark.parametrize("measure", EXAMPLES, ids=repr)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda measure: pickle.loads(pickle.dumps(measure))])
def test_a_copy_is_an_equal_measure(measure, duplicate):
    again = duplicate(measure)

    assert again == measure
    assert repr(again) == repr(measure)


@pytest.mark.parametrize(
    ("model", "stop"),
    [*((model, stop) for model in (1, 2) for stop in DYNAMIC), *((3, stop) for stop in STATIC)],
)
def test_a_model_refuses_the_stops_that_make_no_measure(model, stop):
    with pytest.raises(ValueError, match=rf"^UserModel: .*{stop}"):
        UserModel(model, stop)


@pytest.mark.parametrize(
    ("model", "stop", "name"),
    [
        (0, "RBP", "model"),
        (5, "RBP", "model"),
        (1.5, "RBP", "model"),
        (True, "RBP", "model"),
        ("1", "RBP", "model"),
        (1, "rbp", "stop"),
        (1, "Q", "stop"),
        (1, 2, "stop"),
    ],
)
def test_a_model_or_stop_that_does_not_exist_is_refused(model, stop, name):
    with pytest.raises(ValueError, match=f"^UserModel: {name} must be "):
        UserModel(model, stop)


@pytest.mark.parametrize("params", [{"model": 1}, {"stop": "RBP"}, {"norm": True}, {"model": 2, "theta": 0.2}], ids=str)
def test_half_a_user_model_is_refused(params):
    with pytest.raises(ValueError, match=r"^UserModel needs a model and a distribution, as in "):
        UserModel(**params)


@pytest.mark.parametrize("measure", [UserModel, UserModel @ 5], ids=repr)
def test_a_user_model_without_model_and_stop_is_refused_when_it_is_evaluated(measure, value_of):
    with pytest.raises(ValueError, match=r"^UserModel needs a model and a distribution, as in "):
        value_of(measure, JUDGED, RANKING)


@pytest.mark.parametrize(
    ("measure", "params"),
    [(UserModel(2, "DCG"), {"stop": "AP"}), (UserModel(1, "RBP", theta=0.2), {"stop": "DCG"}), (EPR, {"stop": "AP"})],
    ids=lambda value: None if isinstance(value, dict) else repr(value),
)
def test_another_stop_is_refused_where_it_does_not_fit_the_rest(measure, params):
    with pytest.raises(ValueError, match=f"^{measure.NAME}[: ].*(?:stop|theta)"):
        measure(**params)


@pytest.mark.parametrize(
    ("cell", "params"),
    [
        *((cell, {"theta": 0.2}) for cell in CELLS if cell[1] not in ("RBP", "ERR")),
        *((cell, {"theta_nav": 0.2}) for cell in CELLS if cell[1] not in ("RBP", "ERR")),
        *((cell, {"theta": 0.2, "gain": "exp"}) for cell in CELLS if cell[1] == "ERR"),
        *((cell, {"theta_nav": 0.2, "gain": "linear"}) for cell in CELLS if cell[1] == "ERR"),
        *((cell, {"base": 10}) for cell in CELLS if cell[1] != "DCG"),
        *((cell, {"redundancy": "RBP"}) for cell in CELLS if cell[0] == 1),
        *((cell, {"theta_red": 0.2}) for cell in CELLS),
        *((cell, {"theta_red": 0.2, "redundancy": "DCG"}) for cell in CELLS if cell[0] != 1),
        *((cell, {"effort": "rank"}) for cell in CELLS if cell[0] != 3),
        *((cell, {"gain": "exp"}) for cell in CELLS if cell[1] in ("AP", "RRR")),
        *((cell, {"gain": "linear"}) for cell in CELLS if cell[1] in ("AP", "RRR")),
        *((cell, {"max_rel": 4}) for cell in CELLS),
        *((cell, {"max_rel": 4, "gain": "exp"}) for cell in CELLS if cell[1] in STATIC),
    ],
    ids=str,
)
def test_a_parameter_that_has_no_effect_is_refused_when_the_measure_is_built(cell, params):
    name = next(iter(params))

    with pytest.raises(ValueError, match=rf"^UserModel: .*\b{name}\b"):
        UserModel(*cell, **params)


@pytest.mark.parametrize(
    ("named", "params"),
    [
        (RBTR, {"theta_red": 0.2}),
        (DAG, {"redundancy": "RR", "theta_red": 0.2}),
        (EPR, {"max_rel": 4}),
        (EPR, {"theta": 0.2, "gain": "exp"}),
        (CDG, {"theta": 0.2}),
        (RRG, {"redundancy": "RR"}),
        (RRR, {"gain": "exp"}),
        (RAP, {"effort": "rank"}),
        (RRAP, {"model": 4}),
        (ARR, {"stop": "AP"}),
    ],
    ids=lambda value: getattr(value, "NAME", str(value)),
)
def test_a_named_cell_refuses_a_parameter_that_has_no_effect_too(named, params):
    with pytest.raises(ValueError, match=f"^{named.NAME}[: ].*(?:{'|'.join(params)})"):
        named(**params)


@pytest.mark.parametrize(
    ("cell", "params"),
    [
        ((1, "RBP"), {"theta": -0.1}),
        ((2, "RBP"), {"theta": 1.1}),
        ((4, "ERR"), {"theta": math.nan}),
        ((3, "ERR"), {"theta_nav": 1.5}),
        ((2, "DCG"), {"theta_red": 1.1, "redundancy": "RBP"}),
        ((2, "DCG"), {"redundancy": "ERR"}),
        ((2, "DCG"), {"gain": "log"}),
        ((2, "DCG"), {"base": 1.9}),
        ((2, "DCG"), {"base": math.inf}),
        ((3, "AP"), {"effort": "time"}),
        ((3, "AP"), {"norm": 1}),
        ((3, "ERR"), {"max_rel": 0, "gain": "exp"}),
        ((4, "RR"), {"rel": 0}),
        ((4, "RR"), {"cutoff": 0}),
    ],
    ids=str,
)
def test_a_parameter_out_of_range_is_refused_when_the_measure_is_built(cell, params):
    name = next(iter(params))

    with pytest.raises(ValueError, match=f"^UserModel: {name} must be "):
        UserModel(*cell, **params)


def test_a_label_above_max_rel_is_refused(value_of):
    measure = UserModel(3, "ERR", gain="exp", max_rel=2)
    sentence = f"{measure}: labels may be at most 2, but query 'q' has 3 for document 'b'."

    with pytest.raises(ValueError, match="^" + re.escape(sentence) + "$"):
        value_of(measure, {"a": {"x": 2}, "b": {"x": 3}}, "a")


@pytest.mark.parametrize("stop", STATIC)
@pytest.mark.parametrize("model", [1, 4])
@pytest.mark.parametrize("k", [1, 2, 7])
def test_the_stops_down_to_a_rank_add_up_to_all_but_those_below(model, stop, k, value_of):
    ranking = "abcdefghij"

    # All documents are relevant, so that each rank adds the probability of stopping there, or that times a precision
    # of 1.
    value = value_of(UserModel(model, stop) @ k, {doc: {"x": 1} for doc in ranking}, ranking)

    assert value == pytest.approx(1 - viewing(stop, k + 1), abs=1e-15)


@pytest.mark.parametrize("stop", STATIC)
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_total_utility_at_a_cutoff_expects_nothing_new_below_it(stop, k, value_of):
    found = [1, 1, 2, 3, 3]

    value = value_of(UserModel(2, stop) @ k, JUDGED, RANKING)

    above = sum(found[i - 1] * stopping(stop, i) for i in range(1, k + 1))
    assert value == pytest.approx(above + found[k - 1] * viewing(stop, k + 1), abs=1e-15)


@pytest.mark.parametrize("theta", [0.1, 0.5, 0.9])
def test_rank_biased_total_relevance_is_rbp_over_theta(theta, random_topics, by_query):
    data = random_topics(3)

    total = by_query(RBTR(theta=theta), *data)

    utility = by_query(UserModel(1, "RBP", theta=theta), *data)
    assert total == pytest.approx({query: value / theta for query, value in utility.items()}, abs=1e-12)


@pytest.mark.parametrize(
    ("model", "geometric", "reciprocal"),
    [(1, "RBP", "RR"), (2, "RBP", "RR"), (4, "RBP", "RR"), (3, "ERR", "RRR"), (4, "ERR", "RRR")],
)
def test_reciprocal_ranks_mix_users_of_every_patience(model, geometric, reciprocal, random_topics):
    qrels, run = random_topics(4)
    # Exact for polynomials of degree 39, which the values are in theta.
    nodes, weights = np.polynomial.legendre.leggauss(20)
    users = {
        UserModel(model, geometric, theta=(1 + node) / 2): weight / 2
        for node, weight in zip(nodes, weights, strict=True)
    }

    values = compute([*users, UserModel(model, reciprocal)], qrels, run)

    for query in qrels["query_id"].unique():
        mixture = sum(weight * values[repr(user), query] for user, weight in users.items())
        assert values[repr(UserModel(model, reciprocal)), query] == pytest.approx(mixture, abs=1e-12)


PERFECT = {"a": {"x": 3, "y": 3}, "b": {"x": 2, "y": 2}, "c": {"x": 1, "y": 1}}


@pytest.mark.parametrize(("model", "stop"), CELLS)
def test_normalised_a_perfect_ranking_scores_1(model, stop, topic):
    measures = [
        UserModel(model, stop, **{"norm": True, **params})
        for params in every_set_of_parameters(model, stop)
        if params.get("cutoff", 1) <= len(PERFECT) and not params.keys() & {"norm", "rel"}
    ]

    values = compute(measures, *topic(PERFECT, "abc", weights={"x": 3, "y": 1}))

    assert list(values.values()) == pytest.approx([1] * len(measures), abs=1e-15)


def test_a_perfect_ranking_is_as_long_as_the_ranking(value_of):
    # A user who stops below the last relevant document, and is content with the average, does so there, too.
    assert value_of(UserModel(4, "RR", norm=True), {"a": {"x": 1}}, "au") == 1


def test_each_intent_is_normalised_by_its_own_perfect_ranking(value_of):
    judged = {"a": {"x": 1}, "b": {"x": 1, "y": 1}, "c": {"x": 1}}

    value = value_of(UserModel(2, "RR", norm=True), judged, "ab", weights={"x": 3, "y": 1})

    assert value == pytest.approx(3 / 4 * (1 + 1 / 2) / (1 + 1 / 2 + 1 / 3) + 1 / 4 * 1 / 2, abs=1e-15)


@pytest.mark.parametrize("measure", [RBAP, DCG(norm=True, gain="exp"), ARR(norm=True)], ids=repr)
@pytest.mark.parametrize("cutoff", [10**6, 2**62, 2**63])
def test_a_cutoff_beyond_every_ranking_has_no_effect(cutoff, measure, value_of):
    assert value_of(measure @ cutoff, JUDGED, RANKING) == value_of(measure, JUDGED, RANKING)


@pytest.mark.parametrize(("model", "stop"), CELLS)
def test_a_user_model_is_the_mean_over_the_intents(model, stop, random_topics):
    data = drawn.with_weights_and_types(random_topics(5))

    alone = compute([IA(UserModel(model, stop) @ 10)], *data)

    assert list(compute([UserModel(model, stop) @ 10], *data).values()) == pytest.approx(
        list(alone.values()), abs=1e-12
    )


@pytest.mark.parametrize(("model", "stop"), CELLS)
def test_a_query_without_relevant_documents_scores_0(model, stop, value_of):
    measures = [UserModel(model, stop), UserModel(model, stop, norm=True) @ 3]

    assert [value_of(measure, {"a": {"x": 0, "y": -2}}, "ab") for measure in measures] == [0, 0]


@pytest.mark.parametrize(("model", "stop"), CELLS)
def test_a_query_that_is_missing_from_the_run_scores_0(model, stop, value_of):
    assert value_of(UserModel(model, stop, norm=True), {"a": {"x": 1}}, "") == 0


@pytest.mark.parametrize(("model", "stop"), CELLS)
def test_negative_labels_and_intents_without_relevant_documents_are_left_out(model, stop, value_of):
    judged = {"a": {"x": -2, "y": 0}, "b": {"x": 1, "y": -1}}

    assert value_of(UserModel(model, stop), judged, "ab") == value_of(UserModel(model, stop), {"b": {"x": 1}}, "ab")
