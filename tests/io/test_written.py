import csv
import json
import sys
from importlib.metadata import version
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from pyterrier_diversity.io import formatted, harmless, printable, write_table

VALUE = 0.1 + 0.2
FRAME = pd.DataFrame({"name": ["bm25", "x|_y"], "queries": [2, 30], "RBU@5": [VALUE, float("nan")]})
FRAME.attrs = {"signatures": {"RBU@5": "RBU@5|p=0.99"}, "seed": 1}


@pytest.mark.parametrize("ending", ["csv", "json", "jsonl"])
def test_programs_read_the_same_numbers_again(tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    write_table(FRAME, path)

    text = path.read_text()
    rows = {
        "csv": lambda: list(csv.DictReader(StringIO(text))),
        "json": lambda: json.loads(text),
        "jsonl": lambda: [json.loads(line) for line in text.splitlines()],
    }[ending]()
    assert [row["name"] for row in rows] == ["bm25", "x|_y"]
    assert [int(row["queries"]) for row in rows] == [2, 30]
    assert float(rows[0]["RBU@5"]) == VALUE
    assert rows[1]["RBU@5"] in ("", None)


def test_parquet_has_the_same_numbers(tmp_path):
    pytest.importorskip("pyarrow")
    write_table(FRAME, tmp_path / "table.parquet")

    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "table.parquet"), FRAME, check_exact=True)


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(ImportError, match=r"table.parquet needs pyarrow: pip install pyarrow, or choose .csv"):
        write_table(FRAME, tmp_path / "table.parquet")


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ("txt", "name  queries  RBU@5\nbm25        2 0.3000\nx|_y       30    NaN\n"),
        (
            "md",
            "| name  | queries |  RBU@5 |\n|:------|--------:|-------:|\n| bm25  |       2 | 0.3000 |\n"
            "| x\\|_y |      30 |    nan |\n",
        ),
        (
            "tex",
            "\\begin{tabular}{lrr}\n\\toprule\nname & queries & RBU@5 \\\\\n\\midrule\nbm25 & 2 & 0.3000 \\\\\n"
            "x|\\_y & 30 & nan \\\\\n\\bottomrule\n\\end{tabular}\n",
        ),
    ],
)
def test_tables_for_people_have_four_places(tmp_path, ending, text):
    write_table(FRAME, tmp_path / f"table.{ending}")

    assert (tmp_path / f"table.{ending}").read_text().replace(" \n", "\n") == text


def test_html_escapes_names():
    text = formatted(pd.DataFrame({"name": ["<b>"], "RBU": [0.12345]}), "html")

    assert "&lt;b&gt;" in text
    assert "<td>0.1235</td>" in text or "<td>0.1234</td>" in text


@pytest.mark.parametrize(
    ("format", "shown"),
    [
        ("csv", "0.30"),
        ("json", ": 0.3}"),
        ("jsonl", ": 0.3}"),
        ("table", "0.30"),
        ("markdown", "0.30"),
        ("latex", "0.30"),
    ],
)
def test_places_may_be_given(format, shown):
    assert shown in formatted(FRAME.head(1), format, 2)


def test_a_file_beside_the_table_says_where_its_numbers_come_from(tmp_path):
    write_table(FRAME, tmp_path / "table.json")

    beside = json.loads((tmp_path / "table.json.json").read_text())
    assert beside == {"pyterrier_diversity": version("pyterrier-diversity"), **FRAME.attrs}


def test_the_format_may_be_told(tmp_path):
    write_table(FRAME, tmp_path / "table.dat", "csv")

    assert (tmp_path / "table.dat").read_text().startswith("name,queries,RBU@5\n")
    with pytest.raises(
        ValueError, match=r"table.dat' does not name a format: its ending must be one of .txt, .*'.dat'"
    ):
        write_table(FRAME, tmp_path / "table.dat")
    with pytest.raises(ValueError, match=r"formatted: format must be one of table, csv, .*, not 'xls'"):
        formatted(FRAME, "xls")


@pytest.mark.parametrize("name", ["=1+2", "+x", "-x", "@SUM(A1)", "=HYPERLINK(1)", "'=1"])
def test_a_spreadsheet_executes_no_name(name):
    frame = pd.DataFrame({"name": [name], "value": [-0.5]})

    (row,) = csv.DictReader(StringIO(formatted(frame, "csv")))

    assert row == {"name": f"'{name}", "value": "-0.5"}
    assert harmless("a" + name) == "a" + name


@pytest.mark.parametrize("number", ["-1", "+1", "-0.5", "-.5e-3", "1"])
def test_numbers_are_no_formulas(number):
    assert harmless(number) == number


@pytest.mark.parametrize("format", ["table", "csv", "markdown", "html"])
def test_control_characters_are_escaped(format):
    text = formatted(pd.DataFrame({"na\x1bme": ["a\x1b[2Jb\nc\x07"], "v": [1]}), format)

    assert r"na\x1bme" in text
    assert r"a\x1b[2Jb\nc\x07" in text


def test_letters_of_other_scripts_stay():
    assert printable("検索 été \u200d") == "検索 été \u200d"
    assert printable("\udc80") == r"\udc80"


def test_columns_of_one_name_are_all_there():
    frame = pd.DataFrame([["a", 1, 2]], columns=["name", "x", "x"])

    assert formatted(frame, "csv") == "name,x,x\na,1,2"


def test_a_table_without_rows_has_its_header():
    assert formatted(FRAME.iloc[:0], "csv") == "name,queries,RBU@5"
    assert formatted(FRAME.iloc[:0], "json") == "[]"
    assert formatted(FRAME.iloc[:0], "markdown").splitlines()[0] == "| name | queries | RBU@5 |"


def test_lists_dicts_and_missing_values_are_those_of_json():
    cells = [{"1": 0.5, 2: np.nan}, ["x", 0.25], np.int64(3), pd.NA, None]

    rows = json.loads(formatted(pd.DataFrame({"cell": pd.Series(cells, dtype=object)}), "json", 1))

    assert [row["cell"] for row in rows] == [{"1": 0.5, "2": None}, ["x", 0.2], 3, None, None]
