"""Qrels are read as they are meant, or refused."""

import re

import ir_measures
import numpy as np
import pandas as pd
import pytest

from by_hand import evaluator, qrels, run, value
from pyterrier_diversity import AP_IA, IA, P_IA, RBU, Adhoc, Coverage, StRecall, alpha_nDCG
from pyterrier_diversity.evaluate import DiversityEvaluator
from pyterrier_diversity.judged import judge


def passages(*rows: str, **columns: object) -> pd.DataFrame:
    """Passage-level qrels of the rows "qid iteration docno passage nugget label"."""
    names = ["qid", "iteration", "docno", "passage", "nugget", "label"]
    return pd.DataFrame([row.split() for row in rows], columns=names).astype({"label": float}).assign(**columns)


def unjudged(*intents: str) -> pd.DataFrame:
    """Rows that name intents of the query q, and judge no document."""
    return pd.DataFrame({"qid": "q", "iteration": list(intents), "docno": "", "label": 0.0})


# What is read

TWO = qrels("q a d1 1", "q b d2 1")
OF_TWO_QUERIES = qrels("p 1 d1 1", "p 2 d2 1", "q 1 d1 1")
ANY_NAMES = qrels("q a d1 1", "q b d2 1", "q c d3 1", "q d d4 1").assign(iteration=["", " ", "x\x1fy", "日本"])


@pytest.mark.parametrize(
    ("frame", "ranking", "expected"),
    [
        (qrels("q a d1 1", "q b d1 1", "q c d2 1"), {"q": "d1"}, {StRecall @ 1: 2 / 3}),
        (TWO.drop(columns="iteration"), {"q": "d1"}, {StRecall @ 1: 1}),
        (TWO.rename(columns={"iteration": "subtopic_id"}), {"q": "d1"}, {StRecall @ 1: 1 / 2}),
        # a constant iteration says nothing
        (qrels("q 0 d1 1", "q 0 d1 1", "q 0 d2 1", subtopic_id=["a", "b", "c"]), {"q": "d1"}, {StRecall @ 1: 2 / 3}),
        (qrels("q 1 d1 1", "q 2 d2 1", subtopic_id=[1, 2]), {"q": "d1"}, {StRecall @ 1: 1 / 2}),
        (OF_TWO_QUERIES, {"p": "d1", "q": "d1"}, {StRecall @ 1: (1 / 2 + 1) / 2}),
        (
            ANY_NAMES.assign(iteration=pd.Series([1, "spam", 25, "1 "], dtype=object)),
            {"q": "d1"},
            {StRecall @ 1: 1 / 4},
        ),
        (ANY_NAMES, {"q": "d1 d3"}, {StRecall @ 2: 1 / 2, IA(ir_measures.P @ 1): 1 / 4}),
        # without intents, and with equal rows
        (qrels("p a d1 1", "q a d1 1").drop(columns="iteration"), {"p": "d1", "q": "d1"}, {P_IA @ 1: 1}),
        (
            qrels("q a d1 1", "q a d1 1", "q a d2 1", "q b d2 1", "q b d2 1", "q b d2 1"),
            {"q": "d1"},
            {P_IA @ 1: 1 / 2, AP_IA: 1 / 4, IA(ir_measures.AP): 1 / 4},
        ),
        # labels
        (qrels("q a d1 1", "q a d2 -2", "q b d2 -1"), {"q": "d2 d1"}, {StRecall @ 2: 1}),
        (qrels("q a d1 1", "q a d2 -2", "q b d2 -1"), {"q": "x d2 d1"}, {P_IA(judged_only=True) @ 1: 0}),
        (qrels("q a d1 1", "q b d1 0", "q c d2 -2"), {"q": "d1"}, {StRecall @ 1: 1, IA(ir_measures.AP): 1}),
        (qrels("q a d1 0.5", "q b d1 0.25"), {"q": "d1"}, {P_IA @ 1: 1}),
        (qrels("p a d1 1", "q a d1 0"), {"p": "d1", "q": "d1"}, {P_IA @ 1: 1 / 2}),
        (qrels("q a d1 0", "q a d2 -1"), {"q": "d1 d2"}, {RBU(p=0.5, e=0.1): -0.1 * (1 / 2 + 1 / 4)}),
        # weights
        (qrels("q a d1 1", "q b d2 1", "q b d3 1", weight=[3, 1, 1]), {"q": "d1"}, {IA(P_IA @ 1): 3 / 4}),
        (
            qrels("q a d1 1", "q b d2 1", "q b d3 1", weight=[3, 1, 1]),
            {"q": "d2 d1"},
            {RBU(p=0.5, e=0, gain="binary"): 1 / 4 / 2 + 3 / 4 / 4},
        ),
        (qrels("q a d1 1", "q b d2 1", "q c d3 0", weight=[1, 3, 96]), {"q": "d1"}, {IA(P_IA @ 1): 1 / 4}),
        (
            qrels("p a d1 1", "p b d2 1", "q a d1 1", "q b d2 1", weight=[1, 1, 4, 1]),
            {"p": "d1", "q": "d1"},
            {IA(P_IA @ 1): (1 / 2 + 4 / 5) / 2},
        ),
        (qrels("q a d1 1", "q b d2 0", weight=[1, 0]), {"q": "d2 d1"}, {P_IA(judged_only=True) @ 1: 1}),
        (qrels("p a d1 1", "q a d1 1", weight=[1, 0]), {"p": "d1", "q": "d1"}, {P_IA @ 1: 1 / 2}),
    ],
)
def test_intents_labels_and_weights_are_read_as_they_are_meant(frame, ranking, expected):
    assert ir_measures.calc_aggregate(expected, frame, run(**ranking)) == pytest.approx(expected, abs=1e-12)


# What is refused

MANY = qrels(*(f"q{i} a d{i} {label}" for label in (0, 1) for i in range(1, 6)))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            qrels("q 1 d1 1", "q 2 d2 1", subtopic_id=["1", "3"]),
            "iteration must agree with subtopic_id, .* but query 'q' has '2'",
        ),
        (
            qrels("q a d1 1", "q a d2 1", "q b d2 1").drop(columns="iteration"),
            r"several rows for document 'd2' of query 'q', but no column iteration or subtopic_id .*io\.read_qrels",
        ),
        (
            qrels("q a d1 1", "q b d1 1", "q b d1 2"),
            "different labels for one query, intent and document.* query 'q', iteration 'b', document 'd1': 1, 2",
        ),
        (qrels("q a d1 0", "q a d1 -2"), "document 'd1': 0, -2"),
        (MANY, r"\(5 .*query 'q1'.*document 'd1': 0, 1; query 'q2'.*; query 'q3'[^;]*$"),
        (
            qrels(*(f"q {intent} d {label}" for label in (0, 1) for intent in "cab")),
            "iteration 'c'.* iteration 'a'.* iteration 'b'",
        ),
        (qrels("q a d1 1", "q a d1 2").rename(columns={"iteration": "subtopic_id"}), "subtopic_id 'a'"),
        (
            qrels("q a d1 1", "q a d1 1", gain=[1.0, 5.0]),
            "gain must be the same in all rows of a query's intent and document",
        ),
        # out of range
        (qrels("p a d1 1", "q a d1 1", weight=[1, -0.5]), "weight must not be negative, but query 'q' has -0.5"),
        (qrels("q a d1 1", weight=[1.5e308]), r"weight must be at most 1e\+100, but query 'q' has 1.5e\+308"),
        (qrels("p a d1 1", "q a d1 1", rarity=[1, -0.25]), "rarity must not be negative, but query 'q' has -0.25"),
        (qrels("p a d1 1", "q a d1 1", rarity=[1, 1.5]), "rarity must be at most 1, but query 'q' has 1.5"),
        (qrels("q a d1 1", importance_value=[2]), "importance_value must be at most 1, but query 'q' has 2"),
        *(
            (qrels("p a d1 1", "q a d1 1", **{name: [1, bad]}), f"{name} must be a finite number, .* 'q' has {bad}")
            for name in ("weight", "rarity")
            for bad in (np.nan, np.inf)
        ),
        *(
            (
                qrels("p a d1 1", "q a d1 1", intent_type=pd.Series(["inf", bad], dtype=object)),
                f"intent_type must be 'inf' or 'nav', but query 'q' has {re.escape(repr(bad))}",
            )
            for bad in ("navy", "inv", "NAV", "", "\ud800")
        ),
        (unjudged("a").assign(label=1.0), r"label must be 0 in a row without a document, but query 'q' has 1\.0"),
        (qrels("q a d1 1", "q a d2 1", importance=["vital", None]), "qrels: row 1 has no importance"),
        # not constant
        *(
            (
                qrels("p a d1 1", "q a d1 1", "q a d2 0", **{name: cells}),
                f"{name} must be the same in all rows of a query's intent, but query 'q' has {cells[1]!r}",
            )
            for name, cells in (
                ("weight", [1, 1, 2]),
                ("intent_type", ["inf", "inf", "nav"]),
                ("importance", ["okay", "vital", "okay"]),
            )
        ),
        (
            qrels("p a d1 1", "q a d1 1", "q b d1 1", rarity=[0, 0.5, 1]),
            "rarity must be the same in all rows of a query's document, but query 'q' has",
        ),
        (
            qrels("q a d1 1", "q b d2 1", intent_type=["inf", "nav"]).rename(columns={"iteration": "topic"}),
            r"rows of a query's intent \(no column iteration tells them apart\), but",
        ),
        # passages
        (passages("q x d 1 a 2", "q x d 1 a 3"), "passage must have one rating and nugget for a document and intent"),
        (passages("q x d 1 a 2", "q x d 1 b 2"), "passage must have one rating and nugget for a document and intent"),
        *(
            (passages("q x d 1 a 2", **{name: np.nan}), f"{name} must be a finite number")
            for name in ("label", "weight")
        ),
        (passages("q x d 1 a 2", gain=-1.0), "gain must not be negative"),
        (passages("q x d 1 a 2", "q x e 2 b 2", weight=[1.0, 2.0]), "weight must be the same in all rows of a query's"),
    ],
)
def test_qrels_that_would_mislead_are_refused(frame, message):
    with pytest.raises(ValueError, match=message):
        judge(frame)


# Weights of 0


@pytest.mark.parametrize(
    "measure",
    [StRecall @ 2, P_IA @ 2, AP_IA, alpha_nDCG @ 2, RBU, IA(ir_measures.AP), Adhoc(ir_measures.AP), IA(P_IA @ 2)],
    ids=str,
)
def test_rows_of_weight_0_are_dropped_for_every_measure(measure):
    frame = qrels("q a d1 1", "q b d1 2", "q b d2 1", "q b d3 0", weight=[1, 0, 0, 0])

    assert value(measure, frame, run(q="d2 d1")) == value(measure, qrels("q a d1 1"), run(q="d2 d1")) != 0


# Intent types


def test_intent_types_are_inf_or_nav():
    judgements = judge(qrels("q a d1 1", "q b d1 1", "q c d1 0", intent_type=["inf", "nav", "nav"]))

    assert judgements.intents.ids.tolist() == ["a", "b"]
    assert judgements.intents.navigational.tolist() == [False, True]


# Rarity


def test_rarity_belongs_to_the_document_in_its_query():
    judgements = judge(qrels("p a d1 1", "q a d1 1", "q b d1 2", "q a d2 1", rarity=[0, 0.5, 0.5, 1]))

    documents = judgements.documents
    rarity = dict(
        zip(zip(documents.query.tolist(), documents.ids.tolist(), strict=True), documents.rarity.tolist(), strict=True)
    )
    assert rarity == {(0, "d1"): 0.0, (1, "d1"): 0.5, (1, "d2"): 1.0}


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


# Reading again


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


@pytest.mark.parametrize("other", [7.0, True])
@pytest.mark.parametrize("name", ["qid", "iteration"])
def test_names_of_another_type_are_refused_though_equal_integers_were_read(name, other):
    whole = pd.DataFrame({"qid": [int(other)], "docno": ["d1"], "label": [1], "iteration": [int(other)]})
    judge(whole)

    with pytest.raises(TypeError, match=f"{name} must contain"):
        judge(whole.assign(**{name: [other]}))


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


def test_views_keep_the_passages_of_the_labels_that_they_keep():
    judgements = judge(passages("q x d 1 a 1", "q x e 2 b 3", "q y e 3 c 2"))

    assert judgements.view("ad hoc").passages.label.tolist() == [1, 0, 0]  # e comes before d
    assert judgements.view(rel=2).passages.rating.tolist() == [3, 2]
    each = judgements.view("each intent")
    assert each.documents.ids[each.labels.doc[each.passages.label]].tolist() == ["d", "e", "e"]
    assert each.labels.intent[each.passages.label].tolist() == [0, 0, 1]


# Intents without any judgement


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


def test_an_importance_may_be_any_word_or_number():
    judgements = judge(qrels("q a d1 1", "q b d2 0", "q c d2 1", importance=["okay", 3, "vital"]))

    assert judgements.named.importance.tolist() == [0.5, 0, 1]
    assert judgements.view("each intent").named.importance.tolist() == [0.5, 1]


def test_what_an_importance_counts_may_be_given():
    judgements = judge(qrels("q a d1 1", "q b d2 1", importance=["must", "vital"], importance_value=[1, 0.25]))

    assert judgements.named.importance.tolist() == [1, 0.25]


@pytest.mark.parametrize("name", ["subtopic", "aspect", "intent", "facet", "perspective", "nugget", "nugget_text"])
def test_a_column_that_looks_like_the_intent_is_refused_unless_another_one_is(name):
    judgements = qrels("q a d1 1", "q b d2 1")

    with pytest.raises(ValueError, match=rf"^qrels have a column {name}, but .* columns={{'{name}': 'iteration'}}"):
        judge(judgements.rename(columns={"iteration": name}))
    assert len(judge(judgements.assign(**{name: "x"})).intents.ids) == 2
