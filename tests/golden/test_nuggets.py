"""Nugget scores of answers against the published ones."""

import gzip
import json

import pandas as pd
import pytest

from pyterrier_diversity import NUGGETS, NuggetScore, grid
from pyterrier_diversity.evaluate import DiversityEvaluator

SYSTEMS = ["command-r-plus", "gpt-4o", "llama-3.1-70b"]
NAMES = [
    "strict_vital_score",
    "vital_score",
    "strict_weighted_score",
    "weighted_score",
    "strict_all_score",
    "all_score",
]
LABELS = {"support": 2, "partial_support": 1}


@pytest.fixture(scope="session")
def lines(shared):
    """Return the objects of a file of nuggets: ``lines("metrics/gpt-4o")``."""

    def read(name):
        with gzip.open(shared / "nuggets" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as stream:
            return [json.loads(line) for line in stream]

    return read


def test_the_group_of_nuggets_has_the_scores_in_the_order_of_their_names():
    assert grid(NuggetScore, importance=["vital", "weighted", "all"], partial=[0, 0.5]) == NUGGETS


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_six_scores_of_an_answer_are_equal_to_the_last_digit(system, lines):
    topics = lines(f"assignments/{system}")
    rows = [
        (topic["qid"], system, LABELS.get(nugget["assignment"], 0), str(place), nugget["importance"])
        for topic in topics
        for place, nugget in enumerate(topic["nuggets"])
    ]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration", "importance"])
    expected = {topic["qid"]: [topic[name] for name in NAMES] for topic in lines(f"metrics/{system}")}

    evaluator = DiversityEvaluator(NUGGETS, qrels)
    values = evaluator.values({topic["qid"]: {system: 1.0} for topic in topics})

    by_query = zip(*values.tolist(), strict=True)
    assert {query: list(scores) for query, scores in zip(evaluator.qrel_qids, by_query, strict=True)} == expected
    assert len(expected) == 30
