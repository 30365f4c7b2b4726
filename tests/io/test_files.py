"""A table of words is what its lines say, however they are written, and however the file is handed over."""

import bz2
import gzip
import io
import lzma
import math
import os
import re
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pyterrier_diversity.cli import app
from pyterrier_diversity.io.files import Content, read_content, regular
from pyterrier_diversity.io.lines import Kinds, read_columns
from pyterrier_diversity.io.records import Label

RUN: Kinds = {"qid": str, "q0": None, "docno": str, "rank": object, "score": float, "tag": None}
QRELS: Kinds = {"qid": str, "iteration": str, "docno": str, "label": float}


def number(text: str) -> float:
    try:
        return math.nan if "_" in text or not text.isascii() else float(text)
    except ValueError:
        return math.nan


def by_hand(text: str, columns: Kinds) -> dict[str, list[object]] | None:
    """Read a table in plain loops; None if a line is bad."""
    lines = [line.lstrip("\ufeff") for line in re.split("\r\n|\r|\n", text)]
    table: dict[str, list[object]] = {name: [] for name, kind in columns.items() if kind}
    for line in filter(str.strip, lines):
        words = line.split()
        if len(words) != len(columns):
            words = [word.strip() for word in line.split("\t")]
        if len(words) != len(columns):
            return None
        for word, (name, kind) in zip(words, columns.items(), strict=True):
            value = number(word) + 0.0 if kind in (float, object) else word
            if (kind is float and not math.isfinite(value)) or (kind is str and (not word or "\0" in word)):
                return None
            if kind:
                table[name].append(value)
    return table


def is_read_right(text: str, columns: Kinds = RUN) -> bool:
    expected = by_hand(text, columns)
    try:
        found = read_columns(Content("file", text.encode()), columns)
    except ValueError as error:
        return expected is None and bool(re.match(r"file, line \d+: ", str(error)))
    # Adding 0 makes 0.0 of -0.0, which pandas reads as -0.0 or, if it is written as -0, as 0. All NaN have one repr.
    values = {name: (of + 0.0 if of.dtype.kind == "f" else of).tolist() for name, of in found.items()}
    return expected is not None and repr(values) == repr(expected)


WORDS = st.one_of(
    st.sampled_from(
        ["1", "0001", "nan", "NA", "", "null", "None", "True", "#", '"', "'", '""', '"a', "a,b", "\\", "1.0"]
    ),
    st.sampled_from(["é", "文書", "x\u00a0y", "\u2003", "\x1c", "\x0b", "a\0b", "\x85", "\ufeff", "d\ufeff", "x" * 47]),
    st.sampled_from(["x" * 48, "x" * 60, "é" * 24]),
    st.text("ab1", max_size=3),
)
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-10, 10).map(lambda value: f"{value:.25e}"),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(
        ["nan", "inf", "-inf", "Infinity", "1_000", "1,5", "0x10", "1e", "1e+", "1e5", "+1", "-", ".", ".5", "1."]
    ),
    st.sampled_from(["", "1d5", "True", "é", "\u0661", "1e400", "1e-400", "-0", "12345678901234567890.5e-30", "1 2"]),
    st.text("0123456789+-.eE", max_size=6),
)
SEPARATORS = st.sampled_from([" ", "\t", "  ", " \t ", "\x0b", "\u00a0"])
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n", " \n", "\n \n", "\n "])


@st.composite
def files(draw: st.DrawFn, words: list[st.SearchStrategy[str]]) -> str:
    """Draw a file: of most, all lines are written alike and are good."""
    usual, end = draw(SEPARATORS), draw(ENDS)
    lines = []
    for _ in range(draw(st.integers(0, 6))):
        separator = usual if draw(st.integers(0, 5)) else draw(SEPARATORS)
        line = separator.join(draw(word) for word in words)
        if not draw(st.integers(0, 8)):
            line = draw(st.sampled_from([line + separator + "x", line.rpartition(separator)[0], separator + line]))
        lines.append(line + (end if draw(st.integers(0, 5)) else draw(ENDS)))
    return draw(st.sampled_from(["", "", "\ufeff", "\n"])) + "".join(lines).rstrip(draw(st.sampled_from(["", "\n"])))


PLAIN = st.sampled_from(["1", "0001", "nan", "NA", '"a"', "#", "é", "d,1", "x" * 60])
FINITE = st.floats(allow_nan=False, allow_infinity=False).map(repr)


@settings(max_examples=30, deadline=None)
@given(files([PLAIN, PLAIN, PLAIN, FINITE, FINITE, PLAIN]))
def test_good_runs_are_what_their_lines_say(text):
    assert is_read_right(text)


@settings(max_examples=60, deadline=None)
@given(files([WORDS, WORDS, WORDS, NUMBERS, NUMBERS, WORDS]))
@example("1 Q0 d 1 2 t\n\n1  d 1 2 t\n")
@example("1 Q0 d 1 2 t x\n1 Q0 d 1 2\n")
@example("1 Q0 d 1 2 t\n1 Q0 d 1 2 t x\n1 Q0 d 1 2\n")
@example("1\tx Q0 d 1 2 t\n")
@example('1 Q0 "d 1 2 t\n1 Q0 d" 1 2 t\n')
@example("1 Q0 d 1 2 \n")
@example("1 Q0 d 1 2 t\n \n")
@example("1\tQ0\td\t1\t2\tx\u00a0y\n")
@example("1 Q0\t\td\t1\t2\tt\n1\tQ0\td\t1\t2\tx\u00a0y\n")
def test_hostile_runs_are_what_their_lines_say_or_refused(text):
    assume(not re.search(r'"[^"\r\n]*\s[^"\r\n]*"', text))  # a quoted word with a space inside
    assert is_read_right(text)


@settings(max_examples=60, deadline=None)
@given(files([WORDS, WORDS, WORDS, NUMBERS]))
def test_qrels_are_what_their_lines_say_or_refused(text):
    assert is_read_right(text, QRELS)


@settings(max_examples=60, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=3))
@example(["True", "false"])
def test_numbers_are_those_of_python(numbers):
    assert is_read_right("".join(f"1 Q0 d 1 {text} t\n" for text in numbers))


@pytest.mark.parametrize(
    ("last", "end"),
    [
        ("q Q0 7 1 2.5 t", "\n"),
        ("q Q0 7 1 2.5 t", "\r\n"),
        *((f"q Q0 7 1 {end}", "\n") for end in ("2.5", "2.5 t t", "x t")),
    ],
)
def test_a_file_of_several_megabytes_is_what_its_lines_say(last, end):
    words, numbers = ([f"{i} Q0 {name * 400}{i} {i} -{i} tag" for i in range(6_000)] for name in ("d", "0"))

    assert is_read_right(end.join([*words, *numbers, last]))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
@example(b"1 Q0 d 1 2 t\n1 Q0 \xff 1 2 t\n")
@example(b"1 Q0 \xc3d\xa9 1 2 t\n")
def test_bytes_that_are_no_text_are_refused(data):
    try:
        text = data.decode()
    except UnicodeDecodeError:
        with pytest.raises(ValueError, match=r"file, line \d+: "):
            read_columns(Content("file", data), RUN)
    else:
        assert is_read_right(text)


def test_floats_are_read_exactly():
    rng = np.random.default_rng(0)
    values = (rng.normal(size=5_000) * 10.0 ** rng.integers(-300, 300, 5_000)).tolist()
    text = "".join(f"1 Q0 d {i} {value!r} t\n" for i, value in enumerate(values))

    assert read_columns(Content("file", text.encode()), RUN)["score"].tolist() == values


@pytest.mark.parametrize(
    ("kind", "word"), [(Label, "nan"), (Label, "inf"), (int, "-1"), (int, "1" * 19), (float, "nan")]
)
def test_a_number_that_a_column_cannot_have_is_named_with_its_line(kind, word):
    with pytest.raises(ValueError, match=rf"^file, line 2: n must be a .*, not '{word}'\.$"):
        read_columns(Content("file", f"q 1\nq {word}\n".encode()), {"qid": str, "n": kind})


TEXT = "1 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n"


def documents(source: object) -> list[str]:
    return read_columns(source, RUN)["docno"].tolist()


@pytest.mark.parametrize(
    "data", [TEXT.encode(), gzip.compress(TEXT.encode(), mtime=0), b""], ids=["text", "gzip", "nothing"]
)
def test_a_pipe_is_read_once_and_whole_and_nothing_in_it_is_an_error(tmp_path, data):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(data,))
    writer.start()

    if data:
        assert documents(path) == ["d1", "d2"]
    else:
        with pytest.raises(ValueError, match=r"pipe is empty\. A program"):
            documents(path)
    writer.join()


def test_a_minus_is_the_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))

    assert documents("-") == ["d1", "d2"]


def test_the_copy_of_a_pipe_lasts_as_long_as_its_path(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))

    copy = regular("-")
    assert documents(copy) == documents(copy) == ["d1", "d2"]
    del copy
    assert list(tmp_path.iterdir()) == []


def test_open_files_are_read(tmp_path):
    path = tmp_path / "run"
    path.write_text(TEXT)

    with path.open() as text, path.open("rb") as data:
        assert documents(text) == documents(data) == documents(io.StringIO(TEXT)) == ["d1", "d2"]


@pytest.mark.parametrize("packed", [bz2.compress, lzma.compress, gzip.compress])
def test_a_compressed_file_is_recognised_by_its_content_and_may_have_parts(packed):
    first, second = TEXT.encode().splitlines(keepends=True)

    assert documents(io.BytesIO(packed(TEXT.encode()))) == documents(io.BytesIO(packed(first) + packed(second)))
    assert documents(io.BytesIO(packed(TEXT.encode()))) == ["d1", "d2"]


def test_a_file_that_a_browser_has_unpacked_is_read_under_its_old_name(tmp_path):
    (tmp_path / "run.gz").write_text(TEXT)

    assert documents(tmp_path / "run.gz") == ["d1", "d2"]


def test_an_archive_that_was_cut_off_is_named_with_the_last_line_that_is_left(tmp_path):
    path = tmp_path / "run.gz"
    packed = gzip.compress("".join(f"1 Q0 d{i} {i} {1 / i} t\n" for i in range(1, 60_000)).encode())
    path.write_bytes(packed[: len(packed) // 2])

    with pytest.raises(ValueError, match=r"run\.gz, line \d{4,6}: Compressed file ended before"):
        documents(path)


def test_a_folder_is_no_file(tmp_path: Path):
    with pytest.raises(ValueError, match=r"^/.*: Is a directory\.$"):
        documents(tmp_path)


def test_a_file_compressed_by_zstd_is_read(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    with pyarrow.CompressedOutputStream(str(tmp_path / "mine.run"), "zstd") as stream:
        stream.write(TEXT.encode())

    assert documents(tmp_path / "mine.run") == ["d1", "d2"]


def test_an_archive_of_files_is_refused_by_name():
    with pytest.raises(ValueError, match=r"^the stream, line 1: zip archives are not .*; save a sheet of Excel as CSV"):
        read_content(io.BytesIO(b"PK\x03\x04\x14\x00"))


def test_an_id_may_begin_like_a_compressed_file():
    assert documents(io.BytesIO("BZh9ü Q0 d1 1 2.0 t\n".encode())) == ["d1"]


@pytest.mark.parametrize("command", ["check - RUN", "evaluate QRELS - -m RBU@5", "evaluate - - -m RBU@5"])
def test_nothing_in_a_pipe_is_an_error(command, tmp_path):
    (tmp_path / "QRELS").write_text("1 a d 1\n")
    (tmp_path / "RUN").write_text("1 Q0 d 1 1 t\n")
    arguments = [str(tmp_path / word) if word in ("QRELS", "RUN") else word for word in command.split()]

    result = CliRunner().invoke(app, arguments, input="")

    assert result.exit_code == 1
    assert "standard input is empty. A program that should write to it may have failed" in result.output


@pytest.mark.parametrize(
    ("word", "told"), [("2", "1.0000"), ("x", "standard input, line 1: score must be a finite number")]
)
def test_columns_of_a_pipe_may_have_names_by_number(word, told, tmp_path):
    (tmp_path / "qrels").write_text("1 a d 1\n")
    arguments = f"evaluate {tmp_path}/qrels - -m StRecall@5 --columns 1=qid,2=docno,3=score".split()

    assert told in CliRunner().invoke(app, arguments, input=f"1 d {word}\n").output
