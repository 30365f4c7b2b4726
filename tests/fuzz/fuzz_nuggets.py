"""Mutated lines of nuggets are read completely, read with a warning about missing parts, or refused in a sentence."""

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import strategies as st

from fuzz.law import Refusal, answer, fuzzed
from pyterrier_diversity import Coverage, io
from pyterrier_diversity.evaluate import DiversityEvaluator
from pyterrier_diversity.frames import collected

# Two lines of each format.
_NUGGETS = [
    {"text": "free", "importance": "vital", "assignment": "support"},
    {"text": "fast", "importance": "okay", "assignment": "not_support"},
    {"text": "free", "importance": "okay", "assignment": "partial_support"},
]
_ANSWERS = {"the Inca": {"answer": "the Inca", "references": [{"doc_id": "d42"}]}, "they": {"references": ["d43"]}}
_QUESTION = {"question": "who?", "question_id": "q-1", "aggregator_type": "AND", "importance": 1, "answers": _ANSWERS}
_CLAIM = {"claim": "It is old.", "query_id": "1", "references": [{"doc_id": "d9"}], "sub_nuggets": [{"claim": "so"}]}
_OF_QUESTION = {"question": "who?", "references": ["d1"], "answers": [{"answer": "a", "references": ["d2"]}]}
_FRESH = {"_id": "1_0", "text": "a", "relevant_corpus_ids": ["x", "y"], "non_relevant_corpus_ids": ["z"]}
_JUDGED = {"criterion": {"criterion_name": "c", "short_question": "c?", "weight": 2.0}, "fulfillment": True}
_ROW = {"qid": "1", "docno": "d1", "label": 2, "iteration": "n1", "nugget_text": "t", "importance": "vital"}
LINES: dict[str, list[dict[str, Any]]] = {
    "answers": [{"qid": qid, "run_id": "mine", "answer_text": "...", "nuggets": _NUGGETS} for qid in "12"],
    "passages": [{"text": "?", "qid": "1", "docid": docid, "nuggets": _NUGGETS[:2]} for docid in ("d1", "d2")],
    "freshstack": [
        {"query_id": "1", "nuggets": [_FRESH, {"text": "b"}]},
        {"query_id": "2", "nuggets": [{"text": "c"}]},
    ],
    "nuggetbank": [
        {"query_id": "1", "nugget_bank": {"who?": _QUESTION}, "claim_bank": {"It is old.": _CLAIM}},
        {"query_id": "2", "claim_bank": [{"claim": "c", "references": ["d1"]}]},
    ],
    "ragtime": [{"metadata": {"topic_id": topic, "run_id": "r"}, "nugget_bank": [_OF_QUESTION]} for topic in "12"],
    "crux": [{"example_id": "1", "pid": pid, "rating": [5, 0, None]} for pid in ("p1", "p2")],
    "groups": [{"qid": "1", "retrieval_gt": [["a", "b"], ["c"]]}, {"qid": "2", "retrieval_gt": [["d"]]}],
    "ragelo": [
        {"qid": "1", "did": did, "evaluator_name": "rubric", "answer": {"criteria": [_JUDGED]}} for did in ("d1", "d2")
    ],
    "table": [_ROW, {**_ROW, "docno": "d2", "label": "0"}],
}
HOSTILE: list[Any] = [*("", " ", 0, 1, -1, 1.5, 10**400, True, None, float("nan"), float("inf"), [], {}, [[]], [None])]
HOSTILE += ["\ud800", "\u202e", "nan", "x" * 500, "support", "vital", "1"]
HOSTILE += [{"": None}, {"references": ["d"]}, ["d1", "d1"], {"text": "t"}]
# The fields of each format whose strings are documents, and those whose strings are nuggets.
FIELDS: dict[str, tuple[set[str], set[str]]] = {
    "answers": (set(), {"text"}),
    "passages": ({"docid"}, {"text"}),
    "freshstack": ({"relevant_corpus_ids", "non_relevant_corpus_ids"}, {"text"}),
    "nuggetbank": ({"doc_id", "references"}, {"question", "claim"}),
    "ragtime": ({"doc_id", "references"}, {"question"}),
    "crux": ({"pid"}, set()),
    "groups": (set(), set()),
    "ragelo": ({"did"}, {"short_question"}),
    "table": ({"docno"}, {"nugget_text"}),
}


def mutated_line(value: Any, rng: random.Random) -> str:
    """Return an object as a line, with its values or its characters changed."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 4])):
        holder, key = rng.choice(list(_places(value)))
        change = rng.choice(["value", "value", "value", "drop", "rename", "again"])
        if change == "value":
            holder[key] = copy.deepcopy(rng.choice(HOSTILE))
        elif change == "drop":
            del holder[key]
        elif isinstance(holder, dict):
            holder[rng.choice(["label", "answers", "x"])] = copy.deepcopy(holder[key])
            if change == "rename":
                del holder[key]
        else:
            holder.append(copy.deepcopy(holder[key]))
        if not value:
            break
    line = json.dumps(value, ensure_ascii=rng.random() < 0.9)
    for _ in range(rng.choice([0, 0, 0, 1, 3])):
        at = rng.randrange(len(line) + 1)
        line = line[:at] + rng.choice(["", "", '"', "{", "]", ",", ":", "\\", "\x00", "é", "\ufeff"]) + line[at + 1 :]
    return line


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each value of an object as where it is held."""
    items = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    for key, member in items:
        yield value, key
        yield from _places(member)


def mentioned(value: Any, name: str, field: str = "") -> Iterator[tuple[str, str]]:
    """Yield the documents and the nuggets that an object of a format mentions."""
    documents, texts = FIELDS[name]
    if isinstance(value, dict):
        for key, member in value.items():
            if key not in ("metadata", "candidate_text") and not (key == "text" and "qid" in value):
                yield from mentioned(
                    member, name, key if isinstance(member, (str, list)) or key == "references" else ""
                )
    elif isinstance(value, list):
        for member in value:
            yield from mentioned(member, name, field if field in documents else "")
    elif isinstance(value, str) and value:
        yield from [("document", value)] if field in documents else [("nugget", value)] if field in texts else []


def read_and_compared(lines: list[str], name: str, path: Path, unit: str) -> None:
    """Read lines, and check that the qrels have everything in them, unless there was a warning."""
    path.write_text("\n".join(lines), encoding="utf-8", errors="surrogatepass")
    with collected() as caught:
        qrels = answer("read_nuggets", lambda: io.read_nuggets(path, unit=unit))
    if isinstance(qrels, Refusal):
        assert qrels.kind == "ValueError"
        assert "read_nuggets" in qrels.message or str(path) in qrels.message
        return
    # Each warning is told once, with all of its counts.
    assert len({str(warning) for warning, _ in caught}) == len(caught)
    _check_qrels(qrels)
    known = {("document", doc) for doc in qrels["docno"]}
    texts = qrels["nugget_text"].tolist() if "nugget_text" in qrels else []
    for line in lines:
        for kind, word in mentioned(json.loads(line.strip("\ufeff")), name) if line.strip() else ():
            found = (kind, word) in known if kind == "document" else any(word in text for text in texts)
            assert found or caught, (kind, word, qrels)


def _check_qrels(qrels: pd.DataFrame) -> None:
    """Check that the qrels can be evaluated, and have each judgement once."""
    assert not qrels.duplicated(["qid", "docno", "iteration"]).any()
    assert qrels[["qid", "docno", "iteration"]].map(lambda cell: isinstance(cell, str)).all(axis=None)
    assert (qrels.loc[qrels["docno"] == "", "label"] == 0).all()
    if "weight" in qrels:
        assert (qrels["weight"] > 0).all()
    coverage = DiversityEvaluator([Coverage], qrels)
    every = {query: dict.fromkeys(rows["docno"], 1.0) for query, rows in qrels.groupby("qid")}
    assert 0 <= coverage.calc_aggregate(every)[Coverage] <= 1


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nuggets") / "nuggets.jsonl"


@pytest.mark.parametrize("name", LINES)
@fuzzed(40, seed=st.integers(0, 2**32), unit=st.sampled_from(["question", "answer"]))
def test_mutated_lines_are_read_whole_or_refused_in_a_sentence(path: Path, name: str, seed: int, unit: str) -> None:
    rng = random.Random(seed)
    lines = [mutated_line(LINES[name][0], rng), json.dumps(LINES[name][1])]
    rng.shuffle(lines)

    read_and_compared(lines, name, path, unit)
