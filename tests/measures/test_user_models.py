import math
import re

import pytest

from pyterrier_diversity import (
    ARR,
    CDG,
    DAG,
    DCG,
    EPR,
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


@pytest.mark.parametrize("measure", [UserModel(3, "ERR"), EPR], ids=repr)
def test_with_err_a_table_has_probabilities(measure):
    sentence = f"{measure.NAME}: with stop='ERR' gains are probabilities, not 2."
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
    ("model", "stop"),
    [*((model, stop) for model in (1, 2) for stop in DYNAMIC), *((3, stop) for stop in STATIC)],
)
def test_a_model_refuses_the_stops_that_make_no_measure(model, stop):
    with pytest.raises(ValueError, match=rf"^UserModel: .*{stop}"):
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


def test_each_intent_is_normalised_by_its_own_perfect_ranking(value_of):
    judged = {"a": {"x": 1}, "b": {"x": 1, "y": 1}, "c": {"x": 1}}

    value = value_of(UserModel(2, "RR", norm=True), judged, "ab", weights={"x": 3, "y": 1})

    assert value == pytest.approx(3 / 4 * (1 + 1 / 2) / (1 + 1 / 2 + 1 / 3) + 1 / 4 * 1 / 2, abs=1e-15)


@pytest.mark.parametrize("measure", [RBAP, DCG(norm=True, gain="exp"), ARR(norm=True)], ids=repr)
@pytest.mark.parametrize("cutoff", [10**6, 2**62, 2**63])
def test_a_cutoff_beyond_every_ranking_has_no_effect(cutoff, measure, value_of):
    assert value_of(measure @ cutoff, JUDGED, RANKING) == value_of(measure, JUDGED, RANKING)
