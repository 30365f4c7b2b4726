"""Whole journeys through pt.Experiment, as a user makes them."""

import warnings

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, ERR, iter_calc, nDCG

from pyterrier_diversity import ERR_IA, IA, RBU, Adhoc, Sharp, StRecall, alpha_nDCG
from pyterrier_diversity.warnings import LabelsWarning

MEASURES = [
    RBU(p=0.99, e=0.001) @ 20,
    alpha_nDCG @ 20,
    alpha_nDCG(alpha=0.1) @ 20,
    ERR_IA @ 20,
    Adhoc(nDCG @ 20),
    Adhoc(AP),
]
RUNS = ("ql.cata-filtered", "ql.catb")


@pytest.fixture(scope="module")
def web(shared):
    return pt.get_dataset("diversity:clueweb09/en/trec-web-2012")


@pytest.fixture(scope="module")
def topics(web):
    return web.get_topics()


@pytest.fixture(scope="module")
def qrels(web):
    return web.get_qrels()


@pytest.fixture(scope="module")
def systems(trec_run):
    return {name: trec_run(f"2012/{name}").rename(columns={"query_id": "qid", "doc_id": "docno"}) for name in RUNS}


def in_trec_order(run: pd.DataFrame) -> dict[str, list[str]]:
    """Rank a run slowly: score descending, then document id descending."""
    return {
        qid: [doc for _, doc in sorted(zip(rows["score"], rows["docno"], strict=True), reverse=True)]
        for qid, rows in run.groupby("qid")
    }


def slow_rbu(ranking: list[str], grades: dict[str, dict[str, int]], p: float, e: float, k: int) -> float:
    """Restate RBU18 Eq. 11 with the authors' probabilities and uniform weights: ``grades[intent][document]``."""
    intents = {t: docs for t, docs in grades.items() if max(docs.values()) > 0}
    left = dict.fromkeys(intents, 1.0)
    total = 0.0
    for i, doc in enumerate(ranking[:k], 1):
        gain = 0.0
        for t, docs in intents.items():
            r = (2 ** max(docs.get(doc, 0), 0) - 1) / 2 ** max(docs.values())
            gain += r * left[t] / len(intents)
            left[t] *= 1 - r
        total += p**i * (gain - e)
    return total


def grades_of(qrels: pd.DataFrame) -> dict[str, dict[str, dict[str, int]]]:
    grades: dict[str, dict[str, dict[str, int]]] = {}
    for qid, doc, label, intent in qrels[["qid", "docno", "label", "iteration"]].itertuples(index=False):
        grades.setdefault(qid, {}).setdefault(intent, {})[doc] = label
    return grades


def test_every_cell_of_the_table_is_right(topics, qrels, systems, golden, trec_qrels):
    table = pt.Experiment(systems, topics, qrels, MEASURES).set_index("name")

    ndeval = golden("ndeval-traditional.tsv.gz").set_index(["measure", "params", "run", "query_id"])["value"]
    names = {
        alpha_nDCG @ 20: ("alpha-nDCG@20", "alpha=0.5"),
        alpha_nDCG(alpha=0.1) @ 20: ("alpha-nDCG@20", "alpha=0.1"),
        ERR_IA @ 20: ("ERR-IA@20", "alpha=0.5"),
    }
    highest = trec_qrels(2012).groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
    grades = grades_of(qrels)
    for name, run in systems.items():
        for measure, (golden_name, params) in names.items():
            expected = ndeval.loc[golden_name, params, f"2012/{name}", "amean(run topics)"]
            assert table.loc[name, str(measure)] == pytest.approx(expected, abs=1e-9)
        rankings = in_trec_order(run)
        in_order = [(qid, doc, -i) for qid, ranking in rankings.items() for i, doc in enumerate(ranking)]
        frame = pd.DataFrame(in_order, columns=["query_id", "doc_id", "score"])
        adhoc = ir_measures.pytrec_eval.calc_aggregate([nDCG @ 20, AP], highest, frame)
        assert table.loc[name, "Adhoc(nDCG@20)"] == pytest.approx(adhoc[nDCG @ 20], abs=1e-9)
        assert table.loc[name, "Adhoc(AP)"] == pytest.approx(adhoc[AP], abs=1e-9)
        rbu = np.mean([slow_rbu(rankings.get(qid, []), grades[qid], 0.99, 0.001, 20) for qid in grades])
        assert table.loc[name, "RBU@20"] == pytest.approx(rbu, abs=1e-9)


def test_the_qrels_of_ir_datasets_own_pyterrier_dataset_are_read_right(systems, golden, shared, capsys):
    dataset = pt.get_dataset("irds:clueweb09/en/trec-web-2012/diversity")
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    table = pt.Experiment({"ql.catb": systems["ql.catb"]}, topics, qrels, [alpha_nDCG @ 20])

    assert table["alpha_nDCG@20"].iloc[0] == pytest.approx(0.382, abs=5e-4)


def test_batches_do_not_change_the_values(topics, qrels, systems):
    system = pt.Transformer.from_df(systems["ql.catb"])
    measures = [*MEASURES, IA(nDCG @ 20), Sharp(alpha_nDCG @ 20)]
    options = {"perquery": True, "validate": "ignore"}
    some = topics.head(8)
    whole = pt.Experiment([system], some, qrels, measures, ["x"], **options)

    key = ["qid", "measure"]
    for batch_size in (1, 3):
        parts = pt.Experiment([system], some, qrels, measures, ["x"], batch_size=batch_size, **options)
        assert parts.set_index(key)["value"].sort_index().equals(whole.set_index(key)["value"].sort_index())


def test_an_experiment_gives_the_values_of_ir_measures(topics, qrels, systems):
    perquery = pt.Experiment(systems, topics, qrels, MEASURES, perquery=True)

    judged = pt.model.to_ir_measures(qrels)
    for name, run in systems.items():
        values = {
            (m.query_id, str(m.measure)): m.value for m in iter_calc(MEASURES, judged, pt.model.to_ir_measures(run))
        }
        table = perquery[perquery["name"] == name].set_index(["qid", "measure"])["value"].to_dict()
        assert table == values


def test_measures_of_all_providers_stand_in_one_table_with_significance():
    demo = pt.get_dataset("diversity:demo")
    systems = {name: demo.get_results(name) for name in ("bm25", "xquad")}
    table = pt.Experiment(
        systems, demo.get_topics(), demo.get_qrels(), [RBU @ 5, StRecall @ 5, nDCG @ 5, AP], baseline="bm25", round=3
    )

    assert {"RBU@5", "StRecall@5", "nDCG@5", "AP", "RBU@5 p-value", "StRecall@5 p-value"} <= set(table.columns)


def test_qrels_with_single_intents_are_told_of_once_for_all_systems():
    qrels = pd.DataFrame({"qid": ["1", "2"], "docno": "single", "label": 1})
    runs = [pd.DataFrame({"qid": ["1", "2"], "docno": "single", "score": score}) for score in (1.0, 2.0, 3.0)]
    topics = pd.DataFrame({"qid": ["1", "2"], "query": "text"})

    with pytest.warns(UserWarning, match="No query has more than one intent") as warned:
        pt.Experiment(runs, topics, qrels, [StRecall @ 5])

    assert len(warned) == 1


def test_bare_measures_on_qrels_of_several_labels_are_told_of_once_for_all_systems(topics, systems, shared, capsys):
    qrels = pt.get_dataset("irds:clueweb09/en/trec-web-2012/diversity").get_qrels()
    few = qrels[qrels["qid"].isin(topics["qid"].head(5))]
    with warnings.catch_warnings(record=True, action="always") as warned:
        table = pt.Experiment(systems, topics.head(5), few, [nDCG @ 20, ERR @ 20, RBU @ 20, Adhoc(nDCG @ 20)])

    told = [str(warning.message) for warning in warned if isinstance(warning.message, LabelsWarning)]
    assert told == [
        "ERR@20, nDCG@20: ir_measures reads one label of each document, but documents have several. ERR@20 reads label "
        "1 for document 'clueweb09-en0004-01-03541' of query '151', whose highest label is 4. Write Adhoc(ERR@20), "
        "Adhoc(nDCG@20)."
    ]
    assert (table["Adhoc(nDCG@20)"] > 1.2 * table["nDCG@20"]).all()
