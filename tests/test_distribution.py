import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def root(request) -> Path:
    return request.config.rootpath


@pytest.fixture(scope="module")
def built(root, tmp_path_factory) -> dict[str, set[str]]:
    """The names of the files in the wheel and in the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        names = {"wheel": set(archive.namelist())}
    with tarfile.open(source) as archive:
        names["source"] = {name.partition("/")[2] for name in archive.getnames()}
    return names


def files(folder: Path) -> set[str]:
    """The files below a folder as the distributions name them, without what Python and others keep there."""
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return {name for name in found if "__pycache__" not in name and not name.startswith(".")}


def test_the_wheel_holds_the_package_and_what_installers_read_and_nothing_else(root, built):
    held = {name for name in built["wheel"] if ".dist-info/" not in name}
    read = {name.partition(".dist-info/")[2] for name in built["wheel"] - held}

    assert held == files(root / "src")
    assert read == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}


def test_the_source_distribution_holds_code_tests_notebooks_and_what_people_read(root, built):
    folders = {f"{folder}/{name}" for folder in ("src", "tests", "notebooks") for name in files(root / folder)}

    alone = {"CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md", "pyproject.toml", "PKG-INFO"}
    alone |= {".gitignore", ".pre-commit-config.yaml"}
    assert built["source"] == folders | alone


def test_all_files_say_the_same_of_the_versions_of_python(root):
    def said(path, pattern):
        return re.findall(pattern, (root / path).read_text(encoding="utf-8"))

    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = [name.rpartition(" ")[2] for name in project["classifiers"] if re.search(r":: 3\.\d+$", name)]
    oldest, newest = versions[0], versions[-1]

    assert project["requires-python"] == f">={oldest}"
    for path in ("README.md", "CONTRIBUTING.md", "src/pyterrier_diversity/pt_docs/install.rst", ".ci/run"):
        assert said(path, r"Python (\S+) or newer") == [oldest]
    assert said(".ci/run", r"python_of (\d\S*)\)|for version in (\S+)") == [(newest, ""), ("", oldest)]
    of_workflow = said(".github/workflows/tests.yml", r"(?m)^ +(?:python-version: )?\"?(3\.\d+)\"?$")
    assert (sorted(set(of_workflow)), of_workflow[-1]) == (versions, newest)
