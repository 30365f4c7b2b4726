"""Tables with the families of measures."""

import pandas as pd
from ir_measures import P

from pyterrier_diversity.meta import assessor_agreement


def test_measures_without_a_family_are_one_family():
    run = {"qid": "q", "score": [2.0, 1.0]}
    runs = {name: pd.DataFrame({**run, "docno": list(docs)}) for name, docs in {"x": "ab", "y": "bc"}.items()}
    first, second = (
        pd.DataFrame({"qid": "q", "docno": list("abc"), "label": label}) for label in ([1, 0, 0], [0, 1, 0])
    )

    table = assessor_agreement(first, second, runs, [P @ 1, P @ 2], n_trials=2, rng=1, group=lambda measure: None)

    # Both systems are tied by P@2.
    assert table["tau"].isna().tolist() == [False, True]
    assert table["family_tau"].tolist() == [-1, -1]
