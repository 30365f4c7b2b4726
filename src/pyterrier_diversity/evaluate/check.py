"""Look for mistakes in qrels and runs before evaluating them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from ..frames import Doubts, collected, listed
from ..io import OrderedBy, Runs, named_runs, qrels_frame, run_frame
from ..judged import Judgements, Run, judge, tied_across
from ..parameters import Parameter
from ..warnings import EmptyWarning, RelevanceWarning
from .evaluator import single_intents
from .perquery import told_of_missing
from .scoring import refuse_unjudged

_CUTOFF = Parameter(int, 20, interval="[1, inf)")


def check_files(qrels: Any, runs: Runs = (), *, order: OrderedBy = "score", cutoff: int = 20) -> pd.DataFrame:
    """Look for mistakes in qrels and runs, without computing a measure.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, as `evaluate_runs` takes them. Not changed.
    runs : mapping of names to paths or runs, path, or iterable of paths
        Runs, as `evaluate_runs` takes them; none by default.
    order : {"score", "rank"}
        The column that orders the documents of run files, as in `io.read_run`.
    cutoff : int >= 1
        The last rank at which judged documents are counted, and across which scores may tie.

    Returns
    -------
    DataFrame
        One row for each finding: ``name`` ("qrels" or the name of the run), ``kind``, ``about`` and ``message``. An
        "error" would stop the evaluation, a "warning" may explain unexpected values, and a "note" describes the data.
        What a warning is ``about`` is the name of its class in `pyterrier_diversity.warnings`, such as "IdsWarning"; it
        is empty for errors and notes.

    Raises
    ------
    ValueError
        If a run file does not exist, two runs have the same name, arguments are in the wrong order, or the cutoff is
        below 1.

    Examples
    --------
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": 1, "iteration": ["x", "y"]})
    >>> run = pd.DataFrame({"qid": "7", "docno": ["a"], "score": [1.0]})
    >>> check_files(qrels, {"mine": run})[["name", "kind"]]
        name     kind
    0  qrels     note
    1   mine  warning
    2   mine     note
    """
    cutoff = _CUTOFF.check("check_files", "cutoff", cutoff)
    runs = list(runs) if isinstance(runs, Iterator) else runs
    named = {} if isinstance(runs, (list, tuple, dict)) and not runs else named_runs("check_files", runs)
    read: list[Judgements] = []
    found = list(_findings("qrels", _about_qrels(qrels, read)))
    for name, run in named.items():
        found += _findings(name, _about_run(run, read, order, cutoff))
    return pd.DataFrame(found, columns=["name", "kind", "about", "message"])


def _findings(name: str, messages: Iterator[str | Warning]) -> Iterator[tuple[str, str, str, str]]:
    """Yield a row for each message: a warning or a note."""
    try:
        for message in messages:
            about = type(message).__name__ if isinstance(message, Warning) else ""
            yield name, "warning" if about else "note", about, str(message)
    except (ValueError, TypeError, OSError) as error:
        yield name, "error", "", str(error)


def _about_qrels(qrels: Any, read: list[Judgements]) -> Iterator[str | Warning]:
    """Yield messages about qrels, and add them to ``read`` as soon as they could be read."""
    judgements = judge(qrels_frame(qrels))
    read.append(judgements)
    if not len(judgements):
        raise ValueError("The qrels are empty.")
    refuse_unjudged(judgements)
    n_queries, rows = len(judgements), judgements.rows
    n_intents = np.bincount(judgements.named.query, minlength=n_queries)
    without = [name for name, n in zip(judgements.query_ids, judgements.n_intents, strict=True) if not n]
    if without:
        counted = _number_of(len(without), "query has", "queries have")
        yield RelevanceWarning(f"{counted} no relevant document: {listed(without)}. Most measures score 0 there.")
    yield from single_intents(judgements)
    negative = int(np.count_nonzero(rows.label < 0))
    if negative:
        yield f"{negative} negative labels count as 0."
    weight = judgements.named.weight
    weights = f" with weights of {weight.min():g} to {weight.max():g}" if weight.min() < weight.max() else ""
    yield (
        f"{_number_of(n_queries, 'query', 'queries')}, {n_intents.sum()} intents{weights}, "
        f"{len(judgements.intents.ids)} of them with a relevant document; {len(rows.label)} judgements, labels "
        f"{rows.label.min():g} to {rows.label.max():g}."
    )


def _about_run(run: Any, qrels: list[Judgements], order: OrderedBy, cutoff: int) -> Iterator[str | Warning]:
    with collected() as found:
        frame = run_frame(run, order=order)
        doubts = Doubts()
        read = Run(frame, doubts=doubts)
        for judgements in qrels:
            read.find(judgements)
        doubts.warn()
    yield from (told.warning for told in found)
    if frame.empty:
        yield EmptyWarning("The run is empty: every query gets each measure's default value.")
        return
    for judgements in qrels:
        yield from _about_queries(len(frame), read, judgements, cutoff)


def _about_queries(n_rows: int, run: Run, judgements: Judgements, cutoff: int) -> Iterator[str | Warning]:
    given = set(run.query_ids)
    asked = set(judgements.query_ids)
    answered = [name for name in judgements.query_ids if name in given]
    missing = [name for name in judgements.query_ids if name not in given]
    yield from (told.warning for told in told_of_missing({"": missing}, asked))
    judged = dict(zip(judgements.query_ids, judgements.judged_docs, strict=True))
    is_judged = [doc in judged[name] for name in answered for doc in run.ranking(name, cutoff)]
    share = f"; {np.mean(is_judged):.0%} of the documents down to rank {cutoff} are judged" if is_judged else ""
    (tied,) = tied_across(run, [cutoff])
    n_tied = len(set(answered).intersection(tied))
    share += f"; scores tie across rank {cutoff} in {_number_of(n_tied, 'query', 'queries')}" if n_tied else ""
    others = len(given) - len(answered)
    more = f" and {others} without judgements" if others else ""
    yield f"{len(answered)} of {len(judgements)} judged queries{more}, {n_rows} documents{share}."


def _number_of(n: int, one: str, several: str) -> str:
    return f"{n} {one if n == 1 else several}"
