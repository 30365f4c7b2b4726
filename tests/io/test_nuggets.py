"""Nuggets of every format become the same kind of qrels, and nothing is dropped without a word."""

import ast
import gzip
import json
import re
import warnings
from hashlib import md5

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

from by_hand import value
from pyterrier_diversity import NUGGETS, Adhoc, Coverage, NuggetScore, StRecall, evaluate_runs, meta, missed_intents
from pyterrier_diversity.frames import PYTERRIER_NAMES
from pyterrier_diversity.io import answers, read_nuggets, read_qrels, read_run, write_qrels
from shape_examples import OF_NUGGETS


def rows(qrels, *columns):
    """The rows of qrels as tuples of some columns, sorted."""
    return sorted(map(tuple, qrels[list(columns or ("qid", "iteration", "docno", "label"))].to_numpy().tolist()))


def digest(text):
    return md5(text.encode()).hexdigest()


def read_in_silence(*args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_nuggets(*args, **kwargs)


def nugget(text, importance="vital", assignment=None):
    return {"text": text, "importance": importance, **({"assignment": assignment} if assignment else {})}


CREATED = {"query": "is it free", "qid": "1", "nuggets": [nugget("yes"), nugget("no", "okay")]}


def answer(run_id="mine", qid="1", **assignments):
    """An answer, with the assignment of each nugget by its text."""
    nuggets = [nugget(text, assignment=assignment) for text, assignment in assignments.items()]
    return {"query": "is it free", "qid": qid, "answer_text": "It is.", "run_id": run_id, "nuggets": nuggets}


# AutoNuggetizer


def test_nuggets_alone_are_rows_without_a_document():
    with pytest.warns(UserWarning, match="nuggets without a judgement, only a row without a document: 2"):
        qrels = read_nuggets([CREATED])

    columns = ["qid", "docno", "label", "iteration", "weight", "importance", "nugget_text"]
    assert qrels.columns.tolist() == [*columns, "query"]
    assert rows(qrels, *columns) == sorted(
        [("1", "", 0, digest("yes"), 1.0, "vital", "yes"), ("1", "", 0, digest("no"), 0.5, "okay", "no")]
    )


def test_a_text_that_is_there_twice_is_numbered_and_counts_twice():
    line = answer()
    line["nuggets"] = [nugget("yes", assignment="support"), *[nugget("yes", assignment="not_support")] * 2]

    qrels = read_in_silence([line])

    assert rows(qrels, "iteration", "label") == [
        (digest("yes"), 2),
        (f"{digest('yes')}-2", 0),
        (f"{digest('yes')}-3", 0),
    ]
    assert value(NuggetScore, qrels, answers(qrels)["mine"]) == pytest.approx(1 / 3)


def test_words_that_a_model_made_up_are_counted_and_none_is_dropped():
    line = answer(a="support", b="established", c="rooted_in_support", d="not_support")
    line["nuggets"][0]["importance"] = "failed"
    del line["nuggets"][1]["importance"]

    with pytest.warns(UserWarning, match="read_nuggets") as caught:
        qrels = read_nuggets([line])

    assert [str(warning.message) for warning in caught] == [
        "read_nuggets: 4 nuggets; assignments with an unknown word, which counts as 0: 2 "
        "('established', 'rooted_in_support'); nuggets without a known importance, with the lowest weight, and 0 in "
        "vital and weighted scores: 2 ('failed')."
    ]
    assert rows(qrels, "nugget_text", "label", "weight", "importance") == [
        ("a", 2, 0.5, "failed"),
        ("b", 0, 0.5, ""),
        ("c", 0, 1.0, "vital"),
        ("d", 0, 1.0, "vital"),
    ]


def test_words_may_mean_what_the_user_says():
    line = answer(a="full", b="some", c="none")
    line["nuggets"][2]["importance"] = 3

    with pytest.warns(UserWarning, match=r"assignments with an unknown word, which counts as 0: 1 \('none'\)\.$"):
        qrels = read_nuggets([line], levels={"full": 4, "some": 0.5}, importance={"vital": 5, 3: 2})

    assert rows(qrels, "nugget_text", "label", "weight") == [("a", 4.0, 5.0), ("b", 0.5, 5.0), ("c", 0.0, 2.0)]


@pytest.mark.parametrize("given", [[1, 2, None], ["1.0", "2.0", None], [1, 2, 2]])
def test_words_that_are_whole_numbers_may_be_floats(given):
    judged = pd.DataFrame({"qid": "1", "docno": ["a", "b", None], "assignment": given, "iteration": ["x", "x", "y"]})
    judged = judged.assign(importance=given).dropna()

    for levels in ({1: 2, 2: 1}, {1.0: 2, "2.0": 1}):
        qrels = read_nuggets(judged.drop(columns="importance"), levels=levels)
        assert rows(qrels, "docno", "label") == [("a", 2), ("b", 1)]
    qrels = read_nuggets(judged.assign(iteration=["x", "y"]), levels={1: 1, 2: 1}, importance={1.0: 1, 2.0: 0.5})
    assert rows(qrels, "docno", "importance", "weight") == [("a", "1", 1.0), ("b", "2", 0.5)]


def test_files_of_several_systems_are_read_together(tmp_path):
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"]
    paths[0].write_text(json.dumps(answer("a", yes="support", no="not_support")))
    paths[1].write_bytes(gzip.compress(json.dumps(answer("b", yes="not_support", no="support")).encode()))

    of_files, of_folder = read_in_silence(paths), read_in_silence(tmp_path)

    pd.testing.assert_frame_equal(of_files, of_folder)
    assert rows(of_files, "docno", "nugget_text", "label") == [
        ("a", "no", 0),
        ("a", "yes", 2),
        ("b", "no", 2),
        ("b", "yes", 0),
    ]
    assert list(answers(of_files)) == ["a", "b"]


def test_a_folder_may_be_hidden_files_only_and_is_then_refused(tmp_path):
    (tmp_path / ".hidden").write_text("{}")

    with pytest.raises(ValueError, match=r"the folder is empty\."):
        read_nuggets(tmp_path)


@pytest.mark.parametrize("other", [{"yes": "support"}, {"yes": "support", "maybe": "support"}])
@pytest.mark.parametrize("document", ["run_id", "docid"])
def test_queries_in_which_different_nuggets_were_assigned_are_left_out_and_named_or_refused(other, document):
    same = [answer(run, qid="0", yes="support", no="support") for run in "ab"]
    lines = [*same, answer("a", yes="support", no="support"), answer("b", **other)]
    lines = [{document if name == "run_id" else name: value for name, value in line.items()} for line in lines]

    named = r"different nuggets, even when compared by text: '1' \('a' has 'no'\)\."
    with pytest.warns(
        UserWarning, match=rf"^read_nuggets: 1 of 2 queries are left out for all runs, because .*{named}$"
    ):
        qrels = read_nuggets(lines)
    assert rows(qrels, "qid", "docno", "nugget_text") == [("0", run, text) for run in "ab" for text in ("no", "yes")]
    with pytest.raises(ValueError, match=f"^read_nuggets: 1 of 1 queries are left out for all runs, .*{named}$"):
        read_nuggets(lines[2:])


@pytest.mark.parametrize(("document", "queries"), [("docid", {"0", "1"}), ("run_id", {"0"})])
def test_an_answer_without_nuggets_differs_from_others_and_a_passage_without_nuggets_is_not_judged(document, queries):
    lines = [answer("a", "0", yes="support"), answer("a", "1", yes="support"), answer("b", "1")]
    lines = [{document if name == "run_id" else name: value for name, value in line.items()} for line in lines]

    with pytest.warns(UserWarning, match="read_nuggets: .* empty lists of nuggets|are left out"):
        qrels = read_nuggets(lines)

    assert set(qrels["qid"]) == queries


@pytest.mark.parametrize("document", ["run_id", "docid"])
@pytest.mark.parametrize("other", ["Caf\u0065\u0301  is\u00a0free ", " Caf\u00e9 is free"])
def test_nuggets_whose_texts_differ_in_spaces_and_forms_of_unicode_are_the_same(other, document):
    lines = [
        {"qid": "1", document: "a", "nuggets": [nugget("Caf\u00e9 is free", assignment="support")]},
        {"qid": "1", document: "b", "nuggets": [nugget(other, assignment="not_support")]},
    ]

    qrels = read_in_silence(lines)

    expected = digest("Caf\u00e9 is free"), "Caf\u00e9 is free"
    assert rows(qrels, "iteration", "nugget_text", "docno") == [(*expected, "a"), (*expected, "b")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"run_id": None}, "docno (or doc_id, docid, pid, did, run_id, agent) is missing"),
        ({"qid": None}, "qid (or query_id, topic_id, example_id, metadata, id) is missing"),
        ({"qid": 1.5}, "qid must be a non-empty string or an integer, not 1.5"),
        ({"qid": True}, "qid must be a non-empty string or an integer, not True"),
        ({"nuggets": {"text": "a"}}, "nuggets['text'] must be an object, not 'a'"),
        ({"nuggets": [7]}, "nuggets[0] must be an object, not 7"),
        ({"nuggets": [{"importance": "vital"}]}, "nuggets[0].text (or nugget_text, criterion, "),
        ({"nuggets": [{"text": 7}]}, "nuggets[0].text must be a non-empty string, not 7"),
        ({"nuggets": [{"text": "a", "assignment": ["support"]}]}, "nuggets[0].assignment must be a non-empty string"),
        (
            {"nuggets": [{"text": "a", "assignment": "support", "importance": {}}]},
            "nuggets[0].importance must be a non-empty string",
        ),
    ],
)
def test_an_error_names_file_line_and_field(change, message, tmp_path):
    path = tmp_path / "assigned.jsonl"
    path.write_text("\n".join(map(json.dumps, [answer(a="support"), {**answer(a="support"), **change}])))

    with pytest.raises(ValueError, match=f"^{re.escape(f'{path}, line 2: {message}')}.*\\.$"):
        read_nuggets(path)


def test_empty_lists_of_nuggets_are_counted():
    passage = {"qid": "1", "docid": "d", "nuggets": []}

    with pytest.warns(UserWarning, match=r"nuggets; empty lists of nuggets: 3\."):
        read_nuggets([{**CREATED, "nuggets": []}, {**CREATED, "nuggets": None}, passage, answer(a="support")])

    with pytest.raises(ValueError, match=r"^read_nuggets: 1 objects contain no nugget\.$"):
        read_nuggets([passage])


def test_the_answers_of_three_systems_have_the_published_scores(shared):
    with pytest.warns(
        UserWarning, match="620 nuggets; assignments with an unknown word.*: 34 .*; nuggets without .*importance.*: 14"
    ):
        qrels = read_nuggets(shared / "nuggets" / "assignments")

    table = evaluate_runs(qrels, answers(qrels), NUGGETS, perquery=True)

    expected = {}
    for system, run in [
        ("command-r-plus", "command-r-plus"),
        ("gpt-4o", "gpt-4o"),
        ("llama-3.1-70b", "l31_70b_instruct"),
    ]:
        with gzip.open(shared / "nuggets" / "metrics" / f"{system}.jsonl.gz", "rt", encoding="utf-8") as stream:
            for line in map(json.loads, stream):
                names = [f"{strict}{kind}_score" for kind in ("vital", "weighted", "all") for strict in ("strict_", "")]
                for name, measure in zip(names, NUGGETS, strict=True):
                    expected[f"baseline_rag24.test_{run}_top20", line["qid"], str(measure)] = line[name]
    assert {tuple(key): score for *key, score in table.itertuples(index=False)} == expected
    assert len(expected) == 3 * 30 * 6


# What is read in silence


FREE, YES = "is it free", nugget("yes", "okay", "support")
N1 = {"qid": "1", "docno": "d", "label": "1", "iteration": "0", "nugget_id": "n1", "nugget": "text"}
OKAY_7 = {"qid": "1", "docno": "d", "label": 1, "iteration": "a", "importance": "okay", "weight": "7"}
STANCE = {"query_id": "1", "doc_id": "d", "relevance": 1, "iteration": "0", "stance": "PRO"}
# All groups of gold documents are needed, and any document of each.
GROUPS = [
    {"q1": [["a", "b"], ["c"]], "q2": [["d"]]},
    [{"qid": "q1", "query": "?", "retrieval_gt": [["a", "b"], ["c"]]}, {"qid": "q2", "retrieval_gt": [["d"]]}],
    pd.DataFrame({"qid": ["q1", "q2"], "retrieval_gt": [[["a", "b"], ["c"]], [["d"]]]}),
]
OF_GROUPS = {"qid": ["q1"] * 3 + ["q2"], "iteration": ["1", "1", "2", "1"], "docno": list("abcd"), "label": [1] * 4}
LISTED, OWN = {**N1, "label": 3}, {"text": "a", "documents": [{"doc_id": "d", "relevance": 0}, {"doc_id": "e"}]}
OLDER = {"evaluator_name": "rubric", "answer": {"criteria_addressed": ["a"]}}
CLAIM, FRESH = {"claim": "c", "references": ["d"]}, {"_id": "1_0", "text": "a", "relevant_corpus_ids": ["x"]}
ASPECTS = [
    {"query": "q1", "id": "q1-a", "weight": 0.75, "supporting_docs": ["d1", "d2"]},
    {"query": "q1", "id": "q1-b", "weight": 0.25, "supporting_docs": ["d2"]},
]
RAGTIME = {
    "metadata": {"team_id": "t", "topic_id": "topic-1", "run_id": "r"},
    "nugget_bank": [
        {"question": "First?", "aggregator_type": "OR", "answers": [{"answer": "a", "references": ["doc-1"]}]}
    ],
}


@pytest.mark.parametrize(
    ("source", "columns", "expected"),
    [
        (
            [answer(yes="support", maybe="partial_support", no="not_support")],
            None,
            {"nugget_text": ["maybe", "no", "yes"], "docno": ["mine"] * 3, "label": [1, 0, 2], "query": [FREE] * 3},
        ),
        ([answer(a="support")] * 2, None, {"docno": ["mine"], "label": [2]}),
        (
            {"text": "is it free", "qid": "1", "candidate_text": "...", "docid": "d7", "nuggets": [YES]},
            None,
            {"qid": ["1"], "docno": ["d7"], "label": [2], "weight": [0.5], "query": [FREE]},
        ),
        (RAGTIME, None, {"qid": ["topic-1"], "iteration": [digest("First?")], "docno": ["doc-1"], "label": [1]}),
        # The iteration 0 says nothing.
        ([N1], None, {"iteration": ["n1"], "nugget_text": ["text"], "label": [1]}),
        ([{**OKAY_7, "query": "Why"}], None, {"weight": [7.0], "query": ["Why"]}),
        ([{"query_id": "1", "query_title": "Who", "nuggets": [FRESH]}], None, {"docno": ["x"], "query": ["Who"]}),
        ([{"query_id": "1", "title_query": "M", "claim_bank": [CLAIM]}], None, {"docno": ["d"], "query": ["M"]}),
        ([{"qid": "q1", "query": "Why", "retrieval_gt": [["a"]]}], None, {"docno": ["a"], "query": ["Why"]}),
        ([STANCE], {"stance": "iteration"}, {"iteration": ["PRO"], "docno": ["d"], "iteration (old)": ["0"]}),
        # The names of columns are read in lists, too; documents may have labels of their own.
        ([{"qid": "1", "docno": "d", "nuggets": [LISTED]}], None, {"iteration": ["n1"], "docno": ["d"], "label": [3]}),
        ([{"qid": "1", "nuggets": [OWN]}], None, {"docno": ["d", "e"], "label": [0, 1]}),
        ([{"qid": "1", "pid": "p", "rating": [True, "L5"]}], None, {"iteration": ["0", "1"], "label": [1, 5]}),
        (
            [{"qid": "1", "run_id": "m", "nugget_id": "n", "assignment": "support"}],
            None,
            {"docno": ["m"], "label": [2]},
        ),
        ([{"qid": "1", "agent": "m", **OLDER}], None, {"docno": ["m"], "iteration": ["a"], "label": [1]}),
        # Only some objects have this field.
        (
            [{"topic": "1", "docno": "d", "label": 1, "iteration": "a"}, {**N1, "qid": "2"}],
            {"topic": "qid"},
            {"qid": ["1", "2"], "nugget_text": ["", "text"]},
        ),
        *((source, None, OF_GROUPS) for source in GROUPS),
        (
            ASPECTS,
            {"query": "qid", "id": "iteration", "supporting_docs": "docno"},
            {
                "iteration": ["q1-a", "q1-a", "q1-b"],
                "docno": ["d1", "d2", "d2"],
                "weight": [0.75, 0.75, 0.25],
                "label": [1] * 3,
            },
        ),
    ],
)
def test_what_says_all_is_read_in_silence(source, columns, expected):
    qrels = read_in_silence(source, columns=columns)

    assert rows(qrels, *expected) == sorted(zip(*expected.values(), strict=True))


# What all formats share


ROW = {"qid": "q1", "docno": "d1", "label": 1, "nugget_text": "cause"}


A, B = {"text": "a", "weight": 3}, {"text": "b", "weight": "1"}
ASSIGNED_A, ASSIGNED_B = A | {"assignment": True}, B | {"assignment": "false"}
JUDGED = [
    {"criterion": {"criterion_name": "a", "short_question": "a?", "weight": 3.0}, "fulfillment": True},
    {"criterion": {"criterion_name": "b", "short_question": "b?", "weight": None}, "fulfillment": False},
]
BY_ANSWER = {"question": "a", "weight": 3, "answers": [{"answer": "x", "references": ["d1"]}]}
CLAIM_B = {"claim": "b", "weight": 1.0, "references": ["d2"]}
WEIGHTED = {
    "table": [
        {"qid": "q", "criterion": x["text"], "weight": x["weight"], "docno": [f"d{x['weight']}"]} for x in (A, B)
    ],
    "autonuggetizer": {"qid": "q", "docid": "d3", "nuggets": [ASSIGNED_A, ASSIGNED_B]},
    "importance": {
        "qid": "q",
        "docid": "d3",
        "nuggets": [{**ASSIGNED_A, "importance": "okay"}, {**ASSIGNED_B, "importance": "vital"}],
    },
    "freshstack": {
        "query_id": "q",
        "nuggets": [A | {"relevant_corpus_ids": ["d3"]}, B | {"relevant_corpus_ids": ["d2"]}],
    },
    "ragelo": {"qid": "q", "did": "d3", "evaluator_name": "rubric_coverage", "answer": {"criteria": JUDGED}},
}


@pytest.mark.parametrize("source", WEIGHTED.values(), ids=WEIGHTED)
def test_the_weight_of_a_nugget_counts_in_every_format_and_more_than_its_importance(source):
    assert value(Coverage @ 1, read_in_silence(source), {"q": {"d3": 1.0}}) == 0.75


@pytest.mark.parametrize("unit", ["question", "answer"])
def test_the_weight_of_a_question_is_that_of_its_answers(unit):
    bank = {"query_id": "q", "nugget_bank": [BY_ANSWER], "claim_bank": [CLAIM_B]}

    assert value(Coverage @ 1, read_in_silence(bank, unit=unit), {"q": {"d1": 1.0}}) == 0.75


TWICE = [{"qid": "q", "docid": doc, "nuggets": [YES, {**YES, "text": ""}, {**YES, "text": " "}]} for doc in "ab"]
ASKED = [{"example_id": "q", "questions": ["", "a?"]}, {"example_id": "q", "pid": "d", "rating": [5, 1]}]
NO_QUESTION = {"query_id": "q", "nugget_bank": {"": {"references": ["d"]}, "a?": {"references": ["d"]}}}


@pytest.mark.parametrize(
    ("source", "places"),
    [(TWICE, ["nuggets[1]", "nuggets[2]"]), (ASKED, ["questions[0]"]), (NO_QUESTION, ["nugget_bank['']"])],
)
def test_nuggets_with_an_empty_text_are_named_by_their_place_and_counted_once(source, places):
    with pytest.warns(
        UserWarning, match=rf"^read_nuggets: \d nuggets; nuggets with an empty text.*: {len(places)} \("
    ) as caught:
        qrels = read_nuggets(source)

    assert len(caught) == 1
    assert sorted(qrels.loc[qrels["nugget_text"] == "", "iteration"].unique()) == places
    assert qrels["iteration"].nunique() == len(places) + 1


@pytest.mark.parametrize(
    ("record", "columns"),
    [
        ({"id": "s1", "query": "what", "expected_docs": ["a", "b"]}, {"id": "qid", "expected_docs": "docno"}),
        ({"qid": "1", "rubrics": [{"criterion": "x", "weight": 4.0, "axis": "Explicit"}]}, None),
    ],
)
def test_the_names_that_a_message_advises_lead_on(record, columns):
    with pytest.raises(ValueError, match=f"; found: {', '.join(record)}\\. Rename fields, as in columns=") as caught:
        read_nuggets([record], columns=columns)

    advised = ast.literal_eval(str(caught.value).partition("columns=")[2].rstrip("."))
    with pytest.warns(UserWarning, match="each is one group|without a judgement"):
        assert len(read_nuggets([record], columns=advised)) > 0


# FreshStack


FRESHSTACK = {
    "query_id": "76185522",
    "query_title": "...",
    "nuggets": [
        {"_id": "76185522_0", "text": "a", "relevant_corpus_ids": ["x", "y"], "non_relevant_corpus_ids": ["z"]},
        {"_id": "76185522_1", "text": "b", "relevant_corpus_ids": [], "non_relevant_corpus_ids": []},
    ],
}


def test_nuggets_of_freshstack_have_documents_of_label_1_and_0():
    with pytest.warns(UserWarning, match=r"^read_nuggets: 2 nuggets; nuggets without a judgement.*: 1\.$"):
        qrels = read_nuggets(FRESHSTACK)

    query = "76185522"
    first = [(query, f"{query}_0", doc, label) for doc, label in (("x", 1), ("y", 1), ("z", 0))]
    assert rows(qrels) == [*first, (query, f"{query}_1", "", 0)]
    assert "weight" not in qrels
    assert value(Coverage @ 1, qrels, {query: {"x": 1.0}}) == 0.5
    assert value(StRecall @ 1, qrels, {query: {"x": 1.0}}) == 1


# NuggetBank and RAGTIME


BANK = {
    "query_id": "1",
    "format_version": "v3",
    "nugget_bank": {
        "Who built it?": {
            "question": "Who built it?",
            "question_id": "q-1",
            "aggregator_type": "AND",
            "importance": "vital",
            "answers": {
                "the Inca": {"answer": "the Inca", "references": [{"doc_id": "d42", "collection": "c"}]},
                "in stone": {"references": ["d43", "d42"]},
            },
        }
    },
    "claim_bank": {"It is old": {"claim": "It is old", "query_id": "1", "references": [{"doc_id": "d108"}]}},
}


def test_questions_and_claims_of_a_bank_are_intents():
    with (
        pytest.warns(UserWarning, match=r"an aggregator_type that unit='question' does not read: 1 \('AND'\)"),
        pytest.warns(UserWarning, match=r"^read_nuggets: 2 nuggets; nuggets without a known importance.*: 1\.$"),
    ):
        qrels = read_nuggets(BANK)

    assert rows(qrels) == sorted(
        [("1", "q-1", "d42", 1), ("1", "q-1", "d43", 1), ("1", digest("It is old"), "d108", 1)]
    )
    assert rows(qrels, "nugget_text", "weight") == [("It is old", 0.5), ("Who built it?", 1.0), ("Who built it?", 1.0)]


def test_answers_of_a_bank_are_intents_where_the_user_says_so():
    with pytest.warns(UserWarning, match=r"^read_nuggets: 3 nuggets; nuggets without a known importance.*: 1\.$"):
        qrels = read_nuggets(BANK, unit="answer")

    expected = [(digest("the Inca"), "d42"), (digest("in stone"), "d42"), (digest("in stone"), "d43")]
    assert rows(qrels, "iteration", "docno") == sorted([*expected, (digest("It is old"), "d108")])
    assert "Who built it? the Inca" in set(qrels["nugget_text"])


def question(aggregator, *documents, **others):
    answers = [{"answer": doc, "references": [doc]} for doc in documents]
    return {
        "metadata": {"topic_id": "1"},
        "nugget_bank": [{"question": "?", "aggregator_type": aggregator, "answers": answers, **others}],
    }


@pytest.mark.parametrize(
    ("aggregator", "answers", "unit", "is_told"),
    [
        ("AND", "ab", "question", True),
        ("and", "ab", "question", True),
        ("SUM", "ab", "question", True),
        ("OR", "ab", "question", False),
        ("Default", "ab", "question", False),
        ("NOT", "a", "question", True),
        ("NOT", "ab", "answer", True),
        ("OR", "ab", "answer", True),
        ("AND", "ab", "answer", False),
        ("AND", "a", "question", False),
        ("OR", "a", "answer", False),
    ],
)
def test_answers_that_do_not_combine_as_they_are_read_are_told(aggregator, answers, unit, is_told):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_nuggets(question(aggregator, *answers), unit=unit)

    expected = f"questions with an aggregator_type that unit={unit!r} does not read: 1 ({aggregator.upper()!r})."
    assert [str(warning.message).partition("; ")[2] for warning in caught] == [expected] * is_told


def test_references_of_a_question_are_counted_where_its_answers_are_intents():
    with pytest.warns(UserWarning, match="references left out, because they are of a question, not of an answer: 2"):
        qrels = read_nuggets(question("AND", "a", references=["x", "y"]), unit="answer")

    assert qrels["docno"].tolist() == ["a"]


def test_nuggets_inside_of_others_count_beside_them():
    inside = [{"question": "Sub?", "references": ["s"]}, {"claim": "Sub.", "references": ["c"], "sub_nuggets": []}]
    with pytest.warns(UserWarning, match="nuggets inside others, which count like them: 2"):
        qrels = read_nuggets(question("OR", "a", sub_nuggets=inside))

    assert rows(qrels, "nugget_text", "docno") == [("?", "a"), ("Sub.", "c"), ("Sub?", "s")]


# CRUX


TOPICS = [
    {"example_id": "t-0", "topic": "...", "questions": ["a?", "b?", "c?"]},
    {"example_id": "t-1", "questions": ["d?"]},
]
JUDGEMENTS = [
    {"example_id": "t-0", "pid": "t-0:0#0", "rating": [5, 0, -1]},
    {"id": "t-0", "docid": "t-0:0#1", "rating": [2, 4, 0]},
]


def test_ratings_of_crux_are_labels_and_its_questions_are_named_by_the_md5_of_their_text():
    with pytest.warns(UserWarning, match=r"^read_nuggets: 4 nuggets; nuggets without a judgement.*: 1\.$"):
        qrels = read_nuggets(JUDGEMENTS, nuggets=TOPICS)

    first, second = "t-0:0#0", "t-0:0#1"
    ratings = {"a?": (5, 2), "b?": (0, 4), "c?": (-1, 0)}
    expected = [
        (digest(text), text, doc, label)
        for text, of in ratings.items()
        for doc, label in zip((first, second), of, strict=True)
    ]
    asked = qrels[qrels["qid"] == "t-0"]
    assert rows(asked, "iteration", "nugget_text", "docno", "label") == sorted(expected)
    assert rows(qrels[qrels["qid"] == "t-1"], "nugget_text", "docno", "label") == [("d?", "", 0)]
    assert value(Coverage(rel=3) @ 1, qrels, {"t-0": {first: 1.0}, "t-1": {first: 1.0}}) == pytest.approx(1 / 3 / 2)


def test_a_question_of_crux_that_is_asked_twice_is_two_nuggets():
    qrels = read_nuggets(
        {"id": "t", "docid": "p", "rating": [5, 0]}, nuggets={"example_id": "t", "questions": ["a?", "a?"]}
    )

    name = digest("a?")
    assert dict(rows(qrels, "iteration", "label")) == {name: 5, f"{name}-2": 0}


def test_topics_of_crux_are_joined_wherever_they_are_given(tmp_path):
    for name, records in (("a", JUDGEMENTS), ("b", TOPICS)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = read_nuggets(JUDGEMENTS, nuggets=TOPICS)
        for source in (tmp_path, [*JUDGEMENTS, *TOPICS], [tmp_path / "b.jsonl", tmp_path / "a.jsonl"]):
            pd.testing.assert_frame_equal(read_nuggets(source), expected)


# Groups of gold documents


def test_a_flat_list_of_gold_documents_is_one_group_which_is_told():
    with pytest.warns(UserWarning, match="lists of documents that are not nested in a list, so each is one group: 1"):
        qrels = read_nuggets({"q1": ["a", "b"]})

    assert rows(qrels) == [("q1", "1", "a", 1), ("q1", "1", "b", 1)]


# Tables


TABLE = pd.DataFrame(
    {
        "question": ["1", "1", "2"],
        "chunk": ["d1", "d2", None],
        "fact": ["It is free.", "It is free.", "It is fast."],
        "assignment": ["support", "partial_support", None],
        "importance": ["vital", "vital", "okay"],
        "by": ["Ann", "Bob", "Bob"],
    }
)
MEANING = {"question": "qid", "chunk": "docno", "fact": "nugget_text"}


def as_file(table, path):
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(path)
    elif path.suffix == ".jsonl":
        path.write_text(
            "\n".join(json.dumps(row) for row in table.astype(object).where(table.notna(), None).to_dict("records"))
        )
    else:
        table.to_csv(path, index=False, sep="\t" if ".tsv" in path.name else ",")
    return path


@pytest.mark.parametrize("name", [None, "rows", "t.csv", "t.csv.gz", "t.tsv", "t.jsonl", "t.parquet"])
def test_a_table_is_read_with_its_other_columns(name, tmp_path):
    source = TABLE if name is None else TABLE.to_dict("records") if name == "rows" else as_file(TABLE, tmp_path / name)
    with pytest.warns(UserWarning, match="nuggets without a judgement.*: 1"):
        qrels = read_nuggets(source, columns=MEANING)

    assert rows(qrels, "qid", "docno", "label", "weight", "nugget_text", "by") == [
        ("1", "d1", 2, 1.0, "It is free.", "Ann"),
        ("1", "d2", 1, 1.0, "It is free.", "Bob"),
        ("2", "", 0, 0.5, "It is fast.", "Bob"),
    ]
    assert set(qrels["iteration"]) == {digest("It is free."), digest("It is fast.")}


@pytest.mark.filterwarnings("ignore:read_nuggets")
@pytest.mark.parametrize("form", [".frame", ".jsonl", ".parquet"])
@pytest.mark.parametrize("example", [*OF_NUGGETS.values(), ROW, {**ROW, "nugget_id": "n1"}])
def test_nuggets_are_read_as_qrels_from_every_container(example, form, tmp_path):
    frame = pd.DataFrame([example])

    qrels = read_qrels(frame if form == ".frame" else as_file(frame, tmp_path / f"nuggets{form}"))

    pd.testing.assert_frame_equal(qrels, read_nuggets(example))


@pytest.mark.parametrize("form", [".jsonl", ".parquet", ".csv"])
def test_the_importance_of_an_intent_of_qrels_is_no_weight_in_any_container(form, tmp_path):
    frame = pd.DataFrame([{**ROW, "iteration": "n1", "importance": "vital"}])

    pd.testing.assert_frame_equal(read_qrels(as_file(frame, tmp_path / f"q{form}")), frame, check_dtype=False)


# RAGElo


def result(query, doc, addressed, *others, **fields):
    """A line of RAGElo 0.7's results: the criteria of a query that a document addresses, and those that it does not."""
    judged = [
        {
            "criterion": {"criterion_name": name, "evidence": [], "short_question": f"{name}?", "weight": None},
            "reasoning": "",
            "fulfillment": name in addressed,
            "probability": None,
        }
        for name in (*addressed, *others)
    ]
    answer = {
        "answer_format": "rubric_coverage",
        "reasoning": "",
        "criteria_addressed": list(addressed),
        "criteria": judged,
        "score": 1,
    }
    return {
        "qid": query,
        "evaluator_name": "rubric_coverage",
        "exception": None,
        "answer": answer,
        "did": doc,
        **fields,
    }


# By RAGElo's own get_rubric_qrels, StRecall@3 is .389 = (1/2 + 2/3 + 0) / 3: its placeholders count as documents.
RESULTS = [
    result("0", "d1", ["river"], "capital"),
    result("0", "d2", [], "river", "capital"),
    result("1", "d1", ["a"], "b", "c"),
    result("1", "d3", ["a", "b"], "c"),
    result("2", "d4", [], "nobody"),
]
RETRIEVED = {"0": ["d1", "d2"], "1": ["d1", "d3"], "2": ["d4"]}


def test_results_of_ragelo_have_the_criteria_that_can_be_covered_and_all(tmp_path):
    path = tmp_path / "x_results.jsonl"
    path.write_text("\n".join(map(json.dumps, RESULTS)))

    table = evaluate_runs(path, {"mine": RETRIEVED}, [StRecall @ 3, Coverage @ 3])

    assert table.iloc[0, 1:].tolist() == pytest.approx([2 / 3, 7 / 18])


def test_older_results_of_ragelo_name_only_the_criteria_that_are_addressed():
    older = [{**one, "answer": {**one["answer"], "criteria": []}} for one in RESULTS]

    with pytest.warns(UserWarning, match=r"empty lists of nuggets: 2; queries without a nugget, .*: 1 \('2'\)"):
        qrels = read_nuggets(older)

    assert rows(qrels) == [("0", "river", "d1", 1), ("1", "a", "d1", 1), ("1", "a", "d3", 1), ("1", "b", "d3", 1)]


def test_results_of_ragelo_without_criteria_are_counted_and_answers_are_documents_of_their_agents():
    others = [result("0", "d1", [], answer=answer) for answer in (None, "text", {"reasoning": "", "score": 2})]
    others += [{"evaluator_name": "EloTournament", "agents": []}]
    graded = {"criterion": {"criterion_name": "a", "short_question": "a?"}, "fulfillment": 0.5}
    judged = {"qid": "0", "agent": "mine", "evaluator_name": "rubric_pointwise", "answer": {"criteria": [graded]}}

    with pytest.warns(UserWarning, match="results of RAGElo without criteria, which are left out: 4"):
        qrels = read_nuggets([*others, judged])

    assert rows(qrels) == [("0", "a", "mine", 0.5)]


NOBODY = "__ragelo_unaddressed__"
# RAGElo's get_rubric_qrels for the results above.
RUBRICS = [
    ir_measures.Qrel(query, doc, 1, intent)
    for query, doc, intent in [
        ("0", "d1", "river"),
        ("0", f"{NOBODY}capital", "capital"),
        ("1", "d1", "a"),
        ("1", "d3", "a"),
        ("1", "d3", "b"),
        ("1", f"{NOBODY}c", "c"),
        ("2", f"{NOBODY}nobody", "nobody"),
    ]
]
QRELS = pd.DataFrame(RUBRICS)
RAN = {query: dict.fromkeys(docs, 1.0) for query, docs in RETRIEVED.items()}


def by_experiment(measures):
    run = pt.Transformer.from_df(read_run(RAN))
    topics, qrels = pd.DataFrame({"qid": list(RAN), "query": "?"}), QRELS.rename(columns=PYTERRIER_NAMES)
    return pt.Experiment([run], topics, qrels, measures)[list(map(str, measures))].iloc[0]


@pytest.mark.parametrize(
    "way",
    [
        lambda measures: evaluate_runs(QRELS, {"mine": RAN}, measures).iloc[0, 1:],
        lambda measures: evaluate_runs(RUBRICS, {"mine": RAN}, measures).iloc[0, 1:],
        lambda measures: evaluate_runs(read_qrels(QRELS), {"mine": RAN}, measures).iloc[0, 1:],
        lambda measures: evaluate_runs(read_nuggets(RUBRICS), {"mine": RAN}, measures).iloc[0, 1:],
        lambda measures: [ir_measures.calc_aggregate(measures, QRELS, RAN)[measure] for measure in measures],
        by_experiment,
    ],
    ids=["frame", "rows", "read_qrels", "read_nuggets", "ir_measures", "Experiment"],
)
def test_placeholders_of_ragelo_name_an_intent_and_are_no_documents_by_every_way(way):
    measures = [StRecall @ 3, Coverage @ 3, Adhoc(ir_measures.R @ 3)]

    assert list(way(measures)) == pytest.approx([2 / 3, 7 / 18, 2 / 3])


def test_placeholders_of_ragelo_cannot_be_covered_retrieved_or_left_out_of_a_pool():
    assert not missed_intents(QRELS, {"mine": RAN})["coverable"].any()
    assert evaluate_runs(QRELS, {"mine": RAN}, [ir_measures.R @ 3]).iloc[0, 1] == pytest.approx(2 / 3)
    pools = meta.pool_depth(QRELS, {"a": RAN, "b": {"0": {"d1": 1.0}}}, [Coverage @ 3], depths=[1])
    assert pools["judged"].tolist() == [0.75]


# What is refused


def row(**cells):
    return {"qid": "1", "docno": "d", "label": 1, "iteration": "a", **cells}


SUPPORTED = [answer(a="support")]
BOTH = {"text": "a", "relevant_corpus_ids": ["x"], "non_relevant_corpus_ids": ["x"]}
OKAY = {**answer("b"), "nuggets": [nugget("a", "okay", "support")]}
EARLIER = "but 1.0 in an earlier row"


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (SUPPORTED, {"importance": {"okay": 0}}, r": importance of 'okay' must be a number in \(0, 1e100\], not 0"),
        (SUPPORTED, {"importance": {}}, ": importance must map words to numbers, not {}"),
        (SUPPORTED, {"levels": {"support": "2"}}, r": levels of 'support' must be a number in \(-inf, inf\), not '2'"),
        (SUPPORTED, {"levels": {"support": float("nan")}}, r": levels of 'support' must be a number in .*, not nan"),
        (SUPPORTED, {"unit": "claim"}, ": unit must be one of 'question', 'answer', not 'claim'"),
        ([answer(a="supported", b="no")], {}, r": no assignment is one of 'support', .*; found: 2 \('supported', 'no"),
        ([row()], {"columns": {"chunk": "docno"}}, ": columns renames 'chunk', which is not a column; found: qid"),
        ([*SUPPORTED, answer(a="not_support")], {}, ", object 1: label of document 'mine' for .* is 0.0, but 2.0 in"),
        ([*SUPPORTED, OKAY], {}, ", object 1: importance for nugget .* is 'okay', but 'vital'"),
        ([{"query_id": "1", "nuggets": [BOTH]}], {}, f", object 0: label of document 'x' for .* is 0.0, {EARLIER}"),
        ([row(by="Ann"), row(by="Bob")], {}, ", object 1: by of document 'd' for nugget 'a' of query '1' is 'Bob',"),
        (
            [{"query_id": "1", "claim_bank": [{"claim": "c", "query_id": "2"}]}],
            {},
            r", object 0: claim_bank\[0\]\.query_id must be that of the topic, '1', not '2'",
        ),
        (
            [row(label=None)],
            {},
            r", object 0: label \(or assignment, rating\) is missing; found: qid, docno, label, iteration",
        ),
        ([row(label="inf")], {}, ", object 0: label must be a finite number, not 'inf'"),
        ([row(docno=None)], {}, ", object 0: label must be 0 in a row without a docno, not 1"),
        ([row(iteration=None)], {}, r", object 0: nugget_text \(or criterion, iteration\) is missing"),
        ([row(docno=1.5)], {}, ", object 0: docno must be a non-empty string or an integer, not 1.5"),
        ([row(doc_id="e")], {}, ", object 0: docno is given twice, as 'd' and as 'e'"),
        ([row(weight="x")], {}, ", object 0: weight must be a finite number, not 'x'"),
        ([row(weight=-5)], {}, r", object 0: weight must not be negative \(drop such criteria of a rubric, or add"),
        ([row(weight=1), row(docno="e", weight=2)], {}, f", object 1: weight for nugget 'a' .* is 2.0, {EARLIER}"),
        (
            [{"qid": "1", "nuggets": [{"criterion": "a", "weight": -1}]}],
            {},
            r", object 0: nuggets\[0\].weight must not be",
        ),
        (
            {"q": [[0, 5], [4, 4]]},
            {},
            r": a group has a document twice or only digits: \[0, 5\]\. Ratings of questions have .*'rating'",
        ),
        ([{"qid": "q", "retrieval_gt": "a"}], {}, ", object 0: retrieval_gt must be a list, not 'a'"),
        ([{"q": [["a"]]}, {"q": [["b"]]}], {}, ", object 1: query 'q' has other retrieval_gt in an earlier object"),
        ([row(docno="\ud800")], {}, ", object 0: docno must not contain half of a character"),
        ({"q": [["a"], ["b", "b"]]}, {}, r": a group has a document twice .*: \['b', 'b'\]"),
        (
            [{"id": "t-9", "pid": "p", "rating": [1]}],
            {"nuggets": TOPICS},
            ", object 0: rating must .* the 0 questions of query 't-9'",
        ),
        (
            [{"id": "t-0", "pid": "p", "rating": [1]}],
            {"nuggets": TOPICS},
            ", object 0: rating must .* the 3 questions of query 't-0'",
        ),
        (
            [{"id": "t-1", "pid": "p", "rating": ["x"]}],
            {"nuggets": TOPICS},
            ": no assignment is one of .* found: 1 .'x'.",
        ),
        ([{"id": "t-1", "rating": [1]}], {"nuggets": TOPICS}, r", object 0: docno \(or doc_id, .*\) is missing"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(source, options, message):
    with pytest.raises(ValueError, match=f"^read_nuggets{message}.*[.]$"):
        read_nuggets(source, **options)


# Words of importance


def test_words_of_ones_own_count_as_much_as_they_say():
    line = answer(a="support", b="partial_support", c="not_support", d="support")
    for one, importance in zip(line["nuggets"], ["critical", "critical", "nice", "odd"], strict=True):
        one["importance"] = importance

    with pytest.warns(
        UserWarning, match=r"without a known importance, .* and 0 in vital and weighted scores: 1 \('odd'\)"
    ):
        qrels = read_nuggets([line], importance={"critical": 4, "nice": 1})

    assert rows(qrels, "nugget_text", "weight", "importance_value") == [
        ("a", 4, 1),
        ("b", 4, 1),
        ("c", 1, 0.25),
        ("d", 1, 0),
    ]
    scores = {
        NuggetScore(importance="vital"): 1.5 / 2,
        NuggetScore(importance="weighted"): 1.5 / (2 + 0.25),
        NuggetScore(importance="all"): 2.5 / 4,
    }
    assert {measure: value(measure, qrels, answers(qrels)["mine"]) for measure in scores} == pytest.approx(scores)
    # The vital words are those of the largest number, even if no nugget has them.
    line = [{**line, "nuggets": line["nuggets"][2:3]}]
    qrels = read_in_silence(line, importance={"critical": 4, "nice": 1})
    assert value(NuggetScore(importance="vital"), qrels, answers(qrels)["mine"]) == 0


# Not nuggets


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", " must be a path, a frame, an object or a list of them, not empty."),
        ("{", ", line 1: this is not JSON: "),
        ('{"qid": "1", "docno": "d", "label": 1, "iteration": "a"}\n{"qid"', ", line 2: this is not JSON: "),
        ('{"qid": "1", "qid": "2"}', ", line 1: the key 'qid' is repeated in an object."),
        ("[1]", ", object 0: the object must have names, as of to_json(orient='records'), not 1."),
        ('{"a": {}}', ", line 1: qid is missing; found: a. Rename fields, as in columns={'theirs': 'qid'}."),
        ("[" * 100_000, ", line 1: objects are nested too deeply."),
        ("7", " must be a path, a frame, an object or a list of them, not lines of words."),
        ('["' + "9" * 5_000, ", line 1: this is not JSON: "),
        (b'{"a\xff', ", line 1: byte 0xff is not UTF-8: invalid start byte."),
        (
            '{"qid": "1", "nuggets": [{"text": "\\ud800", "importance": "vital"}]}',
            ", line 1: a text must not contain '\\ud800', which is half of a character.",
        ),
        ("qid,qid\n1,2\n", ", line 1: the column 'qid' occurs twice."),
        ("qid,docno\n1\n", ", line 2: expected 2 columns (qid docno), found 1."),
        ('qid,docno\n1,"a\n', ", line 2: unexpected end of data."),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(content, message, tmp_path):
    path = tmp_path / ("nuggets.csv" if str(content).startswith("qid,") else "nuggets.jsonl")
    path.write_bytes(content if isinstance(content, bytes) else content.encode())

    with pytest.raises(ValueError, match=f"^{re.escape(f'{path}{message}')}"):
        read_nuggets(path)


@pytest.mark.parametrize(("source", "kind"), [(7, "int"), ([7], "int"), ([["a"]], "list|str")])
def test_what_holds_no_objects_is_refused(source, kind):
    with pytest.raises(TypeError, match=f"^read_nuggets must be .* not (of )?{kind}\\.$"):
        read_nuggets(source)


def test_an_empty_name_is_not_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n.jsonl").write_text(json.dumps(answer(a="support")))

    for source in ("", [""]):
        with pytest.raises(FileNotFoundError):
            read_nuggets(source)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("form", [lambda bank: bank, lambda bank: [bank]], ids=["object", "list"])
def test_a_file_may_be_one_object_or_a_list_on_any_number_of_lines(indent, form, tmp_path):
    path = tmp_path / "1.json"
    path.write_text("\ufeff" + json.dumps(form(RAGTIME), indent=indent))

    assert len(read_in_silence(path)) == 1


ASSIGNED = TABLE.rename(columns=MEANING).head(2)


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "frame", "renamed"])
def test_a_table_of_nuggets_without_labels_is_read_as_nuggets(form, tmp_path):
    columns = {"fact": "nugget_text"} if form == "renamed" else None
    frames = {"frame": ASSIGNED, "renamed": ASSIGNED.rename(columns={"nugget_text": "fact"})}
    source = frames[form] if form in frames else as_file(ASSIGNED, tmp_path / f"nuggets.{form}")

    pd.testing.assert_frame_equal(read_qrels(source, columns=columns), read_nuggets(ASSIGNED))
    if columns is None:
        run = {"mine": {"1": ["d2"]}}
        by_nuggets = evaluate_runs(read_nuggets(ASSIGNED), run, [Coverage @ 1])
        pd.testing.assert_frame_equal(evaluate_runs(source, run, [Coverage @ 1]), by_nuggets)


def test_a_table_of_nuggets_with_labels_is_read_as_qrels(tmp_path):
    qrels = read_nuggets(ASSIGNED)
    write_qrels(qrels, tmp_path / "q.csv")

    pd.testing.assert_frame_equal(read_qrels(tmp_path / "q.csv"), qrels, check_dtype=False)


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_nuggets_given_as_a_run_are_refused(form, tmp_path):
    passage = {"qid": "1", "docid": "a", "nuggets": [nugget("yes", assignment="support")]}
    path = as_file(ASSIGNED, tmp_path / "n.csv")
    if form == "jsonl":
        path.write_text(json.dumps(passage))

    with pytest.raises(
        ValueError, match=r"is (nuggets of AutoNuggetizer or FreshStack|rows without score or rank), not a run"
    ):
        read_run(path)


@pytest.mark.parametrize(
    ("n_lost", "named"),
    [(1, r"1 \('10'\)\.$"), (3, r"3 \('10', '11', '12'\)\.$"), (4, r"4 \('10', '11', '12', \.\.\.\)\.$")],
)
def test_queries_that_lost_all_nuggets_are_named(n_lost, named):
    passages = [{"qid": str(10 + i), "docid": doc, "nuggets": []} for i in range(n_lost) for doc in "ab"]
    passages += [{"qid": "1", "docid": "a", "nuggets": [YES]}, {"qid": "1", "docid": "b", "nuggets": []}]

    expected = rf"; empty lists of nuggets: {2 * n_lost + 1}; queries without a nugget, which .*: {named}"
    with pytest.warns(UserWarning, match=expected):
        assert read_nuggets(passages)["qid"].unique().tolist() == ["1"]


@pytest.mark.parametrize("judged", [{"label": 0}, {"assignment": "not_support"}, {}])
def test_a_row_without_a_document_names_its_nugget(judged):
    with pytest.warns(UserWarning, match=r"without a judgement, only a row without a document: 1\.$"):
        assert rows(read_nuggets([{"qid": "1", "iteration": "a", **judged}])) == [("1", "a", "", 0)]


def test_repeated_nuggets_count_in_a_list_and_not_in_a_table():
    table = [{"qid": "1", "docno": doc, "nugget_text": "It is free.", "assignment": "support"} for doc in "aab"]
    lists = [{"qid": "1", "docid": doc, "nuggets": [YES, YES]} for doc in "ab"]

    assert len(read_in_silence(lists)) == 4
    with pytest.warns(UserWarning, match=r"rows that repeat a nugget without an id for a document, .*: 1 \("):
        assert len(read_nuggets(table)) == 2
    with_ids = [{**row, "iteration": f"n{place}"} for place, row in enumerate(table)]
    assert len(read_in_silence(with_ids)) == 3
