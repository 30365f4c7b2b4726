"""The measures: one class each, in the module of its family. Importing a module registers its measures.

The imports are written by ``python tests/write_exports.py``.
"""

from .alpha_dcg import (
    ERR_IA,
    NRBP,
    NRBP_IA,
    alpha_DCG,
    alpha_DCG_IA,
    alpha_nDCG,
    alpha_nDCG_exact,
    alpha_nDCG_IA,
    nERR_IA,
    nNRBP,
)
from .base import CompositeMeasure, DiversityMeasure, Normalised, Part, register, registered
from .composite import IA, Adhoc, Sharp
from .cube_test import ACT, CT, CT_rank, nCT
from .d_measures import D_Q, DIN_Q, D_nDCG, DIN_nDCG, EfP
from .err import ERR
from .groups import CARTERETTE, CRUX, FRESHSTACK, NDEVAL, NTCIR_INTENT, NUGGETS, RBU18_OFFICIAL, grid, signature
from .intent_aware import AP_IA, P_IA, nP_IA
from .nugget_scores import NuggetScore
from .parse import parse
from .preferences import ConcordantPairs
from .q_measure import Pplus, PplusQ, Q
from .rareness import AP_Rareness, P_Rareness, RBP_Rareness, nDCG_Rareness
from .rbu import RBU
from .session import EU_DD, SessionDCG, nSessionDCG
from .sharp import DINsharp_nDCG, DINsharp_Q, Dsharp_nDCG, Dsharp_Q, PplusQsharp
from .subtopic import SRR, Coverage, MRecall, SPrecision, StRecall, StRecallMinRank
from .trec_dd_2015 import ERR_arith, ERR_harm, P_at_Recall, P_at_Recall_mod, RR_at_Recall
from .user_models import ARR, CDG, DAG, DCG, EPR, RAP, RBAP, RBTR, RRAP, RRG, RRR, RRTR, UserModel
from .utility import EU, nEU

__all__ = [
    "ACT",
    "AP_IA",
    "ARR",
    "CARTERETTE",
    "CDG",
    "CRUX",
    "CT",
    "DAG",
    "DCG",
    "DIN_Q",
    "D_Q",
    "EPR",
    "ERR",
    "ERR_IA",
    "EU",
    "EU_DD",
    "FRESHSTACK",
    "IA",
    "NDEVAL",
    "NRBP",
    "NRBP_IA",
    "NTCIR_INTENT",
    "NUGGETS",
    "P_IA",
    "RAP",
    "RBAP",
    "RBTR",
    "RBU",
    "RBU18_OFFICIAL",
    "RRAP",
    "RRG",
    "RRR",
    "RRTR",
    "SRR",
    "AP_Rareness",
    "Adhoc",
    "CT_rank",
    "CompositeMeasure",
    "ConcordantPairs",
    "Coverage",
    "DIN_nDCG",
    "DINsharp_Q",
    "DINsharp_nDCG",
    "D_nDCG",
    "DiversityMeasure",
    "Dsharp_Q",
    "Dsharp_nDCG",
    "ERR_arith",
    "ERR_harm",
    "EfP",
    "MRecall",
    "Normalised",
    "NuggetScore",
    "P_Rareness",
    "P_at_Recall",
    "P_at_Recall_mod",
    "Part",
    "Pplus",
    "PplusQ",
    "PplusQsharp",
    "Q",
    "RBP_Rareness",
    "RR_at_Recall",
    "SPrecision",
    "SessionDCG",
    "Sharp",
    "StRecall",
    "StRecallMinRank",
    "UserModel",
    "alpha_DCG",
    "alpha_DCG_IA",
    "alpha_nDCG",
    "alpha_nDCG_IA",
    "alpha_nDCG_exact",
    "grid",
    "nCT",
    "nDCG_Rareness",
    "nERR_IA",
    "nEU",
    "nNRBP",
    "nP_IA",
    "nSessionDCG",
    "parse",
    "register",
    "registered",
    "signature",
]
