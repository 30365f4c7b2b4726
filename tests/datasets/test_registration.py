import ir_datasets
import pytest

from processes import in_a_new_process
from pyterrier_diversity.datasets import trec_dd

COUNT = "print(len(list(ir_datasets.load('trec-dd/2017').queries_iter())))"


def words_of(code: str) -> list[str]:
    """Return what a program prints, which starts without ir_datasets and this package."""
    return in_a_new_process(code).split()


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
    assert words_of(f"{imports}\n{COUNT}") == ["30"]


@pytest.mark.usefixtures("dd_home")
def test_pyterrier_finds_them_without_an_import_of_ir_datasets():
    code = (
        "import pyterrier_diversity, pyterrier as pt, sys\n"
        "print('ir_datasets' in sys.modules)\n"
        "dataset = pt.get_dataset('irds:trec-dd/2016')\n"
        "print(len(dataset.get_topics('name')))"
    )

    assert words_of(code) == ["False", "27"]


def test_a_dataset_that_does_not_need_ir_datasets_does_not_import_it():
    code = (
        "import sys, pyterrier as pt\npt.get_dataset('diversity:demo').get_qrels()\nprint('ir_datasets' in sys.modules)"
    )

    assert words_of(code) == ["False"]


def test_the_loader_of_ir_datasets_is_the_real_one():
    code = (
        "import pyterrier_diversity, ir_datasets\n"
        "print(type(ir_datasets.__spec__.loader).__name__, type(ir_datasets.__loader__).__name__)\n"
        "print(len(list(ir_datasets.load('vaswani').queries_cls()._fields)))"
    )

    assert words_of(code) == ["SourceFileLoader", "SourceFileLoader", "2"]


def test_looking_for_ir_datasets_registers_them_when_it_is_imported():
    code = (
        "import importlib.util, sys, pyterrier_diversity\n"
        "spec = importlib.util.find_spec('ir_datasets')\n"
        "print(spec.name, 'ir_datasets' in sys.modules, spec.loader.is_package('ir_datasets'))\n"
        "import ir_datasets\n"
        "print('trec-dd/2015' in set(ir_datasets.registry))"
    )

    assert words_of(code) == ["ir_datasets", "False", "True", "True"]


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

    assert words_of(code) == ["failed", "True"]


def test_registering_twice_is_harmless():
    code = (
        "import ir_datasets, pyterrier_diversity\n"
        "from pyterrier_diversity.datasets import trec_dd\n"
        "trec_dd.register_datasets()\n"
        "print(sum(name.startswith('trec-dd/') for name in ir_datasets.registry))"
    )

    assert words_of(code) == ["6"]


def test_a_missing_ir_datasets_is_an_import_error():
    code = (
        "import sys, pyterrier_diversity\n"
        "sys.path[:] = []; sys.path_importer_cache.clear()\n"
        "try:\n"
        "    import ir_datasets\n"
        "except ModuleNotFoundError as error:\n"
        "    print(error.name)"
    )

    assert words_of(code) == ["ir_datasets"]


def test_what_ir_datasets_has_already_stays_its_own(monkeypatch):
    registry = ir_datasets.util.Registry()
    registry.register("trec-dd/2016", ir_datasets.Dataset())
    monkeypatch.setattr(ir_datasets, "registry", registry)

    trec_dd.register_datasets()
    assert not registry["trec-dd/2016"].has_qrels()
    assert registry["trec-dd/2015"].has_qrels()


def test_a_dataset_of_this_package_may_be_what_imports_ir_datasets():
    code = (
        "import pyterrier as pt, sys, pyterrier_diversity;"
        "assert 'ir_datasets' not in sys.modules;"
        "from pyterrier_diversity.datasets.trec_dd import TrecDDDataset;"
        "import ir_datasets;"
        "print(TrecDDDataset('trec-dd/2016').name in set(ir_datasets.registry))"
    )

    assert words_of(code) == ["True"]
