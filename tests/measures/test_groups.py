from __future__ import annotations

import math
import re
from importlib.metadata import version

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, RBP, Bpref, P, nDCG

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

GROUPS = {
    "NDEVAL": NDEVAL,
    "NTCIR_INTENT": NTCIR_INTENT,
    "FRESHSTACK": FRESHSTACK,
    "NUGGETS": NUGGETS,
    "CRUX": CRUX,
    "RBU18_OFFICIAL": RBU18_OFFICIAL,
    "CARTERETTE": CARTERETTE,
}


@pytest.mark.parametrize(
    ("measures", "expected"),
    [
        (grid(RBU, p=[0.8, 0.9]), (RBU(p=0.8), RBU(p=0.9))),
        (
            grid(RBU @ 20, p=[0.8, 0.9], e=[0, 0.1]),
            (RBU(p=0.8, e=0) @ 20, RBU(p=0.8, e=0.1) @ 20, RBU(p=0.9, e=0) @ 20, RBU(p=0.9, e=0.1) @ 20),
        ),
        (
            grid(RBU, e=[0.1, 0], p=[0.9, 0.8]),
            (RBU(p=0.9, e=0.1), RBU(p=0.8, e=0.1), RBU(p=0.9, e=0), RBU(p=0.8, e=0)),
        ),
        (grid(RBU(p=0.5, e=0.2), p=[0.8]), (RBU(p=0.8, e=0.2),)),
        (grid(RBU, cutoff=[20, 5]), (RBU @ 20, RBU @ 5)),
        (grid(RBU(e=0), gain=("exp", "binary")), (RBU(e=0), RBU(e=0, gain="binary"))),
        (grid(RBU, p=np.array([0.25, 0.5])), (RBU(p=0.25), RBU(p=0.5))),
        (grid(RBU, norm=[False, True]), (RBU, RBU(norm=True))),
        (grid(RBU @ 3), (RBU @ 3,)),
        (grid(P_Rareness @ 5, alpha=[0, "adaptive"]), (P_Rareness(alpha=0) @ 5, P_Rareness(alpha="adaptive") @ 5)),
        (grid(Sharp(nDCG @ 20), gamma=[0.25, 1]), (Sharp(nDCG @ 20, gamma=0.25), Sharp(nDCG @ 20, gamma=1))),
        (grid(IA(nDCG), cutoff=[5, 10]), (IA(nDCG @ 5), IA(nDCG @ 10))),
        (grid(alpha_nDCG @ 20, alpha=[0.1, 0.75]), (alpha_nDCG(alpha=0.1) @ 20, alpha_nDCG(alpha=0.75) @ 20)),
        (grid(nDCG, cutoff=[10, 20]), (nDCG @ 10, nDCG @ 20)),
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


# Every parameter of this package's measures has a value, whether it was given or not.
@pytest.mark.parametrize(
    ("measure", "pairs"),
    [
        (RBU @ 20, ["cutoff=20", "p=0.99", "e=0.001", "gain='exp'", "norm=False"]),
        (RBU(p=0.5, gain="linear", max_rel=4), ["p=0.5", "e=0.001", "gain='linear'", "max_rel=4.0"]),
        (RBP_Rareness(alpha="adaptive"), ["alpha='adaptive'", "p=0.8"]),
        (UserModel(1, "RBP"), ["model=1", "stop='RBP'", "theta=0.5", "norm=False"]),
        (alpha_nDCG @ 20, ["cutoff=20", "alpha=0.5", "judged_only=False"]),
        (NRBP, ["alpha=0.5", "beta=0.5"]),
        (nDCG(dcg="exp-log2") @ 5, ["cutoff=5", "dcg='exp-log2'", "judged_only=False"]),
        (nDCG @ 5, ["cutoff=5", "dcg='log2'", "judged_only=False"]),
        (AP, ["rel=1", "judged_only=False"]),
        (RBP(rel=1), ["p=0.8", "rel=1"]),
        (Sharp(nDCG @ 20), ["gamma=0.5", "cutoff=20", "dcg='log2'"]),
        (IA(RBU(p=0.5) @ 7), ["cutoff=7", "p=0.5", "e=0.001"]),
        (Adhoc(IA(alpha_nDCG @ 7)), ["cutoff=7", "alpha=0.5"]),
    ],
    ids=str,
)
def test_a_signature_names_parameters_with_their_values(measure, pairs):
    text = signature(measure)

    assert [pair for pair in pairs if not re.search(rf"\b{re.escape(pair)}(?![\w.])", text)] == []


SIGNED = [
    RBU @ 20,
    RBU,
    P_Rareness(alpha="adaptive") @ 10,
    UserModel(2, "DCG", norm=True) @ 10,
    StRecall @ 20,
    alpha_nDCG(alpha=0.1) @ 20,
    nDCG @ 20,
    RBP(p=0.95, rel=1),
    AP,
    IA(nDCG @ 20),
    Adhoc(AP),
    Sharp(IA(RBU @ 5), gamma=0.25),
]


@pytest.mark.parametrize("measure", [m for m in SIGNED if m not in (nDCG @ 20, AP, RBP(p=0.95, rel=1))], ids=str)
def test_a_signature_names_the_rule_for_ties_and_the_version_of_the_package(measure):
    text = signature(measure)

    assert measure.NAME in text
    assert re.search(r"\bties\b.*\bdescending\b", text)
    assert re.search(rf"\b{re.escape(pyterrier_diversity.__version__)}\b", text)


@pytest.mark.parametrize("measure", [nDCG @ 20, AP, RBP(p=0.95, rel=1)], ids=str)
def test_a_signature_of_a_measure_of_ir_measures_leaves_ties_to_its_provider_and_names_the_version(measure):
    text = signature(measure)

    assert measure.NAME in text
    assert re.search(r"\bties\b.*\bprovider\b", text)
    assert re.search(rf"\bir[-_]measures {re.escape(version('ir-measures'))}", text)


@pytest.mark.parametrize(
    ("measure", "provider"),
    [
        (nDCG @ 20, "pytrec_eval"),
        (AP, "pytrec_eval"),
        (RBP(p=0.95, rel=1), "cwl_eval"),
        (IA(nDCG(judged_only=True) @ 20), "pytrec_eval"),
        (Adhoc(Bpref), "pytrec_eval"),
        (Sharp(IA(P(judged_only=True) @ 5)), "pytrec_eval"),
    ],
    ids=str,
)
def test_a_signature_names_who_computes_a_measure_that_is_not_ours(measure, provider):
    assert provider in signature(measure)


@pytest.mark.parametrize(
    ("measure", "same"),
    [
        (RBU, RBU(p=0.99, e=0.001, gain="exp")),
        (alpha_nDCG @ 20, alpha_nDCG(alpha=0.5) @ 20),
        (nDCG @ 20, nDCG(dcg="log2") @ 20),
        (IA(nDCG) @ 20, IA(nDCG @ 20)),
        (Sharp(AP), Sharp(AP, gamma=0.5)),
    ],
    ids=str,
)
def test_equal_measures_have_one_signature(measure, same):
    assert signature(measure) == signature(same)


JUDGED = qrels(
    *(f"q {intent} d{i} {(i * n) % 4}" for n, intent in enumerate(("1", "2", "3"), start=1) for i in range(1, 9))
)


@pytest.fixture
def experiment():
    """Return the table of some measures on one topic of three intents."""
    topics = pd.DataFrame({"qid": ["q"], "query": ["jaguar"]})
    docs = ["d3", "u1", "d8", "d1", "d4", "d2", "u2"]
    run = pd.DataFrame({"qid": "q", "docno": docs, "score": np.arange(len(docs), 0.0, -1.0)})
    judged_with_importance = JUDGED.assign(importance="vital")
    return lambda measures, judged=judged_with_importance: pt.Experiment(
        {"system": run}, topics, judged, list(measures)
    )


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_is_a_tuple_of_measures_without_repeats(name):
    group = GROUPS[name]

    assert isinstance(group, tuple)
    assert all(isinstance(measure, ir_measures.Measure) for measure in group)
    assert len(set(group)) == len(group) > 0


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_makes_a_table_with_a_column_for_each_measure(name, experiment):
    table = experiment(GROUPS[name])

    values = table.drop(columns="name").to_numpy(dtype=float)
    assert table.columns.is_unique
    assert set(table.columns) == {"name", *map(str, GROUPS[name])}
    assert np.isfinite(values).all()
    assert (values != 0).any()


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


def table_1(relevant: list[int], n_relevant: int, theta: float = 0.5) -> list[float]:
    """Restate CAR11 Table 1, of binary labels and base 2: M2 and ARR are divided by the value of a perfect ranking."""
    ranks = range(1, len(relevant) + 1)
    found = np.cumsum(relevant)
    log2 = math.log2
    stop = {
        "RBP": [(1 - theta) ** (k - 1) * theta for k in ranks],
        "DCG": [1 / log2(k + 1) - 1 / log2(k + 2) for k in ranks],
        "RR": [1 / (k * (k + 1)) for k in ranks],
        "ERR": [rel * (1 - theta) ** (r - 1) * theta for rel, r in zip(relevant, found, strict=True)],
        "AP": [rel / n_relevant for rel in relevant],
        "RRR": [rel / (r * (r + 1)) if rel else 0 for rel, r in zip(relevant, found, strict=True)],
    }
    view = {
        "RBP": lambda k: (1 - theta) ** (k - 1),
        "DCG": lambda k: 1 / log2(k + 1),
        "RR": lambda k: 1 / k,
    }
    m1 = [float(np.dot(relevant, stop[static])) for static in view]
    m2 = [
        sum(rel * discount(k) for k, rel in zip(ranks, relevant, strict=True))
        / sum(discount(k) for k in range(1, n_relevant + 1))
        for discount in view.values()
    ]
    effort = {
        dynamic: sum(p / k for k, p in zip(ranks, stop[dynamic], strict=True)) for dynamic in ("ERR", "AP", "RRR")
    }
    effort["AP"] /= sum(1 / k for k in range(1, n_relevant + 1)) / n_relevant
    m4 = [sum(r / k * p for k, r, p in zip(ranks, found, stop[name], strict=True)) for name in stop]
    return [*m1, *m2, *effort.values(), *map(float, m4)]


def test_the_group_of_carterette_has_the_15_measures_of_his_table(experiment):
    judged = qrels("q 0 d3 1", "q 0 d1 1", "q 0 d4 1", "q 0 d9 1", "q 0 d8 0")

    table = experiment(CARTERETTE, judged).drop(columns="name").iloc[0]

    # The ranking is d3 u1 d8 d1 d4 d2 u2; d9 is not retrieved.
    expected = table_1([1, 0, 0, 1, 1, 0, 0], n_relevant=4)
    assert len(CARTERETTE) == 15
    assert sorted(table) == pytest.approx(sorted(expected), abs=1e-12)


def test_a_grid_of_wrappers_takes_measures():
    assert grid(IA, measure=[nDCG @ 5, nDCG @ 10]) == (IA(nDCG @ 5), IA(nDCG @ 10))


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
    ],
)
def test_several_measures_are_read_from_one_text(text, names):
    assert list(map(str, read_measures("test", text))) == names


@pytest.mark.parametrize("text", ["", " ", ",", "RBU(@5", "AP)) nDCG@5"])
def test_a_text_without_a_measure_is_refused(text):
    with pytest.raises(ValueError, match=r"^Unknown measure "):
        read_measures("test", text)
