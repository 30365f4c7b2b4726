from __future__ import annotations

import warnings
from threading import Thread

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_diversity import RBU, StRecall, evaluate_runs
from pyterrier_diversity.evaluate import DiversityEvaluator
from pyterrier_diversity.frames import Told, collected, warn
from pyterrier_diversity.io import read_runs
from pyterrier_diversity.meta import compare
from pyterrier_diversity.transformers import Evaluate, Explain
from pyterrier_diversity.warnings import EmptyWarning, IdsWarning

QRELS = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "label": [1, 2], "iteration": ["x", "y"]})
TWICE = pd.DataFrame({"qid": "q", "docno": ["a", "b", "a"], "score": [3.0, 2.0, 1.0]})
UNJUDGED = TWICE.head(2).assign(qid="other")
TOPICS = pd.DataFrame({"qid": ["q"], "query": ["text"]})
PERQUERY = pd.DataFrame(
    [(name, query, "M", float("nan") if query == "c" else value) for name in "AB" for value, query in enumerate("abc")],
    columns=["name", "qid", "measure", "value"],
)

CALLS = {
    "evaluate_runs": lambda: evaluate_runs(QRELS, {"mine": TWICE}, [RBU @ 5]),
    "DiversityEvaluator": lambda: DiversityEvaluator([RBU @ 5], QRELS).values(TWICE),
    "Evaluate": lambda: Evaluate(QRELS, [RBU @ 5])(UNJUDGED),
    "Explain": lambda: Explain(QRELS, RBU @ 5)(TWICE),
    "a pipeline": lambda: (pt.Transformer.from_df(TWICE) >> Evaluate(QRELS, [RBU @ 5]))(TOPICS),
    "pt.Experiment": lambda: pt.Experiment([TWICE], TOPICS, QRELS, [StRecall @ 5]),
    "compare": lambda: compare(PERQUERY, "t"),
    "read_runs": lambda: dict(read_runs({"mine": TWICE.assign(rank=[3, 2, 1])})),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_warning_points_at_the_line_of_the_user(call):
    with pytest.warns(UserWarning, match="quer") as warned:
        CALLS[call]()

    assert {warning.filename for warning in warned} == {__file__}
    assert {warning.lineno for warning in warned} == {CALLS[call].__code__.co_firstlineno}


def test_collected_warnings_are_not_shown():
    first, second = EmptyWarning("first"), IdsWarning("second")
    with collected() as found, warnings.catch_warnings():
        warnings.simplefilter("error")
        warn(first)
        with collected() as inner:
            warn(second)

    assert (found, inner) == ([Told(first)], [Told(second)])


def test_each_thread_collects_its_own():
    def warn_in_a_thread() -> None:
        thread = Thread(target=warn, args=[IdsWarning("of another thread")])
        thread.start()
        thread.join()

    with collected() as found, pytest.warns(IdsWarning, match="of another thread"):
        warn_in_a_thread()

    assert found == []
