"""What `parse` reads, and what it says of texts that name no measure."""

import re
import time

import ir_measures
import pytest
from ir_measures import AP, RBP, P, nDCG

from pyterrier_diversity import IA, RBU, Adhoc, Sharp, UserModel, alpha_nDCG, evaluate_runs, parse, score
from pyterrier_diversity.transformers import Evaluate
from shell import fail

FORM = "A measure is written as RBU@20 or RBU(p=0.9)@20."


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        *(
            (text, IA(nDCG @ 20))
            for text in ("IA(nDCG@20)", " IA( nDCG @ 20 ) ", "IA(nDCG)@20", "IA(measure='nDCG@20')")
        ),
        ("Sharp(IA(RBU(p=0.5)@5),gamma=0.25)", Sharp(IA(RBU(p=0.5) @ 5), gamma=0.25)),
        ("IA(AP@5)@10", IA(AP @ 10)),
        ("IA(measure='IA(RBU@3)')", IA(IA(RBU @ 3))),
        ("nDCG(gains={0: 0, 1: 3})@5", nDCG(gains={0: 0, 1: 3}) @ 5),
        ("IPrec@0.5", ir_measures.IPrec @ 0.5),
        ("UserModel(2, 'DCG', base=3)@5", UserModel(2, "DCG", base=3) @ 5),
    ],
)
def test_a_text_names_a_measure(text, measure):
    read = parse(text)

    assert read == measure == parse(str(measure))
    assert read.params == measure.params


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        # A parameter is given twice.
        ("RBU(p=.8,p=.9)@5", "RBU: the parameter p is given twice."),
        ("P(rel=1,rel=2)@5", "P: the parameter rel is given twice."),
        ("RBU(cutoff=5)@6", "RBU: the parameter cutoff is given twice."),
        ("IA(RBU(p=.8,p=.9)@5)", "RBU: the parameter p is given twice."),
        ("IA(measure='RBU(p=.8,p=.9)')", "RBU: the parameter p is given twice."),
        ("Sharp(AP,gamma=.1,gamma=.1)", "Sharp: the parameter gamma is given twice."),
        ("IA(AP,measure='AP')", "IA: the parameter measure is given twice."),
        ("UserModel(2,model=2)", "UserModel: the parameter model is given twice."),
        # A parameter is wrong.
        ("RBU(p=2)", "RBU: p must be a number in (0, 1], not 2."),
        ("AP(x=1)", "AP has no parameter 'x'; its parameters: cutoff, rel, judged_only."),
        ("IA(AP(x=1))", "AP has no parameter 'x'; its parameters: cutoff, rel, judged_only."),
        # The text is not written like a measure.
        *(
            (text, f"Unknown measure {text!r}. {FORM}")
            for text in (
                *("", "RBU(", "IA(", "IA(AP", "IA(AP, AP)", "nDCG@@5", "nDCG@x", "AP # 5", "AP@x", "RBU@5@6"),
                *("Coverage@10 alpha_nDCG@10", "x.y", "1 + 1", "@0", "\0", "RBP(0.8,p=0.9)", "NRBP-10"),
            )
        ),
        # The name is unknown.
        *((text, f"Unknown measure 'zzzzz'. {FORM}") for text in ("zzzzz@5", "IA(zzzzz)", "IA('zzzzz')")),
        ("nRBU(p=2)@5", f"Unknown measure 'nRBU'. Did you mean RBU? {FORM}"),
        ("ndcg@10(dcg='exp-log2')", f"Unknown measure 'ndcg'. Did you mean nDCG? {FORM}"),
        ("ia(nDCG@5)", f"Unknown measure 'ia'. Did you mean IA? {FORM}"),
        *(
            (text, f"Unknown measure {shown!r}. Did you mean {name}?")
            for text, shown, name in [
                ("P_10", "P_10", "P@10"),
                ("ndcg@10", "ndcg", "nDCG@10"),
                ("alpha-nDCG@20", "alpha-nDCG@20", "alpha_nDCG@20"),
                ("IA(nDGC@5)", "nDGC", "IA(nDCG@5)"),
                ("Sharp(IA(nDGC@5), gamma=0.5)", "nDGC", "Sharp(IA(nDCG@5),gamma=0.5)"),
                ("IA(measure='Adhoc(nDGC@5)')", "nDGC", "Adhoc(nDCG@5)"),
                ("IA(D#-Q@5)", "IA(D#-Q@5)", "IA(Dsharp_Q@5)"),
            ]
        ),
        # The cutoff is out of range.
        *(
            (f"{name}@{cutoff}", f"{name.partition('(')[0]}: cutoff must be an integer in [1, inf), not {cutoff}.")
            for name in ("nDCG", "RBU", "alpha_nDCG", "IA(AP)")
            for cutoff in ("-5", "0", "2.5", "True", "'5'")
        ),
    ],
)
def test_the_error_says_what_is_wrong_with_a_text(text, sentence):
    with pytest.raises(ValueError, match="^" + re.escape(sentence) + "$"):
        parse(text)


@pytest.mark.parametrize(
    ("other", "said"), [(5, "5"), (None, "None"), (nDCG @ 5, "nDCG@5"), (["RBU"], "a list of 1")], ids=str
)
def test_what_is_not_a_text_is_refused(other, said):
    with pytest.raises(TypeError, match=rf"^parse: text must be the name of a measure, not {said}\.$"):
        parse(other)


def suggested(text: str) -> str:
    """Return the measure that the error message for a text suggests."""
    with pytest.raises(ValueError, match=r"^Unknown measure .*\. Did you mean .*\?$") as told:
        parse(text)
    return str(told.value).rpartition(" mean ")[2].removesuffix("?")


@pytest.mark.parametrize(
    ("measure", "texts"),
    [
        ("StRecall@10", "I-rec@10 i_rec_10 CR@10 S-recall@10 S-Recall_10 SRecall@10 subtopic-recall@10 strec@10"),
        ("SessionDCG@10", "sDCG@10 sDCG_10 sdcg_cut_10 SessionDGC@10"),
        ("nSessionDCG@10", "nsDCG@10 nSDCG@10 nsDCG_cut_10"),
        ("SDCG@10", "SDCG_10 SDCG_cut_10 SDCG(10)"),
        (
            "alpha_nDCG@20",
            "alpha-nDCG@20 \u03b1-nDCG@20 a-nDCG@20 alpha_nDCG_20 alpha_nDCG_cut_20 alpha-ndcg.20 alphaNDCG@20",
        ),
        ("alpha_DCG@5", "alpha-DCG@5 \u03b1-DCG_5 a-DCG@5"),
        (
            "IA(nDCG@10)",
            "IA-nDCG@10 nDCG-IA@10 nDCG_IA@10 ndcg-ia@10 nDCG@10_IA nDCG@10-IA IA_ndcg_cut_10 ndcg_cut_10_IA",
        ),
        (
            "IA(nDCG(dcg='exp-log2')@10)",
            "IA-nDCG(dcg='exp-log2')@10 nDCG-IA(dcg='exp-log2')@10 nDCG(dcg='exp-log2')-IA@10",
        ),
        ("IA(RR@10)", "IA-RR@10 MRR-IA@10 IA-recip_rank@10"),
        ("IA(AP@10)", "MAP-IA@10 IA-AP@10 AP@10_IA"),
        ("AP_IA", "MAP-IA IA-MAP AP-IA"),
        ("P_IA@10", "IA-P@10 P-IA@10 P@10_IA P_IA_10 p_ia_cut_10"),
        ("ERR_IA@20", "IA-ERR@20 ERR-IA@20 err-ia_20 EER-IA@20"),
        ("nERR_IA@20", "nERR-IA@20 nERR_IA_cut_20"),
        ("alpha_nDCG_IA@10", "alpha-nDCG-IA@10 IA-alpha-nDCG@10"),
        ("PplusQ@10", "P+Q@10 p+q_10"),
        ("PplusQsharp", "P+Q#"),
        ("Pplus@10", "P+@10"),
        ("Q@10", "Q-measure@10"),
        ("Dsharp_nDCG@10", "D#-nDCG@10 D#nDCG@10 d#-ndcg_cut_10 Dsharp-nDCG@10 D\u266f-nDCG@10 D#\u2013nDCG@10 D#@10"),
        ("DINsharp_nDCG@10", "DIN#-nDCG@10 DIN#nDCG@10 DIN#_10"),
        ("DINsharp_Q@10", "DIN#-Q@10 DIN#-Q_10"),
        ("IA(Dsharp_nDCG@10)", "IA-D#-nDCG@10 IA(D#-nDCG@10)"),
        ("Sharp(PplusQ(beta=2)@10,gamma=0.3)", "Sharp(P+Q(beta=2)@10,gamma=0.3)"),
        ("RBP(p=0.8)", "RBP(0.8) rbp(0.8)"),
        ("RBP(p=0.8,rel=2)@10", "RBP(0.8,rel=2)@10 RBP(.8,rel=2)_10"),
        ("IA(RBP(p=0.8)@10)", "IA(RBP(0.8)@10) RBP-IA(0.8)@10 IA-RBP(0.8)@10 IA(RBP(p=0.8)_10)"),
        ("alpha_nDCG(alpha=0.3)@10", "alpha_nDCG(0.3)@10 alpha-nDCG(0.3)@10"),
        ("Dsharp_nDCG(gamma=0.3)", "D#-nDCG(0.3)"),
        ("nDCG@10", "nDCG(10) nDCG10 ndcg_cut_10 ndcg-cut-10 ndcg_cut.10 NDCG_10"),
        ("nDCG", "ndcg ndcg_cut nDGC"),
        ("IPrec@0.1", "iprec_at_recall_0.10"),
        ("R@10", "recall_10 recall.10"),
        ("AP@10", "map_cut_10 map_10"),
        *(("RR", "recip_rank"), ("NumRelRet", "num_rel_ret"), ("SetR", "set_recall"), ("SetAP", "set_map")),
        ("RBU(p=0.5)@5", "nRBU(p=0.5)@5 RBUU(p=0.5)@5"),
    ],
)
def test_the_error_suggests_the_measure_that_others_write_so_with_its_cutoff_and_parameters(measure, texts):
    for text in texts.split():
        assert (text, parse(suggested(text))) == (text, parse(measure))


@pytest.mark.parametrize("name", [name for name in ir_measures.measures.registry if not name[-1].isdigit()])
def test_each_measure_is_found_from_its_name_in_other_letters(name):
    measure = ir_measures.measures.registry[name]
    symbols = name.replace("sharp_", "#-").replace("sharp", "#").replace("plus", "+").replace("alpha_", "\u03b1-")
    texts = {name.replace("_", "-"), symbols, symbols.replace("_", "-")}
    if "cutoff" in measure.SUPPORTED_PARAMS and measure.SUPPORTED_PARAMS.keys().isdisjoint({"measure"}):
        texts |= {f"{one}{at}" for one in texts for at in ("_10", "_cut_10", "-10", ".10")}

    for text in texts - {name}:
        assert parse(suggested(text)).NAME == measure.NAME


@pytest.mark.parametrize(
    "text",
    ["IA(" * 70, "IA(" * 60 + "AP" + ")" * 60, "IA(" * 5000 + "AP" + ")" * 5000, "_a" * 50000 + "!", "a(" * 50000],
)
def test_a_long_text_is_refused_at_once(text):
    start = time.perf_counter()

    with pytest.raises(ValueError, match=r"\.$"):
        parse(text)

    assert time.perf_counter() - start < 2


def test_eight_measures_inside_of_each_other_are_the_most():
    measure = AP
    for wrapper in [IA, Adhoc, Sharp, IA, Adhoc, Sharp, IA, Adhoc]:
        measure = wrapper(measure)

    assert parse(str(measure)) == ir_measures.parse_measure(repr(measure)) == measure
    with pytest.raises(ValueError, match=r"^IA: measures must not be nested more than 8 deep\.$"):
        IA(measure)


NO_BOGUS = "alpha_nDCG has no parameter 'bogus'; its parameters: cutoff, rel, alpha, judged_only."


# `python -O` says the same: see `test_optimised.py`.
@pytest.mark.parametrize(
    ("measure", "sentence"),
    [
        (alpha_nDCG(bogus=3) @ 5, NO_BOGUS),
        (nDCG(foo=1) @ 5, "nDCG has no parameter 'foo'; its parameters: cutoff, dcg, gains, judged_only."),
        (nDCG(dcg="x") @ 5, "nDCG: dcg must be one of ['log2', 'exp-log2'], not 'x'."),
        (nDCG(gains=[1]) @ 5, "nDCG: gains must be a dict, not [1]."),
        (AP(judged_only=1), "AP: judged_only must be True or False, not 1."),
        (P, "P: the parameter cutoff is missing"),
        (AP @ 2.5, "AP: cutoff must be an integer, not 2.5."),
        (RBP(p=1), "RBP: p must be a float such as 1.0, not 1."),
        (alpha_nDCG(alpha=2.0), "alpha_nDCG: alpha must be a number in [0, 1], not 2.0."),
    ],
    ids=lambda value: value.NAME if isinstance(value, ir_measures.Measure) else None,
)
def test_a_parameter_that_a_measure_of_ir_measures_does_not_take_is_refused(measure, sentence):
    with pytest.raises(ValueError, match="^" + re.escape(sentence)):
        evaluate_runs({"q": {"a": 1}}, {"mine": {"q": ["a"]}}, [measure])


def test_the_error_of_a_parameter_is_the_same_for_every_caller():
    with pytest.raises(ValueError, match=f"^{re.escape(NO_BOGUS)}$"):
        score(alpha_nDCG(bogus=3) @ 5, [1])
    with pytest.raises(ValueError, match=f"^Adhoc: {re.escape(NO_BOGUS)}$"):
        Adhoc(alpha_nDCG(bogus=3) @ 5)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("D#-nDCG@10", "Unknown measure 'D#-nDCG@10'. Did you mean Dsharp_nDCG@10?"),
        ("RBU(p=.8,p=.9)@5", "RBU: the parameter p is given twice."),
        ("RBU(cutoff=5)@5", "RBU: the parameter cutoff is given twice."),
    ],
)
def test_the_error_of_a_name_is_the_same_for_every_caller(text, sentence, tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 1 a 1\n")
    run.write_text("q Q0 a 1 1 x\n")
    callers = [
        parse,
        lambda name: evaluate_runs(qrels, [run], ["AP", name]),
        lambda name: Evaluate({"q": {"a": 1}}, name),
        lambda name: score(name, [1]),
        IA,
    ]

    for caller in callers:
        with pytest.raises(ValueError, match=f"^(IA: )?{re.escape(sentence)}$"):
            caller(text)
    assert fail("evaluate", str(qrels), str(run), "-m", f"AP {text}").strip() == f"Error: {sentence}"
