"""Subtopic retrieval: how many intents a ranking covers, and how early."""

import math

import numpy as np

from ..arithmetic import divide
from ..ideal import IDEAL, MostCovering, min_ranks, n_wanted
from ..judged import Groups, Order, Ranked
from ..parameters import CUTOFF, REL, REL_FROM_1, Parameter
from .base import DiversityMeasure, ZeroToOne
from .registration import register, serve

__all__ = ["SRR", "Coverage", "MRecall", "SPrecision", "StRecall", "StRecallMinRank"]


def n_covered(ranked: Ranked) -> np.ndarray:
    """Return the number of intents of each query that a ranking covers."""
    return ranked.total(ranked.met == 0)


def rank_of_recall(ranked: Ranked, n_intents: np.ndarray) -> np.ndarray:
    """Return the first rank at which ``n_intents`` intents of each query are covered, or 0."""
    covering = np.flatnonzero(ranked.met == 0)
    queries = Groups(ranked.query[covering], len(ranked.n))
    is_last = queries.place + 1 == n_intents[queries.of]
    return queries.total(np.where(is_last, ranked.rank[covering], 0.0))


class _StRecall(ZeroToOne):
    r"""Subtopic recall: the fraction of a query's intents that the ranking covers.

    It is also called I-rec and S-recall. Values equal those of ndeval.

    Notes
    -----
    :Name: Subtopic Recall
    :Formula: \frac{|T_k|}{|T|}
    :Source: Zhai et al. (2003); ndeval 4.5
    :Equal to: strec of ndeval 4.5 with -traditional; I-rec of pyNTCIREVAL

    .. cite.dblp:: conf/sigir/ZhaiCL03

    References
    ----------
    Zhai, Cohen, Lafferty (2003). Beyond independent relevance: methods and evaluation metrics for subtopic retrieval.
    SIGIR, 10-17. https://doi.org/10.1145/860435.860440

    Examples
    --------
    >>> from pyterrier_diversity import StRecall, score
    >>> score(StRecall @ 2, [[1, 0], [2, 0]], others=[[0, 1]])
    0.5
    """

    SUPPORTED_PARAMS = {**CUTOFF, **REL_FROM_1}

    def score(self, ranked: Ranked) -> np.ndarray:
        return divide(n_covered(ranked), ranked.n_intents)

    best = staticmethod(MostCovering)


class _Coverage(ZeroToOne):
    r"""Coverage: the weighted fraction of all intents in the qrels that the ranking covers.

    Unlike subtopic recall, it uses the weights of the intents and counts intents (nuggets) without a relevant document.
    If there are such intents, no ranking reaches 1.

    Notes
    -----
    :Name: Coverage
    :Formula: \frac{\sum_{t \in T_k} w_t}{\sum_{t \text{ named}} w_t}
    :Where: the intents that the qrels name include those without a relevant document
    :Source: Thakur et al. (2025), FreshStack

    .. cite.dblp:: journals/corr/abs-2504-13128

    Examples
    --------
    >>> from pyterrier_diversity import Coverage, score
    >>> score(Coverage @ 1, [[1, 0, 0]], others=[[0, 1, 0]], weights=[2, 1, 1])
    0.5
    """

    READS = ("weight",)
    COUNTS_ALL_NAMED = True
    SUPPORTED_PARAMS = {**CUTOFF, **REL}

    def score(self, ranked: Ranked) -> np.ndarray:
        given, named = ranked.judgements.intents.weight, ranked.judgements.named
        covered = ranked.total(np.where(ranked.met == 0, given[ranked.intent], 0.0))
        return divide(covered, np.bincount(named.query, named.weight, minlength=len(ranked.n)))

    def best(self, depth: int | None, time_limit: float) -> Order:
        """Return the documents that cover most intents; all weights must be equal."""
        return MostCovering(depth, time_limit, by_weight=str(self))


class _MRecall(ZeroToOne):
    r"""MRecall: 1 if the top k documents cover min(k, n) of a query's n intents, otherwise 0.

    For questions with several answers. Without a cutoff, the ranking must cover all intents.

    Notes
    -----
    :Name: Multi-Answer Recall
    :Formula: [\,|T_k| \ge \min(k, |T|)\,]
    :Source: Min et al. (2021)

    References
    ----------
    Min, Lee, Chang, Toutanova, Hajishirzi (2021). Joint passage ranking for diverse multi-answer retrieval. EMNLP,
    6997-7008. https://doi.org/10.18653/v1/2021.emnlp-main.560

    .. cite.dblp:: journals/corr/abs-2104-08445

    Examples
    --------
    >>> from pyterrier_diversity import MRecall, score
    >>> score(MRecall @ 1, [[1, 0], [0, 1]]), score(MRecall @ 2, [[1, 0], [1, 0]], others=[[0, 1]])
    (1.0, 0.0)
    """

    SUPPORTED_PARAMS = {**CUTOFF, **REL}

    def score(self, ranked: Ranked) -> np.ndarray:
        n_intents = ranked.n_intents
        wanted = n_intents if ranked.cutoff is None else np.minimum(ranked.depth, n_intents)
        return ((n_intents > 0) & (n_covered(ranked) >= wanted)).astype(np.float64)

    best = staticmethod(MostCovering)


class _SRR(ZeroToOne):
    r"""Subtopic reciprocal rank: the reciprocal of the first rank at which a given fraction of the intents is covered.

    The value is 0 if the ranking never covers that fraction.

    Notes
    -----
    :Name: Subtopic Reciprocal Rank
    :Formula: \frac{1}{\min\{i : |T_i| \ge \mathrm{recall} \cdot |T|\}}
    :Source: Zhai et al. (2003); Amigó et al. (2018), Sec. 4.3

    .. cite.dblp:: conf/sigir/ZhaiCL03

    Examples
    --------
    >>> from pyterrier_diversity import SRR, score
    >>> score(SRR, [[1, 0], [0, 1]]), score(SRR(recall=0.5), [[1, 0], [0, 1]])
    (0.5, 1.0)
    """

    SUPPORTED_PARAMS = {
        **CUTOFF,
        "recall": Parameter(float, 1.0, interval="(0, 1]", desc="fraction of the intents to cover"),
        **REL,
    }

    def score(self, ranked: Ranked) -> np.ndarray:
        return divide(1.0, rank_of_recall(ranked, n_wanted(self.recall, ranked.n_intents)))

    def best(self, depth: int | None, time_limit: float) -> Order:
        """Return the fewest documents that cover that fraction of the intents."""
        return MostCovering(None, time_limit, recall=self.recall)


class _StRecallMinRank(ZeroToOne):
    r"""Subtopic recall at minRank: the fraction of intents covered at the first rank where a ranking can cover all.

    That rank, minRank, is the size of the smallest set cover. It is computed exactly, or greedily with
    ``ideal="greedy"``. If the proof of a query takes longer than ``time_limit`` seconds, `NotProvenError` is raised.

    Notes
    -----
    :Name: Subtopic Recall at minRank
    :Formula: \frac{|T_m|}{|T|}, \quad m = \mathrm{minRank}(|T|)
    :Where: $\mathrm{minRank}(x)$ is the smallest number of documents that together cover x intents
    :Source: Zhai et al. (2003); Carterette (2011, Inf. Retr.), Sec. 2.1.1
    :Equal to: the worked example of Carterette (2011, Inf. Retr.), Sec. 2.3

    .. cite.dblp:: journals/ir/Carterette11

    Examples
    --------
    >>> from pyterrier_diversity import StRecallMinRank, score
    >>> score(StRecallMinRank, [[1, 0], [1, 1]])
    0.5
    """

    SUPPORTED_PARAMS = {**IDEAL, **REL}

    def score(self, ranked: Ranked) -> np.ndarray:
        min_rank = min_ranks(ranked.judgements, ranked.n_intents, self.ideal, self.time_limit, self.NAME)
        return divide(n_covered(ranked.down_to(min_rank)), ranked.n_intents)

    best = staticmethod(MostCovering)


class _SPrecision(DiversityMeasure):
    r"""Subtopic precision: the smallest rank at which as many intents can be covered, divided by the actual rank.

    The smallest rank is computed exactly. ``ideal="greedy"`` approximates it, and values can then exceed 1. If the
    proof of a query takes longer than ``time_limit`` seconds, `NotProvenError` is raised.

    Notes
    -----
    :Name: Subtopic Precision
    :Formula: \frac{\mathrm{minRank}(|T_k|)}{\min\{i : |T_i| = |T_k|\}}
    :Where: $\mathrm{minRank}(x)$ is the smallest number of documents that together cover x intents
    :Values: [0, 1]; [0, inf) with ideal='greedy'
    :Source: Zhai et al. (2003); Carterette (2011, Inf. Retr.), Sec. 2.1.2
    :Equal to: the worked example of Carterette (2011, Inf. Retr.), Sec. 2.3

    .. cite.dblp:: journals/ir/Carterette11

    Examples
    --------
    >>> from pyterrier_diversity import SPrecision, score
    >>> score(SPrecision, [[0, 0], [1, 1]])
    0.5
    """

    SUPPORTED_PARAMS = {**CUTOFF, **IDEAL, **REL}

    def range(self) -> tuple[float, float]:
        return 0.0, math.inf if self.ideal == "greedy" else 1.0

    def score(self, ranked: Ranked) -> np.ndarray:
        m = n_covered(ranked).astype(np.intp)
        min_rank = min_ranks(ranked.judgements, m, self.ideal, self.time_limit, self.NAME)
        return divide(min_rank, rank_of_recall(ranked, m))


StRecall = serve(_StRecall())
Coverage = register(_Coverage())
MRecall = register(_MRecall())
SRR = register(_SRR())
StRecallMinRank = register(_StRecallMinRank())
SPrecision = register(_SPrecision())
