"""What all measures share: parameters that are checked, names that parse, and a place in ir_measures' registry."""

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
    """A measure that this package computes: a declaration and its formula.

    A subclass declares ``NAME``, ``PRETTY_NAME``, ``FORMULA``, ``SOURCE``, ``SUPPORTED_PARAMS`` and what differs from
    the defaults of ``RANGE``, ``VIEW``, ``READS`` and ``NEEDS``, and defines `score`. A parameter is an attribute:
    ``self.p``. The parameters ``cutoff``, ``rel`` and ``judged_only`` are applied to the rankings before `score` sees
    them.

    Raises
    ------
    ValueError
        When it is built with a parameter that it does not have, or with a value out of range.
    """

    NAME: str
    PRETTY_NAME: str
    # In LaTeX. WHERE explains the symbols that the reference does not explain for all, in words with $formulas$.
    FORMULA: str
    WHERE: str = ""
    SOURCE: str
    SUPPORTED_PARAMS: Parameters = {}
    # The values that it can have; bounds may be expressions of parameters.
    RANGE: str = "[0, 1]"
    # Whose values it equals, as a module of tests/golden shows; it is not inherited.
    EQUALS: str = ""
    # A measure to show in its place where it cannot be computed without a parameter.
    EXAMPLE: str = ""
    # What of the qrels the measure reads: "ad hoc" for each document's highest label over the intents.
    VIEW: View = "intents"
    # Whether its cutoff is a number of turns, not of documents.
    COUNTS_TURNS: bool = False
    # The optional columns of the qrels that change its values, and those that it cannot be computed without.
    READS: tuple[str, ...] = ()
    NEEDS: tuple[str, ...] = ()
    # Whether intents count that no document is relevant to.
    COUNTS_ALL_NAMED: bool = False

    def __init__(self, **params: Any) -> None:
        super().__init__(**self._checked(params))
        self.validated = True

    def _checked(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return plain values in the order of the declaration, defaults left out."""
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
        """Return the value of a parameter; None if it is not given and has no default."""
        return self.params.get(name, self.parameters()[name].fallback)

    def __getattr__(self, name: str) -> Any:
        """Return the value of a parameter."""
        if name != "SUPPORTED_PARAMS" and name in self.SUPPORTED_PARAMS:
            return self[name]
        raise AttributeError(f"{type(self).__name__} has no attribute or parameter {name!r}.")

    def get(self, name: str) -> Any:
        """Return the value of a parameter; None also if the measure has no such parameter."""
        return self[name] if name in self.SUPPORTED_PARAMS else None

    def serves(self, params: Mapping[str, Any]) -> bool:
        """Tell whether it computes ir_measures' measure of its name with these parameters; others are another's."""
        return True

    @abstractmethod
    def score(self, ranked: Ranked) -> np.ndarray:
        """Compute one value for each query.

        Parameters
        ----------
        ranked : Ranked
            What rankings found, with ``cutoff``, ``rel`` and ``judged_only`` applied.

        Returns
        -------
        ndarray, shape (queries,)
        """

    @property
    def greedy(self) -> Order | None:
        """The order that takes the largest gain at each rank, where there is a faster way than to try all documents."""
        return None

    def best(self, depth: int | None, time_limit: float) -> Order | None:
        """Return the order that is proven to be best, for measures with which that can be proven.

        Parameters
        ----------
        depth : int or None
            Number of documents: the cutoff, or less; None for any number.
        time_limit : float
            Seconds to search for the best ranking of a query.
        """
        return None


class Normalised(DiversityMeasure):
    """A measure that is divided by its value of another ranking, an order of the relevant documents."""

    @property
    @abstractmethod
    def normaliser(self) -> Order:
        """The order of the ranking that it is divided by its value of."""

    @abstractmethod
    def gained(self, ranked: Ranked) -> np.ndarray:
        """Compute the value that is divided by that of the other ranking, for each query."""

    def score(self, ranked: Ranked) -> np.ndarray:
        """Compute one value for each query."""
        return divide(self.gained(ranked), ranked.normalised_by(self).value(self, self.gained))


class Part(NamedTuple):
    """A measure that another one is made of, and how it reads the qrels."""

    measure: ir_measures.Measure
    view: View = "intents"
    rel: float | None = None


class CompositeMeasure(DiversityMeasure):
    """A measure made of other measures: it names its parts, and combines their values."""

    @abstractmethod
    def parts(self) -> Sequence[Part]:
        """Return the measures to compute."""

    @abstractmethod
    def combine(self, values: Sequence[np.ndarray], judgements: Judgements) -> np.ndarray:
        """Return one value for each query of ``judgements`` from the values of the parts."""

    def score(self, ranked: Ranked) -> np.ndarray:
        """Not used: the values of the parts are combined instead."""
        raise NotImplementedError


_implementations: dict[str, DiversityMeasure] = {}


def register(measure: M) -> M:
    """Make a measure known to ir_measures, and return what users should hold.

    That is ``measure``; or, where ir_measures has a measure of that name, ir_measures' own, which keeps its meaning and
    is computed by ``measure`` from now on. Registering twice is harmless.
    """
    registry = cast("dict[str, M]", ir_measures.measures.registry)
    name = str(measure.NAME)
    _implementations[name] = cast("DiversityMeasure", measure)
    if isinstance(registry.get(name, measure), DiversityMeasure):
        registry[name] = measure
    return registry[name]


def registered() -> list[DiversityMeasure]:
    """Return all measures that this package computes, by name; not those that it computes with some parameters only."""
    measures = (_implementations[name] for name in sorted(_implementations, key=str.lower))
    return [measure for measure in measures if measure.serves(measure.params)]


def implementation(measure: ir_measures.Measure) -> DiversityMeasure | None:
    """Return this package's implementation of ``measure``, or None.

    Raises
    ------
    ValueError
        If ``measure`` is a class of ir_measures, which checks types only, and a parameter is out of range.
    """
    if isinstance(measure, DiversityMeasure):
        return measure
    if not is_ours(measure):
        return None
    return _implementations[str(measure.NAME)](**measure.params)


def is_ours(measure: ir_measures.Measure) -> bool:
    """Tell whether this package computes a measure; one that a user defined under the same name is the user's."""
    if isinstance(measure, DiversityMeasure):
        return True
    ours = _implementations.get(str(measure.NAME))
    built_in = ir_measures.measures.registry.get(measure.NAME)
    if ours is None or type(measure) is not type(built_in) or hasattr(measure, "runtime_impl"):
        return False
    return ours.serves(measure.params)
