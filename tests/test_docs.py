import ast
import codeop
import doctest
import gc
import gzip
import importlib
import inspect
import re
import sys
import textwrap
import warnings
import zlib
from contextlib import redirect_stdout
from html import unescape
from importlib.resources import files
from io import StringIO
from pathlib import Path
from urllib.parse import unquote

import pyterrier as pt
import pytest

import pyterrier_diversity
from console import WITH_SESSIONS, Shell
from page_scripts import script
from processes import in_a_new_process
from pyterrier_diversity import RBU, SessionDCG, evaluate, ideal, io, meta, plots, simulate, transformers
from pyterrier_diversity.datasets.demo import FOLDER as DEMO
from pyterrier_diversity.docstrings import section_of
from pyterrier_diversity.measures import registered
from pyterrier_diversity.warnings import KINDS, DataWarning
from said import said
from write_pictures import check, work_through

FOLDER = Path(str(files("pyterrier_diversity").joinpath("pt_docs")))
PAGES = sorted(FOLDER.rglob("*.rst"))

# Pages that list messages, commands or words: they have neither a picture nor a paper, and some no examples.
WITHOUT_EXAMPLES = {"api", "measures", "index", "install", "changelog", "glossary", "cheat_sheet", "reproduction"}
LISTS = WITHOUT_EXAMPLES - {"index", "reproduction"} | {
    "troubleshooting",
    "warnings",
    "long_evaluations",
    "shell",
    "files",
    "gallery",
}

# A message of less fixed text would be recognised by chance: then a call must say it.
FEWEST, MOST = 8, 0.53


def read(name: str) -> str:
    return (FOLDER / f"{name}.rst").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """Return the code blocks of a page, without their indentation."""
    found = re.findall(rf"^\.\. code-block:: {language}\n\n((?:(?: +.*)?\n)+)", text, flags=re.MULTILINE)
    return [textwrap.dedent(block).strip() for block in found]


def test_the_block_of_the_start_page_runs_alone_in_an_empty_folder_and_prints_what_it_says(tmp_path):
    (code,), (output,) = (blocks(read("index"), language) for language in ("python", "none"))

    printed = in_a_new_process(f"import os\nos.chdir({str(tmp_path)!r})\n{code}")

    assert textwrap.dedent(f"    {printed}").split() == output.split()


def test_the_start_page_has_six_groups_of_at_most_26_pages():
    captions = re.findall(r":caption: (.*)", read("index"))
    listed = [name for part in re.findall(r":hidden:\n\n((?:   .*\n)+)", read("index")) for name in part.split()]

    assert captions == ["Start", "Evaluate runs", "RAG and agents", "Re-rank", "Study measures", "Reference"]
    assert len(listed) == len(set(listed)) <= 26


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent == FOLDER], ids=lambda page: page.stem)
def test_the_script_of_a_page_has_its_examples_in_order(page):
    text = page.read_text(encoding="utf-8")
    run = [each for each in doctest.DocTestParser().get_examples(text) if each.exc_msg is None]

    statements = [ast.dump(statement) for example in run for statement in ast.parse(example.source).body]
    assert [ast.dump(statement) for statement in ast.parse(script(text)).body] == statements


@pytest.mark.usefixtures("no_layout")
def test_each_line_of_the_cheat_sheet_runs(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    page = read("cheat_sheet")
    rows = re.findall(r"^   \* - :doc:.*\n     - ``(.*)``\n     - (?:``(.*)``|\\-)$", page, flags=re.MULTILINE)
    names = {
        "path": DEMO / "qrels.txt",
        "run": DEMO / "bm25.run",
        "nuggets": [{"qid": "q", "docno": "d", "nugget": "n", "label": 1}],
    }
    exec(blocks(page, "python")[0], names)
    exec(CHEATED, names)
    (tmp_path / "here").mkdir()
    shell = Shell(tmp_path / "here")
    monkeypatch.chdir(shell.folder)

    for code, command in rows:
        eval(code, names)
        if command:
            printed = shell.run(f"pyterrier-diversity {command}")
            assert shell.status == 0, printed

    assert len(rows) == page.count("* - :doc:")


# What the page says of its names.
CHEATED = """
demo = pt.get_dataset("diversity:demo")
topics, qrels, measures = demo.get_topics(), demo.get_qrels(), [RBU @ 10]
runs = systems = {name: demo.get_results(name) for name in ("bm25", "xquad")}
perquery = evaluate_runs(qrels, runs, measures, perquery=True)
compared = meta.compare(perquery, rng=1)
run = runs["bm25"]
bm25 = BM25(demo.get_corpus_iter(verbose=False))
intents = OnSubtopics(bm25, demo.get_topics("subtopics"))
"""


def test_the_gallery_shows_each_picture_that_plots_draws():
    entry = (
        r":func:`~pyterrier_diversity\.plots\.(\w+)`: .*?\n\n>>> ax = plots\.\1\(.*\n\n\.\. image:: pictures/\1\.svg"
    )

    assert sorted(re.findall(entry, read("gallery"), flags=re.DOTALL)) == sorted(plots.__all__)


# Those of the pages that show sessions of the shell are run before these, in `cli/test_page.py`.
@pytest.mark.parametrize("page", [page for page in PAGES if page.stem not in WITH_SESSIONS], ids=lambda page: page.stem)
def test_the_examples_of_a_page_give_what_it_says_and_draw_its_pictures(page, tmp_path, monkeypatch):
    if "register(" in page.read_text(encoding="utf-8"):  # a registration cannot be undone
        code = f"""import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path; from write_pictures import check, work_through
print(*work_through(Path({str(page)!r}), check))"""
        printed = in_a_new_process(code, imported=("pyterrier",))
        failed, attempted = map(int, printed.splitlines()[-1].split())
        assert failed == 0, printed
    else:
        page = page.resolve()
        monkeypatch.chdir(tmp_path)  # which pages may write to
        failed, attempted = work_through(page, check)

    assert failed == 0
    assert attempted > 0 or page.stem in WITHOUT_EXAMPLES or page.parent != FOLDER


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_that_a_page_shows_without_running_it_imports_existing_names(page):
    for block in blocks(page.read_text(encoding="utf-8"), "python"):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom):
                module = importlib.import_module(str(node.module))
                assert [name.name for name in node.names if not hasattr(module, name.name)] == []


def test_the_script_on_trec_web_prints_what_it_says(shared, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    for model in ("ql", "rm"):  # what the block before it downloads
        Path("runs", f"{model}.run").symlink_to(shared / "trec-web" / "runs" / "2012" / f"{model}.catb.run.gz")
    (script,), (output,) = (blocks(read("in_a_paper"), language) for language in ("python", "none"))

    with redirect_stdout(StringIO()) as printed:
        exec(script, {})

    assert printed.getvalue().split() == output.split()
    assert Path("table.tex").read_text(encoding="utf-8").count("\\midrule") == 1
    assert Path("deltas.pdf").stat().st_size > 5000


@pytest.mark.usefixtures("dd_home")
def test_the_blocks_on_dynamic_domain_run(shared, tmp_path, monkeypatch):
    folder = shared / "trec-dd"
    monkeypatch.chdir(tmp_path)
    Path("run.txt").symlink_to(folder / "runs" / "dd17-odd-syn1.txt")
    Path("truth.xml.gz").symlink_to(folder / "dd17-odd-truth.xml.gz")
    Path("lengths.tsv").write_bytes(gzip.decompress((folder / "dd17-odd-doc-lengths.tsv.gz").read_bytes()))
    names = {"SessionDCG": SessionDCG}
    (command,) = blocks(read("dynamic_domain"), "text")
    shell = Shell(tmp_path)

    for block in blocks(read("dynamic_domain"), "python"):
        exec(block, names)
    shell.run(command)

    assert names["session"].columns.tolist() == ["qid", "docno", "score", "rank", "turn", "doc_len"]
    assert shell.status == 0


def reference() -> list[Path]:
    """Return the pages of the reference: the overview, and a page for each group of functions."""
    return [FOLDER / "api.rst", *sorted((FOLDER / "api").iterdir())]


@pytest.mark.parametrize(
    "module",
    [pyterrier_diversity, evaluate, ideal, io, meta, plots, simulate, transformers],
    ids=lambda module: module.__name__,
)
def test_the_reference_has_each_public_name(module):
    text = "\n".join(page.read_text(encoding="utf-8") for page in reference())
    documented = {*re.findall(r":: pyterrier_diversity\.(?:\w+\.)*(\w+)$", text, flags=re.MULTILINE)}
    documented |= {*re.findall(r":ref:`(\w+) <", text), *re.findall(r"``pyterrier_diversity\.(\w+)``", text)}

    assert sorted(set(module.__all__) - documented) == []


# Pages to look things up in, and pages that are generated.
REFERENCE = {"api", "files", "measures", "gallery"}
READ = [page for page in PAGES if page.parent == FOLDER and page.stem not in REFERENCE]


@pytest.mark.parametrize("page", READ, ids=lambda page: page.stem)
def test_a_page_is_short_and_its_code_fits_80_columns(page):
    text = page.read_text(encoding="utf-8")
    examples = [line for line in text.splitlines() if re.match(r">>>|\.\.\. ", line)]
    printed = [line for example in doctest.DocTestParser().get_examples(text) for line in example.want.splitlines()]
    listed = re.findall(r"^\.\. code-block:: \w+\n\n((?:(?: +.*)?\n)+)", text, flags=re.MULTILINE)

    # Messages, and the claims and rows of papers, are not read through.
    n_words = len(re.sub(r"^\| ``.*``$", "", text, flags=re.MULTILINE).split())
    assert n_words <= 1500 or page.stem == "reproduction"
    assert [line for line in examples + printed if len(line) > 80] == []
    assert [line for block in map(textwrap.dedent, listed) for line in block.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("page", READ, ids=lambda page: page.stem)
def test_a_page_has_a_picture_with_a_text_and_a_caption_or_is_about_messages_and_commands(page):
    text = page.read_text(encoding="utf-8")
    figures = re.findall(
        r"^\.\. figure:: pictures/\S+\n   :alt: \S.*\n   :width: .*\n\n   \S", text, flags=re.MULTILINE
    )

    assert len(figures) == text.count("pictures/")
    assert bool(figures) != (
        page.stem in LISTS | {"nugget_formats", "constraints", "judges", "gate", "other_tools", "reproduction"}
    )


def test_each_picture_is_on_one_page_or_in_the_gallery():
    shown = [name for page in READ for name in re.findall(r"pictures/(\S+)", page.read_text(encoding="utf-8"))]

    assert len(shown) == len(set(shown))
    assert {*shown, *re.findall(r"pictures/(\S+)", read("gallery"))} == {
        path.name for path in (FOLDER / "pictures").iterdir()
    }


@pytest.mark.parametrize("page", READ, ids=lambda page: page.stem)
def test_a_page_names_a_paper_or_is_about_messages_and_commands(page):
    cited = ".. cite.dblp::" in page.read_text(encoding="utf-8")

    assert cited or page.stem in LISTS


def test_the_table_of_warnings_has_the_docstring_of_each_class():
    rows = re.findall(r"   \* - ``(\w+)``\n     - (.*)\n     - (.*)\n", read("warnings"))

    kinds = {"DataWarning": DataWarning, **KINDS}
    assert {name: f"{means} {what_to_do}" for name, means, what_to_do in rows} == {
        name: kind.__doc__ for name, kind in kinds.items()
    }


def quoted() -> list[str]:
    """Return the messages of the page on troubleshooting."""
    return re.findall(r"^\| ``(.*)``$", read("troubleshooting"), flags=re.MULTILINE)


@pytest.fixture(scope="module")
def messages() -> list[list[str]]:
    """The texts of this package, and of those whose messages are quoted: their parts, between which anything stands."""
    return [
        parts
        for package in ("pyterrier_diversity", "ir_measures", "pyterrier")
        for path in Path(str(files(package))).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if sum(map(len, re.findall("[a-z]+", "".join(parts := _parts(node))))) >= FEWEST
    ]


def _parts(node: ast.AST) -> list[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
        return str(node.left.value).split("%s")
    if isinstance(node, ast.JoinedStr):
        fixed = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
        return "".join("\0" if part is None else str(part) for part in fixed).split("\0")
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.split(r"{\w*}", node.value)
    return []


def is_one_of(messages: list[list[str]], text: str) -> bool:
    # Few have all parts, and most of the text; no others need a pattern.
    near = (
        parts for parts in messages if sum(map(len, parts)) > len(text) * MOST and all(part in text for part in parts)
    )
    return any(re.fullmatch(".*".join(map(re.escape, parts)), text, re.DOTALL) for parts in near)


@pytest.fixture(scope="module")
def called(tmp_path_factory):
    """What calls say that go wrong."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("called"))
        return said()


@pytest.mark.parametrize("line", quoted())
def test_a_message_that_is_quoted_is_said_by_a_call_or_is_mostly_one_of_the_source(line, called, messages):
    kind, message = line.split(": ", 1)
    # What is wrong with a line of a file follows its number; what KeyError says is in quotes.
    texts = {message, message.strip('"'), re.sub(r"^\S+, line \d+: (.*)\.$", r"\1", message)}

    assert re.fullmatch(r"\w+(Error|Warning)", kind)
    assert line in called or any(is_one_of(messages, text) for text in texts)


def test_each_call_says_something_that_is_quoted(called):
    assert sorted(set(called) - set(quoted())) == []


def types_refused() -> list[tuple[object, str, str]]:
    """Return the public functions that say of which argument they refuse another type: with its name, and the words."""
    found = []
    for module in (pyterrier_diversity, evaluate, ideal, io, meta, plots, simulate, transformers):
        for function in {getattr(module, name) for name in module.__all__ if inspect.isroutine(getattr(module, name))}:
            (_, _, said) = section_of(inspect.getdoc(function), "Raises").partition("TypeError\n")
            said = re.split(r"^\w+$", said, flags=re.MULTILINE)[0]
            found += [
                (function, name, said) for name in inspect.signature(function).parameters if f"``{name}``" in said
            ]
    return sorted({(each[0].__qualname__, each[1]): each for each in found}.values(), key=str)


@pytest.mark.parametrize(("function", "name", "said"), types_refused())
def test_a_type_that_is_said_to_be_refused_is(function, name, said, tmp_path):
    demo = pt.get_dataset("diversity:demo")
    run = demo.get_results("bm25")
    given = {
        "qrels": demo.get_qrels(),
        "runs": dict.fromkeys("abc", run),
        "measures": RBU @ 5,
        "path": tmp_path / "r.html",
    }
    given |= {"depths": [1], "qrels_b": demo.get_qrels(), "explained": run, "measure": RBU, "cutoff": 5}
    others = {key: given[key] for key, each in inspect.signature(function).parameters.items() if key in given}
    # What is not a mapping may still be paths.
    wrong = [run] if "is a list" in said else [DEMO / "bm25.run"] if "not a mapping" in said else object()

    with pytest.raises(TypeError):
        function(**{**others, name: wrong})


# Half of the time goes to what Sphinx adds to the pages: furo writes the tree of all into each one, and the source of
# the package is highlighted, sorted into an index, and stemmed for a search.
FAST = [
    *("-D", "html_theme=basic", "-D", "extensions=sphinx.ext.autodoc,sphinx.ext.napoleon,sphinx_copybutton"),
    *("-D", "html_use_index=0", "-D", "html_copy_source=0"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory, request):
    """The pages as the command of CONTRIBUTING builds them: the folder, and what the command printed."""
    root = request.config.rootpath
    folder = tmp_path_factory.mktemp("site")
    contributing = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    options = re.search(r"^sphinx-build (.*) site$", contributing, flags=re.MULTILINE).group(1)
    from sphinx.builders.html import StandaloneHTMLBuilder
    from sphinx.cmd.build import main as sphinx_build

    printed = StringIO()
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(), redirect_stdout(printed):
        patch.chdir(root)
        patch.setattr(sys, "stderr", printed)
        warnings.simplefilter("default")
        for kind in (DeprecationWarning, PendingDeprecationWarning):  # which Python shows of the main program alone
            warnings.simplefilter("ignore", kind)
        patch.setattr(StandaloneHTMLBuilder, "search", False)
        try:
            assert sphinx_build([*options.split(), *FAST, str(folder)]) == 0, printed.getvalue()
        finally:
            gc.enable()
    return folder, printed.getvalue()


def test_the_command_of_contributing_builds_the_pages_without_a_word(built):
    folder, printed = built

    assert printed == ""
    assert {path.stem for path in PAGES} <= {path.stem for path in folder.rglob("*.html")}


def test_the_index_has_each_measure_on_its_own_page(built):
    content = (built[0] / "objects.inv").read_bytes()
    lines = zlib.decompress(content[content.index(b"zlib.\n") + 6 :]).decode().splitlines()
    measures = {
        found[1] for line in lines if (found := re.match(r"pyterrier_diversity\.(\w+) py:data 1 measures/", line))
    }

    assert measures == {measure.NAME for measure in registered()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_the_copy_button_copies_can_be_pasted_into_python_line_by_line(page, request):
    conf = (request.config.rootpath / "tests" / "docs_conf" / "conf.py").read_text(encoding="utf-8")
    prompt = re.search(r'^copybutton_prompt_text = r"(.*)"$', conf, flags=re.MULTILINE)[1]

    for block in re.findall(r"^>>> (?:.+\n)+", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
        begun: list[str] = []
        for line in block.splitlines():
            if found := re.match(prompt, line):
                begun.append(line[found.end() :])
                if codeop.compile_command("\n".join(begun)):  # a SyntaxError where an empty line is missing or too many
                    begun = []


def test_code_can_be_copied_and_what_scrolls_reached_by_the_keyboard_and_a_page_has_its_script(built):
    page, formulas = (
        (built[0] / f"{name}.html").read_text(encoding="utf-8") for name in ("rag", "measures/user_models")
    )

    assert "copybutton.js" in page
    assert page.count("<pre") == page.count('<pre tabindex="0">') > 5
    assert formulas.count('class="formula"') == formulas.count('class="formula" tabindex="0"') > 5
    assert (built[0] / "_scripts" / "rag.py").read_text(encoding="utf-8") == script(read("rag"))
    assert 'href="_scripts/rag.py"' in page


def attributes(page: Path, names: str) -> set[str]:
    """Return the values of these attributes of all elements of a page."""
    text = page.read_text(encoding="utf-8")
    return {unescape(value) for value in re.findall(rf'<[^>]* (?:{names})="([^"]*)"', text)}


def test_no_link_is_dead(built):
    ids = {page.resolve(): {"", *attributes(page, "id")} for page in built[0].rglob("*.html")}
    dead = []
    for page in ids:
        for link in map(unquote, attributes(page, "href|src")):
            if re.match(r"\w+:", link):  # of another site
                continue
            path, _, place = link.partition("#")
            target = (page.parent / path.partition("?")[0]).resolve() if path else page
            if not target.exists() or (target in ids and place not in ids[target]):
                dead.append((page.name, link))

    assert len(ids) > len(PAGES)
    assert dead == []


def test_formulas_and_references_need_no_network(built):
    page = (built[0] / "measures" / "rbu.html").read_text(encoding="utf-8")

    assert re.search('<math [^>]*display="block"', page)
    assert "mathjax" not in page
    assert "Amigó, Spina, Carrillo-de-Albornoz (2018). An axiomatic analysis" in page


def test_types_and_constants_are_documented_once(built):
    pages = "".join(path.read_text(encoding="utf-8") for path in (built[0] / "api").iterdir())
    functions, constants = (
        re.findall(rf'<dl class="py {kind}">.*?(?=<dl class="py |$)', pages, flags=re.DOTALL)
        for kind in ("function", "data")
    )

    assert len(functions) > 50
    assert len(constants) > 5
    assert [function for function in functions if function.count("Return type") > 1] == []
    assert [constant for constant in constants if "Type<" in constant] == []


def test_the_signature_of_a_step_shows_its_parameters(built):
    page = (built[0] / "api" / "diversifying.html").read_text(encoding="utf-8")

    assert "**kwargs" not in re.sub("<[^>]+>", "", page)


def test_a_parameter_whose_name_ends_with_an_underscore_is_shown_with_it(built):
    shown = "".join(path.read_text(encoding="utf-8") for path in (built[0] / "api").iterdir())

    assert {*re.findall(r"<strong>(lambda\w*)</strong>", shown)} == {"lambda_"}
