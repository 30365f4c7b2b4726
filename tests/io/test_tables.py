import csv
import json
import os
import sys
import threading
from importlib.metadata import version
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from pyterrier_diversity.io import formatted, printable, read_perquery, terminal_width, write_table

VALUE = 0.1 + 0.2
FRAME = pd.DataFrame({"name": ["bm25", "x|_y"], "queries": [2, 30], "RBU@5": [VALUE, float("nan")]})
FRAME.attrs = {"signatures": {"RBU@5": "RBU@5|p=0.99"}, "seed": 1}


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl"])
def test_programs_read_the_same_numbers_again(tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    write_table(FRAME, path)

    text = path.read_text()
    rows = {
        "csv": lambda: list(csv.DictReader(StringIO(text))),
        "tsv": lambda: list(csv.DictReader(StringIO(text), delimiter="\t")),
        "json": lambda: json.loads(text),
        "jsonl": lambda: [json.loads(line) for line in text.splitlines()],
    }[ending]()
    assert [row["name"] for row in rows] == ["bm25", "x|_y"]
    assert [int(row["queries"]) for row in rows] == [2, 30]
    assert float(rows[0]["RBU@5"]) == VALUE
    assert rows[1]["RBU@5"] in ("", None)


def test_parquet_has_the_same_numbers(tmp_path):
    pytest.importorskip("pyarrow")
    write_table(FRAME.set_axis(FRAME.index + 5), tmp_path / "table.parquet")

    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "table.parquet"), FRAME, check_exact=True)


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(ImportError, match=r"pyarrow is required for parquet support. Use pip"):
        write_table(FRAME, tmp_path / "table.parquet")


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ("txt", "name  queries   RBU@5\nbm25        2  0.3000\nx|_y       30     nan\n"),
        (
            "md",
            "| name  | queries |  RBU@5 |\n|:------|--------:|-------:|\n| bm25  |       2 | 0.3000 |\n"
            "| x\\|_y |      30 |    nan |\n",
        ),
        (
            "tex",
            "% needs \\usepackage{booktabs}\n% RBU@5|p=0.99\n"
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
    assert ">0.1235</td>" in text or ">0.1234</td>" in text


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


@pytest.mark.parametrize(("places", "value"), [(3, 0.0135), (2, 0.595), (1, 0.25), (10, 123456789.12345678901)])
def test_every_format_rounds_alike(places, value, tmp_path):
    frame = pd.DataFrame({"name": ["a"], "value": [value], "of": [{"y": value}]})

    write_table(frame, tmp_path / "t.parquet", places=places)

    (name, found, of) = pd.read_parquet(tmp_path / "t.parquet").iloc[0]
    (row,) = json.loads(formatted(frame, "json", places))
    assert {"name": name, "value": found, "of": json.loads(of)} == row
    for format in ("csv", "markdown", "html", "latex", "table"):
        assert f"{found:.{places}f}" in formatted(frame[["name", "value"]], format, places)


def test_a_file_beside_the_table_says_where_its_numbers_come_from(tmp_path):
    write_table(FRAME, tmp_path / "table.json")

    beside = json.loads((tmp_path / "table.json.json").read_text())
    assert beside == {"pyterrier_diversity": version("pyterrier-diversity"), **FRAME.attrs}


def test_the_format_may_be_told(tmp_path):
    write_table(FRAME, tmp_path / "table.dat", "csv")

    assert (tmp_path / "table.dat").read_text().startswith("name,queries,RBU@5\n")
    with pytest.raises(
        ValueError, match=r"table.dat' does not name a format: its ending must be one of .txt, .csv, .*\.$"
    ):
        write_table(FRAME, tmp_path / "table.dat")
    with pytest.raises(ValueError, match=r"formatted: format must be one of table, csv, .*, not 'xls'"):
        formatted(FRAME, "xls")


@pytest.mark.parametrize("name", ["=1+2", "+x", "-x", "@SUM(A1)", "'=1", '"x"'])
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_names_are_read_as_they_were_written(name, ending, tmp_path):
    frame = pd.DataFrame({"name": [name], "qid": "q", "measure": "M", "value": [-0.5]})

    write_table(frame, tmp_path / f"table.{ending}")

    assert read_perquery(tmp_path / f"table.{ending}").to_dict() == frame.to_dict()


@pytest.mark.parametrize("format", ["table", "csv", "markdown", "html"])
def test_control_characters_are_escaped(format):
    text = formatted(pd.DataFrame({"na\x1bme": ["a\x1b[2Jb\nc\x07"], "v": [1]}), format)

    assert r"na\x1bme" in text
    assert r"a\x1b[2Jb\nc\x07" in text


def test_letters_of_other_scripts_stay():
    assert printable("検索 été \u200d") == "検索 été \u200d"
    assert printable("\udc80") == r"\udc80"
    assert printable("run\u202etxt.exe \u2066a") == r"run\u202etxt.exe \u2066a"


@pytest.mark.parametrize(
    ("frame", "format", "text"),
    [
        (pd.DataFrame([["a", 1, 2]], columns=["name", "x", "x"]), "csv", "name,x,x\na,1,2"),
        (FRAME.iloc[:0], "csv", "name,queries,RBU@5"),
        (FRAME.iloc[:0], "json", "[]"),
        (FRAME.iloc[:0], "markdown", "| name | queries | RBU@5 |\n"),
        (pd.DataFrame(), "csv", ""),
        (pd.DataFrame(), "table", ""),
    ],
)
def test_columns_of_one_name_are_all_there_and_a_table_without_rows_has_its_header(frame, format, text):
    found = formatted(frame, format)

    assert found.startswith(text) if text.endswith("\n") else found == text


def test_lists_dicts_and_missing_values_are_those_of_json():
    cells = [{"1": 0.5, 2: np.nan}, ["x", 0.25], np.int64(3), pd.NA, None]

    rows = json.loads(formatted(pd.DataFrame({"cell": pd.Series(cells, dtype=object)}), "json", 1))

    assert [row["cell"] for row in rows] == [{"1": 0.5, "2": None}, ["x", 0.2], 3, None, None]


MEASURES = [f"alpha_nDCG(alpha=0.{i})@20" for i in range(1, 6)]
WIDE = pd.DataFrame([["bm25", *[0.5] * 5], ["xquad", *[0.25] * 5]], columns=["name", *MEASURES])


def test_a_table_that_is_too_wide_is_turned_round_and_says_so():
    lines = formatted(WIDE, width=60).splitlines()

    assert lines[0].split() == ["measure", "bm25", "xquad"]
    assert lines[1].split() == [MEASURES[0], "0.5000", "0.2500"]
    assert lines[-1] == "Transposed to fit 60 columns: the measures are rows."
    assert max(map(len, lines)) <= 60


@pytest.mark.parametrize("width", [None, 200])
def test_a_table_that_fits_is_left_as_it_is(width):
    assert formatted(WIDE, width=width).splitlines()[0].split() == ["name", *MEASURES]


def test_a_table_may_be_turned_round_in_every_format():
    rows = json.loads(formatted(WIDE, "json", transpose=True))

    assert rows[0] == {"measure": MEASURES[0], "bm25": 0.5, "xquad": 0.25}
    assert formatted(WIDE, "csv", transpose=True).splitlines()[0] == "measure,bm25,xquad"
    assert formatted(WIDE, "table", transpose=True).splitlines()[0].split() == ["measure", "bm25", "xquad"]
    assert formatted(FRAME.head(1), transpose=True).splitlines()[1].split() == ["queries", "2"]
    assert formatted(WIDE.iloc[:0], "table", transpose=True).splitlines()[1] == MEASURES[0]


@pytest.mark.parametrize("format", ["json", "jsonl"])
def test_json_with_two_columns_of_one_name_is_refused(format):
    pairs = pd.DataFrame({"name": ["x y", "x"], "other": ["z", "y z"], "RBU@5": [0.1, 0.2]})

    assert len(json.loads(formatted(pairs, "json"))) == 2
    for frame, name in ((pairs, "x y z"), (pd.DataFrame({"name": ["measure"], "RBU@5": [0.1]}), "measure")):
        with pytest.raises(ValueError, match=f"^formatted: JSON cannot have two columns that are called '{name}'"):
            formatted(frame, format, transpose=True)
    assert formatted(pairs, "csv", transpose=True).splitlines()[0] == "measure,x y z,x y z"


def test_long_names_wrap():
    names = ["a-system-with-a-very-long-name-of-fifty-characters", "another-system-with-a-very-long-name-of-fifty-char"]
    lines = formatted(pd.DataFrame({"name": names, "M@1": [0.5, 0.25], "M@2": [0.5, 0.25]}), width=40).splitlines()

    assert max(map(len, lines)) <= 40
    assert "".join(line[:24].strip() for line in lines[1:4]) == names[0]
    assert lines[1].split()[1:] == ["0.5000", "0.5000"]


@pytest.mark.parametrize("width", [20, 30, 60, 100])
def test_a_table_that_fits_no_terminal_comes_in_parts_with_the_first_column(width):
    frame = pd.DataFrame({"name": [f"system-{i}" for i in range(9)], **{f"M@{i}": [i / 8] * 9 for i in range(12)}})

    text = formatted(frame, width=width)

    assert max(map(len, text.splitlines())) <= width
    assert [text.count(f"{i / 8:.4f}") for i in range(12)] == [9] * 12


def test_numbers_are_never_wrapped():
    frame = pd.DataFrame({"name": ["a"], "value": [123456789.125]})

    assert "123456789.1250" in formatted(frame, width=10)


def test_columns_counts_and_nothing_else_does_in_a_pipe(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("os.get_terminal_size", lambda *_: (_ for _ in ()).throw(OSError))
    assert terminal_width() is None

    monkeypatch.setenv("COLUMNS", "72")
    assert terminal_width() == 72


@pytest.mark.parametrize(("p", "text"), [(0.04, "0.0400"), (1e-9, "< 0.0001"), (0.0, "0")])
@pytest.mark.parametrize("format", ["table", "markdown", "html", "latex"])
def test_no_p_value_reads_as_a_row_of_zeros(p, text, format):
    shown = formatted(pd.DataFrame({"measure": ["M"], "p": [p]}), format)

    assert text.replace("<", "&lt;" if format == "html" else "<") in shown
    assert "0.0000" not in shown


def test_systems_and_measures_are_called_as_asked(tmp_path):
    write_table(FRAME, tmp_path / "t.tex", names={"bm25": "BM_25"}, labels={"RBU@5": "$RBU_5$", "queries": "n_q"})

    lines = (tmp_path / "t.tex").read_text().splitlines()
    assert lines[1] == "% RBU@5|p=0.99"
    assert lines[4] == r"name & n\_q & $RBU_5$ \\"
    assert lines[6] == r"BM\_25 & 2 & 0.3000 \\"


def test_a_system_with_a_dollar_stays_escaped_where_measures_are_rows():
    frame = pd.DataFrame({"name": ["US$ 1", "US$ 2"], "RBU@5": [0.5, 0.25]})

    lines = formatted(frame, "latex", transpose=True, labels={"RBU@5": "$RBU$"}).splitlines()

    assert lines[3] == r"measure & US\$ 1 & US\$ 2 \\"
    assert lines[5] == r"$RBU$ & 0.5000 & 0.2500 \\"


def test_a_device_has_no_file_beside_it(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = threading.Thread(target=pipe.read_text)
    reader.start()
    write_table(FRAME, pipe, "csv")
    reader.join(10)
    write_table(FRAME, os.devnull, "csv")

    assert list(tmp_path.iterdir()) == [pipe]
