import pytest
from ir_measures import nDCG

import drawn
from pyterrier_diversity import (
    D_Q,
    DIN_Q,
    IA,
    Adhoc,
    D_nDCG,
    DIN_nDCG,
    DINsharp_nDCG,
    DINsharp_Q,
    Dsharp_nDCG,
    Dsharp_Q,
    PplusQ,
    PplusQsharp,
    Sharp,
    UserModel,
)
from pyterrier_diversity.measures.parse import higher_is_better

FORMS = [
    (Dsharp_nDCG, D_nDCG),
    (Dsharp_Q, D_Q),
    (DINsharp_nDCG, DIN_nDCG),
    (DINsharp_Q, DIN_Q),
    (PplusQsharp, PplusQ),
]
each_form = pytest.mark.parametrize(("form", "base"), FORMS, ids=lambda measure: measure.NAME)

# Fig. 1 of Sakai (2013), a document of rank 5 that is L1-relevant: i is informational, j navigational.
FIGURE_1 = {"a": {"i": 1}, "b": {"i": 3, "j": 1}, "d": {"j": 3}, "e": {"i": 1}}


def known(measure, params):
    return {name: value for name, value in params.items() if name in measure.SUPPORTED_PARAMS}


@each_form
@pytest.mark.parametrize("gamma", [0.3, 1])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"cutoff": 5},
        {"cutoff": 100},
        {"rel": 2, "cutoff": 5},
        {"gain": "linear", "cutoff": 5},
        {"beta": 0.1, "gain": "binary", "rel": 1.5},
    ],
    ids=str,
)
def test_a_sharp_form_is_sharp_of_its_base(form, base, gamma, params, by_query):
    qrels, run = drawn.intent_topics(0)

    expected = by_query(Sharp(base(**known(base, params)), gamma=gamma), qrels, run)

    assert by_query(form(gamma=gamma, **known(form, params)), qrels, run) == expected
    assert len(set(expected.values())) > 1


@pytest.mark.parametrize(
    ("measure", "value"),
    [  # subtopic recall is 1/2 at rank 1, where the gain is 1/2 of at most 4
        (Dsharp_nDCG @ 1, (1 / 2 + 0.5 / 4) / 2),
        (DINsharp_nDCG @ 1, (1 / 2 + 0.5 / 4) / 2),
        (Dsharp_Q @ 1, (1 / 2 + 1.5 / 5) / 2),
        (DINsharp_Q @ 1, (1 / 2 + 1.5 / 5) / 2),
        (PplusQsharp @ 1, (1 / 2 + (2 / 8 + 0) / 2) / 2),
        (Dsharp_Q @ 2, (1 + (1.5 / 5 + 6.5 / 9.5) / 2) / 2),
        (Dsharp_Q(gamma=0.2) @ 2, 0.2 + 0.8 * (1.5 / 5 + 6.5 / 9.5) / 2),
        (DINsharp_Q(gamma=0.2) @ 4, 0.2 + 0.8 * (1.5 / 5 + 6.5 / 9.5) / 4),
        (Dsharp_Q(gamma=0.2) @ 4, 0.2 + 0.8 * (1.5 / 5 + 6.5 / 9.5 + 11 / 12.5) / 4),
        (PplusQsharp(gamma=0.2) @ 2, 0.2 + 0.8 * ((2 / 8 + 10 / 10) / 2 + 2 / 10) / 2),
    ],
    ids=repr,
)
def test_values_of_figure_1_worked_by_hand(measure, value, value_of):
    assert value_of(measure, FIGURE_1, "abcde", navigational="j") == pytest.approx(value, abs=1e-12)


def test_the_mean_of_recall_and_a_measure_of_which_lower_values_are_better_is_refused():
    rank_reached = UserModel(model=3, stop="ERR", effort="rank") @ 10

    for lower in (rank_reached, IA(rank_reached), str(Adhoc(rank_reached))):
        assert not higher_is_better(lower)
        with pytest.raises(ValueError, match="are better, but higher ones of subtopic recall"):
            Sharp(lower)
    assert all(map(higher_is_better, (UserModel(model=3, stop="ERR"), nDCG @ 5, "a name of nothing", Sharp, IA)))
