"""Columns of qrels and runs, their strings and their order, and warnings about data."""

from .columns import (
    IMPORTANCE,
    LARGEST_EXACT,
    NO_DOCUMENT,
    OF_NUGGETS,
    PYTERRIER_NAMES,
    QRELS_COLUMNS,
    RUN_COLUMNS,
    by_number,
    column_of,
    exact,
    given_frame,
    given_ranks,
    ids,
    judging_rows,
    kept_strings,
    look_of_columns,
    numbers,
    refuse,
    scores,
    shown,
    strings,
    with_string_ids,
)
from .order import doubtful_order, ranking_order
from .strings import Ids, places
from .warned import Told, collected, give, of_run, once_a_kind, warn
