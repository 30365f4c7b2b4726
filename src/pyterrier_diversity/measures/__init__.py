"""The measures: one class for each, in the module of its family. Importing a module registers what it holds."""

from .base import CompositeMeasure, DiversityMeasure, Part, register, registered
from .cascade import ERR_IA, NRBP, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP
from .err import ERR
from .intent_aware import AP_IA, P_IA, StRecall
from .lifts import IA, Adhoc, Sharp, parse
from .rbu import RBU

__all__ = [
    "AP_IA",
    "ERR",
    "ERR_IA",
    "IA",
    "NRBP",
    "P_IA",
    "RBU",
    "Adhoc",
    "CompositeMeasure",
    "DiversityMeasure",
    "Part",
    "Sharp",
    "StRecall",
    "alpha_DCG",
    "alpha_nDCG",
    "nERR_IA",
    "nNRBP",
    "parse",
    "register",
    "registered",
]
