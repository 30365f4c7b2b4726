import ir_measures
import pandas as pd
import pytest

from pyterrier_diversity import NDEVAL, RBU, evaluate_runs
from pyterrier_diversity.datasets.demo import FOLDER, RUNS, DemoDataset
from pyterrier_diversity.evaluate import aggregates


def test_aggregates_are_those_of_whole_calls():
    qrels, runs = DemoDataset().get_qrels(), [FOLDER / f"{name}.run" for name in RUNS]
    measures = [RBU @ 5, *NDEVAL, ir_measures.NumRet]

    perquery = evaluate_runs(qrels, runs, measures, perquery=True)

    whole = evaluate_runs(qrels, runs, measures)
    pd.testing.assert_frame_equal(aggregates(perquery, measures), whole, check_exact=True)
    pd.testing.assert_frame_equal(aggregates(perquery), whole, check_exact=True)


def test_a_measure_that_is_not_there_is_refused():
    perquery = pd.DataFrame({"name": ["a"], "qid": ["1"], "measure": ["RBU@5"], "value": [1.0]})

    with pytest.raises(ValueError, match="perquery has no measure AP; it has RBU@5"):
        aggregates(perquery, ["AP"])
