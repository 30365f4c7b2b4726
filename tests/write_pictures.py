"""Write the pictures of the documentation as SVG, and small ones that tests compare with.

Run it after changing a plot or a measure that they show: ``python tests/write_pictures.py``. A test fails while the
files differ from its output. Look at what has changed before it is committed.
"""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from doctest import DocTestParser, DocTestRunner
from functools import partial
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

from frames_to_draw import COMPARED, EXPLAINED, PERQUERY, QRELS, RUN
from pyterrier_diversity import RBU, plots

# Other versions draw a little differently.
MATPLOTLIB = "3.11"

BASELINES = Path(__file__).parent / "plots" / "baselines"
FOLDER = Path(__file__).parents[1] / "src" / "pyterrier_diversity" / "pt_docs" / "pictures"

# Text stays text, which keeps files small; ids of elements do not change from run to run.
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "pyterrier-diversity", "figure.dpi": 100}


def work_through(page: Path, at_picture: Callable[[str], None]) -> tuple[int, int]:
    """Run the examples of a page, which draw the picture below them; return how many failed and how many ran.

    ``at_picture`` gets the name of each picture as soon as it is drawn.
    """
    runner, names, line = DocTestRunner(), {"__name__": "__main__"}, 0
    # Every second part is the name of a picture.
    parts = re.split(r":: pictures/(\w+)\.svg", page.read_text(encoding="utf-8"))
    with drawing():
        for text, picture in zip_longest(parts[::2], parts[1::2]):
            test = DocTestParser().get_doctest(text, {}, page.stem, str(page), line)
            test.globs = names  # not a copy: functions of the page see what comes after a picture
            runner.run(test, clear_globs=False)
            line += text.count("\n")
            if picture and plt.get_fignums():  # the start page only shows
                at_picture(picture)
    return runner.failures, runner.tries


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
def drawing() -> Iterator[None]:
    """Draw with the same settings on every machine."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS)
        plt.close("all")
        yield
        plt.close("all")


def png(draw: Callable[[], object], path: Path) -> None:
    """Write a small picture."""
    with drawing():
        draw()
        plt.gcf().savefig(path, dpi=45, metadata={"Software": None}, pil_kwargs={"optimize": True})


def svg() -> str:
    """Return the picture that was drawn last as SVG without a date."""
    file = io.StringIO()
    plt.gcf().savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def check(picture: str) -> None:
    """Compare a picture of the documentation with the one that was drawn last; other versions draw differently."""
    if mpl.__version__.startswith(f"{MATPLOTLIB}."):
        (numbers, text), (now, text_now) = map(_parts, ((FOLDER / f"{picture}.svg").read_text(encoding="utf-8"), svg()))
        assert text_now == text, f"python tests/write_pictures.py writes another {picture}.svg"
        assert np.allclose(now, numbers, rtol=0, atol=0.01), picture


def _parts(text: str) -> tuple[list[float], str]:
    """Return the numbers of an SVG, and the text between them."""
    number = r"-?\d+\.\d+"
    return [float(found) for found in re.findall(number, text)], re.sub(number, "#", text)


if __name__ == "__main__":
    mpl.use("agg")
    pages = sorted(FOLDER.parent.glob("*.rst"))
    with TemporaryDirectory() as folder, chdir(folder):  # which pages may write to
        for page in pages:
            if "pictures/" in page.read_text(encoding="utf-8"):
                work_through(page, lambda name: (FOLDER / f"{name}.svg").write_text(svg(), encoding="utf-8") and None)
    BASELINES.mkdir(exist_ok=True)
    for name, draw in baselines().items():
        png(draw, BASELINES / f"{name}.png")
