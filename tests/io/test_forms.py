"""Each function takes each form of a run and of qrels, and gives what it gives for frames."""

import functools
import itertools
import json
import os
import tempfile
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import ir_measures
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import forms
import shell
from pyterrier_diversity import (
    RBU,
    P_Rareness,
    StRecall,
    add_rarity,
    add_weights,
    check_files,
    evaluate_runs,
    html_report,
    ideal,
    meta,
    missed_intents,
    plots,
    simulate,
    transformers,
)
from pyterrier_diversity.evaluate import DiversityEvaluator
from pyterrier_diversity.io import read_qrels, read_run, read_runs, write_qrels

QRELS = pd.DataFrame(
    [("1", "a", 1, "x"), ("1", "b", 2, "y"), ("1", "c", 0, "x"), ("2", "d", 1, "x"), ("2", "e", 1, "y")],
    columns=["qid", "docno", "label", "iteration"],
)
RUN = pd.DataFrame(
    [("1", "b", 9.5), ("1", "z", 3.0), ("1", "a", 2.0), ("2", "z", 2.0), ("2", "d", 1.25)],
    columns=["qid", "docno", "score"],
)
TOPICS = pd.DataFrame({"qid": ["1", "2"], "query": ["one", "two"]})
OTHER = pd.DataFrame([("1", "c", 2.0), ("1", "a", 1.0), ("2", "e", 2.0)], columns=["qid", "docno", "score"])
MEASURES = [RBU @ 2, StRecall @ 2]

Function = Callable[[Any, Any], Any]


def page(qrels: Any, run: Any) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = html_report(qrels, {"mine": run}, MEASURES, f"{folder}/report.html")
        return path.read_text(encoding="utf-8").replace(str(run), "a table in memory")


def new() -> Any:
    """Return axes whose figure need not be laid out."""
    return plt.figure().add_subplot()


def drawn(axes: Any) -> list[Any]:
    cells = [part.get_array() for part in axes.collections]
    plt.close(axes.figure)
    lines = [np.asarray(line.get_xydata()).tolist() for line in axes.get_lines()]
    return [lines, [array.tolist() for array in cells if array is not None]]


FUNCTIONS: dict[str, Function] = {
    "evaluate_runs": lambda qrels, run: evaluate_runs(qrels, {"mine": run}, MEASURES, perquery=True),
    "missed_intents": lambda qrels, run: missed_intents(qrels, {"mine": run}, 2),
    "check_files": lambda qrels, run: check_files(qrels, {"mine": run}),
    "add_rarity": lambda qrels, run: add_rarity(qrels, {"mine": run, "other": OTHER})["rarity"].to_frame(),
    "pool_depth": lambda qrels, run: meta.pool_depth(qrels, {"mine": run, "other": OTHER}, MEASURES, [1]),
    "assessor_agreement": lambda qrels, run: meta.assessor_agreement(
        qrels, QRELS, {"mine": run, "other": OTHER}, MEASURES, n_trials=5, rng=1
    ),
    "number_of_systems": lambda qrels, run: meta.number_of_systems(
        qrels, {"mine": run, "other": OTHER}, P_Rareness @ 2, sizes=[2], n_trials=2, rng=1
    ),
    "insert_synthetic_system": lambda qrels, run: meta.insert_synthetic_system(
        qrels, {"mine": run, "other": OTHER}, P_Rareness @ 2, [1]
    ),
    "intent_coverage": lambda qrels, run: drawn(plots.intent_coverage(qrels, {"mine": run}, cutoff=3, ax=new())),
    "DiversityEvaluator": lambda qrels, run: DiversityEvaluator(MEASURES, qrels).values(run).tolist(),
    "ir_measures": lambda qrels, run: ir_measures.calc_aggregate(MEASURES, qrels, run),
    "html_report": page,
    "read_run": lambda _, run: read_run(run)[["qid", "docno", "rank"]],
    "random_lengths": lambda _, run: read_run(simulate.random_lengths(run, rng=1))[["qid", "docno"]],
}
OF_RUNS = ("read_run", "random_lengths")
OF_QRELS: dict[str, Function] = {
    "read_qrels": lambda qrels, _: read_qrels(qrels),
    "add_weights": lambda qrels, _: add_weights(qrels, "sakai")["weight"].to_frame(),
    "agreement": lambda qrels, _: meta.agreement(qrels, QRELS),
    "agreement, second": lambda qrels, _: meta.agreement(QRELS, qrels),
    "agreement of three": lambda qrels, _: meta.agreement({"a": qrels, "b": QRELS, "c": QRELS}),
    "assessor_agreement, second": lambda qrels, _: meta.assessor_agreement(
        QRELS, qrels, {"mine": RUN, "other": OTHER}, MEASURES, n_trials=5, rng=1
    ),
    "Evaluate": lambda qrels, _: transformers.Evaluate(qrels, MEASURES)(RUN),
    "Explain": lambda qrels, _: transformers.Explain(qrels, RBU @ 2)(RUN),
    "Ideal": lambda qrels, _: transformers.Ideal(qrels, StRecall @ 2)(TOPICS),
    "oracle_intent_scores": lambda qrels, _: transformers.oracle_intent_scores(qrels),
    "min_rank": lambda qrels, _: ideal.min_rank(qrels),
    "greedy_study": lambda qrels, _: simulate.greedy_study(qrels),
    "degrade": lambda qrels, _: simulate.degrade(qrels, rng=1),
    "random_weights": lambda qrels, _: simulate.random_weights(qrels, rng=1)["weight"].to_frame(),
    "random_grades": lambda qrels, _: read_qrels(simulate.random_grades(qrels, rng=1))["label"].to_frame(),
    "swap_topics": lambda qrels, _: list(simulate.swap_topics(qrels, 1, burn_in=10, attempts=2, rng=1)),
}


@functools.cache
def of_frames(function: str) -> Any:
    """Return what a function gives for frames, which is the same for each form."""
    return (FUNCTIONS | OF_QRELS)[function](QRELS, RUN)


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_dtype=False, check_exact=True)
    elif isinstance(expected, list) and isinstance(expected[0], pd.DataFrame):
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    else:
        assert found == expected


# ir_measures, whose forms these are, and its evaluators.
OF_IR_MEASURES = ("ir_measures", "DiversityEvaluator")
OF_ITS_OWN = ("rows", "named tuples", "names of ir_measures", "scores by query")
# Functions read qrels and runs in one way, so that most are tried with a form of each kind, and these with all, as
# `test_shapes.py` tries evaluate_runs.
TRIED_WITH_ALL = ("DiversityEvaluator", "ir_measures", "read_run", "read_qrels")
ONE_OF_EACH_KIND = ("rows", "csv")


def taken(functions: Iterable[str], of_data: Iterable[str]) -> list[tuple[str, str]]:
    """Return functions with the forms that they are tried with."""
    return [
        (function, form)
        for function, form in itertools.product(functions, of_data)
        if (function in TRIED_WITH_ALL and form != "frame") or form in ONE_OF_EACH_KIND
        if function not in OF_IR_MEASURES or form in OF_ITS_OWN
    ]


@pytest.mark.parametrize(("function", "form"), taken(FUNCTIONS, forms.RUNS))
def test_each_function_takes_a_run_in_each_form(function, form, tmp_path):
    found = FUNCTIONS[function](QRELS, forms.RUNS[form](RUN, tmp_path))

    same(found, of_frames(function))


@pytest.mark.parametrize(
    ("function", "form"), taken([*(name for name in FUNCTIONS if name not in OF_RUNS), *OF_QRELS], forms.QRELS)
)
def test_each_function_takes_qrels_in_each_form(function, form, tmp_path):
    found = (FUNCTIONS | OF_QRELS)[function](forms.QRELS[form](QRELS, tmp_path), RUN)

    same(found, of_frames(function))


def test_a_run_is_not_a_folder(tmp_path):
    with pytest.raises(ValueError, match=r"^run is a folder, not a run\. io\.read_runs reads its files\.$"):
        read_run(tmp_path)


def test_collections_of_runs_are_named_mappings_folders_patterns_and_lists(tmp_path):
    for name in ("a.run", "b.csv.gz", "c.jsonl"):
        RUN.to_csv(tmp_path / name, index=False)
    expected = read_run(RUN)

    for runs, names in (
        ({"x": RUN, 7: tmp_path / "a.run"}, ["x", "7"]),
        (tmp_path, ["a", "b", "c"]),
        (str(tmp_path / "*.run"), ["a"]),
        ([tmp_path / "c.jsonl", tmp_path / "a.run"], ["c", "a"]),
        ([RUN, RUN], ["run 1", "run 2"]),
    ):
        found = dict(read_runs(runs))
        assert list(found) == names
        for run in found.values():
            pd.testing.assert_frame_equal(run, expected, check_dtype=False)


def test_runs_are_read_one_at_a_time(tmp_path):
    RUN.to_csv(tmp_path / "a", index=False)
    (tmp_path / "b").write_text("x\n")

    runs = read_runs([tmp_path / "a", tmp_path / "b"])

    assert next(runs)[0] == "a"
    with pytest.raises(ValueError, match=r"^Run b: .*/b, line 1: "):
        next(runs)


@pytest.mark.parametrize("form", ["pairs", "trec", "json of pairs", "rows", "csv", "json of scores"])
def test_a_run_of_equal_scores_is_told_of_once_in_every_form(form, tmp_path):
    has_ranks = form in ("pairs", "trec", "json of pairs")
    run = forms.RUNS[form](RUN.assign(score=0.0), tmp_path)

    said = "All documents have the same score in 2 of 2 queries"
    with pytest.warns(UserWarning, match=said) as caught:
        frame = read_run(run)
    assert [("order='rank'" in str(one.message)) for one in caught] == [has_ranks]
    assert check_files(QRELS, {"mine": run})["about"].tolist().count("RanksWarning") == 1
    with pytest.warns(UserWarning, match=f"Run mine: {said}"):
        evaluate_runs(QRELS, {"mine": run}, MEASURES)
    evaluate_runs(QRELS, {"mine": frame}, MEASURES)  # has been said
    if has_ranks:
        by_rank = evaluate_runs(QRELS, {"mine": run}, MEASURES, order="rank")
        pd.testing.assert_frame_equal(by_rank, evaluate_runs(QRELS, {"mine": RUN}, MEASURES))


@pytest.mark.parametrize(
    ("attributes", "docno"),
    [
        ({"id": "chunk", "metadata": {"doc_id": "whole", "docid": "whole"}}, "chunk"),
        ({"id_": "chunk", "metadata": {"doc_id": "whole"}}, "chunk"),
        ({"id": "chunk", "metadata": {"docno": "mine", "doc_id": "whole"}}, "mine"),
        ({"id": None, "metadata": {"doc_id": "whole"}}, "whole"),
        ({"id": "", "metadata": {"docid": "whole"}}, "whole"),
    ],
)
def test_the_id_of_an_object_is_its_docno_then_its_id_then_that_of_its_document(attributes, docno):
    assert read_run({"q": [SimpleNamespace(**attributes)]})["docno"].tolist() == [docno]


def test_objects_that_get_one_id_are_told_of():
    found = [SimpleNamespace(id=name, metadata={"docno": "whole"}) for name in ("a", "b")]

    with pytest.warns(UserWarning, match="Run mine: The run repeats documents within a query, .*repeated rows: 1"):
        evaluate_runs(QRELS, {"mine": {"1": [*found, "b"], "2": ["d"]}}, MEASURES)


@pytest.mark.parametrize(
    ("run", "error", "message"),
    [
        ([("1", 3.0)], TypeError, "a file, a frame, a list of dicts or of named tuples, .* not rows of tuple"),
        (7, TypeError, "a file, a frame, a list of dicts or of named tuples, or a dict"),
        ({"1": {"b", "a"}}, TypeError, r"a file, a frame, .*, not a dict of set\."),
        ({"1": iter(["b"])}, TypeError, r"a file, a frame, .*, not a dict of list_iterator\."),
        ([{"qid": "1", "docno": ["b", "a"], "score": [0.5]}], ValueError, r"a row lists 2 documents and 1 scores\."),
    ],
)
def test_what_is_no_run_is_refused(run, error, message):
    with pytest.raises(error, match=f"^run(, object 0: | must be ){message}"):
        read_run(run)


def test_a_row_may_list_documents_with_scores_or_have_one():
    run = read_run([{"qid": "q", "docno": ["b", "a"], "score": [2.0, 0.5]}, {"qid": "r", "docno": "c", "score": -3}])

    assert run[["qid", "docno", "score"]].to_numpy().tolist() == [["q", "b", 2.0], ["q", "a", 0.5], ["r", "c", -3]]


ONCE: dict[str, Callable[[pd.DataFrame], Iterable[Any]]] = {
    "generator": lambda frame: (row for row in frame.itertuples(index=False)),
    "list": lambda frame: iter(list(frame.itertuples(index=False))),
    "map": lambda frame: map(ir_measures.ScoredDoc._make, frame.to_numpy().tolist()),
    "filter": lambda frame: filter(None, frame.itertuples(index=False)),
    "of a generator": lambda frame: map(ir_measures.ScoredDoc._make, (row for row in frame.to_numpy().tolist())),
}


@pytest.mark.parametrize("form", ONCE)
def test_an_iterator_is_refused_the_second_time(form):
    evaluator, rows, qrels = DiversityEvaluator(MEASURES, QRELS), ONCE[form](RUN), QRELS.itertuples(index=False)

    assert evaluator.values(rows).tolist() == DiversityEvaluator(MEASURES, qrels).values(RUN).tolist()
    for read in (lambda: evaluator.values(rows), lambda: DiversityEvaluator(MEASURES, qrels)):
        with pytest.raises(ValueError, match=r"^(run|qrels): the (generator|iterator) was already read and is now emp"):
            read()


@pytest.mark.parametrize("form", ONCE)
def test_an_empty_iterator_is_an_empty_run_with_the_usual_warning(form):
    with pytest.warns(UserWarning, match=r"^Run mine: The run is empty"):
        table = evaluate_runs(QRELS, {"mine": ONCE[form](RUN.head(0))}, [StRecall @ 2])

    assert table["StRecall@2"].tolist() == [0]


@pytest.mark.parametrize(
    "form",
    [
        *("trec", "rows", "csv", "parquet", "json lines", "json of scores"),
        "json of lists",
        "json of pairs",
        "json of hits",
    ],
)
def test_a_run_given_as_qrels_is_refused(form, tmp_path):
    run = forms.RUNS[form](RUN, tmp_path)

    with pytest.raises(
        ValueError, match=r"is (a run|documents by query|scores by query), not qrels.* (Qrels come first|If they are)"
    ):
        evaluate_runs(run, {"mine": RUN}, MEASURES)


@pytest.mark.parametrize("form", ["trec", "csv", "json lines", "json of results"])
def test_qrels_given_as_a_run_are_refused(form, tmp_path):
    with pytest.raises(ValueError, match=r"is qrels, not a run.* Qrels come first"):
        read_run(forms.QRELS[form](QRELS, tmp_path))


@pytest.mark.parametrize("form", ["pairs", "trec", "json of pairs", "rows", "csv"])
def test_an_order_by_rank_holds_for_every_form_that_has_ranks(form, tmp_path):
    rising = RUN.assign(
        score=[1.0, 2.0, 3.0, 1.0, 2.0], **({"rank": [1, 2, 3, 1, 2]} if form in ("rows", "csv") else {})
    )
    run = forms.RUNS[form](rising, tmp_path)

    assert read_run(run, order="rank")["docno"].tolist() == RUN["docno"].tolist()
    by_rank = evaluate_runs(QRELS, {"mine": run}, MEASURES, order="rank")
    pd.testing.assert_frame_equal(by_rank, evaluate_runs(QRELS, {"mine": RUN}, MEASURES))
    assert "contradict" not in " ".join(check_files(QRELS, {"mine": run}, order="rank")["message"])
    with pytest.warns(UserWarning, match="Scores and ranks contradict each other in 2 of 2 queries"):
        assert read_run(run)["docno"].tolist() == ["a", "z", "b", "d", "z"]


@pytest.mark.parametrize("run", [{"q": {"a": 1.0}}, RUN, RUN.to_dict("records")], ids=["dict", "frame", "rows"])
def test_an_order_by_rank_needs_ranks(run):
    with pytest.raises(ValueError, match=r"run: order='rank' needs the column rank; found: "):
        read_run(run, order="rank")


def test_the_rows_in_a_list_of_results_are_in_the_order_of_their_ranks_not_of_the_list(tmp_path):
    path, shuffled = tmp_path / "run.json", RUN.assign(rank=[1, 2, 3, 1, 2]).iloc[[2, 1, 0, 4, 3]]
    expected = read_run(RUN)["docno"].tolist()

    for rows in (shuffled, shuffled.drop(columns="score")):
        path.write_text(json.dumps({"results": rows.to_dict("records")}))
        assert read_run(path, order="rank")["docno"].tolist() == expected
    assert read_run(path)["docno"].tolist() == expected
    path.write_text(json.dumps({"results": RUN.to_dict("records")}))
    with pytest.raises(ValueError, match=r"run\.json: order='rank' needs the column rank; found: "):
        read_run(path, order="rank")


@pytest.mark.parametrize("form", [form for form in forms.RUNS if "list" not in form])
def test_integers_that_floats_cannot_tell_apart_are_no_tie_in_any_form(form, tmp_path):
    run = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "score": [2**53 + 1, 2**53, 7]})

    found = read_run(forms.RUNS[form](run, tmp_path))

    assert found["docno"].tolist() == ["a", "b", "c"]
    assert [int(score) for score in found["score"]] == [2**53 + 1, 2**53, 7]


THEIRS = {"topic": "qid", "chunk": "docno", "similarity": "score"}


@pytest.mark.parametrize("form", [form for form in forms.TABLES if form != "names of ir_measures"])
def test_columns_of_a_run_may_have_other_names(form, tmp_path):
    ours = {ours: theirs for theirs, ours in THEIRS.items()}
    run = forms.TABLES[form](RUN.rename(columns=ours), tmp_path)

    pd.testing.assert_frame_equal(read_run(run, columns=THEIRS), read_run(RUN), check_dtype=False)
    if not ({"orient", "model_dump", "header"} & {*form.replace(",", "").split()} or form.startswith("to_dict")):
        with pytest.raises(
            ValueError, match=r"missing column .*; found: .*topic, chunk, similarity.* columns=\{'theirs': '"
        ):
            read_run(run)
    with pytest.raises(ValueError, match=r"columns renames 'topc', which is not a column; found: .*topic"):
        read_run(run, columns={**THEIRS, "topc": "qid"})


def test_the_shell_renames_columns_of_qrels_and_runs_alike(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "mine"
    QRELS.rename(columns={"qid": "topic", "iteration": "aspect"}).to_csv(qrels, index=False)
    RUN.rename(columns={"qid": "topic", "score": "similarity"}).to_csv(run, index=False)
    names = "topic=qid,aspect=iteration,similarity=score"

    for command in ("evaluate", "compare", "check", "missed"):
        measures = [] if command in ("check", "missed") else ["-m", "StRecall@2"]
        runs = [str(run), str(forms.RUNS["trec"](OTHER, tmp_path))] if command == "compare" else [str(run)]
        assert "mine" in shell.run(command, str(qrels), *runs, *measures, "--columns", names)
    message = shell.fail("check", str(qrels), str(run), "--columns", f"{names},chnk=docno")
    assert "--columns renames 'chnk', which is not a column of any of the files; found: aspect, docno, label" in message
    turned = shell.fail("check", str(qrels), str(run), "--columns", "qid=topic,aspect=iteration,similarity=score")
    assert turned.endswith(" Did you mean topic=qid?\n")


@pytest.mark.parametrize("command", [["compare"], ["report", "-o", "-"]], ids=" ".join)
def test_the_columns_of_a_baseline_count(tmp_path, command):
    qrels, run = tmp_path / "qrels", tmp_path / "mine"
    QRELS.to_csv(qrels, index=False)
    RUN.rename(columns={"score": "similarity"}).to_csv(run, index=False)
    other = str(forms.RUNS["trec"](OTHER, tmp_path))
    arguments = [command[0], str(qrels), other, *command[1:], "-b", str(run), "-m", "StRecall@2"]

    assert "mine" in shell.run(*arguments, "--columns", "similarity=score")


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"1": [("b", None)]}, r"the score in .'b', None. must be a number, not None\."),
        ({"1": [("b", "0.9")]}, r"the score in .'b', '0\.9'. must be a number, not '0\.9'\."),
        ({"1": ["b"], "2": None}, "query '2' has None, not a list or a dict of documents"),
        ({"1": {"b": 1}, "2": None}, "query '2' has None, not a list or a dict of documents"),
        ([{"qid": "1", "query_id": "2", "docno": "a", "score": 1}], r"qid is given twice, as '1' and as '2'"),
        ([{"qid": "1", "docno": "a", "score": 1}, {"qid": "1", "docno": "b", "rank": 2}], "score"),
        ([{"qid": "1", "docno": ["a"]}, {"qid": "1", "docno": ["b"]}], r"query '1' has two lists of documents"),
        ({"1": [("a", 1.0), "b"]}, r"in a list, 1 of 2 documents have scores"),
        ({"1": ["a"], 1: ["b"]}, r"query '1' has two lists of documents; give one list\.$|the key '1' is repeated"),
    ],
)
def test_files_are_as_strict_as_python(run, message, tmp_path):
    path = tmp_path / "run"
    path.write_text(json.dumps(run))

    for given in (run, path):
        with pytest.raises((TypeError, ValueError), match=message):
            read_run(given)


def test_two_names_of_one_column_that_agree_are_written_once(tmp_path):
    both = QRELS.assign(query_id=QRELS["qid"], doc_id=QRELS["docno"], relevance=QRELS["label"])

    write_qrels(both, tmp_path / "q.csv")

    assert sorted(read_qrels(tmp_path / "q.csv")) == sorted(QRELS)
    run = RUN.assign(query_id=RUN["qid"], doc_id=RUN["docno"])
    assert page(both, run) == page(QRELS, RUN)


def test_names_of_files_that_are_not_unicode_are_written_with_question_marks(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.csv")
    with open(path, "w") as file:
        file.write(RUN.to_csv(index=False))

    assert evaluate_runs(QRELS, [os.fsdecode(path)], [RBU @ 2])["name"].tolist() == ["caf?"]


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("pool_depth: runs", lambda runs, qrels: meta.pool_depth(runs, qrels, MEASURES)),
        ("number_of_systems: runs", lambda runs, qrels: meta.number_of_systems(runs, qrels, MEASURES)),
        ("qrels", plots.intent_coverage),
    ],
)
def test_qrels_in_the_place_of_runs_are_named(name, function):
    with pytest.raises(
        ValueError, match=rf"^{name} is (qrels|a run|several runs), not .* Qrels come first, then runs, then"
    ):
        function({"mine": RUN}, QRELS)


def test_the_shell_names_the_option_for_a_column_that_looks_like_the_intent(tmp_path):
    QRELS.rename(columns={"iteration": "nugget"}).to_csv(tmp_path / "q.csv", index=False)
    RUN.to_csv(tmp_path / "r.csv", index=False)
    arguments = ["evaluate", str(tmp_path / "q.csv"), str(tmp_path / "r.csv"), "-m", "StRecall@2"]

    message = shell.fail(*arguments)

    assert "qrels have a column nugget, but no column iteration" in message
    assert "in the shell, --columns nugget=iteration" in message
    assert "0.5000" in shell.run(*arguments, "--columns", "nugget=iteration")


def test_a_new_name_is_for_the_row_or_for_the_documents_in_its_list():
    docs = [{"id": "d1", "sim": 2}, {"id": "d2", "sim": 1}]

    run = read_run([{"id": "q", "hits": docs}], columns={"id": "qid", "sim": "score"})

    assert run[["qid", "docno", "score"]].to_numpy().tolist() == [["q", "d1", 2], ["q", "d2", 1]]
