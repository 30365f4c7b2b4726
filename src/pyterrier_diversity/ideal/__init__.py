"""Ideal orders of the relevant documents: by worth, greedy, or proven to be optimal."""

from .cover import Covers as Covers
from .discount import Discount as Discount
from .discount import GeometricDiscount as GeometricDiscount
from .discount import log_discount as log_discount
from .discount import reciprocal_discount as reciprocal_discount
from .errors import NotProvenError as NotProvenError
from .errors import naming as naming
from .exact import exact_order as exact_order
from .frames import exact_ranking as exact_ranking
from .frames import greedy_min_rank as greedy_min_rank
from .frames import greedy_ranking as greedy_ranking
from .frames import min_rank as min_rank
from .greedy import TIE as TIE
from .greedy import greedy_places as greedy_places
from .orders import ByWorth as ByWorth
from .orders import Cover as Cover
from .orders import Exact as Exact
from .orders import Greedy as Greedy
from .orders import MostCovering as MostCovering
from .orders import min_ranks as min_ranks
from .orders import n_wanted as n_wanted
