"""A long run that is evaluated in parts has the values, attributes and messages of one that is read whole."""

import bz2
import gzip
import io
import os
import random
import sys
import threading
import warnings
from contextlib import suppress

import ir_measures
import pandas as pd
import pytest

from pyterrier_diversity import AP_IA, EU_DD, P_IA, RBU, Adhoc, StRecall, alpha_nDCG, evaluate_runs
from pyterrier_diversity.io import ReadWholeError, Renamed, SharedColumns, readers, run_parts

N_QUERIES, N_DOCS = 40, 50
MEASURES = [RBU @ 20, alpha_nDCG @ 10, StRecall @ 5, AP_IA, P_IA(judged_only=True) @ 5, EU_DD, Adhoc(ir_measures.AP)]
OTHERS = [ir_measures.nDCG @ 10, ir_measures.RR]

Lines = list[tuple[str, str, str, int, float, str]]


def run() -> Lines:
    """Lines of a run, in the order of ranks; queries are not in the order of the qrels."""
    draw = random.Random(7)
    queries = draw.sample(range(100, 1000), N_QUERIES)
    return [
        (str(query), "Q0", f"doc-{doc}", rank, 30 - rank / 8, "mine")
        for query in queries
        for rank, doc in enumerate(draw.sample(range(500), N_DOCS), start=1)
    ]


LINES = run()
ROWS = [(query, doc, int(doc[4:]) % 3, str(int(doc[4:]) % 4)) for query, _, doc, *_ in sorted(LINES) if "7" in doc]
QRELS = pd.DataFrame(ROWS[20:], columns=["qid", "docno", "label", "iteration"]).assign(passage="1", nugget="n")


def text_of(lines: Lines) -> str:
    return "".join(" ".join(map(str, line)) + "\n" for line in lines)


def changed(**columns) -> Lines:
    """The lines with other words, by functions of the query's place, the rank and the words."""
    names = ["query", "q0", "doc", "rank", "score", "tag"]
    places = {query: place for place, query in enumerate(dict.fromkeys(line[0] for line in LINES))}
    return [
        tuple(
            columns[name](places[line[0]], line[3], word) if name in columns else word
            for name, word in zip(names, line, strict=True)
        )
        for line in LINES
    ]


def shuffled() -> Lines:
    """The lines of each query in another order."""
    draw = random.Random(3)
    return [line for i in range(0, len(LINES), N_DOCS) for line in draw.sample(LINES[i : i + N_DOCS], N_DOCS)]


# Texts that are read in parts.
IN_PARTS = {
    "plain": text_of(LINES),
    "tabs": text_of(LINES).replace(" ", "\t"),
    "lines of Windows": text_of(LINES).replace("\n", "\r\n"),
    "a mark, comments and blank lines": "\ufeff# a comment\n\n" + text_of(LINES).replace("\n", "\n\n", 500),
    "no line end": text_of(LINES).rstrip(),
    "unsorted": text_of(shuffled()),
    "other letters": text_of(changed(doc=lambda query, rank, doc: f"é{doc}\u00a0" if rank == query else doc)),
    "ties": text_of(changed(score=lambda query, rank, score: score // 1)),
    "all scores equal in most queries": text_of(changed(score=lambda query, rank, score: score if query < 15 else 1.0)),
    "ranks from high to low": text_of(changed(rank=lambda query, rank, _: 99 - rank)),
    "all scores equal, and ranks that are no numbers": text_of(
        changed(score=lambda *_: 0, rank=lambda query, rank, _: "x" if query > 20 else rank)
    ),
    "few contradictions": text_of(changed(rank=lambda query, rank, _: 80 - rank if query in (25, 38) else rank)),
    "repeats": text_of(changed(doc=lambda query, rank, doc: "doc-7" if rank > 45 and query % 9 == 5 else doc)),
    "large numbers": text_of(changed(score=lambda query, rank, _: 2**60 - rank if query > 20 else -rank)),
    "queries of others": text_of(changed(query=lambda place, rank, query: f"x{query}" if place % 4 else query)),
    "only queries of others": text_of(changed(query=lambda place, rank, query: f"x{query}")),
    "documents of others": text_of(changed(doc=lambda query, rank, doc: f"x{doc}")),
    "documents of others in most queries": text_of(changed(doc=lambda query, rank, doc: f"{doc}x"[query == 35 :])),
    "one query with most lines": text_of(changed(query=lambda place, *_: str(min(place, 5)))),
    "a tag for each query": text_of(changed(tag=lambda place, *_: f"t{place}")),
}
# Texts that must be read whole.
WHOLE = {
    "a query that comes back": text_of([*LINES[5:], *LINES[:5]]),
    "sorted by rank": text_of(sorted(LINES, key=lambda line: line[3])),
    "two tags": text_of(changed(tag=lambda place, rank, _: f"t{rank % 2}")),
    "two tags, and ranks that are repeated": text_of(
        changed(tag=lambda place, rank, _: f"t{rank % 2}", rank=lambda place, rank, _: rank // (1 + (place > 30)))
    ),
    "quotes": text_of(changed(doc=lambda query, rank, doc: f'"{doc[4:]}"' if query == 35 else doc)),
    "session": "".join(f"{q}\t{r // 5}\t{d}\t{s}\t1\tNULL\n" for q, _, d, r, s, _ in LINES),
    "table": "qid,docno,score\n" + "".join(f"{q},{d},{s}\n" for q, _, d, _, s, _ in LINES),
    "JSON": "".join(f'{{"qid": "{q}", "docno": "{d}", "score": {s}}}\n' for q, _, d, _, s, _ in LINES),
}
BAD = {
    "a short last line": text_of(LINES) + "1 Q0 d",
    "a word for a score": text_of(changed(score=lambda query, rank, score: "x" if (query, rank) == (30, 3) else score)),
    "bytes": text_of(LINES) + "1 Q0 d\udcff 1 1 t\n",
}


def evaluated(path, measures=MEASURES, **options):
    """What a call returns, warns of and raises."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            table = evaluate_runs(QRELS, {"mine": path}, measures, **options)
        except ValueError as error:
            return str(error)
    return table.to_dict("list"), table.attrs, [(one.category, str(one.message)) for one in caught]


def written(tmp_path, text: str, name: str = "run"):
    path = tmp_path / name
    path.write_bytes(text.encode(errors="surrogateescape"))
    return path


def n_parts(path, order="score") -> int:
    return sum(1 for _ in run_parts(path, order=order))


@pytest.fixture
def parts(monkeypatch):
    """Make parts small, of about eight queries, and return a function that evaluates in large ones."""

    def whole(*arguments, **options):
        with monkeypatch.context() as context:
            context.setattr(readers, "_PART", -1)
            return evaluated(*arguments, **options)

    monkeypatch.setattr(readers, "_PART", 10_000)
    return whole


@pytest.mark.parametrize("text", IN_PARTS.values(), ids=IN_PARTS)
def test_parts_have_the_values_and_messages_of_the_whole(text, parts, tmp_path):
    path = written(tmp_path, text)

    assert n_parts(path) > 1
    assert evaluated(path, perquery=True) == parts(path, perquery=True)


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_what_cannot_be_read_in_parts_is_read_whole(text, parts, tmp_path):
    path = written(tmp_path, text)

    with suppress(ReadWholeError):
        assert n_parts(path) == 1
    assert evaluated(path, perquery=True) == parts(path, perquery=True)


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_an_error_names_the_line_of_the_whole_file(text, parts, tmp_path):
    path = written(tmp_path, text)

    found = evaluated(path)

    assert isinstance(found, str)
    assert "run, line " in found
    assert found == parts(path)


@pytest.mark.parametrize("name", ["plain", "unsorted", "ranks from high to low", "ties"])
def test_a_run_that_is_ordered_by_rank_is_read_in_parts(name, parts, tmp_path):
    path = written(tmp_path, IN_PARTS[name])

    assert n_parts(path, order="rank") > 1
    assert evaluated(path, order="rank", perquery=True) == parts(path, order="rank", perquery=True)


@pytest.mark.parametrize("from_query", [0, 25])
def test_all_ranks_that_repeat_are_counted(from_query, parts, tmp_path):
    lines = changed(rank=lambda query, rank, _: rank // 2 if query >= from_query else rank)
    path = written(tmp_path, text_of(lines))

    found = evaluated(path, order="rank")

    assert f"(such rows: {(N_QUERIES - from_query) * (N_DOCS - 2)})" in found
    assert found == parts(path, order="rank")


@pytest.mark.parametrize("order", ["score", "rank"])
@pytest.mark.parametrize(
    ("names", "text"),
    [
        ({"1": "qid", "3": "rank", "4": "docno", "5": "score"}, "{0}\t{1}\t{3}\t{2}\t{4}\n"),
        ({"topic": "qid"}, "{0} {1} {2} {3} {4} {5}\n"),
    ],
)
def test_a_run_with_new_names_of_columns_is_read_in_parts(names, text, order, parts, tmp_path):
    path = written(tmp_path, "".join(text.format(*line) for line in LINES))
    run = Renamed(path, SharedColumns(names))

    assert n_parts(run, order) > 1
    assert evaluated(run, order=order) == parts(run, order=order)
    assert evaluated(run, order=order)[0] == evaluated(written(tmp_path, IN_PARTS["plain"], "run2"), order=order)[0]


@pytest.mark.parametrize("packed", [gzip.compress, bz2.compress])
def test_a_compressed_run_is_read_in_parts(packed, parts, tmp_path):
    path = tmp_path / "run"
    path.write_bytes(packed(IN_PARTS["plain"].encode()))

    assert n_parts(path) > 1
    assert evaluated(path) == parts(path) == evaluated(written(tmp_path, IN_PARTS["plain"], "other"))


def test_an_archive_that_was_cut_off_is_named_with_the_last_line_that_is_left(parts, tmp_path):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(IN_PARTS["plain"].encode())[:-3000])

    assert "Compressed file ended before" in evaluated(path)


def test_text_in_utf_16_and_without_line_ends_is_one_part(parts, tmp_path):
    text = IN_PARTS["plain"]
    plain = evaluated(written(tmp_path, text))

    for name, data in (("utf-16", text.encode("utf-16")), ("returns", text.replace("\n", "\r").encode())):
        path = tmp_path / name
        path.write_bytes(data)
        assert n_parts(path) == 1
        assert evaluated(path) == plain


def test_measures_of_other_providers_have_the_same_values(parts, tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "QRELS", QRELS.drop_duplicates(["qid", "docno"]))
    path = written(tmp_path, IN_PARTS["plain"])

    assert evaluated(path, OTHERS, perquery=True) == parts(path, OTHERS, perquery=True)


def test_lengths_of_documents_are_added_to_the_whole_run(parts, tmp_path):
    path = written(tmp_path, IN_PARTS["plain"])

    for lengths in ({"doc-7": 9.0, LINES[-1][2]: 4.0}, {"unknown": 1.0}):
        assert evaluated(path, doc_len=lengths) == parts(path, doc_len=lengths)


@pytest.mark.parametrize("text", [IN_PARTS["plain"], WHOLE["sorted by rank"]], ids=["adjacent", "apart"])
def test_a_pipe_is_copied_and_the_copy_removed(text, parts, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    plain = evaluated(written(tmp_path, text), perquery=True)
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text(text))
    writer.start()

    assert evaluated(tmp_path / "pipe", perquery=True) == plain
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe", "run"]
    writer.join()


def test_an_error_names_the_pipe_not_its_copy(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 Q0 d 1 1 t\n1 Q0 d\n")))

    assert evaluated("-").startswith("Run mine: standard input, line 2: ")
