"""Results by query are read from all tools and forms to the same numbers, without their rows of means."""

import json
import math
from pathlib import Path

import ir_measures
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from ir_measures import AP, P
from scipy.stats import ttest_rel

from pyterrier_diversity import IA, RBU, evaluate_runs, meta, plots
from pyterrier_diversity.evaluate import aggregates
from pyterrier_diversity.io import read_perquery
from pyterrier_diversity.warnings import RowsWarning
from shell import BM25, XQUAD, run

QRELS = Path(BM25).with_name("qrels.txt")
COLUMNS = ["name", "qid", "measure", "value"]
# Two systems, three queries, two measures; a query and a system have names that need care.
LONG = pd.DataFrame(
    [
        (name, qid, measure, value + 0.25 * (name == "b c"))
        for name in ("a", "b c")
        for i, qid in enumerate(("1", "007", "q-3"))
        for measure, value in (("AP", i / 4), ("RBU(p=0.9)@5", i / 16))
    ],
    columns=COLUMNS,
)
ONE = LONG[LONG["name"] == "a"].reset_index(drop=True)


def wide(frame: pd.DataFrame = LONG, **names: str) -> pd.DataFrame:
    table = frame.pivot_table(index=["name", "qid"], columns="measure", values="value", sort=False).reset_index()
    return table.rename(columns=names).rename_axis(columns=None)


def lines(frame: pd.DataFrame, order: str, between: str = "\t", *, means: bool = True) -> str:
    last = frame.groupby(["name", "measure"], as_index=False)["value"].mean().assign(qid="all")
    whole = pd.concat([frame, last]) if means else frame
    return "".join(between.join(map(str, row)) + "\n" for row in whole[order.split()].itertuples(index=False))


def nested(frame: pd.DataFrame) -> dict[str, dict[str, float]]:
    return {qid: dict(zip(of["measure"], of["value"], strict=True)) for qid, of in frame.groupby("qid", sort=False)}


ONE_FILE = {
    "our CSV": wide().to_csv(index=False),
    "TSV with other names": wide(name="run", qid="query_id").to_csv(index=False, sep="\t"),
    "ndeval": wide(name="runid", qid="topic").to_csv(index=False),
    "an index": wide().to_csv(),
    "counts": wide().assign(queries=3, **{"ties@5": 0.5}).to_csv(index=False),
    "long CSV": LONG.to_csv(index=False),
    "auto-judge": LONG.rename(columns={"name": "run_id", "qid": "topic_id"}).to_json(orient="records", lines=True),
    "JSON of a wide table": wide().to_json(orient="records"),
    "columns in JSON": LONG.to_json(),
    "split JSON": wide().to_json(orient="split"),
    "rows by number": LONG.to_json(orient="index"),
    "name, query, measure": lines(LONG, "name qid measure value"),
    "name, measure, query": lines(LONG, "name measure qid value"),
    "no means": lines(LONG, "name qid measure value", means=False),
    "systems in JSON": json.dumps({name: nested(of) for name, of in LONG.groupby("name")}),
}


@pytest.mark.filterwarnings("ignore::pyterrier_diversity.warnings.RowsWarning")
@pytest.mark.parametrize("text", ONE_FILE.values(), ids=ONE_FILE)
def test_a_file_of_several_systems_is_read_to_the_same_numbers(text, tmp_path):
    path = tmp_path / "any.json"
    path.write_text(text)

    pd.testing.assert_frame_equal(sorted_rows(read_perquery(path)), sorted_rows(LONG), check_exact=True)


ONE_SYSTEM = {
    "trec_eval": "num_ret               \t1\t5\n" + lines(ONE, "measure qid value"),
    "trec_eval with a tag": "".join(
        f"{name:<22}\t{qid}\t{value}\n"
        for name, qid, value in [*ONE[["measure", "qid", "value"]].itertuples(index=False), ("runid", "all", "bm25 x")]
    ),
    "trec_eval between spaces": lines(ONE, "measure qid value", "   "),
    "ir_measures": lines(ONE, "qid measure value"),
    "ir_measures without means": lines(ONE, "qid measure value", means=False),
    "JSON lines of ir_measures": ONE[["qid", "measure", "value"]]
    .rename(columns={"qid": "query_id"})
    .to_json(orient="records", lines=True),
    "pytrec_eval": json.dumps(nested(ONE)),
    "pandas, by measure": json.dumps(pd.DataFrame(nested(ONE)).T.to_dict()),
    "a header between spaces": "qid measure value\n" + lines(ONE, "qid measure value", " "),
}


@pytest.mark.filterwarnings("ignore::pyterrier_diversity.warnings.RowsWarning")
@pytest.mark.parametrize("text", ONE_SYSTEM.values(), ids=ONE_SYSTEM)
def test_a_file_without_the_name_of_its_system_is_named_after_itself(text, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(text)

    found = read_perquery(path)

    pd.testing.assert_frame_equal(sorted_rows(found[found["measure"] != "num_ret"]), sorted_rows(ONE), check_exact=True)


@pytest.mark.parametrize(
    "given",
    [
        LONG,
        wide(),
        wide(name="system", qid="query_id"),
        LONG.to_dict("records"),
        LONG.to_dict(),
        LONG.to_dict("list"),
        {"a": ONE.drop(columns="name"), "b c": LONG[LONG["name"] == "b c"]},
        {"a": ONE.assign(name="other"), "b c": nested(LONG[LONG["name"] == "b c"])},
        [ONE, LONG[LONG["name"] == "b c"]],
        {
            name: [ir_measures.util.Metric(*row) for row in of[["qid", "measure", "value"]].itertuples(index=False)]
            for name, of in LONG.groupby("name")
        },
    ],
    ids=["long", "wide", "other names", "rows", "dict", "lists", "frames", "a dict", "a list", "ir_measures"],
)
def test_data_of_python_is_read_to_the_same_numbers(given):
    pd.testing.assert_frame_equal(sorted_rows(read_perquery(given)), sorted_rows(LONG), check_exact=True)


def test_values_by_query_may_be_of_a_measure_with_a_name_of_ones_own():
    found = read_perquery({"a": {"1": {"mine": 0.5}}})

    assert found[["qid", "measure"]].to_numpy().tolist() == [["1", "mine"]]


def sorted_rows(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[COLUMNS].sort_values(COLUMNS[:3], ignore_index=True).astype({"value": float})


def test_systems_may_be_named_by_numbers():
    frame = pd.DataFrame({"name": [0.1, 0.25], "qid": ["1", "1"], "measure": "RBU@5", "value": [0.5, 0.75]})

    assert read_perquery(frame)["name"].tolist() == ["0.1", "0.25"]


@pytest.mark.parametrize("text", ["name,qid,AP,P\na,1,0.5,\n", '{"name": "a", "qid": 1, "AP": 0.5, "P": null}\n'])
def test_values_of_a_table_may_be_missing(text, tmp_path):
    (tmp_path / "file").write_text(text)

    found = read_perquery(tmp_path / "file").set_index("measure")["value"]

    assert found["AP"] == 0.5
    assert math.isnan(found["P"])


def test_a_frame_keeps_what_is_known_about_its_values():
    table = pd.concat([LONG, ONE.assign(qid="all")])
    table.attrs["signatures"] = {"AP": "AP|..."}

    with pytest.warns(RowsWarning):
        found = read_perquery(table)

    assert found.attrs == table.attrs
    pd.testing.assert_frame_equal(found, LONG)


def test_files_are_found_in_a_folder_by_a_pattern_or_in_a_list(tmp_path):
    for name, of in LONG.groupby("name"):
        (tmp_path / f"{name}.txt").write_text(lines(of, "qid measure value", means=False))

    for given in (tmp_path, str(tmp_path / "*.txt"), sorted(tmp_path.iterdir())):
        pd.testing.assert_frame_equal(sorted_rows(read_perquery(given)), sorted_rows(LONG), check_exact=True)


def test_columns_may_be_named_by_number_or_by_their_old_names(tmp_path):
    (tmp_path / "a.txt").write_text("fluency 1 0.5 x\n")
    numbers = {"1": "measure", "2": "qid", "3": "value"}
    renamed = wide(ONE).rename(columns={"qid": "task"})

    assert read_perquery(tmp_path / "a.txt", columns=numbers).to_numpy().tolist() == [["a", "1", "fluency", 0.5]]
    assert sorted_rows(read_perquery(renamed, columns={"task": "qid"})).equals(sorted_rows(ONE))


def drawn(frame):
    axes = plots.per_query_deltas(frame, "AP", "a", "b c")
    plt.close(axes.figure)
    return pd.DataFrame(axes.get_yticks())


@pytest.mark.usefixtures("no_layout")
@pytest.mark.parametrize(
    "word", ["all", "ALL", "amean", "Mean", "AVERAGE", "avg", "Overall", "gmean", "means", "MACRO_AVERAGE", "macro"]
)
def test_rows_of_means_are_left_out_with_a_warning_in_every_function(word):
    extra = LONG[LONG["qid"] == "1"].assign(qid=word, value=99.0)
    with_means = pd.concat([LONG, extra])
    calls = [
        lambda frame: meta.compare(frame, "t", baseline="a"),
        lambda frame: meta.risk(frame, "a"),
        lambda frame: meta.rank_correlation(frame),
        lambda frame: meta.below_minimum(frame, {"AP": 0.99}),
        lambda frame: meta.worse_than(frame, "b c", alpha=0.9),
        aggregates,
        drawn,
    ]

    for call in calls if word == "all" else calls[:2]:
        with pytest.warns(RowsWarning, match=f"the rows of '{word}' are left out") as told:
            found = call(with_means)
        assert len(told) == 1
        pd.testing.assert_frame_equal(found, call(LONG), check_exact=True)


def test_p_values_of_files_are_those_of_scipy(tmp_path):
    text = run("evaluate", "demo", BM25, XQUAD, "-m", "RBU@10", "-q", "--format", "csv")
    (tmp_path / "values.csv").write_text(text)
    table = pd.read_csv(tmp_path / "values.csv")
    one, other = (table[(table["name"] == name) & (table["qid"] != "all")]["RBU@10"] for name in ("xquad", "bm25"))

    with pytest.warns(RowsWarning, match="'all'"):
        found = meta.compare(tmp_path / "values.csv", "t", baseline="bm25")

    assert found["p"].item() == pytest.approx(ttest_rel(one, other).pvalue, abs=1e-12)
    assert found.attrs["n_queries"] == 14


@pytest.mark.filterwarnings("ignore::pyterrier_diversity.warnings.RowsWarning")
@pytest.mark.parametrize("format", ["trec_eval", "ir_measures", "long", "csv", "tsv", "json", "jsonl"])
@pytest.mark.parametrize("paths", [[BM25], [BM25, XQUAD]], ids=["one", "two"])
def test_what_the_shell_writes_is_read_back_to_the_same_bits(format, paths, tmp_path):
    if len(paths) > 1 and format in ("trec_eval", "ir_measures"):
        return
    arguments = ["evaluate", "demo", *paths, "-m", "RBU(p=0.9)@10 IA(P@5) AP_IA", "-q", "--format", format]

    run(*arguments, "-o", str(tmp_path / "bm25"))

    found = evaluate_runs(QRELS, paths, [RBU(p=0.9) @ 10, IA(P @ 5), "AP_IA"], perquery=True)
    pd.testing.assert_frame_equal(
        sorted_rows(read_perquery(tmp_path / "bm25")), sorted_rows(found), check_exact=True, check_dtype=False
    )


def test_a_query_of_the_qrels_that_is_called_all_counts():
    qrels = pd.DataFrame({"qid": ["all", "1"], "docno": "d", "label": 1})
    runs = {"a": {"all": ["d"], "1": ["x"]}, "b": {"all": ["x"], "1": ["d", "x"]}}

    with pytest.warns(RowsWarning, match="all counts as a query"):
        found = evaluate_runs(qrels, runs, AP, perquery=True)

    assert sorted(read_perquery(found)["qid"]) == ["1", "1", "all", "all"]
    assert meta.risk(found, "a").attrs["n_queries"] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,RBU@5\na,0.5\n", "is a table of means, not results by query; found: name, RBU@5"),
        ("1 Q0 d1 1 2.5 bm25\n", r"not results by query; the first line is 1 Q0 d1 1 2\.5 bm25\. Evaluate it first"),
        ("1 a d1 2\n", "is qrels, not results by query"),
        ("1 fluency 0.5\n", r"lines without the name of a known measure.*\{'1': 'qid', '2': 'measure'"),
        ("map 1 0.5\nmap 2 high\n", "file, line 2: value must be a finite number, not 'high'"),
        ("name,qid,AP\na,1,0.5\na,2,high\n", "file, line 3: AP must be a finite number, not 'high'"),
        ("", r"must have values by query .* but has none"),
        ("name,qid,AP\n", r"must have values by query .* but has none"),
        ("runid                 \tall\tbm25\nmap                   \tall\t0.5\n", r"only means \('all'\)"),
        ("AP\t0.5\n", r"is a table of means.* Evaluate by query \(-q in the shell\)"),
        ("map all 0.5\n", r"must have values by query .* only means \('all'\)"),
        ('{"name": "a", "qid": "1", "measure": "AP"}\n', "missing column value; found: name, qid, measure"),
    ],
)
def test_other_files_are_refused_with_what_to_do(text, message, tmp_path):
    (tmp_path / "file").write_text(text)

    with pytest.raises(ValueError, match=message):
        read_perquery(tmp_path / "file")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (ONE.drop(columns="name"), ValueError, r"name of the system is missing\. Give it, as in \{'bm25'"),
        (wide().drop(columns="qid"), ValueError, "is a table of means"),
        (wide().assign(AP="high"), ValueError, "AP must be a finite number, but query .* has 'high'"),
        (pd.concat([wide(), wide()["AP"]], axis=1), ValueError, "the column AP appears twice"),
        (LONG.assign(name=None), ValueError, "row 0 has no name"),
        (5, TypeError, r"must be a file, a frame, .* of queries with \{measure: number\}, not int"),
        ("no/file.csv", ValueError, "No run file found at 'no/file.csv'"),
    ],
)  # fmt: skip
def test_other_data_is_refused(given, error, message):
    with pytest.raises(error, match=message):
        read_perquery(given)
