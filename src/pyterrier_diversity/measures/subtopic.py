"""Subtopic retrieval: how many intents are covered, and how early, compared with the best there is."""

from __future__ import annotations

from collections.abc import Sequence

import ir_measures
import numpy as np
import numpy.typing as npt

from ..arrays import over_intents, share
from ..ideal import Covers, naming, progress, rank_exactly
from ..judged import JudgedRankings
from ..parameters import CUTOFF, REL, TIME_LIMIT, Parameter, Parameters
from .base import DiversityMeasure, register, search

# Shares of intents that differ by less are equal: 2/3 of three intents are two.
ROUNDING = 1e-9

IDEAL: Parameters = {
    "ideal": Parameter(str, "exact", choices=("exact", "greedy"), desc="proven smallest cover, or its approximation"),
    **TIME_LIMIT,
}


def subtopic_recall(relevant: npt.ArrayLike, intents: npt.ArrayLike) -> np.ndarray:
    r"""Compute the share of a query's intents that a ranking covers.

    Parameters
    ----------
    relevant : array_like, shape (..., n_docs, n_intents)
        1 where a document is relevant to an intent, else 0.
    intents : array_like of bool, shape (..., n_intents)
        Which intents the query has (False marks padding).

    Returns
    -------
    ndarray, shape (...)
        Values in [0, 1]; 0 for a query without intents.

    Notes
    -----
    :math:`|\bigcup_i S(d_i)| / |T|`, where :math:`S(d)` are the intents that document :math:`d` is relevant to.

    References
    ----------
    Zhai, Cohen, Lafferty (2003). Beyond independent relevance: methods and evaluation metrics for subtopic retrieval.
    SIGIR, 10-17. https://doi.org/10.1145/860435.860440

    Examples
    --------
    >>> subtopic_recall([[1, 0], [1, 0]], intents=[True, True])
    array(0.5)
    """
    covered = np.asarray(relevant).any(axis=-2)
    return share(np.count_nonzero(covered, axis=-1), np.count_nonzero(intents, axis=-1))


def rank_of_recall(first_ranks: npt.ArrayLike, n_intents: npt.ArrayLike) -> np.ndarray:
    """Compute the first rank at which a number of intents is covered.

    Parameters
    ----------
    first_ranks : array_like, shape (..., n_intents)
        Rank at which each intent is first met; infinity where it is not, and for padding.
    n_intents : array_like of int, shape (...)
        How many intents to cover.

    Returns
    -------
    ndarray, shape (...)
        Ranks; infinity where so many are not covered, 0 for no intents.

    References
    ----------
    Zhai, Cohen, Lafferty (2003). Beyond independent relevance: methods and evaluation metrics for subtopic retrieval.
    SIGIR, 10-17. https://doi.org/10.1145/860435.860440

    Examples
    --------
    >>> rank_of_recall([4, 1, 3], n_intents=2)
    array(3.)
    """
    ranks = np.sort(np.asarray(first_ranks, dtype=np.float64), axis=-1)
    ranks = np.concatenate([np.zeros((*ranks.shape[:-1], 1)), ranks], axis=-1)
    return np.asarray(np.take_along_axis(ranks, np.asarray(n_intents)[..., None], axis=-1)[..., 0])


def most_covering(relevant: np.ndarray, depth: int | None, time_limit: float) -> Sequence[int] | np.ndarray:
    """Find documents, ``depth`` at the most, that cover as many intents as possible, and no more than that takes.

    Parameters
    ----------
    relevant : ndarray, shape (n_docs, n_intents)
        1 where a document is relevant to an intent, else 0.
    depth : int or None
        Number of documents at the most; None for any number.
    time_limit : float
        Seconds to search for at the most.

    Returns
    -------
    sequence of int
        Indices of the documents: a smallest cover of all intents if it has no more than ``depth``.
    """
    covers = Covers(*np.nonzero(relevant))
    cover = covers.exact(covers.n_intents, time_limit)
    if depth is None or len(cover) <= depth:
        return cover
    return rank_exactly(relevant, alpha=1.0, discount=np.ones_like, depth=depth, time_limit=time_limit)


class _StRecall(DiversityMeasure):
    """Share of the intents that the ranking covers (I-rec, S-recall); equal to ndeval's.

    .. cite.dblp:: conf/sigir/ZhaiCL03
    """

    NAME = __name__ = "StRecall"
    PRETTY_NAME = "Subtopic Recall"
    SHORT_DESC = "Share of the intents that the ranking covers."
    FORMULA = "|{t: J_it = 1 for some i}| / |T|"
    SOURCE = "Zhai et al. (2003); ndeval 4.5"
    EQUALS = "strec of ndeval 4.5 with -traditional; I-rec of pyNTCIREVAL"
    SUPPORTED_PARAMS = {**CUTOFF, **REL}

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        return subtopic_recall(ranked.relevant, ranked.intents)

    def best_rankings(self, every: JudgedRankings, depth: int | None, time_limit: float) -> Sequence[np.ndarray]:
        """Search for the documents that cover most intents."""
        return search(every, lambda relevant: most_covering(relevant, depth, time_limit), self)


class _Coverage(DiversityMeasure):
    """Share of the intents that the ranking covers, by weight, among all that the qrels name.

    Unlike subtopic recall it counts intents (nuggets) that no judged document is relevant to, so that 1 may be out of
    reach, and it honours the intents' weights.

    .. cite.dblp:: journals/corr/abs-2504-13128
    """

    NAME = __name__ = "Coverage"
    PRETTY_NAME = "Coverage"
    SHORT_DESC = "Share of all intents named, by weight, that the ranking covers."
    FORMULA = "sum_{t covered} w_t / sum_{t named} w_t"
    SOURCE = "Thakur et al. (2025), FreshStack"
    READS = ("weight",)
    SUPPORTED_PARAMS = {**CUTOFF, **REL}

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        judgements = ranked.chunk.judgements
        weights = ranked.chunk.per_intent(judgements.intents.weight)
        covered = over_intents(np.where(np.isfinite(ranked.first_ranks), weights, 0.0))
        return share(covered, judgements.named_weight[ranked.chunk.queries])

    def best_rankings(self, every: JudgedRankings, depth: int | None, time_limit: float) -> Sequence[np.ndarray]:
        """Search for the documents that cover most intents, none of which may weigh more than another.

        Raises
        ------
        ValueError
            If the weights of a query's intents differ.
        """
        highest = every.weights.max(axis=-1, initial=0)[:, None]
        if (every.intents & ~np.isclose(every.weights, highest, rtol=ROUNDING, atol=0)).any():
            raise ValueError(
                f"{self}: a ranking is proven to be the best only where the intents of a query weigh the same, and not "
                "by other weights; use ideal='greedy'."
            )
        return search(every, lambda relevant: most_covering(relevant, depth, time_limit), self)


class _SRR(DiversityMeasure):
    """Reciprocal of the first rank at which a share of the intents is covered; 0 if it is not.

    .. cite.dblp:: conf/sigir/ZhaiCL03
    """

    NAME = __name__ = "SRR"
    PRETTY_NAME = "Subtopic Reciprocal Rank"
    SHORT_DESC = "Reciprocal of the first rank at which a share of the intents is covered."
    FORMULA = "1 / min{i: |{t: J_jt = 1 for some j <= i}| >= recall |T|}"
    SOURCE = "Zhai et al. (2003); Amigó et al. (2018), Sec. 4.3"
    SUPPORTED_PARAMS = {
        **CUTOFF,
        "recall": Parameter(float, 1.0, interval="(0, 1]", desc="share of the intents to cover"),
        **REL,
    }

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        return share(1.0, rank_of_recall(ranked.first_ranks, self.wanted(ranked.n_intents)))

    def wanted(self, n_intents: npt.ArrayLike) -> np.ndarray:
        """Return how many of a number of intents are to be covered."""
        n_intents = np.asarray(n_intents)
        wanted = np.ceil(self["recall"] * n_intents - ROUNDING).astype(np.intp)
        return np.maximum(wanted, n_intents > 0)

    def best_rankings(self, every: JudgedRankings, depth: int | None, time_limit: float) -> Sequence[np.ndarray]:
        """Search for the fewest documents that cover so many intents."""

        def cover(relevant: np.ndarray) -> list[int]:
            covers = Covers(*np.nonzero(relevant))
            return covers.exact(int(self.wanted(covers.n_intents)), time_limit)[:depth]

        return search(every, cover, self)


class _OverSmallestCover(DiversityMeasure):
    """A measure that compares a ranking with the fewest documents that cover as many intents."""

    def fewest(self, ranked: JudgedRankings, n_intents: np.ndarray) -> np.ndarray:
        """Return minRank of a number of intents for each query.

        Raises
        ------
        NotProvenError
            If ``ideal`` is "exact" and a query needs more than ``time_limit`` seconds.
        """
        covers = ranked.ideal("covers", lambda every: [Covers(*np.nonzero(relevant)) for relevant in every.relevant])
        n_docs = np.zeros(len(covers), dtype=np.intp)
        for i, (query_id, wanted) in enumerate(zip(progress(ranked.query_ids, self.NAME), n_intents, strict=True)):
            if self["ideal"] == "greedy":
                n_docs[i] = len(covers[i].greedy(wanted))
            else:
                with naming(query_id):
                    n_docs[i] = len(covers[i].exact(int(wanted), self["time_limit"]))
        return n_docs


class _StRecallMinRank(_OverSmallestCover):
    """Subtopic recall at the smallest rank at which all intents could be covered.

    That rank is a set cover, and proven to be the smallest. With ``ideal="greedy"`` it is the classical approximation.

    .. cite.dblp:: journals/ir/Carterette11
    """

    NAME = __name__ = "StRecallMinRank"
    PRETTY_NAME = "Subtopic Recall at minRank"
    SHORT_DESC = "Share of the intents covered where a best ranking covers them all."
    FORMULA = "StRecall@minRank(q, |T|)"
    SOURCE = "Zhai et al. (2003); Carterette (2011, Inf. Retr.), Sec. 2.1.1"
    EQUALS = "the worked example of Carterette (2011, Inf. Retr.), Sec. 2.3"
    SUPPORTED_PARAMS = {**IDEAL, **REL}

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        covered = ranked.first_ranks <= self.fewest(ranked, ranked.n_intents)[:, None]
        return share(np.count_nonzero(covered, axis=-1), ranked.n_intents)

    def best_rankings(self, every: JudgedRankings, depth: int | None, time_limit: float) -> Sequence[np.ndarray]:
        """Search for the fewest documents that cover all intents."""
        return search(every, lambda relevant: most_covering(relevant, depth, time_limit), self)


class _SPrecision(_OverSmallestCover):
    """How early as many intents are covered as the ranking covers, compared with the earliest possible.

    With ``ideal="greedy"``, the classical approximation, it can exceed 1.

    .. cite.dblp:: journals/ir/Carterette11
    """

    NAME = __name__ = "SPrecision"
    PRETTY_NAME = "Subtopic Precision"
    SHORT_DESC = "Earliest rank at which so many intents could be covered, over that at which they are."
    FORMULA = "minRank(q, m) / min{i: |{t: J_jt = 1 for some j <= i}| = m}, m = |{t: J_it = 1 for some i}|"
    SOURCE = "Zhai et al. (2003); Carterette (2011, Inf. Retr.), Sec. 2.1.2"
    EQUALS = "the worked example of Carterette (2011, Inf. Retr.), Sec. 2.3"
    RANGE = "[0, 1]; more with ideal='greedy'"
    SUPPORTED_PARAMS = {**CUTOFF, **IDEAL, **REL}

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        n_covered = np.count_nonzero(np.isfinite(ranked.first_ranks), axis=-1)
        return share(self.fewest(ranked, n_covered), rank_of_recall(ranked.first_ranks, n_covered))


StRecall: ir_measures.Measure = register(_StRecall())
Coverage = register(_Coverage())
SRR = register(_SRR())
StRecallMinRank = register(_StRecallMinRank())
SPrecision = register(_SPrecision())
