import functools
import itertools
import re

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import (
    AP,
    ERR,
    ERR_IA,
    NRBP,
    RBP,
    RR,
    Bpref,
    IPrec,
    P,
    R,
    Rprec,
    Success,
    alpha_DCG,
    nDCG,
    nERR_IA,
    nNRBP,
)

from pyterrier_diversity import (
    CT,
    D_Q,
    EU,
    IA,
    RBU,
    SRR,
    Adhoc,
    Coverage,
    D_nDCG,
    MRecall,
    Pplus,
    PplusQ,
    Q,
    Sharp,
    StRecall,
    StRecallMinRank,
    alpha_nDCG,
    alpha_nDCG_exact,
    nEU,
    nP_IA,
)
from pyterrier_diversity.ideal import NotProvenError
from pyterrier_diversity.measures.composite import innermost
from pyterrier_diversity.transformers import Evaluate, Explain, Ideal
from pyterrier_diversity.transformers.ideal import BY_LABEL, provable
from rerankings import best_by_trying, greedy_by_trying, values_of

QRELS = pd.DataFrame(
    [
        ("q", "a", 1, "x"),
        ("q", "a", 1, "y"),
        ("q", "b", 2, "y"),
        ("q", "c", 1, "z"),
        ("q", "d", 1, "z"),
        ("q", "e", 0, "z"),
        ("p", "a", 1, "x"),
        ("n", "a", 0, "x"),
    ],
    columns=["qid", "docno", "label", "iteration"],
)
TOPICS = pd.DataFrame({"qid": ["q", "p"], "query": ["jaguar", "puma"]})

# Every measure that has a proof, with parameters that matter to it.
PROVEN = [
    alpha_nDCG @ 3,
    alpha_nDCG(alpha=0.9),
    alpha_nDCG(rel=2) @ 2,
    alpha_nDCG_exact @ 3,
    alpha_DCG(alpha=1.0) @ 2,
    alpha_DCG(alpha=0.0) @ 3,
    ERR_IA @ 3,
    nERR_IA,
    nERR_IA @ 2,
    NRBP,
    NRBP(alpha=0.8, beta=0.9),
    nNRBP(beta=0.99),
    StRecall @ 1,
    StRecall @ 2,
    StRecall(rel=2) @ 2,
    MRecall,
    MRecall @ 2,
    Coverage @ 2,
    SRR,
    SRR(recall=0.6) @ 3,
    SRR @ 2,
    StRecallMinRank,
    StRecallMinRank(ideal="greedy"),
    nP_IA @ 2,
    nP_IA,
    D_nDCG @ 3,
    D_nDCG(gain="linear"),
    D_Q @ 3,
    D_Q(beta=3.0, rel=2),
    Q @ 2,
    Q(gain="binary"),
    Pplus @ 2,
    Pplus,
    Adhoc(ERR @ 3),
    Adhoc(ERR),
    Adhoc(nDCG @ 3),
    Adhoc(nDCG(dcg="exp-log2") @ 3),
    Adhoc(AP),
    Adhoc(AP(rel=2) @ 3),
    Adhoc(P @ 2),
    Adhoc(P(rel=2) @ 3),
    Adhoc(R @ 2),
    Adhoc(RR),
    Adhoc(RBP(rel=1, p=0.5)),
    Adhoc(Rprec),
    Adhoc(Success(rel=2) @ 1),
    Adhoc(Bpref),
    Adhoc(IPrec @ 0.5),
    Adhoc(Q @ 3),
    Adhoc(alpha_nDCG @ 2),
    Adhoc(Adhoc(StRecall @ 1)),
]
ANY = [
    RBU @ 4,
    RBU(p=0.9, e=0.3),
    IA(nDCG @ 3),
    IA(AP),
    Sharp(nDCG @ 3, gamma=0.2),
    EU @ 4,
    nEU,
    PplusQ @ 3,
    CT(batch=1) @ 3,
    CT(batch=2) @ 2,
    D_nDCG @ 3,
    SRR @ 3,
    alpha_nDCG @ 3,
    nNRBP(beta=0.5),
    Adhoc(RBP(rel=1)),
    StRecall @ 2,
]

# Each drawn example is of as many queries, which are ranked and evaluated together.
QUERIES = ["q1", "q2", "q3", "q4"]

# PyTerrier's add_ranks, whose warnings pytest.warns hands on as those of pandas.
INPLACE = pytest.mark.filterwarnings("ignore:The inplace keyword")


@st.composite
def judged(draw: st.DrawFn, *, n_docs: int, weights: bool = False) -> pd.DataFrame:
    """Draw the judgements of four queries: some documents, some intents, labels with many ties."""
    rows = []
    labels = st.sampled_from([0, 0, -2, 1, 1, 2, 3])
    for qid in QUERIES:
        shares = {t: draw(st.sampled_from([0.5, 1.0, 3.0])) for t in "xyz"[: draw(st.integers(1, 3))]}
        docs = "abcdef"[: draw(st.integers(1, n_docs))]
        rows += [(qid, doc, draw(labels), t, share) for doc in docs for t, share in shares.items()]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration", "weight"])
    return qrels if weights else qrels.drop(columns="weight")


def ranked(ideal: Ideal, qid: str = "q") -> list[str]:
    return rankings_of(ideal, [qid])[qid]


def rankings_of(ideal: Ideal, qids: list[str] = QUERIES) -> dict[str, list[str]]:
    """Return the ranking of each query."""
    results = ideal(pd.DataFrame({"qid": qids}))
    return {qid: results["docno"][results["qid"] == qid].tolist() for qid in qids}


def value(measure: ir_measures.Measure, qrels: pd.DataFrame, ranking: list[str]) -> float:
    (tried,) = values_of([measure], qrels, {"q": [ranking]})
    return tried["q", tuple(ranking)]


def values_of_own(
    measures: list[ir_measures.Measure], qrels: pd.DataFrame, rankings: list[dict[str, list[str]]]
) -> list[dict[str, float]]:
    """Return the value of each measure for the rankings that were made for it, all in one evaluation."""
    distinct = {qid: {tuple(of_measure[qid]) for of_measure in rankings} for qid in QUERIES}
    tried = values_of(measures, qrels, distinct)
    return [
        {qid: of_measure[qid, tuple(ranking)] for qid, ranking in own.items()}
        for of_measure, own in zip(tried, rankings, strict=True)
    ]


def exact(measures: list[ir_measures.Measure], qrels: pd.DataFrame) -> list[dict[str, list[str]]]:
    """Return the exact rankings of each measure."""
    return [rankings_of(Ideal(qrels, measure, ideal="exact")) for measure in measures]


def assert_as_high(
    measures: list[ir_measures.Measure], found: list[dict[str, float]], highest: list[dict[str, float]]
) -> None:
    """Compare the values of each measure with the highest ones."""
    lower = {
        str(measure): (values, best)
        for measure, values, best in zip(measures, found, highest, strict=True)
        if values != pytest.approx(best, abs=1e-12)
    }
    assert lower == {}


def by_query(measure: ir_measures.Measure, qrels: pd.DataFrame, run: pd.DataFrame) -> dict[str, float]:
    frames = pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(run)
    return {m.query_id: m.value for m in ir_measures.iter_calc([measure], *frames)}


def test_every_measure_that_has_a_proof_is_tested():
    assert set(provable()) <= {str(innermost(measure).NAME) for measure in PROVEN}


@settings(max_examples=2, deadline=None)
@given(qrels=judged(n_docs=4))
def test_no_ranking_at_all_is_better_than_the_exact_one(qrels):
    found = values_of_own(PROVEN, qrels, exact(PROVEN, qrels))

    assert_as_high(PROVEN, found, best_by_trying(PROVEN, qrels))


@settings(max_examples=3, deadline=None)
@given(labels=st.tuples(*[st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, max_size=5)] * len(QUERIES)))
def test_measures_of_ir_measures_have_a_proof_too(labels):
    rows = [(qid, "abcde"[i], label) for qid, of in zip(QUERIES, labels, strict=True) for i, label in enumerate(of)]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label"])
    bare = [AP, P @ 2, nDCG @ 3, RBP(rel=1), RR, Bpref, Success @ 1, R @ 2, Rprec, IPrec @ 0.5, P(rel=2) @ 2]
    assert {measure.NAME for measure in bare} == set(BY_LABEL)
    measures = list(map(Adhoc, bare))

    found = values_of_own(measures, qrels, exact(measures, qrels))

    assert_as_high(measures, found, best_by_trying(measures, qrels))


@settings(max_examples=6, deadline=None)
@given(qrels=judged(n_docs=5, weights=True), data=st.data())
def test_the_greedy_ranking_is_found_by_trying_all_documents_at_each_rank(qrels, data):
    for measure in data.draw(st.lists(st.sampled_from(ANY), min_size=3, max_size=3, unique=True)):
        depth = innermost(measure).params.get("cutoff", 6) * measure.params.get("batch", 1)

        assert rankings_of(Ideal(qrels, measure)) == greedy_by_trying(measure, qrels, depth)


def test_both_rankings_worked_by_hand():
    # Carterette (2011), Sec. 2.3, with names: greedy takes the eight intents of C, then A or E; D and E cover all.
    of = {
        "A": [1, 2],
        "B": [3, 4, 5, 6],
        "C": range(7, 15),
        "D": [1, 3, 4, 7, 8, 9, 10],
        "E": [2, 5, 6, 11, 12, 13, 14],
    }
    rows = [("q", doc, 1, str(intent)) for doc, intents in of.items() for intent in intents]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])

    # After C, D and E each have three new intents: the highest name; then A, B and D each have one or two.
    assert ranked(Ideal(qrels, StRecall @ 3)) == ["C", "B", "A"]
    assert sorted(ranked(Ideal(qrels, StRecall @ 3, ideal="exact"))) == ["D", "E"]
    assert sorted(ranked(Ideal(qrels, SRR, ideal="exact"))) == ["D", "E"]
    assert ranked(Ideal(qrels, StRecall @ 1, ideal="exact")) == ["C"]
    # By alpha-nDCG, E gains 3 + 4/2 there, as D does.
    assert ranked(Ideal(qrels, alpha_nDCG @ 2)) == ["C", "E"]


def test_ties_go_to_the_highest_name_even_if_rounding_tells_them_apart():
    # 0.1 + 0.2 is more than 0.3 in floating point: a would come before b.
    rows = [("q", "a", 1, "x", 0.1), ("q", "a", 1, "y", 0.2), ("q", "b", 1, "z", 0.3)]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration", "weight"])
    assert value(Coverage @ 1, qrels, ["a"]) != value(Coverage @ 1, qrels, ["b"])

    for measure in (Coverage @ 4, RBU(e=0.0, p=1.0, gain="binary") @ 4, D_nDCG @ 4):
        assert ranked(Ideal(qrels, measure)) == ["b", "a"]
    for measure in (alpha_nDCG @ 4, StRecall @ 4, Adhoc(RR)):
        alike = qrels.drop(columns="weight").drop_duplicates("docno")
        for ideal in ("greedy", "exact"):
            assert ranked(Ideal(alike, measure, ideal=ideal)) == ["b", "a"]


def test_the_greedy_ranking_ends_where_every_document_left_would_lower_the_value():
    # First a is worth (1/2 + 1/4)/3 and b (3/4)/3: a tie. After b, a is worth (1/2 + 1/16)/3 = .1875, d (1/2)/3 = .167.
    assert ranked(Ideal(QRELS, RBU(p=1.0, e=0.26))) == []
    assert ranked(Ideal(QRELS, RBU(p=1.0, e=0.2))) == ["b"]
    assert ranked(Ideal(QRELS, RBU(p=1.0, e=0.18))) == ["b", "a"]
    assert ranked(Ideal(QRELS, RBU(p=1.0, e=0.16))) == ["b", "a", "d"]
    assert ranked(Ideal(QRELS, RBU(p=1.0, e=0.0))) == ["b", "a", "d", "c"]
    # What does no harm is taken.
    assert ranked(Ideal(QRELS, StRecall @ 10)) == ["a", "d", "c", "b"]


@pytest.mark.parametrize("ideal", ["greedy", "exact"])
def test_only_relevant_documents_are_ranked_down_to_the_cutoff_or_less(ideal):
    assert sorted(ranked(Ideal(QRELS, alpha_nDCG @ 20, ideal=ideal))) == ["a", "b", "c", "d"]
    assert len(ranked(Ideal(QRELS, alpha_nDCG @ 3, ideal=ideal))) == 3
    assert len(ranked(Ideal(QRELS, Adhoc(AP), ideal=ideal) % 1)) == 1
    assert ranked(Ideal(QRELS, alpha_nDCG @ 3, ideal=ideal), "n") == []
    assert ranked(Ideal(QRELS, alpha_nDCG @ 3, ideal=ideal), "not judged") == []


@pytest.mark.parametrize("ideal", ["greedy", "exact"])
@pytest.mark.parametrize("measure", [alpha_nDCG(rel=2) @ 5, StRecall(rel=2) @ 5, Adhoc(P(rel=2) @ 5)])
def test_labels_below_the_rel_of_the_measure_are_not_relevant(measure, ideal):
    assert ranked(Ideal(QRELS, measure, ideal=ideal)) == ["b"]
    assert ranked(Ideal(QRELS, measure, ideal=ideal), "p") == []


def test_a_bare_measure_reads_the_last_row_of_each_document_which_must_have_its_highest_label():
    rows = [("q", "a", 3, "x"), ("q", "a", 0, "y"), ("q", "b", 1, "x"), ("q", "c", 0, "x"), ("q", "c", 2, "y")]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])
    message = (
        r"would use only the last label of each document \(0 for document 'a' of query 'q', whose highest label is 3\)."
    )

    with pytest.raises(ValueError, match=rf"^nDCG@2 {message} Use Adhoc\(nDCG@2\)\.$"):
        ranked(Ideal(qrels, nDCG @ 2))
    assert ranked(Ideal(qrels, Adhoc(nDCG @ 3), ideal="exact")) == ["a", "c", "b"]


@pytest.mark.parametrize("ideal", ["greedy", "exact"])
def test_topics_keep_their_columns_and_of_results_only_the_queries_count(ideal):
    results = pd.DataFrame({"qid": ["q", "q"], "query": "jaguar", "docno": ["z", "y"], "score": [2.0, 1.0], "rank": 0})

    of_topics = Ideal(QRELS, alpha_nDCG @ 2, ideal=ideal)(TOPICS.assign(narrative="..."))
    of_results = Ideal(QRELS, alpha_nDCG @ 2, ideal=ideal)(results)

    assert of_topics.columns.tolist() == ["qid", "query", "narrative", "docno", "score", "rank"]
    assert of_topics["qid"].tolist() == ["q", "q", "p"]
    assert of_topics["score"].tolist() == [2, 1, 1]
    assert of_topics["rank"].tolist() == [0, 1, 0]
    assert of_results.columns.tolist() == ["qid", "query", "docno", "score", "rank"]
    assert of_results["docno"].tolist() == of_topics["docno"].tolist()[:2]


@pytest.mark.parametrize(("name", "values"), [(0, [7.0, 8.0]), ("vec", [[1.0], [2.0]])])
def test_columns_that_nothing_reads_may_have_any_name_and_content(name, values):
    qrels = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "label": [1, 2], name: values})

    for measure in (RBU @ 2, SRR @ 2):
        assert Ideal(qrels, measure)(pd.DataFrame({"qid": ["q"]}))["docno"].tolist() == ["b", "a"]


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        (
            {"measure": RBU @ 5, "ideal": "exact"},
            ValueError,
            r"^Ideal: ideal='exact' needs a proof, and none is known for RBU@5\. Use ideal='greedy'",
        ),
        (
            {"measure": IA(AP), "ideal": "exact"},
            ValueError,
            r"for IA\(AP\)\. Use ideal='greedy', or one of .*alpha_nDCG, ",
        ),
        ({"measure": nDCG @ 3, "ideal": "exact"}, ValueError, r"none is known for nDCG@3\..* or of AP, Bpref, "),
        ({"measure": Adhoc(RBU), "ideal": "exact"}, ValueError, r"none is known for Adhoc\(RBU\)\."),
        ({"measure": Adhoc(nDCG(gains={1: 3, 2: 1}) @ 5), "ideal": "exact"}, ValueError, "none is known for Adhoc"),
        ({"measure": 5}, TypeError, "^Ideal: a measure must be an object such as RBU @ 20, or its name, not 5"),
        ({"measure": P}, ValueError, "^P: .*cutoff"),
        ({"qrels": QRELS.drop(columns="docno")}, ValueError, "^qrels: missing column docno;"),
    ],
)
def test_invalid_arguments_are_refused_at_once(parameters, error, message):
    with pytest.raises(error, match=message):
        Ideal(**{"qrels": QRELS, **parameters})


def test_coverage_has_a_proof_only_where_intents_weigh_the_same():
    qrels = QRELS.assign(weight=QRELS["iteration"].map({"x": 2.0, "y": 1.0, "z": 1.0}))

    with pytest.raises(ValueError, match="Coverage@2: a proof needs intents of equal weight"):
        Ideal(qrels, Coverage @ 2, ideal="exact")(TOPICS)
    assert ranked(Ideal(qrels, Coverage @ 2)) == ["a", "d"]


@pytest.mark.parametrize("measure", [RBU @ 5, IA(nDCG @ 5), alpha_nDCG @ 5], ids=str)
def test_documents_for_intents_of_weight_0_only_are_not_ranked(measure):
    qrels = QRELS.assign(weight=QRELS["iteration"].map({"x": 0.0, "y": 1.0, "z": 0.0}))

    of_y = set(QRELS.loc[QRELS["iteration"].eq("y") & QRELS["label"].gt(0), "docno"])
    assert set(ranked(Ideal(qrels, measure))) == of_y


def test_a_query_whose_proof_takes_too_long_is_named(trec_qrels):
    qrels = trec_qrels(2009)

    with pytest.raises(NotProvenError, match=r"^Query '\d+': .* could not be proven within 1e-09 seconds"):
        Ideal(qrels, alpha_nDCG @ 20, ideal="exact", time_limit=1e-9)(pd.DataFrame({"qid": qrels["query_id"].unique()}))


def test_the_exact_ideal_has_the_whole_exact_alpha_ndcg_on_the_demo():
    demo = pt.get_dataset("diversity:demo")
    for k in (3, 5, 20):
        ideal = Ideal(demo.get_qrels(), alpha_nDCG @ k, ideal="exact")(demo.get_topics())
        values = by_query(alpha_nDCG_exact @ k, demo.get_qrels(), ideal)

        assert len(values) == len(demo.get_topics())
        assert list(values.values()) == pytest.approx([1] * len(values), abs=1e-12)


YEARS = range(2009, 2015)


@pytest.fixture(scope="module")
def rankings_at_20(trec_qrels):
    """Return the exact and the greedy ranking of each topic of a year by alpha-nDCG, which are searched for once."""

    @functools.cache
    def search(year):
        qrels = trec_qrels(year)
        topics = pd.DataFrame({"qid": qrels["query_id"].unique()})
        return [Ideal(qrels, alpha_nDCG @ 20, ideal=ideal)(topics) for ideal in ("exact", "greedy")]

    return search


@pytest.fixture(scope="module")
def values_at_20(trec_qrels, rankings_at_20):
    """Return alpha-nDCG of the exact and of the greedy ranking of each topic of a year."""

    @functools.cache
    def evaluate(year):
        return [by_query(alpha_nDCG @ 20, trec_qrels(year), ranking) for ranking in rankings_at_20(year)]

    return evaluate


@pytest.mark.parametrize(("year", "n_missed"), [(2009, 3), (2010, 4), (2011, 1), (2012, 1), (2013, 1), (2014, 0)])
def test_no_exact_ranking_of_a_trec_topic_is_worse_than_the_greedy_one(year, n_missed, trec_qrels, values_at_20):
    exact, greedy = values_at_20(year)

    assert len(exact) == trec_qrels(year)["query_id"].nunique()
    assert not {qid for qid in exact if exact[qid] < greedy[qid] - 1e-12}
    assert sum(exact[qid] > greedy[qid] + 1e-9 for qid in exact) == n_missed


def test_as_many_topics_have_a_better_ranking_than_the_greedy_one_by_as_much_as_it_says(values_at_20):
    said = " ".join((alpha_nDCG_exact.__doc__ or "").split())
    sentence = r"At cutoff 20, the greedy ranking is not the best one on (\d+) of the (\d+) topics .*? ([\d.]+) %"
    both = [values_at_20(year) for year in YEARS]

    gains = [exact[qid] / greedy[qid] - 1 for exact, greedy in both for qid in exact]

    n_missed, n_topics, percent = re.search(sentence, said).groups()
    assert int(n_topics) == len(gains)
    assert int(n_missed) == sum(gain > 1e-9 for gain in gains)
    assert float(percent) == round(100 * max(gains), 1)


@pytest.mark.parametrize("measure", [RBU @ 3, alpha_nDCG @ 2, D_nDCG, IA(nDCG), Coverage @ 2], ids=str)
def test_with_candidates_it_ranks_only_given_documents_and_keeps_the_labels_of_the_qrels(measure):
    given = pd.DataFrame({"qid": ["q"] * 4, "docno": [*"eadu"], "score": [4.0, 3, 2, 1]})

    best = Ideal(QRELS, measure, candidates=True)(given)

    rankings = [ranking for n in (1, 2) for ranking in itertools.permutations("ad", n)]
    (tried,) = values_of([measure], QRELS, {"q": rankings})
    assert tried["q", tuple(best["docno"])] == pytest.approx(max(tried.values()))


def test_the_largest_label_counts_though_its_document_is_no_candidate():
    # The label 1 of b for y is a third of the largest, that of c; the label 1 of a for x is all there is.
    rows = [("q", "a", 1, "x"), ("q", "b", 1, "y"), ("q", "c", 2, "y")]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])
    given = pd.DataFrame({"qid": "q", "docno": ["b", "a"], "score": [2.0, 1.0]})

    assert Ideal(qrels, RBU @ 2, candidates=True)(given)["docno"].tolist() == ["a", "b"]
    assert Ideal(qrels.head(2), RBU @ 2, candidates=True)(given)["docno"].tolist() == ["b", "a"]


def test_candidates_are_for_the_greedy_ideal():
    with pytest.raises(ValueError, match=r"^Ideal: candidates=True needs ideal='greedy'\.$"):
        Ideal(QRELS, alpha_nDCG @ 3, ideal="exact", candidates=True)
    with pytest.raises(pt.validate.InputValidationError, match="docno"):
        Ideal(QRELS, alpha_nDCG @ 3, candidates=True)(TOPICS)


@pytest.mark.parametrize("step", [Ideal, Explain, Evaluate], ids=lambda step: step.__name__)
def test_qrels_may_have_any_form(step, tmp_path):
    path, run = tmp_path / "qrels.csv", pd.DataFrame({"qid": ["q"], "docno": ["a"], "score": [1.0]})
    QRELS.to_csv(path, index=False)

    of_frame, of_file = (step(qrels, alpha_nDCG @ 3) for qrels in (QRELS, path))

    pd.testing.assert_frame_equal(of_file(run), of_frame(run))
