"""Sphinx as PyTerrier's documentation sets it up, as far as the pages of ``pt_docs`` use it.

PyTerrier also loads ``sphinx_autodoc_typehints``. It is left out here: docstrings have the types already, and the
extension reads them before napoleon does, which fills the terminal with errors of indentation that are none.
"""

import re

from docutils import nodes
from docutils.parsers.rst import Directive

project = "pyterrier-diversity"
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
pygments_style = "sphinx"
# Wide enough for code of 80 columns, on a screen of 1,200 pixels.
html_theme_options = {"page_width": "1180px"}
html_static_path = ["static"]

# What the pages say of this package must be there, but for types of its inner parts; of others nothing is looked up.
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!pyterrier_diversity\b).*"),
    ("py:class", r"pyterrier_diversity\.(judged|measures)\..*"),
]


class Citation(Directive):
    """``cite.dblp`` of PyTerrier's documentation, which asks DBLP; here the key is all that is shown."""

    required_arguments = 1

    def run(self):
        (key,) = self.arguments
        if not re.fullmatch(r"(conf|journals)/\w+/[\w-]+", key):
            raise self.error(f"{key!r} is not a key of DBLP.")
        return [nodes.paragraph(text=key)]


def setup(app):
    app.add_directive("cite.dblp", Citation)
