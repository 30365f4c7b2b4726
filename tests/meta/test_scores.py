import numpy as np
import pandas as pd
import pytest

from pyterrier_diversity import RBU, P_Rareness, meta
from pyterrier_diversity.meta.scores import read_scores, rounded


def perquery(*rows):
    """A frame of the rows "name qid measure value"."""
    frame = pd.DataFrame([row.split() for row in rows], columns=["name", "qid", "measure", "value"])
    return frame.astype({"value": float})


FOUR = perquery("a 1 P 0.5", "a 2 P 0.25", "b 2 P 1", "b 1 P 0", "b 1 R 1", "a 1 R 0", "a 2 R 0.5", "b 2 R 0.5")
QRELS = pd.DataFrame({"qid": "q", "docno": ["d", "e"], "label": [1, 2]})
RUNS = {"x": {"q": ["d", "e"]}, "y": {"q": ["e"]}, "z": {"q": ["d"]}}


def test_values_are_laid_out_by_system_and_query_in_the_order_of_the_frame():
    scores = read_scores(FOUR)

    assert (scores.systems, scores.queries, scores.measures) == (["a", "b"], ["1", "2"], ["P", "R"])
    assert scores.by_measure["P"].tolist() == [[0.5, 0.25], [0, 1]]
    assert scores.by_measure["R"].tolist() == [[0, 0.5], [1, 0.5]]


def test_queries_without_a_value_of_a_system_are_left_out_with_a_warning():
    with pytest.warns(UserWarning, match="1 of 2 queries are left out, because some systems have no value for them"):
        scores = read_scores(FOUR.iloc[:-1])

    assert scores.queries == ["1"]
    assert scores.by_measure["R"].tolist() == [[0], [1]]


def unjudged(frame, *queries):
    """The frame with NaN for all values of these queries."""
    return frame.assign(value=frame["value"].mask(frame["qid"].isin(queries)))


@pytest.mark.parametrize("measures", [None, ["R"]])
def test_queries_without_a_value_of_any_system_and_measure_are_left_out_with_their_names(measures):
    frame = pd.concat([FOUR, FOUR.assign(qid=FOUR["qid"].map({"1": "95", "2": "100"}))])

    with pytest.warns(UserWarning, match="2 of 4 queries are left out, .*: 95, 100.*filter_by_qrels=True") as caught:
        scores = read_scores(unjudged(frame, "95", "100"), measures)

    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert scores.queries == ["1", "2"]
    assert scores.by_measure["R"].tolist() == [[0, 0.5], [1, 0.5]]


def test_a_query_without_values_may_have_no_rows():
    frame = pd.concat([FOUR, perquery("a 3 P nan")])

    with pytest.warns(
        UserWarning, match=r"1 of 3 queries are left out, because all their values are NaN: 3\. "
    ) as caught:
        assert read_scores(frame).queries == ["1", "2"]
    assert len(caught) == 1


@pytest.mark.parametrize(
    "rows", [[0], [2, 3], [4, 5]], ids=["of one system", "of a system's query", "of a measure's query"]
)
def test_another_nan_is_refused(rows):
    value = FOUR["value"].copy()
    value.iloc[rows] = np.nan
    row = FOUR.iloc[rows[0]]

    with pytest.raises(
        ValueError, match=f"system '{row['name']}' has nan of {row['measure']} for query '{row['qid']}'"
    ):
        read_scores(FOUR.assign(value=value))


def test_a_query_that_is_nan_by_one_measure_alone_is_refused_when_that_measure_is_read():
    frame = FOUR.assign(value=FOUR["value"].mask((FOUR["qid"] == "1") & (FOUR["measure"] == "R")))

    with pytest.raises(ValueError, match="has nan of R for query '1'"):
        read_scores(frame, ["R"])
    assert read_scores(frame, ["P"]).queries == ["1", "2"]


@pytest.mark.filterwarnings("ignore:.* queries are left out")
@pytest.mark.parametrize(
    ("frame", "measures", "message"),
    [
        (FOUR.drop(columns="qid"), None, "missing column qid; found: name, measure, value"),
        (FOUR, ["AP"], "perquery has no measure AP; it has P, R"),
        (pd.concat([FOUR, FOUR.iloc[:1]]), None, "must appear once, but system 'a' has 0.5 of P for query '1'"),
        (
            FOUR.assign(value=np.nan),
            None,
            "must be a finite number, but system 'a' has nan of P for query '1' .such rows: 8",
        ),
        (FOUR.assign(value="high"), None, "value must be a finite number, but query .* has 'high'"),
        (FOUR.assign(value=1e200), None, r"must be at most 1e\+100 in absolute value, but system 'a' has 1e\+200"),
        (FOUR.assign(qid=["1", None] * 4), None, "perquery: row 1 has no qid"),
        (pd.concat([FOUR, FOUR["qid"]], axis=1), None, "perquery: the column qid appears twice"),
        ({"1": {"P": 0.5}}, None, r"perquery: the name of the system is missing\. Give it"),
        (perquery("a 1 P 0.5", "b 2 P 0.5"), None, "no query for which all systems have a value"),
    ],
)
def test_other_frames_are_refused(frame, measures, message):
    with pytest.raises(ValueError, match=message):
        read_scores(frame, measures)


@pytest.mark.parametrize(
    ("value", "same"),
    [
        (0.1 + 0.2, 0.3),
        (0.12345678904, 0.1234567890),
        (-0.12345678906, -0.1234567891),
        (0.5, 0.5 + 1e-13),
        (1 + 1e-10, 1.0),
        (10 + 2e-10, 10.0),
        (1e6 + 1e-7, 1e6),
        (1e15 + 1, 1e15),
        (0.0, 1e-13),
        (np.inf, np.inf),
    ],
)
def test_values_that_differ_by_rounding_are_equal(value, same):
    assert rounded(value) == rounded(same)
    assert rounded(-value) == -rounded(same)
    assert rounded([value, 0.25]).tolist() == [rounded(same), 0.25]


@pytest.mark.parametrize(
    ("value", "other"), [(0.5, 0.5 + 2e-10), (1.0, 1 + 2e-9), (1e6, 1e6 + 1e-3), (1, 2), (-1.7e308, 1.7e308)]
)
def test_other_values_differ(value, other):
    assert rounded(value) < rounded(other)
    assert rounded([value, other]).tolist() == [rounded(value), rounded(other)]


@pytest.mark.parametrize("value", [0.0, 0.25, 1.0, 3.0, 1000.0, 1234.5, 1e22, 1e100, -0.3])
def test_short_numbers_stay_as_they_are(value):
    assert rounded(value) == value


def test_values_of_a_frame_are_rounded():
    value = [0.1 + 0.2, 0.5, 0.25, 0.3, 1 / 3, 1.0, 0.0, 200 / 3]

    scores = read_scores(FOUR.assign(value=value))

    assert scores.by_measure["P"].tolist() == [[0.3, 0.5], [0.3, 0.25]]
    assert scores.by_measure["R"].tolist() == [[1.0, 0.0], [0.3333333333, 66.66666667]]


@pytest.mark.parametrize(
    "function",
    [
        lambda rng: meta.stability(FOUR, n_trials=3, rng=rng),
        lambda rng: meta.topic_sampling(FOUR, sizes=[1], n_trials=3, rng=rng),
        lambda rng: meta.compare(FOUR, n_trials=20, rng=rng),
        lambda rng: meta.number_of_systems(QRELS, RUNS, P_Rareness, sizes=[2], n_trials=2, rng=rng),
        lambda rng: meta.assessor_agreement(QRELS, QRELS, RUNS, RBU, n_trials=2, rng=rng),
    ],
)
def test_tables_tell_the_seed_of_their_trials(function):
    assert function(7).attrs["seed"] == 7
    assert "seed" not in function(np.random.default_rng(7)).attrs
