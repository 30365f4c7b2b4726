import pandas as pd
import pytest

from by_hand import qrels
from pyterrier_diversity.simulate import degrade

QRELS = qrels("q x a 2", "q y b 1", "q x n 0", "r 0 c 1")


def test_every_relevant_document_has_a_probability_for_every_intent_of_its_query():
    drawn = degrade(QRELS, rng=1)

    assert drawn.columns.tolist() == ["qid", "iteration", "docno", "score"]
    assert set(drawn[["qid", "iteration", "docno"]].itertuples(index=False, name=None)) == {
        *(("q", intent, doc) for intent in "xy" for doc in "ab"),
        ("r", "0", "c"),
    }
    assert drawn["score"].between(0, 1).all()


def test_probabilities_have_the_means_of_their_distributions():
    rows = [f"q {t} d{i} 1" for i in range(2000) for t in "x" + "y" * (i % 2)]
    drawn = degrade(qrels(*rows), relevant=(3, 1), irrelevant=(1, 4), rng=1)

    number = drawn["docno"].str[1:].astype(int)
    relevant = (drawn["iteration"] == "x") | (number % 2 == 1)
    assert drawn[relevant]["score"].mean() == pytest.approx(3 / 4, abs=0.02)
    assert drawn[~relevant]["score"].mean() == pytest.approx(1 / 5, abs=0.02)


def test_a_query_is_drawn_alike_beside_others():
    alone = degrade(QRELS[QRELS["qid"] == "q"], rng=3)

    both = degrade(QRELS, rng=3)
    pd.testing.assert_frame_equal(both[both["qid"] == "q"], alone)


@pytest.mark.parametrize("shape", [(0, 1), (1, -1), (1, float("nan"))])
def test_invalid_distributions_are_refused(shape):
    with pytest.raises(ValueError, match=r"degrade: irrelevant must be a number in \(0, inf\), not"):
        degrade(QRELS, irrelevant=shape)


@pytest.mark.parametrize("shape", [None, 1, (1,), (1, 2, 3), {"alpha": 1}])
def test_anything_but_a_pair_is_refused(shape):
    with pytest.raises(ValueError, match=r"degrade: relevant must be a pair \(alpha, beta\) of a Beta distribution"):
        degrade(QRELS, relevant=shape)


def test_nothing_is_drawn_for_no_query():
    drawn = degrade(QRELS.head(0))

    assert drawn.columns.tolist() == ["qid", "iteration", "docno", "score"]
    assert drawn.empty
