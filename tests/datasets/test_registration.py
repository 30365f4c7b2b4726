import ir_datasets
import pytest

from processes import in_a_new_process
from pyterrier_diversity.datasets import trec_dd

COUNT = "print(len(list(ir_datasets.load('trec-dd/2017').queries_iter())))"
NAMED = "print('trec-dd/2015' in set(ir_datasets.registry))"
IMPORTED = "print('ir_datasets' in sys.modules)"
# Programs, which start without ir_datasets and this package, and what they print.
PROGRAMS = {
    "this package is imported first, and the loader of ir_datasets is the real one": (
        f"import pyterrier_diversity, ir_datasets\n{COUNT}\n"
        "print(type(ir_datasets.__spec__.loader).__name__, type(ir_datasets.__loader__).__name__)\n"
        "print(len(list(ir_datasets.load('vaswani').queries_cls()._fields)))",
        "3 SourceFileLoader SourceFileLoader 2",
    ),
    "ir_datasets is imported first, and registering twice is harmless": (
        f"import ir_datasets, pyterrier_diversity\n{COUNT}\n"
        "from pyterrier_diversity.datasets import trec_dd\n"
        "trec_dd.register_datasets()\n"
        "print(sum(name.startswith('trec-dd/') for name in ir_datasets.registry))",
        "3 6",
    ),
    "a part of ir_datasets is": (f"import pyterrier_diversity, ir_datasets.util, ir_datasets\n{COUNT}", "3"),
    "pyterrier is": (f"import pyterrier, pyterrier_diversity, ir_datasets\n{COUNT}", "3"),
    "pyterrier finds them without an import of ir_datasets": (
        f"import pyterrier_diversity, pyterrier as pt, sys\n{IMPORTED}\n"
        "print(len(pt.get_dataset('irds:trec-dd/2016').get_topics('name')))",
        "False 3",
    ),
    "a dataset that does not need ir_datasets does not import it": (
        f"import sys, pyterrier as pt\npt.get_dataset('diversity:demo').get_qrels()\n{IMPORTED}",
        "False",
    ),
    "a dataset of this package may be what imports ir_datasets": (
        f"import sys, pyterrier_diversity\n{IMPORTED}\n"
        "from pyterrier_diversity.datasets.trec_dd import TrecDDDataset\n"
        "import ir_datasets\nprint(TrecDDDataset('trec-dd/2016').name in set(ir_datasets.registry))",
        "False True",
    ),
    "looking for ir_datasets registers them when it is imported": (
        "import importlib.util, sys, pyterrier_diversity\n"
        "spec = importlib.util.find_spec('ir_datasets')\n"
        f"print(spec.name, spec.loader.is_package('ir_datasets'))\n{IMPORTED}\nimport ir_datasets\n{NAMED}",
        "ir_datasets True False True",
    ),
    "an import that failed can be repeated": (
        "import sys, pyterrier_diversity\n"
        "sys.modules['ir_datasets.log'] = None\n"
        "try:\n    import ir_datasets\nexcept ImportError:\n    print('failed')\n"
        "for name in [name for name in sys.modules if name.startswith('ir_datasets')]:\n    del sys.modules[name]\n"
        f"import ir_datasets\n{NAMED}",
        "failed True",
    ),
    "a missing ir_datasets is an import error": (
        "import sys, pyterrier_diversity\n"
        "sys.path[:] = []; sys.path_importer_cache.clear()\n"
        "try:\n    import ir_datasets\nexcept ModuleNotFoundError as error:\n    print(error.name)",
        "ir_datasets",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.usefixtures("dd_home")
def test_the_datasets_are_there_and_ir_datasets_is_as_it_was(name):
    program, printed = PROGRAMS[name]
    # What PyTerrier imports in a notebook takes long.
    imported = ("IPython", *["pyterrier_diversity.measures"] * program.startswith("import pyterrier_diversity"))

    assert in_a_new_process(program, imported=imported).split() == printed.split()


def test_what_ir_datasets_has_already_stays_its_own(monkeypatch):
    registry = ir_datasets.util.Registry()
    registry.register("trec-dd/2016", ir_datasets.Dataset())
    monkeypatch.setattr(ir_datasets, "registry", registry)

    trec_dd.register_datasets()
    assert not registry["trec-dd/2016"].has_qrels()
    assert registry["trec-dd/2015"].has_qrels()
