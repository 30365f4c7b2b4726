import re
import shutil

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, INSQ, RBP, RR, Bpref, Compat, IPrec, Judged, NumRel, P, R, SetF, Success, nDCG

from by_hand import evaluator
from pyterrier_diversity import AP_IA, CT, ERR, IA, P_IA, RBU, Adhoc, Sharp, StRecall, alpha_nDCG
from pyterrier_diversity.measures import parse
from pyterrier_diversity.measures.composite import last_rank
from pyterrier_diversity.warnings import LabelsWarning

# Reciprocal rank of the ranking a, b, n: 1 for x, 1/2 for y, 0 for z.
JUDGED = {"a": {"x": 1}, "b": {"x": 1, "y": 2}, "c": {"z": 1}, "n": {"x": 0, "y": 0, "z": -2}}


def hits(qrels, run):
    """Return the share of the run that the qrels call relevant."""
    return float(run["doc_id"].isin(qrels.loc[qrels["relevance"] > 0, "doc_id"]).mean())


HITS = ir_measures.define_byquery(hits, name="Hits")


class _Above(ir_measures.Measure):
    """A user's measure for which no range of a parameter is known."""

    NAME = __name__ = "Above"
    SUPPORTED_PARAMS = {"cutoff": ir_measures.ParamInfo(dtype=int), "p": ir_measures.ParamInfo(dtype=float)}


ABOVE = _Above()
# pytrec_eval ends the process, others divide by 0 or read the ranking from its end.
CUT_OFF = [(measure, k) for measure in (nDCG, P, AP, R, Success, Judged, HITS) for k in (0, -1)]


@pytest.fixture(scope="session")
def trec_2012(trec_qrels, trec_run):
    return trec_qrels(2012), trec_run("2012/rm.catb")


def both(first, second, by_query, data):
    return by_query(first, *data), by_query(second, *data)


@pytest.mark.parametrize(
    ("lifted", "same"),
    [
        (IA(AP), AP_IA),
        (IA(P @ 10), P_IA @ 10),
        (IA(StRecall @ 5), StRecall @ 5),
        (IA(RBU @ 20), RBU @ 20),
        (IA(IA(nDCG @ 20)), IA(nDCG @ 20)),
        (IA(Adhoc(nDCG @ 20)), IA(nDCG @ 20)),
        (IA(Adhoc(ERR @ 20)), IA(ERR @ 20)),
        (Adhoc(IA(nDCG @ 20)), Adhoc(nDCG @ 20)),
        (Sharp(nDCG @ 20), Sharp(Adhoc(nDCG @ 20))),
        (Sharp(StRecall @ 20), StRecall @ 20),
        (Sharp(alpha_nDCG, gamma=0) @ 20, alpha_nDCG @ 20),
        (Sharp(alpha_nDCG, gamma=1) @ 20, StRecall @ 20),
    ],
    ids=str,
)
def test_two_ways_to_say_the_same_agree_on_real_data(lifted, same, by_query, trec_2012):
    value, expected = both(lifted, same, by_query, trec_2012)

    assert value == pytest.approx(expected, abs=1e-12)
    assert len(set(expected.values())) > 5


def test_ia_weighs_the_intents(value_of):
    weights = {"x": 5, "y": 3, "z": 2}

    assert value_of(IA(RR), JUDGED, "abn", weights) == pytest.approx(0.5 * 1 + 0.3 * 1 / 2 + 0.2 * 0, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "x", "y"),
    [
        (RBP(p=0.8, rel=1), 0.2 + 0.16, 0.16),
        (ERR @ 3, 1 / 16 + 15 / 16 / 16 / 2, 3 / 16 / 2),
        (RBU(p=0.5, e=0) @ 2, 0.5 * 1 / 2 + 0.25 * 1 / 4, 0.25 * 3 / 4),
        (HITS, 2 / 3, 1 / 3),
        (HITS @ 1, 1, 0),
    ],
    ids=str,
)
def test_ia_takes_a_measure_of_any_provider(measure, x, y, value_of):
    weights = {"x": 5, "y": 3, "z": 2}  # nothing that is relevant to z was retrieved

    assert value_of(IA(measure), JUDGED, "abn", weights) == pytest.approx(0.5 * x + 0.3 * y, abs=1e-12)


def test_ia_takes_a_measure_that_has_no_name(topic):
    measure = IA(ir_measures.define(lambda qrels, run: [(query, 0.25) for query in run["query_id"].unique()]))

    assert ir_measures.calc_aggregate([measure], *topic(JUDGED, "abn"))[measure] == 0.25


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script")
@pytest.mark.parametrize("lift", [IA, Adhoc])
def test_a_wrapper_takes_a_measure_of_gdeval(lift, topic, by_query):
    qrels, run = topic({"a": {"1": 1}, "b": {"1": 1}}, "b", query_id="7")  # gdeval takes numbers only

    value = by_query(lift(nDCG(dcg="exp-log2") @ 20), qrels, run)["7"]

    assert value == pytest.approx(1 / (1 + 1 / np.log2(3)), abs=1e-5)  # gdeval prints five decimals


def test_a_document_without_a_row_for_an_intent_is_unjudged_for_it(value_of):
    judged = {"a": {"x": 1}, "b": {"y": 1}, "n": {"x": 0}}

    # For x, b goes and n stays; for y, only b is judged.
    assert value_of(IA(P(judged_only=True) @ 2), judged, "bna") == pytest.approx((1 / 2 + 1 / 2) / 2)
    assert value_of(IA(Judged @ 2), judged, "bna") == pytest.approx((1 / 2 + 1 / 2) / 2)


def test_judged_only_inside_sees_documents_below_the_cutoff(value_of):
    assert value_of(IA(P(judged_only=True) @ 1), {"a": {"x": 1}}, "uvwa") == 1
    assert value_of(Adhoc(P(judged_only=True) @ 1), {"a": {"x": 1}}, "uvwa") == 1


def test_judged_only_of_one_measure_leaves_the_others_as_they_are(topic):
    qrels, run = topic({"a": {"x": 1}}, "uvwa")
    measures = [IA(P(judged_only=True) @ 1), IA(P @ 1), IA(P @ 4), IA(P_IA(judged_only=True) @ 1), IA(P_IA @ 1)]

    values = ir_measures.calc_aggregate(measures, qrels, run)

    assert [values[measure] for measure in measures] == [1, 0, 1 / 4, 1, 0]


def test_adhoc_takes_the_labels_of_all_intents_where_a_bare_measure_takes_the_last_row(value_of):
    judged = {"a": {"x": 1, "y": 0}}

    assert value_of(Adhoc(P @ 1), judged, "a") == 1
    with pytest.warns(LabelsWarning, match="P@1 reads label 0 for document 'a' of query 'q', whose highest label is 1"):
        assert value_of(P @ 1, judged, "a") == 0


def test_sharp_of_a_measure_that_a_user_defined_is_ad_hoc(value_of):
    assert value_of(Sharp(HITS, gamma=0), JUDGED, "abn") == pytest.approx(2 / 3)


@pytest.mark.parametrize("measure", [IA(RBP(rel=1)), Adhoc(RBP(rel=1)), IA(RR @ 10), IA(RR), IA(HITS @ 1)], ids=str)
def test_a_provider_gets_ties_by_document_descending(measure, topic, by_query):
    qrels, run = topic({"b": {"x": 1}}, "cba")

    tied = by_query(measure, qrels, run.iloc[::-1].assign(score=1.0))

    assert tied == by_query(measure, qrels, run)


def test_a_provider_gets_the_order_of_a_session(topic, by_query):
    qrels, run = topic({"a": {"x": 1}}, "ba")

    assert by_query(IA(RR), qrels, run.assign(turn=[1, 0])) == {"q": 1.0}
    assert by_query(IA(RR), qrels, run.assign(turn=[0, 2])) == {"q": 1 / 3}


TRUNCATED = [
    IA(nDCG(judged_only=True) @ 5),
    Adhoc(AP(judged_only=True)),
    Sharp(Bpref),
    IA(R @ 5),
    Sharp(IA(P(judged_only=True) @ 3)),
]


@pytest.mark.parametrize("measure", TRUNCATED, ids=str)
def test_fractional_labels_are_refused_where_a_provider_truncates_them(measure, value_of):
    sentence = "is computed by pytrec_eval, which accepts only integer labels, but the qrels contain fractions"

    with pytest.raises(ValueError, match=sentence):
        value_of(measure, {"a": {"x": 0.5}, "b": {"x": 1}}, "ab")


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (IA(RBU(p=0.5, e=0, gain="linear")), 0.25 + 0.125),
        (Adhoc(RBU(p=0.5, e=0, gain="linear")), 0.25 + 0.125),
        (IA(RBP(p=0.8, rel=1)), 0.2 + 0.16),
        (IA(HITS), 1),
        (Sharp(alpha_nDCG @ 2), 1),
    ],
    ids=str,
)
def test_fractional_labels_are_fine_where_they_are_read_as_they_are(measure, value, value_of):
    assert value_of(measure, {"a": {"x": 0.5}, "b": {"x": 1}}, "ab") == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("lift", [IA, Adhoc, Sharp])
def test_a_lift_of_nothing_needs_a_measure_when_it_is_evaluated(lift, value_of):
    with pytest.raises(ValueError, match=rf"^{lift.NAME} needs a measure, as in {lift.NAME}\(nDCG@20\).$"):
        value_of(lift, JUDGED, "a")


@pytest.mark.parametrize("build", [lambda: IA @ 5, lambda: Adhoc(cutoff=5), lambda: Sharp(gamma=0.3)])
def test_parameters_of_nothing_need_a_measure_when_they_are_given(build):
    with pytest.raises(ValueError, match=r"needs a measure, as in (IA|Adhoc|Sharp)\(nDCG@20\)"):
        build()


@pytest.mark.parametrize("lift", [IA, Adhoc, Sharp])
@pytest.mark.parametrize("inner", [RBP(p=0.9), RBP(p=0.9, rel=1) @ 5], ids=repr)
def test_a_measure_that_nobody_computes_raises_the_message_of_ir_measures(lift, inner, value_of):
    measure = lift(inner)

    with pytest.raises(ValueError, match=rf"Unsupported.*{re.escape(repr(inner))}.*cwl_eval computes RBP\(rel=REQ"):
        value_of(measure, JUDGED, "a")


@pytest.mark.parametrize(
    ("inner", "reason"),
    [
        ("nDGC@5", r"Unknown measure 'nDGC'\. Did you mean nDCG@5\?"),
        ("nDCG@", r"Unknown measure 'nDCG@'\. A measure is written as RBU@20"),
        ("nDCG(foo=1)", "nDCG has no parameter 'foo'; its parameters: cutoff,"),
        ("nDCG@0", r"nDCG: cutoff must be an integer in \[1, inf\), not 0\."),
        ("IA(nDGC)", r"Unknown measure 'nDGC'\. Did you mean IA\(nDCG\)\?"),
        (AP_IA @ 5, "AP_IA has no parameter 'cutoff'"),
        (nDCG @ 2.5, r"nDCG: cutoff must be an integer, not 2\.5\."),
        *((M @ k, rf"{M.NAME}: cutoff must be an integer in \[1, inf\), not {k}\.$") for M, k in CUT_OFF),
        (ABOVE @ 0, r"Above: cutoff must be an integer in \[1, inf\), not 0\.$"),
        (AP(rel=0), r"AP: rel must be an integer in \[1, inf\), not 0\.$"),
        (Compat(p=1.5), r"Compat: p must be a number in \[0, 1\], not 1\.5\.$"),
        (IPrec @ -0.1, r"IPrec: recall must be a number in \[0, 1\], not -0\.1\.$"),
        (SetF(beta=-1.0), r"SetF: beta must be a number in \[0, inf\), not -1\.0\.$"),
        (INSQ(T=0.0, max_rel=2), r"INSQ: T must be a number in \(0, 1e100\], not 0\.0\.$"),
        (INSQ(max_rel=2, min_rel=-1), r"INSQ: min_rel must be an integer in \[0, inf\), not -1\.$"),
        (INSQ(max_rel=0), r"INSQ: max_rel must be an integer in \[1, inf\), not 0\.$"),
        (INSQ(max_rel=2, min_rel=2), r"INSQ\(max_rel=2,min_rel=2\): min_rel must be below max_rel\.$"),
        (nDCG(foo=1), "nDCG has no parameter 'foo'; its parameters: cutoff,"),
        (nDCG(gains={1: -2}), r"nDCG: each label and gain in gains must be an integer in \[0, 1048576\], not -2\.$"),
        (nDCG(gains={"1": 2}), r"nDCG: each label and gain in gains must be an integer in \[0, 1048576\], not '1'\.$"),
        (3, r"measure must be a measure such as nDCG @ 20, not 3\."),
    ],
)
@pytest.mark.parametrize("wrapper", [IA, Adhoc, Sharp])
def test_what_cannot_be_computed_is_refused_when_the_wrapper_is_built(wrapper, inner, reason):
    with pytest.raises(ValueError, match=f"^{wrapper.NAME}: {reason}"):
        wrapper(inner)


def test_a_share_outside_the_range_of_a_users_own_parameter_is_the_users_matter():
    assert IA(ABOVE(p=1.5)).measure == ABOVE(p=1.5)


@pytest.mark.parametrize("measure", [nDCG @ 0, AP(rel=0), nDCG(gains={1: 0.5}), nDCG(gains={1: 2**40})], ids=repr)
def test_a_parameter_that_its_provider_cannot_read_is_refused_outside_wrappers_too(measure, topic):
    with pytest.raises(ValueError, match=r"must be an integer in \[[\w, ]+[\])], not .*\.$"):
        evaluator(measure, of=topic(JUDGED, "a")[0])


def test_a_float_of_a_built_in_measure_inside_may_be_an_integer(value_of):
    assert value_of(IA("alpha_nDCG(alpha=1)@2"), JUDGED, "abn") == value_of(
        IA("alpha_nDCG(alpha=1.0)@2"), JUDGED, "abn"
    )


@pytest.mark.parametrize(
    ("measure", "shown", "parsed"),
    [
        (IA, "IA", "IA"),
        (IA(nDCG @ 20), "IA(nDCG@20)", "IA(measure='nDCG@20')"),
        (IA("nDCG@20"), "IA(nDCG@20)", "IA(measure='nDCG@20')"),
        (IA(nDCG) @ 20, "IA(nDCG@20)", "IA(measure='nDCG@20')"),
        (IA(nDCG @ 5) @ 20, "IA(nDCG@20)", "IA(measure='nDCG@20')"),
        (IA(nDCG, cutoff=20), "IA(nDCG@20)", "IA(measure='nDCG@20')"),
        (IA(AP)(nDCG @ 20), "IA(nDCG@20)", "IA(measure='nDCG@20')"),
        (IA(P(rel=2) @ 10), "IA(P(rel=2)@10)", "IA(measure='P(rel=2)@10')"),
        (IA(RBP(p=np.float64(0.9))), "IA(RBP(p=0.9))", "IA(measure='RBP(p=0.9)')"),
        (IA(IA(AP)), "IA(IA(AP))", "IA(measure=\"IA(measure='AP')\")"),
        (Adhoc(ERR @ 20), "Adhoc(ERR@20)", "Adhoc(measure='ERR@20')"),
        (Sharp(nDCG @ 20), "Sharp(nDCG@20)", "Sharp(measure='nDCG@20')"),
        (Sharp(nDCG, gamma=0.3) @ 20, "Sharp(nDCG@20,gamma=0.3)", "Sharp(measure='nDCG@20',gamma=0.3)"),
        (Sharp(nDCG)(gamma=0.3), "Sharp(nDCG,gamma=0.3)", "Sharp(measure='nDCG',gamma=0.3)"),
    ],
)
def test_str_is_what_tables_show_and_repr_what_parses(measure, shown, parsed):
    assert (str(measure), repr(measure)) == (shown, parsed)
    assert ir_measures.parse_measure(parsed) == measure
    assert parse(shown) == measure


@pytest.mark.parametrize("lift", [IA, Adhoc, Sharp])
def test_a_measure_that_needs_a_cutoff_is_refused_without_one_when_it_is_evaluated(lift, value_of):
    with pytest.raises(ValueError, match=r"^P: the parameter cutoff is missing.$"):
        value_of(lift(P), JUDGED, "a")


@pytest.mark.parametrize("lift", [IA, Adhoc, Sharp])
def test_a_lift_applies_a_cutoff_to_the_innermost_measure(lift):
    assert lift(IA(nDCG @ 5)) @ 7 == lift(IA(nDCG @ 7))


def test_a_lift_aggregates_queries_as_its_measure_does(topic):
    first, run = topic({"a": {"x": 1}, "b": {"x": 1}}, "a")
    second, other = topic({"a": {"x": 1}}, "a", query_id="r")
    data = pd.concat([first, second]), pd.concat([run, other])

    assert Adhoc(NumRel).calc_aggregate(*data) == 3  # a sum
    assert Adhoc(AP).calc_aggregate(*data) == (1 / 2 + 1) / 2  # a mean


def test_names_of_queries_and_intents_are_kept_apart(by_query):
    columns = ["query_id", "doc_id", "relevance", "iteration"]
    qrels = pd.DataFrame([("a", "d", 1, "b\x1fc"), ("a\x1fb", "e", 1, "c")], columns=columns)
    run = pd.DataFrame({"query_id": ["a", "a\x1fb"], "doc_id": ["d", "d"], "score": [1.0, 1.0]})

    assert by_query(IA(RR), qrels, run) == {"a": 1, "a\x1fb": 0}


@pytest.mark.parametrize("measure", [IA(nDCG(judged_only=True) @ 10), Adhoc(R @ 2)], ids=repr)
def test_labels_that_a_provider_would_cut_off_or_count_one_by_one_are_refused(measure, value_of):
    with pytest.raises(
        ValueError,
        match=r"is computed by pytrec_eval, which accepts labels up to 1048576, but the qrels contain larger",
    ):
        value_of(measure, {"a": {"x": 1}, "b": {"x": 2**32 + 1}}, "ba")


@pytest.mark.parametrize(
    ("measure", "rank"),
    [
        (P @ 7, 7),
        (AP, None),
        (RBU @ 3, 3),
        (IA(Sharp(nDCG @ 4)), 4),
        (CT @ 3, 15),
        (CT(batch=2) @ 3, 6),
        (Adhoc(CT @ 2), 10),
        (CT, None),
    ],
)
def test_the_last_rank_of_a_measure_counts_documents(measure, rank):
    assert last_rank(measure) == rank
