from __future__ import annotations

import ast
import doctest
import importlib
import re
import subprocess
import sys
import textwrap
from importlib.resources import files
from pathlib import Path

import pytest

import pyterrier_diversity
from pyterrier_diversity import meta, simulate, transformers

PAGES = sorted(Path(str(files("pyterrier_diversity").joinpath("pt_docs"))).rglob("*.rst"))
FOLDER = PAGES[0].parent
CONF = Path(__file__).with_name("docs_conf")

# Fewer fixed letters than these, and a message would be recognised by chance.
FEWEST = 8


def read(name: str) -> str:
    return (FOLDER / f"{name}.rst").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """Return the code blocks of a page, without their indentation."""
    found = re.findall(rf"^\.\. code-block:: {language}\n\n((?:(?: +.*)?\n)+)", text, flags=re.MULTILINE)
    return [textwrap.dedent(block).strip() for block in found]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_a_page_give_what_it_says(page, tmp_path, monkeypatch):
    if "register(" in page.read_text(encoding="utf-8"):  # what is registered stays registered
        code = f"import doctest; print(*doctest.testfile({str(page)!r}, module_relative=False, encoding='utf-8'))"
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        *_, last = ran.stdout.splitlines()
        failed, attempted = map(int, last.split())
        assert failed == 0, ran.stdout
    else:
        page = page.resolve()
        monkeypatch.chdir(tmp_path)  # which pages may write to
        failed, attempted = doctest.testfile(str(page), module_relative=False, encoding="utf-8")

    assert failed == 0
    assert (attempted > 0) == (page.stem != "api" and page.parent.name != "measures")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows_without_running_it_imports_what_there_is(page):
    for block in blocks(page.read_text(encoding="utf-8"), "python"):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom):
                module = importlib.import_module(str(node.module))
                assert [name.name for name in node.names if not hasattr(module, name.name)] == []


@pytest.mark.parametrize(
    "module", [pyterrier_diversity, meta, simulate, transformers], ids=lambda module: module.__name__
)
def test_the_reference_has_each_public_name(module):
    text = read("api")
    documented = {*re.findall(r":: pyterrier_diversity\.(?:\w+\.)*(\w+)$", text, flags=re.MULTILINE)}
    documented |= {*re.findall(r":ref:`(\w+) <", text), *re.findall(r"``pyterrier_diversity\.(\w+)``", text)}

    assert sorted(set(module.__all__) - documented) == []


def test_each_measure_is_linked_to_its_own_section():
    for name, target in re.findall(r":ref:`(\w+) <([\w-]+)>`", read("api")):
        assert target == f"diversity-{name}"


def quoted() -> list[str]:
    """Return the messages of the page on troubleshooting, a line each."""
    return [line for block in blocks(read("troubleshooting"), "text") for line in block.splitlines()]


@pytest.fixture(scope="module")
def messages() -> list[re.Pattern[str]]:
    """The texts of this package, and of those whose messages are quoted, as patterns: anything may be filled in."""
    patterns = []
    for package in ("pyterrier_diversity", "ir_measures", "pyterrier"):
        for path in Path(str(files(package))).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                patterns += _patterns(node)
    return patterns


def _patterns(node: ast.AST) -> list[re.Pattern[str]]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
        parts = str(node.left.value).split("%s")
    elif isinstance(node, ast.JoinedStr):
        fixed = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
        parts = "".join("\0" if part is None else str(part) for part in fixed).split("\0")
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        parts = re.split(r"{\w*}", node.value)
    else:
        return []
    known = sum(map(len, re.findall("[a-z]+", "".join(parts))))
    return [re.compile(".*".join(map(re.escape, parts)), re.DOTALL)] if known >= FEWEST else []


@pytest.mark.parametrize("line", quoted())
def test_a_message_that_is_quoted_is_one_of_the_source(line, messages):
    kind, message = line.split(": ", 1)
    # What is wrong with a line of a file follows its number; what KeyError says is in quotes; PyTerrier adds columns.
    said = {message, message.strip('"'), re.sub(r"^\S+, line \d+: (.*)\.$", r"\1", message), message.split(" [T")[0]}

    assert re.fullmatch(r"\w+(Error|Warning)", kind)
    assert any(pattern.fullmatch(text) for pattern in messages for text in said)


def test_a_message_that_is_none_is_not_recognised(messages):
    assert not any(pattern.fullmatch("RBU: p should be within (0, 1], not 2.") for pattern in messages)


def test_sphinx_builds_the_pages_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", CONF, FOLDER, tmp_path]

    built = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)

    assert built.returncode == 0, built.stderr
    assert {path.stem for path in PAGES} <= {path.stem for path in tmp_path.rglob("*.html")}


def test_a_parameter_whose_name_ends_with_an_underscore_is_shown_with_it(tmp_path):
    (tmp_path / "index.rst").write_text("Title\n=====\n\n.. autoclass:: pyterrier_diversity.transformers.XQuAD\n")
    command = [sys.executable, "-m", "sphinx", "-q", "-c", CONF, tmp_path, tmp_path / "html"]

    subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)

    shown = (tmp_path / "html" / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<strong>(lambda\w*)</strong>", shown) == ["lambda_"]
