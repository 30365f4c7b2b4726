"""Ideal orders of the relevant documents: by worth, greedy, or proven to be optimal."""

from .cover import Covers
from .discount import Discount, GeometricDiscount, log_discount, n_terms, reciprocal_discount
from .exact import NotProvenError, exact_order, naming
from .frames import min_rank
from .greedy import TIE, greedy_places
from .orders import IDEAL, ByWorth, Exact, Greedy, MostCovering, min_ranks, n_wanted

__all__ = ["ByWorth", "Exact", "Greedy", "NotProvenError", "min_rank"]
