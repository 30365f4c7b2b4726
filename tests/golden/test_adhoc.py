"""Ad-hoc measures against pytrec_eval, cwl_eval and gdeval: they get rankings in the right order."""

import functools

import ir_measures
import numpy as np
import pytest

from pyterrier_diversity import Adhoc

TABLE = "adhoc.tsv.gz"


@pytest.fixture(scope="session")
def rows_of(golden_by_run):
    """Return the rows of a run."""
    return lambda run_name: golden_by_run(TABLE)[run_name]


@pytest.fixture(scope="session")
def values_of(trec_qrels):
    """Return the value of each row of a run, by the measures that a function makes of names."""

    @functools.cache
    def evaluator(year, made, names):
        # Without columns that name an intent. The providers read them once for all runs of a year.
        qrels = trec_qrels(year, "adhoc")[["query_id", "doc_id", "relevance"]]
        qrels = qrels.astype({"query_id": object, "doc_id": object})
        return ir_measures.evaluator(list(map(made, names)), qrels)

    def values(made, rows, year, run):
        run = run.astype({"query_id": object, "doc_id": object})  # the tools go through the strings one by one
        names = tuple(rows["measure"].unique())
        of_measure = dict(zip(map(made, names), names, strict=True))
        found = {
            (of_measure[metric.measure], metric.query_id): metric.value
            for metric in evaluator(year, made, names).iter_calc(run)
        }
        return np.array([found[key] for key in zip(rows["measure"], rows["query_id"], strict=True)])

    return values


def test_lifted_measures_equal_the_tools_with_a_run_as_it_is(run_name, rows_of, values_of, trec_run):
    rows = rows_of(run_name)

    values = values_of(Adhoc, rows, int(run_name[:4]), trec_run(run_name))

    np.testing.assert_allclose(values, rows["value"], atol=1e-9, rtol=0)


# The measures of gdeval are computed by this package.
OURS = ["ERR@20", "nDCG(dcg='exp-log2')@20"]


def test_bare_measures_equal_the_tools(run_name, rows_of, values_of, trec_run):
    rows = rows_of(run_name)
    rows = rows[rows["measure"].isin(OURS)]

    values = values_of(ir_measures.parse_measure, rows, int(run_name[:4]), trec_run(run_name))

    assert set(rows["measure"]) == set(OURS)
    np.testing.assert_allclose(values, rows["value"], atol=1e-9, rtol=0)


def test_the_table_of_adhoc_measures_names_no_run_that_is_not_compared(golden_by_run, run_names):
    assert sorted(golden_by_run(TABLE)) == sorted(run_names)
