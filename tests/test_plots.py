import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from pyterrier_diversity import plots

mpl.use("Agg")

QRELS = pd.DataFrame(
    [("1", "d1", 2, "a"), ("1", "d2", 1, "b"), ("1", "d3", 0, "b"), ("1", "d4", 0, "c"), ("2", "d1", 1, "a")],
    columns=["qid", "docno", "label", "iteration"],
)
RUN = pd.DataFrame([("1", "d3", 3.0), ("1", "d2", 2.0), ("1", "d1", 1.0)], columns=["qid", "docno", "score"])


def test_coverage_shows_labels_by_intent_and_rank():
    ax = plots.coverage(RUN, QRELS, "1", cutoff=4)

    shown = np.asarray(ax.collections[0].get_array()).reshape(2, 4)
    assert shown.tolist() == [[0, 0, 2, 0], [0, 1, 0, 0]]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a (0.50)", "b (0.50)"]


def test_coverage_writes_the_names_given_for_intents_into_the_axes_given():
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    same = plots.coverage(RUN, QRELS, "1", intents=pd.Series({"a": "first"}), ax=ax)

    assert same is ax
    assert [label.get_text() for label in ax.get_yticklabels()] == ["first (0.50)", "b (0.50)"]


def test_coverage_of_a_query_without_relevant_documents_says_so():
    with pytest.raises(ValueError, match="no relevant document for query '3'"):
        plots.coverage(RUN, QRELS, "3")
