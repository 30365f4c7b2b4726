import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_diversity import missed_intents
from pyterrier_diversity.transformers import BM25, stages

RESULTS = pd.DataFrame({"qid": "q", "query": "cat", "docno": [*"abc"], "score": [3.0, 2, 1], "rank": [0, 1, 2]})
TOPICS = RESULTS[["qid", "query"]].head(1)
SOURCE = pt.Transformer.from_df(RESULTS)


def test_each_step_has_its_results_and_repeated_names_are_numbered():
    found = stages(SOURCE >> pt.RankCutoff(2) >> pt.apply.docno(lambda row: row.docno) >> pt.RankCutoff(2))(TOPICS)

    assert [len(frame) for frame in found.values()] == [3, 2, 2, 2]
    assert next(iter(found)) == "SourceTransformer"
    assert [*found][1::2] == ["RankCutoff(2)", "RankCutoff(2) (2)"]


class Named(pt.Transformer):
    """A step that prints itself as it is told, and changes the frame that it is given."""

    def __init__(self, name):
        self.name = name

    def transform(self, inp):
        inp["score"] = -inp["score"]
        return inp

    def __repr__(self):
        return self.name


def test_no_step_changes_what_another_one_returned_or_takes_its_name():
    found = stages(SOURCE >> Named("A") >> Named("A") >> Named("A (2)") >> Named("A (2)"))(TOPICS)

    assert [*found] == ["SourceTransformer", "A", "A (2)", "A (2) (2)", "A (2) (3)"]
    assert [frame["score"].iloc[0] for frame in found.values()] == [3, -3, 3, -3, 3]


def test_a_step_that_gives_no_documents_has_no_results():
    found = stages(pt.apply.query(lambda row: "cats") >> SOURCE)(TOPICS)

    assert [*found] == ["SourceTransformer"]
    with pytest.raises(ValueError, match=r"^stages: no step of .* gives documents with scores\.$"):
        stages(pt.apply.query(lambda row: "cats"))(TOPICS)
    with pytest.raises(TypeError, match=r"^stages: pipeline must be a transformer, not DataFrame\.$"):
        stages(RESULTS)


def test_steps_that_are_fused_are_run_as_the_fused_ones():
    scorer = BM25([{"docno": doc, "text": f"cat {doc}"} for doc in "abc"])

    found = stages(scorer >> pt.RankCutoff(2))(TOPICS)

    assert [*found] == ["BM25(3 documents)", "RankCutoff(2)"]
    assert [len(frame) for frame in found.values()] == [2, 2]


def test_the_results_show_which_step_loses_an_intent():
    qrels = pd.DataFrame([("q", "a", 1, "1"), ("q", "c", 1, "2")], columns=["qid", "docno", "label", "iteration"])

    missed = missed_intents(qrels, stages(SOURCE >> pt.RankCutoff(2))(TOPICS))

    assert missed[["name", "iteration"]].to_numpy().tolist() == [["RankCutoff(2)", "2"]]
    assert missed["covered_by"].tolist() == [["SourceTransformer"]]
