"""Turn frames of qrels and runs into rankings with judgements, which is all that measures see."""

from .columns import (
    LARGEST_EXACT,
    OF_NUGGETS,
    PYTERRIER_NAMES,
    RUN_COLUMNS,
    by_number,
    column_of,
    exact,
    given_frame,
    given_ranks,
    ids,
    kept_strings,
    look_of_columns,
    numbers,
    refuse,
    scores,
    shown,
    strings,
    with_string_ids,
)
from .entries import Groups, counted
from .grades import Gain, gain_value, relevance_probability
from .judgements import Judgements, Memo, Passages, View
from .kinds import KINDS, checked_kinds, ignoring
from .order import doubtful_order, ranking_order
from .ranked import LARGEST_EXPONENT, LARGEST_GAIN, Order, Ranked, RankedDocuments, ideal
from .reading import IMPORTANCE, NO_DOCUMENT, QRELS_COLUMNS, intents_of_rows, judge, judging_rows
from .relevance import QueryRelevance, relevance_by_query
from .run import Run
from .sessions import Turns
from .strings import Ids, places
from .ties import Ties
from .warned import Message, collected, give, of_run, warn_of_data, warn_user
