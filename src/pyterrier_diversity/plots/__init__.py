"""Pictures of rankings, of differences between systems, and of properties of measures.

They need matplotlib: ``pip install matplotlib``. Each function draws into a new figure, or into
``ax``, whose figure should have ``layout="constrained"``.

=============================================== ========================================================================
the picture                                     is drawn from
=============================================== ========================================================================
`coverage`, `intent_coverage`                   runs and qrels
`explain`                                       what `transformers.Explain` returns, for one system or several
`missed_intents`                                `pyterrier_diversity.missed_intents`
`per_query_deltas`                              ``pt.Experiment(..., perquery=True)``; with several systems, what
                                                `meta.risk` weighs
`means`, `differences`                          `meta.compare`
`groups`                                        ``evaluate_runs(..., by=...)``
`stages`                                        ``evaluate_runs(..., perquery=True)`` of `transformers.stages`
`asl_curve`                                     `meta.asl_curve`
`discriminative_power`, `delta_required`        the functions of `meta` with these names
`unanimity`, `stability`, `concordance`         the functions of `meta` with these names
`tau_matrix`                                    ``meta.rank_correlation(..., matrix=True)``
`by_topic_set_size`                             `meta.topic_sampling`
`pool_depth`, `assessor_agreement`              the functions of `meta` with these names
`number_of_systems`, `insert_synthetic_system`  the functions of `meta` with these names
`topics_needed`                                 `meta.topics_needed` with several ``n`` or ``delta``
`confusion`                                     ``meta.agreement(..., table=True)``
=============================================== ========================================================================

Some functions of `meta` have no picture. The tables of `axiom_table` and `overlap` are easier to read. `risk`,
`corrected_means`, `family_wise_error`, `below_minimum`, `worse_than` and `expected_over_cutoffs` return only a few
rows. `kendall_tau`, `tau_ap` and `tau_ap_symmetric` return a number, `significance_table` and `comparison_text` a text.

The frames do not contain the name of the collection. Add it to the title:
``ax.set_title(f"TREC Web 2012, {ax.get_title()}")``.
"""

from . import curves, intents, rows
from .curves import *
from .intents import *
from .rows import *

__all__ = sorted([*curves.__all__, *intents.__all__, *rows.__all__])


def __dir__() -> list[str]:
    return __all__
