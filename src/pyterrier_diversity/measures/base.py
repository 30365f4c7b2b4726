"""Base classes of the measures: checked parameters, names that parse, registration with ir_measures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import ir_measures
import numpy as np

from ..arithmetic import divide
from ..judged import Judgements, Order, Ranked, View
from ..parameters import Parameter, Parameters
from .names import check_names

if TYPE_CHECKING:
    from typing_extensions import Self

M = TypeVar("M", bound=ir_measures.Measure)


class DiversityMeasure(ir_measures.Measure):
    """Base class of measures: a declaration and a formula.

    A subclass declares ``NAME``, ``PRETTY_NAME``, ``FORMULA``, ``SOURCE`` and ``SUPPORTED_PARAMS``, and defines
    `score`. It overrides ``RANGE``, ``VIEW``, ``READS`` and ``NEEDS`` where the defaults do not fit. Parameters are
    attributes: ``self.p``. ``cutoff``, ``rel`` and ``judged_only`` are applied to the rankings before `score` sees
    them.

    Raises
    ------
    ValueError
        If a parameter is unknown or its value is out of range.
    """

    NAME: str
    PRETTY_NAME: str
    # LaTeX. WHERE explains the symbols that the reference does not explain for all measures: text with $formulas$.
    FORMULA: str
    WHERE: str = ""
    SOURCE: str
    SUPPORTED_PARAMS: Parameters = {}
    # The possible values; bounds may be expressions of parameters.
    RANGE: str = "[0, 1]"
    # The tool with the same values, as a module of tests/golden shows; not inherited.
    EQUALS: str = ""
    # An example to show, if the measure itself has a required parameter.
    EXAMPLE: str = ""
    # How the measure reads the qrels: "ad hoc" for each document's highest label over the intents.
    VIEW: View = "intents"
    # Whether the cutoff counts turns, not documents.
    COUNTS_TURNS: bool = False
    # The optional columns of the qrels that change its values, and those that it requires.
    READS: tuple[str, ...] = ()
    NEEDS: tuple[str, ...] = ()
    # Whether intents without a relevant document count.
    COUNTS_ALL_NAMED: bool = False

    def __init__(self, **params: Any) -> None:
        super().__init__(**self._checked(params))
        self.validated = True

    def _checked(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return the values that differ from the defaults, as plain literals in the order of declaration."""
        declared = self.parameters()
        check_names(self, params)
        checked = {
            name: parameter.check(self.NAME, name, params[name])
            for name, parameter in declared.items()
            if params.get(name) is not None
        }
        return {
            name: value
            for name, value in checked.items()
            if value != declared[name].fallback and value != declared[name].none
        }

    def parameters(self) -> dict[str, Parameter]:
        """Return the declared parameters."""
        return cast("dict[str, Parameter]", self.SUPPORTED_PARAMS)

    def __call__(self, **params: Any) -> Self:
        """Return the measure with other values of these parameters."""
        return cast("Self", super().__call__(**params))

    def __getitem__(self, name: str) -> Any:
        """Return the value of a parameter, or None if it is not set and has no default."""
        return self.params.get(name, self.parameters()[name].fallback)

    def __getattr__(self, name: str) -> Any:
        """Return the value of a parameter."""
        if name != "SUPPORTED_PARAMS" and name in self.SUPPORTED_PARAMS:
            return self[name]
        raise AttributeError(f"{type(self).__name__} has no attribute or parameter {name!r}.")

    def get(self, name: str) -> Any:
        """Return the value of a parameter, or None if the measure has no such parameter."""
        return self[name] if name in self.SUPPORTED_PARAMS else None

    def serves(self, params: Mapping[str, Any]) -> bool:
        """Tell whether this class computes the measure of ir_measures with the same name and these parameters."""
        return True

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

    @property
    def greedy(self) -> Order | None:
        """The order that takes the largest gain at each rank, or None if every document must be tried."""
        return None

    def best(self, depth: int | None, time_limit: float) -> Order | None:
        """Return an order that is proven to be optimal, or None if that cannot be proven for this measure.

        Parameters
        ----------
        depth : int or None
            Number of documents: the cutoff or less; None for any number.
        time_limit : float
            Seconds to search for the best ranking of a query.
        """
        return None


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
        return divide(self.gained(ranked), ranked.normalised_by(self).value(self, self.gained))


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


_implementations: dict[str, DiversityMeasure] = {}


def register(measure: M) -> M:
    """Register a measure with ir_measures, and return the object to export.

    If ir_measures already has a measure of that name, ``measure`` computes it from now on, and that object is returned.
    Registering twice is harmless.
    """
    registry = cast("dict[str, M]", ir_measures.measures.registry)
    name = str(measure.NAME)
    _implementations[name] = cast("DiversityMeasure", measure)
    if isinstance(registry.get(name, measure), DiversityMeasure):
        registry[name] = measure
    return registry[name]


def registered() -> list[DiversityMeasure]:
    """Return all measures that this package computes with any parameters, sorted by name."""
    measures = (_implementations[name] for name in sorted(_implementations, key=str.lower))
    return [measure for measure in measures if measure.serves(measure.params)]


def implementation(measure: ir_measures.Measure) -> DiversityMeasure | None:
    """Return this package's implementation of ``measure``, or None.

    Raises
    ------
    ValueError
        If a parameter is out of range. (Measures of ir_measures only check types when they are built.)
    """
    if isinstance(measure, DiversityMeasure):
        return measure
    if not is_ours(measure):
        return None
    return _implementations[str(measure.NAME)](**measure.params)


def is_ours(measure: ir_measures.Measure) -> bool:
    """Tell whether this package computes a measure. A user's own measure with the same name is left alone."""
    if isinstance(measure, DiversityMeasure):
        return True
    ours = _implementations.get(str(measure.NAME))
    built_in = ir_measures.measures.registry.get(measure.NAME)
    if ours is None or type(measure) is not type(built_in) or hasattr(measure, "runtime_impl"):
        return False
    return ours.serves(measure.params)
