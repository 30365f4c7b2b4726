"""The sharp forms by their published names: subtopic recall and a measure of global gains or P+Q, averaged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..judged import Judgements
from .base import CompositeMeasure, DiversityMeasure, Part, register
from .blended_ratio import _PplusQ
from .global_gain import _D_Q, _DIN_Q, _D_nDCG, _DIN_nDCG
from .lifts import GAMMA, with_recall
from .subtopic import _StRecall


class _SharpForm(CompositeMeasure):
    """``Sharp`` of a certain measure, with that measure's parameters."""

    BASE: type[DiversityMeasure]
    SHORT_DESC = "Subtopic recall and the measure of that name, averaged."

    def parts(self) -> Sequence[Part]:
        """Return subtopic recall and the measure."""
        recall = _StRecall(cutoff=self["cutoff"], rel=self["rel"])
        return [Part(recall), Part(self.BASE(**{k: v for k, v in self.params.items() if k != "gamma"}))]

    def combine(self, values: Sequence[np.ndarray], judgements: Judgements) -> np.ndarray:
        """Return the weighted mean of both."""
        return with_recall(self["gamma"], *values)


class _Dsharp_nDCG(_SharpForm):
    """D#-nDCG: the mean of subtopic recall and D-nDCG, the primary measure of NTCIR's INTENT tasks.

    .. cite.dblp:: conf/sigir/SakaiS11
    """

    NAME = __name__ = "Dsharp_nDCG"
    PRETTY_NAME = "D#-nDCG"
    FORMULA = "gamma StRecall@k + (1 - gamma) D_nDCG@k"
    SOURCE = "Sakai and Song (2011); Sakai (2013), Eq. 7"
    BASE = _D_nDCG
    READS = BASE.READS
    SUPPORTED_PARAMS = {**BASE.SUPPORTED_PARAMS, **GAMMA}


class _Dsharp_Q(_SharpForm):
    """D#-Q: the mean of subtopic recall and D-Q.

    .. cite.dblp:: conf/sigir/SakaiS11
    """

    NAME = __name__ = "Dsharp_Q"
    PRETTY_NAME = "D#-Q"
    FORMULA = "gamma StRecall@k + (1 - gamma) D_Q@k"
    SOURCE = "Sakai and Song (2011); Sakai (2013), Eq. 7"
    BASE = _D_Q
    READS = BASE.READS
    SUPPORTED_PARAMS = {**BASE.SUPPORTED_PARAMS, **GAMMA}


class _DINsharp_nDCG(_SharpForm):
    """DIN#-nDCG: the mean of subtopic recall and DIN-nDCG.

    .. cite.dblp:: journals/jip/Sakai13
    """

    NAME = __name__ = "DINsharp_nDCG"
    PRETTY_NAME = "DIN#-nDCG"
    FORMULA = "gamma StRecall@k + (1 - gamma) DIN_nDCG@k"
    SOURCE = "Sakai (2013), Sec. 3.1"
    BASE = _DIN_nDCG
    READS = BASE.READS
    SUPPORTED_PARAMS = {**BASE.SUPPORTED_PARAMS, **GAMMA}


class _DINsharp_Q(_SharpForm):
    """DIN#-Q: the mean of subtopic recall and DIN-Q.

    .. cite.dblp:: journals/jip/Sakai13
    """

    NAME = __name__ = "DINsharp_Q"
    PRETTY_NAME = "DIN#-Q"
    FORMULA = "gamma StRecall@k + (1 - gamma) DIN_Q@k"
    SOURCE = "Sakai (2013), Sec. 3.1"
    BASE = _DIN_Q
    READS = BASE.READS
    SUPPORTED_PARAMS = {**BASE.SUPPORTED_PARAMS, **GAMMA}


class _PplusQsharp(_SharpForm):
    """P+Q#: the mean of subtopic recall and P+Q.

    .. cite.dblp:: journals/jip/Sakai13
    """

    NAME = __name__ = "PplusQsharp"
    PRETTY_NAME = "P+Q#"
    FORMULA = "gamma StRecall@k + (1 - gamma) PplusQ@k"
    SOURCE = "Sakai (2013), Sec. 3.2"
    BASE = _PplusQ
    READS = BASE.READS
    SUPPORTED_PARAMS = {**BASE.SUPPORTED_PARAMS, **GAMMA}


Dsharp_nDCG = register(_Dsharp_nDCG())
Dsharp_Q = register(_Dsharp_Q())
DINsharp_nDCG = register(_DINsharp_nDCG())
DINsharp_Q = register(_DINsharp_Q())
PplusQsharp = register(_PplusQsharp())
