"""Base classes of the measures: checked parameters, names that parse, and who computes which measure of ir_measures."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from inspect import Parameter as Argument
from inspect import Signature
from typing import Any, NamedTuple, Self, cast

import ir_measures
import numpy as np
from ir_measures.providers import FallbackProvider, Provider

from ..arithmetic import divide
from ..judged import Judgements, Order, Ranked, View
from ..parameters import Parameters, check_names, checked
from ..warnings import DataWarning

__all__ = ["CompositeMeasure", "DiversityMeasure", "Normalised", "Part"]


class _Signature:
    """The signature of a measure and of its class, for ``help`` and for Tab, from the declared parameters."""

    def __get__(self, measure: DiversityMeasure | None, owner: type[DiversityMeasure]) -> Signature:
        declared = (owner if measure is None else measure).SUPPORTED_PARAMS
        kinds = {"measure": Argument.POSITIONAL_OR_KEYWORD}
        return Signature(
            [
                Argument(name, kinds.get(name, Argument.KEYWORD_ONLY), default=of.default, annotation=of)
                for name, of in declared.items()
            ]
        )


class DiversityMeasure(ir_measures.Measure):
    """Base class of measures: a declaration and a formula.

    A subclass declares ``SUPPORTED_PARAMS`` and defines `score`. It overrides `range`, ``HIGHER_IS_BETTER``,
    ``VIEW``, ``READS`` and ``NEEDS`` where the defaults do not fit. ``NAME`` is by default the name of the class
    without its leading underscore. Parameters are attributes: ``self.p``. ``cutoff``, ``rel`` and ``judged_only`` are
    applied to the rankings before `score` sees them.

    The reference reads the fields Name, Formula (in LaTeX), Where (what its symbols mean), Values (in words, if they
    depend on parameters), Source and Equal to (the tool with the same values) in the Notes of the docstring or, except
    for the last, of a base class.

    Raises
    ------
    ValueError
        If a parameter is unknown or its value is out of range.
    """

    NAME: str
    SUPPORTED_PARAMS: Parameters = {}
    # Which end of its range is better: gates, marks, reports and pictures follow it.
    HIGHER_IS_BETTER: bool = True
    # How the measure reads the qrels: "ad hoc" for each document's highest label over the intents.
    VIEW: View = "intents"
    # Whether the cutoff counts turns, not documents.
    COUNTS_TURNS: bool = False
    # The optional columns of the qrels that change its values, and those that it requires.
    READS: tuple[str, ...] = ()
    NEEDS: tuple[str, ...] = ()
    # Whether intents without a relevant document count.
    COUNTS_ALL_NAMED: bool = False
    # The order that takes the largest gain at each rank, if it need not be found by trying every document.
    greedy: Order | None = None
    # The order that is optimal at every depth, if it is known before any search.
    optimal: Order | None = None

    __signature__ = _Signature()

    def __init__(self, **params: Any) -> None:
        self.NAME = self.__name__ = self.NAME or type(self).__qualname__.rpartition(".")[2].removeprefix("_")
        check_names(self, params)
        of = self.SUPPORTED_PARAMS
        given = checked(self.NAME, of, **{name: params[name] for name in of if params.get(name) is not None}).items()
        # The values that differ from the defaults, as plain literals in the order of declaration.
        super().__init__(**{name: value for name, value in given if value not in (of[name].default, of[name].none)})
        self.validated = True

    @property
    def PRETTY_NAME(self) -> str:
        """The name in publications, which the docstring has; ir_measures' own measures have it, too."""
        name = re.search(r":Name: (.+)", type(self).__doc__ or "")
        return name[1] if name else self.NAME

    def __repr__(self) -> str:
        """Return the measure as text that `parse` reads."""
        return self._text

    _text = cached_property(ir_measures.Measure.__repr__)

    def __call__(self, *values: Any, **params: Any) -> Self:
        """Return the measure with other values of these parameters, which are given by name."""
        if values:
            of_name = f"give the parameters by name ({', '.join(self.SUPPORTED_PARAMS) or 'this measure has none'})"
            is_cutoff = "cutoff" in self.SUPPORTED_PARAMS and isinstance(values[0], int)
            how = f"to set the cutoff, write {self.NAME}@{values[0]}" if is_cutoff else of_name
            raise TypeError(f"{self.NAME}({', '.join(map(repr, values))}): {how}.")
        return cast("Self", super().__call__(**params))

    def __getattr__(self, name: str) -> Any:
        """Return the value of a parameter."""
        if name != "SUPPORTED_PARAMS" and name in self.SUPPORTED_PARAMS:
            return self[name]
        raise AttributeError(f"{self.NAME} has no attribute or parameter {name!r}.")

    def get(self, name: str) -> Any:
        """Return the value of a parameter, or None if the measure has no such parameter."""
        return self[name] if name in self.SUPPORTED_PARAMS else None

    def serves(self, params: Mapping[str, Any], inside: bool) -> bool:
        """Tell whether this class computes the measure of ir_measures with the same name and these parameters.

        Some measures are computed only inside wrappers.
        """
        return True

    def warning(self, judgements: Judgements) -> DataWarning | None:
        """Return a warning if the qrels probably do not fit the measure, otherwise None."""
        return None

    @abstractmethod
    def score(self, ranked: Ranked) -> np.ndarray:
        """Compute one value for each query.

        Parameters
        ----------
        ranked : Ranked
            The relevant documents that the rankings retrieve, with ``cutoff``, ``rel`` and ``judged_only`` applied.

        Returns
        -------
        ndarray, shape (queries,)
        """

    def range(self) -> tuple[float, float]:
        """Return the smallest and the largest value that is possible: by default any number.

        A value outside is an error. If it is outside by at most 1e-9 (of the limit, where that is above 1), this is
        rounding, and the value becomes the limit.
        """
        return -math.inf, math.inf

    def best(self, depth: int | None, time_limit: float) -> Order | None:
        """Return an order that is proven to be optimal, or None if that cannot be proven for this measure.

        Parameters
        ----------
        depth : int or None
            Number of documents: the cutoff or less; None for any number.
        time_limit : float
            Seconds to search for the best ranking of a query.
        """
        return self.optimal


class ZeroToOne(DiversityMeasure):
    """A measure whose values lie in [0, 1]."""

    def range(self) -> tuple[float, float]:
        return 0.0, 1.0


class FromZero(DiversityMeasure):
    """A measure whose values are not negative."""

    def range(self) -> tuple[float, float]:
        return 0.0, math.inf


class Normalised(DiversityMeasure):
    """A measure that is divided by the value of an ideal ranking."""

    @property
    @abstractmethod
    def normaliser(self) -> Order:
        """The order of the relevant documents in the ideal ranking."""

    @abstractmethod
    def gained(self, ranked: Ranked) -> np.ndarray:
        """Compute the value of each query before it is divided."""

    def score(self, ranked: Ranked) -> np.ndarray:
        return divide(self.gained(ranked), ranked.ideal(self.normaliser).value(self, self.gained))


class Part(NamedTuple):
    """One of the measures that a composite measure combines, and how it reads the qrels."""

    measure: ir_measures.Measure
    view: View = "intents"
    rel: float | None = None


class CompositeMeasure(DiversityMeasure):
    """A measure that combines the values of other measures."""

    @abstractmethod
    def parts(self) -> Sequence[Part]:
        """Return the measures to compute."""

    @abstractmethod
    def combine(self, values: Sequence[np.ndarray], judgements: Judgements) -> np.ndarray:
        """Combine the values of the parts into one value for each query of ``judgements``."""

    def score(self, ranked: Ranked) -> np.ndarray:
        """Not used: `combine` computes the values from those of the parts."""
        raise NotImplementedError


def parts_of(measure: ir_measures.Measure, view: View = "intents") -> Iterator[tuple[View, DiversityMeasure | None]]:
    """Yield how each part of a measure reads the qrels, and this package's implementation of it, if there is one.

    A part inside another part reads the qrels as the outer part reads them.
    """
    ours = implementation(measure)
    if not isinstance(ours, CompositeMeasure):
        yield view, ours
        return
    for part in ours.parts():
        yield from parts_of(part.measure, part.view if view == "intents" else view)


# The measures of this package and of its users, by name. ir_measures has measures of some of these names, too.
implementations: dict[str, DiversityMeasure] = {}


def implementation(measure: ir_measures.Measure, *, inside: bool = False) -> DiversityMeasure | None:
    """Return this package's implementation of ``measure``, which may be ``inside`` a wrapper, or None.

    Raises
    ------
    ValueError
        If a parameter is out of range. (Measures of ir_measures only check types when they are built.)
    """
    if isinstance(measure, DiversityMeasure):
        return measure
    ours, built_in = implementations.get(str(measure.NAME)), ir_measures.measures.registry.get(measure.NAME)
    # A user's own measure with the same name is left alone.
    if ours is None or type(measure) is not type(built_in) or hasattr(measure, "runtime_impl"):
        return None
    return ours(**measure.params) if ours.serves(measure.params, inside) else None


def other_providers() -> FallbackProvider:
    """Return ir_measures' pipeline without the provider of this package."""
    return FallbackProvider([each for each in ir_measures.DefaultPipeline.providers if each.NAME != "diversity"])


def other_provider(measure: ir_measures.Measure) -> Provider | None:
    """Return the other provider of ir_measures that computes a measure, if there is one."""
    return next((each for each in other_providers().providers if each.supports(measure) and each.is_available()), None)


def range_text(low: float, high: float) -> str:
    """Write a range in the usual notation."""
    return f"{'[' if math.isfinite(low) else '('}{low:g}, {high:g}{']' if math.isfinite(high) else ')'}"
