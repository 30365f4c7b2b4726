from __future__ import annotations

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import P

from by_hand import qrels, run, value
from pyterrier_diversity import IA, add_rarity, add_weights

IR_MEASURES_NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}

# Of four systems, three retrieve a, two b, one c and none d.
JUDGED = qrels("q 0 a 1", "q 0 b 2", "q 0 c 0", "q 0 d 1")
RARITY = {"a": 1 / 4, "b": 1 / 2, "c": 3 / 4, "d": 3 / 4}
BOUNDED = {"a": 1 / 3, "b": 2 / 3, "c": 1, "d": 1}


def system(**rankings: str) -> pd.DataFrame:
    """A run as a frame: system(q="d2 d1")."""
    rows = [(query, doc, score) for query, docs in run(**rankings).items() for doc, score in docs.items()]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


def rarity(judged: pd.DataFrame, runs: object, **options: object) -> dict[str, float]:
    result = add_rarity(judged, runs, **options)
    return dict(zip(result["docno"], result["rarity"], strict=True))


SYSTEMS = (system(q="a b u"), system(q="v a c"), system(q="b a"), system(q="w"))
NAMED = dict(zip("ABCD", SYSTEMS, strict=True))


def test_rarity_is_the_share_of_systems_that_miss_a_document():
    assert rarity(JUDGED, SYSTEMS) == pytest.approx(RARITY, abs=1e-15)


def test_bounded_rarity_goes_from_0_to_1():
    assert rarity(JUDGED, SYSTEMS, form="bounded") == pytest.approx(BOUNDED, abs=1e-15)


def test_logarithmic_rarity_falls_fastest_for_the_rarest_documents():
    # log(4/3)/log(4) is 0.2075; log(2)/log(4) is 1/2.
    assert rarity(JUDGED, SYSTEMS, form="log") == pytest.approx({"a": 0.20752, "b": 1 / 2, "c": 1, "d": 1}, abs=1e-5)


def test_a_document_that_every_system_retrieves_has_a_rarity_of_0():
    runs = [system(q="a b"), system(q="b a")]

    assert {rarity(JUDGED, runs, form=form)["a"] for form in ("linear", "bounded", "log")} == {0}


@pytest.mark.parametrize("form", ["linear", "bounded", "log"])
def test_with_one_system_nothing_is_rare(form):
    assert set(rarity(JUDGED, [system(q="a b")], form=form).values()) == {0}


def test_rarity_is_that_of_a_document_for_its_query():
    judged = qrels("q 0 a 1", "r 0 a 1")

    result = add_rarity(judged, [system(q="a", r="b"), system(q="a", r="a"), system(q="a", r="b")])

    assert result["rarity"].tolist() == pytest.approx([0, 2 / 3], abs=1e-15)


def test_every_row_of_a_document_gets_its_rarity_whatever_the_label_and_the_intent():
    judged = qrels("q x a 1", "q y a 0", "q z a -2", "q x b 1")

    assert add_rarity(judged, SYSTEMS)["rarity"].tolist() == pytest.approx([1 / 4, 1 / 4, 1 / 4, 1 / 2], abs=1e-15)


@pytest.mark.parametrize("form", [list, tuple, lambda runs: dict(zip("ABCD", runs, strict=True))])
def test_runs_may_be_a_list_a_tuple_or_a_dict_of_names(form):
    assert rarity(JUDGED, form(SYSTEMS)) == rarity(JUDGED, SYSTEMS)


def test_equal_runs_are_systems_of_their_own():
    assert rarity(JUDGED, [SYSTEMS[0], SYSTEMS[0], SYSTEMS[3]])["a"] == pytest.approx(1 / 3, abs=1e-15)


@pytest.mark.parametrize("lacking", [system(r="a b"), SYSTEMS[0].iloc[:0]], ids=["another query", "empty"])
def test_a_run_that_lacks_a_query_is_a_system_that_misses_its_documents(lacking):
    judged = pd.concat([JUDGED, qrels("r 0 z 1")])

    result = rarity(judged, [*SYSTEMS[:3], lacking])

    assert result == pytest.approx({**RARITY, "z": 3 / 4}, abs=1e-15)


def test_a_run_without_any_query_of_the_qrels_is_told():
    with pytest.warns(UserWarning, match=r"No query of the run \('r'.*in the qrels"):
        result = rarity(JUDGED, [*SYSTEMS[:3], system(r="a b")])

    assert result == pytest.approx(RARITY, abs=1e-15)


def test_documents_that_nobody_judged_change_nothing():
    runs = [pd.concat([frame, system(q="x y z", s="a b")]) for frame in SYSTEMS]

    assert rarity(JUDGED, runs) == rarity(JUDGED, SYSTEMS)


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


def test_ties_in_score_are_ordered_by_descending_document():
    tied = system(q="a b").assign(score=1.0)

    result = rarity(JUDGED, [tied, tied], cutoff=1)

    assert (result["a"], result["b"]) == (1 / 2, 0)


def test_the_order_of_the_rows_and_a_column_of_ranks_change_nothing():
    runs = [frame.assign(rank=range(len(frame))).iloc[::-1] for frame in SYSTEMS]

    assert rarity(JUDGED, runs, cutoff=1) == rarity(JUDGED, SYSTEMS, cutoff=1)
    assert rarity(JUDGED, runs, cutoff=1) != rarity(JUDGED, SYSTEMS)


@pytest.mark.filterwarnings("ignore:The run repeats documents")
def test_a_document_twice_in_a_run_is_retrieved_once():
    twice = pd.concat([SYSTEMS[0], SYSTEMS[0].assign(score=-9.0)])

    assert rarity(JUDGED, [twice, *SYSTEMS[1:]]) == rarity(JUDGED, SYSTEMS)


def test_a_document_twice_in_a_run_is_told_with_the_count():
    twice = pd.concat([SYSTEMS[0], SYSTEMS[0].assign(score=-9.0)])

    with pytest.warns(UserWarning, match=r"repeats documents.* rows: 3\)"):
        add_rarity(JUDGED, [twice, *SYSTEMS[1:]])


@pytest.mark.filterwarnings("ignore:The run repeats documents")
def test_the_better_ranked_row_of_a_document_that_is_there_twice_counts():
    repeating = pd.DataFrame({"qid": "q", "docno": ["b", "b", "a", "c", "a"], "score": [5.0, 4.0, 3.0, 2.0, 1.0]})

    result = rarity(JUDGED, [repeating, repeating], cutoff=2)

    assert result == {"a": 0, "b": 0, "c": 1 / 2, "d": 1 / 2}


def test_the_turns_of_a_session_follow_each_other():
    session = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "score": [2.0, 1.0], "turn": [1, 0]})

    result = rarity(JUDGED, [session, session], cutoff=1)

    assert (result["a"], result["b"]) == (1 / 2, 0)


@pytest.mark.parametrize("renamed", [{}, IR_MEASURES_NAMES])
@pytest.mark.parametrize("names_of_runs", [{}, IR_MEASURES_NAMES])
def test_the_columns_may_have_the_names_of_pyterrier_or_of_ir_measures(renamed, names_of_runs):
    judged = JUDGED.rename(columns=renamed)

    result = add_rarity(judged, [frame.rename(columns=names_of_runs) for frame in SYSTEMS])

    assert result.columns.tolist() == [*judged.columns, "rarity"]
    assert result["rarity"].tolist() == pytest.approx(list(RARITY.values()), abs=1e-15)


def test_ids_that_are_numbers_are_read_as_strings():
    judged = pd.DataFrame({"qid": [1, 1], "docno": [7, 8], "label": [1, 1]})
    runs = [
        pd.DataFrame({"qid": ["1"], "docno": ["7"], "score": [1.0]}),
        pd.DataFrame({"qid": [1], "docno": [7], "score": [1.0]}),
    ]

    assert rarity(judged, runs) == {7: 0, 8: 1 / 2}


def test_other_columns_rows_and_their_index_stay_as_they_are():
    judged = JUDGED.assign(weight=0.5, note=["n", None, "m", ""]).set_index(pd.Index([7, 7, "x", -1]))

    result = add_rarity(judged, SYSTEMS)

    pd.testing.assert_frame_equal(result.drop(columns="rarity"), judged)


def test_a_rarity_that_was_there_is_replaced():
    result = add_rarity(JUDGED.assign(rarity=0.125), SYSTEMS)

    pd.testing.assert_frame_equal(result, add_rarity(JUDGED, SYSTEMS), check_like=True)


def test_add_rarity_leaves_its_arguments_as_they_were():
    judged, runs = JUDGED.copy(), {name: frame.iloc[::-1].copy() for name, frame in NAMED.items()}

    add_rarity(judged, runs, cutoff=1, form="bounded")

    pd.testing.assert_frame_equal(judged, JUDGED)
    assert list(runs) == list(NAMED)
    for name, frame in runs.items():
        pd.testing.assert_frame_equal(frame, NAMED[name].iloc[::-1])


def test_qrels_without_rows_get_the_column():
    result = add_rarity(JUDGED.iloc[:0], SYSTEMS)

    assert result.columns.tolist() == [*JUDGED.columns, "rarity"]
    assert len(result) == 0


def test_results_of_transformers_are_runs():
    demo = pt.get_dataset("diversity:demo")
    results = [demo.get_results(name) for name in ("bm25", "xquad", "more-like-this")]
    transformed = [(pt.Transformer.from_df(frame) % 5)(demo.get_topics()) for frame in results]

    result = add_rarity(demo.get_qrels(), transformed, cutoff=5)

    assert {"query", "rank"} <= set(transformed[0].columns)
    pd.testing.assert_frame_equal(result, add_rarity(demo.get_qrels(), results, cutoff=5))
    assert result["rarity"].nunique() == 3


@pytest.mark.parametrize("runs", [[], (), {}])
def test_rarity_without_runs_is_refused(runs):
    with pytest.raises(ValueError, match=r"^add_rarity: give at least one run\.$"):
        add_rarity(JUDGED, runs)


@pytest.mark.parametrize("runs", [SYSTEMS[0], None, 7], ids=["frame", "None", "int"])
def test_rarity_needs_runs_with_names_or_in_a_list(runs):
    with pytest.raises((TypeError, ValueError), match=r"^add_rarity: runs (looks like a run|must be a mapping)"):
        add_rarity(JUDGED, runs)


@pytest.mark.parametrize("form", [list, lambda runs: dict(zip("ABCD", runs, strict=True))])
@pytest.mark.parametrize("missing", ["qid", "docno", "score"])
def test_a_run_without_a_needed_column_is_refused(missing, form):
    runs = form([*SYSTEMS[:3], SYSTEMS[3].assign(place=0).drop(columns=missing)])

    with pytest.raises(ValueError, match=rf"missing column .*{missing}.*found: .*place.*\.$"):
        add_rarity(JUDGED, runs)


@pytest.mark.parametrize("missing", ["qid", "docno"])
def test_qrels_without_a_needed_column_get_no_rarity(missing):
    with pytest.raises(ValueError, match=rf"qrels: missing column .*{missing}.*found: .*iteration.*\.$"):
        add_rarity(JUDGED.drop(columns=missing), SYSTEMS)


def test_a_run_file_that_there_is_not_is_named():
    with pytest.raises(ValueError, match=r"No run file found at .*bm25\.run"):
        add_rarity(JUDGED, [SYSTEMS[0], "bm25.run"])


@pytest.mark.parametrize("bad", [7, None])
def test_a_run_that_is_no_table_is_refused(bad):
    with pytest.raises(TypeError, match=r"^add_rarity: runs must be .* not a list of \w+\.$"):
        add_rarity(JUDGED, [SYSTEMS[0], bad])


@pytest.mark.parametrize("cutoff", [None, 0, -1, 2.5, float("nan"), float("inf"), "10", True, [5]], ids=repr)
def test_a_cutoff_that_is_no_rank_is_refused(cutoff):
    with pytest.raises((TypeError, ValueError), match=r"\bcutoff must be .*\.$"):
        add_rarity(JUDGED, SYSTEMS, cutoff=cutoff)


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_a_run_with_a_score_that_is_not_a_finite_number_is_refused(score):
    with pytest.raises(ValueError, match="score must be a finite number, but query 'q'"):
        add_rarity(JUDGED, [SYSTEMS[0], SYSTEMS[1].assign(score=score)])


def weights(result: pd.DataFrame, column: str = "iteration") -> dict[str, float]:
    """Return the weight of each intent; its rows must agree."""
    by_intent = result.groupby(column)["weight"]
    assert by_intent.min().equals(by_intent.max())
    return by_intent.first().to_dict()


THREE = qrels("q x a 1", "q x b 0", "q y a 2", "q z c 1", "q z d 0")


def test_uniform_weights_are_equal():
    assert weights(add_weights(THREE)) == pytest.approx({"x": 1 / 3, "y": 1 / 3, "z": 1 / 3}, abs=1e-15)


def test_uniform_is_the_default():
    pd.testing.assert_frame_equal(add_weights(THREE), add_weights(THREE, scheme="uniform"))


def test_each_of_sakais_weights_is_twice_the_next():
    result = weights(add_weights(THREE, "sakai"))

    assert result == pytest.approx({"x": 8 / 14, "y": 4 / 14, "z": 2 / 14}, abs=1e-15)


def test_sakais_weights_of_one_intent_are_1():
    assert weights(add_weights(qrels("q x a 1"), scheme="sakai")) == {"x": 1}


@pytest.mark.parametrize("scheme", ["uniform", "sakai"])
def test_weights_sum_to_1_in_each_query(scheme):
    rows = [f"q{n} {t} d 1" for n in range(1, 13) for t in range(n)]

    result = add_weights(qrels(*rows), scheme=scheme)

    assert result.groupby("qid")["weight"].sum().tolist() == pytest.approx([1] * 12, abs=1e-12)


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


@pytest.mark.parametrize("scheme", ["uniform", "sakai"])
def test_the_order_of_the_rows_changes_no_weight(scheme):
    assert weights(add_weights(THREE.iloc[::-1], scheme)) == weights(add_weights(THREE, scheme))


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


def test_subtopic_id_names_the_intent_where_iteration_is_constant():
    judged = THREE.assign(subtopic_id=THREE["iteration"], iteration="0")

    assert weights(add_weights(judged, "sakai"), "subtopic_id") == weights(add_weights(THREE, "sakai"))


@pytest.mark.parametrize("scheme", ["uniform", "sakai"])
def test_without_a_column_that_names_the_intent_there_is_one(scheme):
    judged = JUDGED.drop(columns="iteration")

    result = add_weights(judged, scheme)

    assert result.columns.tolist() == [*judged.columns, "weight"]
    assert result["weight"].tolist() == [1] * 4


def test_add_weights_leaves_other_columns_rows_and_their_index_as_they_are():
    judged = THREE.assign(note=list("abcde")).set_index(pd.Index([7, 7, "x", -1, 0]))

    result = add_weights(judged, "sakai")

    pd.testing.assert_frame_equal(result.drop(columns="weight"), judged)


def test_weights_that_were_there_are_replaced():
    result = add_weights(THREE.assign(weight=0.125), "sakai")

    pd.testing.assert_frame_equal(result, add_weights(THREE, "sakai"), check_like=True)


@pytest.mark.parametrize("scheme", ["uniform", "sakai"])
def test_add_weights_leaves_its_argument_as_it_was(scheme):
    judged = THREE.copy()

    add_weights(judged, scheme)

    pd.testing.assert_frame_equal(judged, THREE)


def test_qrels_of_another_form_are_read_before_a_column_is_written():
    judged = pd.DataFrame([("q", "a", 1)], columns=["qid", "docno", "label"])

    for form in ({"q": {"a": 1}}, list(judged.itertuples(index=False))):
        pd.testing.assert_frame_equal(
            add_rarity(form, SYSTEMS), add_rarity(judged, SYSTEMS), check_dtype=False, check_exact=True
        )
    with pytest.raises(TypeError, match="qrels must be a file, a frame, "):
        add_weights(None)


@pytest.mark.parametrize("scheme", ["zipf", "Sakai", "", None, 1])
def test_an_unknown_scheme_is_refused(scheme):
    with pytest.raises((TypeError, ValueError), match=rf"scheme must be .*'uniform'.*'sakai'.*{scheme!r}.*\.$"):
        add_weights(THREE, scheme)


@pytest.mark.parametrize("n_intents", [1000, 1001])
def test_more_than_1000_intents_of_a_query_have_no_weights_that_halve(n_intents):
    frame = pd.DataFrame({"qid": "q", "docno": "d", "label": 1, "iteration": range(n_intents)})
    frame = pd.concat([frame, qrels("few x a 1").rename(columns={"query_id": "qid", "doc_id": "docno"})])

    if n_intents <= 1000:
        assert (add_weights(frame, "sakai")["weight"] > 0).all()
    else:
        with pytest.raises(
            ValueError, match=r"^add_weights: scheme=.sakai. allows at most 1000 intents in a query, not 1001, as"
        ):
            add_weights(frame, "sakai")


def test_qrels_without_queries_get_no_weights():
    with pytest.raises(ValueError, match=r"qrels: missing column .*qid.*found: .*iteration.*\.$"):
        add_weights(THREE.drop(columns="qid"))


def test_qrels_without_rows_get_a_column_of_weights():
    result = add_weights(THREE.iloc[:0], "sakai")

    assert result.columns.tolist() == [*THREE.columns, "weight"]
    assert len(result) == 0


def test_a_measure_reads_the_weights():
    assert value(IA(P @ 1), add_weights(THREE, "sakai"), run(q="a")) == pytest.approx((8 + 4) / 14, abs=1e-12)
    assert value(IA(P @ 1), add_weights(THREE), run(q="a")) == pytest.approx(2 / 3, abs=1e-12)
