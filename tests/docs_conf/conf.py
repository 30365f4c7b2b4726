"""Sphinx as PyTerrier's documentation sets it up, as far as the pages of ``pt_docs`` use it.

PyTerrier also loads ``sphinx_autodoc_typehints``. It is left out here: docstrings have the types already, and the
extension reads them before napoleon does, which fills the terminal with wrong errors about indentation.
"""

import gc
import inspect
from pathlib import Path

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util.docutils import SphinxDirective

# Nearly all objects of a build are there to its end: searches for garbage would take a third of its time.
gc.disable()

project = "pyterrier-diversity"
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
]
autodoc_typehints = "none"
autoclass_content = "both"
autodoc_default_options = {"member-order": "bysource"}
autodoc_inherit_docstrings = False
html_theme = "furo"
html_title = project
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

REFERENCES = dict(
    line.split("\t") for line in Path(__file__).with_name("references.tsv").read_text(encoding="utf-8").splitlines()
)


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
    translator.body.append(f'<div class="formula">{tex2mathml(node.astext(), as_block=True)}</div>')
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


def setup(app):
    app.connect("autodoc-process-docstring", without_new)
    app.connect("autodoc-process-signature", parameters_of_a_step)
    app.add_directive("cite.dblp", Citation)
    app.add_html_math_renderer("mathml", (inline_formula, None), (formula, None))
