"""Write the pictures of the documentation as SVG, and small ones that tests compare with.

Run it after changing a plot or a measure that they show: ``python tests/write_pictures.py``. A test fails while the
files differ from its output. Look at what has changed before it is committed.
"""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from doctest import DocTestParser
from functools import cache, partial
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

from frames_to_draw import COMPARED, EXPLAINED, PERQUERY, QRELS, RUN
from pictures_of_pages import OF_PAGES
from pyterrier_diversity import RBU, plots

# Other versions draw a little differently.
MATPLOTLIB = "3.11"

BASELINES = Path(__file__).parent / "plots" / "baselines"
FOLDER = Path(__file__).parents[1] / "src" / "pyterrier_diversity" / "pt_docs" / "pictures"

# Text stays text, which keeps files small; ids of elements do not change from run to run.
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "pyterrier-diversity", "figure.dpi": 100}


@cache
def illustrations() -> dict[str, Callable[[], object]]:
    """Return what draws each picture, by the name of its file: the code that the gallery shows, or that of a page."""
    names: dict[str, object] = {}
    draws: dict[str, Callable[[], object]] = {}
    for example in DocTestParser().get_examples((FOLDER.parent / "gallery.rst").read_text(encoding="utf-8")):
        found = re.match(r"ax = plots\.(\w+)\(", example.source)
        if found:
            draws[found[1]] = partial(exec, example.source, names)
        else:
            exec(example.source, names)
    return {**draws, **OF_PAGES}


def baselines() -> dict[str, Callable[[], object]]:
    """Return what draws further pictures that a test compares with, which are harder to draw."""
    texts = dict.fromkeys("abc", "Find a map that shows where to stay, with prices, and how to get there without a car")
    pair = {"bm25": EXPLAINED, "xquad": EXPLAINED.assign(value=[-0.5, 0.4, 1.2], judged=True)}
    return {
        "explain_pair": partial(plots.explain, pair, intents=texts),
        "differences_corrected": partial(plots.differences, COMPARED.assign(p_corrected=[0.3, 0.01, 0.3])),
        "intent_coverage_negative": partial(plots.intent_coverage, QRELS, {"a": RUN, "b": RUN}, measure=RBU(e=0.5)),
        "per_query_deltas_lines": partial(plots.per_query_deltas, PERQUERY.query("name != 'z'"), "AP", ["x", "y"], "y"),
    }


@contextmanager
def drawn(draw: Callable[[], object]) -> Iterator[None]:
    """Draw a picture with the same settings on every machine."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS)
        plt.close("all")
        draw()
        yield
        plt.close("all")


def png(draw: Callable[[], object], path: Path) -> None:
    """Write a small picture."""
    with drawn(draw):
        plt.gcf().savefig(path, dpi=45, metadata={"Software": None}, pil_kwargs={"optimize": True})


def svg(draw: Callable[[], object]) -> str:
    """Return a picture as SVG without a date."""
    file = io.StringIO()
    with drawn(draw):
        plt.gcf().savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


if __name__ == "__main__":
    mpl.use("agg")
    FOLDER.mkdir(exist_ok=True)
    for name, draw in illustrations().items():
        (FOLDER / f"{name}.svg").write_text(svg(draw), encoding="utf-8")
    BASELINES.mkdir(exist_ok=True)
    for name, draw in baselines().items():
        png(draw, BASELINES / f"{name}.png")
