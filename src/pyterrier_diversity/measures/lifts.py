"""Lift any measure to intents: IA(M), Adhoc(M), Sharp(M)."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import ir_measures
import numpy as np

from ..judged import Judgements
from ..parameters import CUTOFF, Parameter, Parameters
from .base import CompositeMeasure, Part, implementation, is_ours, reason, register
from .subtopic import _StRecall


class _Lift(CompositeMeasure):
    """A measure over another one, which stands in ``measure`` as an object and in ``params`` as a string.

    ``@k`` replaces the cutoff of the inner measure; its other parameters belong inside.
    """

    def __init__(
        self, measure: ir_measures.Measure | str | None = None, *, cutoff: int | None = None, **params: Any
    ) -> None:
        super().__init__(**params)
        self._inner = None if measure is None else self._read(measure, cutoff)
        if self._inner is not None:
            self.params = {"measure": repr(self._inner), **self.params}
        elif cutoff is not None or params:
            raise ValueError(self._needs_measure())

    def _needs_measure(self) -> str:
        return f"{self.NAME} needs a measure, as in {self.NAME}(nDCG@20)."

    def _read(self, measure: ir_measures.Measure | str, cutoff: int | None) -> ir_measures.Measure:
        if cutoff is not None:
            cutoff = self.parameters()["cutoff"].check(self.NAME, "cutoff", cutoff)
        try:
            inner = ir_measures.parse_measure(measure) if isinstance(measure, str) else measure
            inner = inner if cutoff is None else inner @ cutoff
            plain = {name: value.item() for name, value in inner.params.items() if isinstance(value, np.generic)}
            inner = inner(**plain)
            if implementation(inner) is None:
                # A measure that cannot do without a cutoff may still be given one: IA(P)@10.
                needs_cutoff = "cutoff" in inner.SUPPORTED_PARAMS and "cutoff" not in inner.params
                (inner @ 1 if needs_cutoff else inner).validate_params()
        except (AssertionError, AttributeError, KeyError, NameError, TypeError, ValueError) as error:
            name = measure if isinstance(measure, str) else getattr(measure, "NAME", measure)
            raise ValueError(
                f"{self.NAME}: {name!r} is no measure that ir_measures can read: {reason(error)}."
            ) from error
        return inner

    @property
    def measure(self) -> ir_measures.Measure:
        """The inner measure; a ``ValueError`` if there is none."""
        if self._inner is None:
            raise ValueError(self._needs_measure())
        return self._inner

    @property
    def rel(self) -> float | None:
        """The smallest relevant label, if the innermost measure names one."""
        rel = innermost(self).params.get("rel")
        return None if rel is None else float(rel)

    def __call__(self, measure: ir_measures.Measure | str | None = None, **params: Any) -> _Lift:
        """Return this lift over another measure, or with other parameters."""
        own = {name: value for name, value in self.params.items() if name != "measure"}
        return type(self)(self._inner if measure is None else measure, **{**own, **params})

    def __str__(self) -> str:
        """Return what tables show; `repr` is what parses."""
        own = [f"{name}={value!r}" for name, value in self.params.items() if name != "measure"]
        return str(self.NAME) if self._inner is None else f"{self.NAME}({','.join([str(self._inner), *own])})"

    def aggregator(self) -> Any:
        """Aggregate queries as the inner measure does."""
        return self.measure.aggregator()


def lifted(measure: ir_measures.Measure) -> ir_measures.Measure | None:
    """Return the measure that a lift is over; None if it is no lift."""
    return measure.measure if isinstance(measure, _Lift) else None


def innermost(measure: ir_measures.Measure) -> ir_measures.Measure:
    """Return the measure inside of all lifts."""
    inner = lifted(measure)
    return measure if inner is None else innermost(inner)


MEASURE: Parameters = {"measure": Parameter(str, desc="the measure to lift: an object, or its name as a string")}


GAMMA: Parameters = {"gamma": Parameter(float, 0.5, interval="[0, 1]", desc="share of subtopic recall")}


def with_recall(gamma: float, recall: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Return the mean of subtopic recall and another value: Sakai (2013), Eq. 7."""
    return gamma * recall + (1 - gamma) * value


class _IA(_Lift):
    """Any measure computed for each intent alone, and averaged by the intents' weights.

    A document without a judgement for an intent is unjudged for it. Intents without a relevant document are left out,
    and a query without any other scores 0. ``IA(AP)`` equals ``AP_IA`` and ``IA(P@k)`` equals ``P_IA@k`` where weights
    are uniform.

    .. cite.dblp:: conf/wsdm/AgrawalGHI09
    """

    NAME = __name__ = "IA"
    PRETTY_NAME = "Intent-Aware Measure"
    SHORT_DESC = "Any measure, for each intent alone, averaged by the intents' weights."
    FORMULA = "sum_t w_t M_t"
    SOURCE = "Agrawal et al. (2009); Amigó et al. (2018), Sec. 4.2; Sakai (2013), Eq. 5"
    EXAMPLE = "IA(nDCG)"
    RANGE = "that of M"
    READS = ("weight", "those of M")
    SUPPORTED_PARAMS = {**MEASURE, **CUTOFF}

    def parts(self) -> Sequence[Part]:
        """Return the measure, for each intent."""
        return [Part(self.measure, "each intent", self.rel)]

    def combine(self, values: Sequence[np.ndarray], judgements: Judgements) -> np.ndarray:
        """Return the weighted mean over each query's intents."""
        return judgements.view(rel=self.rel).mean_over_intents(values[0])


class _Adhoc(_Lift):
    """Any measure over each document's highest label for any intent: an ad-hoc measure in the same table.

    On qrels of several intents a bare ad-hoc measure of ir_measures sees only the last row of each document.

    .. cite.dblp:: conf/sigir/AmigoSC18
    """

    NAME = __name__ = "Adhoc"
    PRETTY_NAME = "Ad-hoc Measure"
    SHORT_DESC = "Any measure over each document's highest label for any intent."
    FORMULA = "M under r(d) = max_t g(d, t)"
    SOURCE = "Amigó et al. (2018), Sec. 6.2"
    EQUALS = "pytrec_eval, cwl_eval and gdeval, on the ad-hoc qrels of TREC Web tracks"
    EXAMPLE = "Adhoc(nDCG)"
    RANGE = "that of M"
    READS = ("those of M",)
    SUPPORTED_PARAMS = {**MEASURE, **CUTOFF}

    def parts(self) -> Sequence[Part]:
        """Return the measure, over the highest labels."""
        return [Part(self.measure, "ad hoc")]

    def combine(self, values: Sequence[np.ndarray], judgements: Judgements) -> np.ndarray:
        """Return the values as they are."""
        return values[0]


class _Sharp(_Lift):
    """The mean of subtopic recall and any measure, at the measure's cutoff: D#-nDCG is Sharp of D-nDCG.

    An ad-hoc measure of ir_measures is read as ``Adhoc(M)``.

    .. cite.dblp:: conf/sigir/SakaiS11
    """

    NAME = __name__ = "Sharp"
    PRETTY_NAME = "Sharp Measure"
    SHORT_DESC = "Subtopic recall and any measure, averaged."
    FORMULA = "gamma StRecall@k + (1 - gamma) M"
    SOURCE = "Sakai (2013), Eq. 7"
    EXAMPLE = "Sharp(nDCG)"
    RANGE = "[0, 1] if that of M is"
    READS = ("those of M",)
    SUPPORTED_PARAMS = {
        **MEASURE,
        **CUTOFF,
        **GAMMA,
    }

    def parts(self) -> Sequence[Part]:
        """Return subtopic recall and the measure."""
        recall = _StRecall(cutoff=innermost(self).params.get("cutoff"), rel=self.rel)
        return [Part(recall), Part(self.measure if is_ours(self.measure) else Adhoc(self.measure))]

    def combine(self, values: Sequence[np.ndarray], judgements: Judgements) -> np.ndarray:
        """Return the weighted mean of both."""
        return with_recall(self["gamma"], *values)


IA = register(_IA())
Adhoc = register(_Adhoc())
Sharp = register(_Sharp())


def parse(text: str) -> ir_measures.Measure:
    """Read a measure as ``ir_measures.parse_measure`` does, or as a table shows it: ``IA(nDCG@20)``.

    Parameters
    ----------
    text : str
        What `repr` or `str` of a measure gives.

    Raises
    ------
    ValueError
        If there is no such measure, or it does not take these parameters.

    Examples
    --------
    >>> parse("Sharp(alpha_nDCG@20, gamma=0.3)")
    Sharp(measure='alpha_nDCG@20',gamma=0.3)
    """
    try:
        call: ast.expr = ast.parse(text.strip(), mode="eval").body
        cutoff = {}
        if isinstance(call, ast.BinOp) and isinstance(call.op, ast.MatMult):
            cutoff = {"cutoff": ast.literal_eval(call.right)}
            call = call.left
        if isinstance(call, ast.Call) and len(call.args) == 1:
            lift = ir_measures.parse_measure(ast.unparse(call.func))
            if isinstance(lift, _Lift):
                own = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
                return lift(parse(ast.unparse(call.args[0])), **own, **cutoff)
        measure = ir_measures.parse_measure(text.strip())
        unknown = sorted(measure.params.keys() - measure.SUPPORTED_PARAMS.keys())
        if unknown:  # ir_measures fails to print such a measure
            raise TypeError(f"{measure.NAME} has no parameter {', '.join(unknown)}")
        return measure
    except (AttributeError, NameError, SyntaxError, TypeError, ValueError) as error:
        if isinstance(error, ValueError) and str(error).endswith("."):  # ours, of a parameter
            raise
        raise ValueError(f"{text!r} is no measure that ir_measures can read: {reason(error)}{_near(text)}.") from error


def _near(text: str) -> str:
    """Return the name that may be meant, if a text begins with a name which is none of a measure."""
    known = {name.lower(): name for name in ir_measures.measures.registry}
    name = re.split(r"\W", text.strip(), maxsplit=1)[0]
    alike = [] if name in known.values() else get_close_matches(name.lower(), known, n=1)
    return "".join(f"; perhaps {known[one]} is meant" for one in alike)


def read_measure(who: str, measure: Any) -> ir_measures.Measure:
    """Return a measure that is given as an object or as a string."""
    if isinstance(measure, str):
        return parse(measure)
    if not isinstance(measure, ir_measures.Measure):
        raise TypeError(f"{who}: a measure must be an object such as RBU @ 20, or its name, not {measure!r}.")
    return measure


def read_measures(who: str, measures: Any) -> list[ir_measures.Measure]:
    """Return measures, of which there may be one or several, given as objects or as strings."""
    several = [measures] if isinstance(measures, (ir_measures.Measure, str)) else measures
    return [read_measure(who, measure) for measure in several]
