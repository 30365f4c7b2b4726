"""Pictures of rankings, and of differences between systems.

They need matplotlib: ``pip install matplotlib``. Each function draws into a new figure, or into ``ax``. If the figure
of ``ax`` has other axes, too, give it ``layout="constrained"``, which makes room for the texts.

============================== =========================================================================================
the picture                    is drawn from
============================== =========================================================================================
`intent_coverage`              runs and qrels
`explain`                      what `transformers.Explain` returns, for one system or several
`missed_intents`               `pyterrier_diversity.missed_intents`
`per_query_deltas`, `scatter`  ``pt.Experiment(..., perquery=True)``; `meta.risk` weighs the losses
`sweep`                        ``evaluate_runs`` with measures of a `grid`, or ``pt.GridScan``
`means`, `differences`         `meta.compare`
============================== =========================================================================================

The frames of other functions of `meta` are drawn by pandas, in one line: see the examples of `meta.asl_curve`,
`meta.topics_needed` or `meta.pool_depth`.

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
