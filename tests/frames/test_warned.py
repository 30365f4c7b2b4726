import warnings
from threading import Thread

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_diversity import RBU, StRecall, evaluate_runs, html_report, missed_intents
from pyterrier_diversity.evaluate import DiversityEvaluator
from pyterrier_diversity.frames import Told, collected, give, warn
from pyterrier_diversity.io import read_runs
from pyterrier_diversity.meta import compare
from pyterrier_diversity.transformers import Evaluate, Explain
from pyterrier_diversity.warnings import (
    DataWarning,
    EmptyWarning,
    IdsWarning,
    RanksWarning,
    RepeatsWarning,
)

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


MANY = {f"run{i}": TWICE.tail(3 - i % 2) for i in range(5)}
MANY["run5"] = TWICE.tail(1)
ODD = {name: TWICE.assign(rank=[3, 2, 1 + i]) for i, name in enumerate(MANY)}


@pytest.mark.parametrize(
    ("kind", "runs", "call"),
    [
        (RepeatsWarning, ["run0", "run2", "run4"], lambda _: evaluate_runs(QRELS, MANY, [RBU @ 5])),
        (RepeatsWarning, ["run0", "run2", "run4"], lambda _: missed_intents(QRELS, MANY)),
        (RepeatsWarning, ["run0", "run2", "run4"], lambda folder: html_report(QRELS, MANY, RBU @ 5, folder / "x.html")),
        (RanksWarning, list(ODD), lambda _: dict(read_runs(ODD))),
        (RanksWarning, list(ODD), lambda _: evaluate_runs(QRELS, ODD, [RBU @ 5])),
    ],
)
def test_a_call_with_many_runs_gives_one_warning_of_a_kind(tmp_path, kind, runs, call):
    with pytest.warns(DataWarning) as warned:
        table = call(tmp_path)

    (one,) = (warning for warning in warned if warning.category is kind)
    assert one.filename == __file__
    assert str(one.message).startswith(f"Run {runs[0]}: ")
    named = ", ".join([*runs[:3], *(["..."] if len(runs) > 3 else [])])
    assert str(one.message).endswith(f" Runs with a warning of this kind: {len(runs)} ({named}).")
    if hasattr(table, "attrs"):
        assert [row["name"] for row in table.attrs["warnings"] if row["about"] == kind.__name__] == runs


def test_warnings_about_no_run_are_given_once_each():
    first, second = IdsWarning("First."), IdsWarning("Second.")

    with pytest.warns(IdsWarning) as warned:
        give([Told(first), Told(IdsWarning("Of a run."), "a"), Told(second), Told(IdsWarning("First."))])

    assert [str(one.message) for one in warned] == ["First.", "Second.", "Run a: Of a run."]


def test_a_run_with_several_warnings_of_a_kind_has_them_in_one():
    texts = {"a": ["One.", "Two.", "One."], "b": ["One."]}

    with pytest.warns(RanksWarning) as warned:
        give(Told(RanksWarning(text), name) for name in texts for text in texts[name])

    assert [str(one.message) for one in warned] == ["Run a: One. Two. Runs with a warning of this kind: 2 (a, b)."]


def test_the_filters_of_python_hold_for_the_classes():
    def call() -> pd.DataFrame:
        return evaluate_runs(QRELS, {"mine": {}}, [RBU @ 5])

    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=DataWarning)
        with pytest.raises(EmptyWarning, match=r"^Run mine: The run is empty"):
            call()
        warnings.filterwarnings("ignore", category=EmptyWarning)
        assert [row["about"] for row in call().attrs["warnings"]] == ["EmptyWarning"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("once", category=DataWarning)
        warn(EmptyWarning("nothing"))
        warn(EmptyWarning("nothing"))
    assert [warning.category for warning in caught] == [EmptyWarning]


def test_an_error_is_raised_before_warnings():
    with pytest.raises(ValueError, match=r"^Run bad: "):
        evaluate_runs(QRELS, {"mine": TWICE, "bad": TWICE.assign(score=None)}, [RBU @ 5])


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
