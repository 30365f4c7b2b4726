"""TREC Dynamic Domain 2015: means over the intents covered, and measures at the rank where all intents are covered."""

import numpy as np

from ..arithmetic import divide
from ..judged import Ranked
from ..parameters import CUTOFF, REL
from .ad_hoc import err_of_intents
from .base import ZeroToOne
from .registration import register
from .subtopic import n_covered, rank_of_recall

__all__ = ["ERR_arith", "ERR_harm", "P_at_Recall", "P_at_Recall_mod", "RR_at_Recall"]


class _ERROfIntents(ZeroToOne):
    """A mean of ERR over the intents that the ranking covers.

    Notes
    -----
    :Source: Chapelle et al. (2009); TREC Dynamic Domain 2015
    """

    SUPPORTED_PARAMS = {**CUTOFF, **REL}


class _ERR_arith(_ERROfIntents):
    r"""Arithmetic mean of ERR over the intents that the ranking covers; other intents are ignored.

    Values equal those of the harness of TREC Dynamic Domain 2015, with r = (2^label - 1) / 16. A label above 4 raises a
    ``ValueError``.

    Notes
    -----
    :Name: Expected Reciprocal Rank, Arithmetic Mean over the Intents Met
    :Formula: \frac{1}{|T_k|} \sum_{t \in T_k} \mathrm{ERR}_t
    :Equal to: the simulation harness of TREC Dynamic Domain 2015, on runs without repeated documents or ratings of 0

    .. cite.dblp:: conf/cikm/ChapelleMZG09

    Examples
    --------
    >>> from pyterrier_diversity import ERR_arith, score
    >>> round(score(ERR_arith, [[4, 0], [0, 4]]), 4)
    0.7031
    """

    def score(self, ranked: Ranked) -> np.ndarray:
        return divide(ranked.sum_intents(err_of_intents(ranked, self)), n_covered(ranked))


class _ERR_harm(_ERROfIntents):
    r"""Harmonic mean of ERR over the intents that the ranking covers; other intents are ignored.

    Values equal those of the harness of TREC Dynamic Domain 2015, with r = (2^label - 1) / 16. A label above 4 raises a
    ``ValueError``.

    Notes
    -----
    :Name: Expected Reciprocal Rank, Harmonic Mean over the Intents Met
    :Formula: \frac{|T_k|}{\sum_{t \in T_k} 1 / \mathrm{ERR}_t}
    :Equal to: the simulation harness of TREC Dynamic Domain 2015, on runs without repeated documents or ratings of 0

    .. cite.dblp:: conf/cikm/ChapelleMZG09

    Examples
    --------
    >>> from pyterrier_diversity import ERR_harm, score
    >>> score(ERR_harm, [[4, 0], [0, 4]])
    0.625
    """

    def score(self, ranked: Ranked) -> np.ndarray:
        return divide(n_covered(ranked), ranked.sum_intents(divide(1.0, err_of_intents(ranked, self))))


class _AtRecall(ZeroToOne):
    """A measure at the first rank where all intents are covered, or at the last rank if not all are.

    Notes
    -----
    :Where: m is the first rank at which all intents are covered, or the length of the ranking
    :Source: TREC Dynamic Domain 2015
    """

    SUPPORTED_PARAMS = {**CUTOFF, **REL}

    def rank(self, ranked: Ranked) -> np.ndarray:
        """Return that rank of each query, or 0 for a query without intents."""
        covered = n_covered(ranked) == ranked.n_intents
        return np.where(covered, rank_of_recall(ranked, ranked.n_intents), ranked.n)


class _RR_at_Recall(_AtRecall):
    r"""Reciprocal of the first rank where all intents are covered, or of the last rank if not all are.

    Values equal those of the harness of TREC Dynamic Domain 2015.

    Notes
    -----
    :Name: Reciprocal Rank at Recall
    :Formula: \frac{1}{m}
    :Equal to: the simulation harness of TREC Dynamic Domain 2015, on runs without repeated documents

    .. cite.dblp:: conf/trec/YangFS15

    Examples
    --------
    >>> from pyterrier_diversity import RR_at_Recall, score
    >>> round(score(RR_at_Recall, [[1, 0], [0, 0], [1, 1]]), 4)
    0.3333
    """

    def score(self, ranked: Ranked) -> np.ndarray:
        return divide(1.0, self.rank(ranked))


class _P_at_Recall(_AtRecall):
    r"""Precision at the first rank where all intents are covered, or at the last rank if not all are.

    Values equal those of the harness of TREC Dynamic Domain 2015.

    Notes
    -----
    :Name: Precision at Recall
    :Formula: \frac{1}{m} \sum_{i \le m} J_i
    :Equal to: the simulation harness of TREC Dynamic Domain 2015, on runs without repeated documents

    .. cite.dblp:: conf/trec/YangFS15

    Examples
    --------
    >>> from pyterrier_diversity import P_at_Recall, score
    >>> round(score(P_at_Recall, [[1, 0], [0, 0], [1, 1], [1, 1]]), 4)
    0.6667
    """

    def score(self, ranked: Ranked) -> np.ndarray:
        last = self.rank(ranked)
        return divide(ranked.down_to(last).documents.queries.size, last)


class _P_at_Recall_mod(_AtRecall):
    r"""Precision at the first rank where all intents are covered; a document counts with its fraction of new intents.

    Values equal those of the harness of TREC Dynamic Domain 2015.

    Notes
    -----
    :Name: Modified Precision at Recall
    :Formula: \frac{1}{m} \sum_{i \le m} \frac{\sum_t J_{it} [c_{it} = 0]}{\sum_t J_{it}}
    :Equal to: the simulation harness of TREC Dynamic Domain 2015, on runs without repeated documents

    .. cite.dblp:: conf/trec/YangFS15

    Examples
    --------
    >>> from pyterrier_diversity import P_at_Recall_mod, score
    >>> score(P_at_Recall_mod, [[1, 0], [1, 1]])
    0.75
    """

    def score(self, ranked: Ranked) -> np.ndarray:
        last = self.rank(ranked)
        read = ranked.down_to(last)
        new = read.documents.total(read.met == 0) / read.documents.total(np.ones(len(read.rank)))
        return divide(read.documents.queries.total(new), last)


ERR_arith = register(_ERR_arith())
ERR_harm = register(_ERR_harm())
RR_at_Recall = register(_RR_at_Recall())
P_at_Recall = register(_P_at_Recall())
P_at_Recall_mod = register(_P_at_Recall_mod())
