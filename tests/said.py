"""Calls that go wrong: what each says is quoted by the page on troubleshooting."""

from __future__ import annotations

import warnings

_NAMES = """
import ir_measures, numpy as np, pandas as pd, pyterrier as pt
from ir_measures import *
from pyterrier_diversity import *
from pyterrier_diversity import io, meta, transformers
from pyterrier_diversity.transformers import Ideal, XQuAD
from pathlib import Path
def qrels(*rows, columns="qid docno label iteration"):
    return pd.DataFrame(rows or [("q", "a", 1, "1"), ("q", "b", 1, "2")], columns=columns.split())
def run(*docs, columns="qid docno score"):
    return pd.DataFrame([("q", doc, 9.0 - i) for i, doc in enumerate(docs or "ab")], columns=columns.split())
def calc(measure, judged=None, retrieved=None):
    return measure.calc_aggregate(qrels() if judged is None else judged, run() if retrieved is None else retrieved)
demo = pt.get_dataset("diversity:demo")
passages = qrels(("q", "a", 1, "1", "p", "n"), columns="qid docno label iteration passage nugget")
values = [(name, qid, m, 0.5) for name in ("bm25", "xquad") for qid in "12" for m in ("RBU@10", "alpha_nDCG@10")]
perquery = pd.DataFrame(values, columns="name qid measure value".split())
Path("bm25.run").write_text("q Q0 d 1 nan x\\n")
Path("qrels.txt").write_text("q 0 d 1\\nq 0 e\\n")
"""

CALLS = """
parse("RBUU")
parse("nDGC")
parse("ndcg_cut_20")
parse("D#-nDCG@10")
parse("I-rec@10")
parse("nDCG-IA@10")
parse("RBP(0.8)")
parse("RBU@@20")
RBU(gain="log")
RBU(p=2)
RBU(alpha=0.5)
RBU @ 0
UserModel(1, "RBP", redundancy="RR")
UserModel(1, "ERR")
calc(nDCG @ 0)
evaluate_runs(qrels(), {"x": run()}, RBP(p=1))
evaluate_runs(qrels(("q", "a", 1, "1"), ("q", "a", 0, "2")), {"x": run()}, nDCG @ 20)
calc(P_Rareness @ 5)
calc(EU_DD @ 5)
calc(ERR @ 5, qrels(("q", "a", 5, "1")))
evaluate_runs(qrels(("q", "a", 0.5), ("p", "b", 1), columns="qid docno label"), {"x": run()}, infAP)
pt.Experiment([demo.get_results("bm25")], demo.get_topics(), demo.get_qrels(), [(ERR_IA @ 5, ERR_IA @ 10)])
calc(RBU, [("q", "a", 1)])
calc(RBU, qrels(("q", "a", "rel", "1")))
calc(RBU, qrels(("q", "a", np.nan, "1"), columns="qid docno relevance iteration"))
calc(RBU, qrels(("q", "a", 1, "1", 1), columns="qid docno relevance iteration relevance"))
calc(RBU, qrels(("q", "a", 1, "1"), ("q", "a", 0, "1"), ("q", "b", 1, "2"), ("q", "b", 0, "2")))
calc(RBU, qrels(("q", "a", 1, "1", "2"), ("q", "b", 1, "2", "1"), columns="qid docno label iteration subtopic_id"))
calc(RBU, qrels(("q", "a", 1, "1", 0.5), ("q", "b", 1, "1", 1.0), columns="qid docno label iteration weight"))
calc(RBU, qrels(("q", "a", 1, "1", -1.0), columns="qid docno label iteration weight"))
calc(P_Rareness, qrels(("q", "a", 1, "1", 2.0), ("q", "b", 1, "1", 2.0), columns="qid docno label iteration rarity"))
calc(RBU, qrels(("q", "a", 1, "1", "faceted"), columns="qid docno label iteration intent_type"))
calc(RBU, qrels((1.0, "a", 1, "1")))
calc(RBU, None, run().assign(score=[1.0, np.nan]))
calc(CT @ 5, None, run().assign(turn=[0, -1]))
calc(RBU, None, run().assign(qid="z"))
evaluate_runs(qrels(), {"x": pd.DataFrame({"qid": ["q"], "query": "x", "docno": "a"})}, RBU)
evaluate_runs(run(), {"x": qrels()}, RBU)
io.read_run(run().assign(rank=1), order="rank")
io.read_run(run("a", "b", "a").assign(tag=["bm25", "bm25", "xquad"], rank=[1, 2, 1]))
evaluate_runs(qrels(("q", "a", 1, "1"), ("q", "a", 0, "2")), {"x": run()}, nDCG @ 20)
evaluate_runs(qrels(*((q, "a", 1, intent) for q in ("q", "180") for intent in "12")), {"x": run()}, RBU)
calc(EU_DD, passages, io.add_lengths(run("d1"), {"clueweb-1": 5}))
io.read_run("bm25.run")
io.read_qrels("qrels.txt")
demo.get_topics("x")
demo.get_qrels("adhoc")
pt.get_dataset("diversity:clueweb")
meta.compare(pd.DataFrame({"name": ["bm25"], "RBU@10": 0.5}))
meta.compare(perquery, "anova")
meta.compare(perquery, measures=RBU @ 20)
meta.axioms.counterexample(RBU, "Prio")
Ideal(qrels(), RBU @ 10, ideal="exact")
XQuAD(demo.get_results("bm25"))(run())
transformers.OnSubtopics(XQuAD(demo.get_results("bm25").assign(iteration="1")), demo.get_topics())
XQuAD(qrels())(run("d3", "d3"))
transformers.Diversify("mmr")(run())
"""


def said() -> list[str]:
    """Return what the calls raise and what they warn of; they write to the current folder."""
    names: dict[str, object] = {}
    exec(_NAMES, names)
    messages = []
    for call in CALLS.strip().splitlines():
        with warnings.catch_warnings(record=True, action="always") as caught:
            try:
                exec(call, names)
            except Exception as error:
                messages.append(f"{type(error).__name__}: {error}")
        messages += [f"{type(warning.message).__name__}: {warning.message}" for warning in caught]
    return [message.replace("Run x: The run", "The run") for message in messages]  # in evaluate_runs
