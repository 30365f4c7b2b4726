"""Wrappers that apply any measure to several intents: IA(M), Adhoc(M) and Sharp(M), with its published forms."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Self

import ir_measures
import numpy as np

from ..judged import Judgements
from ..parameters import CUTOFF, MEASURE, Parameter, Parameters, check_names, check_parameters
from .base import CompositeMeasure, DiversityMeasure, Part, implementation
from .d_measures import D_Q, DIN_Q, D_nDCG, DIN_nDCG, PplusQ
from .parse import higher_is_better, parse, value_range
from .registration import register
from .subtopic import StRecall

__all__ = ["IA", "Adhoc", "DINsharp_Q", "DINsharp_nDCG", "Dsharp_Q", "Dsharp_nDCG", "PplusQsharp", "Sharp"]

# How deep IA, Adhoc and Sharp may be nested.
MOST_NESTED = 8


class Wrapper(CompositeMeasure):
    """A measure that wraps another one: ``measure`` is the object, ``params`` has its name.

    ``@k`` replaces the cutoff of the inner measure. Its other parameters are set inside the parentheses.

    Notes
    -----
    :Values: those of M
    """

    READS: tuple[str, ...] = ("those of M",)
    SUPPORTED_PARAMS: Parameters = {**MEASURE, **CUTOFF}

    def __init__(
        self, measure: ir_measures.Measure | str | None = None, *, cutoff: int | None = None, **params: Any
    ) -> None:
        super().__init__(**params)
        self._own = self.params
        self._inner = None if measure is None else self._read(measure, cutoff)
        if self._inner is not None or cutoff is not None or params:
            self.params = {"measure": repr(self.measure), **self._own}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the inner measure itself: parsing its name may give another measure."""
        return partial(type(self), **self._own), (self._inner,)

    def _read(self, measure: ir_measures.Measure | str, cutoff: int | None) -> ir_measures.Measure:
        if cutoff is not None:
            cutoff = self.SUPPORTED_PARAMS["cutoff"].check(self.NAME, "cutoff", cutoff)
        if not isinstance(measure, (ir_measures.Measure, str)):
            raise ValueError(f"{self.NAME}: measure must be a measure such as nDCG @ 20, not {measure!r}.")
        try:
            inner = parse(measure) if isinstance(measure, str) else measure
            inner = inner if cutoff is None else inner @ cutoff
            inner = inner(**{name: each.item() for name, each in inner.params.items() if isinstance(each, np.generic)})
            check_names(inner, inner.params)
            if implementation(inner, inside=True) is None:
                # A measure that requires a cutoff may still get one: IA(P)@10.
                needs_cutoff = "cutoff" in inner.SUPPORTED_PARAMS and "cutoff" not in inner.params
                check_parameters(inner @ 1 if needs_cutoff else inner)
            if _n_wrappers(inner) >= MOST_NESTED:
                # Each name quotes the one inside it, which doubles its length.
                raise ValueError(f"measures must not be nested more than {MOST_NESTED} deep.")
        except ValueError as error:
            raise ValueError(f"{self.NAME}: {error}") from error
        return inner

    @property
    def measure(self) -> ir_measures.Measure:
        """The inner measure; raises a ``ValueError`` if it is missing."""
        if self._inner is None:
            raise ValueError(f"{self.NAME} needs a measure, as in {self.NAME}(nDCG@20).")
        return self._inner

    def __call__(self, measure: ir_measures.Measure | str | None = None, **params: Any) -> Self:
        """Return this wrapper around another measure, or with other parameters."""
        return type(self)(self._inner if measure is None else measure, **{**self._own, **params})

    def __str__(self) -> str:
        """Return the name for tables; only `repr` can be parsed."""
        own = [f"{name}={value!r}" for name, value in self._own.items()]
        return str(self.NAME) if self._inner is None else f"{self.NAME}({','.join([str(self._inner), *own])})"

    def range(self) -> tuple[float, float]:
        # Queries without relevant documents, and those without a ranking, have a value of their own.
        values = (*value_range(self.measure), 0.0, self.measure.DEFAULT)
        return min(values), max(values)

    @property
    def HIGHER_IS_BETTER(self) -> bool:  # type: ignore[override]
        """Whether higher values of the inner measure are better."""
        return self._inner is None or higher_is_better(self._inner)

    def aggregator(self) -> Any:
        """Aggregate queries as the inner measure does."""
        return self.measure.aggregator()


def inside(measure: ir_measures.Measure) -> ir_measures.Measure | None:
    """Return the measure inside `IA`, `Adhoc` or `Sharp`, or None for any other measure."""
    return measure.measure if isinstance(measure, Wrapper) else None


def _n_wrappers(measure: ir_measures.Measure) -> int:
    inner = inside(measure)
    return 0 if inner is None else 1 + _n_wrappers(inner)


def innermost(measure: ir_measures.Measure) -> ir_measures.Measure:
    """Return the measure inside all wrappers."""
    inner = inside(measure)
    return measure if inner is None else innermost(inner)


def last_rank(measure: ir_measures.Measure) -> int | None:
    """Return the last rank that a measure reads in a run without turns, or None for all ranks."""
    inner = innermost(measure)
    cutoff: int | None = inner.params.get("cutoff")
    ours = implementation(inner)
    if cutoff is None or ours is None or not ours.COUNTS_TURNS:
        return cutoff
    return cutoff * int(ours["batch"])


def smallest_relevant(measure: ir_measures.Measure) -> float | None:
    """Return the smallest relevant label, if the measure inside all wrappers names one."""
    inner = innermost(measure)
    ours = implementation(inner)
    rel = inner.params.get("rel") if ours is None else ours.get("rel")
    # For ir_measures' own classes, whose default it is, 1 means every label above 0.
    return None if rel is None or (rel == 1 and ours is None) else float(rel)


RECALL_WEIGHT: Parameters = {"gamma": Parameter(float, 0.5, interval="[0, 1]", desc="weight of subtopic recall")}


class MeanWithRecall(CompositeMeasure):
    """The weighted mean of subtopic recall and another measure: Sakai (2013), Eq. 7."""

    def range(self) -> tuple[float, float]:
        rest = 1 - self.gamma
        low, high = (rest * limit if rest else 0.0 for limit in value_range(self.parts()[1].measure))
        return low, self.gamma + high

    def combine(self, values: Sequence[np.ndarray], judgements: Judgements) -> np.ndarray:
        """Return the weighted mean of both."""
        recall, value = values
        return self.gamma * recall + (1 - self.gamma) * value


def subtopic_recall(cutoff: int | None, rel: float | None) -> Part:
    """Return subtopic recall with the given cutoff and smallest relevant label, if any."""
    return Part(StRecall if cutoff is None else StRecall @ cutoff, rel=rel)


class _IA(Wrapper):
    r"""Compute any measure for each intent separately, and average the values by the intents' weights.

    Intents without a relevant document are ignored, and a query without relevant documents scores 0. With
    ``judged_only=True``, documents that were not judged for an intent are left out for it. With uniform weights,
    ``IA(AP)`` equals ``AP_IA`` and ``IA(P@k)`` equals ``P_IA@k``.

    Notes
    -----
    :Name: Intent-Aware Measure
    :Formula: \sum_t w_t M_t
    :Where: $M_t$ is the value of M with the labels for intent t alone
    :Source: Agrawal et al. (2009); Amigó et al. (2018), Sec. 4.2; Sakai (2013), Eq. 5

    .. cite.dblp:: conf/wsdm/AgrawalGHI09

    Examples
    --------
    >>> from ir_measures import RR
    >>> from pyterrier_diversity import IA, score
    >>> score(IA(RR), [[1, 0], [0, 1]])
    0.75
    """

    READS = ("weight", "those of M")

    def parts(self) -> Sequence[Part]:
        """Return the measure, for each intent."""
        return [Part(self.measure, "each intent", smallest_relevant(self))]

    def combine(self, values: Sequence[np.ndarray], judgements: Judgements) -> np.ndarray:
        """Return the weighted mean over each query's intents."""
        return judgements.view(rel=smallest_relevant(self)).mean_over_intents(values[0])


class _Adhoc(Wrapper):
    r"""Compute any measure as in ad-hoc retrieval, from each document's highest label for any intent.

    Without ``Adhoc``, an ad-hoc measure of ir_measures reads only the last row of each document if the qrels have
    several intents.

    Notes
    -----
    :Name: Ad-hoc Measure
    :Formula: M \text{ of the labels } \max_t g_{it}
    :Source: Amigó et al. (2018), Sec. 6.2
    :Equal to: pytrec_eval, cwl_eval and gdeval, on the ad-hoc qrels of TREC Web tracks

    .. cite.dblp:: conf/sigir/AmigoSC18

    Examples
    --------
    >>> from ir_measures import P
    >>> from pyterrier_diversity import Adhoc, score
    >>> score(Adhoc(P @ 2), [[1, 0], [0, 1]])
    1.0
    """

    def parts(self) -> Sequence[Part]:
        """Return the measure, to be computed from the highest labels."""
        return [Part(self.measure, "ad hoc")]

    def combine(self, values: Sequence[np.ndarray], judgements: Judgements) -> np.ndarray:
        """Return the values as they are."""
        return values[0]


class _Sharp(MeanWithRecall, Wrapper):
    r"""Average subtopic recall and any measure, both at the measure's cutoff: D#-nDCG is Sharp of D-nDCG.

    An ad-hoc measure M of ir_measures is read as ``Adhoc(M)``.

    Raises
    ------
    ValueError
        If the cutoff of the inner measure counts turns: that of subtopic recall counts documents. Also if lower values
        of the inner measure are better.

    Notes
    -----
    :Name: Sharp Measure
    :Formula: \gamma \cdot \text{StRecall} + (1 - \gamma) M
    :Values: [0, 1] if those of M are
    :Source: Sakai (2013), Eq. 7

    .. cite.dblp:: conf/sigir/SakaiS11

    Examples
    --------
    >>> from ir_measures import P
    >>> from pyterrier_diversity import Sharp, score
    >>> score(Sharp(P @ 2), [[1, 0], [1, 0]], others=[[0, 1]])
    0.75
    """

    SUPPORTED_PARAMS = {**MEASURE, **CUTOFF, **RECALL_WEIGHT}

    def _read(self, measure: ir_measures.Measure | str, cutoff: int | None) -> ir_measures.Measure:
        inner = super()._read(measure, cutoff)
        if not higher_is_better(inner):
            raise ValueError(f"{self.NAME}: lower values of {inner} are better, but higher ones of subtopic recall.")
        ours = implementation(innermost(inner))
        if ours is not None and ours.COUNTS_TURNS and "cutoff" in ours.params:
            raise ValueError(f"{self.NAME}: the cutoff of {ours} counts turns, but subtopic recall counts documents.")
        return inner

    def parts(self) -> Sequence[Part]:
        """Return subtopic recall and the measure."""
        recall = subtopic_recall(innermost(self).params.get("cutoff"), smallest_relevant(self))
        return [recall, Part(Adhoc(self.measure) if implementation(self.measure) is None else self.measure)]


class SharpForm(MeanWithRecall):
    """``Sharp`` of one measure, with that measure's parameters."""

    inner: DiversityMeasure

    def __init__(self, **params: Any) -> None:
        self.READS = self.inner.READS
        self.SUPPORTED_PARAMS = {**self.inner.SUPPORTED_PARAMS, **RECALL_WEIGHT}
        super().__init__(**params)

    def parts(self) -> Sequence[Part]:
        """Return subtopic recall and the measure."""
        params = {name: value for name, value in self.params.items() if name != "gamma"}
        return [subtopic_recall(self.cutoff, self.rel), Part(self.inner(**params))]


class _Dsharp_nDCG(SharpForm):
    r"""D#-nDCG: the mean of subtopic recall and D-nDCG.

    Notes
    -----
    :Name: D#-nDCG
    :Formula: \gamma \cdot \text{StRecall} + (1 - \gamma) \cdot \text{D-nDCG}
    :Source: Sakai and Song (2011); Sakai (2013), Eq. 7
    :Equal to: the mean of MSnDCG and I-rec of pyNTCIREVAL, given global gains

    .. cite.dblp:: conf/sigir/SakaiS11
    """

    inner = D_nDCG


class _Dsharp_Q(SharpForm):
    r"""D#-Q: the mean of subtopic recall and D-Q.

    Notes
    -----
    :Name: D#-Q
    :Formula: \gamma \cdot \text{StRecall} + (1 - \gamma) \cdot \text{D-Q}
    :Source: Sakai and Song (2011); Sakai (2013), Eq. 7
    :Equal to: the mean of Q and I-rec of pyNTCIREVAL, given global gains

    .. cite.dblp:: conf/sigir/SakaiS11
    """

    inner = D_Q


class _DINsharp_nDCG(SharpForm):
    r"""DIN#-nDCG: the mean of subtopic recall and DIN-nDCG.

    Notes
    -----
    :Name: DIN#-nDCG
    :Formula: \gamma \cdot \text{StRecall} + (1 - \gamma) \cdot \text{DIN-nDCG}
    :Source: Sakai (2013), Sec. 3.1

    .. cite.dblp:: journals/jip/Sakai13
    """

    inner = DIN_nDCG


class _DINsharp_Q(SharpForm):
    r"""DIN#-Q: the mean of subtopic recall and DIN-Q.

    Notes
    -----
    :Name: DIN#-Q
    :Formula: \gamma \cdot \text{StRecall} + (1 - \gamma) \cdot \text{DIN-Q}
    :Source: Sakai (2013), Sec. 3.1

    .. cite.dblp:: journals/jip/Sakai13
    """

    inner = DIN_Q


class _PplusQsharp(SharpForm):
    r"""P+Q#: the mean of subtopic recall and P+Q.

    Notes
    -----
    :Name: P+Q#
    :Formula: \gamma \cdot \text{StRecall} + (1 - \gamma) \cdot \text{P+Q}
    :Source: Sakai (2013), Sec. 3.2

    .. cite.dblp:: journals/jip/Sakai13
    """

    inner = PplusQ


IA = register(_IA())
Adhoc = register(_Adhoc())
Sharp = register(_Sharp())
Dsharp_nDCG = register(_Dsharp_nDCG())
Dsharp_Q = register(_Dsharp_Q())
DINsharp_nDCG = register(_DINsharp_nDCG())
DINsharp_Q = register(_DINsharp_Q())
PplusQsharp = register(_PplusQsharp())
