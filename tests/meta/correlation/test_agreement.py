import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from by_hand import qrels
from pyterrier_diversity.meta import agreement


def judged(labels, query="q", intent="a"):
    return qrels(*(f"{query} {intent} d{i} {label}" for i, label in enumerate(labels)))


def of_judges(labels, **more):
    """The qrels of each judge: a document for each column that has a label."""
    return {
        f"judge {i}": pd.DataFrame(
            [("q", f"d{doc:02}", "t", label) for doc, label in enumerate(row) if label is not None],
            columns=["qid", "docno", "iteration", "label"],
        ).assign(**more)
        for i, row in enumerate(labels)
    }


def last(table):
    return table.iloc[-1].to_dict()


def test_kappa_is_that_of_the_textbook_table():
    # 20 yes by both, 5 yes by the first only, 10 by the second only, 15 no by both: 0.7 agree, 0.5 by chance.
    first, second = [1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15

    row = last(agreement(judged(first), judged(second)))

    assert row["agreement"] == pytest.approx(0.7)
    assert (row["kappa"], row["kappa_linear"]) == pytest.approx((0.4, 0.4))
    assert (row["pairs"], row["relevant"], row["other_relevant"]) == (50, 25, 30)
    assert row["jaccard"] == pytest.approx(20 / 35)


def test_near_labels_disagree_less_by_the_linear_kappa():
    # Labels 0, 1, 4: distances of the differing pairs are 1 and 3 of 4.
    row = last(agreement(judged([0, 0, 1, 4]), judged([0, 1, 4, 4])))

    observed = (1 + 3) / 4
    by_chance = sum(abs(a - b) for a in (0, 0, 1, 4) for b in (0, 1, 4, 4)) / 16
    assert row["kappa_linear"] == pytest.approx(1 - observed / by_chance)
    assert row["kappa"] == pytest.approx((0.5 - (2 * 1 + 1 * 1 + 1 * 2) / 16) / (1 - 5 / 16))


labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from("abcdef")), min_size=1, max_size=45)


@settings(max_examples=10)
@given(labels)
def test_values_agree_with_plain_loops(rows):
    first, second = (
        qrels(*(f"q {intent} d{i} {labels[at]}" for i, (*labels, intent) in enumerate(rows))) for at in (0, 1)
    )

    table = agreement(first, second).set_index("iteration")

    for intent in {*table.index}:
        pairs = [(a, b) for a, b, other in rows if intent in ("all", other)]
        n = len(pairs)
        row = table.loc[intent]
        equal = sum(a == b for a, b in pairs) / n
        chance = sum((a == b) for a, _ in pairs for _, b in pairs) / n**2
        assert row["pairs"] == n
        assert row["agreement"] == pytest.approx(equal)
        if chance == 1:
            assert np.isnan(row["kappa"])
            assert np.isnan(row["kappa_linear"])
        else:
            assert row["kappa"] == pytest.approx((equal - chance) / (1 - chance), abs=1e-12)
            apart = sum(abs(a - b) for a, b in pairs) / n
            expected = sum(abs(a - b) for a, _ in pairs for _, b in pairs) / n**2
            assert row["kappa_linear"] == pytest.approx(1 - apart / expected, abs=1e-12)
        either = sum(a > 0 or b > 0 for a, b in pairs)
        assert row["jaccard"] == pytest.approx(
            sum(a > 0 and b > 0 for a, b in pairs) / either if either else np.nan, nan_ok=True
        )


def test_rows_are_in_the_order_of_the_ids_and_the_last_is_over_all():
    both = pd.concat([judged([1, 0], query, intent) for query, intent in (("10", "2"), ("9", "11"), ("9", "2"))])

    by_intent = agreement(both.iloc[::-1], both)

    assert by_intent[["qid", "iteration"]].to_numpy().tolist() == [["9", "2"], ["9", "11"], ["10", "2"], ["all", "all"]]
    assert (by_intent["kappa"] == 1).all()
    assert by_intent.attrs["legend"].keys() == set(by_intent)


def test_pairs_of_one_judge_are_left_out_with_their_counts():
    first, second = judged([1, 0, 2]), judged([1, 0, 2, 2, 0])

    with pytest.warns(
        UserWarning,
        match="3 pairs .* left out \\(qrels_a 1, qrels_b 2\\); several judges judged 2",
    ):
        table = agreement(first, second.iloc[1:])

    assert last(table)["pairs"] == 2
    assert table.attrs["only"] == {"qrels_a": 1, "qrels_b": 2}


def test_negative_labels_are_0_and_labels_above_0_are_relevant():
    row = last(agreement(judged([-2, 0, 2]), judged([0, 0.5, 2])))

    assert row["agreement"] == pytest.approx(2 / 3)
    assert (row["relevant"], row["other_relevant"], row["jaccard"]) == (1, 2, 0.5)


def test_nuggets_without_a_judgement_do_not_count_as_pairs():
    unjudged = pd.DataFrame({"qid": ["q"], "iteration": ["z"], "docno": [""], "label": [0.0]})
    both = pd.concat([judged([1, 0]), unjudged])

    assert last(agreement(both, both))["pairs"] == 2


def test_the_qrels_of_two_judges_may_be_dicts_of_queries():
    first, second = {"q": {"d0": 1, "d1": 0}}, {"q": {"d0": 1, "d1": 1}}
    expected = agreement(judged([1, 0], intent="0"), judged([1, 1], intent="0"))

    assert last(agreement(first, second)) == pytest.approx(last(expected), nan_ok=True)


def test_qrels_with_ir_measures_names_are_read_and_none_is_changed():
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance", "iteration": "subtopic_id"}
    first, second = judged([1, 0, 2]), judged([1, 1, 2]).rename(columns=names)
    before = first.copy(), second.copy()

    table = agreement(first, second)

    assert last(table)["agreement"] == pytest.approx(2 / 3)
    pd.testing.assert_frame_equal(first, before[0])
    pd.testing.assert_frame_equal(second, before[1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((judged([1]), judged([1], query="p")), "two judges must judge at least one document for the same intent"),
        ((pd.concat([judged([1]), judged([2])]), judged([1])), "different labels for one query, intent and document"),
        ((judged([1]), judged([1]).drop(columns="label")), "qrels_b: missing column label"),
        ((of_judges([[1, 0]]),), "give the qrels of at least two judges, not 1"),
        ((of_judges([[1, None], [None, 1]]),), "two judges must judge at least one document for the same intent"),
    ],
)
def test_invalid_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        agreement(*arguments)


SEVERAL = json.loads((Path(__file__).parents[2] / "golden" / "krippendorff.json").read_text())["cases"]


@pytest.mark.filterwarnings("ignore:agreement. .* pairs that only one judge judged are left out")
@pytest.mark.parametrize("case", SEVERAL, ids=lambda case: f"{len(case['labels'])} judges")
def test_alpha_of_several_judges_is_that_of_the_library_krippendorff(case):
    table = agreement(of_judges(case["labels"]))

    assert table["qid"].tolist() == ["q", "all"]
    for column in ("nominal", "ordinal"):
        assert table[f"alpha_{column}"].tolist() == pytest.approx([case[column]] * 2, abs=1e-12)


def test_each_intent_and_query_has_the_alpha_of_its_labels_alone():
    parts = [of_judges(case["labels"], iteration=f"t{i}", qid=f"q{i // 2}") for i, case in enumerate(SEVERAL[:3])]
    judges = {name: pd.concat([part[name] for part in parts if name in part]) for name in parts[1]}

    with pytest.warns(UserWarning, match=r"4 pairs .* left out \(judge 0 1, judge 3 1, judge 4 2\); several judges"):
        table = agreement(judges)

    assert table["iteration"].tolist() == ["t0", "t1", "t2", "all"]
    expected = [case["ordinal"] for case in SEVERAL[:3]]
    assert table["alpha_ordinal"].tolist()[:3] == pytest.approx(expected, abs=1e-12)
    assert set(table.attrs["legend"]) == set(table)


def test_judges_who_give_one_label_only_have_no_alpha():
    table = agreement(of_judges([[1, 1, 1], [1, 1, 1], [1, 1, 1]]))

    assert table[["alpha_nominal", "alpha_ordinal"]].isna().all(axis=None)
