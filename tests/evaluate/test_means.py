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


@pytest.mark.parametrize(
    ("frame", "error", "message"),
    [
        ([], TypeError, r"^perquery must be a frame from pt\.Experiment"),
        (pd.DataFrame({"name": ["a"], "AP": [1.0]}), ValueError, "^perquery: missing column qid, measure, value"),
        (
            pd.DataFrame({"name": "a", "qid": "1", "measure": "AP", "value": [1.0, 0.5]}),
            ValueError,
            "^perquery: each value must appear once, but system 'a' has 0.5 of AP for query '1'",
        ),
    ],
)
def test_other_frames_are_refused(frame, error, message):
    with pytest.raises(error, match=message):
        aggregates(frame)


def test_one_measure_may_stand_alone():
    perquery = pd.DataFrame({"name": ["a"], "qid": ["1"], "measure": ["RBU@5"], "value": [1.0]})

    assert aggregates(perquery, RBU @ 5).equals(aggregates(perquery, "RBU@5"))


def test_a_measure_that_is_not_there_is_refused():
    perquery = pd.DataFrame({"name": ["a"], "qid": ["1"], "measure": ["RBU@5"], "value": [1.0]})

    with pytest.raises(ValueError, match="perquery has no measure AP; it has RBU@5"):
        aggregates(perquery, ["AP"])
