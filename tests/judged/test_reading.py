"""Qrels are read as they are meant, or refused."""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from by_hand import evaluator, qrels, run, value
from pyterrier_diversity import AP_IA, IA, P_IA, RBU, Adhoc, Coverage, StRecall, alpha_nDCG
from pyterrier_diversity.evaluate import DiversityEvaluator
from pyterrier_diversity.judged import judge

# The intent: iteration and subtopic_id


def test_the_iteration_is_the_intent():
    assert value(StRecall @ 1, qrels("q a d1 1", "q b d1 1", "q c d2 1"), run(q="d1")) == pytest.approx(2 / 3)


def test_qrels_without_an_iteration_are_one_intent():
    frame = qrels("q a d1 1", "q b d2 1").drop(columns="iteration")

    assert value(StRecall @ 1, frame, run(q="d1")) == 1


def test_the_subtopic_id_is_the_intent_where_there_is_no_iteration():
    frame = qrels("q a d1 1", "q b d2 1").rename(columns={"iteration": "subtopic_id"})

    assert value(StRecall @ 1, frame, run(q="d1")) == 0.5


def test_the_subtopic_id_is_the_intent_where_the_iteration_is_constant():
    frame = qrels("q 0 d1 1", "q 0 d1 1", "q 0 d2 1", subtopic_id=["a", "b", "c"])

    assert value(StRecall @ 1, frame, run(q="d1")) == pytest.approx(2 / 3)


def test_an_iteration_may_agree_with_the_subtopic_id():
    frame = qrels("q 1 d1 1", "q 2 d2 1", subtopic_id=[1, 2])

    assert value(StRecall @ 1, frame, run(q="d1")) == 0.5


def test_an_iteration_that_contradicts_the_subtopic_id_is_refused():
    frame = qrels("q 1 d1 1", "q 2 d2 1", subtopic_id=["1", "3"])

    with pytest.raises(ValueError, match=r"iteration must agree with subtopic_id, .* but query 'q' has '2'"):
        judge(frame)


def test_intents_of_different_queries_may_share_a_name():
    frame = qrels("p 1 d1 1", "p 2 d2 1", "q 1 d1 1")

    assert value(StRecall @ 1, frame, run(p="d1", q="d1")) == pytest.approx((1 / 2 + 1) / 2)


def test_intents_may_be_named_by_numbers_and_words_at_once():
    frame = qrels("q a d1 1", "q b d2 1", "q c d3 1")
    frame["iteration"] = pd.Series([1, "spam", 25], dtype=object)

    assert value(StRecall @ 1, frame, run(q="d1")) == pytest.approx(1 / 3)


def test_an_intent_may_have_any_name():
    frame = qrels("q a d1 1", "q b d2 1", "q c d3 1", "q d d4 1").assign(iteration=["", " ", "x\x1fy", "日本"])

    assert value(StRecall @ 2, frame, run(q="d1 d3")) == 0.5
    assert value(IA(ir_measures.P @ 1), frame, run(q="d1")) == 0.25


# Several rows for one document


def test_several_rows_for_a_document_without_an_intent_are_refused():
    frame = qrels("q a d1 1", "q a d2 1", "q b d2 1").drop(columns="iteration")

    with pytest.raises(
        ValueError,
        match=r"several rows for document 'd2' of query 'q', but no column iteration or subtopic_id .*io\.read_qrels",
    ):
        judge(frame)


def test_a_document_may_be_judged_for_several_queries_without_an_intent():
    frame = qrels("p a d1 1", "q a d1 1").drop(columns="iteration")

    assert value(P_IA @ 1, frame, run(p="d1", q="d1")) == 1


def test_exact_duplicates_are_dropped():
    frame = qrels("q a d1 1", "q a d1 1", "q a d2 1", "q b d2 1", "q b d2 1", "q b d2 1")

    # d1 is relevant to one of two intents; AP of a is 1/2 as d2 is not found, AP of b is 0.
    assert value(P_IA @ 1, frame, run(q="d1")) == 0.5
    assert value(AP_IA, frame, run(q="d1")) == 0.25
    assert value(IA(ir_measures.AP), frame, run(q="d1")) == 0.25


def test_two_labels_for_one_query_intent_and_document_are_refused():
    with pytest.raises(
        ValueError,
        match=r"different labels for one query, intent and document.* query 'q', iteration 'b', document 'd1': 1, 2",
    ):
        judge(qrels("q a d1 1", "q b d1 1", "q b d1 2"))


def test_two_gains_for_one_query_intent_and_document_are_refused():
    with pytest.raises(ValueError, match="gain must be the same in all rows of a query's intent and document"):
        value(AP_IA, qrels("q a d1 1", "q a d1 1", gain=[1.0, 5.0]), run(q="d1"))


def test_two_labels_are_refused_even_if_neither_is_relevant():
    with pytest.raises(ValueError, match="document 'd1': 0, -2"):
        judge(qrels("q a d1 0", "q a d1 -2"))


def test_the_first_three_contradictions_are_shown():
    rows = [f"q{i} a d{i} {label}" for label in (0, 1) for i in range(1, 6)]

    with pytest.raises(ValueError, match=r"\(5 .*query 'q1'.*document 'd1': 0, 1; query 'q2'.*; query 'q3'") as caught:
        judge(qrels(*rows))

    assert "q4" not in str(caught.value)


def test_contradictions_are_shown_in_the_order_of_the_rows():
    rows = [f"q {intent} d {label}" for label in (0, 1) for intent in "cab"]

    with pytest.raises(ValueError, match=r"iteration 'c'.* iteration 'a'.* iteration 'b'"):
        judge(qrels(*rows))


def test_contradictions_name_the_subtopic_id_where_that_is_the_intent():
    frame = qrels("q a d1 1", "q a d1 2").rename(columns={"iteration": "subtopic_id"})

    with pytest.raises(ValueError, match="subtopic_id 'a'"):
        judge(frame)


# Labels


def test_negative_labels_are_judged_but_not_relevant():
    frame = qrels("q a d1 1", "q a d2 -2", "q b d2 -1")

    assert value(StRecall @ 2, frame, run(q="d2 d1")) == 1
    assert value(P_IA(judged_only=True) @ 1, frame, run(q="x d2 d1")) == 0


def test_an_intent_that_nobody_can_satisfy_is_left_out():
    frame = qrels("q a d1 1", "q b d1 0", "q c d2 -2")

    assert value(StRecall @ 1, frame, run(q="d1")) == 1
    assert value(IA(ir_measures.AP), frame, run(q="d1")) == 1


def test_fractional_labels_are_relevant():
    assert value(P_IA @ 1, qrels("q a d1 0.5", "q b d1 0.25"), run(q="d1")) == 1


def test_a_query_without_relevant_documents_is_a_query():
    frame = qrels("p a d1 1", "q a d1 0")

    assert value(P_IA @ 1, frame, run(p="d1", q="d1")) == 0.5


def test_a_query_without_relevant_documents_is_pure_effort_for_rbu():
    frame = qrels("q a d1 0", "q a d2 -1")

    assert value(RBU(p=0.5, e=0.1), frame, run(q="d1 d2")) == pytest.approx(-0.1 * (0.5 + 0.25), abs=1e-12)


# Weights


def test_weights_are_those_of_the_intents():
    frame = qrels("q a d1 1", "q b d2 1", "q b d3 1", weight=[3, 1, 1])

    assert value(IA(P_IA @ 1), frame, run(q="d1")) == 0.75
    assert value(RBU(p=0.5, e=0, gain="binary"), frame, run(q="d2 d1")) == pytest.approx(0.25 / 2 + 0.75 / 4)


def test_weights_of_intents_that_nobody_can_satisfy_do_not_count():
    frame = qrels("q a d1 1", "q b d2 1", "q c d3 0", weight=[1, 3, 96])

    assert value(IA(P_IA @ 1), frame, run(q="d1")) == 0.25


def test_an_intent_may_have_another_weight_in_another_query():
    frame = qrels("p a d1 1", "p b d2 1", "q a d1 1", "q b d2 1", weight=[1, 1, 4, 1])

    assert value(IA(P_IA @ 1), frame, run(p="d1", q="d1")) == pytest.approx((1 / 2 + 4 / 5) / 2)


@pytest.mark.parametrize(
    "measure",
    [StRecall @ 2, P_IA @ 2, AP_IA, alpha_nDCG @ 2, RBU, IA(ir_measures.AP), Adhoc(ir_measures.AP), IA(P_IA @ 2)],
    ids=str,
)
def test_rows_of_weight_0_are_dropped_for_every_measure(measure):
    frame = qrels("q a d1 1", "q b d1 2", "q b d2 1", "q b d3 0", weight=[1, 0, 0, 0])

    assert value(measure, frame, run(q="d2 d1")) == value(measure, qrels("q a d1 1"), run(q="d2 d1")) != 0


def test_documents_judged_only_with_weight_0_are_unjudged():
    frame = qrels("q a d1 1", "q b d2 0", weight=[1, 0])

    assert value(P_IA(judged_only=True) @ 1, frame, run(q="d2 d1")) == 1


def test_a_query_whose_weights_are_all_0_is_a_query_without_relevant_documents():
    frame = qrels("p a d1 1", "q a d1 1", weight=[1, 0])

    assert value(P_IA @ 1, frame, run(p="d1", q="d1")) == 0.5


def test_a_negative_weight_is_refused():
    with pytest.raises(ValueError, match=r"weight must be in \[0, 1e\+100\], but query 'q' has .*-0\.5"):
        judge(qrels("p a d1 1", "q a d1 1", weight=[1, -0.5]))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_weight_that_is_not_a_finite_number_is_refused(bad):
    with pytest.raises(ValueError, match=f"weight must be a finite number, but query 'q' has .*{bad}"):
        judge(qrels("p a d1 1", "q a d1 1", weight=[1, bad]))


def test_a_weight_that_is_not_constant_in_its_intent_is_refused():
    with pytest.raises(
        ValueError, match=r"weight must be the same in all rows of a query's intent, but query 'q' has .*\d"
    ):
        judge(qrels("p a d1 1", "q a d1 1", "q a d2 0", weight=[1, 1, 2]))


# Intent types


def test_intent_types_are_inf_or_nav():
    judgements = judge(qrels("q a d1 1", "q b d1 1", "q c d1 0", intent_type=["inf", "nav", "nav"]))

    assert judgements.intents.ids.tolist() == ["a", "b"]
    assert judgements.intents.navigational.tolist() == [False, True]


def test_intents_without_a_type_are_informational():
    assert not judge(qrels("q a d1 1", "q b d1 1")).intents.navigational.any()


@pytest.mark.parametrize("bad", ["navy", "inv", "NAV", ""])
def test_an_unknown_intent_type_is_refused(bad):
    with pytest.raises(ValueError, match=f"intent_type must be 'inf' or 'nav', but query 'q' has '{bad}'"):
        judge(qrels("p a d1 1", "q a d1 1", intent_type=["inf", bad]))


def test_an_intent_type_that_is_not_constant_in_its_intent_is_refused():
    with pytest.raises(
        ValueError, match="intent_type must be the same in all rows of a query's intent, but query 'q' has"
    ):
        judge(qrels("p a d1 1", "q a d1 1", "q a d2 0", intent_type=["inf", "inf", "nav"]))


def test_types_that_differ_for_want_of_a_column_of_intents_are_told_so():
    misnamed = qrels("q a d1 1", "q b d2 1", intent_type=["inf", "nav"]).rename(columns={"iteration": "topic"})

    with pytest.raises(ValueError, match=r"rows of a query's intent \(no column iteration tells them apart\), but"):
        judge(misnamed)


def test_the_column_that_pyterrier_writes_twice_is_named():
    twice = qrels("q a d1 1").rename(columns={"iteration": "label"})

    with pytest.raises(
        ValueError, match=r"the column label appears twice\. PyTerrier's get_qrels\(variant\) repeats it;"
    ):
        judge(twice)
    with pytest.raises(ValueError, match=r"the column docno appears twice\.$"):
        judge(twice[["qid", "docno", "docno", "label"]])


# Rarity


def test_without_the_column_no_document_is_rare():
    assert judge(qrels("q a d1 1", "q a d2 1")).documents.rarity.tolist() == [0, 0]


def test_rarity_belongs_to_the_document_in_its_query():
    judgements = judge(qrels("p a d1 1", "q a d1 1", "q b d1 2", "q a d2 1", rarity=[0, 0.5, 0.5, 1]))

    documents = judgements.documents
    rarity = dict(
        zip(zip(documents.query.tolist(), documents.ids.tolist(), strict=True), documents.rarity.tolist(), strict=True)
    )
    assert rarity == {(0, "d1"): 0.0, (1, "d1"): 0.5, (1, "d2"): 1.0}


@pytest.mark.parametrize("bad", [-0.25, 1.5])
def test_a_rarity_outside_0_and_1_is_refused(bad):
    with pytest.raises(ValueError, match=rf"rarity must be in \[0, 1\], but query 'q' has .*{bad}"):
        judge(qrels("p a d1 1", "q a d1 1", rarity=[1, bad]))


def test_a_rarity_that_is_not_a_finite_number_is_refused():
    with pytest.raises(ValueError, match=r"rarity must be a finite number, but query 'q' has .*nan"):
        judge(qrels("p a d1 1", "q a d1 1", rarity=[1, np.nan]))


def test_a_rarity_that_is_not_constant_in_its_document_is_refused():
    with pytest.raises(
        ValueError, match="rarity must be the same in all rows of a query's document, but query 'q' has"
    ):
        judge(qrels("p a d1 1", "q a d1 1", "q b d1 1", rarity=[0, 0.5, 1]))


# Order


@pytest.mark.parametrize(
    ("names", "ordered"),
    [
        (["10", "9", "100"], ["9", "10", "100"]),
        (["q10", "q9", "a"], ["a", "q10", "q9"]),
        (["10", "9", "x"], ["10", "9", "x"]),
        (["007", "7", "07", "0"], ["0", "007", "07", "7"]),
        (["2" * 5000, "9", "1" * 5000], ["9", "1" * 5000, "2" * 5000]),
    ],
    ids=lambda names: names[0][:9],
)
def test_queries_are_in_numeric_order_if_all_are_numbers_and_otherwise_in_alphabetic_order(names, ordered):
    assert list(judge(qrels(*(f"{name} a d1 1" for name in names))).query_ids) == ordered


ROWS = (
    "9 2 d1 1",
    "9 10 d1 2",
    "10 2 d1 1",
    "9 2 d2 3",
    "10 x d3 -1",
    "9 10 d3 0",
    "10 y d4 2",
    "10 2 d4 1",
    "9 10 d1 2",
)


@settings(max_examples=30, deadline=None)
@given(order=st.permutations(range(len(ROWS))))
def test_the_order_of_the_rows_does_not_matter(order):
    measures = [RBU, alpha_nDCG @ 3, AP_IA, IA(ir_measures.nDCG), Adhoc(ir_measures.AP), P_IA(judged_only=True)]
    weights = [2, 3, 1, 2, 5, 3, 4, 1, 3]
    ranking = run(**{"9": "x d3 d2 d1", "10": "d4 d3 x d1"})
    in_order = evaluator(*measures, of=qrels(*ROWS, weight=weights)).iter_calc(ranking)

    shuffled = evaluator(*measures, of=qrels(*(ROWS[i] for i in order), weight=[weights[i] for i in order])).iter_calc(
        ranking
    )

    assert list(shuffled) == list(in_order)


# Reading again


def test_qrels_changed_in_place_have_new_values_in_a_new_evaluator():
    frame = qrels("q a d1 1", "q b d2 1")
    before = value(P_IA @ 1, frame, run(q="d1"))
    frame.loc[1, "docno"] = "d1"

    after = value(P_IA @ 1, frame, run(q="d1"))

    assert (before, after) == (0.5, 1)


@pytest.mark.parametrize(
    ("column", "new"), [("iteration", "a"), ("label", 0.0), ("weight", 3.0), ("qid", "other"), ("intent_type", "navy")]
)
def test_a_change_of_any_column_is_seen(column, new):
    frame = qrels("q a d1 1", "q b d2 1", weight=[1.0, 1.0], intent_type=["inf", "inf"])
    evaluate = IA(P_IA @ 1)
    before = value(evaluate, frame, run(q="d1", other=""))
    frame.loc[1, column] = new

    if column == "intent_type":
        with pytest.raises(ValueError, match="intent_type"):
            value(evaluate, frame, run(q="d1"))
    else:
        after = value(evaluate, frame, run(q="d1"))
        assert (before, after) == (0.5, {"iteration": 1, "label": 1, "weight": 0.25, "qid": 0.5}[column])


def test_a_column_more_is_seen():
    frame = qrels("q a d1 1", "q b d2 1")
    before = value(IA(P_IA @ 1), frame, run(q="d1"))
    frame["weight"] = [3, 1]

    after = value(IA(P_IA @ 1), frame, run(q="d1"))

    assert (before, after) == (0.5, 0.75)


@pytest.mark.parametrize("other", [1.0, True])
def test_names_of_another_type_are_refused_though_equal_integers_were_read(other):
    frame = qrels("named a d1 1", "named b d2 1").assign(iteration=pd.Series([1, 2], dtype=object))
    judge(frame)

    with pytest.raises(TypeError, match="iteration"):
        judge(frame.assign(iteration=pd.Series([other, 2], dtype=object)))


@pytest.mark.parametrize("dtype", [bool, "boolean", object])
def test_labels_that_are_true_or_false_are_1_and_0(dtype):
    frame = qrels("bools a d1 1", "bools b d2 0", "bools a d3 1").astype({"label": bool})

    given = judge(frame.astype({"label": dtype}))

    expected = judge(frame.astype({"label": int}))
    assert given.labels.value.tolist() == expected.labels.value.tolist() == [1, 1]
    assert given.rows.label.tolist() == [1, 0, 1]


def test_equal_qrels_are_read_once():
    frame = qrels("again a d1 1", "again b d2 1")

    assert judge(frame) is judge(frame.copy())
    assert judge(frame.assign(label=[True, True])) is not judge(frame.assign(label=[1, 1]))


@pytest.mark.parametrize("other", [7.0, True])
def test_numbers_of_another_type_are_no_ids_though_equal_integers_were_read(other):
    whole = pd.DataFrame({"qid": [int(other)], "docno": ["d1"], "label": [1]})
    judge(whole)

    with pytest.raises(TypeError, match="qid must contain"):
        judge(whole.assign(qid=[other]))


@pytest.mark.parametrize(
    ("measure", "ranking", "expected"),
    [
        (P_IA @ 1, "d1 x", 1 / 2),
        (AP_IA, "d1 x", 1 / 2),
        (RBU(p=0.5, e=0, gain="binary"), "d1 x", 1 / 4),
        (P_IA(judged_only=True) @ 1, "x d1", 1 / 2),
        (IA(ir_measures.P @ 1), "d1 x", 1 / 2),
        (Adhoc(ir_measures.P @ 1), "d1 x", 1),
    ],
    ids=str,
)
@pytest.mark.parametrize(("column", "new"), [("docno", "x"), ("label", 0.0), ("iteration", "z"), ("weight", 9.0)])
def test_an_evaluator_keeps_the_qrels_that_it_was_made_with(measure, ranking, expected, column, new):
    query = f"{column}{measure}"  # one of its own, so that nothing is remembered from another test
    frame = qrels(f"{query} a d1 1", f"{query} b d2 1", weight=[1.0, 1.0]).astype(
        {"docno": object, "iteration": object}
    )
    scores = evaluator(measure, of=frame)
    frame.loc[:, column] = new

    assert scores.calc_aggregate(run(**{query: ranking}))[measure] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "later", [Adhoc(ir_measures.P @ 1), IA(ir_measures.P @ 1), P_IA(judged_only=True) @ 1], ids=str
)
@pytest.mark.parametrize(("column", "new"), [("docno", "x"), ("label", 0.0)])
def test_qrels_changed_in_place_leave_no_trace_in_later_evaluators(column, new, later):
    frame = qrels(f"{column}{later} a d1 1").astype({"docno": object})
    unchanged = frame.copy(deep=True)
    evaluator(P_IA @ 1, of=frame)
    frame.loc[:, column] = new

    assert value(later, unchanged, {frame.qid[0]: {"y": 0.1, "d1": 0.5}}) == 1


def test_a_weight_that_sums_cannot_hold_is_refused():
    frame = pd.DataFrame({"qid": ["q"], "docno": ["d"], "label": [1], "iteration": ["a"], "weight": [1.5e308]})

    with pytest.raises(ValueError, match=r"weight must be in \[0, 1e\+100\], but query 'q' has 1.5e\+308"):
        judge(frame)


def passages(*rows, **columns):
    """Passage-level qrels of the rows "qid iteration docno passage nugget label"."""
    names = ["qid", "iteration", "docno", "passage", "nugget", "label"]
    return pd.DataFrame([row.split() for row in rows], columns=names).astype({"label": float}).assign(**columns)


def test_passages_give_a_document_their_highest_label_and_the_sum_as_gain():
    judgements = judge(passages("q x d p1 n1 2", "q x d p2 n2 3", "q x d p3 n2 -1", "q y d p4 n4 1", "q x e p5 n5 0"))

    assert judgements.labels.value.tolist() == [3, 1]
    assert judgements.labels.gain.tolist() == [5, 1]
    assert judgements.rows.label.tolist() == [3, 1, 0]


def test_without_passages_a_label_is_its_gain_unless_the_qrels_tell():
    frame = qrels("q x a 2", "q x b 0", "q y a 1")

    assert judge(frame).labels.gain.tolist() == [2, 1]
    assert judge(frame.assign(gain=[7.0, 0.0, 4.5])).labels.gain.tolist() == [7, 4.5]


def test_passages_are_read_by_number_and_then_by_name():
    judgements = judge(passages("q x d 10 a 2", "q x d 9 b 3", "q x d late c 1", "q x d early c 1", "q x e 1 a 0"))

    assert judgements.passages.rating.tolist() == [3, 2, 1, 1]
    assert judgements.passages.nugget.tolist() == [1, 0, 2, 2]
    assert set(judgements.passages.label.tolist()) == {0}


def test_a_nugget_belongs_to_its_intent():
    judgements = judge(passages("q x d 1 n 1", "q y d 2 n 1", "r x d 3 n 1"))

    assert len(set(judgements.passages.nugget.tolist())) == 3


def test_a_passage_that_is_there_twice_counts_once():
    frame = passages("q x d 1 a 2", "q x d 1 a 2", "q x d 2 b 1")

    assert judge(frame).labels.gain.tolist() == [3]


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        (["q x d 1 a 2", "q x d 1 a 3"], {}, "passage must have one rating and nugget for a document and intent"),
        (["q x d 1 a 2", "q x d 1 b 2"], {}, "passage must have one rating and nugget for a document and intent"),
        (["q x d 1 a 2"], {"label": float("nan")}, "label must be a finite number"),
        (["q x d 1 a 2"], {"weight": float("nan")}, "weight must be a finite number"),
        (["q x d 1 a 2"], {"gain": -1.0}, "gain must not be negative"),
        (
            ["q x d 1 a 2", "q x e 2 b 2"],
            {"weight": [1.0, 2.0]},
            "weight must be the same in all rows of a query's intent",
        ),
    ],
)
def test_passages_that_contradict_each_other_are_refused(rows, columns, message):
    with pytest.raises(ValueError, match=message):
        judge(passages(*rows, **columns))


def test_views_keep_the_passages_of_the_labels_that_they_keep():
    judgements = judge(passages("q x d 1 a 1", "q x e 2 b 3", "q y e 3 c 2"))

    assert judgements.view("ad hoc").passages.label.tolist() == [1, 0, 0]  # e comes before d
    assert judgements.view(rel=2).passages.rating.tolist() == [3, 2]
    each = judgements.view("each intent")
    assert each.documents.ids[each.labels.doc[each.passages.label]].tolist() == ["d", "e", "e"]
    assert each.labels.intent[each.passages.label].tolist() == [0, 0, 1]


# Intents without any judgement


def unjudged(*intents):
    """Rows that name intents of the query q, and judge no document."""
    return pd.DataFrame({"qid": "q", "iteration": list(intents), "docno": "", "label": 0.0})


def test_a_row_without_a_document_names_its_intent_and_judges_nothing():
    judgements = judge(pd.concat([qrels("q a d1 1", "q b d2 0"), unjudged("c")]))

    assert judgements.named.ids.tolist() == ["a", "b", "c"]
    assert judgements.intents.ids.tolist() == ["a"]
    assert judgements.judged_docs == [{"d1", "d2"}]


def test_a_query_may_consist_of_intents_without_a_judgement():
    frame = pd.concat([unjudged("a", "b"), qrels("r a d1 1")]).astype({"label": int})
    measures = [Coverage, StRecall, Adhoc(ir_measures.AP), IA(ir_measures.AP), ir_measures.AP]

    values = DiversityEvaluator(measures, frame).calc_aggregate(run(q="d1", r="d1"))

    assert values == dict.fromkeys(measures, 0.5)


@pytest.mark.parametrize("measure", [ir_measures.AP, ir_measures.Bpref, Adhoc(ir_measures.Bpref)], ids=str)
def test_qrels_of_intents_without_a_judgement_only_score_0(measure):
    evaluator = DiversityEvaluator([measure], unjudged("a", "b"))

    assert evaluator.calc_aggregate(run(q="d1")) == {measure: 0}


@pytest.mark.parametrize("measure", [ir_measures.Bpref, Adhoc(ir_measures.Bpref)], ids=str)
def test_a_row_without_a_document_is_not_passed_to_other_providers(measure):
    frame = qrels("q a d1 1", "q a d2 1", "q a d3 0").astype({"label": int})

    with_rows = DiversityEvaluator([measure], pd.concat([frame, unjudged("b").astype({"label": int})]))

    without = DiversityEvaluator([measure], frame)
    assert with_rows.calc_aggregate(run(q="d3 d1 d2")) == without.calc_aggregate(run(q="d3 d1 d2"))


def test_no_run_retrieves_a_row_without_a_document():
    frame = pd.concat([qrels("q a d1 1"), unjudged("b")])
    retrieved = pd.DataFrame({"qid": "q", "docno": ["", "d1"], "score": [2.0, 1.0]})

    assert value(Coverage @ 1, frame, retrieved) == 0
    assert value(alpha_nDCG(judged_only=True) @ 1, frame, retrieved) == 1


def test_a_label_above_0_without_a_document_is_refused():
    with pytest.raises(ValueError, match=r"label must be 0 in a row without a document, but query 'q' has 1\.0"):
        judge(unjudged("a").assign(label=1.0))


@pytest.mark.parametrize(
    ("importance", "message"),
    [
        (["vital", "okay"], "importance must be the same in all rows of a query's intent, but query 'q' has 'vital'"),
        (["vital", None], "qrels: row 1 has no importance"),
    ],
)
def test_an_importance_is_one_word_for_an_intent(importance, message):
    with pytest.raises(ValueError, match=message):
        judge(qrels("q a d1 1", "q a d2 1", importance=importance))


def test_an_importance_may_be_any_word_or_number():
    judgements = judge(qrels("q a d1 1", "q b d2 0", "q c d2 1", importance=["okay", 3, "vital"]))

    assert judgements.named.importance.tolist() == [0.5, 0, 1]
    assert judgements.view("each intent").named.importance.tolist() == [0.5, 1]


def test_what_an_importance_counts_may_be_given():
    judgements = judge(qrels("q a d1 1", "q b d2 1", importance=["must", "vital"], importance_value=[1, 0.25]))

    assert judgements.named.importance.tolist() == [1, 0.25]
    with pytest.raises(ValueError, match=r"importance_value must be in \[0, 1\], but query 'q' has 2"):
        judge(qrels("q a d1 1", importance_value=[2]))


@pytest.mark.parametrize("name", ["subtopic", "aspect", "intent", "facet", "perspective", "nugget"])
def test_a_column_that_looks_like_the_intent_is_refused_unless_another_one_is(name):
    judgements = qrels("q a d1 1", "q b d2 1")

    with pytest.raises(ValueError, match=rf"^qrels have a column {name}, but .* columns={{'{name}': 'iteration'}}"):
        judge(judgements.rename(columns={"iteration": name}))
    assert len(judge(judgements.assign(**{name: "x"})).intents.ids) == 2


def test_an_intent_type_with_an_unpaired_surrogate_is_refused_as_any_other():
    frame = pd.DataFrame(
        {"qid": ["q"], "docno": ["d"], "label": [1], "iteration": ["a"], "intent_type": ["\ud800"]}, dtype=object
    )

    with pytest.raises(ValueError, match=r"intent_type must be 'inf' or 'nav', but query 'q' has '\\ud800'"):
        judge(frame.astype({"label": int}))
