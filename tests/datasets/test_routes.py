"""A collection gives the same numbers by every route: this package, PyTerrier and ir_datasets."""

import gzip
import re

import ir_datasets
import ir_measures
import numpy as np
import pyterrier as pt
import pytest

from pyterrier_diversity import (
    ACT,
    CT,
    DIN_Q,
    EU_DD,
    RBU,
    Coverage,
    DIN_nDCG,
    DINsharp_nDCG,
    DINsharp_Q,
    EfP,
    NuggetScore,
    PplusQ,
    PplusQsharp,
    SessionDCG,
    StRecall,
    alpha_nDCG,
    io,
    nCT,
    nSessionDCG,
)
from pyterrier_diversity.datasets import described
from pyterrier_diversity.measures import registered

# The truth file of each year as NIST names it, a file of the shared data that takes its place, and a run with lengths.
DYNAMIC = {
    "trec-dd/2015": ("dynamic-domain-2015-truth-data-v5.xml.gz", "dd16-mini-truth.xml", "dd16-mini-syn1"),
    "trec-dd/2016": ("dynamic-domain-2016-truth-data.xml.gz", "dd16-mini-truth.xml", "dd16-mini-syn2"),
    "trec-dd/2017": ("truth_data_nyt_2017_v2.3.xml", "dd17-odd-truth.xml.gz", "dd17-odd-syn2"),
}
WEB = [name for name in described() if name.startswith("clueweb")]
# The qrels of ir_datasets have no types of intents, and those of 2009 have an intent that no topic has.
BY_TYPE = {DIN_nDCG, DIN_Q, DINsharp_nDCG, DINsharp_Q, EfP, PplusQ, PplusQsharp}
ALL_NAMED = {Coverage, NuggetScore}
OF_THE_JIG = {"CT": CT, "ACT": ACT, "nCT": nCT, "sDCG": SessionDCG, "nsDCG": nSessionDCG, "EU": EU_DD}


def routes(name):
    """Yield the qrels of a collection of ir_datasets by its routes."""
    yield pt.get_dataset(f"irds:{name}").get_qrels()
    yield list(ir_datasets.load(name).qrels_iter())


def test_every_collection_is_tested_by_every_route():
    assert {"demo", *WEB, *DYNAMIC} == set(described())  # the demo has one route


@pytest.mark.parametrize("name", DYNAMIC)
@pytest.mark.parametrize("level", ["", "/passages"])
def test_sessions_have_the_values_of_the_scorer_by_every_route(name, level, shared, golden, tmp_path, monkeypatch):
    cached, truth, run = DYNAMIC[name]
    content = (shared / "trec-dd" / truth).read_bytes()
    content = gzip.decompress(content) if truth.endswith(".gz") else content
    (tmp_path / "trec-dd").mkdir()
    (tmp_path / "trec-dd" / cached).write_bytes(gzip.compress(content) if cached.endswith(".gz") else content)
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    (lengths,) = (shared / "trec-dd").glob(f"{truth.partition('-truth')[0]}-doc-lengths.tsv*")
    session = io.read_dd_run(shared / "trec-dd" / "runs" / f"{run}.txt", doc_len=lengths)
    rows = golden("dd-jig-2017.tsv.gz").query("run == @run and query_id != 'all' and measure in @OF_THE_JIG")
    rows = rows if level else rows[rows["measure"] != "EU"]
    measures = [
        OF_THE_JIG[measure](**{key: float(value) for key, value in re.findall(r"(\w+)=([\d.]+)", params)})
        for measure, params in zip(rows["measure"], rows["params"], strict=True)
    ]

    for qrels in (pt.get_dataset(f"diversity:{name}").get_qrels(level[1:] or None), *routes(name + level)):
        found = {(m.measure, m.query_id): m.value for m in ir_measures.iter_calc(set(measures), qrels, session)}
        ours = [found[key] for key in zip(measures, rows["query_id"], strict=True)]
        np.testing.assert_allclose(ours, rows["value"], atol=1e-9, rtol=0)


@pytest.mark.filterwarnings("ignore::pyterrier_diversity.warnings.SupportWarning")
@pytest.mark.parametrize("name", WEB)
def test_rankings_have_the_same_values_by_every_route(name):
    skipped = {"IA", "Adhoc", "Sharp", "UserModel", "EU_DD", "alpha_nDCG_exact"}
    known = [one for one in registered() if one.NAME not in skipped and not one.NEEDS]
    measures = [one @ 20 if "cutoff" in one.SUPPORTED_PARAMS else one for one in known]
    qrels = pt.get_dataset(f"diversity:{name}").get_qrels()
    run = qrels[["qid", "docno"]].drop_duplicates().sample(frac=1, random_state=1).groupby("qid").head(30)
    run = run.assign(score=range(len(run)))

    expected = ir_measures.calc_aggregate(measures, qrels, run)

    for theirs in routes(f"{name}/diversity"):
        found = ir_measures.calc_aggregate(measures, theirs, run)
        # Weights that are written as fractions differ in the last bits.
        pairs = zip(known, measures, strict=True)
        differ = {one for one, measure in pairs if found[measure] != pytest.approx(expected[measure], abs=1e-12)}
        assert differ <= BY_TYPE | (ALL_NAMED if name.endswith("2009") else set())
        assert {RBU, StRecall, alpha_nDCG}.isdisjoint(differ)
