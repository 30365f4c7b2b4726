"""Tables with the families of measures and the descriptions of columns."""

import pandas as pd

from pyterrier_diversity.docstrings import legend_of
from pyterrier_diversity.meta import compare
from pyterrier_diversity.meta.scores import with_legend


def halves():
    """Halve numbers.

    Returns
    -------
    DataFrame
        A row for each number.

        - ``whole``: the number
        - ``half`` (with ``parts``) in [0, 1]: half of ``whole``: one of
          two parts
        - ``rest``: the other part

        Text below the items.
    """


def test_columns_are_described_by_the_items_of_the_docstring():
    frame = with_legend(pd.DataFrame({"half": [1], "whole": [2]}), halves, {"n": 1})

    assert frame.attrs == {"legend": {"half": "half of whole: one of two parts", "whole": "the number"}, "n": 1}
    assert list(frame.attrs["legend"]) == ["half", "whole"]


def test_a_description_has_no_condition_and_no_markup():
    legend = legend_of(compare.__doc__)

    assert legend["p_corrected"] == "p, corrected for the number of pairs of the measure"


def test_nothing_is_described_without_a_docstring():
    assert legend_of(None) == {}
