"""The texts of intents and queries."""

from __future__ import annotations

from typing import Any

import pandas as pd

_IDS = ("iteration", "subtopic_id")
_TEXTS = ("nugget_text", "query", "text")


def texts_of(who: str, intents: Any, query_id: str) -> dict[str, str]:
    """Return the texts of a query's intents by their ids.

    Parameters
    ----------
    who : str
        The function that was called, for errors.
    intents : mapping, Series, DataFrame or None
        Texts by intent, or by (query, intent); or a frame with ``iteration`` and ``nugget_text`` or ``query``, such as
        qrels with texts or the subtopics of a dataset. A column ``qid`` says which query a row belongs to.
    query_id : str
        The query.

    Raises
    ------
    ValueError
        If a column is missing.

    Examples
    --------
    >>> subtopics = pd.DataFrame({"qid": ["1", "2"], "iteration": "a", "query": ["crane, the bird", "jaguar"]})
    >>> texts_of("explain", subtopics, "1")
    {'a': 'crane, the bird'}
    """
    if intents is None:
        return {}
    if not isinstance(intents, pd.DataFrame):
        pairs = ((name if isinstance(name, tuple) else (query_id, name), text) for name, text in dict(intents).items())
        return {str(name): str(text) for (query, name), text in pairs if str(query) == query_id and text}
    name, text = (next((column for column in known if column in intents), None) for known in (_IDS, _TEXTS))
    if name is None or text is None:
        raise ValueError(
            f"{who}: intents must have the columns iteration and nugget_text (or query); found: "
            f"{', '.join(map(str, intents.columns)) or 'none'}."
        )
    query = next((column for column in ("qid", "query_id") if column in intents), None)
    rows = intents if query is None else intents[intents[query].astype(str) == query_id]
    rows = rows[rows[text].map(lambda found: isinstance(found, str) and found != "")]
    return dict(zip(rows[name].astype(str), rows[text], strict=True))


def texts_of_queries(*frames: pd.DataFrame) -> dict[str, str]:
    """Return the texts of queries by their ids: those of a column ``query``, or of a frame's ``attrs["queries"]``.

    If several frames have the text of a query, the first one counts.

    Examples
    --------
    >>> run = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "query": ["crane", "crane", ""]})
    >>> texts_of_queries(run)
    {'1': 'crane'}
    """
    texts: dict[str, str] = {}
    for frame in frames:
        found: dict[str, Any] = frame.attrs.get("queries", {})
        query = next((column for column in ("qid", "query_id") if column in frame), None)
        if query is not None and "query" in frame:
            rows = frame.drop_duplicates(query)
            found = dict(zip(rows[query].astype(str), rows["query"], strict=True)) | found
        texts = {name: text for name, text in found.items() if isinstance(text, str) and text} | texts
    return texts
