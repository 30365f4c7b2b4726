import pandas as pd
import pytest

from pyterrier_diversity import check_files
from pyterrier_diversity.datasets.demo import FOLDER, DemoDataset

QRELS = pd.DataFrame(
    [("1", "a", 1, "x"), ("1", "b", 2, "y"), ("2", "c", 1, "x"), ("2", "d", -2, "y")],
    columns=["qid", "docno", "label", "iteration"],
)


def run(*rows):
    return pd.DataFrame([(q, d, 9.0 - i) for i, (q, d) in enumerate(rows)], columns=["qid", "docno", "score"])


def said(found, name, kind):
    return found[(found["name"] == name) & (found["kind"] == kind)]["message"].tolist()


def test_files_without_oddities_have_notes_only():
    found = check_files(DemoDataset().get_qrels(), FOLDER / "bm25.run")

    assert found["kind"].unique().tolist() == ["note"]
    assert found["name"].tolist() == ["qrels", "bm25"]


def test_the_notes_count_queries_intents_and_documents():
    found = check_files(QRELS, {"mine": run(("1", "a"), ("1", "z"), ("2", "c"), ("7", "a"))})

    assert said(found, "qrels", "note") == [
        "1 negative labels count as 0.",
        "2 queries, 4 intents, 3 of them with a relevant document; 4 judgements, labels -2 to 2.",
    ]
    assert said(found, "mine", "note") == [
        "2 of 2 judged queries and 1 without judgements, 4 documents; 67% of the documents down to rank 20 are judged."
    ]


def test_the_notes_count_queries_with_ties_across_the_cutoff():
    tied = run(("1", "a"), ("1", "z"), ("1", "b"), ("2", "c"), ("7", "a"), ("7", "b")).assign(score=[2, 1, 1, 0, 0, 0])

    told = [said(check_files(QRELS, {"mine": tied}, cutoff=cutoff), "mine", "note") for cutoff in (1, 2)]

    assert ["tie" in note for (note,) in told] == [False, True]
    assert told[1][0].endswith("judged; scores tie across rank 2 in 1 query.")


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        (QRELS.assign(label=[1, 1, 0, 0]), "1 query has no relevant document: 2."),
        (QRELS.assign(iteration="0"), "No query has more than one intent"),
    ],
)
def test_odd_qrels_get_a_warning(qrels, message):
    (warning,) = said(check_files(qrels), "qrels", "warning")

    assert warning.startswith(message)


@pytest.mark.parametrize(
    ("of_run", "message"),
    [
        (run(), "The run is empty"),
        (
            run(("1", "a")),
            "The run answers 1 of 2 queries, but not 2. A missing query gets each",
        ),
        (run(("1", "a"), ("1", "a"), ("2", "c")), "The run repeats documents within a query, such as 'a'"),
        (run(("7", "a")), "No query of the run ('7'"),
    ],
)
def test_an_odd_run_gets_a_warning(of_run, message):
    (warning,) = said(check_files(QRELS, {"mine": of_run}), "mine", "warning")

    assert warning.startswith(message)


def test_a_warning_is_about_the_name_of_its_class():
    found = check_files(QRELS, {"mine": run(("1", "a"), ("1", "a"))})

    assert found[found["kind"] == "warning"]["about"].tolist() == ["RepeatsWarning", "MissingWarning"]


def test_ids_that_do_not_match_are_told_for_one_query():
    assert "Do the document ids match?" in said(check_files(QRELS, {"mine": run(("1", "z"))}), "mine", "warning")[0]


def test_nuggets_without_any_assignment_are_an_error():
    named = QRELS.assign(docno="", label=0)

    (message,) = said(check_files(named), "qrels", "error")
    assert message.startswith("qrels judge no document: they only name 4 intents.")


def test_an_input_that_cannot_be_evaluated_is_an_error(tmp_path):
    (tmp_path / "bad.run").write_text("1 Q0 a\n")
    contradicting = pd.concat([QRELS, QRELS.assign(label=3)])

    found = check_files(contradicting, [tmp_path / "bad.run"])

    assert "different labels" in said(found, "qrels", "error")[0]
    assert "bad.run is lines of three columns without names" in said(found, "bad", "error")[0]


def test_qrels_without_rows_are_an_error():
    assert said(check_files(QRELS.iloc[:0]), "qrels", "error") == ["The qrels are empty."]


def test_scores_against_ranks_are_a_warning_unless_ranks_order(tmp_path):
    path = tmp_path / "reversed.run"
    path.write_text("1 Q0 a 1 1.0 t\n1 Q0 b 2 2.0 t\n2 Q0 c 1 1.0 t\n")

    assert "rank" in said(check_files(QRELS, path), "reversed", "warning")[0]
    assert said(check_files(QRELS, path, order="rank"), "reversed", "warning") == []


@pytest.mark.parametrize("runs", [(), [], {}, iter([])])
def test_qrels_may_be_checked_alone(runs):
    assert set(check_files(QRELS, runs)["name"]) == {"qrels"}


def test_runs_of_another_form_are_refused():
    mine = run(("1", "a"))

    with pytest.raises(TypeError, match=r"^check_files: runs must be a mapping of .* or paths, not a list of int\.$"):
        check_files(QRELS, [1])
    with pytest.raises(ValueError, match=r"^check_files: runs is one run\. Give it a name, as in {'mine': run}\.$"):
        check_files(QRELS, mine)
    with pytest.raises(ValueError, match=r"^check_files: runs is qrels, not a run.* Qrels come first"):
        check_files({"mine": mine}, QRELS)
