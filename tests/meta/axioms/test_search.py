import math

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, RBP, RR, P, nDCG

from pyterrier_diversity import (
    ERR,
    EU,
    IA,
    NRBP,
    NRBP_IA,
    RBU,
    SRR,
    Adhoc,
    CT_rank,
    Dsharp_nDCG,
    P_Rareness,
    StRecall,
    UserModel,
    alpha_DCG_IA,
    alpha_nDCG,
    nCT,
)
from pyterrier_diversity.measures import DiversityMeasure
from pyterrier_diversity.meta.axioms import CONSTRAINTS, axiom_table, counterexample

ALL = "Pri Deep DeepTh CloseTh Conf AspDiv Red MRed Sat AspRel"
NOVELTY = "Pri Deep DeepTh CloseTh AspDiv Red"
ERR_IA = UserModel(model=3, stop="ERR", gain="linear")
RBP_IA = NRBP_IA(alpha=0)

# A measure, what Table 1 of Amigó et al. (2018) says that it satisfies, and what the search finds besides and not.
TABLE = [
    (P @ 20, "DeepTh", "CloseTh", ""),
    (RR, "DeepTh", "Sat", ""),
    (AP, "CloseTh", "", ""),
    (nDCG, "Pri Deep CloseTh", "AspDiv", ""),
    (nDCG @ 20, "Pri Deep CloseTh", "AspDiv DeepTh", ""),
    (ERR @ 20, "Pri Deep DeepTh", "AspDiv", ""),
    (RBP(rel=1), "Pri Deep DeepTh CloseTh", "", "Pri Deep"),
    (IA(P @ 20), "DeepTh AspRel", "CloseTh", ""),
    (IA(RR), "DeepTh Sat AspRel", "", ""),
    (IA(AP), "CloseTh AspRel", "", "AspRel"),
    (IA(nDCG), "Pri Deep CloseTh AspDiv AspRel", "", "AspRel"),
    (IA(ERR @ 20), "Pri Deep DeepTh AspDiv Red MRed Sat AspRel", "", "Sat"),
    (ERR_IA, "Pri Deep DeepTh AspDiv Red MRed Sat AspRel", "", ""),
    (IA(RBP(rel=1)), "Pri Deep DeepTh CloseTh AspDiv AspRel", "", "Pri Deep AspDiv"),
    (RBP_IA, "Pri Deep DeepTh CloseTh AspDiv AspRel", "", ""),
    (StRecall @ 20, "DeepTh Sat", "", ""),
    (SRR, "DeepTh Sat", "", ""),
    (Dsharp_nDCG, "Pri Deep CloseTh AspDiv AspRel", "", ""),
    (NRBP(alpha=0.1, beta=0.9), NOVELTY, "", "Pri Deep AspDiv"),
    (NRBP_IA(alpha=0.1, p=0.9), NOVELTY, "AspRel", "Pri AspDiv"),
    (alpha_nDCG(alpha=0.25) @ 2000, NOVELTY, "", "Pri Deep AspDiv"),
    (alpha_nDCG @ 2000, NOVELTY, "", "Pri Deep CloseTh AspDiv"),
    (alpha_DCG_IA(alpha=0.25), NOVELTY, "AspRel", "Pri AspDiv"),
    (EU(alpha=0.1), f"{NOVELTY} AspRel Conf", "", "Pri AspDiv"),
    (EU, f"{NOVELTY} AspRel Conf", "", "Pri CloseTh AspDiv"),
    (CT_rank(saturation=0.9), "Pri Deep DeepTh AspDiv Red Sat AspRel", "", "Pri AspDiv Red"),
    (CT_rank(gamma=0.9, saturation=0.9), "Pri Deep DeepTh AspDiv Red Sat AspRel", "", "Pri AspDiv Red"),
    (RBU, ALL, "", ""),
    (RBU @ 2000, ALL, "", ""),
]


@pytest.fixture(scope="module")
def table():
    return axiom_table([measure for measure, *_ in TABLE])


@pytest.mark.parametrize(("measure", "row", "more", "less"), TABLE, ids=lambda value: str(value) if value else "-")
def test_measures_satisfy_table_1_except_for_the_documented_differences(table, measure, row, more, less):
    found = table.columns[table.loc[str(measure)]]

    assert set(more.split()).isdisjoint(row.split())
    assert set(less.split()) <= set(row.split())
    assert set(found) == (set(row.split()) | set(more.split())) - set(less.split())


def test_the_table_describes_its_columns(table):
    assert list(table.columns) == list(CONSTRAINTS) == ALL.split()
    assert table.select_dtypes(bool).shape == (len(TABLE), 10)
    assert list(table.attrs["legend"]) == list(table.columns)
    assert "3.2, Eq. 5" in table.attrs["legend"]["Conf"]


MISSED = {
    RBU(p=0.9): [],
    RBU(gain="linear"): [],
    RBU(gain="linear", max_rel=4): [],
    RBU(max_rel=4): ["Sat"],  # 1/16 of a label of 4 is more than the effort, 0.001
    RBU(max_rel=3): ["Sat"],
    RBU(e=0): ["Conf"],
    RBU(p=1): ["Pri", "Deep", "DeepTh"],
}


def test_rank_biased_utility_breaks_constraints_with_other_parameters():
    found = axiom_table(MISSED)

    missed = {name: list(found.columns[~satisfied]) for name, satisfied in found.iterrows()}
    assert missed == {str(measure): constraints for measure, constraints in MISSED.items()}


def reevaluated(measure, frame):
    """Values of both rankings, from the frame alone."""
    qrels = frame.rename(columns={"ranking": "query_id", "docno": "doc_id", "label": "relevance"})
    run = qrels.dropna(subset="rank").drop_duplicates(["query_id", "doc_id"])
    run = run.assign(score=-run["rank"].astype(float))[["query_id", "doc_id", "score"]]
    qrels = qrels[["query_id", "doc_id", "relevance", "iteration", "weight"]]
    return {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], qrels, run)}


@pytest.mark.parametrize(
    ("measure", "computed", "constraint"),
    [
        (IA(AP), IA(AP), "Red"),
        (IA(AP), IA(AP), "AspRel"),
        (nDCG, Adhoc(nDCG), "DeepTh"),
        (nDCG, Adhoc(nDCG), "Red"),
        (ERR @ 20, ERR @ 20, "CloseTh"),
        (IA(nDCG), IA(nDCG), "MRed"),
        (IA(ERR @ 20), IA(ERR @ 20), "Sat"),
        (P @ 20, Adhoc(P @ 20), "Deep"),
        (NRBP, NRBP, "Conf"),
        (EU, EU, "Pri"),
        (EU, EU, "AspDiv"),
        (CT_rank(saturation=0.9), CT_rank(saturation=0.9), "Red"),
    ],
    ids=str,
)
def test_a_counter_example_is_what_it_claims_to_be(measure, computed, constraint):
    found = counterexample(measure, constraint)

    claimed = found.groupby("ranking")["value"].first()
    assert reevaluated(computed, found) == pytest.approx(claimed.to_dict(), abs=1e-12)
    if constraint == "Sat":
        assert claimed["better"] < claimed["worse"] - 1e-12
    else:
        assert claimed["better"] <= claimed["worse"] + 1e-12
    assert (found.attrs["measure"], found.attrs["constraint"]) == (str(measure), constraint)
    assert set(found.attrs["legend"]) == set(found.columns)


def test_a_little_relevant_document_takes_novelty_from_better_ones():
    found = counterexample(EU(e=0), "AspDiv")

    # The new document has a label of 1 (probability 2^-10), the one below 5 (31 2^-10); alpha is 1/2.
    r, discount = 2**-10, 1 / (1 + np.log2([1, 2]))
    assert found.groupby("ranking")["value"].first().to_dict() == pytest.approx(
        {"better": r * discount[0] + 31 * r * discount[1] / 2, "worse": 31 * r * discount[1]}, abs=1e-12
    )


def test_average_precision_of_intents_prefers_redundancy_as_the_papers_footnote_says():
    found = counterexample(IA(AP), "Red")

    # N_r is 3 for both intents, the weights 1/2: 1/N_r + 2/2/N_r against 1/N_r + 1/2/N_r.
    assert dict(zip(found["ranking"], found["value"], strict=True)) == {
        "better": pytest.approx((1 / 3 + 1 / 2 / 3) / 2),
        "worse": pytest.approx((1 / 3 + 2 / 2 / 3) / 2),
    }
    assert found.query("ranking == 'worse' and label > 0 and rank <= 2")["iteration"].tolist() == ["1", "1"]


def test_the_smallest_counter_example_comes_first():
    found = counterexample(alpha_nDCG @ 20, "Pri")

    # alpha-nDCG is binary: the two labels are the same to it.
    assert found[["ranking", "rank", "label"]].dropna().astype({"rank": int}).to_numpy().tolist() == [
        ["better", 1, 2],
        ["better", 2, 1],
        ["worse", 1, 1],
        ["worse", 2, 2],
    ]
    assert found["rank"].isna().sum() == 2


def test_closeness_shows_the_size_that_came_nearest():
    found = counterexample(RBP(p=0.5, rel=1), "CloseTh")

    # 0.5 - 0.25 for m = 1, 0.5 - (0.125 + 0.0625) for m = 2, ...
    assert found.dropna(subset="rank")["rank"].max() == 2
    assert found.groupby("ranking")["value"].first().to_dict() == pytest.approx({"better": 0.25, "worse": 0.5})


def test_closeness_shows_a_larger_size_where_that_came_nearer():
    found = counterexample(alpha_nDCG, "CloseTh")

    # The gain of each further relevant document is half as large; the topic has one more than m.
    def gain(n, above):
        return sum(0.5**i / math.log2(above + i + 2) for i in range(n))

    differences = [(gain(m, m) - 1) / gain(m + 1, 0) for m in range(1, 11)]
    assert differences.index(max(differences)) == 2
    assert found.dropna(subset="rank")["rank"].max() == 6


@pytest.mark.parametrize(
    ("measure", "constraint"),
    [
        (CT_rank, "Red"),  # six documents of two intents saturate both
        (RBU @ 5, "Conf"),
        (RBU @ 5, "MRed"),
        (StRecall @ 8, "AspRel"),
        (nCT(batch=10), "Sat"),
        (UserModel(model=4, stop="RBP", norm=True), "AspRel"),
    ],
    ids=str,
)
def test_long_rankings_and_other_weights_find_what_the_shortest_do_not(measure, constraint):
    assert counterexample(measure, constraint) is not None


def test_rankings_have_up_to_nine_documents():
    assert counterexample(RBU @ 9, "Conf") is None
    assert counterexample(RBU @ 8, "Conf") is not None


@pytest.mark.parametrize(
    ("score", "satisfied"),
    [(lambda self, ranked: np.ones(len(ranked.n)), ["Sat"]), (lambda self, ranked: ranked.n.astype(float), [])],
    ids=["constant", "length"],
)
def test_a_bad_measure_of_a_stranger_fails(score, satisfied):
    measure = type("Bad", (DiversityMeasure,), {"NAME": "Bad", "score": score})()

    table = axiom_table([measure])

    assert list(table.columns[table.loc["Bad"]]) == satisfied


def test_a_function_of_a_stranger_is_read_over_the_highest_labels():
    hits = ir_measures.define_byquery(
        lambda qrels, run: float(qrels["relevance"][qrels["doc_id"].isin(run["doc_id"])].sum()),
        name="Hits",
        support_cutoff=False,
    )

    table = axiom_table([hits], ["Pri", "AspDiv"])

    assert table.to_numpy().tolist() == [[False, True]]


def test_a_measure_gives_the_same_alone_and_among_others(table):
    some = [EU, IA(nDCG)]

    pd.testing.assert_frame_equal(axiom_table(some), table.loc[[str(measure) for measure in some]])


def test_there_is_a_row_for_each_measure():
    with pytest.raises(ValueError, match=r"^axiom_table: measures must not be empty\.$"):
        axiom_table([])
    assert list(axiom_table([RBU, RBU(p=0.99)], ["Conf"]).index) == ["RBU"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((RBU, "Prio"), ValueError, "constraint must be one of 'Pri', 'Deep', .*, not 'Prio'"),
        ((3, "Pri"), TypeError, r"counterexample: a measure must be an object such as RBU @ 20, or its name, not 3\."),
        ((P_Rareness @ 5, "Pri"), ValueError, "needs the column rarity"),
        ((RBU(max_rel=2), "Pri"), ValueError, "3"),
    ],
)
def test_invalid_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        counterexample(*arguments)


def test_constraints_are_a_list_of_their_names():
    with pytest.raises(TypeError, match=r"^axiom_table: constraints must be a list of names, not 'Pri'\.$"):
        axiom_table([RBU], "Pri")
