"""The page on reporting: its numbers of TREC Web, and what it says of qrels and parameters."""

import functools
import re
from importlib.resources import files

import pytest
from ir_measures import nDCG

from pyterrier_diversity import RBU, Adhoc, evaluate_runs, score
from pyterrier_diversity.datasets.trec_web import TrecWebDataset
from pyterrier_diversity.warnings import MissingWarning, RanksWarning

PAGE = files("pyterrier_diversity").joinpath("pt_docs", "in_a_paper.rst").read_text(encoding="utf-8")
VARIANTS = [RBU(e=0.05) @ 20, RBU @ 20, RBU(p=0.8, e=0.001) @ 20]


def numbers(row: str) -> list[float]:
    """Return the numbers in the row of a table that begins with these words."""
    (cells,) = re.findall(rf"^   \* - {re.escape(row)}.*\n((?:     .*\n)+)", PAGE, flags=re.MULTILINE)
    return [float(cell) for cell in re.findall(r"^     - (-?[\d.]+)$", cells, flags=re.MULTILINE)]


@functools.cache
def qrels_of(variant=None):
    return TrecWebDataset("clueweb09/en/trec-web-2012").get_qrels(variant)


@pytest.fixture(scope="module")
def means(shared):
    """Compute measures of a run on qrels of TREC Web 2012, to three places."""

    def compute(run, measures, variant=None):
        path = shared / "trec-web" / "runs" / "2012" / f"{run}.run.gz"
        table = evaluate_runs(qrels_of(variant), [path], measures)
        return [round(table[str(measure)].item(), 3) for measure in measures]

    return compute


@pytest.fixture(scope="module")
def mean(means):
    """Compute one measure."""
    return lambda run, measure, variant=None: means(run, [measure], variant)[0]


@pytest.mark.parametrize(
    ("row", "run"), [("DESA", "desa"), ("``ql.catb``", "ql.catb"), ("``mdp-div-lemur``", "mdp-div-lemur")]
)
def test_rbu_has_the_values_of_the_table(means, row, run):
    assert numbers(row) == means(run, VARIANTS)


@pytest.mark.parametrize(("e", "said"), [(0.05, "20 documents cost 0.9:"), (0.001, "they cost 0.02, and")])
def test_twenty_documents_cost_as_much_as_it_says(e, said):
    cost = -score(RBU(e=e) @ 20, [[0]] * 20, others=[[1]])

    assert f"{cost:.1g}" in said
    assert said in " ".join(PAGE.split())


def test_no_results_at_all_have_the_values_of_the_table():
    assert numbers("no results") == [measure.calc_aggregate({"q": {"d": 1}}, {"q": {}}) for measure in VARIANTS]


@pytest.fixture(scope="module")
def ten_runs(shared):
    measures = [*VARIANTS, RBU(max_rel=4) @ 20]
    with pytest.warns(MissingWarning, match="Run ppg: The run answers 49 of 50"), pytest.warns(RanksWarning):
        return evaluate_runs(qrels_of(), shared / "trec-web" / "runs" / "2012", measures).set_index("name")


def test_with_an_effort_of_a_twentieth_every_mean_is_below_0(ten_runs):
    assert (ten_runs[str(VARIANTS[0])] < 0).all()


def test_one_scale_for_all_intents_changes_the_order(ten_runs):
    own, one = (ten_runs[str(measure)].rank() for measure in (VARIANTS[1], RBU(max_rel=4) @ 20))

    assert (own != one).any()


def test_a_system_has_another_place_with_another_p(ten_runs):
    table = ten_runs[list(map(str, VARIANTS[1:]))]
    high, low = table.rank(ascending=False).loc["mdp-div-lemur"]

    assert f"``mdp-div-lemur`` is {high:.0f}th of ten systems with 0.99 and {low:.0f}nd with 0.8" in " ".join(
        PAGE.split()
    )
    assert len(table) == 10


def test_each_ndcg_has_the_value_of_the_table(mean):
    assert numbers("``Adhoc(nDCG @ 20)``") == [mean("ql.catb", Adhoc(nDCG @ 20))]
    assert numbers("``nDCG @ 20``") == [mean("ql.catb", nDCG @ 20, "adhoc")]
    assert numbers('``nDCG(dcg="exp-log2") @ 20``') == [mean("ql.catb", nDCG(dcg="exp-log2") @ 20, "adhoc")]


@pytest.mark.parametrize(("year", "n_other"), [(2011, 0), (2012, 0), (2013, 3), (2014, 0)])
def test_adhoc_qrels_repeat_the_judgements_of_subtopic_1(shared, year, n_other):
    dataset = TrecWebDataset(f"clueweb{'09/en' if year < 2013 else '12'}/trec-web-{year}")
    diversity, adhoc = dataset.get_qrels(), dataset.get_qrels("adhoc")
    described = diversity[diversity["iteration"].isin(["0", "1"])]  # a topic of one intent calls it 0
    beside = described.merge(adhoc, on=["qid", "docno"], how="outer", suffixes=("", "_adhoc"))

    assert len(beside) == len(described) == len(adhoc)
    assert (beside["label"].clip(lower=0) != beside["label_adhoc"].clip(lower=0)).sum() == n_other


def test_as_many_documents_have_a_higher_label_for_another_subtopic(shared):
    dataset = TrecWebDataset("clueweb09/en/trec-web-2012")
    adhoc = dataset.get_qrels("adhoc").set_index(["qid", "docno"])["label"].clip(lower=0)
    highest = dataset.get_qrels().groupby(["qid", "docno"])["label"].max()
    (said,) = re.findall(r"([\d,]+) of ([\d,]+) documents have a higher", PAGE)

    assert [f"{(highest > adhoc).sum():,}", f"{len(adhoc):,}"] == list(said)
