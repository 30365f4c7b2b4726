import gc
import io
import os
import re
import sys
import threading
import warnings
import weakref
from pathlib import Path

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, ERR, Measure, P, ScoredDoc, nDCG

from pyterrier_diversity import (
    CT,
    NDEVAL,
    RBU,
    Adhoc,
    DiversityMeasure,
    UserModel,
    alpha_nDCG,
    evaluate_runs,
    signature,
)
from pyterrier_diversity.datasets.demo import FOLDER, RUNS, DemoDataset
from pyterrier_diversity.evaluate import DiversityEvaluator, scoring
from pyterrier_diversity.io import run_parts
from pyterrier_diversity.io.run_collections import run_files
from pyterrier_diversity.meta import compare
from pyterrier_diversity.transformers import Evaluate
from pyterrier_diversity.warnings import DataWarning, EmptyWarning, IdsWarning, MissingWarning, RepeatsWarning

MEASURES = [RBU @ 5, alpha_nDCG @ 5, Adhoc(AP), P @ 5]
DEMO = DemoDataset()
QRELS = DEMO.get_qrels()


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return {name: str(FOLDER / f"{name}.run") for name in RUNS}


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("perquery", [False, True])
def test_files_have_the_values_of_an_experiment(files, perquery, n_jobs):
    table = evaluate_runs(QRELS, files, MEASURES, perquery=perquery, n_jobs=n_jobs)

    systems = [DEMO.get_results(name) for name in RUNS]
    expected = pt.Experiment(systems, DEMO.get_topics(), QRELS, MEASURES, names=list(RUNS), perquery=perquery)
    keys = ["name", "qid", "measure"] if perquery else ["name"]
    pd.testing.assert_frame_equal(
        table.sort_values(keys, ignore_index=True)[list(expected)],
        expected.sort_values(keys, ignore_index=True),
        check_exact=True,
    )


def test_a_run_may_come_from_a_pipe_or_the_standard_input(tmp_path, files, monkeypatch):
    pipe = tmp_path / "piped.run"
    os.mkfifo(pipe)
    text = Path(files["bm25"]).read_bytes()
    writer = threading.Thread(target=pipe.write_bytes, args=(text,))
    writer.start()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))

    table = evaluate_runs(QRELS, [files["bm25"], pipe, "-"], MEASURES).set_index("name")

    writer.join()
    assert table.index.tolist() == ["bm25", "piped", "-"]
    assert (table == table.loc["bm25"]).all(axis=None)


def test_files_of_one_name_are_called_by_their_paths(tmp_path, files):
    copy = tmp_path / "bm25.run"
    copy.write_bytes((FOLDER / "bm25.run").read_bytes())

    assert evaluate_runs(QRELS, [copy, files["bm25"]], [RBU @ 5])["name"].tolist() == [str(copy), files["bm25"]]


def test_a_table_carries_the_signatures_of_its_measures(files):
    table = evaluate_runs(QRELS, files, MEASURES)

    ties = "docno descending"
    assert table.attrs["signatures"] == {str(measure): signature(measure, ties=ties) for measure in MEASURES}


@pytest.mark.filterwarnings("ignore::pyterrier_diversity.warnings.MissingWarning")
def test_the_share_of_queries_with_ties_across_each_cutoff_is_in_attrs():
    qrels = pd.DataFrame({"qid": ["p", "q", "q"], "docno": ["a", "a", "b"], "label": 1, "iteration": ["x", "x", "y"]})
    untied = pd.DataFrame({"qid": "p", "docno": ["a", "b"], "score": [1.0, 0.0]})
    tied = pd.DataFrame({"qid": "q", "docno": [*"abcd"], "score": [2.0, 1.0, 1.0, 1.0]})
    runs = {"mine": pd.concat([untied, tied]), "none": untied}

    measures = [RBU @ 1, Adhoc(P @ 2), alpha_nDCG @ 3]
    table, by_query = (evaluate_runs(qrels, runs, measures, queries=True, perquery=each) for each in (False, True))

    shares = {"ties@1": 0.0, "ties@2": 0.5, "ties@3": 0.5}
    assert table.attrs["ties"] == {"mine": shares, "none": dict.fromkeys(shares, 0.0)}
    assert table.columns.tolist() == ["name", "queries", *shares, *map(str, measures)]
    assert table[["queries", *shares]].to_numpy().tolist() == [[2, 0.0, 0.5, 0.5], [1, 0.0, 0.0, 0.0]]
    assert by_query.groupby("name")["queries"].unique().map(list).to_dict() == {"mine": [2], "none": [1]}
    # The others have no cutoff, or one that counts turns or judged documents.
    uncut = [nDCG(judged_only=True) @ 5, AP, CT @ 1]
    assert list(evaluate_runs(qrels, runs, uncut).attrs["ties"]["mine"]) == ["ties@5"]


@pytest.mark.parametrize(
    ("runs", "measures", "names"),
    [
        (FOLDER / "bm25.run", "RBU@5", ["bm25"]),
        (str(FOLDER / "*.run"), RBU @ 5, sorted(RUNS)),
        (str(FOLDER / "*.run"), [RBU @ 5], sorted(RUNS)),
        ([FOLDER / "bm25.run"], ["Coverage@10 NDEVAL", "RBU(p=0.9, e=0) @ 5,RBU@5"], ["bm25"]),
    ],
    ids=["texts", "measure", "list", "several in a text"],
)
def test_runs_and_measures_may_be_texts_objects_or_lists(files, runs, measures, names):
    table = evaluate_runs(QRELS, runs, measures).set_index("name")

    assert sorted(table.index) == names
    assert (
        table["RBU@5"].to_dict()
        == evaluate_runs(QRELS, {n: files[n] for n in names}, [RBU @ 5]).set_index("name")["RBU@5"].to_dict()
    )
    if len(table.columns) > 1:
        assert table.columns.tolist() == ["Coverage@10", *map(str, NDEVAL), "RBU(p=0.9,e=0.0)@5", "RBU@5"]


def of_value(value: float) -> Measure:
    return ir_measures.define_byquery(lambda qrels, run: value, name="mine", support_cutoff=False)


class Mine(DiversityMeasure):
    """Another measure of the name."""

    NAME = __name__ = "mine"

    def score(self, ranked):
        return ranked.n_intents


@pytest.mark.parametrize("other", [of_value(2.0), Mine()], ids=["defined", "class"])
def test_two_different_measures_of_one_name_are_refused(files, other):
    measure = of_value(1.0)

    with pytest.raises(ValueError, match=r"^evaluate_runs: two different measures have the name mine\.$"):
        evaluate_runs(QRELS, files, [measure, other])
    with pytest.raises(ValueError, match=r"^Evaluate: two different measures have the name mine\.$"):
        Evaluate(QRELS, [measure, other])
    assert evaluate_runs(QRELS, files, [measure, measure]).columns.tolist() == ["name", "mine"]


QUERIES = QRELS["qid"].unique().tolist()
BM25 = DEMO.get_results("bm25")


def of_queries(n: int) -> pd.DataFrame:
    return BM25[BM25["qid"].isin(QUERIES[:n])]


def warned(runs_given: dict, qrels: pd.DataFrame = QRELS, measures: tuple = (RBU @ 5,), **options: object) -> list[str]:
    """Evaluate runs, and return the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate_runs(qrels, runs_given, measures, **options)
    return [str(warning.message) for warning in caught]


BAD = BM25.assign(score=float("inf"))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"runs": []}, r"^evaluate_runs: give at least one run\.$"),
        ({"runs": {1: BM25, "1": BM25}}, "^evaluate_runs: two runs have the name '1'"),
        ({"runs": {"first": BM25, "second": BAD}}, "^Run second: .*score"),
        ({"runs": {"second": BAD, "first": BM25}, "n_jobs": 2}, "^Run second: .*score"),
        ({"measures": []}, r"^evaluate_runs: measures must not be empty\.$"),
        ({"qrels": QRELS.iloc[:0]}, "^evaluate_runs: qrels must not be empty"),
        (
            {"qrels": QRELS.assign(docno="", label=0).drop_duplicates()},
            r"^qrels judge no document: they only name \d+ intents\. Nuggets need assignm",
        ),
        ({"order": "docno"}, "^evaluate_runs: order must be one of 'score', 'rank', not 'docno'"),
        (
            {"order": "rank", "runs": {"mine": BM25.drop(columns="rank")}},
            "^Run mine: run: order='rank' needs the column rank",
        ),
        ({"on_error": "ignore"}, r"^evaluate_runs: on_error must be 'raise' or 'skip', not 'ignore'\.$"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        evaluate_runs(**{"qrels": QRELS, "runs": {"bm25": BM25}, "measures": [RBU @ 5]} | changed)


def test_no_run_is_read_after_one_that_is_bad(tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(scoring, "run_parts", lambda path, **how: read.append(path.name) or run_parts(path, **how))
    for name in "abc":
        (tmp_path / f"{name}.run").write_text("1 Q0 d1\n" if name == "b" else "1 Q0 demo-1 1 1 t\n")

    with pytest.raises(ValueError, match=r"^Run b: .*b\.run is lines of three columns"):
        evaluate_runs(QRELS, tmp_path, [RBU @ 5], n_jobs=1)

    assert read == ["a.run", "b.run"]


def test_a_run_that_cannot_be_read_is_skipped_on_request(tmp_path):
    bad = tmp_path / "bad.run"
    bad.write_text("1 Q0 d1 1 high tag\n")

    table = evaluate_runs(QRELS, {"bad": bad, "bm25": BM25, "inf": BAD}, [RBU @ 5], on_error="skip")
    none = [evaluate_runs(QRELS, [bad], [RBU @ 5], perquery=p, on_error="skip") for p in (False, True)]

    assert table["name"].tolist() == ["bm25"]
    assert [*table.attrs["errors"]] == ["bad", "inf"]
    assert table.attrs["errors"]["bad"] == f"{bad}, line 1: score must be a finite number, not 'high'."
    assert [frame.columns.tolist() for frame in none] == [["name", "RBU@5"], ["name", "qid", "measure", "value"]]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_empty_run_is_named_in_one_warning_and_an_attribute(tmp_path, n_jobs):
    (tmp_path / "file.run").touch()
    runs = {"full": BM25, "file": tmp_path / "file.run", "frame": BM25.iloc[:0], "dict": {}, "list": []}

    with pytest.warns(
        EmptyWarning, match="^Run file: The run is empty: every query gets each measure's default"
    ) as told:
        table = evaluate_runs(QRELS, runs, [RBU @ 5], n_jobs=n_jobs)

    assert str(told[0].message).endswith("4 (file, frame, dict, ...).")
    assert (len(told), table.attrs["empty"]) == (1, [*runs][1:])


def test_runs_that_do_not_answer_all_queries_are_named_in_one_warning():
    n = len(QUERIES)

    (message,) = warned({"full": BM25, "most": of_queries(n - 1), "few": of_queries(2)})

    assert message == (
        f"Run most: The run answers {n - 1} of {n} queries, but not {QUERIES[-1]}. A missing query gets each measure's "
        "default value. Runs with a warning of this kind: 2 (most, few)."
    )


def test_a_single_intent_in_every_query_is_told_once_for_all_runs():
    one = (
        QRELS.assign(iteration="0")
        .groupby(["qid", "docno"], as_index=False)
        .agg({"label": "max", "iteration": "first"})
    )

    assert warned({"a": BM25, "b": BM25}, qrels=one) == [
        "No query has more than one intent, so every measure equals its ad-hoc form. Were the intents lost, as with "
        "pt.io.read_qrels?"
    ]
    assert warned({"a": BM25}, qrels=one[one["qid"] == one["qid"][0]]) == []
    assert warned({"a": BM25}, qrels=one, measures=[Adhoc(nDCG @ 5), nDCG @ 5]) == []


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_warnings_of_workers_reach_the_caller_with_the_name_of_the_run(n_jobs):
    twice = pd.concat([BM25, BM25.head(2)])
    other = BM25.assign(qid="other" + BM25["qid"])
    unjudged = BM25.assign(docno="x" + BM25["docno"])

    with pytest.warns(DataWarning, match="^Run") as caught:
        table = evaluate_runs(
            QRELS, {"full": BM25, "twice": twice, "other": other, "unjudged": unjudged}, [RBU @ 5], n_jobs=n_jobs
        )

    repeats, ids = caught
    assert (repeats.category, ids.category) == (RepeatsWarning, IdsWarning)
    assert str(repeats.message).startswith("Run twice: The run repeats documents within a query")
    assert str(ids.message).startswith("Run other: No query of the run")
    assert str(ids.message).endswith("Do the query ids match? Runs with a warning of this kind: 2 (other, unjudged).")
    assert [(row["name"], row["about"], row["message"].split("(")[0]) for row in table.attrs["warnings"]] == [
        ("twice", "RepeatsWarning", str(repeats.message).removeprefix("Run twice: ").split("(")[0]),
        ("other", "IdsWarning", "No query of the run "),
        (
            *("unjudged", "IdsWarning"),
            f"No document of the run is judged in any of the {len(QUERIES)} queries that it shares with the qrels: "
            f"'x{BM25['docno'].iloc[0]}' in the run, '{QRELS['docno'].min()}' in the qrels. Do the document ids match?",
        ),
    ]


@pytest.mark.parametrize("form", ["file", "frame"])
def test_runs_may_be_ordered_by_rank(tmp_path, form):
    upside_down = BM25.assign(score=-BM25["score"])
    path = tmp_path / "mine.run"
    path.write_text("".join(f"{r.qid} Q0 {r.docno} {r.rank} {r.score} t\n" for r in upside_down.itertuples()))
    given = {"mine": path if form == "file" else upside_down}

    table = evaluate_runs(QRELS, given, MEASURES, order="rank")

    pd.testing.assert_frame_equal(table, evaluate_runs(QRELS, {"mine": BM25}, MEASURES))
    (message,) = warned(given)
    assert message.startswith(
        f"Run mine: Scores and ranks contradict each other in {len(QUERIES)} of {len(QUERIES)} queries"
    )


def test_runs_may_be_dicts_and_can_be_read_once():
    lists = BM25.groupby("qid")["docno"].agg(list).to_dict()
    tuples = (ScoredDoc(row.qid, row.docno, row.score) for row in BM25.itertuples())

    table = evaluate_runs(QRELS, {"frame": BM25, "lists": lists, "tuples": tuples}, MEASURES, n_jobs=2)

    assert table.drop(columns="name").drop_duplicates().shape[0] == 1
    with pytest.raises(ValueError, match=r"Run tuples: run: the generator was already read"):
        evaluate_runs(QRELS, {"tuples": tuples}, MEASURES)
    with pytest.raises(TypeError, match=r"Run bytes: run: docno must contain strings"):
        evaluate_runs(QRELS, {"bytes": BM25.assign(docno=b"d")}, MEASURES)


def test_one_evaluator_serves_all_runs_of_a_process_and_is_let_go(files, monkeypatch):
    made = []

    def watched(*args):
        result = DiversityEvaluator(*args)
        made.append(weakref.ref(result))
        return result

    monkeypatch.setattr(scoring, "DiversityEvaluator", watched)

    evaluate_runs(QRELS, files, [RBU @ 5], n_jobs=1)
    gc.collect()

    assert [known() for known in made] == [None]


def test_folders_and_patterns_are_searched(tmp_path):
    for name in ("b.run", "a.run.gz", ".hidden", "c.txt"):
        (tmp_path / name).touch()
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "d.run").touch()

    assert [path.name for path in run_files([tmp_path])] == ["a.run.gz", "b.run", "c.txt"]
    assert [path.name for path in run_files([tmp_path / "**" / "*.run"])] == ["b.run", "d.run"]
    assert [path.name for path in run_files([tmp_path / "c.txt", tmp_path])] == ["c.txt", "a.run.gz", "b.run"]


@pytest.mark.parametrize("pattern", ["nothing.run", "*.nothing"])
def test_a_pattern_without_a_file_is_refused(tmp_path, pattern):
    with pytest.raises(ValueError, match="No run file found"):
        run_files([tmp_path / pattern])


def test_a_missing_query_is_said_to_be_best_where_lower_values_are_better():
    effort = UserModel(model=3, stop="ERR", effort="rank") @ 10

    with pytest.warns(MissingWarning, match=rf"default value, the best one of {re.escape(str(effort))}\.$"):
        values = evaluate_runs(QRELS, {"full": BM25, "few": of_queries(2)}, [RBU @ 5, effort], perquery=True)
    with pytest.warns(MissingWarning, match=rf"default value, the best one of {re.escape(str(effort))}\.$"):
        compare(values, "t")


@pytest.mark.parametrize("measure", [ERR @ 5, nDCG(dcg="exp-log2") @ 5, nDCG @ 5], ids=str)
def test_a_bare_measure_that_misreads_labels_is_refused(measure):
    qrels = pd.DataFrame({"qid": "1", "docno": ["a", "a"], "label": [2, 1], "iteration": ["x", "y"]})

    with pytest.raises(ValueError, match="would use only the l") as error:
        evaluate_runs(qrels, {"one": {"1": ["a"]}}, [measure])

    told = f"(1 for document 'a' of query '1', whose highest label is 2). Use Adhoc({measure})."
    assert str(error.value).endswith(told)


def test_qrels_that_are_the_name_of_a_dataset_get_a_hint():
    with pytest.raises(FileNotFoundError) as error:
        evaluate_runs("demo", {"bm25": BM25}, [RBU @ 5])

    assert error.value.__notes__ == [
        "Is it a dataset? Give its qrels, as in pt.get_dataset('diversity:demo').get_qrels()."
    ]
