"""What draws the pictures of pages whose examples no function of `plots` shows alone: one function for each page."""

from collections import Counter
from collections.abc import Callable

import ir_measures
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import nDCG

from pyterrier_diversity import (
    CT,
    RBU,
    Adhoc,
    Coverage,
    DiversityMeasure,
    StRecall,
    alpha_nDCG,
    evaluate_runs,
    grid,
    meta,
    plots,
)
from pyterrier_diversity.arithmetic import divide
from pyterrier_diversity.parameters import CUTOFF
from pyterrier_diversity.plots.curves import plot_lines
from pyterrier_diversity.plots.drawing import COLOURS
from pyterrier_diversity.transformers import BM25, Explain, OnSubtopics, XQuAD, stages
from write_reproduction import PAPERS, VERDICTS, read


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


def other_tools() -> None:
    """Draw alpha-nDCG@5 of this package against pyndeval's, for rankings with tied scores and without."""
    demo = pt.get_dataset("diversity:demo")
    qrels = demo.get_qrels()
    read = qrels.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    measure = alpha_nDCG @ 5
    points: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
    for name in ("bm25", "more-like-this", "xquad"):
        run = demo.get_results(name)
        # As an engine does that writes few digits.
        coarse = run.assign(score=run.groupby("qid")["score"].transform(lambda s: (8 * s / s.max()).round()))
        for tied, scored in ((False, run), (True, coarse)):
            theirs = scored.rename(columns={"qid": "query_id", "docno": "doc_id"}).astype({"score": float})
            theirs = theirs.sort_values(["query_id", "score"], ascending=[True, False])
            peer = {v.query_id: v.value for v in ir_measures.pyndeval.iter_calc([measure], read, theirs)}
            points[tied] += [(peer[v.query_id], v.value) for v in measure.iter_calc(read, theirs)]
    _, ax = plt.subplots(figsize=(5.2, 4.8), layout="constrained")
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=0.8)
    for tied, look in ((True, {"marker": "s", "facecolors": "none", "edgecolors": COLOURS[1]}), (False, {})):
        x, y = np.array(points[tied]).T
        said = "some scores tie" if tied else "no scores tie"
        differ = int((~np.isclose(x, y, rtol=0, atol=1e-9)).sum())
        ax.scatter(x, y, label=f"{said}: {differ} of {len(x)} rankings differ", s=28, **({"color": COLOURS[0]} | look))
    ax.set_xlabel(f"{measure} by pyndeval: ties by ascending id")
    ax.set_ylabel(f"{measure} here: ties by descending id")
    ax.set_aspect("equal")
    ax.legend(fontsize="small")


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


def dynamic_domain() -> None:
    """Draw how the documents of the page's session fill the cubes of the subtopics, after each turn."""
    rows = [("q", "a", 3, "1"), ("q", "b", 2, "2"), ("q", "c", 1, "1")]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])
    rows = [("q", "a", 1.0, 0), ("q", "b", 2.0, 1), ("q", "c", 1.0, 1)]
    session = pd.DataFrame(rows, columns=["qid", "docno", "score", "turn"])
    full = CT.max_height
    _, axes = plt.subplots(1, 2, figsize=(6.4, 3.4), sharey=True, layout="constrained")
    for turn, ax in enumerate(axes):
        read = session[session["turn"] <= turn]
        for x, (_, of_intent) in zip((0, 1.2), qrels.groupby("iteration"), strict=True):
            ax.bar(x, full, color="none", edgecolor="0.4", width=0.6)
            height = 0.0
            for last, doc in enumerate(read["docno"], 1):
                first = read.head(last)
                filled = CT.calc_aggregate(of_intent, first) * first["turn"].nunique() * full
                if filled > height:
                    look = {
                        "color": COLOURS["abc".index(doc)],
                        "edgecolor": "white",
                        "hatch": ("", "//", "\\\\")[last - 1],
                    }
                    ax.bar(x, filled - height, bottom=height, width=0.6, **look)
                    ax.text(x + 0.33, (filled + height) / 2, f"{doc}: +{filled - height:g}", va="center", size=9)
                height = filled
        value = (CT @ (turn + 1)).calc_aggregate(qrels, session)
        ax.set_title(f"after turn {turn + 1}: CT@{turn + 1} = {value:.3f}", fontsize=10)
        ax.set_xticks([0, 1.2], ["subtopic 1", "subtopic 2"])
        ax.set_xlim(-0.4, 2.1)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel(f"height of the cube; full at {full:g}")


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


def which_measure() -> None:
    """Draw what measures pay for a document: by how often its intent was met above it, and by its rank."""
    by_name = {
        "RBU": RBU(e=0, max_rel=3),
        "alpha_nDCG": alpha_nDCG,
        "StRecall": StRecall,
        "Adhoc(nDCG)": Adhoc(nDCG),
    }
    # Six documents for one intent, and one for another; no others are relevant.
    relevant, irrelevant = [f"r{i}" for i in range(6)], [f"n{i}" for i in range(20)]
    qrels = pd.DataFrame({"qid": "q", "docno": [*relevant, *irrelevant, "o"], "label": [2] * 6 + [0] * 20 + [2]})
    qrels["iteration"] = np.where(qrels["docno"] == "o", "other", "one")

    def added(places: list[tuple[int, int]]) -> dict[str, np.ndarray]:
        """Return what a document adds below so many of its intent, at a rank, for each of these places."""
        above = [[*relevant[:n_above], *irrelevant[: rank - 1 - n_above]] for n_above, rank in places]
        runs = {f"{i} with": {"q": [*names, relevant[-1]]} for i, names in enumerate(above)}
        runs |= {f"{i} without": {"q": [*names, irrelevant[-1]]} for i, names in enumerate(above)}
        values = evaluate_runs(qrels, runs, [measure @ 20 for measure in by_name.values()]).iloc[:, 1:].to_numpy()
        return dict(zip(by_name, (values[: len(places)] - values[len(places) :]).T, strict=True))

    _, axes = plt.subplots(1, 2, figsize=(9.4, 3.8), sharey=True, layout="constrained")
    n_above, ranks = np.arange(6), np.arange(1, 21)
    for ax, x, places in (
        (axes[0], n_above, [(n, 6) for n in n_above.tolist()]),
        (axes[1], ranks, [(0, rank) for rank in ranks.tolist()]),
    ):
        plot_lines(ax, {name: (x, y / y[0]) for name, y in added(places).items()})
        ax.set_ylim(0, 1.05)
    for ax in axes:
        ax.get_legend().remove()
    handles, names = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
    axes[0].set_xlabel("documents above that are relevant to its intent")
    axes[0].set_ylabel("what a document adds,\nrelative to the best")
    axes[1].set_xlabel("its rank, if none above is relevant")
    axes[1].set_xticks([1, 5, 10, 15, 20])


def in_a_paper() -> None:
    """Draw RBU by the effort of reading, for systems that return ten documents and one that returns three."""
    demo = pt.get_dataset("diversity:demo")
    systems = {name: demo.get_results(name) for name in ("bm25", "more-like-this", "xquad", "xquad-top-3")}
    plots.sweep(evaluate_runs(demo.get_qrels(), systems, grid(RBU @ 10, e=np.linspace(0, 0.1, 11))), "e")


def reproduction() -> None:
    """Draw how many rows of each paper that rest on real data have which verdict."""
    counted = Counter((row["paper"], row["verdict"]) for row in read() if row["evidence"] == "real")
    names = [f"{paper.topic}\n({paper.authors})" for paper in PAPERS.values()]
    figure, ax = plt.subplots(figsize=(6.8, 3.2), layout="constrained")
    left = np.zeros(len(PAPERS))
    colors = (COLOURS[0], "#9ecae1", COLOURS[1], "0.3", "0.85")
    for verdict, color in zip(VERDICTS, colors, strict=True):
        counts = [counted[paper, verdict] for paper in PAPERS]
        ax.barh(names, counts, left=left, color=color, label=verdict)
        for row, n_cells in enumerate(counts):
            if n_cells > 9:  # fewer have no room for a number
                color_of_text = "white" if color in (*COLOURS, "0.3") else "black"
                ax.text(
                    left[row] + n_cells / 2, row, str(n_cells), ha="center", va="center", color=color_of_text, size=8
                )
        left += counts
    ax.set_xlim(0, 1.04 * left.max())
    ax.invert_yaxis()
    ax.set_xlabel("rows that rest on real data")
    figure.legend(loc="outside lower center", ncols=len(VERDICTS), frameon=False)


def judges() -> None:
    """Draw the mean of a model, the corrected mean and that of people alone, as on the page judges."""
    rng = np.random.default_rng(1)
    people = rng.beta(2, 3, 300)
    model = np.clip(people + 0.1 + 0.1 * rng.standard_normal(300), 0, 1)
    rows = pd.DataFrame({"name": "dense", "measure": "M", "qid": list(map(str, range(300)))})
    by_model = rows.assign(value=model)
    told = meta.corrected_means(by_model, rows.head(50).assign(value=people[:50])).iloc[0]
    alone = meta.corrected_means(by_model, by_model).iloc[0]
    _, ax = plt.subplots(figsize=(5.6, 1.9), layout="constrained")
    ax.axvline(people.mean(), color="0.6", linewidth=0.8)
    for place, (row, names) in enumerate(
        [
            (told, ("judged_mean", "judged_low", "judged_high")),
            (told, ("mean", "ci_low", "ci_high")),
            (alone, ("judged_mean", "judged_low", "judged_high")),
        ]
    ):
        mean, low, high = row[list(names)]
        ax.errorbar(mean, place, xerr=[[mean - low], [high - mean]], color=COLOURS[0], marker="o", capsize=4)
    ax.set_yticks(range(3), ["50 questions by people", "corrected", "300 questions by the model"])
    ax.set_ylim(-0.6, 2.6)
    ax.set_xlabel("Coverage@50")


def gate() -> None:
    """Draw how many questions a gate needs, for Coverage@5 of two systems of the demo."""
    demo = pt.get_dataset("diversity:demo")
    words = [0, 1, 2, 2]  # support is one label
    qrels = demo.get_qrels().assign(label=lambda frame: frame["label"].map(dict(enumerate(words))), weight=1.0)
    runs = {name: demo.get_results(name) for name in ("bm25", "xquad")}
    values = evaluate_runs(qrels, runs, [Coverage @ 5], perquery=True)
    plots.topics_needed(meta.topics_needed(values, delta=[0.02, 0.05, 0.1, 0.2]))


def reading_a_report() -> None:
    """Draw the differences between two systems of the page, query by query."""
    demo = pt.get_dataset("diversity:demo")
    runs = {name: demo.get_results(name) for name in ("bm25", "xquad")}
    values = evaluate_runs(demo.get_qrels(), runs, [Coverage @ 5], perquery=True)
    plots.per_query_deltas(values, Coverage @ 5, "xquad", "bm25")


def tuning() -> None:
    """Draw the share of the intents of each query that is left after each step of a pipeline."""
    demo = pt.get_dataset("diversity:demo")
    scorer = BM25(demo.get_corpus_iter(verbose=False))
    xquad = XQuAD(OnSubtopics(scorer, demo.get_topics("subtopics"), rescore=True), lambda_=0.7)
    pipeline = pt.Transformer.from_df(demo.get_results("bm25")) >> pt.RankCutoff(10) >> xquad >> pt.RankCutoff(3)
    values = evaluate_runs(demo.get_qrels(), stages(pipeline)(demo.get_topics()), [StRecall], perquery=True)
    names = dict(zip(values["name"].unique(), ["BM25", "first 10", "xQuAD", "first 3"], strict=True))
    plots.stages(values, names=names)


# Those of one function of `plots` have its name.
OF_PAGES: dict[str, Callable[[], object]] = {
    "sweep": in_a_paper,
    "stages": tuning,
    "topics_needed": gate,
    **{
        draw.__name__: draw
        for draw in (
            dynamic_domain,
            judges,
            nuggets,
            other_tools,
            own_measure,
            reading_a_report,
            reproduction,
            sessions,
            which_measure,
        )
    },
}
