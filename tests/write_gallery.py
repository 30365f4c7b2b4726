"""Write the gallery from the functions of `plots` and the pictures of the pages: ``python tests/write_gallery.py``.

A test fails while the page differs from its output.
"""

from __future__ import annotations

import inspect
from typing import NamedTuple

from pyterrier_diversity import plots
from write_reference import write


class Shown(NamedTuple):
    """The page that explains a picture, and the call that draws it from the data of the gallery."""

    page: str
    code: str


SHOWN = {
    "explain": Shown("first_experiment", 'plots.explain({"bm25": of_bm25, "xquad": of_xquad}, "3")'),
    "coverage": Shown("api/pictures_of_systems", 'plots.coverage(qrels, runs, "3")'),
    "intent_coverage": Shown("diversify", "plots.intent_coverage(qrels, runs, measure=StRecall)"),
    "missed_intents": Shown("rag", 'plots.missed_intents(missed, "3")'),
    "per_query_deltas": Shown("first_experiment", 'plots.per_query_deltas(perquery, RBU @ 10, "xquad", "bm25")'),
    "scatter": Shown("api/pictures_of_systems", "plots.scatter(perquery, StRecall @ 10, RBU @ 10)"),
    "sweep": Shown("in_a_paper", 'plots.sweep(by_price, "e")'),
    "means": Shown("significance", "plots.means(compared, RBU @ 10)"),
    "differences": Shown("significance", "plots.differences(from_bm25, RBU @ 10)"),
    "stages": Shown("tuning", "plots.stages(by_step)"),
    "topics_needed": Shown("gate", "plots.topics_needed(needed)"),
    "asl_curve": Shown("meta_evaluation", "plots.asl_curve(meta.asl_curve(compared))"),
    "by_topic_set_size": Shown("api/pictures_of_measures", "plots.by_topic_set_size(sampled)"),
}

_HEAD = """\
Gallery
=======

Every picture that ``pyterrier_diversity.plots`` draws, with the call that draws it; the page beside it explains how to
read it. Pictures need matplotlib (:doc:`install`). ``ax.figure.savefig("picture.pdf")`` saves one, and ``ax=`` draws
into axes of your own (:doc:`in_a_paper`). In the shell, ``pyterrier-diversity plot`` has the same names. The data of
the calls:

>>> import pyterrier as pt
>>> from pyterrier_diversity import (
...     RBU, StRecall, evaluate_runs, grid, meta, missed_intents, plots,
... )
>>> from pyterrier_diversity.transformers import Explain, stages
>>> demo = pt.get_dataset("diversity:demo")
>>> topics, qrels = demo.get_topics(), demo.get_qrels()
>>> names = ("bm25", "more-like-this", "xquad", "xquad-top-3")
>>> runs = {name: demo.get_results(name) for name in names}
>>> measures = [RBU @ 10, StRecall @ 10]
>>> perquery = evaluate_runs(qrels, runs, measures, perquery=True)
>>> compared = meta.compare(perquery, rng=1)
>>> from_bm25 = meta.compare(perquery, "t", baseline="bm25", correction="holm")
>>> missed = missed_intents(qrels, runs, 5)
>>> why = Explain(qrels, RBU @ 10)
>>> of_bm25, of_xquad = why(runs["bm25"]), why(runs["xquad"])
>>> steps = pt.Transformer.from_df(runs["bm25"]) >> pt.RankCutoff(3)
>>> after = stages(steps)(topics)
>>> by_step = evaluate_runs(qrels, after, [StRecall], perquery=True)
>>> by_price = evaluate_runs(qrels, runs, grid(RBU @ 10, e=[0, 0.05, 0.1]))
>>> needed = meta.topics_needed(perquery, delta=[0.05, 0.1, 0.2])
>>> sampled = meta.topic_sampling(perquery, sizes=[4, 8], n_trials=20, rng=1)

.. list-table::
   :widths: 40 60

"""


def page() -> dict[str, str]:
    """Return the page by its file name."""
    rows = []
    for name, (where, code) in SHOWN.items():
        first = (inspect.getdoc(getattr(plots, name)) or "").split("\n\n")[0].replace("\n", " ")
        lines = [
            f"* - .. image:: pictures/{name}.svg",
            f"       :alt: A picture drawn by plots.{name}",
            "       :width: 100%",
            f"       :target: {where}.html",
            f"  - :func:`~pyterrier_diversity.plots.{name}`, explained on :doc:`{where}`. {first}",
            "",
            *(f"    {line}" for line in _example(code)),
        ]
        rows.append("\n".join(f"   {line}" if line else "" for line in lines))
    return {"gallery.rst": _HEAD + "\n\n".join(rows) + "\n"}


def _example(code: str) -> list[str]:
    """Return a call with prompts, its arguments on a line of their own if it is long."""
    if len(code) <= 60:
        return [f">>> ax = {code}"]
    called, _, arguments = code.partition("(")
    return [f">>> ax = {called}(", f"...     {arguments.removesuffix(')')}", "... )"]


if __name__ == "__main__":
    write(page(), "gallery.rst")
