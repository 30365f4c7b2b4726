"""Files of arbitrary bytes and lines through every reader."""

import gzip
import math
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import strategies as st

from fuzz import law
from fuzz.law import Refusal, answer, fuzzed
from fuzz.lines import lines
from pyterrier_diversity import io

TAGS = ["trec_dd", "domain", "topic", "subtopic", "passage", "docno", "rating", "type", "description", "text", "x"]

DAMAGE: list[Callable[[bytes], bytes]] = [
    *[lambda content: content] * 8,
    *[gzip.compress] * 3,
    lambda content: gzip.compress(content)[:-5],
    lambda content: b"\x1f\x8b" + content,
    lambda content: b"\xef\xbb\xbf" + content,
    lambda content: content + b"\xff\xfe",
    lambda content: content.decode().encode("utf-16"),
    lambda content: content[:-1],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@st.composite
def truths(draw: st.DrawFn) -> str:
    """Draw a truth file, some with a tag or a word that does not belong there."""
    passages = ""
    for i in range(draw(st.integers(1, 3))):
        docno, rating = (
            draw(st.sampled_from(words)) for words in (["d1", "d2", "&lt;"], ["1", "4", "2", "-1", "+1", "2.0"])
        )
        kind = draw(st.sampled_from(["MANUAL"] * 5 + ["MATCHED"] * 2 + ["?"]))
        passages += f'<passage id="{i}"><docno>{docno}</docno><rating>{rating}</rating><type>{kind}</type></passage>'
    name = draw(st.sampled_from(["n", "", "&amp;", "é"]))
    inner = f'<topic id="DD1" name="{name}"><description>d</description><subtopic id="s" name="{name}">{passages}'
    text = f"<trec_dd><domain>{inner}</subtopic></topic></domain></trec_dd>"
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        old, new = draw(st.sampled_from(TAGS)), draw(st.sampled_from(TAGS))
        text = text.replace(f"<{old}>", f"<{new}>", draw(st.sampled_from([1, -1]))).replace(f"</{old}>", f"</{new}>", 1)
    return text[: draw(st.sampled_from([None, None, -1, len(text) // 2]))]


def damaged(texts: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    return st.builds(lambda damage, text: damage(text.encode()), st.sampled_from(DAMAGE), texts)


ANYTHING = st.binary(max_size=60) | st.text(max_size=40).map(str.encode)
BYTES = st.one_of(
    ANYTHING,
    *(damaged(lines(kinds)) for kinds in ("wwwn", "wwwnn", "wwwwnw")),
    *(damaged(lines(kinds, "\t")) for kinds in ("wiwnww", "wiwnww", "wn")),
    damaged(truths()),
)

READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    "read_qrels": io.read_qrels,
    "read_run": io.read_run,
    "read_dd_run": io.read_dd_run,
    "read_dd_truth": io.read_dd_truth,
    "read_dd_truth of passages": lambda path: io.read_dd_truth(path, "passages"),
    "read_dd_run with lengths": lambda path: io.read_dd_run(path, path),
}
NUMBERS = ("label", "score", "weight", "turn", "doc_len", "gain", "rank", "tie")


@fuzzed(400, content=BYTES, ending=st.sampled_from(["", ".gz", ".xml"]))
def test_any_bytes_are_read_or_refused_with_the_name_of_the_file(folder, content, ending):
    path = folder / f"file{ending}"
    path.write_bytes(content)

    for name, reader in READERS.items():
        found = answer(name, lambda reader=reader: reader(path))
        if isinstance(found, Refusal):
            assert str(path) in found.message
        else:
            check_columns(name, found)


def check_columns(name: str, found: pd.DataFrame) -> None:
    """Words are strings that are not empty, and numbers are finite; but a length may be unknown."""
    for column in found:
        if column in NUMBERS:
            known = found[column].dropna() if column == "doc_len" else found[column]
            assert all(math.isfinite(value) for value in known)
        else:
            assert all(isinstance(value, str) and value for value in found[column])
    law.bounded[name] += found.size
