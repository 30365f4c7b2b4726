"""Search result diversity in PyTerrier: measures, datasets and methods, registered by importing this package."""

from .measures import (
    AP_IA,
    ERR,
    ERR_IA,
    IA,
    NRBP,
    P_IA,
    RBU,
    Adhoc,
    DiversityMeasure,
    Sharp,
    StRecall,
    alpha_DCG,
    alpha_nDCG,
    nERR_IA,
    nNRBP,
    register,
)
from .provider import register_provider

__version__ = "0.1.0"

__all__ = [
    "AP_IA",
    "ERR",
    "ERR_IA",
    "IA",
    "NRBP",
    "P_IA",
    "RBU",
    "Adhoc",
    "DiversityMeasure",
    "Sharp",
    "StRecall",
    "__version__",
    "alpha_DCG",
    "alpha_nDCG",
    "nERR_IA",
    "nNRBP",
    "register",
]

register_provider()
