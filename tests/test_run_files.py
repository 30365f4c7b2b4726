"""Functions that take runs take run files."""

from __future__ import annotations

import pandas as pd
import pytest

from pyterrier_diversity import RBU, P_Rareness, add_rarity, evaluate_runs, meta, missed_intents
from pyterrier_diversity.datasets.demo import FOLDER, RUNS, DemoDataset
from pyterrier_diversity.io import read_run


@pytest.mark.parametrize(
    "function",
    [
        lambda qrels, runs: add_rarity(qrels, runs),
        lambda qrels, runs: evaluate_runs(qrels, runs, [RBU @ 5]),
        lambda qrels, runs: missed_intents(qrels, runs, 3),
        lambda qrels, runs: meta.pool_depth(qrels, runs, [RBU @ 5], depths=[2, 5]),
        lambda qrels, runs: meta.assessor_agreement(qrels, qrels, runs, [RBU @ 5], rng=1),
        lambda qrels, runs: meta.number_of_systems(qrels, runs, P_Rareness @ 5, sizes=[2], n_trials=2, rng=1),
        lambda qrels, runs: meta.insert_synthetic_system(qrels, runs, P_Rareness @ 5, [1], "rare"),
    ],
    ids=["add_rarity", "evaluate_runs", "missed_intents", "pool_depth", "assessor", "number_of_systems", "insert"],
)
def test_wherever_runs_are_taken_a_file_is_as_good_as_its_run(function):
    paths = {name: FOLDER / f"{name}.run" for name in RUNS}
    qrels, runs = DemoDataset().get_qrels(), {name: read_run(path) for name, path in paths.items()}

    pd.testing.assert_frame_equal(function(qrels, paths), function(qrels, runs))
