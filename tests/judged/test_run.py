"""A run becomes the same rankings for any order of its rows."""

import re
import warnings

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from by_hand import value
from pyterrier_diversity import AP_IA, IA, P_IA, RBU, Adhoc, StRecall, evaluate_runs
from pyterrier_diversity.frames import Doubts
from pyterrier_diversity.io import qrels_frame, run_frame
from pyterrier_diversity.judged import Run, judge
from pyterrier_diversity.measures.session import lengths


def run(*rows: str) -> pd.DataFrame:
    """A run of the rows "qid docno score" or "qid docno score turn"."""
    names = ["qid", "docno", "score", "turn"]
    fields = [row.split() for row in rows]
    frame = pd.DataFrame(fields, columns=names[: len(fields[0])])
    return frame.astype(dict.fromkeys(frame.columns[2:], float))


def qrels(*rows: str) -> pd.DataFrame:
    """Qrels of the rows "qid docno label", of one intent."""
    return pd.DataFrame([row.split() for row in rows], columns=["qid", "docno", "label"]).astype({"label": float})


def with_a_second_intent(judgements: pd.DataFrame) -> pd.DataFrame:
    """The same qrels, in which the first query has a further intent without a document."""
    named = judgements.head(1).assign(docno="", label=0.0, iteration="other")
    return pd.concat([judgements.assign(iteration="0"), named])


def reciprocal_rank(doc: str, retrieved: object) -> float:
    """1 / rank of a document of query q: the average precision if nothing else is relevant."""
    return value(AP_IA, {"q": {doc: 1}}, retrieved)


# Order


# Ranks beside scores


def ranked(*rows: str) -> pd.DataFrame:
    """A run of the rows "qid docno score rank"."""
    return run(*rows).rename(columns={"turn": "rank"})


def test_a_score_that_rises_down_the_ranks_counts_and_is_told_of():
    rows = ["q a 9 0", "q b 8 1", "p c 1 1", "p d 3 3", "p e 2 2", "s f 1 5", "s g 2 6"]

    with pytest.warns(
        UserWarning,
        match=r"^Scores and ranks contradict each other in 2 of 3 queries of the run, such as 'p', where 'e' has "
        r"rank 2 and a higher score than 'c' at rank 1\. The score counts; to use the rank, read the run with "
        r"order='rank'\.$",
    ) as caught:
        read = Run(ranked(*rows))

    assert len(caught) == 1
    assert [read.ranking(query) for query in "qps"] == [["a", "b"], ["d", "e", "c"], ["g", "f"]]


@pytest.mark.parametrize(
    "rows",
    [
        ["q a 3 0", "q b 2 1", "q c 1 2"],
        ["q c 1 2", "q a 3 0", "q b 2 1", "p a 9 0"],
        ["q a 3 0", "q b 3 1", "q c 1 2", "q d 1 1"],
        ["q a 3 0", "q b 2 0", "q c 1 0"],
        ["q a 3 9", "p b 2 5", "s c 1 1"],
        [],
    ],
    ids=["in order", "shuffled", "ties", "one rank", "queries", "empty"],
)
def test_ranks_that_agree_with_the_scores_are_silent(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        Run(ranked(*(rows or ["q a 1 0"])).iloc[: len(rows)])


RANKS = [["a", "b"], [np.nan, np.nan], [None, 1], ["9", "10"], ["b", "a"]]


@pytest.mark.parametrize("rank", [*(pd.Series(rank, dtype=object) for rank in RANKS), pd.Series([True, False])])
def test_ranks_that_are_no_numbers_say_nothing_and_strings_are_compared_as_numbers(rank):
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        assert Run(run("q a 2", "q b 1").assign(rank=rank)).ranking("q") == ["a", "b"]


@settings(max_examples=50, deadline=None)
@given(rows=st.lists(st.tuples(st.sampled_from("qp"), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8))
def test_contradicted_ranks_are_found_wherever_they_are(rows):
    frame = pd.DataFrame(rows, columns=["qid", "score", "rank"]).assign(docno=[f"d{i}" for i in range(len(rows))])
    pairs = [(one, other) for one in rows for other in rows if one[0] == other[0]]
    expected = {one[0] for one, other in pairs if one[1] < other[1] and one[2] < other[2]}

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Run(frame)

    assert bool(caught) == bool(expected)
    if expected:
        assert f"in {len(expected)} of {frame['qid'].nunique()} queries" in str(caught[0].message)


def tied(n_queries: int = 6, n_docs: int = 2, score: float = 0.0) -> pd.DataFrame:
    rows = [(f"q{query}", f"d{doc}", score) for query in range(n_queries) for doc in range(n_docs)]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


def doubts(frame: pd.DataFrame) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Run(frame)
    return [str(one.message) for one in caught]


def test_scores_that_are_all_the_same_are_told_of():
    said = (
        "All documents have the same score in 6 of 6 queries of the run, such as 'q0'. They are ordered by descending "
        "document id"
    )

    assert doubts(tied()) == [f"{said}."]
    ranked_by_place = tied().assign(rank=[0, 1] * 6)
    how = "not by rank or by their order in a list; to use these, read the run with order='rank'"
    assert doubts(ranked_by_place) == [f"{said}, {how}."]


@pytest.mark.parametrize(("n_differing", "is_told"), [(3, True), (4, False)])
def test_half_of_the_queries_must_have_the_same_scores(n_differing, is_told):
    frame = tied()
    frame.loc[: 2 * n_differing - 1 : 2, "score"] = 1.0

    assert bool(doubts(frame)) == is_told


def test_ties_in_the_order_of_their_ranks_single_documents_and_sessions_are_silent():
    assert doubts(tied().assign(rank=[1, 0] * 6)) == []
    assert doubts(tied(n_docs=1)) == []
    assert doubts(tied().assign(turn=[0, 1] * 6)) == []
    assert doubts(tied(n_queries=0)) == []


def test_a_batch_of_few_queries_may_have_the_same_scores_by_chance():
    assert doubts(tied(4)) == []
    assert len(doubts(tied(5))) == 1

    of_whole_run = Doubts()
    Run(tied(1), doubts=of_whole_run)
    assert len(list(of_whole_run.warnings())) == 1


SCORED = st.lists(
    st.tuples(st.sampled_from(["q1", "q2", "q3"]), st.sampled_from("abcdefgh"), st.sampled_from([0.0, 0.5, 1.0])),
    unique_by=lambda row: row[:2],
    max_size=24,
)


@settings(max_examples=50, deadline=None)
@given(rows=SCORED)
def test_rankings_are_those_of_a_sort_by_score_and_docno_of_each_query(rows):
    retrieved = Run(pd.DataFrame(rows, columns=["qid", "docno", "score"]))

    for query in ("q1", "q2", "q3"):
        documents = sorted((row[1:] for row in rows if row[0] == query), key=lambda row: (row[1], row[0]), reverse=True)
        assert retrieved.ranking(query) == [doc for doc, _ in documents]


@settings(max_examples=30, deadline=None)
@given(rows=SCORED.filter(bool), relevant=st.sets(st.sampled_from("abcdefgh"), min_size=1))
def test_ranks_and_lengths_are_those_of_the_sorted_rankings(rows, relevant):
    judgements = judge(qrels_frame({query: dict.fromkeys(sorted(relevant), 1) for query in ("q1", "q2", "q3")}))
    found, n = Run(pd.DataFrame(rows, columns=["qid", "docno", "score"])).find(judgements)

    for i, query in enumerate(judgements.query_ids):
        documents = sorted((row[1:] for row in rows if row[0] == query), key=lambda row: (row[1], row[0]), reverse=True)
        names = [doc for doc, _ in documents]
        assert n[i] == len(names)
        of_query = judgements.documents.query == i
        ranks = dict(zip(judgements.documents.ids[of_query].tolist(), found[of_query].tolist(), strict=True))
        assert ranks == {doc: names.index(doc) + 1 if doc in names else 0 for doc in relevant}


# Queries


def test_a_query_that_only_the_run_has_is_ignored():
    retrieved = run("other d1 2", "q d2 2", "q d1 1", "other d2 1", "other d2 1")

    metrics = list(ir_measures.iter_calc([AP_IA], qrels("q d1 1"), retrieved))

    assert [(metric.query_id, metric.value) for metric in metrics] == [("q", 0.5)]


@pytest.mark.parametrize("empty", [run("q d1 1").iloc[:0], [], {}, {"q": {}}], ids=["frame", "list", "dict", "query"])
@pytest.mark.parametrize("measure", [P_IA @ 5, Adhoc(ir_measures.AP)], ids=str)
def test_an_empty_run_scores_the_default_silently(empty, measure):
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        assert value(measure, with_a_second_intent(qrels("p d1 1", "q d1 1")), empty) == 0


def test_a_run_that_shares_no_query_with_the_qrels_warns_once_and_scores_the_default():
    measures = [P_IA @ 1, P_IA(judged_only=True) @ 1, RBU]

    with pytest.warns(
        UserWarning, match=r"No query of the run \('q1', .* is in the qrels \('1', \.\.\.\)\. Do the query ids match"
    ) as caught:
        aggregates = ir_measures.calc_aggregate(measures, qrels("1 d1 1"), run("q1 d1 1"))

    assert len(caught) == 1
    assert list(aggregates.values()) == [0, 0, 0]


def unjudged(n: int, judged: str = "d1 1") -> tuple[pd.DataFrame, pd.DataFrame]:
    """Qrels of n queries, and a run of which no document is judged but perhaps one of the first query."""
    judgements = with_a_second_intent(qrels(*(f"q{i} {judged}" for i in range(n))))
    return judgements, run(*(f"q{i} x{i} 1" for i in range(n)))


@pytest.mark.parametrize("judged", ["d1 1", "d1 0"])
def test_a_run_without_a_judged_document_in_several_queries_warns_once(judged):
    measures = [P_IA @ 1, P_IA(judged_only=True) @ 1, Adhoc(ir_measures.AP)]

    with pytest.warns(
        UserWarning,
        match=r"No document of the run is judged in any of the 5 queries that it shares with the qrels: 'x0' in the "
        r"run, 'd1' in the qrels\. Do the document ids match\?$",
    ) as caught:
        aggregates = ir_measures.calc_aggregate(measures, *unjudged(5, judged))

    assert len(caught) == 1
    assert set(aggregates.values()) == {0}


def test_the_warning_names_the_first_judged_document_by_name():
    judgements, ranking = unjudged(5, "d2 1")
    others = judgements.replace({"docno": {"d2": "d1"}}), judgements.replace({"docno": {"d2": "d3"}})

    # A session may begin with an empty turn.
    for run_of in (ranking, ranking.assign(turn=2)):
        with pytest.warns(UserWarning, match="'x0' in the run, 'd1' in the qrels"):
            value(P_IA @ 1, pd.concat([judgements, *others]), run_of)


@pytest.mark.parametrize("n", [1, 4])
def test_a_whole_run_without_a_judged_document_warns_for_any_number_of_queries(n):
    judgements, ranking = unjudged(n)
    found = Doubts()

    Run(ranking, doubts=found).find(judge(judgements))

    (warning,) = found.warnings()
    assert str(warning).startswith(f"No document of the run is judged in any of the {n} queries")


@pytest.mark.parametrize(("n", "judged"), [(4, []), (5, ["q0 x0 0"]), (5, ["q0 x0 -1"]), (5, ["q4 x4 1"])], ids=str)
def test_few_queries_or_one_judged_document_are_silent(n, judged):
    judgements, ranking = unjudged(n)
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        value(P_IA @ 1, pd.concat([judgements, qrels(*judged).assign(iteration="0")]), ranking)


def test_documents_of_queries_without_any_judged_one_are_told_of_too():
    judgements, ranking = unjudged(5)

    with pytest.warns(UserWarning, match="'x0' in the run, no judged documents at all"):
        ir_measures.calc_aggregate([P_IA @ 1], judgements.assign(weight=0.0, iteration="a"), ranking)


# Repeated documents


def test_repeated_documents_are_counted_in_one_warning():
    retrieved = run("p d1 3", "p d1 2", "p d2 2", "p d2 1", "q d1 2", "q d1 1", "q d2 3")
    measures = [AP_IA, P_IA @ 1, P_IA(judged_only=True) @ 1, StRecall(rel=1), IA(ir_measures.AP), Adhoc(ir_measures.AP)]

    with pytest.warns(
        UserWarning,
        match=r"within a query, such as 'd1' in query 'p'\. Only the best rank of each counts \(repeated rows: 3\)",
    ) as caught:
        ir_measures.calc_aggregate(measures, with_a_second_intent(qrels("p d1 1", "q d2 1")), retrieved)

    assert len(caught) == 1


def test_a_repeated_document_counts_once_in_the_length_of_the_ranking_and_for_other_providers():
    retrieved = run("q d1 4", "q d1 3", "q d2 2", "q d2 1")

    for measure, expected in ((P_IA, 1 / 2), (AP_IA, 1 / 2), (IA(ir_measures.AP), 1 / 2)):
        with pytest.warns(UserWarning, match="repeats documents"):
            assert value(measure, qrels("q d2 1"), retrieved) == expected


@pytest.mark.parametrize(
    ("lists", "queries", "warned"),
    [
        ({"p": ["a", "b", "c", "a"], "q": ["a", "b", "c", "d", "b", "a"]}, ["p", "q"], "repeated rows: 3"),
        ({"p": ["b", "a", "b", "c"]}, ["lacking", "p"], "such as 'b' in query 'p'.*repeated rows: 1"),
    ],
)
def test_all_repeated_documents_of_lists_are_counted(lists, queries, warned):
    with pytest.warns(UserWarning, match=f"repeats documents within a query, .*{warned}"):
        Run(run_frame(lists)).rankings(queries)


@pytest.mark.parametrize(
    "rows", [["q d1 1", "other d1 2", "other d1 1"], ["q d1 1", "p d1 1"], ["q d1 2 0", "q d1 2 1", "q x 1 1"]]
)
def test_documents_of_other_queries_and_of_sessions_are_no_repeats(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        assert reciprocal_rank("d1", run(*rows)) == 1


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from([0.0, 1.0, 2.0])), min_size=1, max_size=12))
def test_rankings_with_repeats_hold_each_document_at_its_first_place(rows):
    retrieved = Run(pd.DataFrame([("q", *row) for row in rows], columns=["qid", "docno", "score"]))

    best_first = [doc for doc, _ in sorted(rows, key=lambda row: (row[1], row[0]), reverse=True)]
    assert retrieved.ranking("q") == sorted(set(best_first), key=best_first.index)


# judged_only


def test_judged_only_takes_unjudged_documents_out_of_the_ranking():
    judgements = qrels("q d1 0", "q d2 1", "q d3 -1", "p d9 0")
    retrieved = run("q x 9", "q d1 8", "q d9 7", "q d3 6", "q y 5", "q d2 4")

    # left are d1, d3, d2: d9 is judged for another query only
    assert ir_measures.calc_aggregate([AP_IA(judged_only=True)], judgements, retrieved) == {
        AP_IA(judged_only=True): pytest.approx((1 / 3 + 0) / 2)
    }


def test_a_repeated_document_counts_once_with_judged_only():
    with pytest.warns(UserWarning, match="repeats documents"):
        result = value(AP_IA(judged_only=True), qrels("q d1 0", "q d2 1"), run("q d1 4", "q x 3", "q d1 2", "q d2 1"))

    assert result == 0.5


# Turns


def test_turns_follow_each_other_even_if_numbers_are_skipped():
    turns = [0, 1, 63, 64, 70, 512, 999]
    retrieved = run(*(f"{query} d{turn} {turn} {turn}" for query in "pqr" for turn in reversed(turns)))

    for query in "pqr":
        documents = [doc for doc in Run(retrieved).ranking(query) if doc.startswith("d")]
        assert documents == [f"d{turn}" for turn in turns]


@pytest.mark.parametrize(
    ("column", "bad", "rule"),
    [
        ("doc_len", -1.0, "must not be negative"),
        ("doc_len", 1e200, r"must be at most 1e\+100"),
        *((name, np.inf, "must be a finite number") for name in ("doc_len", "turn")),
        ("turn", np.nan, "must be a finite number"),
        *(("turn", bad, "must be a whole number from 0 to 999999") for bad in (-1.0, 0.5, 1e6)),
    ],
)
def test_a_length_or_turn_out_of_range_is_refused_with_its_query(column, bad, rule):
    retrieved = run("p d1 1", "q d2 1").assign(**{column: [5.0, bad]})

    with pytest.raises(ValueError, match=rf"^run: {column} {rule}, but query 'q' has {re.escape(repr(bad))}"):
        Run(retrieved)


def test_the_largest_length_is_accepted():
    retrieved = run("q d1 1").assign(doc_len=1e100)

    assert lengths(Run(retrieved), "q").tolist() == [1e100]


@pytest.mark.parametrize("other", [6.0, np.nan])
@pytest.mark.parametrize("turns", ["0 0", "0 1"])
def test_a_document_has_one_length(other, turns):
    first, second = turns.split()
    retrieved = run(f"q d1 1 {first}", f"q d1 1 {second}").assign(doc_len=[5.0, other])

    with pytest.raises(ValueError, match=r"^run: document 'd1' of query 'q' has two lengths in doc_len\.$"):
        lengths(Run(retrieved), "q")
    assert lengths(Run(retrieved.assign(doc_len=5.0)), "q").tolist() == pytest.approx([5.0, np.nan], nan_ok=True)


def test_judged_only_takes_turns_without_documents_and_repeats_out():
    retrieved = run("q d1 1 2", "q d1 1 3", "q x 0.5 3", "q d2 1 5")

    assert value(P_IA(judged_only=True), qrels("q d1 0", "q d2 1"), retrieved) == 0.5


@pytest.mark.parametrize("measure", [IA(ir_measures.AP), Adhoc(ir_measures.AP), IA(ir_measures.RR)], ids=str)
@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("q d2 9 0", "q d1 1 0", "q d3 9 1"), 1 / 2),
        (("q d2 1 0", "q d1 9 1"), 1 / 2),
        (("q d2 1 0", "q d1 9 2"), 1 / 3),
        (("q d1 9 2",), 1 / 3),
        (("q d2 9 0", "q d2 9 1", "q d2 9 2", "q d1 1 2"), 1 / 4),
    ],
)
def test_measures_of_other_providers_see_the_same_session(measure, rows, expected):
    assert value(measure, qrels("q d1 1"), run(*rows)) == pytest.approx(expected, abs=1e-9)


def session(rows: list[tuple[str, str, float, int]]) -> list[str | None]:
    """The ranks of a query's session, None where nothing is or where a document is repeated."""
    ranks: list[str | None] = []
    for turn in range(max((row[3] for row in rows), default=-1) + 1):
        of_turn = sorted(((score, doc) for _, doc, score, at in rows if at == turn), reverse=True)
        for _, doc in of_turn or [(0.0, None)]:
            ranks.append(doc if doc not in ranks else None)
    return ranks


@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("pq"), st.sampled_from("abcd"), st.sampled_from([0.0, 0.0, 1.0]), st.integers(0, 6)),
        min_size=1,
        max_size=14,
    )
)
def test_sessions_are_those_of_the_specification(rows):
    retrieved = Run(pd.DataFrame(rows, columns=["qid", "docno", "score", "turn"]))

    found, n = retrieved.find(judge(qrels_frame({query: dict.fromkeys("abcd", 1) for query in "pq"})))

    sessions = [session([row for row in rows if row[0] == query]) for query in "pq"]
    assert n.tolist() == [len(ranks) for ranks in sessions]
    assert found.tolist() == [ranks.index(doc) + 1 if doc in ranks else 0 for ranks in sessions for doc in "dcba"]


@pytest.mark.parametrize("column", ["qid", "docno"])
@pytest.mark.parametrize("numbers", ["run", "qrels"])
def test_ids_that_lost_their_zeros_on_one_side_are_refused(column, numbers):
    frames = {
        "qrels": pd.DataFrame({"qid": ["07", "8"], "docno": ["0077", "5"], "label": 1}),
        "run": pd.DataFrame({"qid": ["07", "8"], "docno": ["0077", "5"], "score": 1.0}),
    }
    frames[numbers] = frames[numbers].astype({column: int})

    with pytest.raises(
        ValueError, match=r"^Run mine: (query_id: '07' is 7|doc_id: '0077' is 77) on the other side, .* dtype=str"
    ):
        evaluate_runs(frames["qrels"], {"mine": frames["run"]}, [RBU @ 5])


@pytest.mark.parametrize(
    ("rows", "is_told"),
    [
        ([("1", "a", 0.1), ("1", "b", 0.2), ("1", "c", 0.3)], True),
        ([("1", "a", 0.1), ("1", "b", 0.2), ("1", "c", 0.2), ("2", "d", 1), ("2", "e", 2)], True),
        ([("1", "a", 0.1), ("1", "b", 0.2)], False),
        ([("1", "a", 0.1), ("1", "b", 0.2), ("1", "c", 0.3), ("2", "d", 2), ("2", "e", 1)], False),
        ([("1", "a", 0.1), ("1", "b", 0.3), ("1", "c", 0.2)], False),
    ],
)
def test_scores_that_rise_down_the_rows_of_every_query_are_told_of(rows, is_told):
    run = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    found = Doubts()

    Run(run, doubts=found)

    assert [str(one).startswith("Scores rise down") for one in found.warnings()] == [True] * is_told
