"""Nugget scores: the support that an answer, or the top of a ranking, has for nuggets."""

from typing import Any

import numpy as np

from ..arithmetic import divide
from ..judged import Judgements, Ranked
from ..parameters import CUTOFF, Parameter
from ..warnings import DataWarning, SupportWarning, WordsWarning
from .base import ZeroToOne
from .registration import register

__all__ = ["NuggetScore"]


class _NuggetScore(ZeroToOne):
    r"""Nugget score: the mean support that an answer, or the top of a ranking, gives to a query's nuggets.

    A nugget is an intent, and an answer is a ranking of one document. A label of at least ``full`` means full support;
    a smaller label above 0 means partial support. Formats with labels 0 and 1 need ``full=1``, and CRUX ``full=3``. All
    nuggets in the qrels count, even if nothing supports them; their ``weight`` is not used. AutoNuggetizer calls the
    scores with ``partial=0`` strict.

    Notes
    -----
    :Name: Nugget Score
    :Formula: \frac{\sum_{t \text{ named}} v_t s_t}{\sum_{t \text{ named}} v_t}
    :Where: the sums are over all intents in the qrels; $s_t$ is 1 if $\max_i g_{it} \ge$ `full`, `partial` if that
        maximum is between 0 and `full`, and 0 otherwise; $v_t$ is 1 for an intent that counts, $1/2$ for an okay one
        (or `importance_value`, if the qrels have it) if `importance` is 'weighted', and 0 for the others
    :Source: Pradeep et al. (2025), AutoNuggetizer
    :Equal to: the six scores of AutoNuggetizer for three systems' answers to 30 topics of TREC RAG 2024

    .. cite.dblp:: journals/corr/abs-2504-15068

    References
    ----------
    Pradeep, Thakur, Upadhyay, Campos, Craswell, Soboroff, Dang, Lin (2025). The great nugget recall: automating fact
    extraction and RAG evaluation with large language models. SIGIR. https://arxiv.org/abs/2504.15068

    Examples
    --------
    >>> from pyterrier_diversity import NuggetScore, score
    >>> score(NuggetScore, [[2, 1, 0, 0]]), score(NuggetScore(partial=0), [[2, 1, 0, 0]])
    (0.375, 0.25)
    """

    READS = ("importance", "importance_value")
    COUNTS_ALL_NAMED = True
    SUPPORTED_PARAMS = {
        **CUTOFF,
        "importance": Parameter(
            str,
            "all",
            choices=("all", "vital", "weighted"),
            desc="which nuggets count: all, only vital ones, or vital ones and, with half the weight, okay ones",
        ),
        "partial": Parameter(float, 0.5, interval="[0, 1]", desc="value of partial support"),
        "full": Parameter(float, 2.0, interval="(0, inf)", desc="smallest label that means full support"),
    }

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.NEEDS = () if self.importance == "all" else ("importance",)

    def warning(self, judgements: Judgements) -> DataWarning | None:
        largest, counts = judgements.labels.value.max(initial=0.0), judgements.named.importance
        if self.importance != "all" and "importance" in judgements.columns and not counts.any():
            return WordsWarning(
                "No nugget of the qrels is vital or okay, so that NuggetScore(importance=...) is 0. "
                "io.read_nuggets(importance={'critical': 1, 'nice': 0.25}) reads other words."
            )
        if not 0 < largest < self.full:
            return None
        return SupportWarning(
            f"No label of the qrels is full support for NuggetScore: the largest is {largest:g}, but full is "
            f"{self.full:g}. If {largest:g} means full support, use NuggetScore(full={largest:g})."
        )

    def score(self, ranked: Ranked) -> np.ndarray:
        named = ranked.judgements.named
        # How much each nugget counts; the importance of a vital one is 1.
        counts = {"all": 1.0, "vital": named.importance == 1, "weighted": named.importance}[self.importance]
        counts = counts * (named.weight > 0)
        label = ranked.intents.highest(ranked.label)
        support = np.where(label >= self.full, 1.0, np.where(label > 0, self.partial, 0.0))
        gained = ranked.sum_intents(counts[ranked.judgements.kept] * support)
        return divide(gained, np.bincount(named.query, counts, minlength=len(ranked.n)))


NuggetScore = register(_NuggetScore())
