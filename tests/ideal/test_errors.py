"""The error of a search that runs out of time."""

import pickle

from pyterrier_diversity.ideal import NotProvenError


def test_an_error_from_another_process_says_the_same():
    error = NotProvenError("The minimum rank", best=3.0, bound=2.0, time_limit=1.5)

    again = pickle.loads(pickle.dumps(error))

    assert type(again) is NotProvenError
    assert str(again) == str(error)
    assert (again.best, again.bound) == (3.0, 2.0)
