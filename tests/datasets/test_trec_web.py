import functools
import re

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest
from ir_datasets.util import RequestsDownload
from ir_measures import AP, RR, P, R, Rprec, iter_calc, nDCG

from pyterrier_diversity import Adhoc, Coverage
from pyterrier_diversity.datasets.trec_web import TREC_WEB, TrecWebDataset
from pyterrier_diversity.transformers import Ideal

pytestmark = pytest.mark.usefixtures("shared")


@pytest.fixture(autouse=True)
def _no_download(monkeypatch):
    """Files that are in the cache are not downloaded."""

    def fail(download):
        raise AssertionError

    monkeypatch.setattr(RequestsDownload, "stream", fail)


@functools.cache
def qrels_of(name, variant=None):
    return pt.get_dataset(f"diversity:{name}").get_qrels(variant)


@pytest.mark.parametrize("name", TREC_WEB)
def test_topics_are_those_of_ir_datasets(name):
    topics = pt.get_dataset(f"diversity:{name}").get_topics()

    expected = [(query.query_id, " ".join(query.query.split())) for query in ir_datasets.load(name).queries_iter()]
    assert list(topics.itertuples(index=False, name=None)) == expected


@pytest.mark.parametrize("name", TREC_WEB)
def test_every_topic_has_an_intent_and_every_type_is_known(name):
    dataset = pt.get_dataset(f"diversity:{name}")
    subtopics = dataset.get_topics("subtopics")

    assert subtopics.columns.tolist() == ["qid", "iteration", "query", "intent_type"]
    assert set(subtopics["qid"]) == set(dataset.get_topics()["qid"])
    assert set(subtopics["intent_type"]) <= {"inf", "nav"}
    assert not subtopics["query"].str.contains(r"\s\s|\n").any()


@pytest.mark.parametrize("name", TREC_WEB[1:])
def test_qrels_hold_every_judgement_with_weight_and_type(name, trec_qrels):
    qrels = qrels_of(name)

    judgements = trec_qrels(int(name[-4:])).drop_duplicates()
    assert qrels.columns.tolist() == ["qid", "docno", "label", "iteration", "weight", "intent_type"]
    found = qrels[["qid", "docno", "label", "iteration"]].drop_duplicates()
    both = judgements.merge(found, left_on=[*judgements], right_on=[*found])
    assert len(both) == len(judgements) == len(found)
    assert (qrels["weight"] > 0).all()
    assert set(qrels["intent_type"]) <= {"inf", "nav"}


def test_documents_without_a_relevant_subtopic_in_2009_are_judged_for_each_subtopic(trec_qrels):
    name = "clueweb09/en/trec-web-2009"
    qrels, n_subtopics = (
        qrels_of(name),
        pt.get_dataset(f"diversity:{name}").get_topics("subtopics").groupby("qid").size(),
    )

    raw = trec_qrels(2009)
    irrelevant = raw.query("subtopic_id == '0'")
    assert (irrelevant["relevance"] == 0).all()
    assert len(qrels) == len(raw) - len(irrelevant) + irrelevant["query_id"].map(n_subtopics).sum()
    assert (
        pd.MultiIndex.from_frame(qrels[["qid", "docno"]].drop_duplicates())
        .symmetric_difference(pd.MultiIndex.from_frame(raw[["query_id", "doc_id"]].drop_duplicates()))
        .empty
    )
    assert qrels.groupby("qid")["iteration"].nunique().equals(n_subtopics[qrels["qid"].unique()].sort_index())


def test_coverage_of_2009_counts_the_subtopics_of_the_topic(trec_run):
    qrels = qrels_of("clueweb09/en/trec-web-2009")
    ideal = Ideal(qrels)(qrels)

    values = {metric.query_id: metric.value for metric in Coverage.iter_calc(pt.model.to_ir_measures(qrels), ideal)}

    # Topic 1 has five subtopics, all with a relevant document; topic 10 has eight, six of them with one.
    assert values["1"] == pytest.approx(1)
    assert values["10"] == pytest.approx(6 / 8)


def test_the_misspelt_types_of_2011_are_read():
    subtopics = pt.get_dataset("diversity:clueweb09/en/trec-web-2011").get_topics("subtopics")

    assert subtopics["intent_type"].value_counts().to_dict() == {"inf": 130, "nav": 38}


def test_a_topic_without_subtopics_is_its_own_only_intent():
    dataset = pt.get_dataset("diversity:clueweb12/trec-web-2014")
    spider_bites = dataset.get_topics("subtopics").query("qid == '251'")

    assert spider_bites[["iteration", "query", "intent_type"]].to_numpy().tolist() == [
        ["0", "Find data on how to identify spider bites.", "inf"]
    ]
    assert set(qrels_of("clueweb12/trec-web-2014").query("qid == '251'")["iteration"]) == {"0"}


@pytest.mark.parametrize("name", TREC_WEB)
def test_adhoc_qrels_are_the_tracks_own(name, trec_qrels):
    qrels = qrels_of(name, "adhoc")

    expected = trec_qrels(int(name[-4:]), "adhoc")[["query_id", "doc_id", "relevance"]]
    assert qrels.to_numpy().tolist() == expected.to_numpy().tolist()


def test_bare_adhoc_measures_equal_their_lifted_forms(trec_run):
    qrels = pt.model.to_ir_measures(qrels_of("clueweb09/en/trec-web-2012"))
    measures = [AP, P @ 10, R @ 20, RR, Rprec, nDCG @ 20]
    run = trec_run("2012/rm.catb-filtered")

    bare = {(m.query_id, str(m.measure)): m.value for m in iter_calc(measures, qrels, run)}
    lifted = {(m.query_id, str(m.measure)): m.value for m in iter_calc([Adhoc(m) for m in measures], qrels, run)}
    assert {(qid, f"Adhoc({name})"): value for (qid, name), value in bare.items()} == pytest.approx(lifted, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "variant", "url", "file"),
    [
        (
            "clueweb09/en/trec-web-2012",
            None,
            "https://trec.nist.gov/data/web/12/qrels.diversity",
            "clueweb09/trec-web-2012/qrels.all",
        ),
        (
            "clueweb12/trec-web-2014",
            "adhoc",
            "https://trec.nist.gov/data/web/2014/qrels.adhoc.txt",
            "clueweb12/trec-web-2014/qrels.adhoc",
        ),
    ],
)
def test_a_failed_download_says_which_file_goes_where_under_which_name(monkeypatch, tmp_path, name, variant, url, file):
    def fail(download):
        raise OSError("no route to host")

    monkeypatch.setattr(RequestsDownload, "stream", fail)
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))

    with pytest.raises(ConnectionError, match=re.escape(f"{name} could not be downloaded from {url}. ")) as error:
        TrecWebDataset(name).get_qrels(variant)
    assert f"by hand: {tmp_path / file}. (The environment variable IR_DATASETS_HOME" in str(error.value)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_unknown_names_and_variants_say_so():
    dataset = TrecWebDataset("clueweb12/trec-web-2014")

    assert repr(dataset) == "TrecWebDataset('clueweb12/trec-web-2014')"
    assert dataset.info_url().startswith("https://ir-datasets.com/clueweb12.html")
    assert dataset._describe_component("qrels") == ["adhoc"]
    with pytest.raises(KeyError, match=r"diversity:clueweb12/trec-web-2015"):
        pt.get_dataset("diversity:clueweb12/trec-web-2015")
    with pytest.raises(ValueError, match="variant must be None or 'adhoc', not 'passages'"):
        dataset.get_qrels("passages")
    with pytest.raises(ValueError, match="variant must be None or 'subtopics', not 'title'"):
        dataset.get_topics("title")


def test_documents_are_those_of_ir_datasets(monkeypatch):
    class Documents:
        def get_corpus_iter(self, verbose):
            return iter([{"docno": "d1", "verbose": verbose}])

    dataset = TrecWebDataset(TREC_WEB[0])
    monkeypatch.setattr(pt, "get_dataset", {f"irds:{TREC_WEB[0]}": Documents()}.__getitem__)

    assert list(dataset.get_corpus_iter(verbose=False)) == [{"docno": "d1", "verbose": False}]
    assert (dataset.get_corpus_lang(), dataset.get_topics_lang()) == ("en", "en")
