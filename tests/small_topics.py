"""Topics small enough for brute force, most of them as numbers: bit t of a document's mask stands for intent t."""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import permutations

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from by_hand import qrels

Masks = Sequence[int]

# Carterette (2011), An analysis of NP-completeness in novelty and diversity ranking, Information Retrieval 14, 89-106:
# the subtopics of section 2.3. Greedy takes D3, D2, D1; D4 and D5 would do.
CARTERETTE = {
    "D1": [1, 2],
    "D2": [3, 4, 5, 6],
    "D3": [7, 8, 9, 10, 11, 12, 13, 14],
    "D4": [1, 3, 4, 7, 8, 9, 10],
    "D5": [2, 5, 6, 11, 12, 13, 14],
}

# At rank 1 the best document is c, but at rank 2 and with full intolerance a and b together are better. Greedy takes c,
# then b and a: three documents, where a and b are enough.
GREEDY_IS_WRONG = qrels(
    *("q 1 a 1", "q 2 a 1", "q 5 a 1"),
    *("q 3 b 1", "q 4 b 1", "q 6 b 1"),
    *("q 1 c 1", "q 2 c 1", "q 3 c 1", "q 4 c 1"),
)


def topics(*, max_docs: int, max_intents: int = 5, max_topics: int = 12) -> st.SearchStrategy[list[list[int]]]:
    """Draw some topics, each a list of masks."""
    topic = st.integers(1, max_intents).flatmap(
        lambda n: st.lists(st.integers(0, 2**n - 1), min_size=1, max_size=max_docs)
    )
    return st.lists(topic, min_size=1, max_size=max_topics)


def masks_of(relevant: np.ndarray) -> list[int]:
    """Return the masks of a matrix of documents and intents."""
    return [sum(1 << t for t in np.flatnonzero(row).tolist()) for row in relevant]


def random_masks(seed: int, n_docs: int, n_intents: int, density: float) -> list[int]:
    """Return the masks of a random matrix."""
    return masks_of(np.random.default_rng(seed).random((n_docs, n_intents)) < density)


def matrix_of(masks: Masks) -> np.ndarray:
    """Return the matrix of documents and intents."""
    n_intents = max(masks).bit_length()
    return np.array([[mask >> t & 1 for t in range(n_intents)] for mask in masks], dtype=float)


def name(doc: int) -> str:
    return f"d{doc:03d}"


def qrels_of(topics: Iterable[Masks]) -> pd.DataFrame:
    """Return qrels: queries "0", "1", ..., documents "d000", "d001", ...; a mask of 0 is a row of label 0."""
    rows = []
    for query, masks in enumerate(topics):
        for doc, mask in enumerate(masks):
            intents = [t for t in range(mask.bit_length()) if mask >> t & 1]
            rows += [(str(query), name(doc), 1, f"t{t}") for t in intents] or [(str(query), name(doc), 0, "t0")]
    return pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])


def found(masks: Masks, docnos: Iterable[str]) -> list[int]:
    """Return the masks of documents by name."""
    return [masks[int(docno[1:])] for docno in docnos]


def union(masks: Iterable[int]) -> int:
    covered = 0
    for mask in masks:
        covered |= mask
    return covered


def n_covered(masks: Iterable[int]) -> int:
    return union(masks).bit_count()


def smallest_covers(masks: Masks) -> list[int]:
    """Return the size of the smallest of all subsets that cover 0, 1, ..., all intents."""
    unions, sizes = [0], [0]
    for mask in masks:
        unions += [covered | mask for covered in unions]
        sizes += [size + 1 for size in sizes]
    counts = [covered.bit_count() for covered in unions]
    return [min(size for size, count in zip(sizes, counts, strict=True) if count >= m) for m in range(max(counts) + 1)]


def greedy_order(masks: Masks) -> list[int]:
    """Take the document of most new intents until all are covered; of those that tie, the one of the highest name."""
    order, covered = [], 0
    while covered != union(masks):
        order.append(max(range(len(masks)), key=lambda doc: ((masks[doc] & ~covered).bit_count(), name(doc))))
        covered |= masks[order[-1]]
    return order


def alpha_dcg(masks: Masks, alpha: float) -> float:
    """Return alpha-DCG of a ranking, sum by sum."""
    value, seen = 0.0, {}
    for i, mask in enumerate(masks, start=1):
        for t in range(mask.bit_length()):
            if mask >> t & 1:
                value += (1 - alpha) ** seen.get(t, 0) / math.log2(i + 1)
                seen[t] = seen.get(t, 0) + 1
    return value


@cache
def _orders(n_docs: int, depth: int) -> np.ndarray:
    return np.array(list(permutations(range(n_docs), depth)))


def best_alpha_dcg(masks: Masks, alpha: float, depth: int | None = None) -> list[float]:
    """Return the largest alpha-DCG of all rankings at each cutoff from 1 to ``depth`` (all documents if omitted)."""
    depth = len(masks) if depth is None else depth
    relevant = matrix_of(masks).astype(np.int8)[_orders(len(masks), depth)]
    seen = np.cumsum(relevant, axis=1) - relevant
    gains = (relevant * np.power(1.0 - alpha, np.arange(depth))[seen]).sum(axis=-1)
    return np.cumsum(gains / np.log2(np.arange(2, depth + 2)), axis=1).max(axis=0).tolist()
