"""Study measures and systems, from the frame that ``pt.Experiment(..., perquery=True)`` returns."""

from . import axioms
from .agreement import agreement
from .axioms import axiom_table
from .compare import compare
from .concordance import concordance
from .correlation import kendall_tau, rank_correlation, tau_ap, tau_ap_symmetric
from .cutoffs import expected_over_cutoffs
from .discriminative_power import asl_curve, delta_required, discriminative_power, overlap
from .family_wise import family_wise_error
from .gates import below_minimum, worse_than
from .power import topics_needed
from .reproduction import reproduction
from .risk import risk
from .robustness import assessor_agreement, pool_depth, topic_sampling
from .stability import stability
from .systems import insert_synthetic_system, number_of_systems
from .tables import significance_table
from .terminal import comparison_text
from .unanimity import unanimity

__all__ = [
    "agreement",
    "asl_curve",
    "assessor_agreement",
    "axiom_table",
    "axioms",
    "below_minimum",
    "compare",
    "comparison_text",
    "concordance",
    "delta_required",
    "discriminative_power",
    "expected_over_cutoffs",
    "family_wise_error",
    "insert_synthetic_system",
    "kendall_tau",
    "number_of_systems",
    "overlap",
    "pool_depth",
    "rank_correlation",
    "reproduction",
    "risk",
    "significance_table",
    "stability",
    "tau_ap",
    "tau_ap_symmetric",
    "topic_sampling",
    "topics_needed",
    "unanimity",
    "worse_than",
]
