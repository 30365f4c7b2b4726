"""Every picture at a size that is hard to draw: ten systems with long names, fifty topics, long texts of intents."""

from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.text import Text

from pyterrier_diversity import RBU, Coverage, meta, missed_intents, plots
from pyterrier_diversity.transformers import Explain

SYSTEMS = [f"{name} >> monoT5-3B (castorini, top 1000) >> DESA v{i}" for i, name in enumerate(["BM25", "PL2"] * 5)]
MEASURES = [f"alpha_nDCG(alpha=0.{i})@{k}" for i in (1, 3, 5, 7, 9) for k in (10, 20)]
N_TOPICS, N_INTENTS, N_DOCS = 50, 10, 40
TEXT = "Find information about {}: where to stay, with prices and hours, and how to get there by train, without any car"


@cache
def collection() -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Return qrels with texts, and the runs of ten systems."""
    rng = np.random.default_rng(4)
    judged = [
        (str(q), f"d{d}", int(rng.integers(1, 4)), f"intent {t}", TEXT.format(f"place {t}"), TEXT.format(f"query {q}"))
        for q in range(1, N_TOPICS + 1)
        for d in range(N_DOCS)
        for t in range(N_INTENTS)
        if rng.random() < 0.06
    ]
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label", "iteration", "nugget_text", "query"])
    runs = {}
    for i, name in enumerate(SYSTEMS):
        rows = [
            (str(q), f"d{d}", float(n))
            for q in range(1, N_TOPICS + 1)
            for n, d in enumerate(rng.permutation(N_DOCS + 2 * i)[:20])
        ]
        runs[name] = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    return qrels, runs


@cache
def perquery() -> pd.DataFrame:
    """Return values of ten measures with names of 20 characters, whose differences are in all sizes."""
    rng = np.random.default_rng(5)
    rows = [
        (system, str(topic), measure, float(np.clip(rng.normal(0.4 + 0.02 * i, 0.15), 0, 1)))
        for i, system in enumerate(SYSTEMS)
        for topic in range(1, N_TOPICS + 1)
        for measure in MEASURES
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def swept() -> pd.DataFrame:
    """Return the means of ten measures in columns."""
    return perquery().pivot_table("value", "name", "measure").reset_index()


@cache
def drawn(name: str) -> Any:
    """Return the axes of a picture, which is drawn once."""
    return pictures()[name]()


@cache
def _explained(n: int) -> dict[str, pd.DataFrame]:
    qrels, runs = collection()
    why = Explain(qrels, RBU @ 10)
    return {name: why(run[run["qid"] == "7"]) for name, run in list(runs.items())[:n]}


@cache
def _compared() -> pd.DataFrame:
    return meta.compare(perquery(), measures=MEASURES[:1], n_trials=200, rng=1)


@cache
def pictures() -> dict[str, Callable[[], Any]]:
    """Return what draws each picture."""
    return {
        "differences": lambda: plots.differences(_compared()),
        "explain": lambda: plots.explain(_explained(6), "7")[0],
        "explain_one": lambda: plots.explain(_explained(1)[SYSTEMS[0]], "7"),
        "intent_coverage": lambda: plots.intent_coverage(*collection(), measure=Coverage),
        "means": lambda: plots.means(_compared()),
        "missed_intents": lambda: plots.missed_intents(missed_intents(*collection(), 3), "7"),
        "per_query_deltas": lambda: plots.per_query_deltas(perquery(), MEASURES[0], SYSTEMS[0], SYSTEMS[9]),
        "per_query_deltas_of_nine": lambda: plots.per_query_deltas(perquery(), MEASURES[0], SYSTEMS[:9], SYSTEMS[9]),
        "scatter": lambda: plots.scatter(perquery(), *MEASURES[:2]),
        "sweep": lambda: plots.sweep(swept(), "alpha"),
    }


def texts_of(figure: Any) -> list[tuple[str, Any]]:
    """Return every text of a drawn figure that can be seen, with its box."""
    found = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    hidden = {
        id(label)
        for ax in figure.findobj(lambda artist: hasattr(artist, "xaxis"))
        for axis in (ax.xaxis, ax.yaxis)
        for tick in axis.get_major_ticks() + axis.get_minor_ticks()
        for label, on in ((tick.label1, tick.label1.get_visible()), (tick.label2, tick.label2.get_visible()))
        if not on or not _within(axis, tick)
    }
    return [(text.get_text(), text.get_window_extent()) for text in found if id(text) not in hidden]


def _within(axis: Any, tick: Any) -> bool:
    low, high = sorted(axis.get_view_interval())
    return bool(low - 1e-9 <= tick.get_loc() <= high + 1e-9)


def faults(figure: Any) -> list[str]:
    """Return what is wrong with a picture: too large, texts outside of it, and texts over each other."""
    figure.draw_without_rendering()
    width, height = figure.bbox.width, figure.bbox.height
    boxes = texts_of(figure)
    wrong = [f"{inches:.1f} inches" for inches in figure.get_size_inches() if inches > 20]
    wrong += [f"outside: {text!r}" for text, box in boxes if min(box.x0, box.y0, width - box.x1, height - box.y1) < -1]
    for (one, a), (other, b) in combinations(boxes, 2):
        across, up = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        if across > 1.5 and up > 1.5:
            wrong.append(f"over each other: {one!r} and {other!r}")
    return wrong
