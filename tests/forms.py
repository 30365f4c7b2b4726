"""Every form that a run and qrels may have, made from a frame with PyTerrier's names."""

import csv
import gzip
import json
from collections.abc import Callable
from dataclasses import make_dataclass
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


def _judged(frame: pd.DataFrame) -> list[str]:
    return ["qid", "iteration", "docno", "label", *(["weight"] if "weight" in frame else [])]


def trec_qrels(frame: pd.DataFrame) -> str:
    return "".join(" ".join(str(row[name]) for name in _judged(frame)) + "\n" for row in rows(frame))


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
    "models": lambda frame, _: [SimpleNamespace(model_dump=lambda row=row: row) for row in rows(frame)],
    "dataclasses": lambda frame, _: [make_dataclass("Row", row)(**row) for row in rows(frame)],
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


def as_json(orient: Any) -> Form:
    how = {"orient": orient, "double_precision": 15} | ({"index": False} if orient == "table" else {})
    return lambda frame, folder: written(folder, "a file", frame.to_json(**how))


def quoted(frame: pd.DataFrame, folder: Path, names: list[str], quoting: int) -> Path:
    """Write lines as ``pt.io.write_results`` does, or with quotes around all words."""
    table = frame.assign(q0="Q0", rank=range(len(frame)), tag="a tag")[names]
    return written(folder, "a.res", table.to_csv(sep=" ", header=False, index=False, quoting=quoting))


_LINE = ["qid", "q0", "docno", "rank", "score", "tag"]
# Tables that are written as one object, and texts that begin or are encoded in other ways.
TABLES |= {
    **{f"json, orient {orient}": as_json(orient) for orient in ("columns", "index", "split", "table")},
    "to_dict()": lambda frame, _: frame.to_dict(),
    "to_dict('list')": lambda frame, _: frame.to_dict("list"),
    "to_dict('split')": lambda frame, _: frame.to_dict("split"),
    "model_dump": lambda frame, _: SimpleNamespace(model_dump=lambda: frame.to_dict("list")),
    "sep=;": lambda frame, folder: written(folder, "a file", "sep=;\n" + frame.to_csv(index=False, sep=";")),
    "comments": lambda frame, folder: written(folder, "a file", "# a, b\n#\n" + frame.to_csv(index=False)),
    "header between spaces": lambda frame, folder: written(folder, "a file", frame.to_csv(index=False, sep=" ")),
    "utf-16": lambda frame, folder: written(folder, "a file", frame.to_csv(index=False).encode("utf-16")),
    "usual names": lambda frame, _: frame.rename(columns={"qid": "query-id", "docno": "corpus-id"}),
}
RUNS: dict[str, Form] = {
    **TABLES,
    "to_dict() of ranx": lambda frame, _: SimpleNamespace(to_dict=lambda: nested(frame, "score")),
    "quoted": lambda frame, folder: quoted(frame, folder, _LINE, csv.QUOTE_MINIMAL),
    "all quoted": lambda frame, folder: quoted(frame, folder, _LINE, csv.QUOTE_ALL),
    "SYSDESC": lambda frame, folder: written(folder, "a", f"<SYSDESC>a; b, c</SYSDESC>\n{trec_run(frame)}"),
    "trec, utf-16": lambda frame, folder: written(folder, "a", trec_run(frame).encode("utf-16")),
    "requests": lambda frame, folder: written(
        folder,
        "a file",
        "".join(
            json.dumps({"query": {"qid": q, "text": "a"}, "candidates": [{"docid": d, "score": s} for d, s in docs]})
            + "\n"
            for q, docs in pairs(frame).items()
        ),
    ),
    "scores by query": lambda frame, _: nested(frame, "score"),
    "lists": lambda frame, _: {query: list(docs) for query, docs in nested(frame, "score").items()},
    "pairs": lambda frame, _: pairs(frame),
    "rows with lists": lambda frame, _: [{"qid": q, "docno": [d for d, _ in docs]} for q, docs in pairs(frame).items()],
    "frame of lists": lambda frame, _: frame.groupby("qid", as_index=False).agg(list),
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
    "quoted": lambda frame, folder: quoted(frame, folder, _judged(frame), csv.QUOTE_MINIMAL),
    "all quoted": lambda frame, folder: quoted(frame, folder, _judged(frame), csv.QUOTE_ALL),
    "words for labels": lambda frame, folder: written(
        folder, "a file", frame.assign(label=[f"L{label}" for label in frame["label"]]).to_csv(index=False)
    ),
    "trec": lambda frame, folder: written(folder, "a file.csv", trec_qrels(frame)),
    "trec, compressed": lambda frame, folder: written(folder, "a file", gzip.compress(trec_qrels(frame).encode())),
}
