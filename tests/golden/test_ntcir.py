"""Q, P+ and the D# family against pyNTCIREVAL."""

import ir_measures
import numpy as np
import pytest

from pyterrier_diversity import D_Q, Adhoc, D_nDCG, Dsharp_nDCG, Dsharp_Q, Pplus, Q, StRecall

TABLE = "ntcir.tsv.gz"
RUNS = [
    "2011/syn08-ties",
    "2011/syn09-gaps",
    "2012/ql.cata-filtered",
    "2012/ql.catb",
    "2012/rm.catb",
    "2012/rm.catb-filtered",
    "2013/syn07-diverse",
]
OURS = {
    "MSnDCG@10": Adhoc(D_nDCG @ 10),  # with one set of labels, the global gain is the gain
    "Q@10(beta=1)": Q @ 10,
    "Q(beta=1)": Q,
    "P+(beta=1),list truncated at 10": Pplus @ 10,
    "P+(beta=1)": Pplus,
    "I-rec@10": StRecall @ 10,
    "D-nDCG@10": D_nDCG @ 10,
    "D-Q@10(beta=1)": D_Q @ 10,
    "D#-nDCG@10(gamma=0.5)": Dsharp_nDCG @ 10,
    "D#-Q@10(gamma=0.5)": Dsharp_Q @ 10,
}
NOT_OURS = {"nDCG-original(logb=2)@10", "nERR@10"}


@pytest.fixture(scope="session")
def judged(trec_qrels):
    """Return the qrels of a year as a row of the table reads them: on its scale of labels, of its intent alone."""

    def read(year, params):
        params = dict(pair.split("=", 1) for pair in params.split(";") if "=" in pair)
        qrels = trec_qrels(year)
        if params.get("level") == "min(label,3)":
            qrels["relevance"] = qrels["relevance"].clip(upper=3)
        intent = params.get("labels", "").partition("intent ")[2]
        return qrels[qrels["subtopic_id"] == intent] if intent else qrels

    return read


@pytest.mark.parametrize("name", RUNS)
def test_values_equal_those_of_pyntcireval(name, golden_by_run, judged, trec_run):
    expected = golden_by_run(TABLE)[name]
    expected = expected[~expected["measure"].isin(NOT_OURS)]
    year, run = int(name[:4]), trec_run(name)

    values = np.full(len(expected), np.nan)
    for params, rows in expected.assign(row=np.arange(len(expected))).groupby("params"):
        measures = [OURS[measure] for measure in rows["measure"].unique()]
        scored = {(m.measure, m.query_id): m.value for m in ir_measures.iter_calc(measures, judged(year, params), run)}
        values[rows["row"]] = [scored[OURS[m], q] for m, q in zip(rows["measure"], rows["query_id"], strict=True)]

    np.testing.assert_allclose(values, expected["value"], atol=1e-9, rtol=0)


@pytest.mark.parametrize("name", ["2011/syn08-ties", "2012/ql.catb"])
def test_d_ndcg_of_one_intents_rows_needs_no_lift(name, golden_by_run, judged, trec_run):
    expected = golden_by_run(TABLE)[name].query("measure == 'MSnDCG@10'")
    params = "gains=1:3:7:15;labels=intent 1"
    expected = expected[expected["params"] == params]

    scored = (D_nDCG @ 10).iter_calc(judged(int(name[:4]), params), trec_run(name))

    values = expected["query_id"].map({metric.query_id: metric.value for metric in scored})
    np.testing.assert_allclose(values, expected["value"], atol=1e-9, rtol=0)


def test_a_topic_without_a_row_is_missing_from_the_run(golden_by_run, judged, trec_run):
    name = "2011/syn09-gaps"
    qrels, run = judged(2011, "labels=max over intents"), trec_run(name)

    missing = set(qrels["query_id"]) - set(golden_by_run(TABLE)[name]["query_id"])

    assert missing == set(qrels["query_id"]) - set(run["query_id"])
    assert len(missing) == 10
    assert {m.value for m in ir_measures.iter_calc(OURS.values(), qrels, run) if m.query_id in missing} == {0}


def test_the_two_scales_of_labels_give_other_values(judged, trec_run):
    run = trec_run("2012/rm.catb")

    three, four = (
        (D_nDCG @ 10).calc_aggregate(judged(2012, params), run)
        for params in ("gains=1:3:7;level=min(label,3)", "gains=1:3:7:15")
    )

    assert abs(three - four) > 1e-4


def test_all_measures_of_the_table_are_compared_but_two_that_this_package_does_not_have(golden_by_run):
    names = {name for rows in golden_by_run(TABLE).values() for name in rows["measure"]}

    assert names == OURS.keys() | NOT_OURS


def test_all_runs_of_the_table_are_compared(golden_by_run):
    assert sorted(golden_by_run(TABLE)) == RUNS
