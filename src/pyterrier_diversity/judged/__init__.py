"""Turn frames of qrels and runs into rankings with judgements, which is all that measures see."""

from .entries import Groups
from .grades import Gain, gain_value, relevance_probability
from .judgements import Judgements, Memo, Passages, View, take
from .ranked import LARGEST_EXPONENT, LARGEST_GAIN, Order, Ranked, RankedDocuments, ideal
from .reading import intents_of_rows, judge
from .relevance import QueryRelevance, relevance_by_query
from .run import Run
from .ties import tied_across
from .turns import Turns, turns_of
