import pytest

from by_hand import qrels
from pyterrier_diversity.simulate import greedy_study, swap_topics
from small_topics import CARTERETTE

QRELS = qrels(
    *(f"missed {t} {doc} 1" for doc, intents in CARTERETTE.items() for t in intents),
    "one-intent x a 1",
    "one-intent x b 1",
    "one-document x a 1",
    "one-document y a 1",
    "one-document y b 1",
    "quasi x a 1",
    "quasi y b 1",
    "quasi y c 1",
    "quasi z c 1",
    "quasi z b 1",
    "nothing x a 0",
)


@pytest.fixture(scope="module")
def study():
    return greedy_study(QRELS)


def test_topics_are_told_apart(study):
    assert study.set_index("qid")["kind"].to_dict() == {
        "missed": "other",
        "one-intent": "trivial",
        "one-document": "trivial",
        "quasi": "quasi-trivial",
    }


def test_the_example_of_the_paper_is_missed_by_one_document_in_two(study):
    row = study.set_index("qid").loc["missed"]

    assert (row["min_rank"], row["greedy_min_rank"], row["rank_ratio"]) == (2, 3, 1.5)
    # D3 and D2 cover 12 of 14.
    assert row["recall_ratio"] == pytest.approx(14 / 12)


def test_topics_that_are_drawn_may_be_studied():
    study = greedy_study(swap_topics(QRELS[QRELS["qid"] == "missed"], n=20, rng=1))

    assert len(study) == 20
    assert (study["rank_ratio"] >= 1).all()


def test_greedy_misses_two_topics_of_the_web_track_of_2009(trec_qrels):
    study = greedy_study(trec_qrels(2009))

    assert study[study["rank_ratio"] > 1]["qid"].tolist() == ["24", "37"]
    assert (study["kind"] == "trivial").sum() == 5


@pytest.mark.parametrize("time_limit", [0, -1.0, "long"])
def test_a_time_limit_out_of_range_is_refused(time_limit):
    with pytest.raises(ValueError, match=r"^greedy_study: time_limit must be a number in \(0, inf\), not "):
        greedy_study(QRELS, time_limit)
