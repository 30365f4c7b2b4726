"""Registration of measures with ir_measures, so that their names can be parsed."""

import keyword
import unicodedata
from typing import TypeVar, cast

import ir_measures

from ..parameters import Parameter
from .base import CompositeMeasure, DiversityMeasure, implementations

__all__ = ["register", "registered"]

M = TypeVar("M", bound=DiversityMeasure)


def register(measure: M) -> M:
    """Register a measure with ir_measures, so that its name can be parsed, and return it.

    Registering twice is harmless, and a class that is defined again replaces its earlier definition.

    Raises
    ------
    TypeError
        If ``measure`` is not an object of a subclass of `DiversityMeasure`, a parameter is not a
        `parameters.Parameter`, ``READS`` or ``NEEDS`` is a string instead of a tuple, or `range` does not return two
        numbers, the smaller one first.
    ValueError
        If another class has a measure of that name, or the name cannot be parsed. Also if the measure has parameters
        that differ from the defaults, a default is out of range, or ``VIEW`` is unknown.
    """
    if isinstance(measure, type):
        raise TypeError(f"register: give an object, {measure.__name__}(), not the class.")
    if not isinstance(measure, DiversityMeasure):
        raise TypeError(f"register: {measure!r} is not an object of a subclass of DiversityMeasure.")
    for parameter, declared in measure.SUPPORTED_PARAMS.items():
        if not isinstance(declared, Parameter):
            raise TypeError(f"register: {parameter!r} must be a parameters.Parameter, not {declared!r}.")
        if declared.default is not None:
            declared.check("register", parameter, declared.default)
    for columns in ("READS", "NEEDS"):
        if isinstance(getattr(measure, columns), str):
            raise TypeError(f"register: {columns} must be a tuple, as in ({getattr(measure, columns)!r},).")
    if not isinstance(measure, CompositeMeasure):  # its range is that of its parts
        limits = measure.range()
        are_two = (
            isinstance(limits, tuple) and len(limits) == 2 and all(isinstance(one, (int, float)) for one in limits)
        )
        if not are_two or not limits[0] < limits[1]:
            raise TypeError(f"register: range() must return the smallest and the largest value, not {limits!r}.")
    if measure.VIEW not in ("intents", "ad hoc"):
        raise ValueError(f"register: VIEW must be 'intents' or 'ad hoc', not {measure.VIEW!r}.")
    if measure.params:
        raise ValueError(f"register: give {measure.NAME} without parameters, not {measure}.")
    registry: dict[str, ir_measures.Measure] = ir_measures.measures.registry
    name = str(measure.NAME)
    # Python normalises some letters of names, and reads D#-nDCG as D with a comment.
    normal = unicodedata.normalize("NFKC", name)
    if not name.isidentifier() or keyword.iskeyword(name) or name != normal or name == "D":
        raise ValueError(f"register: {name!r} cannot be parsed as the name of a measure. Choose another NAME.")
    taken = registry.get(name)
    if taken is not None and _class(taken) != _class(measure):
        raise ValueError(f"register: the name {name} is taken by {'.'.join(_class(taken))}. Choose another NAME.")
    implementations[name] = measure
    registry[name] = measure
    return measure


def _class(measure: ir_measures.Measure) -> tuple[str, str]:
    return type(measure).__module__, type(measure).__qualname__


def serve(measure: DiversityMeasure) -> ir_measures.Measure:
    """Let this measure compute the one of ir_measures with the same name, and return the latter."""
    implementations[measure.NAME] = measure
    return cast("ir_measures.Measure", ir_measures.measures.registry[measure.NAME])


def registered() -> list[DiversityMeasure]:
    """Return all measures that this package computes with any parameters, sorted by name."""
    measures = (implementations[name] for name in sorted(implementations, key=str.lower))
    return [measure for measure in measures if measure.serves(measure.params, inside=False)]
