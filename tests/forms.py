"""Every form that a run and qrels may have, made from a frame with PyTerrier's names."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd

Form = Callable[[pd.DataFrame, Path], Any]


def rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return frame.to_dict("records")


def nested(frame: pd.DataFrame, value: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in rows(frame):
        found.setdefault(row["qid"], {})[row["docno"]] = row[value]
    return found


def pairs(frame: pd.DataFrame) -> dict[str, list[tuple[str, float]]]:
    return {query: list(docs.items()) for query, docs in nested(frame, "score").items()}


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def trec_run(frame: pd.DataFrame) -> str:
    return "".join(f"{row['qid']} Q0 {row['docno']} {i} {row['score']!r} tag\n" for i, row in enumerate(rows(frame)))


def trec_qrels(frame: pd.DataFrame) -> str:
    return "".join(f"{row['qid']} {row['iteration']} {row['docno']} {row['label']}\n" for row in rows(frame))


def as_parquet(frame: pd.DataFrame, folder: Path) -> Path:
    frame.to_parquet(folder / "a file")
    return folder / "a file"


class Table:
    """What has ``to_pandas()``, such as a table of polars."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame, self.columns = frame, list(frame)

    def to_pandas(self) -> pd.DataFrame:
        return self.frame


def langchain(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """The result of ``similarity_search_with_score`` for each query."""
    return {
        query: [
            (SimpleNamespace(id=f"chunk {doc}", page_content="text", metadata={"docno": doc}), score)
            for doc, score in docs
        ]
        for query, docs in pairs(frame).items()
    }


def llama_index(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """The nodes that a retriever returns for each query."""
    return {
        query: [SimpleNamespace(node=SimpleNamespace(node_id=doc, metadata={}), score=score) for doc, score in docs]
        for query, docs in pairs(frame).items()
    }


TABLES: dict[str, Form] = {
    "frame": lambda frame, _: frame,
    "to_pandas": lambda frame, _: Table(frame),
    "rows": lambda frame, _: rows(frame),
    "named tuples": lambda frame, _: list(frame.itertuples(index=False)),
    "names of ir_measures": lambda frame, _: frame.rename(
        columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    ),
    "csv": lambda frame, folder: written(folder, "a file", frame.to_csv(index=False)),
    "tsv": lambda frame, folder: written(folder, "a file.run", frame.to_csv(index=False, sep="\t")),
    "csv, compressed": lambda frame, folder: written(folder, "f", gzip.compress(frame.to_csv(index=False).encode())),
    "parquet": as_parquet,
    "json of rows": lambda frame, folder: written(folder, "a file.txt", json.dumps(rows(frame), indent=1)),
    "json of results": lambda frame, folder: written(folder, "a file", json.dumps({"results": rows(frame)})),
    "json lines": lambda frame, folder: written(
        folder, "a.csv", "".join(json.dumps(row) + "\n" for row in rows(frame))
    ),
}
RUNS: dict[str, Form] = {
    **TABLES,
    "scores by query": lambda frame, _: nested(frame, "score"),
    "lists": lambda frame, _: {query: list(docs) for query, docs in nested(frame, "score").items()},
    "pairs": lambda frame, _: pairs(frame),
    "rows with lists": lambda frame, _: [{"qid": q, "docno": [d for d, _ in docs]} for q, docs in pairs(frame).items()],
    "LangChain": lambda frame, _: langchain(frame),
    "LlamaIndex": lambda frame, _: llama_index(frame),
    "trec": lambda frame, folder: written(folder, "a file.json", trec_run(frame)),
    "trec, compressed": lambda frame, folder: written(folder, "a file", gzip.compress(trec_run(frame).encode())),
    "json of scores": lambda frame, folder: written(folder, "a file", json.dumps(nested(frame, "score"))),
    "json of lists": lambda frame, folder: written(
        folder, "a file", json.dumps({query: list(docs) for query, docs in nested(frame, "score").items()})
    ),
    "json of pairs": lambda frame, folder: written(folder, "a file", json.dumps(pairs(frame))),
    "json of hits": lambda frame, folder: written(
        folder,
        "a file",
        "".join(
            json.dumps({"qid": q, "results": [{"docid": doc, "score": score} for doc, score in docs]}) + "\n"
            for q, docs in pairs(frame).items()
        ),
    ),
}
QRELS: dict[str, Form] = {
    **TABLES,
    "trec": lambda frame, folder: written(folder, "a file.csv", trec_qrels(frame)),
    "trec, compressed": lambda frame, folder: written(folder, "a file", gzip.compress(trec_qrels(frame).encode())),
}
