import warnings

import ir_measures
import pytest

import naive
from by_hand import qrels, run, value
from pyterrier_diversity import IA, NUGGETS, Adhoc, Coverage, NuggetScore, evaluate_runs, score
from pyterrier_diversity.warnings import NuggetsWarning, WordsWarning

# Nuggets a and b are vital, c and d okay, e is neither; nothing is judged for d, and nothing supports e.
JUDGED = qrels("q a p1 2", "q b p1 1", "q b p2 2", "q c p2 1", "q d x 0", "q e p1 0").assign(
    importance=["vital", "vital", "vital", "okay", "okay", "failed"]
)
JUDGED.loc[JUDGED["docno"] == "x", "docno"] = ""


@pytest.mark.parametrize(
    ("measure", "ranking", "expected"),
    [
        (NuggetScore, "p1", (1 + 0.5) / 5),
        (NuggetScore @ 1, "p1 p2", (1 + 0.5) / 5),
        (NuggetScore @ 2, "p1 p2", (1 + 1 + 0.5) / 5),
        (NuggetScore(partial=0), "p1", 1 / 5),
        (NuggetScore(partial=1), "p2", 2 / 5),
        (NuggetScore(importance="vital"), "p1", (1 + 0.5) / 2),
        (NuggetScore(importance="vital", partial=0), "p1", 1 / 2),
        (NuggetScore(importance="weighted"), "p2", (1 + 0.5 * 0.5) / (2 + 2 * 0.5)),
        (NuggetScore(importance="weighted", partial=0), "p2", 1 / 3),
        (NuggetScore, "u", 0),
    ],
    ids=str,
)
def test_values_worked_by_hand(measure, ranking, expected):
    assert value(measure, JUDGED, run(q=ranking)) == pytest.approx(expected, abs=1e-15)
    assert naive.values(measure, JUDGED, run(q=ranking))["q"] == pytest.approx(expected, abs=1e-15)


def test_labels_of_0_and_1_are_full_support_if_the_measure_says_so():
    assert score(NuggetScore(full=1), [[1, 1, 0, 0]]) == score(NuggetScore(full=1, partial=0), [[1, 1, 0, 0]]) == 0.5
    assert score(NuggetScore(full=3), [[3, 2, 0, 0]]) == pytest.approx(1.5 / 4)


@pytest.mark.parametrize("measures", [[NuggetScore], NUGGETS])
def test_a_largest_label_below_full_support_is_told_once(measures):
    binary = JUDGED.assign(label=1.0 * (JUDGED["label"] > 0))

    with pytest.warns(UserWarning, match="full support") as caught:
        evaluate_runs(binary, {"mine": run(q="p1")}, measures)

    assert [str(warning.message) for warning in caught] == [
        "No label of the qrels is full support for NuggetScore: the largest is 1, but full is 2. If 1 means full "
        "support, use NuggetScore(full=1)."
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate_runs(binary, {"mine": run(q="p1")}, [NuggetScore(full=1)])
        evaluate_runs(JUDGED, {"mine": run(q="p1")}, measures)


@pytest.mark.parametrize("importance", ["vital", "weighted"])
def test_unknown_words_of_importance_are_told(importance):
    unknown = JUDGED.assign(importance="critical")

    with pytest.warns(WordsWarning, match=r"^No nugget of the qrels is vital or okay, .*read_nuggets\(importance="):
        table = evaluate_runs(unknown, {"mine": run(q="p1")}, [NuggetScore(importance=importance)])

    assert table.iloc[0, 1] == 0


@pytest.mark.parametrize("measure", [Coverage, IA(ir_measures.P @ 1)])
def test_importances_without_weights_are_told_if_a_measure_reads_weights(measure):
    with pytest.warns(NuggetsWarning, match=r"importance, but no weight, .*io.read_nuggets adds weights"):
        evaluate_runs(JUDGED, {"mine": run(q="p1")}, [measure])


def test_what_other_words_of_importance_count_is_in_the_qrels():
    of_words = JUDGED.assign(
        importance=["critical", "critical", "critical", "nice", "nice", "odd"],
        importance_value=[1, 1, 1, 0.25, 0.25, 0],
    )
    frames = of_words, run(q="p1 p2")

    for measure, expected in [
        (NuggetScore(importance="vital"), 2 / 2),
        (NuggetScore(importance="weighted"), (2 + 0.25 * 0.5) / (2 + 2 * 0.25)),
        (NuggetScore, 2.5 / 5),
    ]:
        assert value(measure, *frames) == pytest.approx(expected)
        assert naive.values(measure, *frames)["q"] == pytest.approx(expected)


def test_weights_are_not_read_but_an_intent_of_weight_0_counts_for_no_measure():
    weighted = JUDGED.assign(weight=JUDGED["iteration"].map({"a": 9.0, "b": 1.0, "c": 1.0, "d": 0.0, "e": 0.0}))

    assert value(NuggetScore, weighted, run(q="p1")) == pytest.approx(1.5 / 3)


@pytest.mark.parametrize("importance", ["vital", "weighted"])
def test_a_score_by_importance_needs_its_column(importance):
    measure = NuggetScore(importance=importance)

    with pytest.raises(ValueError, match=r"needs the column importance in the qrels; .*read_nuggets"):
        value(measure, JUDGED.drop(columns="importance"), run(q="p1"))


def test_a_score_of_all_nuggets_needs_no_importance():
    assert value(NuggetScore, JUDGED.drop(columns="importance"), run(q="p1")) == pytest.approx(1.5 / 5)


def test_coverage_is_the_score_of_binary_labels_in_which_weights_count():
    binary = JUDGED.assign(label=2 * (JUDGED["label"] > 0))

    assert value(Coverage, binary, run(q="p1")) == value(NuggetScore, binary, run(q="p1")) == 2 / 5


def test_highest_labels_have_no_importance():
    assert value(Adhoc(NuggetScore(importance="vital")), JUDGED, run(q="p1")) == 0
