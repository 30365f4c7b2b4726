"""The real systems and official scores of the notebooks, and what stands in for them without TREC data."""

import gzip

import pandas as pd
import pytest

import systems


@pytest.fixture
def without_trec(monkeypatch):
    monkeypatch.setattr(systems, "DEMO", True)


@pytest.mark.usefixtures("without_trec")
def test_without_trec_data_the_systems_are_those_of_the_demo_collection():
    runs = systems.read_all_years()

    assert list(runs) == ["bm25", "xquad", "more-like-this", "xquad-top-3"]
    assert all({"qid", "docno", "score"} <= {*run.columns} for run in runs.values())


@pytest.mark.usefixtures("without_trec")
def test_adhoc_labels_of_the_demo_collection_are_the_highest_over_the_intents():
    of_intents, adhoc = systems.read_qrels("2012"), systems.read_qrels("2012", "adhoc")

    assert not adhoc.duplicated(["qid", "docno"]).any()
    assert adhoc["label"].tolist() == of_intents.groupby(["qid", "docno"])["label"].max().tolist()


def test_official_scores_have_a_row_for_each_run_topic_and_measure(monkeypatch, tmp_path):
    (tmp_path / "scores").mkdir()
    pd.DataFrame({"sys1": [0.1, 0.2], "sys2": [0.3, 0.4]}).to_csv(tmp_path / "scores" / "web2011_ap.csv", index=False)
    pd.DataFrame({"run1": [1, 0], "run2": [0, 1]}).to_csv(tmp_path / "scores" / "web2011_rr.csv", index=False)
    monkeypatch.setattr(systems, "DATA", tmp_path)

    scores = systems.official("web2011", "ap", "rr").set_index(["measure", "qid", "name"])["value"]

    assert len(scores) == 8
    assert scores.loc[("ap", 1, "run 001")] == 0.4
    assert scores.loc[("rr", 0, "run 000")] == 1


def test_the_rank_column_says_the_order_of_gdesa_and_the_score_that_of_the_others(monkeypatch, tmp_path):
    folder = tmp_path / "trec-web" / "runs" / "2009"
    folder.mkdir(parents=True)
    for name in ("gdesa", "desa"):
        lines = "1 Q0 first 1 0.2 tag\n1 Q0 second 2 0.9 tag\n"
        with gzip.open(folder / f"{name}.run.gz", "wt") as file:
            file.write(lines)
    monkeypatch.setattr(systems, "DATA", tmp_path)
    monkeypatch.setattr(systems, "DEMO", False)

    with pytest.warns(UserWarning, match="Scores and ranks contradict each other"):
        runs = systems.read_real("2009", ("gdesa", "desa"))
    first = {name: run.sort_values("score", ascending=False)["docno"].iloc[0] for name, run in runs.items()}

    assert first == {"gdesa": "first", "desa": "second"}
