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

    def __init_subclass__(cls) -> None:
        cls.FORMULA = f"gamma StRecall@k + (1 - gamma) {cls.BASE.NAME}@k"
        cls.READS = cls.BASE.READS
        cls.SUPPORTED_PARAMS = {**cls.BASE.SUPPORTED_PARAMS, **GAMMA}

    def parts(self) -> Sequence[Part]:
        """Return subtopic recall and the measure."""
        recall = _StRecall(cutoff=self["cutoff"], rel=self["rel"])
        params = {name: value for name, value in self.params.items() if name != "gamma"}
        return [Part(recall), Part(self.BASE(**params))]

    def combine(self, values: Sequence[np.ndarray], judgements: Judgements) -> np.ndarray:
        """Return the weighted mean of both."""
        return with_recall(self["gamma"], *values)


class _Dsharp_nDCG(_SharpForm):
    """D#-nDCG: the mean of subtopic recall and D-nDCG, the primary measure of NTCIR's INTENT tasks.

    .. cite.dblp:: conf/sigir/SakaiS11
    """

    NAME = __name__ = "Dsharp_nDCG"
    PRETTY_NAME = "D#-nDCG"
    SOURCE = "Sakai and Song (2011); Sakai (2013), Eq. 7"
    EQUALS = "the mean of MSnDCG and I-rec of pyNTCIREVAL, given global gains"
    BASE = _D_nDCG


class _Dsharp_Q(_SharpForm):
    """D#-Q: the mean of subtopic recall and D-Q.

    .. cite.dblp:: conf/sigir/SakaiS11
    """

    NAME = __name__ = "Dsharp_Q"
    PRETTY_NAME = "D#-Q"
    SOURCE = "Sakai and Song (2011); Sakai (2013), Eq. 7"
    EQUALS = "the mean of Q and I-rec of pyNTCIREVAL, given global gains"
    BASE = _D_Q


class _DINsharp_nDCG(_SharpForm):
    """DIN#-nDCG: the mean of subtopic recall and DIN-nDCG.

    .. cite.dblp:: journals/jip/Sakai13
    """

    NAME = __name__ = "DINsharp_nDCG"
    PRETTY_NAME = "DIN#-nDCG"
    SOURCE = "Sakai (2013), Sec. 3.1"
    BASE = _DIN_nDCG


class _DINsharp_Q(_SharpForm):
    """DIN#-Q: the mean of subtopic recall and DIN-Q.

    .. cite.dblp:: journals/jip/Sakai13
    """

    NAME = __name__ = "DINsharp_Q"
    PRETTY_NAME = "DIN#-Q"
    SOURCE = "Sakai (2013), Sec. 3.1"
    BASE = _DIN_Q


class _PplusQsharp(_SharpForm):
    """P+Q#: the mean of subtopic recall and P+Q.

    .. cite.dblp:: journals/jip/Sakai13
    """

    NAME = __name__ = "PplusQsharp"
    PRETTY_NAME = "P+Q#"
    SOURCE = "Sakai (2013), Sec. 3.2"
    BASE = _PplusQ


Dsharp_nDCG = register(_Dsharp_nDCG())
Dsharp_Q = register(_Dsharp_Q())
DINsharp_nDCG = register(_DINsharp_nDCG())
DINsharp_Q = register(_DINsharp_Q())
PplusQsharp = register(_PplusQsharp())
