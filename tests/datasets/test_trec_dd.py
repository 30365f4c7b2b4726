import gzip
import io
import re
from contextlib import contextmanager
from xml.etree import ElementTree

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest
from ir_datasets.util import RequestsDownload

from pyterrier_diversity.datasets import TREC_DD
from pyterrier_diversity.datasets.trec_dd import TrecDDDataset, TrecDDSubtopic, truth_file
from pyterrier_diversity.datasets.trec_web import TREC_WEB
from pyterrier_diversity.io import read_dd_truth


def topics_of(folder, year):
    content = next(folder.glob(f"*20{year}*")).read_bytes()
    return list(ElementTree.fromstring(gzip.decompress(content) if year == 16 else content).iter("topic"))


@pytest.mark.parametrize(("year", "columns"), [(16, ["qid", "query"]), (17, ["qid", "query", "description"])])
def test_topics_have_names_and_those_of_2017_descriptions(dd_home, year, columns):
    topics = pt.get_dataset(f"diversity:trec-dd/20{year}").get_topics()

    expected = [(t.get("id"), t.get("name"), t.findtext("description") or "") for t in topics_of(dd_home, year)]
    assert topics.columns.tolist() == columns
    assert topics.to_numpy().tolist() == [[" ".join(x.split()) for x in row[: len(columns)]] for row in expected]


@pytest.mark.parametrize("year", [16, 17])
def test_subtopics_are_those_of_the_file(dd_home, year):
    subtopics = pt.get_dataset(f"diversity:trec-dd/20{year}").get_topics("subtopics")

    expected = [
        [t.get("id"), s.get("id"), s.get("name")] for t in topics_of(dd_home, year) for s in t.findall("subtopic")
    ]
    assert subtopics.columns.tolist() == ["qid", "iteration", "query"]
    assert subtopics.to_numpy().tolist() == [[*ids, " ".join(name.split())] for *ids, name in expected]


def test_a_broken_file_in_the_cache_is_named(dd_home):
    path = dd_home / "truth_data_nyt_2017_v2.3.xml"
    path.write_text("<html></html>")

    with pytest.raises(ValueError, match=rf"{re.escape(str(path))}, line 1: a truth file begins with <trec_dd>"):
        TrecDDDataset("trec-dd/2017").get_topics()


def test_unknown_names_and_variants_say_so():
    dataset = TrecDDDataset("trec-dd/2016")

    assert repr(dataset) == "TrecDDDataset('trec-dd/2016')"
    assert dataset.info_url() == "https://trec.nist.gov/data/domain2016.html"
    assert dataset.get_topics_lang() == "en"
    assert dataset._describe_component("topics") == ["subtopics"]
    assert dataset._describe_component("qrels") == ["passages"]
    with pytest.raises(KeyError, match=r"diversity:trec-dd/2018"):
        pt.get_dataset("diversity:trec-dd/2018")
    with pytest.raises(ValueError, match="variant must be None or 'subtopics', not 'title'"):
        dataset.get_topics("title")
    with pytest.raises(ValueError, match="variant must be None or 'passages', not 'adhoc'"):
        dataset.get_qrels("adhoc")


def test_pyterrier_lists_the_datasets_of_both_sources():
    listed = set(pt.datasets._core.datasets())

    assert {f"diversity:{name}" for name in ("demo", *TREC_WEB, *TREC_DD)} <= listed
    assert {f"irds:{name}{level}" for name in TREC_DD for level in ("", "/passages")} <= listed


@pytest.mark.usefixtures("dd_home")
def test_queries_have_subtopics():
    queries = list(ir_datasets.load("trec-dd/2017").queries_iter())

    klimt = queries[0]
    assert (klimt.query_id, klimt.name) == ("dd17-1", "Return of Klimt paintings to Maria Altmann")
    assert klimt.default_text() == klimt.name
    assert klimt.description.startswith("Find information about the artwork by Austrian painter Gustav Klimt")
    assert len(klimt.subtopics) == 3
    assert klimt.subtopics[0] == TrecDDSubtopic("106", "Austrian Actions")
    assert next(ir_datasets.load("trec-dd/2017/passages").queries_iter()) == klimt


@pytest.mark.parametrize("level", ["", "/passages"])
def test_qrels_are_those_of_the_reader(dd_home, level):
    qrels = list(ir_datasets.load(f"trec-dd/2016{level}").qrels_iter())

    expected = read_dd_truth(dd_home / "dynamic-domain-2016-truth-data.xml.gz", level[1:] or "documents")
    pd.testing.assert_frame_equal(pt.get_dataset("diversity:trec-dd/2016").get_qrels(level[1:] or None), expected)
    assert [[*qrel] for qrel in qrels] == expected.to_numpy().tolist()
    theirs = {"qid": "query_id", "docno": "doc_id", "label": "relevance", "iteration": "subtopic_id"}
    assert [*qrels[0]._fields] == [theirs.get(name, name) for name in expected]
    assert all(type(qrel.relevance) is int for qrel in qrels)


@pytest.mark.parametrize("name", [f"trec-dd/2017{level}" for level in ("", "/passages")])
def test_a_dataset_describes_itself(dd_home, name):
    dataset = ir_datasets.load(name)

    assert dataset.dataset_id() == name
    assert dataset.has_queries()
    assert dataset.has_qrels()
    assert not dataset.has_docs()
    assert dataset.queries_lang() == "en"
    assert len(dataset.queries) == len(topics_of(dd_home, 17))
    assert len(dataset.qrels) == sum(1 for _ in dataset.qrels_iter())
    assert {qrel.relevance for qrel in dataset.qrels} == set(dataset.qrels_defs())
    assert dataset.qrels_cls() is type(next(dataset.qrels_iter()))
    assert dataset.queries_cls() is type(next(dataset.queries_iter()))


def downloads(content: bytes | None):
    @contextmanager
    def stream(download):
        if content is None:
            raise OSError("no route to host")
        yield io.BytesIO(content)

    return stream


def test_a_truth_file_that_is_downloaded_is_kept(monkeypatch, dd_home):
    content = (dd_home / "dynamic-domain-2016-truth-data.xml.gz").read_bytes()
    monkeypatch.setattr(RequestsDownload, "stream", downloads(content))

    path = truth_file("trec-dd/2015")
    assert path == dd_home / "dynamic-domain-2015-truth-data-v5.xml.gz"
    assert path.read_bytes() == content
    assert len(list(dd_home.iterdir())) == 3


@pytest.mark.parametrize("content", [None, b"<html>404</html>"])
def test_a_failed_download_says_where_the_file_goes_and_a_web_page_is_not_kept(monkeypatch, dd_home, content):
    monkeypatch.setattr(RequestsDownload, "stream", downloads(content))
    told = r"trec-dd/2015 could not be downloaded from https://trec\.nist\.gov/.* cache by hand: "

    with pytest.raises(ConnectionError, match=told + re.escape(f"{dd_home}/dynamic-domain-2015-truth-data-v5.xml.gz.")):
        TrecDDDataset("trec-dd/2015").get_qrels()
    with pytest.raises(ConnectionError, match=told):
        list(ir_datasets.load("trec-dd/2015").queries_iter())
    assert len(list(dd_home.iterdir())) == 2
