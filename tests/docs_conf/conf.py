"""Sphinx as PyTerrier's documentation sets it up, as far as the pages of ``pt_docs`` use it.

PyTerrier also loads ``sphinx_autodoc_typehints``. It is left out here: docstrings have the types already, and the
extension reads them before napoleon does, which fills the terminal with wrong errors about indentation.
"""

import gc
import inspect
import os
import re
import sys
from importlib import metadata
from pathlib import Path

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
from page_scripts import script  # noqa: E402

# Nearly all objects of a build are there to its end: searches for garbage would take a third of its time.
gc.disable()

project = "pyterrier-diversity"
version = release = metadata.version(project)
author = "the pyterrier-diversity authors"
copyright = author
master_doc = "index"
language = "en"
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.coverage",
    "sphinx.ext.viewcode",
    "sphinx.ext.githubpages",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
# A block is copied without its prompts and its output.
copybutton_prompt_text = r">>> |\.\.\.(?: |$)|\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"
autodoc_typehints = "none"
autoclass_content = "both"
autodoc_default_options = {"member-order": "bysource"}
autodoc_inherit_docstrings = False
html_theme = "furo"
html_title = f"{project} {release}"
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["custom.css"]
html_math_renderer = "mathml"

# What the pages say of this package must be there, but for types of its inner parts; of others nothing is looked up.
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!pyterrier_diversity\b).*"),
    ("py:class", r"pyterrier_diversity\.(judged|measures)\..*"),
]

REFERENCES = dict(line.split("\t") for line in (FOLDER / "references.tsv").read_text(encoding="utf-8").splitlines())


class Citation(SphinxDirective):
    """``cite.dblp`` of PyTerrier's documentation, which asks DBLP; here ``references.tsv`` has the texts."""

    required_arguments = 1

    def run(self):
        (key,) = self.arguments
        if key not in REFERENCES:
            raise self.error(f"references.tsv does not have {key}.")
        return self.parse_text_to_nodes(REFERENCES[key])


def inline_formula(translator, node):
    """Write MathML, which browsers show without a network."""
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def formula(translator, node):
    """Write a formula on a line of its own, in a box that scrolls sideways where the screen is too narrow."""
    translator.body.append(f'<div class="formula" tabindex="0">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def parameters_of_a_step(app, what, name, obj, options, signature, returned):
    """Return the parameters of a step of a pipeline, whose class has a ``__new__`` that takes anything."""
    if what == "class" and signature == "(*args, **kwargs)":
        _, *parameters = inspect.signature(obj.__init__).parameters.values()
        signature = str(inspect.Signature([each.replace(annotation=each.empty) for each in parameters]))
    return signature, returned


def without_new(app, what, name, obj, options, lines):
    """Leave out what Python says of the ``__new__`` of named tuples."""
    lines[:] = [line for line in lines if not line.startswith("Create new instance of ")]


def with_files_of_the_source(app, name, source):
    """Link notebooks, add the changelog to its page, and to a page with examples a line about them and their script."""
    notebooks = os.path.relpath(FOLDER.parents[1], app.srcdir)
    source[0] = re.sub(r"``(notebooks/[\w/]+\.ipynb)``", rf":download:`\1 </{notebooks}/\1>`", source[0])
    if name == "changelog":
        source[0] += as_pages(FOLDER.parents[1] / "CHANGELOG.md")
    if "\n>>> " in source[0] and "/" not in name:
        title, rule, text = re.split(r"\n(=+)\n", source[0], maxsplit=1)
        path = f"_scripts/{name}.py"
        link = f'Blocks build on those above them. <a href="{path}" download>Download all as a script.</a>'
        source[0] = f'{title}\n{rule}\n\n.. raw:: html\n\n   <p class="script">{link}</p>\n\n{text}'
        target = Path(app.outdir, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(script(text), encoding="utf-8")


def as_pages(path):
    """Return Markdown of headings, lists, code and links as reStructuredText."""
    _, _, text = path.read_text(encoding="utf-8").partition("\n")
    parts = re.split(r"`([^`]+)`|\[([^\]]+)\]\((\S+)\)", text)
    for i, (text, code, link, address) in enumerate(zip(parts[::4], *(parts[n::4] for n in (1, 2, 3)), strict=False)):
        marked = f"``{code}``" if code else f"`{link} <{address}>`__"
        parts[4 * i : 4 * i + 4] = [re.sub(r"([\\*|_@])", r"\\\1", text.replace("**", "")), f"\\ {marked}\\ ", "", ""]
    text = re.sub(r"\n( *- )", r"\n\n\1", "".join(parts))
    for mark, line in (("###", "~"), ("##", "-")):
        text = re.sub(
            rf"^{mark} (.*)$", lambda found, line=line: f"{found[1]}\n{line * len(found[1])}", text, flags=re.M
        )
    return f"\n{text}"


def by_the_end_of_its_name(app, env, node, content):
    """Link what a docstring calls by the end of its name, such as `io.read_runs`, if only one object ends so."""
    if node["refdomain"] == "py" and node["reftype"] == "obj":
        ends = f".{node['reftarget']}"
        found = {each.node_id: each for name, each in env.domains["py"].objects.items() if name.endswith(ends)}
        if len(found) == 1:
            ((anchor, each),) = found.items()
            return make_refnode(app.builder, node["refdoc"], each.docname, anchor, content)
    return None


def reachable(app, name, template, context, tree):
    """Let the keyboard reach code and tables, which scroll on a narrow screen, and say how deep furo's headings are."""
    if "body" in context:
        context["body"] = re.sub(r'<(pre|div class="table-wrapper[^"]*")>', r'<\1 tabindex="0">', context["body"])
    if "furo_navigation_tree" in context:
        levels = 'role="heading" aria-level="2"'
        context["furo_navigation_tree"] = context["furo_navigation_tree"].replace('role="heading"', levels)


def setup(app):
    app.connect("source-read", with_files_of_the_source)
    app.connect("html-page-context", reachable, priority=900)  # after furo
    app.connect("missing-reference", by_the_end_of_its_name)
    app.connect("autodoc-process-docstring", without_new)
    app.connect("autodoc-process-signature", parameters_of_a_step)
    app.add_directive("cite.dblp", Citation)
    app.add_html_math_renderer("mathml", (inline_formula, None), (formula, None))
