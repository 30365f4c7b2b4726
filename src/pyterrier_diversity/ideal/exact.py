from __future__ import annotations

import numpy as np


def exact_order(doc, intent, *, n_docs, alpha=0.5, depth=None, discount=None, time_limit=60.0):
    from ._tmp_novelty import rank_exactly

    n = int(np.max(intent, initial=-1)) + 1
    m = np.zeros((n_docs, n), dtype=bool)
    m[doc, intent] = True
    return rank_exactly(m, alpha=alpha, depth=depth, discount=discount, time_limit=time_limit)
