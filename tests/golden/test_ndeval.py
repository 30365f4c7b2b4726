"""The measures of ndeval against ndeval 4.5 itself, called with ``-traditional``."""

import re
import warnings

import ir_measures
import numpy as np
import pytest

from pyterrier_diversity import AP_IA, ERR_IA, NRBP, P_IA, StRecall, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP
from pyterrier_diversity.io import read_run

TABLE = "ndeval-traditional.tsv.gz"
OURS = {
    "ERR-IA": ERR_IA,
    "nERR-IA": nERR_IA,
    "alpha-DCG": alpha_DCG,
    "alpha-nDCG": alpha_nDCG,
    "NRBP": NRBP,
    "nNRBP": nNRBP,
    "MAP-IA": AP_IA,
    "P-IA": P_IA,
    "strec": StRecall,
}


def our_measure(name, params):
    """Return our measure for the names of a row; None if there is none."""
    name, _, cutoff = name.partition("@")
    values = {key: float(value) for key, value in re.findall(r"(\w+)=([\d.]+)", params)}
    # ir_measures' ERR_IA and nERR_IA have no alpha: it is ndeval's default of 0.5, and no other can be asked for.
    if name in ("ERR-IA", "nERR-IA") and values.pop("alpha") != 0.5:
        return None
    measure = OURS[name](**values)
    return measure @ int(cutoff) if cutoff else measure


@pytest.fixture(scope="session")
def compared(golden_by_run, trec_qrels, trec_run):
    """Return the rows of a run that can be compared, our values of each query, and our aggregates."""
    known = {}

    def compute(run_name):
        if run_name not in known:
            rows = golden_by_run(TABLE)[run_name]
            kinds = rows[["measure", "params"]].drop_duplicates().itertuples(index=False, name=None)
            ours = {kind: measure for kind in kinds if (measure := our_measure(*kind)) is not None}
            names = [str(ours.get(kind, "")) for kind in zip(rows["measure"], rows["params"], strict=True)]
            rows = rows.assign(ours=names).query("ours != ''")
            aggregated, metrics = ir_measures.calc(ours.values(), trec_qrels(int(run_name[:4])), trec_run(run_name))
            values = {(str(metric.measure), metric.query_id): metric.value for metric in metrics}
            known[run_name] = rows, values, {str(measure): value for measure, value in aggregated.items()}
        return known[run_name]

    return compute


def test_values_equal_those_of_ndeval(run_name, compared):
    rows, values, _ = compared(run_name)
    # ndeval prints 0 for a topic that is only in the run; this package prints nothing.
    rows = rows[~rows["query_id"].str.startswith("amean") & (rows["query_id"] != "999")]

    ours = np.array([values[key] for key in zip(rows["ours"], rows["query_id"], strict=True)])

    np.testing.assert_allclose(ours, rows["value"], atol=1e-9, rtol=0)


def test_the_aggregate_equals_the_mean_that_counts_missing_topics_as_0(run_name, compared):
    rows, _, aggregated = compared(run_name)
    rows = rows[rows["query_id"] == "amean(-c)"]

    assert len(rows) == 21  # the table has this mean for an alpha and a beta of 0.5 only
    np.testing.assert_allclose(rows["ours"].map(aggregated), rows["value"], atol=1e-9, rtol=0)


def test_the_mean_over_the_topics_of_the_run_equals_that_of_ndeval(run_name, compared, trec_run):
    rows, values, aggregated = compared(run_name)
    rows = rows[rows["query_id"] == "amean(run topics)"]
    topics = {query for _, query in values} & set(trec_run(run_name)["query_id"])

    ours = [np.mean([values[name, query] for query in topics]) for name in rows["ours"]]

    assert len(rows) == len(aggregated)
    np.testing.assert_allclose(ours, rows["value"], atol=1e-9, rtol=0)


def test_topics_of_the_run_that_the_qrels_lack_have_no_value(compared):
    _, values, _ = compared("2011/syn10-long")

    assert "999" not in {query for _, query in values}


def test_the_table_of_ndeval_names_no_run_that_is_not_compared(golden_by_run, run_names):
    assert sorted(golden_by_run(TABLE)) == sorted(run_names)


def test_only_err_ia_with_another_alpha_is_left_out(golden_by_run, compared):
    every = golden_by_run(TABLE)["2012/rm.catb"]
    rows, _, _ = compared("2012/rm.catb")

    left_out = every.drop(rows.index)

    assert set(left_out["measure"].str.partition("@")[0]) == {"ERR-IA", "nERR-IA"}
    assert set(left_out["params"]) == {"alpha=0.1", "alpha=0.75"}


def compare(table, run_name, golden_by_run, shared, trec_qrels, order):
    """Compare the values of a run that is read in an order; return the rows of the table that were compared."""
    rows = golden_by_run(table)[run_name]
    qrels = trec_qrels(int(run_name[:4]))
    rows = rows[
        rows["query_id"].isin(qrels["query_id"].unique())
    ]  # ndeval prints 0 for topics that are not in the qrels
    kinds = rows[["measure", "params"]].drop_duplicates().itertuples(index=False, name=None)
    ours = {kind: measure for kind in kinds if (measure := our_measure(*kind)) is not None}
    names = [str(ours.get(kind, "")) for kind in zip(rows["measure"], rows["params"], strict=True)]
    rows = rows.assign(ours=names).query("ours != ''")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Scores and ranks contradict each other", UserWarning)
        retrieved = read_run(shared / "trec-web" / "runs" / f"{run_name}.run.gz", order=order)
    metrics = ir_measures.iter_calc(ours.values(), qrels, retrieved)
    values = {(str(metric.measure), metric.query_id): metric.value for metric in metrics}
    found = [values[key] for key in zip(rows["ours"], rows["query_id"], strict=True)]
    np.testing.assert_allclose(found, rows["value"], atol=1e-9, rtol=0)
    return rows


def test_values_by_rank_equal_those_of_ndeval(run_name, golden_by_run, shared, trec_qrels):
    rows = compare("ndeval-by-rank.tsv.gz", run_name, golden_by_run, shared, trec_qrels, "rank")

    assert rows["ours"].nunique() == 21


@pytest.mark.parametrize("year", [2009, 2010, 2011, 2012])
@pytest.mark.parametrize("system", ["desa", "dssa-doc2vec", "dssa-first-stage", "gdesa", "mdp-div-lemur", "ppg"])
def test_values_of_systems_by_score_equal_those_of_ndeval(system, year, golden_by_run, shared, trec_qrels):
    rows = compare("ndeval-systems.tsv.gz", f"{year}/{system}", golden_by_run, shared, trec_qrels, "score")

    assert len(rows) > 1000


@pytest.mark.parametrize("year", [2009, 2010, 2011, 2012])
def test_values_of_a_system_by_rank_equal_those_of_ndeval(year, golden_by_run, shared, trec_qrels):
    name = f"{year}/gdesa"
    by_rank = compare("ndeval-systems-by-rank.tsv.gz", name, golden_by_run, shared, trec_qrels, "rank")

    by_score = golden_by_run("ndeval-systems.tsv.gz")[name]
    both = by_rank.merge(by_score, on=["measure", "params", "query_id"])
    assert (abs(both["value_x"] - both["value_y"]) > 1e-3).any()


def test_every_run_of_the_tables_of_systems_is_compared(golden_by_run):
    systems = {"desa", "dssa-doc2vec", "dssa-first-stage", "gdesa", "mdp-div-lemur", "ppg"}

    assert set(golden_by_run("ndeval-systems.tsv.gz")) == {f"{y}/{s}" for y in range(2009, 2013) for s in systems}
    assert set(golden_by_run("ndeval-systems-by-rank.tsv.gz")) == {f"{y}/gdesa" for y in range(2009, 2013)}
