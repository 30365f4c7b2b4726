from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest
from ir_measures import ScoredDoc, nDCG

from pyterrier_diversity import RBU, P_Rareness, check_files, evaluate_runs, html_report, meta, missed_intents

QRELS = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "label": [1, 2], "iteration": ["x", "y"]})
RUN = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "score": [1.0, 2.0]})
TOPICS = pd.DataFrame({"qid": ["q"], "query": ["text"]})
FORMS = r"^evaluate_runs: runs must be a mapping of names to runs, or paths"
NAME_IT = "Give it a name, as in {'mine': run}"
OF_NUGGETS = r"qrels looks like nuggets\. Read them with io\.read_nuggets\.$"
ORDER = r"The order is evaluate_runs\(qrels, runs, measures\)"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (({"mine": RUN}, QRELS, [RBU @ 5]), rf"qrels looks like runs and runs looks like qrels\. {ORDER}\.$"),
        ((RUN, QRELS, [RBU @ 5]), rf"qrels looks like a run and runs looks like qrels\. {ORDER}\.$"),
        ((QRELS, [RBU @ 5], {"mine": RUN}), rf"runs looks like measures and measures looks like runs\. {ORDER}\.$"),
        ((QRELS, RBU @ 5, RUN), rf"runs looks like measures and measures looks like a run\. {ORDER}\.$"),
        (([RUN], TOPICS, QRELS), r"qrels looks like runs and runs looks like topics and measures looks like qrels"),
        (
            (["my.run"], QRELS, "RBU@5"),
            rf"runs looks like qrels\. {ORDER}\.$",
        ),
        ((QRELS.to_dict("records"), QRELS, "RBU@5"), rf"runs looks like qrels\. {ORDER}\.$"),
        ((QRELS, RUN, [nDCG @ 5]), r"runs looks like a run\. Give it a name, as in {'mine': run}\.$"),
        ((QRELS, RUN.to_dict("records"), [nDCG @ 5]), r"runs looks like a run\. Give it a name"),
        ((QRELS, list(map(ScoredDoc._make, RUN.values)), "RBU@5"), r"runs looks like a run\. Give it a name"),
        *(
            (
                (QRELS, {"q": docs}, "RBU@5"),
                rf"runs looks like a run, as 'q' has the documents of a query\. {NAME_IT}\.$",
            )
            for docs in (["a", "b"], [("a", 1.0)], {"a": 1.0}, [SimpleNamespace(id="a")])
        ),
        *(
            (([{"qid": "q", "docid": "a", "nuggets": [], **query}], {"mine": RUN}, "RBU@5"), OF_NUGGETS)
            for query in ({}, {"query": "text"})
        ),
    ],
)
def test_arguments_in_the_wrong_place_are_named(given, message):
    with pytest.raises(ValueError, match=rf"^evaluate_runs: {message}"):
        evaluate_runs(*given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((7, {"mine": RUN}, "RBU@5"), r"^qrels must be a file, .* not int\.$"),
        ((QRELS, {"mine": [1, 2]}, "RBU@5"), r"^Run mine: run must be a file, .* not rows of int\.$"),
        ((QRELS, 5, "RBU@5"), rf"{FORMS}, not int\.$"),
        ((QRELS, None, "RBU@5"), rf"{FORMS}, not NoneType\.$"),
        ((QRELS, [1, 2], "RBU@5"), rf"{FORMS}, not a list of int\.$"),
        ((QRELS, {"mine": RUN}, None), r"^evaluate_runs: measures must be a measure or a list of .*, not NoneType\.$"),
        ((QRELS, {"mine": RUN}, 5), r"^evaluate_runs: measures must be a measure or a list of measures, not int\.$"),
    ],
)
def test_a_value_that_no_argument_accepts_is_a_type_error(given, message):
    with pytest.raises(TypeError, match=message):
        evaluate_runs(*given)


@pytest.mark.parametrize("runs", [{"a": RUN, "b": "no.run"}, "no.run", ["no.run"], {"a": {"q": ["b"]}}, {}])
@pytest.mark.parametrize("qrels", [QRELS, {"q": {"a": 1}}, QRELS.drop(columns="label")])
def test_arguments_in_their_places_pass(qrels, runs):
    with pytest.raises((ValueError, TypeError, OSError)) as caught:
        evaluate_runs(qrels, runs, [])

    assert "looks like" not in str(caught.value)


@pytest.mark.parametrize(
    "function",
    [
        lambda runs: evaluate_runs(QRELS, runs, [RBU]),
        lambda runs: missed_intents(QRELS, runs),
        lambda runs: check_files(QRELS, runs),
        lambda runs: html_report(QRELS, runs, [RBU], "never.html"),
        lambda runs: meta.pool_depth(QRELS, runs, [RBU]),
        lambda runs: meta.assessor_agreement(QRELS, QRELS, runs, [RBU]),
        lambda runs: meta.number_of_systems(QRELS, runs, [P_Rareness @ 1]),
        lambda runs: meta.insert_synthetic_system(QRELS, runs, [P_Rareness @ 1]),
    ],
)
def test_no_run_is_lost_if_two_names_are_written_alike(function):
    with pytest.raises(ValueError, match=r"^\w+: two runs have the name '1'\.$"):
        function({1: RUN, "1": RUN, "2": RUN})
