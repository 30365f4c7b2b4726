import re
from collections import Counter

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_diversity.datasets.demo import FOLDER, RUNS
from write_demo import write


@pytest.fixture(scope="module")
def demo():
    return pt.get_dataset("diversity:demo")


@pytest.fixture(scope="module")
def corpus(demo):
    return pd.DataFrame(demo.get_corpus_iter(verbose=False))


def test_the_documents_are_many_and_different(corpus):
    assert len(corpus) >= 200
    assert corpus["docno"].is_unique
    assert corpus["text"].is_unique


def test_no_two_documents_have_a_sentence_in_common(corpus):
    sentences = Counter(s.strip().lower() for text in corpus["text"] for s in re.split(r"(?<=[.!?])\s+", text))

    assert [sentence for sentence, count in sentences.items() if count > 1] == []


def test_topics_have_three_to_six_intents_of_both_types(demo):
    subtopics = demo.get_topics("subtopics")
    n_intents = subtopics.groupby("qid").size()

    assert len(demo.get_topics()) >= 12
    assert set(n_intents.index) == set(demo.get_topics()["qid"])
    assert n_intents.between(3, 6).all()
    assert set(subtopics["intent_type"]) == {"inf", "nav"}


def test_some_topics_have_uneven_weights_that_sum_to_one(demo):
    weights = demo.get_qrels().groupby(["qid", "iteration"])["weight"].first()

    assert weights.groupby("qid").sum().tolist() == pytest.approx([1] * 14, abs=1e-5)
    assert (weights.groupby("qid").std() > 0).sum() >= 4


def test_every_intent_has_a_relevant_document_of_the_corpus(demo, corpus):
    qrels = demo.get_qrels()

    assert qrels["docno"].isin(corpus["docno"]).all()
    assert set(qrels["label"]) == {0, 1, 2, 3}
    assert (qrels.groupby(["qid", "iteration"])["label"].max() > 0).all()
    assert not qrels.duplicated(["qid", "iteration", "docno"]).any()


def test_the_last_row_of_a_document_has_its_highest_label(demo):
    labels = demo.get_qrels().groupby(["qid", "docno"])["label"]

    assert labels.last().equals(labels.max())


def test_results_are_what_the_build_script_computes(tmp_path):
    write(tmp_path)

    for name in RUNS:
        assert (tmp_path / f"{name}.run").read_text() == (FOLDER / f"{name}.run").read_text()


def test_results_have_the_columns_of_a_result_frame(demo):
    for name in (None, *RUNS):
        results = demo.get_results(name)
        assert results.columns.tolist() == ["qid", "query", "docno", "score", "rank"]
        assert results["qid"].nunique() == 14


def test_unknown_variants_say_what_there_is(demo):
    with pytest.raises(ValueError, match=r"variant must be None or 'bm25' or 'xquad' or .*, not 'dph'"):
        demo.get_results("dph")
    with pytest.raises(ValueError, match="variant must be None or 'subtopics', not 'intents'"):
        demo.get_topics("intents")
    with pytest.raises(ValueError, match="variant must be None, not 'adhoc'"):
        demo.get_qrels("adhoc")


def test_the_dataset_describes_itself(demo):
    assert repr(demo) == "DemoDataset('diversity:demo')"
    assert demo.get_corpus_lang() == demo.get_topics_lang() == "en"
    assert demo._describe_component("results") == list(RUNS)
    assert len(list(demo.get_corpus_iter())) == 224


def test_pyterrier_finds_the_datasets_whose_topics_and_documents_are_english(monkeypatch):
    provider = pt.datasets._core._load_provider("diversity")
    names = [f"diversity:{name}" for name in provider.list_dataset_names()]
    monkeypatch.setattr(pt.datasets._core, "datasets", lambda: names)  # without all of ir_datasets

    found = pt.datasets.find_datasets("diversity:")

    assert found["dataset"].tolist() == names
    assert {*found["topics_lang"]} == {"en"}
    assert found["info_url"].str.startswith("https://").sum() == len(names) - 1  # the demo is here
