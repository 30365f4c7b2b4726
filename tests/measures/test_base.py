import inspect
import pydoc
import re
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import RBP, P, nDCG

import pyterrier_diversity
from processes import in_a_new_process
from pyterrier_diversity import (
    CDG,
    IA,
    RBU,
    Adhoc,
    Dsharp_nDCG,
    Dsharp_Q,
    Sharp,
    StRecall,
    alpha_nDCG,
    register,
)
from pyterrier_diversity.measures import DiversityMeasure, registered
from pyterrier_diversity.measures.base import implementation, other_provider, parts_of
from pyterrier_diversity.parameters import CUTOFF, REL, Parameter
from pyterrier_diversity.report.reference import entry, notes_of

BUILT_IN = ["alpha_DCG", "alpha_nDCG", "ERR", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"]


def one_doc(**columns):
    return pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], **columns})


QRELS, RUN = one_doc(relevance=[1], iteration=["x"]), one_doc(score=[1.0])


@pytest.fixture
def defined():
    """Return a function that defines a measure with a name of this package, and restore the name afterwards."""

    def define(name, value):
        return ir_measures.define_byquery(lambda qrels, run: value, name=name)

    return define


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_measure_stays_the_object_of_ir_measures(name):
    assert getattr(pyterrier_diversity, name) is getattr(ir_measures, name)
    assert ir_measures.measures.registry[name] is getattr(ir_measures, name)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_measure_is_computed_by_this_package(name):
    first = next(provider for provider in ir_measures.DefaultPipeline.providers if provider.supports(get(name)))

    assert first.NAME == "diversity"


def get(name):
    return ir_measures.measures.registry[name]


@pytest.mark.parametrize("name", ["IA", "Adhoc", "RBU", "Sharp"])
def test_a_measure_of_this_package_parses_by_its_name(name):
    assert ir_measures.parse_measure(name) is not None
    assert get(name) is getattr(pyterrier_diversity, name)


@pytest.mark.parametrize("measure", [RBU, IA, CDG, Dsharp_nDCG, Dsharp_Q], ids=lambda measure: measure.NAME)
def test_registering_twice_changes_nothing(measure):
    before, held = registered(), get(measure.NAME)

    again = register(measure)

    assert again is held
    assert registered() == before


@pytest.mark.parametrize("name", ["RBU", "alpha_nDCG", "IA"])
def test_a_measure_that_a_user_defines_under_our_name_is_the_users(name, defined):
    measure = defined(name, 42.0)

    assert implementation(measure) is None
    assert ir_measures.calc_aggregate([measure, measure @ 3], QRELS, RUN) == {measure: 42.0, measure @ 3: 42.0}


def test_the_implementation_of_a_built_in_measure_has_its_parameters():
    ours = implementation(alpha_nDCG(alpha=0.3, judged_only=True) @ 7)

    assert isinstance(ours, DiversityMeasure)
    assert ours.params == {"cutoff": 7, "alpha": 0.3, "judged_only": True}


@pytest.mark.parametrize(
    ("measure", "views"),
    [
        (RBU, ["intents"]),
        (IA(Adhoc(nDCG @ 5)), ["each intent"]),
        (Adhoc(IA(nDCG @ 5)), ["ad hoc"]),
        (Sharp(IA(P @ 5)), ["intents", "each intent"]),
    ],
    ids=str,
)
def test_a_part_reads_the_qrels_as_the_outermost_wrapper_does(measure, views):
    assert [view for view, _ in parts_of(measure)] == views


@pytest.mark.parametrize(("measure", "name"), [(P @ 5, "pytrec_eval"), (RBP(rel=1), "cwl_eval"), (RBU, None)], ids=str)
def test_another_provider_is_the_first_that_computes_the_measure(measure, name):
    assert getattr(other_provider(measure), "NAME", None) == name


def test_measures_that_are_ours_only_inside_wrappers_are_not_listed():
    assert {"AP", "P", "RR", "RBP", "nDCG"}.isdisjoint(measure.NAME for measure in registered())


@pytest.mark.parametrize("measure", registered(), ids=lambda measure: measure.NAME)
def test_a_measure_declares_what_documentation_shows(measure):
    shown = entry(measure)

    assert all(shown[part] for part in ("name", "what", "formula", "range", "source"))
    assert shown["what"] == measure.__doc__.split("\n")[0].strip()
    assert measure.__name__ == measure.NAME
    assert measure.NAME.isidentifier()


@pytest.mark.parametrize(
    ("measure", "text"),
    [
        (RBU, "RBU"),
        (RBU(p=0.99, e=0.001), "RBU"),
        (RBU @ 5, "RBU@5"),
        (RBU(e=0.1, p=0.5) @ 5, "RBU(p=0.5,e=0.1)@5"),
        (RBU(norm=True, rel=2, max_rel=4, gain="linear"), "RBU(gain='linear',max_rel=4.0,rel=2.0,norm=True)"),
        (RBU(p=np.float32(0.5)) @ np.int64(7), "RBU(p=0.5)@7"),
        (RBU(p=1) @ 20.0, "RBU(p=1.0)@20"),
        (RBU(cutoff=5), "RBU@5"),
        (RBU(p=0.5)(e=0.1) @ 3, "RBU(p=0.5,e=0.1)@3"),
        ((RBU @ 3) @ 4, "RBU@4"),
        (RBU(p=0.5)(p=0.99), "RBU"),
        (IA(nDCG @ 20), "IA(measure='nDCG@20')"),
        (Sharp(nDCG @ 20, gamma=1), "Sharp(measure='nDCG@20',gamma=1.0)"),
        (Sharp(nDCG @ 20, gamma=0.5), "Sharp(measure='nDCG@20')"),
    ],
)
def test_repr_is_canonical(measure, text):
    assert repr(measure) == text


EXAMPLES = [
    RBU(p=1, e=0) @ np.int32(3),
    RBU(p=np.float64(0.8), e=np.float32(0.25), norm=np.True_),
    RBU(p=0.1 + 0.2, e=1e-300),
    RBU(gain="binary", max_rel=4, rel=2),
    RBU(gain=np.str_("linear")),
    alpha_nDCG(alpha=0.1 + 0.2) @ 5,
    IA("P(rel=2)@10"),
    IA(nDCG(gains={1: 3}) @ 10),
    IA(nDCG(gains={1: 3, 2: 7}, judged_only=True) @ 10),
    IA(nDCG(dcg="exp-log2") @ 10),
    IA(RBU(p=0.9, gain="linear") @ 5),
    IA(Adhoc(IA("P@3"))),
    Adhoc(RBP(p=0.95, rel=2)),
    Sharp(IA(RBU(gain="binary") @ 3), gamma=np.float64(0.25)) @ 7,
    IA(alpha_nDCG(alpha=np.float64(0.1)) @ 5),
    IA(RBP(p=np.float64(0.9), rel=1)),
]


def test_a_label_above_max_rel_is_refused_although_it_is_in_the_table_of_gains():
    with pytest.raises(ValueError, match=r"labels may be at most 1, but query 'q' has 2 for document '0'\.$"):
        pyterrier_diversity.score(RBU(gain={1: 0.5, 2: 0.6}, max_rel=1), [2, 1])


@pytest.mark.parametrize("measure", [*EXAMPLES, *registered()], ids=repr)
def test_repr_parses_to_an_equal_measure(measure):
    parsed = ir_measures.parse_measure(repr(measure))

    assert parsed == measure
    assert repr(parsed) == repr(measure)
    assert parsed.params == measure.params


def test_get_returns_none_for_a_parameter_that_a_measure_does_not_have():
    assert (RBU.get("judged_only"), RBU.get("p")) == (None, 0.99)


def test_a_measure_without_rankings_has_the_default_of_ir_measures():
    assert {measure.DEFAULT for measure in registered()} == {0.0}


@pytest.mark.parametrize("measure", [RBU, StRecall, alpha_nDCG], ids=repr)
@pytest.mark.parametrize("cutoff", [10**6, 2**32, 2**62, 2**63])
def test_a_cutoff_beyond_every_ranking_has_no_effect(measure, cutoff, random_topics, by_query):
    qrels, run = random_topics(0)

    assert by_query(measure @ cutoff, qrels, run) == pytest.approx(by_query(measure, qrels, run), abs=1e-12)


def test_qrels_whose_names_only_compare_equal_are_not_taken_for_each_other():
    # 1.0 == 1, but the names are "1.0" and "1"; evaluators are made again and again, and qrels are remembered.
    as_float, as_int = QRELS.assign(query_id=[1.0]), QRELS.assign(query_id=[1])

    with pytest.raises(TypeError, match="query_id"):
        RBU.calc_aggregate(as_float, RUN.assign(query_id=[1.0]))

    assert RBU(e=0).calc_aggregate(as_int, RUN.assign(query_id=[1])) > 0


class _FirstHit(DiversityMeasure):
    r"""1 / rank of the first document that is relevant to any intent: what a stranger writes to add a measure.

    Notes
    -----
    :Formula: 1 / \min \{i : J_{it} = 1\}
    :Source: this test
    :Equal to: itself
    """

    SUPPORTED_PARAMS = {**CUTOFF, **REL, "scale": Parameter(float, 1.0, interval="(0, 10]", desc="a factor")}

    def score(self, ranked):
        return self.scale * ranked.documents.queries.highest(1 / ranked.documents.rank)


def test_one_class_is_all_that_a_new_measure_takes(topic):
    first_hit = _FirstHit()
    qrels, run = topic({"a": {"x": 1, "y": 0}, "b": {"y": 2}}, "zba")
    measures = [first_hit, first_hit @ 1, first_hit(rel=2, scale=3), IA(first_hit)]

    assert first_hit.NAME == "FirstHit"
    assert ir_measures.calc_aggregate(measures, qrels, run) == {
        measures[0]: 1 / 2,
        measures[1]: 0.0,
        measures[2]: 3 / 2,
        measures[3]: (1 / 3 + 1 / 2) / 2,
    }


class _LastHit(_FirstHit):
    r"""1 / rank of the last relevant document.

    Notes
    -----
    :Where: the labels are those of
        $t$: any intent
    :Formula: 1 / \max i
    """


def test_the_notes_of_a_docstring_describe_a_measure_and_except_for_its_peer_also_a_subclass():
    assert notes_of(_LastHit()) == {
        "Where": "the labels are those of $t$: any intent",
        "Formula": r"1 / \max i",
        "Source": "this test",
        "Equal to": "",
    }
    assert notes_of(_FirstHit())["Equal to"] == "itself"
    assert (entry(_FirstHit())["name"], entry(Dsharp_nDCG(gamma=0.7) @ 5)["name"]) == ("FirstHit", "D#-nDCG")


def test_a_new_measure_is_checked_like_the_others():
    with pytest.raises(ValueError, match=r"FirstHit: scale must be a number in \(0, 10\], not 11"):
        _FirstHit()(scale=11)


def own(name, module="somewhere", qualname="_Own"):
    """Return a measure of a class of that name, module and qualified name."""
    return type(qualname, (_FirstHit,), {"NAME": name, "__name__": name, "__module__": module})()


@pytest.mark.parametrize("name", ["nDCG", "RBU", "alpha_nDCG", "NDCG", "CDG", "IA"])
def test_the_name_of_another_class_is_refused(name):
    before, held = registered(), get(name)

    with pytest.raises(
        ValueError, match=rf"^register: the name {name} is taken by \w+(\.\w+)+\. Choose another NAME\.$"
    ):
        register(own(name))

    assert get(name) is held
    assert registered() == before


@pytest.mark.parametrize("name", ["D", "D#-nDCG", "my measure", "1st", "class", "None", "nDCG@5", "\ufb01rst"])
def test_a_name_that_cannot_be_parsed_is_refused(name):
    with pytest.raises(ValueError, match=r"^register: '.*' cannot be parsed as the name of a measure\."):
        register(own(name))

    assert name not in ir_measures.measures.registry


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (_FirstHit, r"give an object, _FirstHit\(\), not the class\."),
        (nDCG, r"nDCG is not an object of a subclass of DiversityMeasure\."),
        ("RBU", r"'RBU' is not an object of a subclass of DiversityMeasure\."),
        (
            type("_Own", (_FirstHit,), {"SUPPORTED_PARAMS": {**REL, "cutoff": ir_measures.ParamInfo(dtype=int)}})(),
            r"'cutoff' must be a parameters\.Parameter, not <.*>\.",
        ),
        (
            type("_Own", (_FirstHit,), {"SUPPORTED_PARAMS": {"p": Parameter(float, 7, interval="[0, 1]")}})(),
            r"p must be a number in \[0, 1\], not 7\.",
        ),
        (type("_Own", (_FirstHit,), {"NEEDS": "rarity"})(), r"NEEDS must be a tuple, as in \('rarity',\)\."),
        *[
            (
                type("_Own", (_FirstHit,), {"range": lambda _, limits=limits: limits})(),
                rf"range\(\) must return the smallest and the largest value, not {re.escape(repr(limits))}\.",
            )
            for limits in ("[0, 1]", "01", (0.0, 1.0, 2.0), ("0", "1"), (1.0, 0.0), (0.0, float("nan")), None)
        ],
        (type("_Own", (_FirstHit,), {"VIEW": "adhoc"})(), r"VIEW must be 'intents' or 'ad hoc', not 'adhoc'\."),
        (RBU @ 5, r"give RBU without parameters, not RBU@5\."),
    ],
)
def test_what_breaks_later_is_refused_when_it_is_registered(given, sentence):
    with pytest.raises((TypeError, ValueError), match=f"^register: {sentence}$"):
        register(given)


REGISTERS = """
import ir_measures
import pandas as pd
from pyterrier_diversity import IA, register
from pyterrier_diversity.measures import registered
from test_base import _FirstHit

before = registered()
FirstHit = register(_FirstHit())
assert set(registered()) - set(before) == {FirstHit}
measure = FirstHit(scale=2) @ 5
assert ir_measures.parse_measure(repr(measure)) == measure
assert ir_measures.parse_measure(repr(IA(measure))) == IA(measure)
qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["b"], "relevance": [1], "iteration": ["x"]})
assert ir_measures.calc_aggregate([measure, IA("FirstHit")], qrels, {"q": {"a": 2.0, "b": 1.0}}) == {
    measure: 1.0,
    IA(FirstHit): 0.5,
}

class _Other(_FirstHit):
    NAME = "Other"

    def score(self, ranked):
        return super().score(ranked) / 2

first = register(_Other())

class _Other(_FirstHit):  # a cell of a notebook that is run again
    NAME = "Other"

    def score(self, ranked):
        return super().score(ranked) / 4

second = register(_Other())
assert type(ir_measures.parse_measure("Other")) is _Other
assert ir_measures.calc_aggregate([second], qrels, {"q": {"a": 2.0, "b": 1.0}}) == {second: 1 / 8}
"""


def test_a_new_measure_parses_once_it_is_registered():
    # In its own process, because a registration cannot be undone.
    here = Path(__file__).parent
    in_a_new_process(f"import sys\nsys.path[:0] = {[str(here), str(here.parent)]}\n{REGISTERS}")


def test_help_shows_parameters_with_ranges_and_defaults():
    text = " ".join(pydoc.plain(pydoc.render_doc(RBU)).replace("|", " ").split())  # Python 3.13 breaks the lines

    assert re.search(r"RBU\( ?\*, cutoff: an integer in \[1, inf\) = None, p: a number in \(0, 1\] = 0.99, ", text)
    assert inspect.signature(RBU) == inspect.signature(type(RBU))
    assert list(inspect.signature(CDG).parameters) == list(CDG.SUPPORTED_PARAMS)


@pytest.mark.parametrize("measure", [RBU, IA, Adhoc, CDG], ids=lambda measure: measure.NAME)
def test_tab_completes_the_parameters(measure):
    jedi = pytest.importorskip("jedi")  # of IPython

    names = {found.name for found in jedi.Interpreter("M(", [{"M": measure}]).complete()}

    assert {f"{name}=" for name in measure.SUPPORTED_PARAMS} <= names


def test_a_value_without_a_name_is_refused():
    with pytest.raises(TypeError, match=r"^RBU\(20\): to set the cutoff, write RBU@20\.$"):
        RBU(20)
    with pytest.raises(TypeError, match=r"^RBU\(0\.9\): give the parameters by name \(cutoff, p, e, gain, "):
        RBU(0.9)
    # Each of these is an object of a class that is shared by a family.
    for measure in (CDG, Dsharp_nDCG):
        with pytest.raises(TypeError, match=rf"^{measure.NAME}\(20\): to set the cutoff, write {measure.NAME}@20\.$"):
            measure(20)


def test_a_measure_has_its_name_in_publications():
    assert [measure.PRETTY_NAME for measure in (RBU @ 5, Dsharp_nDCG, CDG)] == [
        "Rank-Biased Utility",
        "D#-nDCG",
        "Cumulated Discounted Gain",
    ]
