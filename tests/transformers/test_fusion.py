import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity import RBU, StRecall
from pyterrier_diversity.transformers import BM25, FuseSubtopics

TOPICS = pd.DataFrame({"qid": ["q"], "query": ["jaguar"], "kept": ["yes"]})


class Retriever(pt.Transformer):
    """A retriever of these documents for each text: {"cat": "a b"}."""

    def __init__(self, rankings):
        self.rankings = rankings

    def transform(self, queries):
        rows = [
            (qid, query, doc, float(-rank))
            for qid, query in zip(queries["qid"], queries["query"], strict=True)
            for rank, doc in enumerate(self.rankings[query].split())
        ]
        return pd.DataFrame(rows, columns=["qid", "query", "docno", "score"])


def fused(rankings, weights=None, **options):
    """The fused documents and scores of the rankings of subtopics 1, 2, ... of query q."""
    names = [str(i + 1) for i in range(len(rankings))]
    subtopics = pd.DataFrame({"qid": "q", "iteration": names, "query": names})
    if weights is not None:
        subtopics["weight"] = weights
    return FuseSubtopics(Retriever(dict(zip(names, rankings, strict=True))), subtopics, **options)(TOPICS)


def test_reciprocal_ranks_are_added_up():
    result = fused(["a b", "b c"])

    assert result["docno"].tolist() == ["b", "a", "c"]
    assert result["score"].tolist() == pytest.approx([1 / 62 + 1 / 61, 1 / 61, 1 / 62])
    assert result["rank"].tolist() == [0, 1, 2]
    assert result[["qid", "query", "kept"]].to_numpy().tolist() == [["q", "jaguar", "yes"]] * 3


def test_k_says_how_much_the_first_ranks_stand_out():
    assert fused(["a b c", "d c"], k=0)["docno"].tolist()[:2] == ["d", "a"]
    assert fused(["a b c", "d c"], k=60)["docno"].tolist()[0] == "c"


def test_weights_multiply_the_reciprocal_ranks():
    result = fused(["a", "b"], weights=[1.0, 3.0])

    assert result["docno"].tolist() == ["b", "a"]
    assert result["score"].tolist() == pytest.approx([2 * 0.75 / 61, 2 * 0.25 / 61])


def test_a_subtopic_that_retrieves_nothing_leaves_the_others_as_they_are():
    assert fused(["a", ""])["score"].tolist() == pytest.approx([1 / 61])


def test_in_round_robin_each_subtopic_gives_its_best_document_left():
    result = fused(["a b c d", "b e", "a f"], method="round-robin")

    assert result["docno"].tolist() == ["a", "b", "f", "c", "e", "d"]
    assert result["score"].tolist() == [6, 5, 4, 3, 2, 1]


def test_in_round_robin_heavy_subtopics_come_first():
    assert fused(["a", "b", "c"], weights=[1, 1, 2], method="round-robin")["docno"].tolist() == ["c", "a", "b"]


def test_no_more_documents_are_retrieved_than_asked_for():
    assert fused(["a b", "b c"], num_results=2)["docno"].tolist() == ["b", "a"]


rankings = st.lists(st.lists(st.sampled_from("abcdefg"), unique=True, max_size=6), min_size=1, max_size=4)


@pytest.mark.parametrize("method", ["reciprocal-rank", "round-robin"])
@settings(max_examples=5, deadline=None)
@given(of_queries=st.lists(rankings, min_size=10, max_size=10))
def test_every_document_occurs_once_and_a_single_subtopic_keeps_its_order(method, of_queries):
    found = {f"{q} {i}": " ".join(docs) for q, lists in enumerate(of_queries) for i, docs in enumerate(lists)}
    subtopics = pd.DataFrame(
        {"qid": [name.split()[0] for name in found], "iteration": list(found), "query": list(found)}
    )
    topics = pd.DataFrame({"qid": [f"{q}" for q in range(len(of_queries))], "query": "jaguar"})

    result = FuseSubtopics(Retriever(found), subtopics, method=method)(topics)

    for q, lists in enumerate(of_queries):
        docs = result["docno"][result["qid"] == f"{q}"].tolist()
        assert sorted(docs) == sorted({doc for ranking in lists for doc in ranking})
        if len(lists) == 1:
            assert docs == lists[0]


# PyTerrier's own, which pytest.warns brings back.
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_queries_without_subtopics_retrieve_nothing_and_are_counted():
    topics = pd.DataFrame({"qid": ["z", "q"], "query": ["other", "jaguar"]})
    step = FuseSubtopics(Retriever({"cat": "a"}), pd.DataFrame({"qid": ["q"], "iteration": ["1"], "query": ["cat"]}))

    with pytest.warns(UserWarning, match="1 of 2 queries have no subtopics and retrieve nothing"):
        result = step(topics)

    assert result[["qid", "docno"]].to_numpy().tolist() == [["q", "a"]]


def demo_step(method="reciprocal-rank"):
    demo = pt.get_dataset("diversity:demo")
    return FuseSubtopics(BM25(demo.get_corpus_iter(verbose=False)), demo.get_topics("subtopics"), method=method)


def test_fusion_covers_more_intents_than_the_query_alone():
    demo = pt.get_dataset("diversity:demo")
    systems = {"bm25": BM25(demo.get_corpus_iter(verbose=False)), "fused": demo_step("round-robin")}

    table = pt.Experiment(systems, demo.get_topics(), demo.get_qrels(), [StRecall @ 5, RBU @ 10]).set_index("name")

    assert (table.loc["fused"] > table.loc["bm25"]).all()


@pytest.mark.parametrize("method", ["reciprocal-rank", "round-robin"])
def test_a_cutoff_that_follows_is_how_many_documents_are_retrieved(method):
    topics, step = pt.get_dataset("diversity:demo").get_topics(), demo_step(method)

    fused = step.fuse_rank_cutoff(4)

    assert isinstance(step, pt.transformer.SupportsFuseRankCutoff)
    assert (fused.num_results, step.num_results, fused.fuse_rank_cutoff(4)) == (4, 1000, None)
    assert repr((step % 4).compile()) == repr(fused)
    pd.testing.assert_frame_equal(fused(topics), (step % 4)(topics).reset_index(drop=True)[fused(topics).columns])


def test_a_schematic_shows_the_pipeline_of_the_subtopics():
    schematic = pt.schematic.transformer_schematic(demo_step())

    assert schematic["label"] == "FuseSubtopics"
    assert [inner["label"] for inner in schematic["inner_pipelines"]] == ["BM25"]
    assert schematic["settings"]["subtopics"] == "66 rows"
    assert schematic["help_url"] == "https://doi.org/10.1145/1571941.1572114"


def test_pyterrier_knows_what_goes_in_and_comes_out():
    assert pt.inspect.transformer_inputs(demo_step()) == [["qid"]]
    assert pt.inspect.transformer_outputs(demo_step(), ["qid", "query"]) == ["qid", "query", "docno", "score", "rank"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "sum"}, "method must be one of 'reciprocal-rank', 'round-robin', not 'sum'"),
        ({"k": -1}, r"k must be a number in \[0, 1e100\], not -1"),
        ({"num_results": 0}, r"num_results must be an integer in \[1, inf\), not 0"),
    ],
)
def test_parameters_out_of_range_are_refused(options, message):
    with pytest.raises(ValueError, match=f"FuseSubtopics: {message}"):
        fused(["a"], **options)


def test_a_frame_that_has_no_subtopics_is_refused():
    with pytest.raises(ValueError, match="missing column iteration"):
        FuseSubtopics(Retriever({}), pd.DataFrame({"qid": ["q"], "query": ["cat"]}))
    with pytest.raises(ValueError, match="has document 'a' twice"):
        fused(["a a"])


class TestFuseSubtopicsAsATransformer(pt.testing.TransformerTestCase):
    @staticmethod
    def get_transformer():
        return demo_step()
