from types import SimpleNamespace

import pandas as pd
import pytest
from ir_measures import ScoredDoc, nDCG

from pyterrier_diversity import RBU, P_Rareness, check_files, evaluate_runs, html_report, meta, missed_intents
from pyterrier_diversity.io import read_runs
from pyterrier_diversity.warnings import RowsWarning

QRELS = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "label": [1, 2], "iteration": ["x", "y"]})
RUN = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "score": [1.0, 2.0]})
TOPICS = pd.DataFrame({"qid": ["q"], "query": ["text"]})
FORMS = r"^evaluate_runs: runs must be a mapping of names to runs, or paths"


ONE_RUN = r"^evaluate_runs: runs is one run\. Give it a name, as in {'mine': run}\.$"
FIRST = r".* Qrels come first, then runs, then measures\.$"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (({"mine": RUN}, {"mine": QRELS}, [RBU @ 5]), rf"^qrels is several runs, not qrels{FIRST}"),
        ((RUN, {"mine": QRELS}, [RBU @ 5]), rf"^qrels is a run, not qrels; found: qid, docno, score\.{FIRST}"),
        (([RUN], {"mine": RUN}, [RBU @ 5]), rf"^qrels is several runs, not qrels{FIRST}"),
        ((TOPICS, {"mine": RUN}, [RBU @ 5]), rf"^qrels is topics, not qrels; found: qid, query\.{FIRST}"),
        (([RBU @ 5], {"mine": RUN}, [RBU @ 5]), rf"^qrels is a measure, not qrels{FIRST}"),
        ((RBU @ 5, {"mine": RUN}, [RBU @ 5]), rf"^qrels is a measure, not qrels{FIRST}"),
        ((QRELS, QRELS, [RBU @ 5]), rf"^evaluate_runs: runs is qrels, not a run; found: .*{FIRST}"),
        (
            (QRELS, QRELS.to_dict("records"), [RBU @ 5]),
            rf"^evaluate_runs: runs is qrels, not a run; found: .*{FIRST}",
        ),
        ((QRELS, TOPICS, [RBU @ 5]), rf"^evaluate_runs: runs is topics, not a run; found: .*{FIRST}"),
        ((QRELS, [RBU @ 5], {"mine": RUN}), rf"^evaluate_runs: runs is a measure, not a run{FIRST}"),
        ((QRELS, {"mine": QRELS}, [RBU @ 5]), rf"^Run mine: run is qrels, not a run; found: .*{FIRST}"),
        ((QRELS, RUN, [nDCG @ 5]), ONE_RUN),
        ((QRELS, RUN.to_dict("records"), [nDCG @ 5]), ONE_RUN),
        ((QRELS, list(map(ScoredDoc._make, RUN.values)), "RBU@5"), ONE_RUN),
        *(
            ((QRELS, {"q": docs}, "RBU@5"), ONE_RUN)
            for docs in (["a", "b"], [("a", 1.0)], {"a": 1.0}, [SimpleNamespace(id="a")], RUN, RUN.drop(columns="qid"))
        ),
        ((QRELS, {"q": RUN.to_dict("records")}, "RBU@5"), ONE_RUN),
        (
            (QRELS, {"mine": [(1, "b", 3.0)]}, "RBU@5"),
            r"^Run mine: run is rows without names, not a run\.",
        ),
        ((QRELS, [("1", "b", 3.0)], "RBU@5"), r"^evaluate_runs: runs is rows without names, not a run\. Name the col"),
    ],
)
def test_arguments_in_the_wrong_place_are_named(given, message):
    with pytest.raises(ValueError, match=message):
        evaluate_runs(*given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((7, {"mine": RUN}, "RBU@5"), r"^qrels must be a file, .* not int\.$"),
        ((QRELS, {"mine": 7}, "RBU@5"), r"^Run mine: run must be a file, .* not int\.$"),
        ((QRELS, 5, "RBU@5"), rf"{FORMS}, not int\.$"),
        ((QRELS, None, "RBU@5"), rf"{FORMS}, not NoneType\.$"),
        ((QRELS, [1, 2], "RBU@5"), rf"{FORMS}, not a list of int\.$"),
        (
            (QRELS, {"mine": RUN}, 5),
            r"^evaluate_runs: a measure must be an object such as RBU @ 20, or its .*, not 5\.$",
        ),
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

    assert "Qrels come first" not in str(caught.value)


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


def test_tables_of_an_experiment_are_no_runs_unless_they_are_named(tmp_path):
    for name in ("a.run", "aggregated.csv", "perquery.csv"):
        RUN.to_csv(tmp_path / name, index=False)

    with pytest.warns(RowsWarning, match=r"^aggregated\.csv and perquery\.csv in '.*' are not read as runs: "):
        assert [name for name, _ in read_runs(tmp_path)] == ["a"]
    assert [name for name, _ in read_runs([tmp_path / "perquery.csv"])] == ["perquery"]


def test_runs_of_files_of_one_name_have_their_paths_as_names(tmp_path):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        RUN.to_csv(tmp_path / folder / "a.run", index=False)
    paths = [str(tmp_path / "x" / "a.run"), str(tmp_path / "y" / "a.run")]

    assert [name for name, _ in read_runs(paths)] == paths
