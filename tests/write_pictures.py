"""Write the pictures of the documentation as SVG, and small ones that tests compare with.

Run it after changing a plot or a measure that they show: ``python tests/write_pictures.py``. A test fails while the
files differ from its output. Look at what has changed before it is committed.
"""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pyterrier as pt

from frames_to_draw import COMPARED, EXPLAINED, PERQUERY, QRELS, RUN
from pictures_of_pages import OF_PAGES
from pyterrier_diversity import RBU, Adhoc, StRecall, alpha_nDCG, evaluate_runs, meta, missed_intents, plots
from pyterrier_diversity.transformers import Explain

# Other versions draw a little differently.
MATPLOTLIB = "3.11"

BASELINES = Path(__file__).parent / "plots" / "baselines"
FOLDER = Path(__file__).parents[1] / "src" / "pyterrier_diversity" / "pt_docs" / "pictures"
SYSTEMS = ("bm25", "xquad", "more-like-this", "xquad-top-3")
MEASURES = [RBU @ 10, alpha_nDCG @ 10, StRecall @ 10, Adhoc("nDCG@10")]
QUERY = "3"

# Text stays text, which keeps files small; ids of elements do not change from run to run.
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "pyterrier-diversity", "figure.dpi": 100}


@cache
def illustrations() -> dict[str, Callable[[], object]]:
    """Return what draws each picture, by the name of its file."""
    demo = pt.get_dataset("diversity:demo")
    qrels, subtopics = demo.get_qrels(), demo.get_topics("subtopics")
    runs = {name: demo.get_results(name) for name in SYSTEMS}
    perquery = evaluate_runs(qrels, runs, MEASURES, perquery=True)
    compared = meta.compare(perquery, rng=1)
    baseline = meta.compare(perquery, "t", baseline="bm25", correction="holm")
    topic = subtopics[subtopics["qid"] == QUERY]
    texts = dict(zip(topic["iteration"], topic["query"], strict=True))
    named = qrels.merge(subtopics.rename(columns={"query": "nugget_text"})[["qid", "iteration", "nugget_text"]])
    why = Explain(qrels, RBU @ 10)
    return {
        "explain": lambda: plots.explain({name: why(runs[name]) for name in ("bm25", "xquad")}, QUERY, intents=texts),
        "per_query_deltas": lambda: plots.per_query_deltas(perquery, RBU @ 10, "xquad", "bm25"),
        "means": lambda: plots.means(compared, RBU @ 10),
        "differences": lambda: plots.differences(baseline, RBU @ 10),
        "intent_coverage": lambda: plots.intent_coverage(qrels, runs, measure=StRecall),
        "coverage": lambda: plots.coverage(qrels, runs, QUERY, intents=texts),
        "by_topic_set_size": lambda: plots.by_topic_set_size(
            meta.topic_sampling(perquery, sizes=[2, 4, 6, 8, 10, 12], n_trials=500, rng=1)
        ),
        "asl_curve": lambda: plots.asl_curve(meta.asl_curve(compared)),
        "missed_intents": lambda: plots.missed_intents(missed_intents(named, runs, 5), QUERY),
        "scatter": lambda: plots.scatter(perquery, MEASURES[3], MEASURES[1]),
        **OF_PAGES,
    }


def baselines() -> dict[str, Callable[[], object]]:
    """Return what draws further pictures that a test compares with, which are harder to draw."""
    texts = dict.fromkeys("abc", "Find a map that shows where to stay, with prices, and how to get there without a car")
    pair = {"bm25": EXPLAINED, "xquad": EXPLAINED.assign(value=[-0.5, 0.4, 1.2], judged=True)}
    return {
        "explain_pair": partial(plots.explain, pair, intents=texts),
        "coverage_long_texts": partial(plots.coverage, QRELS, RUN, "1", intents=texts),
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
