import math

import numpy as np
import pandas as pd
import pytest

from by_hand import qrels, run
from pyterrier_diversity import add_rarity, add_weights

IR_MEASURES_NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}

# Of four systems, three retrieve a, two b, one c and none d.
JUDGED = qrels("q 0 a 1", "q 0 b 2", "q 0 c 0", "q 0 d 1")
RARITY = {"a": 1 / 4, "b": 1 / 2, "c": 3 / 4, "d": 3 / 4}


def system(**rankings: str) -> pd.DataFrame:
    """A run as a frame: system(q="d2 d1")."""
    rows = [(query, doc, score) for query, docs in run(**rankings).items() for doc, score in docs.items()]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


def rarity(judged: pd.DataFrame, runs: object, **options: object) -> dict[str, float]:
    result = add_rarity(judged, runs, **options)
    return dict(zip(result["docno"], result["rarity"], strict=True))


SYSTEMS = (system(q="a b u"), system(q="v a c"), system(q="b a"), system(q="w"))


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("linear", RARITY),
        ("bounded", {"a": 1 / 3, "b": 2 / 3, "c": 1, "d": 1}),
        ("log", {"a": 1 - math.log(3) / math.log(4), "b": 1 / 2, "c": 1, "d": 1}),
    ],
)
def test_rarity_is_the_share_of_systems_that_miss_a_document(form, expected):
    assert rarity(JUDGED, SYSTEMS, form=form) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("form", ["linear", "bounded", "log"])
def test_what_every_system_retrieves_has_a_rarity_of_0_and_so_has_all_with_one_system(form):
    assert rarity(JUDGED, [system(q="a b"), system(q="b a")], form=form)["a"] == 0
    assert set(rarity(JUDGED, [system(q="a b")], form=form).values()) == {0}


def test_rarity_is_that_of_a_document_for_its_query():
    judged = qrels("q 0 a 1", "r 0 a 1")

    result = add_rarity(judged, [system(q="a", r="b"), system(q="a", r="a"), system(q="a", r="b")])

    assert result["rarity"].tolist() == pytest.approx([0, 2 / 3], abs=1e-15)


def test_every_row_of_a_document_gets_its_rarity_whatever_the_label_and_the_intent():
    judged = qrels("q x a 1", "q y a 0", "q z a -2", "q x b 1")

    assert add_rarity(judged, SYSTEMS)["rarity"].tolist() == pytest.approx([1 / 4, 1 / 4, 1 / 4, 1 / 2], abs=1e-15)


def test_equal_runs_are_systems_of_their_own():
    assert rarity(JUDGED, [SYSTEMS[0], SYSTEMS[0], SYSTEMS[3]])["a"] == pytest.approx(1 / 3, abs=1e-15)


@pytest.mark.parametrize("lacking", [system(r="a b"), SYSTEMS[0].iloc[:0]], ids=["another query", "empty"])
def test_a_run_that_lacks_a_query_is_a_system_that_misses_its_documents(lacking):
    judged = pd.concat([JUDGED, qrels("r 0 z 1")])

    result = rarity(judged, [*SYSTEMS[:3], lacking])

    assert result == pytest.approx({**RARITY, "z": 3 / 4}, abs=1e-15)


@pytest.mark.parametrize("cutoff", [1, 2, 3, np.int64(3), 10])
def test_only_the_top_of_a_run_counts(cutoff):
    runs = [system(q="a b c"), system(q="b a c"), system(q="a b c"), system(q="u v w")]
    retrieved_by = {"a": {1: 2}.get(cutoff, 3), "b": {1: 1}.get(cutoff, 3), "c": 1 if cutoff < 3 else 3}

    result = rarity(JUDGED, runs, cutoff=cutoff)

    assert {doc: result[doc] for doc in "abc"} == pytest.approx({doc: 1 - n / 4 for doc, n in retrieved_by.items()})


def test_without_a_cutoff_given_it_is_the_top_100():
    ranking = [f"u{i:03d}" for i in range(99)]
    runs = [system(q=" ".join([*ranking, "a", "b"])), system(q=" ".join([*ranking, "a", "b"]))]

    assert rarity(JUDGED, runs) == {"a": 0, "b": 1 / 2, "c": 1 / 2, "d": 1 / 2}


@pytest.mark.filterwarnings("ignore:The run repeats documents")
def test_a_document_twice_in_a_run_is_retrieved_once():
    twice = pd.concat([SYSTEMS[0], SYSTEMS[0].assign(score=-9.0)])

    assert rarity(JUDGED, [twice, *SYSTEMS[1:]]) == rarity(JUDGED, SYSTEMS)


def weights(result: pd.DataFrame, column: str = "iteration") -> dict[str, float]:
    """Return the weight of each intent; its rows must agree."""
    by_intent = result.groupby(column)["weight"]
    assert by_intent.min().equals(by_intent.max())
    return by_intent.first().to_dict()


THREE = qrels("q x a 1", "q x b 0", "q y a 2", "q z c 1", "q z d 0")


@pytest.mark.parametrize(("scheme", "of_14"), [({}, [14 / 3] * 3), ({"scheme": "sakai"}, [8, 4, 2])])
def test_weights_are_equal_or_each_is_twice_the_next(scheme, of_14):
    expected = {intent: share / 14 for intent, share in zip("xyz", of_14, strict=True)}

    assert weights(add_weights(THREE, **scheme)) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    "in_order",
    [
        ("9", "10"),
        ("2", "09", "10", "100"),
        ("9.5", "10.25"),
        ("-9", "-1"),
        ("1", "10", "9a"),
        ("10", "9", "x"),
        ("B", "a"),
        ("", "0"),
    ],
)
def test_intents_are_in_numeric_order_if_they_are_numbers_and_otherwise_in_that_of_strings(in_order):
    rows = [("q", intent, "d", 1) for intent in reversed(in_order)]
    judged = pd.DataFrame(rows, columns=["qid", "iteration", "docno", "label"])

    result = weights(add_weights(judged, "sakai"))

    assert sorted(result, key=result.get, reverse=True) == list(in_order)


@pytest.mark.parametrize("dtype", ["int64", "Int64"])
def test_intents_in_a_column_of_numbers_are_in_numeric_order(dtype):
    judged = pd.DataFrame({"qid": ["q"] * 3, "iteration": [10, 9, 1], "docno": list("abc"), "label": 1})
    judged = judged.astype({"iteration": dtype})

    assert weights(add_weights(judged, "sakai")) == pytest.approx({1: 8 / 14, 9: 4 / 14, 10: 2 / 14}, abs=1e-15)


def test_queries_are_weighted_apart():
    judged = qrels("q x a 1", "q y a 1", "r y a 1", "s z a 1", "s y a 1", "s x a 1")

    result = add_weights(judged, "sakai")

    expected = [4 / 6, 2 / 6, 1, 2 / 14, 4 / 14, 8 / 14]
    assert result["weight"].tolist() == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("scheme", ["uniform", "sakai"])
def test_the_intent_may_be_a_subtopic_id(scheme):
    judged = THREE.rename(columns={**IR_MEASURES_NAMES, "iteration": "subtopic_id"})

    result = add_weights(judged, scheme)

    assert result.columns.tolist() == [*judged.columns, "weight"]
    assert weights(result, "subtopic_id") == weights(add_weights(THREE, scheme))


@pytest.mark.parametrize("scheme", ["uniform", "sakai"])
def test_without_a_column_that_names_the_intent_there_is_one(scheme):
    judged = JUDGED.drop(columns="iteration")

    result = add_weights(judged, scheme)

    assert result.columns.tolist() == [*judged.columns, "weight"]
    assert result["weight"].tolist() == [1] * 4


WRITERS = {"rarity": lambda frame: add_rarity(frame, SYSTEMS), "weight": lambda frame: add_weights(frame, "sakai")}


@pytest.mark.parametrize("names", [{}, IR_MEASURES_NAMES], ids=["PyTerrier", "ir_measures"])
@pytest.mark.parametrize("column", WRITERS)
def test_only_the_column_that_is_written_changes_even_if_it_was_there(column, names):
    judged = THREE.rename(columns=names).assign(note=["n", None, "m", "", "o"]).set_index(pd.Index([7, 7, "x", -1, 0]))
    given = judged.assign(**{column: 0.125})

    result = WRITERS[column](given)

    pd.testing.assert_frame_equal(given, judged.assign(**{column: 0.125}))
    pd.testing.assert_frame_equal(result, judged.assign(**{column: WRITERS[column](THREE)[column].to_numpy()}))


@pytest.mark.parametrize("column", WRITERS)
def test_qrels_without_rows_get_the_column(column):
    result = WRITERS[column](THREE.iloc[:0])

    assert result.columns.tolist() == [*THREE.columns, column]
    assert len(result) == 0


def many(n_intents: int) -> pd.DataFrame:
    frame = pd.DataFrame({"qid": "q", "docno": "d", "label": 1, "iteration": range(n_intents)})
    return pd.concat([frame, qrels("few x a 1")])


def test_1000_intents_of_a_query_have_weights_that_halve():
    assert (add_weights(many(1000), "sakai")["weight"] > 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: add_rarity(JUDGED, []), r"add_rarity: give at least one run\."),
        (lambda: add_rarity(JUDGED, SYSTEMS[0]), "add_rarity: runs is one run"),
        (lambda: add_rarity(JUDGED, SYSTEMS, 0), r"add_rarity: cutoff must be an integer in \[1, inf\), not 0\."),
        (lambda: add_rarity(JUDGED, SYSTEMS, form="cubic"), "add_rarity: form must be one of 'linear', 'bounded'"),
        (lambda: add_rarity(JUDGED.drop(columns="docno"), SYSTEMS), "qrels: missing column docno; found: .*iteration"),
        (lambda: add_weights(THREE.drop(columns="qid")), "qrels: missing column qid; found: .*iteration"),
        (lambda: add_weights(THREE, "zipf"), "add_weights: scheme must be one of 'uniform', 'sakai', not 'zipf'"),
        (lambda: add_weights(many(1001), "sakai"), r".*allows at most 1000 intents in a query, not 1001\."),
    ],
)
def test_what_cannot_be_written_is_refused(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()
