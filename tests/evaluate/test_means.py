import ir_measures
import pandas as pd
import pytest

from pyterrier_diversity import NDEVAL, RBU, evaluate_runs
from pyterrier_diversity.datasets.demo import FOLDER, RUNS, DemoDataset
from pyterrier_diversity.evaluate import aggregates
from pyterrier_diversity.warnings import MissingWarning


def test_aggregates_are_those_of_whole_calls():
    qrels, runs = DemoDataset().get_qrels(), [FOLDER / f"{name}.run" for name in RUNS]
    measures = [RBU @ 5, *NDEVAL, ir_measures.NumRet]

    perquery = evaluate_runs(qrels, runs, measures, perquery=True)

    whole = evaluate_runs(qrels, runs, measures)
    pd.testing.assert_frame_equal(aggregates(perquery, measures), whole, check_exact=True)
    pd.testing.assert_frame_equal(aggregates(perquery), whole, check_exact=True)


QUERIES = pd.DataFrame(
    [
        ("a", "1", "AP", 0.5),
        ("a", "2", "AP", 1.0),
        ("a", "1", "RBU", 0.5),
        ("b", "1", "AP", 0.25),
        ("b", "1", "RBU", 0.5),
    ],
    columns=["name", "qid", "measure", "value"],
)


@pytest.mark.parametrize(
    ("frame", "error", "message"),
    [
        (5, TypeError, "^perquery must be a file, a frame"),
        (pd.DataFrame({"name": ["a"], "AP": [1.0]}), ValueError, "^perquery is a table of means"),
        (
            pd.concat([QUERIES, QUERIES.head(1).assign(value=0.75)]),
            ValueError,
            "^perquery: each value must appear once, but system 'a' has 0.75 of AP for query '1'",
        ),
        (QUERIES, ValueError, "^aggregates: perquery has no measure P@1; it has AP, RBU"),
    ],
)
def test_other_frames_and_measures_are_refused(frame, error, message):
    with pytest.raises(error, match=message):
        aggregates(frame, ["P@1"])


@pytest.mark.parametrize("measure", ["RBU", RBU()])
def test_one_measure_may_stand_alone(measure):
    assert aggregates(QUERIES, measure)["RBU"].tolist() == [0.5, 0.5]


def test_means_over_other_queries_are_said_once():
    with pytest.warns(
        MissingWarning, match="different queries: 'b' has only 1 of 2 values of AP .systems without some values: 1 of 2"
    ) as caught:
        table = aggregates(QUERIES)

    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert table["AP"].tolist() == [0.75, 0.25]


@pytest.mark.parametrize("measures", [None, "RBU"])
def test_a_measure_that_a_system_does_not_have_is_said(measures):
    with pytest.warns(MissingWarning, match="'b' has only 0 of 1 values of RBU .* 1 of 2"):
        aggregates(QUERIES[QUERIES["qid"] == "1"].iloc[:-1], measures)
