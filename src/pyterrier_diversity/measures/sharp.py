"""D#, DIN# and P+Q#: the mean of subtopic recall and a D-measure, a DIN-measure or P+Q."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..judged import Judgements
from .base import CompositeMeasure, DiversityMeasure, Part, register
from .composite import GAMMA, subtopic_recall, with_recall
from .d_measures import D_Q, DIN_Q, D_nDCG, DIN_nDCG
from .q_measure import PplusQ

__all__ = ["DINsharp_Q", "DINsharp_nDCG", "Dsharp_Q", "Dsharp_nDCG", "PplusQsharp"]


class SharpForm(NamedTuple):
    """A published name for ``Sharp`` of one measure."""

    name: str
    measure: DiversityMeasure
    pretty_name: str
    source: str
    cite: str
    # The measure of pyNTCIREVAL with the same values as the inner measure.
    of_ntcireval: str = ""


SHARP_FORMS = (
    SharpForm(
        "Dsharp_nDCG", D_nDCG, "D#-nDCG", "Sakai and Song (2011); Sakai (2013), Eq. 7", "conf/sigir/SakaiS11", "MSnDCG"
    ),
    SharpForm("Dsharp_Q", D_Q, "D#-Q", "Sakai and Song (2011); Sakai (2013), Eq. 7", "conf/sigir/SakaiS11", "Q"),
    SharpForm("DINsharp_nDCG", DIN_nDCG, "DIN#-nDCG", "Sakai (2013), Sec. 3.1", "journals/jip/Sakai13"),
    SharpForm("DINsharp_Q", DIN_Q, "DIN#-Q", "Sakai (2013), Sec. 3.1", "journals/jip/Sakai13"),
    SharpForm("PplusQsharp", PplusQ, "P+Q#", "Sakai (2013), Sec. 3.2", "journals/jip/Sakai13"),
)


_TEXT = r"""{form.pretty_name}: the mean of subtopic recall and {inner}.

Notes
-----
:Name: {form.pretty_name}
:Formula: \gamma \cdot \text{{StRecall}} + (1 - \gamma) \cdot \text{{{inner}}}
:Source: {form.source}

.. cite.dblp:: {form.cite}
"""


class _SharpForm(CompositeMeasure):
    """``Sharp`` of one measure, with that measure's parameters."""

    def __init__(self, form: SharpForm, **params: Any) -> None:
        inner = form.measure
        self.form = form
        self.NAME, self.READS = form.name, inner.READS
        self.__doc__ = _TEXT.format(form=form, inner=inner.PRETTY_NAME)
        if form.of_ntcireval:
            self.EQUALS = f"the mean of {form.of_ntcireval} and I-rec of pyNTCIREVAL, given global gains"
        self.SUPPORTED_PARAMS = {**inner.SUPPORTED_PARAMS, **GAMMA}
        super().__init__(**params)

    def __call__(self, *values: Any, **params: Any) -> _SharpForm:
        """Return the measure with other values of these parameters."""
        return super().__call__(*values, form=self.form, **params)

    def parts(self) -> Sequence[Part]:
        """Return subtopic recall and the measure."""
        params = {name: value for name, value in self.params.items() if name != "gamma"}
        return [subtopic_recall(self.cutoff, self.rel), Part(self.form.measure(**params))]

    def combine(self, values: Sequence[np.ndarray], judgements: Judgements) -> np.ndarray:
        """Return the weighted mean of both."""
        return with_recall(self.gamma, *values)


Dsharp_nDCG, Dsharp_Q, DINsharp_nDCG, DINsharp_Q, PplusQsharp = (register(_SharpForm(form)) for form in SHARP_FORMS)
