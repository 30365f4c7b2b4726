"""What captions and sentences of the pages say in numbers that no block beside them prints."""

from importlib.resources import files

import ir_measures
import numpy as np
import pyterrier as pt
import pytest

from pyterrier_diversity import RBU, Coverage, StRecall, alpha_nDCG, evaluate_runs, meta, missed_intents
from pyterrier_diversity.transformers import BM25, PM2, IASelect, OnSubtopics, XQuAD

PAGES = files("pyterrier_diversity").joinpath("pt_docs")


def says(page: str, sentence: str) -> bool:
    return sentence in " ".join(PAGES.joinpath(f"{page}.rst").read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def demo():
    return pt.get_dataset("diversity:demo")


@pytest.fixture(scope="module")
def systems(demo):
    return {name: demo.get_results(name) for name in ("bm25", "more-like-this", "xquad", "xquad-top-3")}


def test_the_shares_of_covered_intents_are_those_of_the_caption(demo):
    bm25 = BM25(demo.get_corpus_iter(verbose=False), num_results=30)
    intents = OnSubtopics(bm25, demo.get_topics("subtopics"), rescore=True)
    steps = [IASelect(intents, normalise="max"), XQuAD(intents, lambda_=0.7), PM2(intents, lambda_=0.5)]
    cutoffs = [StRecall @ k for k in range(1, 21)]
    runs = {str(i): pipeline(demo.get_topics()) for i, pipeline in enumerate([bm25 >> step for step in steps] + [bm25])}
    means = evaluate_runs(demo.get_qrels(), runs, cutoffs)[list(map(str, cutoffs))].to_numpy()

    assert says("diversify", "IA-Select covers 90 % of the intents with three documents, and xQuAD and PM-2 with four.")
    assert says("diversify", "BM25 needs eleven.")
    assert (np.argmax(means >= 0.9, axis=1) + 1).tolist() == [3, 4, 4, 11]


def test_the_crane_is_covered_as_the_caption_says(demo, systems):
    qrels = demo.get_qrels().query("qid == '3'")
    missed = {k: missed_intents(qrels, systems, k)["name"].value_counts() for k in (4, 7, 10)}

    assert says("index", "finds nothing new below rank 7. xQuAD covers all five intents by rank 4.")
    assert missed[7]["bm25"] == missed[10]["bm25"] > 0
    assert "xquad" not in missed[4]


def test_most_values_differ_from_those_of_pyndeval_if_scores_tie(demo, systems):
    qrels = demo.get_qrels().rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    differ = {True: [], False: []}
    for run in (systems[name] for name in ("bm25", "more-like-this", "xquad")):
        # As an engine does that writes few digits.
        coarse = run.assign(score=run.groupby("qid")["score"].transform(lambda s: (8 * s / s.max()).round()))
        for tied, scored in ((False, run), (True, coarse)):
            theirs = scored.rename(columns={"qid": "query_id", "docno": "doc_id"}).astype({"score": float})
            theirs = theirs.sort_values(["query_id", "score"], ascending=[True, False])
            peer = {v.query_id: v.value for v in ir_measures.pyndeval.iter_calc([alpha_nDCG @ 5], qrels, theirs)}
            ours = (alpha_nDCG @ 5).iter_calc(qrels, theirs)
            differ[tied] += [abs(peer[v.query_id] - v.value) > 1e-9 for v in ours]

    assert says("other_tools", "For 42 rankings of the demo collection without tied scores")
    assert says("other_tools", "39 of the 42 values differ")
    assert (len(differ[True]), sum(differ[True]), sum(differ[False])) == (42, 39, 0)


def test_the_effort_changes_the_place_of_the_short_system_as_the_caption_says(demo, systems):
    measures = [RBU(e=0.0) @ 10, RBU(e=0.08) @ 10]
    first, last = evaluate_runs(demo.get_qrels(), systems, measures).set_index("name").rank().loc["xquad-top-3"]

    assert says("in_a_paper", "it is last with ``e=0`` and first with ``e=0.08``")
    assert (first, last) == (1, 4)


def test_the_report_compares_as_the_caption_says(demo, systems):
    values = evaluate_runs(demo.get_qrels(), systems, [Coverage @ 5], perquery=True)
    by_query = values.pivot(index="qid", columns="name", values="value")
    difference = by_query["xquad"] - by_query["bm25"]

    assert says("reading_a_report", "Ten queries get better, four stay the same, and none gets worse.")
    assert [int((sign * difference > 0).sum()) for sign in (1, -1)] == [10, 0]


def test_the_loss_that_the_queries_of_the_demo_find_is_that_of_the_caption(demo, systems):
    runs = {name: systems[name] for name in ("bm25", "xquad")}
    values = evaluate_runs(demo.get_qrels().drop(columns="weight"), runs, [Coverage @ 5], perquery=True)

    assert says("gate", "With the 14 questions of the demo, it finds a loss of 0.12.")
    assert round(meta.topics_needed(values, n=14)["delta"].item(), 2) == 0.12


def test_the_plain_question_retrieves_as_many_passages_as_the_caption_says(demo):
    found = BM25(demo.get_corpus_iter(verbose=False), num_results=50)(demo.get_topics())

    assert says("nuggets", "The plain question retrieves only about 18 passages")
    assert found.groupby("qid").size().mean() == pytest.approx(18, abs=0.5)


def test_the_means_of_the_two_judges_are_those_of_the_sentence():
    rng = np.random.default_rng(1)
    people = rng.beta(2, 3, 300)
    model = np.clip(people + 0.1 + 0.1 * rng.standard_normal(300), 0, 1)

    assert says("judges", f"Its mean over 300 questions is {model.mean():.3f}.")
    assert says("judges", f"their mean would be {people.mean():.3f}.")
