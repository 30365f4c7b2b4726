"""Columns of qrels and runs, their strings and their order, and warnings about data."""

from .columns import (
    IMPORTANCE,
    NO_DOCUMENT,
    PLACEHOLDER,
    PYTERRIER_NAMES,
    QRELS_COLUMNS,
    RUN_COLUMNS,
    Columns,
    by_number,
    column_of,
    of_documents,
)
from .doubts import Doubts
from .given import given_frame, refuse_read
from .numbers import LARGEST_EXACT, exact, label_of, number_of
from .order import RankedRows, in_order
from .strings import Ids, places
from .warned import Told, collected, give, listed, merged, of_run, once_a_kind, pending, warn
