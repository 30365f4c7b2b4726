"""A report on systems as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd

from ..evaluate import evaluate_runs, missed_intents, runs_by_name, texts_of_intents
from ..io import read_if_path
from ..judged import QRELS_COLUMNS, RUN_COLUMNS, Ranked, Run, collected, judge, to_frame
from ..parameters import CUTOFF, Parameter, Rng, checked

if TYPE_CHECKING:
    from ..meta.scores import Scores

_QUERIES = Parameter(int, interval="[0, inf)", desc="how many queries to show with both rankings")
# How many characters of a document's text to show.
_EXCERPT = 160


class _Mean(NamedTuple):
    """A cell of the table of means. The interval is None if no test was made."""

    text: str
    interval: str | None
    higher_than: str
    lower_than: str
    best: bool


class _Bar(NamedTuple):
    """The bar for the difference on a query, in a picture of height 2, with its tooltip."""

    y: float
    height: float
    kind: str
    tip: str


class _Document(NamedTuple):
    """A row of a ranking."""

    rank: int
    docno: str
    excerpt: str
    intents: list[tuple[str, str, bool]]  # name, text, and whether it is new
    judged: bool
    value: str


class _Query(NamedTuple):
    """A query with the rankings of two systems."""

    qid: str
    difference: str
    rankings: list[tuple[str, list[_Document]]]


def html_report(
    qrels: pd.DataFrame,
    runs: Mapping[str, Any],
    measures: ir_measures.Measure | str | Iterable[ir_measures.Measure | str],
    path: str | os.PathLike[str],
    *,
    baseline: str | None = None,
    cutoff: int = 10,
    test: str = "tukey-randomised",
    correction: str | None = None,
    alpha: float = 0.05,
    n_queries: int = 5,
    title: str = "Diversity of search results",
    rng: Rng = 0,
) -> Path:
    """Write a report on systems as one HTML file, without scripts and other files.

    The report has the means with intervals and marks of significance, and the differences on each query. For the
    queries that differ most, it shows both rankings side by side. It lists the intents (nuggets) that each system
    covers and misses, and ends with the signatures of the measures.

    Parameters
    ----------
    qrels : DataFrame
        Qrels with intents. A column ``nugget_text`` is shown.
    runs : mapping of str to DataFrame or path
        The results of each system, or its run file. The beginning of a column ``text`` is shown.
    measures : Measure or str, or iterable of them
        The measures. The first one decides which queries differ most.
    path : path
        The file to write. An existing file is replaced.
    baseline : str, optional
        The system to compare the others with. By default, all pairs are tested, and the pictures show differences to
        the first system.
    cutoff : int >= 1
        Last rank that the report shows and counts as covering an intent.
    test, correction, alpha, rng
        The significance test, as in `meta.compare`.
    n_queries : int >= 0
        How many queries to show with both rankings.
    title : str
        Title of the page.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError
        As in `evaluate_runs` and `meta.compare`. Also if the baseline is not among the runs, or a number is out of
        range.
    TypeError
        If ``runs`` is not a mapping.

    Warns
    -----
    UserWarning
        As in `evaluate_runs`.

    Examples
    --------
    >>> import tempfile
    >>> import pyterrier as pt
    >>> from pyterrier_diversity import RBU, StRecall, html_report
    >>> demo = pt.get_dataset("diversity:demo")
    >>> runs = {name: demo.get_results(name) for name in ("bm25", "xquad")}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = html_report(demo.get_qrels(), runs, [RBU @ 10, StRecall @ 10], f"{folder}/report.html")
    ...     written.name, written.stat().st_size < 200_000
    ('report.html', True)
    """
    from ..meta.scores import read_scores

    who = "html_report"
    cutoff = checked(who, CUTOFF, cutoff=cutoff)["cutoff"]
    n_queries = _QUERIES.check(who, "n_queries", n_queries)
    frames = {
        name: to_frame(read_if_path(run), RUN_COLUMNS, f"run {name}") for name, run in runs_by_name(who, runs).items()
    }
    if baseline is not None and baseline not in frames:
        raise ValueError(f"{who}: baseline must be one of {', '.join(frames)}, not {baseline!r}.")
    perquery = evaluate_runs(qrels, frames, measures, perquery=True)
    scores = read_scores(perquery)
    tested = len(scores.systems) > 1 and len(scores.queries) > 1
    against = next(iter(frames)) if baseline is None else baseline
    options = {"baseline": baseline, "correction": correction, "alpha": alpha, "rng": rng}
    with collected():  # the warnings about the runs were given above
        covered = _Coverage(qrels, frames, cutoff)
        page = _template().render(
            title=title,
            systems=scores.given,
            measures=scores.measures,
            signatures=perquery.attrs["signatures"],
            n_queries=len(scores.queries),
            baseline=against,
            cutoff=cutoff,
            **(_tested(perquery, scores, test, options) if tested else _untested(scores)),
            pictures=_pictures(scores, against),
            queries=_differing(qrels, frames, scores, against, n_queries, cutoff, covered),
            matrix=covered.by_query(),
            **_missed(qrels, frames, cutoff),
        )
    target = Path(path)
    target.write_text(page, encoding="utf-8")
    return target


def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(files(__package__).joinpath("report.html.jinja").read_text(encoding="utf-8"))


def _tested(perquery: pd.DataFrame, scores: Scores, test: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return the table of means and its legend."""
    from ..meta import compare, significance_table

    compared = compare(perquery, test, **options)
    marked = significance_table(compared)
    ends = {}
    for row in compared.to_dict("records"):
        ends[row["system"], row["measure"]] = row["mean_low"], row["mean_high"]
        ends[row["other"], row["measure"]] = row["other_mean_low"], row["other_mean_high"]
    best = [max(column, key=lambda cell: cell.mean).mean for column in zip(*marked.rows.values(), strict=True)]
    rows = {
        name: [
            _Mean(
                f"{cell.mean:.3f}",
                "{:.3f} to {:.3f}".format(*ends[name, measure]),
                ",".join(cell.higher_than),
                ",".join(cell.lower_than),
                f"{cell.mean:.3f}" == f"{highest:.3f}",
            )
            for measure, cell, highest in zip(marked.measures, marked.rows[name], best, strict=True)
        ]
        for name in scores.given
    }
    small = f"Below each mean: Student's interval at {compared.attrs['ci']:.0%}."
    return {"means": rows, "legend": f"{marked.legend} {small}"}


def _untested(scores: Scores) -> dict[str, Any]:
    """Return the table of means if there is nothing to compare."""
    means = {name: values.mean(axis=1) for name, values in scores.by_measure.items()}
    rows = {
        system: [_Mean(f"{means[name][at]:.3f}", None, "", "", False) for name in scores.measures]
        for at, system in enumerate(scores.systems)
    }
    return {"means": rows, "legend": "No test was made, because it needs two systems and two queries."}


def _pictures(scores: Scores, baseline: str) -> dict[str, dict[str, list[_Bar]]]:
    """Return the sorted bars of each system except the baseline, by measure."""
    from ..meta.scores import differences

    pictures: dict[str, dict[str, list[_Bar]]] = {}
    others = [name for name in scores.given if name != baseline]
    for measure, values in scores.by_measure.items() if others else ():
        delta = differences(values, values[scores.systems.index(baseline)])
        highest = float(np.abs(delta).max()) or 1.0
        rows = {name: delta[scores.systems.index(name)] for name in others}
        pictures[measure] = {
            name: [_bar(row[query], highest, scores.queries[query]) for query in np.argsort(-row, kind="stable")]
            for name, row in rows.items()
        }
    return pictures


def _bar(delta: float, highest: float, query: str) -> _Bar:
    height = round(abs(delta) / highest, 4)
    kind = "win" if delta > 0 else "loss" if delta < 0 else "tie"
    return _Bar(1 - height if delta > 0 else 1, height, kind, f"query {query}: {delta:+.3f}")


class _Coverage:
    """The rank at which each system covers each intent with a relevant document."""

    def __init__(self, qrels: pd.DataFrame, frames: Mapping[str, pd.DataFrame], cutoff: int) -> None:
        judged = to_frame(qrels, QRELS_COLUMNS, "qrels")
        judgements, texts = judge(judged), texts_of_intents(judged)
        intents = judgements.intents
        names = zip([judgements.query_ids[query] for query in intents.query], intents.ids.tolist(), strict=True)
        self._texts = {name: texts[at] for name, at in zip(names, intents.named.tolist(), strict=True)}
        self._ranks = np.zeros((len(self._texts), len(frames)), dtype=np.int64)
        for at, frame in enumerate(frames.values()):
            ranked = Ranked(Run(frame).retrieve(judgements)).down_to(cutoff)
            first = ranked.intents.first
            self._ranks[ranked.intent[first], at] = ranked.rank[first]

    def text(self, query: str, intent: str) -> str:
        """Return the text of an intent, empty if the qrels have none."""
        return self._texts[query, intent]

    def by_query(self) -> dict[str, list[tuple[str, str, list[int]]]]:
        """Return the name, text and ranks of each intent of each query; a rank of 0 means not covered."""
        found: dict[str, list[tuple[str, str, list[int]]]] = {}
        for ((query, intent), text), ranks in zip(self._texts.items(), self._ranks.tolist(), strict=True):
            found.setdefault(query, []).append((intent, text, ranks))
        return found


class _Missed(NamedTuple):
    """An intent that systems miss, and the systems that cover it. No system can unless ``coverable`` is true."""

    qid: str
    intent: str
    text: str
    missed_by: list[str]
    covered_by: list[str]
    coverable: bool


def _missed(qrels: pd.DataFrame, frames: Mapping[str, pd.DataFrame], cutoff: int) -> dict[str, Any]:
    """Return the numbers of intents that each system covers and misses, and the missed intents."""
    missed = missed_intents(qrels, frames, cutoff)
    n_intents = sum(missed.attrs["intents"].values())
    of_system = {name: missed[missed["name"] == name] for name in frames}
    shares = [
        (
            name,
            n_intents - len(rows),
            len(rows),
            int(rows["covered_by"].map(bool).sum()),
            int((~rows["coverable"]).sum()),
        )
        for name, rows in of_system.items()
    ]
    groups = missed.groupby(["qid", "iteration"], sort=False)
    intents = [
        _Missed(
            str(qid),
            str(intent),
            rows["nugget_text"].iloc[0],
            rows["name"].tolist(),
            rows["covered_by"].iloc[0],
            bool(rows["coverable"].iloc[0]),
        )
        for (qid, intent), rows in groups
    ]
    return {"shares": shares, "missed": intents}


def _differing(
    qrels: pd.DataFrame,
    frames: Mapping[str, pd.DataFrame],
    scores: Scores,
    baseline: str,
    n_queries: int,
    cutoff: int,
    covered: _Coverage,
) -> list[_Query]:
    """Return the queries on which a system differs most from the baseline, with that system's ranking."""
    from ..meta.scores import differences

    measure = scores.measures[0]
    values = scores.by_measure[measure]
    delta = differences(values, values[scores.systems.index(baseline)])
    system = np.abs(delta).argmax(axis=0)
    largest = delta[system, np.arange(delta.shape[1])]
    order = [query for query in np.argsort(-np.abs(largest), kind="stable")[:n_queries] if largest[query]]
    explained = _explained(qrels, frames, measure, {scores.queries[query] for query in order})
    shown = []
    for query in order:
        qid, names = scores.queries[query], (baseline, scores.systems[system[query]])
        rankings = [(name, _documents(explained[name], qid, cutoff, covered)) for name in names]
        told = f"{measure}: {names[1]} {largest[query]:+.3f} against {baseline}"
        shown.append(_Query(qid, told, rankings))
    return shown


def _explained(
    qrels: pd.DataFrame, frames: Mapping[str, pd.DataFrame], measure: str, queries: set[str]
) -> dict[str, pd.DataFrame]:
    """Explain the rankings of some queries."""
    from ..transformers import Explain

    explain = Explain(qrels, measure)
    names = {"query_id": "qid", "doc_id": "docno"}
    return {
        name: explain(frame[frame["query_id"].astype(str).isin(queries)].rename(columns=names))
        for name, frame in frames.items()
    }


def _documents(explained: pd.DataFrame, qid: str, cutoff: int, covered: _Coverage) -> list[_Document]:
    rows = explained[explained["qid"].astype(str) == qid].head(cutoff).to_dict("records")
    return [
        _Document(
            rank=int(row["rank"]) + 1,
            docno=str(row["docno"]),
            excerpt=_shortened(row.get("text")),
            intents=[(name, covered.text(qid, name), name in row["new_intents"]) for name in row["intents"]],
            judged=bool(row["judged"]),
            value=f"{row['value']:.3f}",
        )
        for row in rows
    ]


def _shortened(text: object) -> str:
    whole = " ".join(text.split()) if isinstance(text, str) else ""
    return whole if len(whole) <= _EXCERPT else whole[:_EXCERPT].rsplit(" ", 1)[0] + " …"
