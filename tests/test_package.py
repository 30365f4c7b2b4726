import os
import subprocess
import sys
from importlib.metadata import distribution, version
from importlib.resources import files

import ir_measures
import pytest

import pyterrier_diversity
from processes import in_a_new_process
from pyterrier_diversity import measures
from pyterrier_diversity.measures import registered


def test_the_version_is_that_of_the_distribution():
    assert version("pyterrier-diversity") == pyterrier_diversity.__version__


def test_the_package_is_typed():
    assert files("pyterrier_diversity").joinpath("py.typed").is_file()


def test_the_package_offers_what_its_modules_name():
    modules = [value for name, value in sys.modules.items() if name.startswith(f"{measures.__name__}.")]
    offered = [name for module in modules for name in getattr(module, "__all__", [])]

    assert sorted(measures.__all__) == sorted(offered)
    for names in (measures.__all__, pyterrier_diversity.__all__):
        assert len(names) == len(set(names))
    assert all(getattr(pyterrier_diversity, name) is getattr(measures, name) for name in measures.__all__)


def test_each_measure_is_exported_by_its_name():
    for measure in registered():
        exported = getattr(measures, measure.NAME)
        assert exported.NAME == measure.NAME
        assert exported is ir_measures.measures.registry[measure.NAME]


def test_the_only_plugin_that_is_there_without_an_import_is_the_dataset_provider():
    groups = {entry.group for entry in distribution("pyterrier-diversity").entry_points}

    assert groups == {"pyterrier.dataset_provider", "console_scripts"}


def test_nothing_is_registered_before_the_import():
    code = (
        "import ir_measures as im, pyterrier;"
        "print('RBU' in im.measures.registry, 'diversity' in [p.NAME for p in im.DefaultPipeline.providers[1:]])"
    )

    assert in_a_new_process(code) == "False False"


ROOMS = ["evaluate", "ideal", "io", "judged", "measures", "meta", "parameters", "plots", "provider", "transformers"]
FIRST = f"""
import importlib, os, sys
import numpy, pandas, pyterrier_diversity
assert "ir_measures" not in sys.modules
for room in {ROOMS}:
    child = os.fork()
    if not child:
        importlib.import_module(f"pyterrier_diversity.{{room}}")
        import ir_measures
        known = [ir_measures.parse_measure(name) for name in ("RBU@20", "IA(measure='nDCG@10')")]
        provider = ir_measures.providers.registry["diversity"]
        os._exit(0 if all(map(provider.supports, known)) else 1)
    if os.waitpid(child, 0)[1]:
        print(room)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
def test_measures_are_registered_whatever_is_imported_first():
    assert in_a_new_process(FIRST) == ""


def test_measures_are_registered_if_ir_measures_is_there_already():
    code = "import ir_measures, pyterrier_diversity; print(ir_measures.parse_measure('RBU@20'))"

    assert in_a_new_process(code) == "RBU@20"


def test_the_package_imports_nothing_that_the_shell_does_not_need_at_once():
    code = (
        "from pyterrier_diversity.cli import app; import sys;"
        "print({'numpy', 'pandas', 'ir_measures', 'pyterrier_diversity.io'} & set(sys.modules))"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == "set()"


def test_all_public_names_are_imported_with_an_asterisk():
    code = (
        "import pyterrier_diversity as p; names = set(dir()); from pyterrier_diversity import *;"
        "print(set(p.__all__) <= {*dir()} | names, {*p.__all__} <= {*dir(p)}, RBU is p.RBU, evaluate_runs.__name__)"
    )

    assert in_a_new_process(code).split() == ["True", "True", "True", "evaluate_runs"]


HEAVY = {"IPython", "click", "ir_datasets", "joblib", "matplotlib", "pyterrier", "scipy", "statsmodels"}
EVALUATE = """
from pathlib import Path
from pyterrier_diversity import RBU, alpha_nDCG, evaluate_runs, io
folder = Path(io.__file__).parents[1] / "datasets" / "demo"
evaluate_runs(io.read_qrels(folder / "qrels.txt"), [folder / "bm25.run", folder / "xquad.run"], [RBU @ 5, alpha_nDCG])
"""


def heavy_modules_after(code: str) -> set[str]:
    return set(in_a_new_process(f"{code}\nimport sys; print(*{HEAVY!r} & set(sys.modules))").split())


def test_the_import_takes_pandas_and_ir_measures_only():
    assert heavy_modules_after("import pyterrier_diversity") == set()


def test_files_are_evaluated_with_pandas_and_ir_measures_only():
    assert heavy_modules_after(EVALUATE) == set()


def test_a_module_of_the_package_is_there_when_it_is_asked_for():
    modules = ["datasets", "ideal", "io", "meta", "plots", "simulate", "transformers"]
    code = (
        f"import pyterrier_diversity as p; print(set({modules}) <= set(dir(p)), 'transformers' in vars(p),"
        f" *(getattr(p, name).__name__ for name in {modules}))"
    )

    assert in_a_new_process(code).split() == ["True", "False", *(f"pyterrier_diversity.{name}" for name in modules)]


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'pyterrier_diversity' has no attribute 'nRBU'"):
        pyterrier_diversity.nRBU  # noqa: B018


def test_every_measure_says_what_it_is_and_where_it_comes_from():
    for measure in registered():
        assert measure.__doc__.strip()
        assert all(parameter.desc and parameter.range for parameter in measure.SUPPORTED_PARAMS.values())


def test_the_citation_has_the_version_of_the_package(request):
    citation = (request.config.rootpath / "CITATION.cff").read_text(encoding="utf-8")

    assert f"\nversion: {pyterrier_diversity.__version__}\n" in citation
