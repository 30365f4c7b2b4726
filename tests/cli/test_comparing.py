import json

import pandas as pd
import pytest

from pyterrier_diversity import RBU, evaluate_runs, meta
from pyterrier_diversity.datasets.demo import FOLDER
from pyterrier_diversity.io import read_qrels
from shell import run


def test_groups_of_queries_are_compared_one_by_one(tmp_path):
    groups = tmp_path / "by.csv"
    groups.write_text("qid,kind\n" + "".join(f"{i},k{i % 2}\n" for i in range(1, 15)))
    arguments = ["compare", "demo", "bm25", "xquad", "-m", "RBU@5", "--test", "t", "--by", str(groups)]

    text = run(*arguments)
    rows = json.loads(run(*arguments, "--format", "json"))

    assert text.startswith("k1:\n\nRBU@5\n")
    assert "\n\nk0:\n\nRBU@5\n" in text
    assert text.count("alpha = 0.05, queries: 7)") == 2
    assert [(row["kind"], row["queries"]) for row in rows] == [("k1", 7), ("k0", 7)]
    for heading, form in (("% k1", "latex"), ("### k1", "markdown"), ("<!-- k1 -->", "html")):
        assert run(*arguments, "--format", form).startswith(heading)


def test_groups_that_are_corrected_together_have_the_bounds_of_all(tmp_path):
    groups, labels = tmp_path / "by.csv", tmp_path / "labels.csv"
    groups.write_text("qid,kind\n" + "".join(f"{i},k{i % 2}\n" for i in range(1, 15)))
    labels.write_text("RBU@5,$RBU_5$\n")
    arguments = ["compare", "demo", "bm25", "xquad", "-m", "RBU@5", "--test", "bootstrap", "--by", str(groups)]

    text = run(
        *arguments, "--correction", "bonferroni", "--family", "all", "--n-trials", "100", "--labels", str(labels)
    )

    assert "< 0.02  *" in text
    assert text.count("over all measures and groups, alpha") == 2


@pytest.mark.filterwarnings("default:corrected_means. only 8 queries are judged")
def test_means_are_corrected_by_the_qrels_of_people(tmp_path):
    people = tmp_path / "people.txt"
    lines = (FOLDER / "qrels.txt").read_text().splitlines(keepends=True)
    people.write_text("".join(line for line in lines if int(line.split()[0]) <= 8))
    arguments = ["corrected", "demo", "bm25", "xquad", "-m", "RBU@5", "--people", str(people), "--format", "json"]

    rows = json.loads(run(*arguments))
    (difference,) = json.loads(run(*arguments, "--baseline", "bm25", "--no-tuning"))

    runs = {name: FOLDER / f"{name}.run" for name in ("bm25", "xquad")}
    values = [evaluate_runs(read_qrels(path), runs, RBU @ 5, perquery=True) for path in (FOLDER / "qrels.txt", people)]
    with pytest.warns(UserWarning, match="only 8 queries are judged"):
        expected = meta.corrected_means(*values)
    assert pd.DataFrame(rows).to_numpy().tolist() == expected.to_numpy().tolist()
    assert (difference["name"], difference["other"], difference["judged"]) == ("xquad", "bm25", 8)
