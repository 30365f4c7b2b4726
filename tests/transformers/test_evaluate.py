import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, NRBP, RBP, RR, Judged, P, nDCG

from by_hand import renamed
from pyterrier_diversity import IA, RBU, Adhoc, Sharp, StRecall, alpha_nDCG
from pyterrier_diversity.transformers import Evaluate
from pyterrier_diversity.warnings import MissingWarning

QRELS = pd.DataFrame(
    [("q", "a", 1, "x"), ("q", "b", 2, "y"), ("q", "c", 0, "x"), ("p", "a", 1, "x")],
    columns=["qid", "docno", "label", "iteration"],
)
MEASURES = [RBU @ 10, alpha_nDCG @ 20, IA(nDCG @ 10), Adhoc(AP), StRecall @ 5, NRBP, Sharp(P @ 5), P @ 5, RR]

# PyTerrier's add_ranks, whose warnings pytest.warns hands on as those of pandas.
INPLACE = pytest.mark.filterwarnings("ignore:The inplace keyword")


def results(**rankings: str) -> pd.DataFrame:
    """Results of a ranking for each query: results(q="a b c")."""
    rows = [(qid, doc, -float(i)) for qid, docs in rankings.items() for i, doc in enumerate(docs.split())]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


def by_experiment(run, topics, qrels, measures):
    table = pt.Experiment([run], topics, qrels, measures, perquery=True, names=["run"])
    return {(row.qid, row.measure): row.value for row in table.itertuples()}


def by_evaluate(run, qrels, measures):
    table = Evaluate(qrels, measures)(run).melt("qid", list(map(str, measures)))
    return {(row.qid, row.variable): row.value for row in table.itertuples()}


def test_each_query_is_a_row_and_each_measure_a_column_in_the_order_of_the_results():
    # q: half of the intents at rank 1, all of them at rank 3.
    table = Evaluate(QRELS, [StRecall @ 1, StRecall @ 3, RR])(results(q="b c a", p="b a"))

    expected = pd.DataFrame({"qid": ["q", "p"], "StRecall@1": [0.5, 0], "StRecall@3": [1.0, 1], "RR": [1, 0.5]})
    pd.testing.assert_frame_equal(table, expected)


def test_the_columns_of_the_query_stay_and_those_of_documents_go():
    frame = results(q="b a").assign(query="jaguar", query_0="cat", qlen=1, text="...", rank=[0, 1])

    table = Evaluate(QRELS, RR)(frame)

    assert table.columns.tolist() == ["qid", "query", "query_0", "qlen", "RR"]
    assert table.iloc[0].tolist() == ["q", "jaguar", "cat", 1, 1]


def test_values_are_those_of_an_experiment_on_the_demo():
    demo = pt.get_dataset("diversity:demo")
    for name in ("bm25", "xquad", "more-like-this"):
        run = demo.get_results(name)

        expected = by_experiment(run, demo.get_topics(), demo.get_qrels(), MEASURES)

        assert by_evaluate(run, demo.get_qrels(), MEASURES) == expected


def test_it_is_the_last_step_of_a_pipeline_or_one_of_its_steps():
    demo = pt.get_dataset("diversity:demo")
    bm25 = pt.Transformer.from_df(demo.get_results("bm25"))
    pipeline = bm25 >> Evaluate(demo.get_qrels(), [alpha_nDCG @ 10])
    hard = pipeline >> pt.apply.generic(lambda table: table[table["alpha_nDCG@10"] < 0.6][["qid", "query"]]) >> bm25

    table = pipeline(demo.get_topics())

    assert table["alpha_nDCG@10"].mean() == pytest.approx(0.652, abs=5e-4)
    assert set(hard(demo.get_topics())["qid"]) == set(table["qid"][table["alpha_nDCG@10"] < 0.6])
    assert 0 < (table["alpha_nDCG@10"] < 0.6).sum() < len(table)


@pytest.mark.parametrize("columns", [["qid"], ["docno"], ["qid", "docno"]])
@pytest.mark.parametrize("measure", [RBU @ 5, P @ 2, RR @ 2, RBP(rel=1), Judged @ 2, IA(nDCG)])
def test_numbers_as_names_are_read_as_strings(columns, measure):
    numbered = {"qid": {"q": "7", "p": "8"}, "docno": {"a": "9", "b": "10", "c": "11"}}
    qrels, run = QRELS.drop(columns="iteration"), results(q="c b a", p="b a")
    expected = Evaluate(qrels, measure)(run).iloc[:, 1].tolist()
    types = dict.fromkeys(columns, int)
    run, qrels = renamed(run, numbered), renamed(qrels, numbered)

    assert all(value > 0 for value in expected)
    for judged, retrieved in ((qrels.astype(types), run), (qrels, run.astype(types))):
        table = Evaluate(judged, measure)(retrieved)
        assert table.iloc[:, 1].tolist() == expected
        assert table["qid"].tolist() == retrieved["qid"].unique().tolist()


@INPLACE
def test_queries_without_judgements_are_nan_and_counted_in_one_warning():
    with pytest.warns(
        MissingWarning, match=r"^Evaluate: 2 of 3 queries have no judgements: their values are NaN.$"
    ) as all_:
        table = Evaluate(QRELS, [RR, RBU @ 5])(results(z="a b", q="c a", y="a"))

    assert len(all_) == 1
    assert table["qid"].tolist() == ["z", "q", "y"]
    assert table["RR"].tolist() == pytest.approx([np.nan, 0.5, np.nan], nan_ok=True)
    assert table["RBU@5"].isna().tolist() == [True, False, True]
    assert table["RR"].mean() == 0.5


def test_measures_may_be_strings_or_one_measure():
    run = results(q="b c a")
    by_objects = Evaluate(QRELS, [RBU(p=0.9) @ 5, IA(nDCG @ 3), P @ 1])(run)

    pd.testing.assert_frame_equal(Evaluate(QRELS, ["RBU(p=0.9)@5", "IA(nDCG@3)", "P@1"])(run), by_objects)
    pd.testing.assert_frame_equal(Evaluate(QRELS, "P@1")(run), by_objects[["qid", "P@1"]])
    pd.testing.assert_frame_equal(Evaluate(QRELS, P @ 1)(run), by_objects[["qid", "P@1"]])
    assert repr(Evaluate(QRELS, ["P@1", RR])) == "Evaluate(P@1, RR)"


def test_a_column_turn_makes_the_results_a_session():
    run = results(q="c a b").assign(turn=[1, 0, 0], score=[9.0, 1.0, 2.0])

    # b, a, c: one intent, then both.
    assert Evaluate(QRELS, [StRecall @ 1, StRecall @ 2])(run).iloc[0].tolist() == ["q", 0.5, 1]


@pytest.mark.parametrize(
    ("qrels", "measures", "error", "message"),
    [
        (QRELS.drop(columns="label"), [RR], ValueError, r"^qrels: missing column label;"),
        (QRELS, [], ValueError, r"^Evaluate: measures must not be empty\.$"),
        (QRELS, [3], TypeError, r"^Evaluate: a measure must be an object such as RBU @ 20, or its name, not 3\.$"),
        ([RBU @ 5], QRELS, TypeError, r"^Evaluate: .*, not a DataFrame; qrels come before measures\.$"),
        (QRELS, ["RBX@3"], ValueError, r"^Unknown measure 'RBX'\. Did you mean RBU@3\?"),
        (QRELS, [P], ValueError, r"^P: .*cutoff"),
        (QRELS, [alpha_nDCG(alpha=2.0)], ValueError, r"alpha must be a number in \[0, 1\], not 2\.0"),
        (QRELS.assign(docno=None), [RR], ValueError, r"^qrels: row 0 has no docno"),
        (QRELS.assign(label=np.nan), [RBU], ValueError, r"^qrels: label must be a finite number"),
    ],
)
def test_invalid_arguments_are_refused_at_once(qrels, measures, error, message):
    with pytest.raises(error, match=message):
        Evaluate(qrels, measures)


@pytest.mark.parametrize("measure", [RBU @ 5, P @ 5, RBP(rel=1)])
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"score": [1.0, np.nan]}, "run: score must be a finite number, but query 'q' has nan"),
        ({"docno": ["a", None]}, "run: row 1 has no docno"),
        ({"qid": [None, "q"]}, "run: row 0 has no qid"),
    ],
)
def test_results_that_cannot_be_ranked_are_refused_by_any_measure(measure, columns, message):
    with pytest.raises(ValueError, match=message):
        Evaluate(QRELS, measure)(results(q="a b").assign(**columns))
