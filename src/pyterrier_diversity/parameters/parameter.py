"""A parameter: its type, its default and its range, and the checks of values."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import ir_measures


class GainTable(Mapping[float, float]):
    """The value of each label: a mapping that is hashable and written as a literal, in the order of the labels.

    Examples
    --------
    >>> GainTable({2: 10, 1: 0.5})
    {1:0.5,2:10}
    """

    def __init__(self, gains: Mapping[float, float]) -> None:
        self._gains = {float(label): float(gains[label]) for label in sorted(gains)}

    def __getitem__(self, label: float) -> float:
        """Return the value of a label."""
        return self._gains[label]

    def __iter__(self) -> Iterator[float]:
        """Iterate over the labels, the smallest first."""
        return iter(self._gains)

    def __len__(self) -> int:
        """Return the number of labels."""
        return len(self._gains)

    def __hash__(self) -> int:
        """Hash labels and values."""
        return hash(tuple(self._gains.items()))

    def __repr__(self) -> str:
        """Return a literal as ir_measures writes dicts, without spaces."""
        pairs = (f"{_written(label)}:{_written(gain)}" for label, gain in self._gains.items())
        return f"{{{','.join(pairs)}}}"


def _written(number: float) -> str:
    return repr(number).removesuffix(".0")


@dataclass(eq=False, repr=False)
class Parameter:
    """A parameter with its type, default and range, as ir_measures' ``ParamInfo``, which has no ranges.

    Parameters
    ----------
    dtype : type
        ``float``, ``int``, ``bool`` or ``str``. A float may be given as an integer or a numpy scalar.
    default : object, optional
        The default value; None means that the parameter may be omitted.
    interval : str, optional
        Range of a number, in the usual notation: "[0, 1]", "(0, 1]", "[1, inf)".
    choices : tuple, optional
        All values that are allowed; for a number, those allowed outside the interval.
    table : str, optional
        If a table of labels is allowed instead: the range of its values, as for ``interval``.
    none : object, optional
        A value that means the same as omitting the parameter.
    desc : str, optional
        A description in a few words, for the reference of measures.
    """

    dtype: type
    default: Any = None
    _: KW_ONLY
    interval: str = "(-inf, inf)"
    choices: tuple[Any, ...] = ()
    table: str = ""
    none: Any = None
    desc: str = ""

    def __repr__(self) -> str:
        """Return the allowed values, as signatures show them."""
        return self.range

    @property
    def range(self) -> str:
        """The allowed values, in words."""
        if self.dtype is bool:
            return "True or False"
        allowed = ", ".join(map(repr, self.choices))
        if self.dtype is str:
            several = f"one of {allowed}" if allowed else "a measure"
            table = f", or a dict of labels above 0 to values in {self.table} that never fall"
            return f"{several}{table if self.table else ''}"
        number = f"{'an integer' if self.dtype is int else 'a number'} in {self.interval}"
        return f"{number} or {allowed}" if allowed else number

    def check(self, who: str, name: str, value: Any) -> Any:
        """Return ``value`` as a plain literal, or raise a ``ValueError`` that starts with ``who``."""
        plain = _plain(value)
        if self.table and isinstance(plain, Mapping):
            plain = {_plain(label): _plain(gain) for label, gain in plain.items()}
            if self._is_table(plain):
                return GainTable(plain)
        if self.dtype in (int, float) and _is_number(plain):
            if _contains(self.interval, plain) and (self.dtype is float or plain == int(plain)):
                return self.dtype(plain) + 0  # -0.0 would not parse
        elif isinstance(plain, bool if self.dtype is bool else str) and (self.dtype is bool or plain in self.choices):
            return plain
        raise ValueError(f"{who}: {name} must be {self.range}, not {value!r}.")

    def check_each(self, who: str, name: str, values: Any) -> list[Any]:
        """Return the different ``values`` as plain literals, or raise an error that starts with ``who``.

        This is a ``TypeError`` if ``values`` is not a collection, and a ``ValueError`` if it is empty or one of them is
        out of range.
        """
        if isinstance(values, str) or not isinstance(values, Iterable):
            kind = {int: "integers", float: "numbers"}.get(self.dtype, "names")
            raise TypeError(f"{who}: {name} must be a list of {kind}, not {values!r}.")
        each = list(dict.fromkeys(self.check(who, name, value) for value in values))
        if not each:
            raise ValueError(f"{who}: {name} must not be empty.")
        return each

    def _is_table(self, table: Mapping[Any, Any]) -> bool:
        """Tell whether labels and values are numbers in range, and values do not fall."""
        if not table or not all(_is_number(number) for item in table.items() for number in item):
            return False
        gains = [table[label] for label in sorted(table)]
        in_range = all(_contains("(0, inf)", label) and _contains(self.table, table[label]) for label in table)
        return in_range and gains == sorted(gains)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _contains(interval: str, value: float) -> bool:
    low, high = (float(bound) for bound in interval[1:-1].split(","))
    above = value > low or (value == low and interval[0] == "[")
    below = value < high or (value == high and interval[-1] == "]")
    return bool(abs(value) <= sys.float_info.max and above and below)


# Objects of `Parameter`, which ir_measures' annotation takes for its own class.
Parameters = dict[str, Any]
# Larger factors could make sums infinite.
FROM_0 = "[0, 1e100]"
POSITIVE = "(0, 1e100]"


def checked(who: str, declared: Parameters, /, **values: Any) -> dict[str, Any]:
    """Return values as plain literals, the default for None, or raise a ``ValueError`` that starts with ``who``."""
    return {
        name: declared[name].default if value is None else declared[name].check(who, name, value)
        for name, value in values.items()
    }


def check_names(measure: ir_measures.Measure, given: Iterable[str]) -> None:
    """Raise a ``ValueError`` for parameters that a measure does not have."""
    unknown = sorted(set(given) - measure.SUPPORTED_PARAMS.keys())
    if unknown:
        raise ValueError(
            f"{measure.NAME} has no parameter {', '.join(map(repr, unknown))}; its parameters: "
            f"{', '.join(measure.SUPPORTED_PARAMS) or 'none'}."
        )


def check_parameters(measure: ir_measures.Measure) -> None:
    """Raise a ``ValueError`` for parameters that ir_measures checks by ``assert``, which ``-O`` removes, or not at all.

    Outside their ranges, its providers end the process, raise errors of their own or compute nonsense.
    """
    check_names(measure, measure.params)
    is_theirs = type(measure).__module__.startswith("ir_measures.")
    for name, parameter in measure.SUPPORTED_PARAMS.items():
        if name not in measure.params:
            if parameter.required:
                raise ValueError(f"{measure.NAME}: the parameter {name} is missing.")
        elif not parameter.validate(measure.params[name]):
            kinds = {bool: "True or False", int: "an integer", float: "a float such as 1.0", dict: "a dict"}
            allowed = kinds.get(parameter.dtype, f"one of {parameter.choices}")
            raise ValueError(f"{measure.NAME}: {name} must be {allowed}, not {measure.params[name]!r}.")
        elif name in OF_IR_MEASURES and (is_theirs or name == "cutoff"):
            OF_IR_MEASURES[name].check(str(measure.NAME), name, measure.params[name])
        elif name == "gains" and is_theirs:
            for number in chain(*measure.params[name].items()):
                LABEL.check(str(measure.NAME), "each label and gain in gains", number)
    if is_theirs and "max_rel" in measure.params and measure["min_rel"] >= measure["max_rel"]:
        raise ValueError(f"{measure}: min_rel must be below max_rel.")


# pytrec_eval allocates a counter for each label and gain up to the largest.
LABEL = Parameter(int, interval="[0, 1048576]")
# The ranges of the parameters of ir_measures' own classes, which have none.
OF_IR_MEASURES: Parameters = {
    **{name: Parameter(int, interval="[1, inf)") for name in ("cutoff", "rel", "max_rel")},
    **{name: Parameter(float, interval="[0, 1]") for name in ("p", "recall")},
    "min_rel": Parameter(int, interval="[0, inf)"),
    "beta": Parameter(float, interval="[0, inf)"),
    "T": Parameter(float, interval="(0, 1e100]"),
}
