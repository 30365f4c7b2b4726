"""Study measures and systems, from the frame that ``pt.Experiment(..., perquery=True)`` returns."""

from . import axioms
from .axioms import axiom_table
from .correlation.agreement import agreement
from .correlation.cutoffs import expected_over_cutoffs
from .correlation.pairs_of_systems import concordance, unanimity
from .correlation.rank_correlation import kendall_tau, rank_correlation, tau_ap, tau_ap_symmetric
from .robustness.other_judgements import assessor_agreement, pool_depth
from .robustness.rareness_experiments import insert_synthetic_system, number_of_systems
from .robustness.topic_samples import stability, topic_sampling
from .significance.compare import compare
from .significance.corrected import corrected_means
from .significance.discriminative_power import asl_curve, delta_required, discriminative_power, overlap
from .significance.family_wise import family_wise_error
from .significance.gates import below_minimum, worse_than
from .significance.marks import comparison_text, significance_table
from .significance.power import topics_needed
from .significance.risk import risk

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
    "corrected_means",
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
