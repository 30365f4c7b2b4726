import subprocess
import sys
from importlib.metadata import distribution, version
from importlib.resources import files

import pytest

import pyterrier_diversity
from pyterrier_diversity.measures import registered


def in_a_new_process(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_the_version_is_that_of_the_distribution():
    assert version("pyterrier-diversity") == pyterrier_diversity.__version__


def test_the_package_is_typed():
    assert files("pyterrier_diversity").joinpath("py.typed").is_file()


def test_every_public_name_is_there():
    assert all(hasattr(pyterrier_diversity, name) for name in pyterrier_diversity.__all__)


def test_every_measure_can_be_imported_from_the_package():
    assert {measure.NAME for measure in registered()} <= set(pyterrier_diversity.__all__)


def test_the_only_plugin_that_is_there_without_an_import_is_the_dataset_provider():
    groups = {entry.group for entry in distribution("pyterrier-diversity").entry_points}

    assert groups == {"pyterrier.dataset_provider", "console_scripts"}


def test_nothing_is_registered_before_the_import():
    code = (
        "import ir_measures as im, pyterrier;"
        "print('RBU' in im.measures.registry, 'diversity' in [p.NAME for p in im.DefaultPipeline.providers[1:]])"
    )

    assert in_a_new_process(code) == "False False"


@pytest.mark.parametrize("module", ["typer", "matplotlib", "scipy", "statsmodels", "ir_datasets", "joblib"])
def test_what_only_some_users_need_is_imported_when_it_is_needed(module):
    code = (
        "import sys, pyterrier; before = set(sys.modules); import pyterrier_diversity;"
        f"print({module!r} in set(sys.modules) - before)"
    )

    assert in_a_new_process(code) == "False"


def test_every_measure_says_what_it_is_and_where_it_comes_from():
    for measure in registered():
        assert measure.__doc__.strip()
        assert all([measure.PRETTY_NAME, measure.FORMULA, measure.SOURCE])
        assert all(parameter.desc and parameter.range for parameter in measure.parameters().values())


def test_the_readme_sets_up_with_two_commands(request):
    readme = (request.config.rootpath / "README.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0].strip().splitlines() for block in readme.split("```sh\n")[1:]]

    assert [len(block) for block in blocks] == [1, 1]
