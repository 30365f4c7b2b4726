"""The Cube Test of 2013: its gains, over the time that its users take."""

import ir_measures
import numpy as np
import pandas as pd
import pytest

from pyterrier_diversity import CT

# Judgements are 0 to 4, and a cube is as high as the best one. A document is a turn.
GAIN = CT(max_height=4, gamma=0.5, batch=1)


def seconds(length: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """The time until each document has been read: Luo et al. (2013), who took it from Smucker and Clarke (2012)."""
    return np.cumsum(4.4 + (0.018 * length + 7.8) * np.where(relevant, 0.64, 0.39))


@pytest.mark.parametrize("name", ["coverage", "coverage2", "relevance"])
def test_gains_over_time_are_those_of_the_script(shared, golden, name):
    folder = shared / "trec-dd" / "cubetest-2013-sample"
    columns = ["query_id", "iteration", "doc_id", "relevance", "weight"]
    qrels = pd.read_csv(folder / "gt.txt", sep=r"\s+", names=columns, dtype={"query_id": str, "iteration": str})
    run = pd.read_csv(folder / f"{name}.txt", sep=r"\s+", header=None, dtype={0: str})
    # The script goes by the order of the file.
    ranked = pd.DataFrame({"query_id": run[0], "doc_id": run[2], "score": -np.arange(len(run), dtype=float)})
    time = seconds(run[6].to_numpy(), run[2].isin(qrels.loc[qrels["relevance"] > 0, "doc_id"]).to_numpy())
    ranks = range(1, len(run) + 1)

    by_turn = ir_measures.calc_aggregate([GAIN @ k for k in ranks], qrels, ranked)

    over_time = np.array([by_turn[GAIN @ k] * k / time[k - 1] for k in ranks])
    for row in golden("dd-cubetest-2013-sample.tsv").query("run == @name", local_dict={"name": name}).itertuples():
        k = min(int(row.params.split(";")[0].removeprefix("k=")), len(run))
        value = over_time[k - 1] if row.measure == "CT-2013(perl)" else over_time[:k].mean()
        assert value == pytest.approx(row.value, abs=1e-12), (row.measure, row.params)
