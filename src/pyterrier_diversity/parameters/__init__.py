"""Parameters, declared once and checked whenever they are given."""

from .declared import ALPHA, CUTOFF, GAIN, GAINS, GRADES, JUDGED_ONLY, LEVEL, MEASURE, REL, REL_FROM_1, TIME_LIMIT
from .parameter import FROM_0, POSITIVE, GainTable, Parameter, Parameters, check_names, check_parameters, checked
