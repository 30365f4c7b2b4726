"""Data that tests share."""

import functools
import gc
import gzip
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import settings

import pyterrier_diversity  # noqa: F401  (registers the measures)
from pyterrier_diversity.datasets.demo import DemoDataset

# The programs that tests start would compile the package again and again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A busy machine should not make a test fail. More examples are tried by `tests/fuzz`.
settings.register_profile("suite", deadline=None, max_examples=25)
settings.load_profile("suite")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give all tests of a file to one worker, which then makes what they share once; files in the order of items."""
    if config.getvalue("dist") != "load":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return WITH_SHELLS[0] if file in WITH_SHELLS else file

    config.option.loadscopereorder = False
    return Scheduling(config, log)


# They are given to one worker as if they were one file: they call one process, which imports everything.
WITH_SHELLS = ["tests/test_docs.py", "tests/test_readme.py", "tests/cli/test_page.py"]

# They are done first: a worker would do a long file at the end while another one has nothing left.
LONG = [
    "tests/measures/test_laws.py",
    "tests/test_docs.py",
    "tests/transformers/test_ideal.py",
    "tests/plots/test_pictures.py",
]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of long files first."""
    items.sort(key=lambda item: item.nodeid.partition("::")[0] not in LONG)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Iterator[Any]:
    """Look for examples in the docstrings of the package alone, not of its tests."""
    collectors = yield
    return [collector for collector in collectors if type(collector).__name__ != "DoctestModule"]


def _leave_out() -> None:
    """Leave all objects that there are out of the search for garbage, which they make slow.

    There are many: thousands of collected tests, imported modules, and what these remember. statsmodels searches for
    garbage in each correction of p-values.
    """
    gc.collect()
    gc.freeze()


def pytest_collection() -> None:
    """Search for nothing as long as all that is made stays."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Search for garbage, but in no collected test, and not each time that a frame or a picture has been made."""
    gc.enable()
    gc.set_threshold(100_000, 20, 100)
    _leave_out()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Close the pictures of a test, and search in nothing that the tests of an earlier file have left."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
    if nextitem is None or nextitem.path != item.path:
        _leave_out()


TREC_WEB = {
    2009: "clueweb09/en/trec-web-2009",
    2010: "clueweb09/en/trec-web-2010",
    2011: "clueweb09/en/trec-web-2011",
    2012: "clueweb09/en/trec-web-2012",
    2013: "clueweb12/trec-web-2013",
    2014: "clueweb12/trec-web-2014",
}


def _data() -> Path:
    beside = Path(__file__).parents[2] / "shared"
    return Path(os.environ.get("PYTERRIER_DIVERSITY_DATA", beside)).resolve()


# Tables are not folded, whatever terminal the tests run in.
os.environ.pop("COLUMNS", None)

# ir_datasets reads its home when it is imported.
if (_data() / "trec-web").is_dir():
    os.environ["IR_DATASETS_HOME"] = str(_data() / "trec-web" / "irds_home")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real TREC data and golden values that are not part of the project."""
    folder = _data()
    if not folder.is_dir():
        reason = f"no test data at {folder}; PYTERRIER_DIVERSITY_DATA names another folder"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session")
def trec_qrels(shared: Path) -> Callable[..., pd.DataFrame]:
    """Return the qrels of a TREC Web year with the names of ir_datasets: ``trec_qrels(2012, "adhoc")``."""
    frames: dict[tuple[int, str], pd.DataFrame] = {}

    def read(year: int, variant: str = "diversity") -> pd.DataFrame:
        import ir_datasets

        if (year, variant) not in frames:
            if variant == "diversity":  # pandas reads the file in a tenth of the time
                dataset = ir_datasets.load(f"{TREC_WEB[year]}/diversity")
                columns = ["query_id", "subtopic_id", "doc_id", "relevance"]
                types = dict.fromkeys(columns[:3], str)
                rows = pd.read_csv(dataset.qrels_handler().qrels_path(), sep=r"\s+", names=columns, dtype=types)
                frames[year, variant] = rows[[*dataset.qrels_cls()._fields]]
            else:
                frames[year, variant] = pd.DataFrame(ir_datasets.load(TREC_WEB[year]).qrels_iter())
        return frames[year, variant].copy()

    return read


@pytest.fixture(scope="session")
def trec_run(shared: Path) -> Callable[[str], pd.DataFrame]:
    """Return a run with ir_measures' names, its rows as in the file: ``trec_run("2012/rm.catb")``."""
    frames: dict[str, pd.DataFrame] = {}

    def read(name: str) -> pd.DataFrame:
        if name not in frames:
            columns = ["query_id", "q0", "doc_id", "rank", "score", "tag"]
            path = shared / "trec-web" / "runs" / f"{name}.run.gz"
            types = {"query_id": str, "doc_id": str}
            frames[name] = pd.read_csv(path, sep=r"\s+", names=columns, dtype=types)[["query_id", "doc_id", "score"]]
        return frames[name].copy()

    return read


@pytest.fixture(scope="session")
def golden(shared: Path) -> Callable[[str], pd.DataFrame]:
    """Return a table of golden values: measure, params, run, query_id, value."""

    @functools.cache
    def read(name: str) -> pd.DataFrame:
        types = {"query_id": str, "params": str, "value": float}
        return pd.read_csv(shared / "golden" / name, sep="\t", dtype=types, keep_default_na=False)

    return lambda name: read(name).copy()


# Of the odd topics of a year; `tests/io` reads all of them.
N_DD_TOPICS = 3


@pytest.fixture
def dd_home(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which ir_datasets finds truth files: the first topics of 2016 and 2017, and nothing of 2015."""
    folder = tmp_path / "trec-dd"
    folder.mkdir()
    for year, name in ((2016, "dynamic-domain-2016-truth-data.xml.gz"), (2017, "truth_data_nyt_2017_v2.3.xml")):
        topics = gzip.decompress((shared / "trec-dd" / f"dd{year % 100}-odd-truth.xml.gz").read_bytes())
        content = b"</topic>".join(topics.split(b"</topic>")[:N_DD_TOPICS]) + b"</topic></domain></trec_dd>"
        (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    return folder


@pytest.fixture
def laid_out() -> None:
    """For a test that looks at the layout of a new figure, or at the numbers along its axes, which come with it."""


@pytest.fixture
def no_layout(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the layout of new figures, which takes most of the time, unless a test asks for ``laid_out``."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    if "laid_out" not in request.fixturenames:
        monkeypatch.setattr(ConstrainedLayoutEngine, "execute", lambda engine, figure: None)


def _read_once(read: Callable[..., pd.DataFrame]) -> Callable[..., pd.DataFrame]:
    tables: dict[str, pd.DataFrame] = {}

    @functools.wraps(read)
    def copied(dataset: DemoDataset, variant: str | None = None) -> pd.DataFrame:
        if repr(variant) not in tables:
            tables[repr(variant)] = read(dataset, variant)
        return tables[repr(variant)].copy()

    return copied


@pytest.fixture(scope="session", autouse=True)
def _demo_read_once() -> Iterator[None]:
    """Read each table of the demo once: a thousand tests ask for them, most of them by the shell."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("get_qrels", "get_results"):
            patch.setattr(DemoDataset, name, _read_once(getattr(DemoDataset, name)))
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    """Keep PyTerrier from looking its documentation up."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pt.documentation, "_cached_objects_inv", {})
        patch.setenv("PT_TEST_TRANSFORMER_REPORTS", "0")
        yield
