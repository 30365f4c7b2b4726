import sys

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity.transformers import Diversify

STRATEGIES = ("mmr", "msd", "dpp", "cover", "ssd")
EACH = pytest.mark.parametrize("strategy", STRATEGIES)

# b is like a, c is another thing, d lies between.
VECTORS = {"a": [1.0, 0.0], "b": [1.0, 0.0], "c": [0.0, 1.0], "d": [0.6, 0.8]}


def results(scores: dict[str, float], vectors: dict[str, list[float]] = VECTORS, qid: str = "q") -> pd.DataFrame:
    """Results of a score for each document, with vectors."""
    frame = pd.DataFrame({"qid": qid, "docno": list(scores), "score": list(scores.values())})
    return frame.assign(doc_vec=[vectors[doc] for doc in scores])


def ranking(diversify: Diversify, frame: pd.DataFrame) -> str:
    return "".join(diversify(frame)["docno"])


SCORES = {"a": 4.0, "b": 3.0, "d": 2.0, "c": 0.0}


def test_mmr_worked_by_hand():
    # Scores become 1, .75, .5, 0. After a: b .375 - .5, d .25 - .3, c 0 - 0; after c: b -.125, d .25 - .4.
    frame = results(SCORES)

    assert ranking(Diversify("mmr", diversity=0.5), frame) == "acbd"
    # .25 of the likeness: b .5625 - .25, d .375 - .15, c 0; after b: d .225, c 0.
    assert ranking(Diversify("mmr", diversity=0.25), frame) == "abdc"


@st.composite
def scored_vectors(draw):
    n_docs = draw(st.integers(1, 6))
    docs = draw(st.permutations("abcdefghij"))[:n_docs]
    coordinates = st.lists(st.integers(-3, 3).map(float), min_size=2, max_size=2)
    scores = {doc: draw(st.integers(0, 8)) / 2 for doc in docs}
    vectors = {doc: draw(coordinates) for doc in docs}
    return scores, vectors


@EACH
@settings(max_examples=8, deadline=None)
@given(drawn=scored_vectors())
def test_without_diversity_the_order_is_that_of_the_results(strategy, drawn):
    scores, vectors = drawn

    order = ranking(Diversify(strategy, diversity=0), results(scores, vectors))

    assert list(order) == sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)


@EACH
def test_without_diversity_many_ties_keep_the_order_of_the_results(strategy):
    docs = [f"d{i}" for i in range(10, 60)]
    frame = results({doc: float(doc > "d40") for doc in docs}, dict.fromkeys(docs, VECTORS["a"]))

    assert Diversify(strategy, diversity=0)(frame)["docno"].tolist() == docs[::-1]


@EACH
def test_full_diversity_uses_scores_only_for_the_first_document(strategy):
    other = {"a": 4.0, "b": 0.5, "d": 0.2, "c": 3.0}
    # The order of the results breaks ties, so that it must not change: b and a are alike.
    orders = {ranking(Diversify(strategy, diversity=1), results(scores)) for scores in (SCORES, other)}

    assert len(orders) == 1
    if strategy != "cover":  # which searches for documents with the same labels
        (order,) = orders
        assert order.index("c") < order.index("b")


@EACH
def test_the_k_best_are_chosen_and_the_others_follow_in_their_order(strategy):
    everything = ranking(Diversify(strategy, diversity=0.9), results(SCORES))

    for k in (1, 2, 3, 4, 9):
        chosen = everything[:k]
        others = "".join(doc for doc in "abdc" if doc not in chosen)
        assert ranking(Diversify(strategy, diversity=0.9, k=k), results(SCORES)) == chosen + others


@EACH
@pytest.mark.parametrize("vector", [[1.0, 2.0], [0.0, 0.0], [5.0]])
def test_equal_vectors_and_zero_vectors_keep_the_order_of_the_results(strategy, vector):
    order = ranking(Diversify(strategy, diversity=0.7), results(SCORES, dict.fromkeys("abcd", vector)))

    if strategy == "dpp" and any(vector):  # after the first document, rounding decides
        assert order[0] == "a"
        assert sorted(order) == list("abcd")
    else:
        assert order == "abdc"


@EACH
@pytest.mark.parametrize("factor", [1e-300, 1e-25, 1e25, 1e200])
def test_the_length_of_vectors_does_not_matter_however_large_or_small(strategy, factor):
    scaled = {doc: [value * factor for value in vector] for doc, vector in VECTORS.items()}
    diversify = Diversify(strategy, diversity=0.7)
    one_scaled = {**VECTORS, "b": scaled["b"]}

    assert ranking(diversify, results(SCORES, scaled)) == ranking(diversify, results(SCORES))
    assert ranking(diversify, results(SCORES, one_scaled)) == ranking(diversify, results(SCORES))


def test_vectors_may_be_arrays_in_a_column_of_another_name_which_stays():
    frame = results(SCORES)
    arrays = frame.rename(columns={"doc_vec": "vec"})
    arrays["vec"] = [np.array(vector, dtype=np.float16) for vector in arrays["vec"]]

    diversified = Diversify("mmr", column="vec")(arrays)

    assert "".join(diversified["docno"]) == "acbd"
    assert [vector.tolist() for vector in diversified["vec"]][:2] == [[1, 0], [0, 1]]
    with pytest.raises(pt.validate.InputValidationError, match="doc_vec"):
        Diversify("mmr")(arrays)


@pytest.mark.parametrize(
    "vectors",
    [
        [[1.0, 2.0], None],
        [None, None],
        [[1.0, 2.0], [1.0]],
        [[1.0, np.nan], [1.0, 2.0]],
        [[1.0, np.inf], [1.0, 2.0]],
        [[], []],
        [1.0, 2.0],
        [[[1.0]], [[2.0]]],
        ["ab", "cd"],
    ],
)
def test_vectors_that_cannot_be_compared_are_refused(vectors):
    frame = results({"a": 2.0, "b": 1.0}, {"a": vectors[0], "b": vectors[1]})
    message = "^Diversify: the column doc_vec must have vectors of one length, of finite numbers, in query 'q'"
    for diversity in (0, 0.5):
        with pytest.raises(ValueError, match=message):
            Diversify(diversity=diversity)(frame)


def test_the_error_without_pyversity_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyversity", None)

    with pytest.raises(ImportError, match=r"^Diversify needs pyversity: pip install pyversity$"):
        Diversify()
