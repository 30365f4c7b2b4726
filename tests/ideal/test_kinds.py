import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pyterrier_diversity.ideal import kinds
from pyterrier_diversity.ideal.kinds import strictly_within

SETS = st.lists(st.frozensets(st.integers(0, 4)), min_size=1, max_size=12, unique=True)


def rows(sets):
    return np.array([[intent in of for intent in range(5)] for of in sets])


@given(sets=SETS)
def test_a_kind_is_within_those_that_have_all_of_its_intents_and_more(sets):
    assert strictly_within(rows(sets)).tolist() == [[one < other for other in sets] for one in sets]


def test_many_kinds_are_compared_in_parts(monkeypatch):
    sets = [frozenset(range(i)) for i in range(6)]
    whole = strictly_within(rows(sets))

    monkeypatch.setattr(kinds, "_ROWS_AT_ONCE", 4)

    assert (strictly_within(rows(sets)) == whole).all()
