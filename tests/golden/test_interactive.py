"""The aspects of the interactive tracks, with subtopic recall and precision against the smallest covers."""

import ir_measures
import pandas as pd
import pytest

from pyterrier_diversity import SPrecision, StRecallMinRank
from pyterrier_diversity.ideal import min_rank
from pyterrier_diversity.io import read_qrels, read_run

# Quotients of small whole numbers.
EXACT = 1e-12


@pytest.fixture(scope="module")
def aspects(shared):
    return read_qrels(shared / "trec-interactive" / "qrels.aspects.gz")


@pytest.fixture(scope="module")
def min_ranks(shared):
    return pd.read_csv(shared / "golden" / "interactive-minrank.tsv", sep="\t", dtype={"query_id": str})


@pytest.mark.parametrize("kind", ["exact", "greedy"])
def test_min_ranks_are_those_of_the_tool_for_every_number_of_aspects(aspects, min_ranks, kind):
    computed = {}
    for m, rows in min_ranks.groupby("m"):
        found = min_rank(aspects[aspects["qid"].isin(rows["query_id"])], int(m), ideal=kind)
        computed |= {(query, m): n_docs for query, n_docs in zip(found["qid"], found["min_rank"], strict=True)}

    expected = {(query, m): n for query, m, n in min_ranks[["query_id", "m", kind]].itertuples(index=False)}
    assert computed == expected


MEASURES = {"S-recall@minRank": StRecallMinRank, "S-precision": SPrecision} | {
    f"S-precision@{k}": SPrecision @ k for k in (5, 10, 20)
}


@pytest.mark.parametrize("ideal", ["exact", "greedy"])
@pytest.mark.parametrize("name", ["syn1", "syn2", "syn3"])
def test_values_are_those_of_the_tool(shared, golden, aspects, name, ideal):
    table = golden("interactive-subtopic.tsv").query(
        "run == @name and params == @params", local_dict={"name": name, "params": f"minRank={ideal}"}
    )
    run = read_run(shared / "trec-interactive" / "runs" / f"{name}.run")
    measures = {measure(ideal=ideal): label for label, measure in MEASURES.items()}

    values = {
        (measures[metric.measure], metric.query_id): metric.value
        for metric in ir_measures.iter_calc(list(measures), aspects, run)
    }

    expected = table.set_index(["measure", "query_id"])["value"].to_dict()
    assert set(table["measure"]) == set(MEASURES)
    assert values == pytest.approx(expected, abs=EXACT)


def test_every_row_is_compared(golden):
    table = golden("interactive-subtopic.tsv")

    assert len(table) == 3 * 2 * 14 * len(MEASURES)
