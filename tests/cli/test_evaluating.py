import gzip
import io
import json
import os
import re
import threading
import warnings

import pandas as pd
import pyterrier as pt
import pytest
from click.testing import CliRunner
from ir_measures import nDCG
from scipy.stats import ttest_rel

from pyterrier_diversity import CT, EU_DD, NDEVAL, RBU, Adhoc, alpha_nDCG, evaluate_runs, signature
from pyterrier_diversity.cli import app
from pyterrier_diversity.datasets.demo import FOLDER, RUNS, DemoDataset
from pyterrier_diversity.io import read_dd_run, read_dd_truth, read_qrels
from shell import BM25, MORE, XQUAD, fail, run

QRELS = str(FOLDER / "qrels.txt")


def test_evaluate_gives_the_values_of_the_library():
    rows = json.loads(run("evaluate", "demo", BM25, XQUAD, "-m", "RBU(p=0.9)@10", "--format", "json", "-p", "12"))

    qrels = DemoDataset().get_qrels().rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    measure = RBU(p=0.9) @ 10
    for row in rows:
        frame = DemoDataset().get_results(row["run"]).rename(columns={"qid": "query_id", "docno": "doc_id"})
        assert row["RBU(p=0.9)@10"] == pytest.approx(measure.calc_aggregate(qrels, frame), abs=1e-11)
    assert [row["run"] for row in rows] == ["bm25", "xquad"]


def test_evaluate_by_query_ends_each_run_with_its_aggregate():
    text = run("evaluate", "demo", BM25, XQUAD, "-m", "StRecall@5 RBU@5", "-q", "--format", "csv", "-p", "10")
    table = pd.read_csv(io.StringIO(text), dtype={"qid": str})

    for _, of_run in table.groupby("run"):
        assert of_run["qid"].tolist() == [*map(str, range(1, 15)), "all"]
        for measure in ("StRecall@5", "RBU@5"):
            assert of_run[measure].iloc[:-1].mean() == pytest.approx(of_run[measure].iloc[-1], abs=1e-9)


def test_evaluate_reads_qrels_from_a_file():
    from_file = run("evaluate", str(FOLDER / "qrels.txt"), BM25, "-m", "RBU@5")

    assert (
        from_file
        == run("evaluate", "diversity:demo", BM25, "-m", "RBU@5")
        == run("evaluate", "demo", BM25, "-m", "RBU@5")
    )


@pytest.mark.parametrize("name", ["nuggets/q1.json", "nuggets"])
def test_evaluate_reads_nuggets_from_a_file_and_from_a_folder(name, tmp_path):
    (tmp_path / "nuggets").mkdir()
    bank = [{"question": "Is it free?", "answers": [{"answer": "yes", "references": ["p1"]}]}]
    topic = {"metadata": {"topic_id": "q1"}, "nugget_bank": bank}
    (tmp_path / "nuggets" / "q1.json").write_text(json.dumps(topic))
    (tmp_path / "mine.jsonl").write_text('{"qid": "q1", "docno": ["p2", "p1"]}\n')

    text = run("evaluate", str(tmp_path / name), str(tmp_path / "mine.jsonl"), "-m", "Coverage@1 Coverage@2")

    assert text.split() == ["run", "Coverage@1", "Coverage@2", "mine", "0.0000", "1.0000"]


def test_evaluate_reads_truth_files_and_sessions(shared):
    folder = shared / "trec-dd"
    truth, session = folder / "dd17-odd-truth.xml.gz", folder / "runs" / "dd17-odd-syn1.txt"

    (row,) = json.loads(run("evaluate", str(truth), str(session), "-m", "CT@5 RBU@10", "--format", "json", "-p", "9"))

    qrels, retrieved = read_dd_truth(truth), read_dd_run(session)
    for measure in (CT @ 5, RBU @ 10):
        value = measure.calc_aggregate(pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(retrieved))
        assert row[str(measure)] == pytest.approx(value, abs=1e-8)


def test_signatures_stand_apart_from_what_programs_read():
    arguments = ["evaluate", "demo", BM25, "-m", "RBU@5", "--signatures", "--format"]

    as_csv = CliRunner().invoke(app, [*arguments, "csv"])

    assert len(as_csv.stdout.splitlines()) == 2
    assert signature(RBU @ 5) in as_csv.stderr
    assert signature(RBU @ 5) in run(*arguments, "table")


def test_runs_of_one_name_are_called_by_their_paths(tmp_path):
    copy = tmp_path / "bm25.run"
    copy.write_text((FOLDER / "bm25.run").read_text())
    rows = json.loads(run("evaluate", "demo", BM25, str(copy), "-m", "RBU@5", "--format", "json"))

    assert [row["run"] for row in rows] == [BM25, str(copy)]


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("RBU(p=2)@5", r"RBU: p must be a number in (0, 1], not 2."),
        ("nRBU@5", "Unknown measure 'nRBU'. Did you mean RBU?"),
        ("rbu@5", "Unknown measure 'rbu'. Did you mean RBU?"),
        (
            "RBP(p=1,rel=1)",
            "invalid param p=1 (ir_measures checks the types of parameters: write 1.0, not 1).",
        ),
        ("RBU(", "Unknown measure 'RBU('. A measure is written as RBU@20"),
        ("alpha_nDCG(alpha=1.5)@5", "alpha_nDCG: alpha must be a number in [0, 1], not 1.5."),
    ],
)
def test_a_bad_measure_is_one_sentence(measure, message):
    assert message in fail("evaluate", "demo", BM25, "-m", measure)


@pytest.mark.filterwarnings("default")
def test_a_warning_is_one_sentence(tmp_path):
    path = tmp_path / "other.run"
    path.write_text("151 Q0 d1 1 1.0 tag\n")

    result = CliRunner().invoke(app, ["evaluate", "demo", str(path), "-m", "RBU@5"])

    (line,) = (line for line in result.stderr.splitlines() if "arning" in line)
    assert line.startswith("Warning: Run other: No query of the run ('151'")


@pytest.mark.filterwarnings("default")
def test_runs_without_documents_are_named_below_the_table_only(tmp_path):
    (tmp_path / "nothing.run").touch()
    arguments = ["evaluate", "demo", BM25, str(tmp_path / "nothing.run"), "-m", "RBU@5"]

    result = CliRunner().invoke(app, arguments)

    assert result.stdout.endswith("\n\nRuns without documents, which get default values: nothing.\n")
    assert "Warning: Run nothing is empty" in result.stderr
    for format in ("csv", "json", "latex", "html"):
        assert "without documents" not in CliRunner().invoke(app, [*arguments, "--format", format]).stdout


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_warnings_about_data_are_errors_if_strict(tmp_path, command):
    (tmp_path / "nothing.run").touch()

    message = fail(command, "demo", BM25, str(tmp_path / "nothing.run"), "-m", "RBU@5", "--strict")

    assert "Run nothing is empty" in message


@pytest.mark.parametrize("by_query", [[], ["--by-query"]], ids=["means", "by query"])
def test_the_number_of_queries_is_a_column_on_request(by_query):
    result = CliRunner().invoke(
        app, ["evaluate", "demo", BM25, "-m", "RBU@5", "--queries", "--format", "csv", *by_query]
    )

    assert result.stdout.splitlines()[0] == ("run,queries,ties@5,qid,RBU@5" if by_query else "run,queries,ties@5,RBU@5")


def test_runs_may_be_ordered_by_rank(tmp_path):
    path = tmp_path / "bm25.run"
    lines = [line.split() for line in (FOLDER / "bm25.run").read_text().splitlines()]
    path.write_text("".join(f"{' '.join(line[:4])} {line[3]} {line[5]}\n" for line in lines))
    arguments = ["-m", "RBU@5", "--format", "csv"]

    by_rank = CliRunner().invoke(app, ["evaluate", "demo", str(path), *arguments, "--order", "rank"])

    assert by_rank.stdout == CliRunner().invoke(app, ["evaluate", "demo", BM25, *arguments]).stdout


def test_qrels_without_rows_are_one_sentence(tmp_path):
    (tmp_path / "qrels").touch()

    assert "contains no judgement" in fail("evaluate", str(tmp_path / "qrels"), BM25, "-m", "RBU@5")


def test_unknown_qrels_are_one_sentence():
    assert "'nothing' is neither a file nor a dataset" in fail("evaluate", "nothing", BM25, "-m", "RBU@5")


def test_a_bad_file_is_named_with_its_line(tmp_path):
    path = tmp_path / "bad.run"
    path.write_text("1 Q0 d1\n")

    assert "bad.run, line 1: expected 6 columns" in fail("evaluate", "demo", str(path), "-m", "RBU@5")


def test_the_cli_and_an_experiment_agree():
    demo = DemoDataset()
    measures = [RBU @ 5, Adhoc(nDCG @ 5)]
    table = pt.Experiment([demo.get_results("bm25")], demo.get_topics(), demo.get_qrels(), measures)
    row = json.loads(run("evaluate", "demo", BM25, "-m", "RBU@5 Adhoc(nDCG@5)", "--format", "json", "-p", "12"))[0]

    assert [row[str(m)] for m in measures] == pytest.approx(
        table[[str(m) for m in measures]].iloc[0].tolist(), abs=1e-11
    )


def test_compare_tells_means_differences_and_significance():
    measures = ["-m", "RBU@5 alpha_nDCG@5"]
    rows = json.loads(run("compare", "demo", BM25, XQUAD, *measures, "--test", "t", "--format", "json", "-p", "12"))

    by_query = json.loads(run("evaluate", "demo", BM25, XQUAD, "-m", "RBU@5", "-q", "--format", "json", "-p", "12"))
    values = pd.DataFrame(by_query).query("qid != 'all'").pivot_table("RBU@5", "qid", "run")
    assert [(row["measure"], row["system"], row["other"]) for row in rows] == [
        ("RBU@5", "bm25", "xquad"),
        ("alpha_nDCG@5", "bm25", "xquad"),
    ]
    assert rows[0]["difference"] == pytest.approx((values["bm25"] - values["xquad"]).mean(), abs=1e-9)
    assert rows[0]["p"] == pytest.approx(ttest_rel(values["bm25"], values["xquad"]).pvalue, abs=1e-9)
    assert rows[0]["significant"] is True


def test_compare_with_a_baseline_a_correction_and_a_test_that_draws():
    arguments = ["compare", "demo", BM25, XQUAD, MORE, "-m", "RBU@5", "-b", "bm25", "--test", "bootstrap"]
    text = run(*arguments, "--correction", "holm", "--format", "csv")

    table = pd.read_csv(io.StringIO(text))
    assert table["other"].tolist() == ["bm25", "bm25"]
    assert (table["p_corrected"] >= table["p"]).all()
    assert run(*arguments, "--correction", "holm", "--format", "csv") == text


def test_a_baseline_by_another_path_is_the_same_run(monkeypatch):
    monkeypatch.chdir(FOLDER)
    arguments = ["compare", "demo", "bm25.run", "xquad.run", "-m", "RBU@5", "--format", "csv", "-b"]

    assert run(*arguments, BM25) == run(*arguments, "bm25")


def test_compare_prints_a_p_value_that_no_trial_reached_as_below_one_over_the_trials():
    arguments = ["compare", "demo", BM25, XQUAD, "-m", "RBU@5", "--seed", "6"]

    assert json.loads(run(*arguments, "--format", "json"))[0]["p"] == 0
    assert "< 0.0002" in run(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-b", "nobody"], "nobody"),
        (["--correction", "no"], "correction must"),
        (["--correction", "holm"], "--correction holm cannot be used with --test tukey-randomised"),
    ],
)
def test_invalid_arguments_of_compare_give_one_sentence(arguments, message):
    assert message in fail("compare", "demo", BM25, XQUAD, "-m", "RBU@5", *arguments)


def test_a_single_run_is_not_compared():
    assert "Give at least two runs to compare" in fail("compare", "demo", BM25, "-m", "RBU@5", status=2)


def test_a_table_may_be_printed_for_latex():
    lines = run(
        "evaluate", "demo", BM25, XQUAD, "-m", "RBU@5 alpha_nDCG@5", "--format", "latex", "-p", "3"
    ).splitlines()

    assert lines.pop(0) == r"% needs \usepackage{booktabs}"
    assert lines[:2] == [f"% {signature(RBU @ 5)}", f"% {signature(alpha_nDCG @ 5)}"]
    assert lines[2:5] == [r"\begin{tabular}{lrr}", r"\toprule", r"run & RBU@5 & alpha\_nDCG@5 \\"]
    assert lines[6].startswith("bm25 & 0.384 & ")
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]


def test_a_table_may_be_printed_as_html():
    text = run("evaluate", "demo", BM25, "-m", "RBU@5", "--format", "html", "-p", "3")

    assert pd.read_html(io.StringIO(text))[0].to_dict("list") == {"run": ["bm25"], "RBU@5": [0.384]}


def test_signatures_end_the_table_if_asked_for():
    assert run("evaluate", "demo", BM25, "-m", "RBU@5", "-s").splitlines()[-1] == signature(RBU @ 5)
    assert signature(RBU @ 5) not in run("evaluate", "demo", BM25, "-m", "RBU@5")


def test_a_folder_a_pattern_and_two_workers_give_the_same_table():
    folder = run("evaluate", "demo", str(FOLDER / "*.run"), "-m", "RBU@5 AP")

    assert run("evaluate", "demo", str(FOLDER / "*.run"), "-m", "RBU@5 AP", "--jobs", "2") == folder
    assert {line.split()[0] for line in folder.splitlines()} == {"run", *RUNS}


def test_no_run_file_is_one_sentence():
    assert "No run file found at 'nothing/*.run'." in fail("evaluate", "demo", "nothing/*.run", "-m", "RBU@5")


@pytest.mark.parametrize(
    ("format", "higher"),
    [("latex", r"& xquad & \textbf{0.544} & $^{\mathrm{a}}$"), ("html", "<b>0.544</b>"), ("markdown", "<sup>a</sup>")],
)
def test_compare_marks_significant_differences(format, higher):
    text = run(
        "compare", "demo", BM25, XQUAD, "-m", "RBU@5", "-b", "bm25", "--test", "t", "--format", format, "-p", "3"
    )

    assert higher in text
    assert "(paired t-test, not corrected, alpha = 0.05, queries: 14)." in text


def test_evaluate_reads_several_measures_from_one_text_and_lifts_as_tables_show_them():
    measures = ["-m", "RBU(p=0.9, e=0.1)@5 AP", "-m", "Adhoc(nDCG@5), Sharp(alpha_nDCG@5, gamma=0.3)"]
    header = run("evaluate", "demo", BM25, *measures, "--format", "csv")

    assert header.splitlines()[0] == 'run,"RBU(p=0.9,e=0.1)@5",AP,Adhoc(nDCG@5),"Sharp(alpha_nDCG@5,gamma=0.3)"'


def test_a_group_of_measures_is_asked_for_by_its_name():
    header = run("evaluate", "demo", BM25, "-m", "FRESHSTACK RBU@5", "--format", "csv").splitlines()[0]

    assert header == "run,alpha_nDCG@10,Coverage@20,Adhoc(R@50),NuggetScore(full=1.0)@20,RBU@5"


def test_runs_of_the_demo_are_called_by_their_names():
    assert run("evaluate", "demo", "bm25", "xquad", "-m", "RBU@5") == run(
        "evaluate", "demo", BM25, XQUAD, "-m", "RBU@5"
    )


def test_arguments_in_the_wrong_order_are_told():
    assert f"{BM25} is a run, not qrels. Give the qrels first." in fail("evaluate", BM25, QRELS, "-m", "RBU@5")


def test_options_may_stand_anywhere():
    assert run("evaluate", "-m", "RBU@5", QRELS, BM25, "-p", "2", XQUAD) == run(
        "evaluate", QRELS, BM25, XQUAD, "-m", "RBU@5", "-p", "2"
    )


@pytest.mark.parametrize("format", ["csv", "json"])
def test_programs_get_every_digit(format):
    text = run("evaluate", QRELS, BM25, "-m", "RBU@5 NDEVAL", "--format", format)

    (row,) = pd.read_csv(io.StringIO(text)).to_dict("records") if format == "csv" else json.loads(text)
    assert (
        row
        == {"run": "bm25"} | evaluate_runs(read_qrels(QRELS), BM25, ["RBU@5", *NDEVAL]).iloc[0].drop("name").to_dict()
    )


def test_shell_python_and_an_experiment_give_the_same_values():
    demo, measures = DemoDataset(), [*NDEVAL, RBU, RBU @ 5, RBU(p=0.9) @ 20]
    names = [str(measure) for measure in measures]
    runs = {name: demo.get_results(name) for name in RUNS}

    experiment = pt.Experiment(runs, demo.get_topics(), demo.get_qrels(), measures).set_index("name")[names]
    python = evaluate_runs(demo.get_qrels(), runs, measures).set_index("name")[names]
    shell = pd.DataFrame(json.loads(run("evaluate", "demo", *RUNS, "-m", " ".join(names), "--format", "json")))

    pd.testing.assert_frame_equal(experiment, python, check_exact=True)
    pd.testing.assert_frame_equal(shell.set_index("run").rename_axis("name")[names], python, check_exact=True)


def test_a_table_is_written_in_the_format_of_the_file(tmp_path):
    path = tmp_path / "table.json"

    assert run("evaluate", QRELS, BM25, "-m", "RBU@5", "-o", str(path)) == ""

    assert path.read_text() == run("evaluate", QRELS, BM25, "-m", "RBU@5", "--format", "json")
    beside = json.loads((tmp_path / "table.json.json").read_text())
    assert beside["signatures"] == {"RBU@5": signature(RBU @ 5)}


def test_a_comparison_is_written_as_it_is_printed(tmp_path):
    arguments = ["compare", QRELS, BM25, XQUAD, "-m", "RBU@5"]

    for ending, format in (("txt", "table"), ("tex", "latex"), ("html", "html"), ("csv", "csv")):
        path = tmp_path / f"table.{ending}"
        run(*arguments, "-o", str(path))
        assert path.read_text() == run(*arguments, "--format", format)
    assert json.loads((tmp_path / "table.csv.json").read_text())["test"] == "tukey-randomised"


def test_a_comparison_fits_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = run("compare", QRELS, str(FOLDER / "*.run"), "-m", "RBU@5 alpha_nDCG@5 ERR_IA@20")

    assert max(map(len, text.splitlines())) <= 80
    assert sum(line.endswith(" *") for line in text.splitlines()) > 1


def test_an_ending_that_says_nothing_is_refused(tmp_path):
    message = fail("evaluate", QRELS, BM25, "-m", "RBU@5", "-o", str(tmp_path / "table.xls"))

    assert "its ending must be one of" in message


@pytest.mark.parametrize("how", [[], ["--jobs", "2"]], ids=" ".join)
def test_a_run_may_come_through_a_pipe(tmp_path, monkeypatch, how):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.run")
    content = (FOLDER / "bm25.run").read_bytes()
    writer = threading.Thread(target=lambda: (tmp_path / "pipe.run").write_bytes(gzip.compress(content)))
    writer.start()
    result = CliRunner().invoke(
        app, ["evaluate", QRELS, "pipe.run", "-", "-m", "RBU@5", "--format", "csv", *how], content
    )
    writer.join()

    values = [line.split(",")[1] for line in result.stdout.splitlines()[1:]]
    assert values == [run("evaluate", QRELS, BM25, "-m", "RBU@5", "--format", "csv").split(",")[-1].strip()] * 2


@pytest.mark.parametrize("command", [["evaluate", "-m", "RBU@5"], ["compare", "-m", "RBU@5"], ["check"]], ids=" ".join)
def test_warnings_about_qrels_are_errors_if_strict(tmp_path, command):
    path = tmp_path / "nuggets.jsonl"
    path.write_text(
        '{"qid": "1", "docid": "demo-189", "nuggets": [{"text": "x", "assignment": "perhaps"}, '
        '{"text": "y", "assignment": "support"}]}\n'
    )
    first, *rest = command

    message = fail(first, str(path), BM25, XQUAD, *rest, "--strict")

    assert message.startswith("Error: read_nuggets: 2 nuggets. 1 assignment has an unknown word")


def test_the_shell_says_which_qrels_have_passages():
    message = fail("evaluate", QRELS, BM25, "-m", "EU_DD@5")

    assert "(in the shell, give the truth file, which ends in .xml, as QRELS)" in message


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    message = fail("evaluate", QRELS, BM25, "-m", "RBU@5", "-o", str(tmp_path / "no" / "table.csv"))

    assert message == f"Error: There is no folder '{tmp_path}/no'.\n"


def test_lengths_of_documents_come_from_a_file(shared):
    folder = shared / "trec-dd"
    truth, session = folder / "dd17-odd-truth.xml.gz", folder / "runs" / "dd17-odd-syn1.txt"
    lengths = folder / "dd17-odd-doc-lengths.tsv.gz"

    (row,) = json.loads(
        run("evaluate", str(truth), str(session), "-m", "EU_DD@5 CT@5", "--doc-len", str(lengths), "--format", "json")
    )

    qrels, retrieved = read_dd_truth(truth, "passages"), read_dd_run(session, lengths)
    for measure in (EU_DD @ 5, CT @ 5):
        value = measure.calc_aggregate(pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(retrieved))
        assert row[str(measure)] == pytest.approx(value, abs=1e-12)


def test_check_reports_mistakes_and_counts(tmp_path):
    (tmp_path / "nothing.run").touch()
    arguments = ["check", QRELS, BM25, str(tmp_path / "nothing.run")]

    lines = run(*arguments).splitlines()

    assert [line.split(": ")[:2] for line in lines] == [["note", "qrels"], ["note", "bm25"], ["warning", "nothing"]]
    assert CliRunner().invoke(app, [*arguments, "--strict"]).exit_code == 1
    assert CliRunner().invoke(app, [*arguments[:3], "--strict"]).exit_code == 0


def test_check_ends_with_1_for_errors(tmp_path):
    (tmp_path / "bad.run").write_text("1 Q0 d1\n")

    result = CliRunner().invoke(app, ["check", QRELS, str(tmp_path / "bad.run"), BM25])

    assert result.exit_code == 1
    assert f"error: bad: {tmp_path}/bad.run, line 1: expected 6 columns" in result.stdout
    assert "note: bm25" in result.stdout


def test_an_error_of_all_runs_is_printed_once():
    message = fail("evaluate", QRELS, BM25, XQUAD, "-m", "AP")

    assert message.count("Adhoc(AP)") == message.count("\n") == 1


def test_real_imperfect_nuggets_pass_from_files_to_a_check_a_table_and_a_gate(shared):
    folder = shared / "nuggets" / "assignments"
    large, small = str(folder / "gpt-4o.jsonl.gz"), str(folder / "llama-3.1-70b.jsonl.gz")

    assert "[words]" in fail("check", str(folder), large, "--strict")
    assert "warning" not in run("check", str(folder), large, "--strict", "--ignore", "words")
    rows = json.loads(
        run("evaluate", str(folder), large, small, "-m", "NUGGETS", "--strict", "--ignore", "words", "--format", "json")
    )
    assert [round(row["NuggetScore"], 4) for row in rows] == [0.3632, 0.3587]
    run("compare", str(folder), small, "-b", large, "--no-worse", "NuggetScore", "--strict", "--ignore", "words")


def test_kinds_of_warnings_are_named_in_warnings_errors_and_help(tmp_path):
    (tmp_path / "nothing.run").touch()
    (tmp_path / "nuggets.jsonl").write_text(
        '{"qid": "1", "docid": "demo-189", "nuggets": [{"text": "x", "assignment": "perhaps"}, '
        '{"text": "y", "assignment": "support"}]}\n'
    )
    arguments = ["evaluate", str(tmp_path / "nuggets.jsonl"), BM25, str(tmp_path / "nothing.run"), "-m", "RBU@5"]

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        told = CliRunner().invoke(app, arguments).stderr
    strict = fail(*arguments, "--strict")
    helped = run("evaluate", "--help")

    for kind, words in {"words": "unknown word", "empty": "default value"}.items():
        assert re.search(rf"Warning: .*{words}.* \[{kind}\]\n", told)
        assert re.search(rf"{words}.* \[{kind}\]", strict)
        assert f"  {kind} " in helped
    assert "a run without documents" in helped


def test_a_list_of_missed_intents_ignores_warnings(tmp_path):
    (tmp_path / "nuggets.jsonl").write_text(
        '{"qid": "1", "docid": "demo-189", "nuggets": [{"text": "x", "assignment": "perhaps"}, '
        '{"text": "y", "assignment": "support"}]}\n'
    )

    assert "bm25" in run("missed", str(tmp_path / "nuggets.jsonl"), XQUAD, BM25, "-k", "1", "--ignore", "words")


def test_a_table_of_nuggets_is_read_as_nuggets(tmp_path):
    nuggets, new = tmp_path / "nuggets.csv", tmp_path / "new.json"
    nuggets.write_text("qid,docno,nugget_text,assignment\nq,a,free,support\nq,b,free,not_support\nq,b,fast,support\n")
    new.write_text('{"q": ["a", "b"]}')

    values = run("evaluate", str(nuggets), str(new), "-m", "Coverage@1 Coverage@2", "--format", "csv")
    assert values.splitlines() == ["run,Coverage@1,Coverage@2", "new,0.5,1.0"]
    assert f"{new} is a run, not qrels. Give the qrels first." in fail(
        "evaluate", str(new), str(nuggets), "-m", "RBU@5"
    )
