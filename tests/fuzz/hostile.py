"""Qrels and runs as they come: some of them sound, some with all that can be wrong with a frame."""

import collections
import importlib.util
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

QUERIES = ["q1", "10", " x "]
INTENTS = ["a", "b", "7", "07", "ä b"]
DOCS = ["d1", "d2", "d10", "é", "Z", "d 3"]
PYTERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}

NOTHING = [None, math.nan, pd.NA, pd.NaT, np.float64("nan")]
NAMES: list[Any] = ["", " ", "\t", "nan", "None", "\u202e", "\ud800", "\x00", "\1" + "0", "x" * 300, "1.0", "\u0661"]
OBJECTS: list[Any] = [0, 1, -1, 1.0, 1.5, True, 2**70, math.inf, b"d1", ("d1",), pd.Timestamp("2020-01-01"), 1j]
UNHASHABLE: list[Any] = [["d1"], {"d1": 1}, {1}]
NUMBERS: list[Any] = [0, 0.0, -0.0, 1, True, 5e-324, 1e-300, 0.1, 1.7e308, -1.7e308, 2**53 + 1, 2**70, 10**400]
NO_NUMBERS: list[Any] = ["1", "x", "", b"1", 1j, math.inf, -math.inf, (1,), pd.Timestamp("2020-01-01"), [1], "nan"]
DTYPES = ["category", "object", "string", "str", "float64", "float32", "int8", "Int64", "Float64", "bool", "boolean"]
DTYPES += ["int64", "uint64", "complex128", "datetime64[ns]"]
if importlib.util.find_spec("pyarrow"):
    DTYPES += ["string[pyarrow]", "int64[pyarrow]", "double[pyarrow]"]

RARELY = st.sampled_from([False] * 15 + [True])

Mutation = Callable[[st.DrawFn, pd.DataFrame], Any]
Form = Callable[[pd.DataFrame], Any]
Labels = st.sampled_from([-2, 0, 0, 1, 1, 1, 2, 3, 4])
Fractions = st.sampled_from([-0.5, 0.0, 0.25, 0.5, 1.0, 2.5, 3.75])


def some(names: list[str], most: int, least: int = 1) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(names), min_size=least, max_size=most, unique=True)


@st.composite
def sound_qrels(draw: st.DrawFn, *, columns: bool = True, max_queries: int = 2) -> pd.DataFrame:
    """Draw qrels that nothing is wrong with, with some of the optional columns."""
    label = draw(st.sampled_from([Labels, Labels, Labels, Fractions, st.sampled_from([0, -1])]))
    rows = []
    for query in draw(some(QUERIES, max_queries)):
        for intent in draw(some(INTENTS, 4)):
            weight, kind = draw(st.sampled_from([0.0, 0.5, 1.0, 1.0, 3.0])), draw(st.sampled_from(["inf", "nav"]))
            for doc in draw(some(DOCS, 5)):
                grade, rarity = draw(label), (len(query) + len(doc)) % 5 / 4
                rows.append((query, doc, grade, intent, weight, kind, rarity, 2.5 * max(grade, 0)))
    names = ["query_id", "doc_id", "relevance", "iteration", "weight", "intent_type", "rarity", "gain"]
    frame = pd.DataFrame(rows, columns=names)
    left_out = draw(st.sets(st.sampled_from(names[4:]))) if columns else names[4:]
    return _shuffled(draw, frame.drop(columns=list(left_out)))


@st.composite
def sound_runs(draw: st.DrawFn, *, simple: bool = False) -> pd.DataFrame:
    """Draw a run that nothing is wrong with: ties, extreme scores and, if not simple, repeated documents and turns."""
    score = draw(st.sampled_from([st.integers(0, 3), st.floats(allow_nan=False, allow_infinity=False)]))
    rows = []
    for query in draw(some(QUERIES, 3, least=2)):
        docs, least = st.sampled_from([*DOCS, "u1", "u2"]), draw(st.sampled_from([3, 2, 1, 0]))
        for doc in draw(st.lists(docs, min_size=least, max_size=8, unique=simple or draw(st.booleans()))):
            rows.append((query, doc, draw(score), draw(st.sampled_from([0, 0, 1, 3]))))
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "turn"])
    told = not simple and draw(st.sampled_from([False, False, False, True]))
    return _shuffled(draw, frame if told else frame.drop(columns="turn"))


def _shuffled(draw: st.DrawFn, frame: pd.DataFrame) -> pd.DataFrame:
    seed = draw(st.integers(0, 3))
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True) if seed else frame


@st.composite
def mutated(
    draw: st.DrawFn, frames: st.SearchStrategy[pd.DataFrame], most: int = 3, forms: list[Form] | None = None
) -> Any:
    """Draw a frame and do some of what can go wrong to it; it may be no frame in the end."""
    frame: Any = draw(frames)
    for mutation in draw(st.lists(st.sampled_from(MUTATIONS), max_size=most)):
        if isinstance(frame, pd.DataFrame):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # numpy's, of complex numbers
                frame = mutation(draw, frame)
    if isinstance(frame, pd.DataFrame) and draw(RARELY):
        return draw(st.sampled_from(forms or FORMS))(frame)
    return frame


def _column(draw: st.DrawFn, frame: pd.DataFrame) -> Any:
    return draw(st.sampled_from(list(range(frame.shape[1])))) if frame.shape[1] else None


def _cells(draw: st.DrawFn, frame: pd.DataFrame) -> pd.DataFrame:
    """Put odd values into some cells of a column."""
    at = _column(draw, frame)
    if at is None or not len(frame):
        return frame
    pools = [NOTHING, NAMES, OBJECTS, NUMBERS, NO_NUMBERS, UNHASHABLE]
    pool = draw(st.sampled_from(pools[:-1] * 4 + pools[-1:]))
    values = frame.iloc[:, at].astype(object).tolist()
    for row in draw(st.sets(st.integers(0, len(frame) - 1), min_size=1)):
        values[row] = draw(st.sampled_from(pool))
    return _with_column(frame, at, _series(values, frame))


def _series(values: list[Any], frame: pd.DataFrame) -> pd.Series:
    cells = np.empty(len(values), dtype=object)
    cells[:] = values if not any(isinstance(value, (list, tuple, dict, set)) for value in values) else cells[:]
    for i, value in enumerate(values):
        cells[i] = value
    return pd.Series(cells, index=frame.index, dtype=object)


def _with_column(frame: pd.DataFrame, at: int, column: pd.Series) -> pd.DataFrame:
    parts = [column if i == at else frame.iloc[:, i] for i in range(frame.shape[1])]
    columns = frame.columns
    result = pd.concat([part.reset_index(drop=True) for part in parts], axis=1)
    result.columns, result.index = columns, frame.index
    return result


def _astype(draw: st.DrawFn, frame: pd.DataFrame) -> pd.DataFrame:
    at = _column(draw, frame)
    if at is None:
        return frame
    try:
        with np.errstate(all="ignore"):
            return _with_column(frame, at, frame.iloc[:, at].astype(draw(st.sampled_from(DTYPES))))
    except (TypeError, ValueError, OverflowError):
        return frame


def _repeated(draw: st.DrawFn, frame: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([frame, frame.head(draw(st.integers(0, 3)))])


def _contradicted(draw: st.DrawFn, frame: pd.DataFrame) -> pd.DataFrame:
    """Repeat a row with another value in one of its columns."""
    at = _column(draw, frame)
    if at is None or not len(frame):
        return frame
    values = frame.iloc[:, at].astype(object).tolist()
    other = _with_column(frame, at, _series([values[-1]] * len(frame), frame))
    return pd.concat([frame, other.head(1)])


def _dropped(draw: st.DrawFn, frame: pd.DataFrame) -> pd.DataFrame:
    at = _column(draw, frame)
    return frame if at is None else frame.iloc[:, [i for i in range(frame.shape[1]) if i != at]]


def _renamed(draw: st.DrawFn, frame: pd.DataFrame) -> pd.DataFrame:
    some = draw(st.sampled_from([PYTERRIER, {"query_id": "qid"}, {"doc_id": "docno", "iteration": "subtopic_id"}]))
    return frame.rename(columns=some)


def _more(draw: st.DrawFn, frame: pd.DataFrame) -> pd.DataFrame:
    """Add a column: one that means something, one that does not, or one of another name for the same."""
    name = draw(
        st.sampled_from(["qid", "docno", "label", "subtopic_id", "gain", "passage", "nugget", "turn", "doc_len", 0, ""])
    )
    values = draw(st.sampled_from([0, 1, 2.5, "d1", "a", None, math.nan, -1]))
    return frame.assign(**{"new column": values}).rename(columns={"new column": name})


def _subtopics(draw: st.DrawFn, frame: pd.DataFrame) -> pd.DataFrame:
    if list(frame.columns).count("iteration") != 1:
        return frame
    if draw(st.booleans()):
        return frame.assign(subtopic_id=frame["iteration"])
    return frame.assign(subtopic_id=frame["iteration"], iteration=draw(st.sampled_from(["0", "Q0", 0])))


def _globally_unique(draw: st.DrawFn, frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(iteration=[f"intent {i}" for i in range(len(frame))])


def _indexed(draw: st.DrawFn, frame: pd.DataFrame) -> pd.DataFrame:
    n = len(frame)
    index = [[0] * n, [f"r{i}" for i in range(n)], pd.MultiIndex.from_arrays([[0] * n, range(n)]), range(n, 0, -1)]
    index += [pd.Index([None] * n), pd.date_range("2020", periods=n), pd.Index(range(n), name="query_id")]
    return frame.set_axis(draw(st.sampled_from(index)), axis=0)


def in_levels(frame: pd.DataFrame) -> pd.DataFrame:
    """Give the columns names of two levels, as an aggregation does."""
    return frame.set_axis(pd.MultiIndex.from_arrays([frame.columns, [""] * frame.shape[1]]), axis=1)


def _doubled(draw: st.DrawFn, frame: pd.DataFrame) -> pd.DataFrame:
    at = _column(draw, frame)
    return frame if at is None else pd.concat([frame, frame.iloc[:, at]], axis=1)


def _emptied(draw: st.DrawFn, frame: pd.DataFrame) -> pd.DataFrame:
    return draw(st.sampled_from([frame.iloc[:0], frame.iloc[:, :0], pd.DataFrame()]))


MUTATIONS: list[Mutation] = [
    *[_cells] * 4,
    *[_astype] * 3,
    _repeated,
    _contradicted,
    _dropped,
    *[_renamed] * 2,
    _more,
    *[_subtopics] * 2,
    _globally_unique,
    _indexed,
    _doubled,
    _emptied,
]


def _nested(frame: pd.DataFrame) -> dict[Any, Any]:
    nested: dict[Any, Any] = {}
    for row in frame.itertuples(index=False):
        if len(row) > 2 and all(isinstance(cell, collections.abc.Hashable) for cell in row[:2]):
            nested.setdefault(row[0], {})[row[1]] = row[2]
    return nested


FORMS: list[Form] = [
    _nested,
    lambda frame: list(frame.itertuples(index=False)),
    lambda frame: list(frame.itertuples(index=False, name=None)),
    lambda frame: [dict(zip(frame.columns, row, strict=True)) for row in frame.itertuples(index=False, name=None)],
    lambda frame: frame.to_numpy(dtype=object),
    lambda frame: frame.iloc[:, 0] if frame.shape[1] else frame,
    lambda frame: str(frame),
    lambda frame: None,
    lambda frame: {},
    lambda frame: {"q1": None},
    lambda frame: [None],
    lambda frame: {"q1": {}},
    lambda frame: 0,
]
