"""A transformer that adds the texts of documents to results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd
import pyterrier as pt

from ...transformers.steps import Step

_FIELDS = ("title", "text")


class TextLoader(Step):
    """Add the texts of documents to results; columns with the same names are replaced.

    Parameters
    ----------
    documents : iterable of dict
        ``docno`` and the fields.
    fields : sequence of str, or str
        "title", "text" or both; "*" for both.

    Raises
    ------
    ValueError
        If a field is unknown. When it runs: if a document of the results is not in the collection.
    """

    LABEL = "TextLoader"

    def __init__(self, documents: Iterable[Mapping[str, str]], fields: Sequence[str] | str = "*") -> None:
        given = _FIELDS if fields == "*" else (fields,) if isinstance(fields, str) else tuple(fields)
        unknown = [field for field in given if field not in _FIELDS]
        if unknown:
            raise ValueError(f"text_loader: fields must be among {', '.join(_FIELDS)}, not {unknown[0]!r}.")
        self.fields = given
        self._documents = {document["docno"]: document for document in documents}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows with the texts."""
        pt.validate.columns(inp, includes=["docno"], context=self)
        unknown = [docno for docno in inp["docno"] if docno not in self._documents]
        if unknown:
            raise ValueError(f"text_loader: the collection has no document {unknown[0]!r}.")
        return inp.assign(**{field: [self._documents[docno][field] for docno in inp["docno"]] for field in self.fields})

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer:
        """Return a pipeline that adds texts only after the cutoff."""
        return pt.RankCutoff(k) >> self
