"""Nugget scores: the support that an answer, or the top of a ranking, has for nuggets."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arithmetic import divide
from ..judged import Ranked
from ..parameters import CUTOFF, Parameter
from .base import DiversityMeasure, register

# The label of full support; any smaller one above 0 is partial support.
FULL_SUPPORT = 2.0
# The weight of a nugget by its importance, and the weight for any other importance.
COUNTS = {"all": ({}, 1.0), "vital": ({"vital": 1.0}, 0.0), "weighted": ({"vital": 1.0, "okay": 0.5}, 0.0)}


class _NuggetScore(DiversityMeasure):
    """Nugget score: the mean support that an answer, or the top of a ranking, gives to a query's nuggets.

    A nugget is an intent, and an answer is a ranking of one document. A label of 2 or more means full support; a
    smaller label above 0 means partial support. All nuggets in the qrels count, even if nothing supports them; their
    ``weight`` is not used. AutoNuggetizer calls the scores with ``partial=0`` strict.

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

    NAME = __name__ = "NuggetScore"
    PRETTY_NAME = "Nugget Score"
    FORMULA = r"\frac{\sum_{t \text{ named}} v_t s_t}{\sum_{t \text{ named}} v_t}"
    WHERE = (
        r"the sums are over all intents in the qrels; $s_t$ is 1 if $\max_i g_{it} \ge 2$, `partial` if that maximum "
        r"is between 0 and 2, and 0 otherwise; $v_t$ is 1 for an intent that counts, $1/2$ for an okay one if "
        r"`importance` is 'weighted', and 0 for the others"
    )
    SOURCE = "Pradeep et al. (2025), AutoNuggetizer"
    EQUALS = "the six scores of AutoNuggetizer for three systems' answers to 30 topics of TREC RAG 2024"
    READS = ("importance",)
    COUNTS_ALL_NAMED = True
    SUPPORTED_PARAMS = {
        **CUTOFF,
        "importance": Parameter(
            str,
            "all",
            choices=tuple(COUNTS),
            desc="which nuggets count: all, only vital ones, or vital ones and, with half the weight, okay ones",
        ),
        "partial": Parameter(float, 0.5, interval="[0, 1]", desc="value of partial support"),
    }

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.NEEDS = () if self.importance == "all" else self.READS

    def score(self, ranked: Ranked) -> np.ndarray:
        named = ranked.judgements.named
        known, other = COUNTS[self.importance]
        counts = np.array([known.get(word, other) for word in named.importance.tolist()]) * (named.weight > 0)
        label = ranked.intents.highest(ranked.label)
        support = np.where(label >= FULL_SUPPORT, 1.0, np.where(label > 0, self.partial, 0.0))
        gained = ranked.sum_intents(counts[ranked.judgements.intents.named] * support)
        return divide(gained, np.bincount(named.query, counts, minlength=len(ranked.n)))


NuggetScore = register(_NuggetScore())
