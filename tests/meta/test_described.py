"""Tables with the families of measures and the descriptions of columns."""

import pandas as pd
from ir_measures import P

from pyterrier_diversity.docstrings import legend_of
from pyterrier_diversity.meta import assessor_agreement, compare
from pyterrier_diversity.meta.scores import with_legend


def test_measures_without_a_family_are_one_family():
    run = {"qid": "q", "score": [2.0, 1.0]}
    runs = {name: pd.DataFrame({**run, "docno": list(docs)}) for name, docs in {"x": "ab", "y": "bc"}.items()}
    first, second = (
        pd.DataFrame({"qid": "q", "docno": list("abc"), "label": label}) for label in ([1, 0, 0], [0, 1, 0])
    )

    table = assessor_agreement(first, second, runs, [P @ 1, P @ 2], n_trials=2, rng=1, group=lambda measure: None)

    # Both systems are tied by P@2.
    assert table["tau"].isna().tolist() == [False, True]
    assert table["family_tau"].tolist() == [-1, -1]


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

    assert legend["undecided"] == "whether p is so close to alpha that more trials could decide otherwise"
    assert legend["p_corrected"] == "p, corrected for the number of pairs of the measure"


def test_nothing_is_described_without_a_docstring():
    assert legend_of(None) == {}
