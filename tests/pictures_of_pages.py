"""What draws pictures for single pages, by functions of `plots` and with the examples of the page."""

from collections.abc import Callable
from doctest import DocTestParser
from functools import partial
from importlib.resources import files

import matplotlib.pyplot as plt
import pandas as pd
import pyterrier as pt

from pyterrier_diversity import RBU, Coverage, DiversityMeasure, StRecall, alpha_nDCG, evaluate_runs, plots
from pyterrier_diversity.arithmetic import divide
from pyterrier_diversity.parameters import CUTOFF
from pyterrier_diversity.transformers import BM25, Explain, OnSubtopics, XQuAD, stages


class _News(DiversityMeasure):
    """The fraction of the top k that is the first document of an intent, as on the page own_measure."""

    NAME = "News"
    SUPPORTED_PARAMS = CUTOFF

    def score(self, ranked):
        news = ranked.documents.total(ranked.met == 0) > 0
        return divide(ranked.documents.queries.total(news), ranked.depth)


def own_measure() -> None:
    """Draw the topic of the golden test: what each document covers, and the measure down to each rank."""
    judged = pd.DataFrame([("a", "x"), ("b", "x"), ("c", "x"), ("c", "y")], columns=["docno", "iteration"])
    judged = judged.assign(qid="q", label=1)
    run = pd.DataFrame({"qid": "q", "docno": list("abzc"), "score": [4.0, 3.0, 2.0, 1.0]})
    plots.explain(Explain(judged, _News() @ 4)(run), "q")


def sessions() -> None:
    """Draw the two sessions of the page: what each turn covers, and alpha-nDCG down to each rank."""
    relevant = [("a1", "a"), ("a2", "a"), ("b1", "b"), ("c1", "c")]
    qrels = pd.DataFrame(relevant, columns=["docno", "iteration"]).assign(qid="q", label=1)
    turns = {"one by one": "a1 a2 x1, b1 a1 x2, c1 b1 x3", "fan-out": "a1 b1 c1, a2 x1 x2, x3 x4 x5"}
    why = Explain(qrels, alpha_nDCG @ 9)
    explained = {}
    for name, of_turns in turns.items():
        rows = [
            ("q", doc, 9.0 - i, turn)
            for turn, docs in enumerate(of_turns.split(", "))
            for i, doc in enumerate(docs.split())
        ]
        explained[name] = why(pd.DataFrame(rows, columns=["qid", "docno", "score", "turn"]))
    plots.explain(explained)


def nuggets() -> None:
    """Draw Coverage, and RBU with a price for each passage, of the page's two systems by the length of the context."""
    demo = pt.get_dataset("diversity:demo")
    scorer = BM25(demo.get_corpus_iter(verbose=False), num_results=50)
    parts = OnSubtopics(scorer, demo.get_topics("subtopics"))(demo.get_topics())
    parts = parts.sort_values(["score", "docno"], ascending=False)
    ranks = parts.groupby(["qid", "iteration"]).cumcount() + 1
    shares = parts.assign(score=parts["weight"] / (60 + ranks))
    fused = shares.groupby(["qid", "docno"])["score"].sum().round(12).reset_index()
    runs = {"question": scorer(demo.get_topics()), "parts fused": fused}
    _, axes = plt.subplots(1, 2, figsize=(9.4, 3.8), layout="constrained")
    for ax, measure in zip(axes, (Coverage, RBU(p=1, e=0.02)), strict=True):
        plots.intent_coverage(demo.get_qrels(), runs, measure=measure, cutoff=50, ax=ax)


def reading_a_report() -> None:
    """Draw the differences between two systems of the page, query by query."""
    demo = pt.get_dataset("diversity:demo")
    runs = {name: demo.get_results(name) for name in ("bm25", "xquad")}
    values = evaluate_runs(demo.get_qrels(), runs, [Coverage @ 5], perquery=True)
    plots.per_query_deltas(values, Coverage @ 5, "xquad", "bm25")


def tuning() -> None:
    """Draw the share of the intents of each query that is left after each step of a pipeline, as the page does."""
    demo = pt.get_dataset("diversity:demo")
    xquad = XQuAD(OnSubtopics(BM25(demo.get_corpus_iter(verbose=False)), demo.get_topics("subtopics"), rescore=True))
    pipeline = pt.Transformer.from_df(demo.get_results("bm25")) >> pt.RankCutoff(10) >> xquad >> pt.RankCutoff(3)
    after = stages(pipeline)(demo.get_topics())
    left = evaluate_runs(demo.get_qrels(), after, [StRecall], perquery=True)
    left = left.pivot_table("value", "name", "qid").loc[list(after)]
    left.index = ["BM25", "first 10", "xQuAD", "first 3"]
    left.mean(axis=1).plot(ax=left.plot(color="0.8", legend=False, ylabel="StRecall"), color="black", marker="o")


def above(page: str, picture: str) -> None:
    """Draw a picture by the examples of its page, down to the picture."""
    text = files("pyterrier_diversity").joinpath("pt_docs", f"{page}.rst").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for example in DocTestParser().get_examples(text.partition(f"pictures/{picture}.svg")[0]):
        exec(example.source, names)


OF_PAGES: dict[str, Callable[[], object]] = {
    **{draw.__name__: draw for draw in (nuggets, own_measure, reading_a_report, sessions)},
    "stages": tuning,
    "asl_curve": partial(above, "meta_evaluation", "asl_curve"),
    "dynamic_domain": partial(above, "dynamic_domain", "dynamic_domain"),
}
