import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, ERR, RBP, RR, Bpref, Compat, P, R, nDCG

import by_hand
import drawn
from pyterrier_diversity import (
    ACT,
    CT,
    EU_DD,
    IA,
    RBU,
    Adhoc,
    Coverage,
    D_nDCG,
    ERR_arith,
    NuggetScore,
    P_at_Recall,
    RR_at_Recall,
    SessionDCG,
    Sharp,
    StRecall,
    UserModel,
    alpha_nDCG,
    nCT,
    nSessionDCG,
)
from pyterrier_diversity.datasets.demo import DemoDataset
from pyterrier_diversity.io import highest_label_last
from pyterrier_diversity.measures import registered
from pyterrier_diversity.transformers import Explain, explain_difference

QRELS = pd.DataFrame(
    [
        ("q", "a", 1, "x"),
        ("q", "b", 1, "x"),
        ("q", "b", 2, "y"),
        ("q", "c", 0, "x"),
        ("q", "c", -2, "z"),
        ("q", "e", 3, "z"),
        ("p", "a", 1, "x"),
    ],
    columns=["qid", "docno", "label", "iteration"],
)

# What cannot be built without a parameter, and an example of each kind of measure.
SPECIAL = {
    "IA": IA(nDCG @ 10),
    "Adhoc": Adhoc(nDCG @ 10),
    "Sharp": Sharp(nDCG @ 10, gamma=0.3),
    "UserModel": UserModel(4, "RBP", redundancy="RR"),
}
PLAIN = [measure for measure in registered() if measure.NAME not in SPECIAL]
OURS = [*SPECIAL.values(), *(measure @ 10 if "cutoff" in measure.SUPPORTED_PARAMS else measure for measure in PLAIN)]
OTHERS = [
    P @ 5,
    R @ 10,
    RR,
    AP,
    AP(rel=2) @ 10,
    nDCG,
    nDCG @ 10,
    RBP(rel=1),
    Adhoc(ERR @ 20),
    Bpref,
    Adhoc(Compat),
    P(judged_only=True) @ 5,
    IA(AP),
    IA(RBP(rel=1, p=0.5)),
    IA(ERR @ 5),
    IA(RBU @ 7),
    Adhoc(P(rel=2) @ 3),
    Adhoc(RR),
    Sharp(alpha_nDCG @ 5),
    Sharp(AP),
    alpha_nDCG,
    alpha_nDCG(judged_only=True) @ 5,
    StRecall(rel=2) @ 5,
    RBU,
    RBU(e=0.5) @ 10,
]

# PyTerrier's add_ranks, whose warnings pytest.warns hands on as those of pandas.
INPLACE = pytest.mark.filterwarnings("ignore:The inplace keyword")


def results(**rankings: str) -> pd.DataFrame:
    """Results of a ranking for each query: results(q="a b c")."""
    rows = [(qid, doc, -float(i)) for qid, docs in rankings.items() for i, doc in enumerate(docs.split())]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


def column(frame: pd.DataFrame, name: str, qid: str = "q") -> list:
    return frame[name][frame["qid"] == qid].tolist()


def unsummed(qrels: pd.DataFrame, run: pd.DataFrame, measure: ir_measures.Measure) -> dict:
    """Return the queries whose contributions do not sum to the measure's value, with both."""
    sums = Explain(qrels, measure)(run).groupby("qid")["contribution"].sum()
    judged = pt.model.to_ir_measures(qrels)
    values = {m.query_id: m.value for m in ir_measures.iter_calc([measure], judged, pt.model.to_ir_measures(run))}
    assert set(sums.index) <= set(values)
    return {qid: (sums[qid], values[qid]) for qid in sums.index if not abs(sums[qid] - values[qid]) <= 1e-12}


@pytest.fixture(scope="module")
def web(trec_qrels, trec_run):
    """Return qrels with all optional columns, and the top of two real rankings, best first, with ties."""
    run = pt.model.from_ir_measures(trec_run("2012/ql.catb"))
    run = run[run["qid"].isin(["151", "163"])].sort_values(["qid", "score", "docno"], ascending=[True, False, False])
    run = run.groupby("qid").head(12).assign(doc_len=100.0)
    qrels = pt.model.from_ir_measures(trec_qrels(2012).rename(columns={"subtopic_id": "iteration"}))
    some = qrels["docno"].isin(run["docno"]) | (qrels.index % 10 == 0)
    qrels = highest_label_last(qrels[qrels["qid"].isin(["151", "163"]) & some])
    weight = qrels["iteration"].astype(float) + 1
    first = qrels["iteration"] == "1"
    columns = {"weight": weight, "intent_type": np.where(first, "nav", "inf"), "rarity": 0.5}
    return qrels.assign(**columns, passage="1", nugget=qrels["docno"]), run


@pytest.mark.parametrize("measure", [*OURS, *OTHERS], ids=str)
def test_contributions_sum_to_the_value_of_any_measure_on_real_runs(web, measure):
    qrels, run = web
    if measure not in OURS:
        qrels = qrels[["qid", "docno", "label", "iteration"]]

    assert unsummed(qrels, run, measure) == {}


def test_each_value_is_that_of_the_prefix_evaluated_alone(web):
    qrels, run = web
    for measure in (RBU @ 10, Sharp(nDCG @ 5), D_nDCG @ 20, AP):
        explained = Explain(qrels, measure)(run)
        for n in (1, 2, 7, 12):
            prefix = pt.model.to_ir_measures(run.groupby("qid").head(n))
            judged = pt.model.to_ir_measures(qrels)
            alone = {m.query_id: m.value for m in ir_measures.iter_calc([measure], judged, prefix)}
            found = explained[explained["rank"] == n - 1].set_index("qid")["value"].to_dict()
            assert found == pytest.approx(alone, abs=1e-12)


DYNAMIC = [
    CT,
    CT @ 2,
    ACT @ 3,
    nCT @ 3,
    SessionDCG,
    nSessionDCG @ 2,
    EU_DD @ 3,
    EU_DD,
    ERR_arith,
    P_at_Recall,
    RR_at_Recall @ 4,
    RBU @ 7,
    alpha_nDCG @ 10,
    Adhoc(nDCG @ 5),
    IA(CT @ 2),
]


@pytest.mark.parametrize("measure", DYNAMIC, ids=str)
def test_contributions_sum_to_the_value_of_drawn_sessions(measure):
    qrels, run = drawn.sessions(3, n_queries=4)
    run = run[run["qid"] != "not in the qrels"]

    assert unsummed(qrels, run, measure) == {}
    assert unsummed(qrels, drawn.without_turns(run), measure) == {}


def test_a_cutoff_in_turns_reaches_documents_below_the_size_of_a_batch():
    explained = Explain(by_hand.qrels("q x a 1"), CT(batch=2) @ 1)(by_hand.session("uva"))

    assert column(explained, "value") == pytest.approx([0, 0, 0.1])


def test_intents_are_told_document_by_document():
    explained = Explain(QRELS, StRecall @ 10)(results(q="c b u a e"))

    assert column(explained, "docno") == ["c", "b", "u", "a", "e"]
    assert column(explained, "rank") == [0, 1, 2, 3, 4]
    assert column(explained, "intents") == [{}, {"x": 1, "y": 2}, {}, {"x": 1}, {"z": 3}]
    assert column(explained, "new_intents") == [[], ["x", "y"], [], [], ["z"]]
    assert column(explained, "unmet_intents") == [["x", "y", "z"], ["z"], ["z"], ["z"], []]
    assert column(explained, "judged") == [True, True, False, True, True]
    assert column(explained, "tied") == [False] * 5
    assert column(explained, "measure") == ["StRecall@10"] * 5
    assert column(explained, "value") == pytest.approx([0, 2 / 3, 2 / 3, 2 / 3, 1])
    assert column(explained, "contribution") == pytest.approx([0, 2 / 3, 0, 0, 1 / 3])
    halves = Explain(QRELS.assign(label=QRELS["label"] * 0.5), RBU)(results(q="b e"))
    assert repr(column(halves, "intents")) == "[{'x': 0.5, 'y': 1}, {'z': 1.5}]"


def test_a_document_that_only_costs_contributes_less_than_nothing():
    # RBU(p=0.5, e=0.1): -0.05 for nothing; then 0.25 (1/3 (1/2 + 3/4) - 0.1), as r is 1/2 for x and 3/4 for y.
    explained = Explain(QRELS, RBU(p=0.5, e=0.1, max_rel=None))(results(q="u b"))

    assert column(explained, "contribution") == pytest.approx([-0.05, 0.25 * ((0.5 + 0.75) / 3 - 0.1)])


def test_below_the_cutoff_nothing_is_contributed():
    explained = Explain(QRELS, StRecall @ 2)(results(q="u a b e", p="a"))

    assert column(explained, "value") == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])
    assert column(explained, "contribution") == pytest.approx([0, 1 / 3, 0, 0])
    assert column(explained, "unmet_intents") == [["x", "y", "z"], ["y", "z"], ["z"], []]
    assert column(explained, "value", "p") == [1]


@pytest.mark.parametrize("measure", [StRecall(rel=2) @ 5, Adhoc(P(rel=2) @ 5), IA(AP(rel=2))], ids=str)
def test_labels_below_the_rel_of_the_measure_do_not_count_as_relevant(measure):
    explained = Explain(QRELS, measure)(results(q="a b e", p="a"))

    assert column(explained, "intents") == [{}, {"y": 2}, {"z": 3}]
    assert column(explained, "unmet_intents") == [["y", "z"], ["z"], []]
    assert column(explained, "judged") == [True] * 3
    assert column(explained, "intents", "p") == [{}]
    assert column(explained, "unmet_intents", "p") == [[]]
    assert column(explained, "value", "p") == [0]


def test_if_only_judged_documents_count_the_cutoff_is_further_down():
    explained = Explain(QRELS, P(judged_only=True) @ 2)(results(p="u v w a"))

    assert column(explained, "value", "p") == [0, 0, 0, 0.5]


def test_tied_documents_come_in_descending_order_of_their_names_as_measures_see_them():
    run = results(q="a b u e c").assign(score=[2.0, 2, 3, 1, 2])

    explained = Explain(QRELS, RR)(run)

    # u, then c, b, a of the same score: the first relevant document is the third.
    assert column(explained, "docno") == ["u", "c", "b", "a", "e"]
    assert column(explained, "tied") == [False, True, True, True, False]
    assert column(explained, "contribution") == pytest.approx([0, 0, 1 / 3, 0, 0])


@settings(max_examples=2, deadline=None)
@given(
    scores=st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=30, max_size=30),
    docs=st.lists(st.permutations(["a", "b", "c", "e", "u", "a10"]), min_size=5, max_size=5),
)
def test_the_order_is_the_one_that_gives_measures_their_values(scores, docs):
    qids = [f"q{i}" for i in range(5)]
    qrels = pd.concat([QRELS[QRELS["qid"] == "q"].assign(qid=qid) for qid in qids])
    run = pd.DataFrame({"qid": np.repeat(qids, 6), "docno": [doc for of in docs for doc in of], "score": scores})

    explained = Explain(qrels, RBU)(run)

    in_order = run.sort_values(["score", "docno"], ascending=False).sort_values("qid", kind="stable")
    assert explained["docno"].tolist() == in_order["docno"].tolist()
    again = explained.assign(score=np.arange(30, 0.0, -1))
    for measure in (RBU, RR, alpha_nDCG @ 2, IA(AP)):
        assert unsummed(qrels, run, measure) == {}
        assert Explain(qrels, measure)(again)["value"].tolist() == Explain(qrels, measure)(run)["value"].tolist()


@INPLACE
def test_of_a_document_that_is_there_twice_the_better_ranked_row_counts():
    run = results(q="a u a b").assign(extra=[1, 2, 3, 4])

    with pytest.warns(UserWarning, match="repeats documents within a query, such as .* 1") as warned:
        explained = Explain(QRELS, StRecall @ 3)(run)

    assert len(warned) == 1
    assert explained["extra"].tolist() == [1, 2, 4]
    assert explained["value"].tolist() == pytest.approx([1 / 3, 1 / 3, 2 / 3])
    assert not explained["tied"].any()


def test_a_session_is_explained_turn_by_turn_and_a_repeated_document_counts_as_unjudged():
    run = by_hand.session("ub", "", "bae").assign(score=[4.0, 6.0, 5.0, 5.0, 4.0])

    explained = Explain(QRELS, CT)(run)

    # Turn 0 by score: b, u. Turn 2: b again ties with a, and has the higher name. u and e do not tie.
    assert explained["docno"].tolist() == ["b", "u", "b", "a", "e"]
    assert explained["turn"].tolist() == [0, 0, 2, 2, 2]
    assert explained["rank"].tolist() == [0, 1, 2, 3, 4]
    assert explained["position"].tolist() == [1, 2, 3, 4, 5]
    assert explained["intents"].tolist() == [{"x": 1, "y": 2}, {}, {}, {"x": 1}, {"z": 3}]
    assert explained["judged"].tolist() == [True, False, False, True, True]
    assert explained["tied"].tolist() == [False, False, True, True, False]
    assert unsummed(QRELS, run, CT) == {}


@INPLACE
def test_queries_without_judgements_are_nan_and_counted_in_one_warning():
    with pytest.warns(
        UserWarning, match=r"^Explain: 1 of 2 queries have no judgements: their values are NaN.$"
    ) as all_:
        explained = Explain(QRELS, StRecall @ 3)(results(z="a b", q="a"))

    assert len(all_) == 1
    assert explained["value"].isna().tolist() == [True, True, False]
    assert explained["contribution"].isna().tolist() == [True, True, False]
    assert column(explained, "intents", "z") == [{}, {}]
    assert column(explained, "unmet_intents", "z") == [[], []]
    assert column(explained, "judged", "z") == [False, False]
    assert column(explained, "docno", "z") == ["a", "b"]


def test_other_columns_stay_and_old_explanations_are_replaced():
    run = results(q="b a").assign(query="text", extra=[1, 2], rank=[7, 8], value=99.0)

    explained = Explain(QRELS, RR)(run)

    kept = ["qid", "docno", "score", "query", "extra", "rank", "value"]
    assert explained.columns.tolist()[: len(kept)] == kept
    assert explained[["extra", "rank", "value"]].to_numpy().tolist() == [[1, 0, 1], [2, 1, 1]]
    assert explained.index.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("qrels", "measure", "error", "message"),
    [
        (QRELS.drop(columns="label"), RR, ValueError, r"^qrels: missing column label;"),
        (QRELS, 3, TypeError, r"^Explain: a measure must be an object such as RBU @ 20, or its name, not 3\.$"),
        (QRELS, [RR, RR], TypeError, r"^Explain: a measure must be an object such as RBU @ 20, .* not a list of 2\.$"),
        (RR, QRELS, TypeError, r"^Explain: .*, not a DataFrame; qrels come before measures\.$"),
        (QRELS, "RBX", ValueError, r"^Unknown measure 'RBX'"),
        (QRELS, P, ValueError, r"^P: .*cutoff"),
        (QRELS.drop(columns="iteration"), RR, ValueError, r"several rows for document 'b' of query 'q'"),
    ],
)
def test_invalid_arguments_are_refused_at_once(qrels, measure, error, message):
    with pytest.raises(error, match=message):
        Explain(qrels, measure)


@pytest.mark.parametrize("measure", [Coverage, Coverage @ 2, NuggetScore, Sharp(Coverage @ 5)], ids=str)
def test_unmet_intents_are_those_that_the_measure_counts(measure):
    judged = pd.concat([QRELS, pd.DataFrame({"qid": ["q"], "docno": "", "label": 0, "iteration": "nobody"})])

    explained = Explain(judged, measure)(results(q="b e"))

    assert explained["unmet_intents"].tolist() == [["nobody", "z"], ["nobody"]]


def test_intents_that_no_document_serves_are_met_for_other_measures():
    judged = QRELS.assign(label=QRELS["label"].where(QRELS["iteration"] != "z", 0))

    assert Explain(judged, StRecall)(results(q="b"))["unmet_intents"].tolist() == [[]]
    assert Explain(judged, IA(Coverage))(results(q="b"))["unmet_intents"].tolist() == [[]]
    assert Explain(judged, Coverage)(results(q="b"))["unmet_intents"].tolist() == [["z"]]


def test_intents_of_weight_0_are_never_unmet():
    weighted = QRELS.assign(weight=QRELS["iteration"].map({"x": 1, "y": 2, "z": 0}))

    assert Explain(weighted, Coverage)(results(q="b"))["unmet_intents"].tolist() == [[]]


def test_the_differences_of_two_rankings_sum_to_the_difference_of_their_values():
    demo = DemoDataset()
    explain = Explain(demo.get_qrels(), RBU @ 5)
    one, other = (explain(demo.get_results(name)) for name in ("bm25", "xquad-top-3"))

    table = explain_difference(one, other)

    expected = one.groupby("qid")["value"].last() - other.groupby("qid")["value"].last()
    sums = table.groupby("qid")["difference"].sum()
    assert sums.to_dict() == pytest.approx(expected.to_dict(), abs=1e-12)
    assert table[["qid", "rank"]].equals(one[["qid", "rank"]])
    assert table["docno"].tolist() == one["docno"].tolist()
    assert table["docno_other"].dropna().tolist() == other["docno"].tolist()


def test_queries_of_either_ranking_are_compared():
    explain = Explain(QRELS, RBU @ 5)
    one, other = (explain(pd.DataFrame({"qid": [q], "docno": ["a"], "score": [1.0]})) for q in ("q", "p"))

    table = explain_difference(one, other)

    assert table["qid"].tolist() == ["q", "p"]
    assert table["difference"].tolist() == [one["value"][0], -other["value"][0]]


def test_rankings_explained_by_different_measures_are_not_compared():
    run = pd.DataFrame({"qid": ["q"], "docno": ["a"], "score": [1.0]})
    one, other = (Explain(QRELS, measure)(run) for measure in (RBU @ 5, StRecall @ 5))

    with pytest.raises(ValueError, match=r"must have the same measure, not RBU@5, StRecall@5\."):
        explain_difference(one, other)
    with pytest.raises(ValueError, match=r"^explain_difference: other: missing column value; found: "):
        explain_difference(one, one.drop(columns="value"))
