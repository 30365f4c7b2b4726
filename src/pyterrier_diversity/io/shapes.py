"""The shapes of data that people bring: how each is recognised, what it holds, what reads it or what to do instead."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from numbers import Number
from types import NoneType
from typing import NamedTuple

import pandas as pd

from . import fits, forms
from .dynamic_domain import LINE_OF_SESSION, read_dd_run, read_dd_truth
from .fits import Fits, like, of_first_line, of_lines, of_members, of_names, of_object, of_record, of_values
from .forms import read_lines
from .look import FOR_PEOPLE, NEEDED, Look, SharedColumns, by_place
from .nugget_records import NUGGET_FORMATS
from .nuggets import read_nuggets
from .records import native

_ORDER = "Qrels come first, then runs, then measures."
_EVALUATE = "Evaluate it first, by evaluate_runs(qrels, runs, measures, perquery=True) or, in the shell, evaluate -q."
_DOCS = "{document: number}, [document] or [(document, score)]"
# What is wanted, in words.
_WANTED = {"run": "a run", "qrels": "qrels", "results": "results by query"}
_LONGEST_RECORD = 100
_OF_JSON = (str, Number, NoneType, Mapping, list, tuple)

_FORMS = "a file, a frame, a list of dicts or of named tuples, or a dict of queries with"
_ASPECTS = (
    "If the aspects are intents, make a row of each: frame.melt(['qid', 'docno'], var_name='iteration', "
    "value_name='label'). Otherwise rename the one that counts to label."
)
_NAME_COLUMNS = "Name the columns: pandas.DataFrame(rows, columns=['qid', 'docno', 'score']), with 'label' for qrels."
_PRELS_OR_WEIGHTS = (
    f"{by_place('qrels')} These are the numbers for prels (topic, document, judgement, method, probability). For "
    "qrels with weights (query, intent, document, label, weight): 1=qid,2=iteration,3=docno,4=label,5=weight."
)
_RANK = "If they are in order, add their rank: frame.assign(rank=frame.groupby('qid').cumcount())."
_ROWS = "pandas.DataFrame([(q, i, d, {}) for {}], columns=['qid', 'iteration', 'docno', 'label'])."
_ONE_LABEL = f"{by_place('qrels', (1, 3, 5))} If the second column has intents, it is 2=iteration."
_BITS = f"Make a row of each bit: {_ROWS.format('int(bit)', 'q, d, bits in rows for i, bit in enumerate(bits)')}"
_FLATTEN = "Flatten it to one row for each document, with qid, docno and score or rank (a run), or label (qrels)."
_OF_INTENTS = "q, intents in data.items() for i, docs in intents.items() for "
_INTENT_ROWS = f"Make rows of it: {_ROWS.format(1, _OF_INTENTS + 'd in docs')}"
_GRADED = f"{_ORDER} Make rows of qrels: {_ROWS.format('label', _OF_INTENTS + 'd, label in docs.items()')}"
_RELEVANT = "If they are the relevant documents, give {query: {document: 1}}, or read them with io.read_nuggets."
_IN_RUNS = "Give it in the place of runs: io.read_runs and evaluate_runs read all of them."
_RUBRICS = "Drop criteria of negative weight; read the others by io.read_nuggets(..., columns={'rubrics': 'nuggets'})."
_FOR_PROGRAMS = "Its numbers are rounded. Write it in another format, such as csv (--format csv in the shell)."
_BY_QUERY = "Evaluate by query (-q in the shell)."


class Shape(NamedTuple):
    """A shape of data.

    Attributes
    ----------
    name : str
        What it is, in the user's words.
    holds : str
        What it can be read as, separated by spaces: "run", "qrels" or "results".
    fits : callable
        Tells whether data that is looked at has this shape.
    read : callable or str
        What reads it as a frame; or what the user can do, if nothing reads it.
    wanted : str
        It is only looked for if one of these is wanted.
    """

    name: str
    holds: str
    fits: Fits
    read: Callable[[Look], pd.DataFrame] | str
    wanted: str = "run qrels results"


def frame_in(look: Look) -> pd.DataFrame:
    """Return what is wanted from data as a frame, by the first shape that fits.

    Raises
    ------
    ValueError, TypeError
        If the data has no known shape, or is something else. The message says what was seen and what to do.
    """
    shape = shape_of(look)
    if look.form == "lines" and shape is not NUMBERED and look.columns and not isinstance(look.columns, SharedColumns):
        needed = ", ".join(NEEDED[look.wanted]).replace("|", " or ")
        raise ValueError(f"{look.name}: lines have no names, so columns must name {needed}. {by_place(look.wanted)}")
    if shape is None or isinstance(shape.read, str) or look.wanted not in shape.holds.split():
        raise refusal(look, shape)
    return shape.read(look)


def shape_of(look: Look) -> Shape | None:
    """Return the first shape that fits, if any."""
    return next((shape for shape in SHAPES if look.wanted in shape.wanted.split() and shape.fits(look)), None)


def refusal(look: Look, shape: Shape | None) -> Exception:
    """Return the error about data that does not hold what is wanted: what was seen, what is wanted, and what to do."""
    are_results = look.wanted == "results"
    of_queries, instead = ("{measure: number}", _EVALUATE) if are_results else (_DOCS, _ORDER)
    if shape is None and (look.form == "object" or not all(isinstance(of, _OF_JSON) for of in look.record.values())):
        members, of = (look.record.values(), "a dict of ") if look.form == "records" else (look.data, "rows of ")
        others = [one for one in members if not isinstance(one, Mapping)] if isinstance(look.data, list) else []
        kind = f"{of}{type(others[0]).__name__}" if others else type(look.data).__name__
        return TypeError(f"{look.name} must be {_FORMS} {of_queries}, not {kind}.")
    missing = [name.replace("|", " or ") for name in fits.missing(look.names, NEEDED[look.wanted])]
    found = f"; found: {', '.join(look.fields) or 'nothing'}" if look.form in ("frame", "records") else ""
    record = json.dumps(native(look.data[0].given), default=str, ensure_ascii=False) if look.record else ""
    if first := look.data.first_line if look.lines else record:
        shown = first[:_LONGEST_RECORD] + "..." * (len(first) > _LONGEST_RECORD)
        found += f"; the first {'line' if look.lines else 'record'} is {shown}"
    if shape is None:
        old = missing[0].split()[0]
        call = "perquery" if are_results else look.wanted
        shell = f" or, in the shell, --columns theirs={old}" * (not are_results)
        return ValueError(
            f"{look.name}: missing column {', '.join(missing)}{found}. If a column has another name, rename it, as in "
            f"io.read_{call}(..., columns={{'theirs': '{old}'}}){shell}."
        )
    step = shape.read if isinstance(shape.read, str) else instead
    instead_of = f", not {_WANTED[look.wanted]}" * (look.wanted not in shape.holds.split())
    return ValueError(f"{look.name} is {shape.name}{instead_of}{found}. {step}")


def _read_as_nuggets(look: Look) -> pd.DataFrame:
    return read_nuggets(look.data, columns=look.columns) if look.form == "object" else read_nuggets(look)


_OF_SESSION = of_first_line("lines", LINE_OF_SESSION)
_OF_TRUTH = of_first_line("markup")
_END_OF_PRELS = r"\d\S* -?\d \d ([01]|[01]?\.\d+|\d(\.\d+)?e-\d+)"
# Documents of the tracks that have prels.
_PRELS = of_lines(5, like(rf"\S+ (GX|clueweb){_END_OF_PRELS}"), fits.are_once)
_PERHAPS_PRELS = of_lines(5, like(rf"\S+ \S*{_END_OF_PRELS}"), fits.are_once)
# Topics and subtopics such as DD16-1 and DD16-1.1. Topic DD16-24 has a subtopic 24.11.
_PASSAGES = of_lines(5, like(r"DD(\d+-(\d+)) (DD\1|\2)\.\S* \S+ \d{1,9} -?\d"))
_SEVERAL_LABELS = of_lines(0, like(r"\S+ \S+ \S+( -?\d){3,}"))
_STRATA = of_lines(5, fits.have_strata)
_LONG = of_names("qid", "measure", "value", without="docno")
_WIDE = of_names("qid", without="docno query measure value")
_ALL = "run qrels results"
SEVERAL = Shape("several runs", "", fits.are_runs, f"Give one of them. {_ORDER}")
RUNS_OF_SYSTEMS = Shape("runs of several systems", "", of_members("rows run lists"), _IN_RUNS, "run")
NUMBERED = Shape("lines whose columns have names by number", _ALL, fits.are_numbered, forms.read_numbered)

#: The first shape that fits counts, so they are sorted from special to general.
SHAPES: tuple[Shape, ...] = (
    Shape("a pipeline", "", of_object("transform_iter"), "Give its results as a run: pipeline(topics)."),
    Shape("a dataset", "", of_object("get_qrels", "qrels_iter"), "Give its qrels first: dataset.get_qrels()."),
    Shape("a measure", "", of_object("calc_aggregate", "SUPPORTED_PARAMS"), _ORDER),
    Shape("a folder", "", fits.is_folder, "io.read_runs reads its files.", "run"),
    Shape("a folder", "qrels", fits.is_folder, _read_as_nuggets, "qrels"),
    Shape("rows without names", "", fits.are_rows, _NAME_COLUMNS, "run qrels"),
    Shape("texts of queries, or paths without a file", "", fits.are_texts, _ORDER, "qrels"),
    Shape("frames by query", "run qrels", of_record(fits.are_frames), forms.read_frames, "run qrels"),
    SEVERAL,
    Shape("empty", _ALL, fits.is_empty, forms.read_nothing),
    NUMBERED,
    Shape("a session of TREC Dynamic Domain", "run", _OF_SESSION, lambda look: read_dd_run(look.data)),
    Shape("judgements of several aspects", "", _SEVERAL_LABELS, _ONE_LABEL, "qrels"),
    Shape("a run", "run", of_lines(6), forms.read_lines_of_run),
    Shape("prels (topic, document, judgement, method, probability)", "qrels", _PRELS, forms.read_prels),
    Shape("either prels or qrels with weights", "qrels", _PERHAPS_PRELS, _PRELS_OR_WEIGHTS, "qrels"),
    Shape("passages of TREC Dynamic Domain", "qrels", _PASSAGES, forms.read_passages),
    Shape("judgements in the fifth column, beside a stratum", "", _STRATA, _ONE_LABEL, "qrels"),
    Shape("qrels with weights", "qrels", of_lines(5), forms.read_lines_of_qrels, "qrels"),
    Shape("documents with bits for intents", "", of_lines(0, like(r"\S+( \S+)? \S+ [01]{2,}")), _BITS, "run qrels"),
    Shape("qrels", "qrels", of_lines(4, fits.are_qrels), forms.read_lines_of_qrels),
    *(
        Shape(f"results in lines of {of}", "results", of_values(of), partial(read_lines, of.split()), "results")
        for of in (*forms.LINE_FORMATS.values(), "name measure qid value")
    ),
    Shape("a table of means", "", of_lines(2), _BY_QUERY, "results"),
    Shape("lines without the name of a known measure", "", of_lines(0), by_place("results"), "results"),
    Shape("lines of three columns without names", "", of_lines(3), by_place("qrels"), "qrels"),
    Shape("lines of three columns without names", "", of_lines(3), by_place("run")),
    Shape("lines of four columns without names", "", of_lines(4), by_place("run"), "run"),
    Shape("lines of a run", "run", of_lines(0), forms.read_lines_of_run, "run"),
    Shape("lines of qrels", "qrels", of_lines(0), forms.read_lines_of_qrels, "qrels"),
    Shape("a table in HTML, Markdown or LaTeX", "", of_first_line("markup", FOR_PEOPLE), _FOR_PROGRAMS),
    Shape("a truth file of TREC Dynamic Domain", "qrels", _OF_TRUTH, lambda look: read_dd_truth(look.data)),
    Shape("judged answers", "run", of_names("qid", "nuggets", "run_id"), forms.read_answers, "run"),
    *(Shape(title, "qrels", fits.of_nuggets(names), _read_as_nuggets) for names, title in NUGGET_FORMATS.items()),
    Shape("rubrics", "", of_names("rubrics"), _RUBRICS, "qrels"),
    Shape("rows of nuggets", "qrels", fits.are_nugget_rows, _read_as_nuggets, "qrels"),
    Shape("a request of Castorini's tools", "run", of_record(fits.is_request), forms.read_rows),
    Shape("qrels of BEIR, MTEB or ranx", "qrels", fits.are_qrels_of_beir, forms.read_scored_documents, "qrels"),
    Shape("qrels", "qrels", of_names("qid", "docno", "label"), forms.read_table),
    Shape("a run", "run", of_names("qid", "docno", "score|rank"), forms.read_table),
    Shape("documents by query", "", of_record(fits.lists_documents), _RELEVANT, "qrels"),
    Shape("documents by query", "run", of_record(fits.lists_documents), forms.read_rows),
    Shape("results by query", "results", _LONG, forms.read_table_of_results),
    Shape("results with a column for each measure", "results", _WIDE, forms.read_table_of_results, "results"),
    Shape("{query: {measure: value}}", "results", of_members("numbers"), forms.read_values_by_query, "results"),
    Shape("a table of means", "", of_names("name|run", without="docno qid measure"), _BY_QUERY),
    Shape("judgements of several aspects", "", fits.have_aspects, _ASPECTS, "qrels"),
    Shape("rows without score or rank", "", of_names("qid", "docno"), _RANK, "run"),
    Shape("topics", "", of_names("qid", "query", without="docno label score rank"), _ORDER),
    Shape("scores by query", "", fits.are_scores, "If they are labels, make rows of qid, docno and label.", "qrels"),
    Shape("labels by query", "qrels", of_members("numbers words", "records"), forms.read_queries, "qrels"),
    Shape("groups of documents", "qrels", of_members("groups"), _read_as_nuggets, "qrels"),
    Shape("documents by query", "", of_members("list groups objects"), _RELEVANT, "qrels"),
    Shape("documents by query", "run", of_members("numbers", "list groups objects records"), forms.read_queries),
    Shape("{query: {intent: [documents]}}", "", of_members("lists"), _INTENT_ROWS, "qrels"),
    Shape("runs of several systems, or {query: {intent: {document: label}}}", "", of_members("run"), _GRADED, "qrels"),
    RUNS_OF_SYSTEMS,
    Shape("a nested object", "", of_record(fits.is_nested), _FLATTEN),
)
