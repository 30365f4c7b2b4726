"""What users write, checked by mypy: never run."""

from __future__ import annotations

from typing import assert_type

import ir_measures
import pandas as pd

import pyterrier_diversity
from pyterrier_diversity import IA, NDEVAL, RBU, Adhoc, Sharp, alpha_nDCG, grid, meta, plots, signature, simulate
from pyterrier_diversity.ideal import min_rank
from pyterrier_diversity.io import read_qrels, read_run
from pyterrier_diversity.measures import parse
from pyterrier_diversity.transformers import Evaluate, Explain, Ideal, OnSubtopics, XQuAD, oracle_intent_scores


def measures() -> list[ir_measures.Measure]:
    assert_type(RBU @ 20, ir_measures.Measure)
    assert_type(RBU(p=0.9, e=0.05) @ 20, ir_measures.Measure)
    assert_type((RBU @ 20).calc_aggregate(pd.DataFrame(), pd.DataFrame()), float | int)
    assert_type(grid(RBU @ 10, p=[0.8, 0.9]), tuple[ir_measures.Measure, ...])
    assert_type(signature(RBU @ 20), str)
    return [RBU @ 20, IA(ir_measures.nDCG @ 20), Adhoc(ir_measures.AP), Sharp(alpha_nDCG @ 20), parse("RBU@5"), *NDEVAL]


def frames(path: str) -> pd.DataFrame:
    qrels = read_qrels(path)
    assert_type(qrels, pd.DataFrame)
    assert_type(min_rank(qrels), pd.DataFrame)
    assert_type(pyterrier_diversity.add_rarity(qrels, {"bm25": read_run(path)}, cutoff=10), pd.DataFrame)
    return pyterrier_diversity.evaluate_runs(qrels, {"bm25": path}, measures())


def judged(perquery: pd.DataFrame) -> str:
    assert_type(meta.unanimity(perquery), pd.DataFrame)
    assert_type(meta.axiom_table(measures()), pd.DataFrame)
    compared = meta.compare(perquery, "tukey-randomised", baseline="bm25", rng=1)
    plots.means(compared).set_title("means")
    simulate.random_grades(perquery, rng=1)
    return meta.significance_table(compared).to_latex()


def gates(perquery: pd.DataFrame) -> list[str]:
    assert_type(pyterrier_diversity.meta.below_minimum(perquery, {RBU @ 20: 0.5, "Coverage@50": 0.7}), pd.DataFrame)
    assert_type(pyterrier_diversity.check_files(perquery, ["bm25.run"]), pd.DataFrame)
    return list(meta.worse_than(perquery, "bm25", [RBU @ 20], tolerance=0.02)["message"])


def steps(qrels: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    subtopics = OnSubtopics(Ideal(qrels, RBU @ 10, ideal="greedy"), topics)
    pipeline = XQuAD(subtopics, lambda_=0.7) >> XQuAD(oracle_intent_scores(qrels)) >> Explain(qrels, "RBU@10")
    evaluated = pipeline >> Evaluate(qrels, [RBU @ 20, "alpha_nDCG@20"])
    table: pd.DataFrame = evaluated(topics)
    return table
