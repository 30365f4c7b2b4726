import io
import subprocess
import sys
from contextlib import contextmanager

import ir_datasets
import pyterrier as pt
import pytest
from ir_datasets.formats import TrecSubQrel
from ir_datasets.util import RequestsDownload

from pyterrier_diversity.datasets.trec_dd import TREC_DD
from pyterrier_diversity.io import read_dd_truth
from pyterrier_diversity.irds import register_datasets
from pyterrier_diversity.irds.trec_dd import TrecDDPassageQrel, TrecDDSubtopic, TruthFile

COUNT = "print(len(list(ir_datasets.load('trec-dd/2017').queries_iter())))"


def in_a_new_process(code: str) -> list[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize(
    "imports",
    [
        "import pyterrier_diversity, ir_datasets",
        "import ir_datasets, pyterrier_diversity",
        "import pyterrier_diversity, ir_datasets.util, ir_datasets",
        "import pyterrier, pyterrier_diversity, ir_datasets",
    ],
)
@pytest.mark.usefixtures("dd_home")
def test_the_datasets_are_there_in_either_order_of_import(imports):
    assert in_a_new_process(f"{imports}\n{COUNT}") == ["30"]


@pytest.mark.usefixtures("dd_home")
def test_pyterrier_finds_them_without_an_import_of_ir_datasets():
    code = (
        "import pyterrier_diversity, pyterrier as pt, sys\n"
        "print('ir_datasets' in sys.modules)\n"
        "dataset = pt.get_dataset('irds:trec-dd/2016')\n"
        "print(len(dataset.get_topics('name')))"
    )

    assert in_a_new_process(code) == ["False", "27"]


def test_the_hook_is_gone_after_the_import_and_the_loader_is_the_real_one():
    code = (
        "import sys, pyterrier_diversity\n"
        "hooks = lambda: [f for f in sys.meta_path if type(f).__module__.startswith('pyterrier_diversity')]\n"
        "print(len(hooks()))\n"
        "import ir_datasets\n"
        "print(len(hooks()))\n"
        "print(type(ir_datasets.__spec__.loader).__name__, type(ir_datasets.__loader__).__name__)\n"
        "print(len(list(ir_datasets.load('vaswani').queries_cls()._fields)))"
    )

    assert in_a_new_process(code) == ["1", "0", "SourceFileLoader", "SourceFileLoader", "2"]


def test_looking_for_ir_datasets_does_not_use_the_hook_up():
    code = (
        "import importlib.util, sys, pyterrier_diversity\n"
        "spec = importlib.util.find_spec('ir_datasets')\n"
        "print(spec.name, 'ir_datasets' in sys.modules, spec.loader.is_package('ir_datasets'))\n"
        "import ir_datasets\n"
        "print('trec-dd/2015' in set(ir_datasets.registry))"
    )

    assert in_a_new_process(code) == ["ir_datasets", "False", "True", "True"]


def test_an_import_that_failed_can_be_repeated():
    code = (
        "import sys, pyterrier_diversity\n"
        "sys.modules['ir_datasets.log'] = None\n"
        "try:\n"
        "    import ir_datasets\n"
        "except ImportError:\n"
        "    print('failed')\n"
        "for name in [name for name in sys.modules if name.startswith('ir_datasets')]:\n"
        "    del sys.modules[name]\n"
        "import ir_datasets\n"
        "print('trec-dd/2015' in set(ir_datasets.registry))"
    )

    assert in_a_new_process(code) == ["failed", "True"]


@pytest.mark.parametrize("middle", ["", "import ir_datasets\n"])
def test_registering_twice_is_harmless(middle):
    code = (
        "import sys, pyterrier_diversity\n"
        "from pyterrier_diversity.irds import register_datasets\n"
        f"{middle}register_datasets(); register_datasets()\n"
        "import ir_datasets; register_datasets()\n"
        "print(sum(name.startswith('trec-dd/') for name in ir_datasets.registry))"
    )

    assert in_a_new_process(code) == ["6"]


def test_a_missing_ir_datasets_is_an_import_error():
    code = (
        "import sys, pyterrier_diversity\n"
        "sys.path[:] = []; sys.path_importer_cache.clear()\n"
        "try:\n"
        "    import ir_datasets\n"
        "except ModuleNotFoundError as error:\n"
        "    print(error.name)"
    )

    assert in_a_new_process(code) == ["ir_datasets"]


@pytest.mark.usefixtures("dd_home")
def test_queries_have_subtopics():
    queries = list(ir_datasets.load("trec-dd/2017").queries_iter())

    klimt = queries[0]
    assert (klimt.query_id, klimt.name) == ("dd17-1", "Return of Klimt paintings to Maria Altmann")
    assert klimt.default_text() == klimt.name
    assert klimt.description.startswith("Find information about the artwork by Austrian painter Gustav Klimt")
    assert len(klimt.subtopics) == 3
    assert klimt.subtopics[0] == TrecDDSubtopic("106", "Austrian Actions")
    assert ir_datasets.load("trec-dd/2017/passages").queries_handler().queries_dict()["dd17-1"] == klimt


def test_qrels_are_documents_or_passages(dd_home):
    path = dd_home / "dynamic-domain-2016-truth-data.xml.gz"
    documents = list(ir_datasets.load("trec-dd/2016").qrels_iter())
    passages = list(ir_datasets.load("trec-dd/2016/passages").qrels_iter())

    expected = read_dd_truth(path).drop(columns="gain")
    assert documents == [TrecSubQrel(*row) for row in expected.itertuples(index=False)]
    assert passages == [TrecDDPassageQrel(*row) for row in read_dd_truth(path, "passages").itertuples(index=False)]
    assert all(type(qrel.relevance) is int for qrel in (*documents, *passages))


@pytest.mark.parametrize("name", [f"trec-dd/2017{level}" for level in ("", "/passages")])
def test_a_dataset_tells_of_itself(dd_home, name):
    dataset = ir_datasets.load(name)

    path = str(dd_home / "truth_data_nyt_2017_v2.3.xml")
    assert dataset.dataset_id() == name
    assert dataset.has_queries()
    assert dataset.has_qrels()
    assert not dataset.has_docs()
    assert (dataset.queries_path(), dataset.qrels_path()) == (path, path)
    assert (dataset.queries_lang(), dataset.queries_namespace()) == ("en", "trec-dd")
    assert len(dataset.queries) == 30
    assert len(dataset.qrels) == sum(1 for _ in dataset.qrels_iter())
    assert {qrel.relevance for qrel in dataset.qrels} == set(dataset.qrels_defs())
    assert dataset.qrels_cls() is type(next(dataset.qrels_iter()))
    assert dataset.queries_cls() is type(next(dataset.queries_iter()))


@pytest.mark.parametrize("name", [f"{name}{level}" for name in TREC_DD for level in ("", "/passages")])
def test_a_dataset_is_documented(name):
    documentation = ir_datasets.load(name).documentation()

    year = name.split("/")[1]
    assert documentation["pretty_name"].startswith(f"TREC Dynamic Domain {year}")
    assert f"TREC {year} Dynamic Domain Track Overview" in documentation["desc"]
    assert documentation["bibtex_ids"] == [f"Yang{year}TrecDD"]


@pytest.mark.usefixtures("dd_home")
def test_pyterrier_reads_them_as_its_own():
    qrels = pt.get_dataset("irds:trec-dd/2016").get_qrels()

    expected = pt.get_dataset("diversity:trec-dd/2016").get_qrels().drop(columns="gain")
    assert qrels.columns.tolist() == ["qid", "docno", "label", "subtopic_id"]
    assert qrels.to_numpy().tolist() == expected.to_numpy().tolist()


def downloads(content: bytes):
    @contextmanager
    def stream(download):
        yield io.BytesIO(content)

    return stream


def test_a_truth_file_that_is_downloaded_is_kept(monkeypatch, dd_home):
    content = (dd_home / "dynamic-domain-2016-truth-data.xml.gz").read_bytes()
    monkeypatch.setattr(RequestsDownload, "stream", downloads(content))

    path = TruthFile("trec-dd/2015").path()
    assert path == dd_home / "dynamic-domain-2015-truth-data-v5.xml.gz"
    assert path.read_bytes() == content
    assert len(list(dd_home.iterdir())) == 3


def test_a_web_page_that_is_downloaded_is_not_kept(monkeypatch, dd_home):
    monkeypatch.setattr(RequestsDownload, "stream", downloads(b"<html>404</html>"))

    with pytest.raises(ConnectionError, match=r"trec-dd/2015 could not be downloaded from https://trec\.nist\.gov/"):
        list(ir_datasets.load("trec-dd/2015").queries_iter())
    assert len(list(dd_home.iterdir())) == 2


def test_what_ir_datasets_has_already_stays_its_own(monkeypatch):
    registry = ir_datasets.util.Registry()
    registry.register("trec-dd/2016", ir_datasets.Dataset())
    monkeypatch.setattr(ir_datasets, "registry", registry)

    register_datasets()
    assert not registry["trec-dd/2016"].has_qrels()
    assert registry["trec-dd/2015"].has_qrels()


def test_a_dataset_of_ours_may_be_what_imports_ir_datasets():
    code = (
        "import pyterrier as pt, sys, pyterrier_diversity;"
        "assert 'ir_datasets' not in sys.modules;"
        "from pyterrier_diversity.irds.trec_dd import TruthFile;"
        "import ir_datasets;"
        "print(TruthFile('trec-dd/2016').name in set(ir_datasets.registry))"
    )

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert result.stdout.strip() == "True", result.stderr
