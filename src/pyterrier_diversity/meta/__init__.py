"""Study measures and systems, from the frame that ``pt.Experiment(..., perquery=True)`` returns."""

from . import axioms as axioms
from .axioms import axiom_table as axiom_table
from .correlation.agreement import agreement as agreement
from .correlation.orderings import concordance as concordance
from .correlation.orderings import kendall_tau as kendall_tau
from .correlation.orderings import rank_correlation as rank_correlation
from .correlation.orderings import unanimity as unanimity
from .estimates import corrected_means as corrected_means
from .estimates import expected_over_cutoffs as expected_over_cutoffs
from .robustness.rankings import assessor_agreement as assessor_agreement
from .robustness.rankings import pool_depth as pool_depth
from .robustness.rankings import stability as stability
from .robustness.rankings import topic_sampling as topic_sampling
from .robustness.rareness_experiments import insert_synthetic_system as insert_synthetic_system
from .robustness.rareness_experiments import number_of_systems as number_of_systems
from .significance.compare import compare as compare
from .significance.gates import below_minimum as below_minimum
from .significance.gates import risk as risk
from .significance.gates import worse_than as worse_than
from .significance.marks import comparison_text as comparison_text
from .significance.marks import significance_table as significance_table
from .significance.power import asl_curve as asl_curve
from .significance.power import delta_required as delta_required
from .significance.power import discriminative_power as discriminative_power
from .significance.power import overlap as overlap
from .significance.power import topics_needed as topics_needed

__all__ = sorted(name for name, what in globals().items() if callable(what) or what is axioms)
