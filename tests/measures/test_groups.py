import math
import re
from importlib.metadata import version

import ir_measures
import numpy as np
import pytest
from ir_measures import AP, RBP, P, nDCG

import pyterrier_diversity
from by_hand import qrels, run
from pyterrier_diversity import (
    AP_IA,
    CARTERETTE,
    CRUX,
    ERR_IA,
    FRESHSTACK,
    IA,
    NDEVAL,
    NRBP,
    NTCIR_INTENT,
    NUGGETS,
    P_IA,
    RBU,
    RBU18_OFFICIAL,
    Adhoc,
    P_Rareness,
    RBP_Rareness,
    Sharp,
    StRecall,
    UserModel,
    alpha_DCG,
    alpha_nDCG,
    grid,
    nERR_IA,
    nNRBP,
    signature,
)
from pyterrier_diversity.measures.groups import read_measures


@pytest.mark.parametrize(
    ("measures", "expected"),
    [
        (grid(RBU, p=[0.8, 0.9]), (RBU(p=0.8), RBU(p=0.9))),
        (
            grid(RBU @ 20, p=[0.8, 0.9], e=[0, 0.1]),
            (RBU(p=0.8, e=0) @ 20, RBU(p=0.8, e=0.1) @ 20, RBU(p=0.9, e=0) @ 20, RBU(p=0.9, e=0.1) @ 20),
        ),
        (grid(RBU(p=0.5, e=0.2), p=[0.8]), (RBU(p=0.8, e=0.2),)),
        (grid(RBU, cutoff=[20, 5]), (RBU @ 20, RBU @ 5)),
        (grid(RBU(e=0), gain=("exp", "binary")), (RBU(e=0), RBU(e=0, gain="binary"))),
        (grid("RBU@3"), (RBU @ 3,)),
        (grid(alpha_nDCG @ 3, rel=[1.0, 2]), (alpha_nDCG(rel=1) @ 3, alpha_nDCG(rel=2) @ 3)),
        (grid(P_Rareness @ 5, alpha=[0, "adaptive"]), (P_Rareness(alpha=0) @ 5, P_Rareness(alpha="adaptive") @ 5)),
        (grid(IA(nDCG), cutoff=[5, 10]), (IA(nDCG @ 5), IA(nDCG @ 10))),
        (grid(alpha_nDCG @ 20, alpha=[0.1, 0.75]), (alpha_nDCG(alpha=0.1) @ 20, alpha_nDCG(alpha=0.75) @ 20)),
        (grid(RBP(rel=1), p=[0.5, 0.95]), (RBP(rel=1)(p=0.5), RBP(rel=1)(p=0.95))),
        (grid(P, rel=[1, 2], cutoff=[5]), (P(rel=1) @ 5, P(rel=2) @ 5)),
    ],
)
def test_a_grid_is_the_product_of_its_lists_in_their_order(measures, expected):
    assert measures == expected


@pytest.mark.parametrize(
    ("measure", "lists", "sentence"),
    [
        (RBU, {"p": [0.8, 2]}, r"^RBU: p must be a number in \(0, 1\], not 2\.$"),
        (RBU, {"cutoff": [5, 0]}, r"^RBU: cutoff must be an integer"),
        (RBU, {"q": [1]}, "^RBU has no parameter 'q'"),
        (Sharp(nDCG @ 20), {"gamma": [0.5, -1]}, "^Sharp: gamma must be a number"),
        (P_Rareness, {"mixture": [True], "alpha": [0.5, 2]}, "^P_Rareness: .*alpha"),
    ],
)
def test_a_grid_with_a_bad_value_is_refused(measure, lists, sentence):
    with pytest.raises(ValueError, match=sentence):
        grid(measure, **lists)


@pytest.mark.parametrize("lists", [{"p": 0.5}, {"p": None}, {"cutoff": [5], "p": 1}, {"gain": "exp"}])
def test_a_grid_takes_lists(lists):
    name, value = list(lists.items())[-1]
    sentence = f"grid: {name} must be an iterable of values, as in {name}=[{value!r}], not one value."

    with pytest.raises(TypeError, match=f"^{re.escape(sentence)}$"):
        grid(RBU, **lists)


GROUPED = [NDEVAL, NTCIR_INTENT, FRESHSTACK, NUGGETS, CRUX, RBU18_OFFICIAL, CARTERETTE]


# Every parameter of this package's measures has a value, whether it was given or not.
@pytest.mark.parametrize(
    ("measure", "pairs"),
    [
        (RBU @ 20, ["cutoff=20", "p=0.99", "e=0.001", "gain='exp'", "norm=False"]),
        (RBP_Rareness(alpha="adaptive"), ["alpha='adaptive'", "p=0.8"]),
        (UserModel(1, "RBP"), ["model=1", "stop='RBP'", "theta=0.5", "norm=False"]),
        (alpha_nDCG @ 20, ["cutoff=20", "alpha=0.5", "judged_only=False"]),
        (nDCG @ 5, ["cutoff=5", "dcg='log2'", "judged_only=False"]),
        (AP, ["rel=1", "judged_only=False"]),
        (Sharp(nDCG @ 20), ["gamma=0.5", "cutoff=20", "dcg='log2'"]),
        (IA(RBU(p=0.5) @ 7), ["cutoff=7", "p=0.5", "e=0.001"]),
        (Adhoc(IA(alpha_nDCG @ 7)), ["cutoff=7", "alpha=0.5"]),
    ],
    ids=str,
)
def test_a_signature_names_parameters_with_their_values(measure, pairs):
    text = signature(measure)

    assert [pair for pair in pairs if not re.search(rf"\b{re.escape(pair)}(?![\w.])", text)] == []


@pytest.mark.parametrize(
    ("measure", "ties", "tool"),
    [
        (RBU @ 20, "docno descending", f"pyterrier-diversity {pyterrier_diversity.__version__}"),
        (alpha_nDCG(alpha=0.1) @ 20, "docno descending", f"pyterrier-diversity {pyterrier_diversity.__version__}"),
        (nDCG @ 20, "as that provider breaks them", f"ir-measures {version('ir-measures')} (pytrec_eval)"),
        (RBP(p=0.95, rel=1), "as that provider breaks them", f"ir-measures {version('ir-measures')} (cwl_eval)"),
        (
            Sharp(IA(P(judged_only=True) @ 5)),
            "docno descending",
            f"pyterrier-diversity {pyterrier_diversity.__version__} over "
            f"ir-measures {version('ir-measures')} (pytrec_eval)",
        ),
    ],
    ids=str,
)
def test_a_signature_names_the_rule_for_ties_and_who_computes_the_measure(measure, ties, tool):
    text = signature(measure)

    assert text.startswith(f"{measure}|")
    assert text.endswith(f"|ties: {ties}|queries missing in the run score 0|{tool}")


@pytest.mark.parametrize(("rating", "expected"), [(2, [0, 0, 0, 1 / 4]), (3, [1 / 2, 1 / 2, 0.6131, 1 / 2])])
def test_a_passage_answers_a_question_of_crux_from_a_rating_of_3(rating, expected):
    values = ir_measures.calc_aggregate(CRUX, qrels(f"q x a {rating}", "q y b 3"), run(q="a"))

    assert [values[measure] for measure in CRUX] == pytest.approx(expected, abs=1e-4)


def test_the_measures_of_each_group_can_be_computed():
    judged = qrels(
        *(f"q {intent} d{i} {(i * n) % 4}" for n, intent in enumerate("123", start=1) for i in range(1, 9)),
        importance=["vital"] * 24,
    )

    for group in GROUPED:
        values = ir_measures.calc_aggregate(group, judged, run(q="d3 u1 d8 d1 d4 d2 u2"))
        assert values.keys() == set(group)
        assert len(group) == len(set(group))
        assert 0 < sum(values.values()) < math.inf


def test_the_group_of_ndeval_has_its_21_columns():
    at_cutoffs = [ERR_IA, nERR_IA, alpha_DCG, alpha_nDCG, P_IA, StRecall]

    assert len(NDEVAL) == 21
    assert set(NDEVAL) == {NRBP, nNRBP, AP_IA, *(measure @ k for measure in at_cutoffs for k in (5, 10, 20))}


@pytest.mark.parametrize(("group", "full"), [(FRESHSTACK, 1), (NUGGETS, 2), (CRUX, 3)])
def test_a_group_for_a_format_of_nuggets_says_which_label_is_full_support(group, full):
    assert {measure["full"] for measure in group if measure.NAME == "NuggetScore"} == {full}


def test_the_group_of_rbu18_has_the_columns_of_ndeval_and_the_variants_of_rbu_of_table_3():
    variants = {RBU(p=p, e=e) for p in (0.8, 0.9, 0.99) for e in (0, 0.001, 0.05, 0.1, 0.5)}

    assert set(RBU18_OFFICIAL) == {*NDEVAL, *variants}


def test_the_group_of_carterette_has_the_15_measures_of_his_table_normalised_as_in_section_3_2():
    static, dynamic = ["RBP", "DCG", "RR"], ["ERR", "AP", "RRR"]
    cells = [(model, stop) for model in (1, 2) for stop in static] + [(3, stop) for stop in dynamic]
    cells += [(4, stop) for stop in (*static, *dynamic)]

    assert [(measure.model, measure.stop) for measure in CARTERETTE] == cells
    assert [measure for measure in CARTERETTE if measure.norm] == [*CARTERETTE[3:6], CARTERETTE[7]]


@pytest.mark.parametrize(
    "alphas", [[0, 0.5, 1], np.linspace(0, 1, 3), np.array([0, 0.5, 1], dtype=np.float32)], ids=str
)
def test_a_grid_gives_a_class_of_ir_measures_numbers_of_the_type_that_it_wants(alphas):
    measures = grid(alpha_nDCG @ 5, alpha=alphas)

    values = ir_measures.calc_aggregate(measures, qrels("q x a 1", "q x b 1", "q y c 1"), run(q="a b c"))
    assert [type(measure.params["alpha"]) for measure in measures] == [float] * 3
    assert len(values) == 3


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("RBU@5", ["RBU@5"]),
        ("RBU @ 5", ["RBU@5"]),
        (" RBU@5 ,AP\tnDCG@3\n", ["RBU@5", "AP", "nDCG@3"]),
        ("RBU(p=0.9, e=0) @5 IA(RBU (p=0.5))", ["RBU(p=0.9,e=0.0)@5", "IA(RBU(p=0.5))"]),
        ("nDCG(gains={0: 0, 1: 3})@5, AP", ["nDCG(gains={1:3})@5", "AP"]),
        ("FRESHSTACK AP", [*map(str, FRESHSTACK), "AP"]),
        (["NDEVAL", AP], [*map(str, NDEVAL), "AP"]),
        ([NDEVAL, "AP", [RBU @ 5]], [*map(str, NDEVAL), "AP", "RBU@5"]),
    ],
)
def test_several_measures_are_read_from_one_text(text, names):
    assert list(map(str, read_measures("test", text))) == names


@pytest.mark.parametrize("text", ["", " ", ",", "RBU(@5", "AP)) nDCG@5", "NDEVL", "ndeval"])
def test_a_text_without_a_measure_is_refused(text):
    hint = r"'\w+'\. Did you mean NDEVAL\?$" if text.isalpha() else ""
    with pytest.raises(ValueError, match=rf"^Unknown measure {hint}"):
        read_measures("test", text)
