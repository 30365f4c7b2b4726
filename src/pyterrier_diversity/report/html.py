"""A report on systems as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd

from ..evaluate import evaluate_runs, missed_intents, texts_of_intents
from ..io import Runs, called, check_order, named_runs, qrels_frame, read_runs, refuse_inputs, replaced
from ..judged import RUN_COLUMNS, Ranked, Run, collected, given_frame, judge
from ..measures.composite import last_rank
from ..measures.groups import read_some_measures
from ..meta.significance.marks import told_of_test
from ..parameters import CUTOFF, Parameter, Rng, checked
from .summary import Tested, meaning, spans

if TYPE_CHECKING:
    from ..meta.scores import Scores

_QUERIES = Parameter(int, interval="[0, inf)", desc="how many queries to show with both rankings")
# How many characters of a document's text to show.
_EXCERPT = 160
# In wide tables, more systems than these have numbers.
_MOST_NAMED = 6


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
    intents: list[tuple[str, str, bool]]  # id, text, and whether it is new
    judged: bool
    value: str


class _Query(NamedTuple):
    """A query with the rankings of two systems."""

    qid: str
    difference: str
    rankings: dict[str, list[_Document]]


def html_report(
    qrels: pd.DataFrame,
    runs: Runs,
    measures: ir_measures.Measure | str | Iterable[ir_measures.Measure | str],
    path: str | os.PathLike[str],
    *,
    baseline: str | None = None,
    cutoff: int | None = None,
    test: str = "tukey-randomised",
    correction: str | None = None,
    alpha: float = 0.05,
    n_queries: int = 5,
    names: Mapping[Any, str] | None = None,
    labels: Mapping[Any, str] | None = None,
    title: str = "Diversity of search results",
    rng: Rng = 0,
) -> Path:
    """Write a report on systems as one HTML file, without scripts and other files.

    The report says in plain words which system is best on which measure, whether that could be chance, and what the
    measures mean. It has the means with intervals, and the differences on each query. For the queries that differ most,
    it shows both rankings side by side. It lists the intents (nuggets) that each system covers and misses. At the end
    are the date, the files, the versions and the signatures of the measures. Systems are in the order of the first
    measure.

    Parameters
    ----------
    qrels : DataFrame
        Qrels with intents. Columns ``nugget_text`` and ``query`` are shown in place of ids.
    runs : mapping of names to runs, path, or iterable of paths
        The results of each system, as `io.read_runs` takes them. Columns ``query`` and the beginning of ``text`` are
        shown.
    measures : Measure or str, or iterable of them
        The measures. The first one decides which queries differ most.
    path : path
        The file to write. An existing file is replaced.
    baseline : str, optional
        The system to compare the others with. By default, all pairs are tested, and the pictures show differences to
        the first system.
    cutoff : int >= 1, optional
        Last rank that the report shows and counts as covering an intent: by default, the highest cutoff of the
        measures, or 10 if none has one.
    test, correction, alpha, rng
        The significance test, as in `meta.compare`.
    n_queries : int >= 0
        How many queries to show with both rankings.
    names, labels : mapping, optional
        What systems and measures are called.
    title : str
        Title of the page.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError
        As in `evaluate_runs` and `meta.compare`. Also if the baseline is not among the runs, a number is out of range,
        two systems or measures would have the same name, or the page would replace one of the given files.
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
    from ..meta import compare
    from ..meta.scores import read_scores

    who = "html_report"
    chosen = {str(measure): measure for measure in read_some_measures(who, measures)}
    cutoff = checked(who, CUTOFF, cutoff=cutoff)["cutoff"] or max(last_rank(one) or 0 for one in chosen.values()) or 10
    n_queries = _QUERIES.check(who, "n_queries", n_queries)
    check_order(who, qrels, runs, measures, order="qrels, runs, measures, path")
    given = named_runs(who, runs)
    refuse_inputs(
        who, Path(path), [Path(one) for one in (qrels, *given.values()) if isinstance(one, (str, os.PathLike))]
    )
    qrels = qrels_frame(qrels)
    frames = {name: given_frame(run, RUN_COLUMNS, "run") for name, run in read_runs(given, who=who)}
    if baseline is not None and baseline not in frames:
        raise ValueError(f"{who}: baseline must be one of {', '.join(frames)}, not {baseline!r}.")
    perquery = evaluate_runs(qrels, frames, list(chosen.values()), perquery=True)
    scores = read_scores(perquery)
    options: dict[str, Any] = {"baseline": baseline, "correction": correction, "alpha": alpha, "rng": rng}
    with collected():  # the warnings about the runs were given above
        enough = len(scores.systems) > 1 and len(scores.queries) > 1
        compared = compare(perquery, test, **options) if enough else None  # type: ignore[arg-type]
        tested = Tested(scores, compared)
        shown, headers = called("names", names, frames), called("labels", labels, chosen)
        frames = {name: frames[name] for name in tested.systems}
        against = next(iter(given)) if baseline is None else baseline
        covered = _Coverage(qrels, frames, cutoff)
        page = _template().render(
            title=title,
            signatures=perquery.attrs["signatures"],
            n_queries=len(scores.queries),
            baseline=against,
            cutoff=cutoff,
            meanings={name: meaning(measure) for name, measure in chosen.items()},
            test=None if compared is None else _told(compared),
            alpha=alpha,
            pictures=_pictures(scores, tested.systems, against),
            queries=_differing(qrels, frames, scores, against, n_queries, cutoff, covered),
            asked=_texts_of_queries(qrels, *frames.values()),
            matrix=covered.by_query(),
            made=_made(qrels, given),
            **_means(tested, shown, headers),
            **_missed(qrels, frames, cutoff),
        )
    with replaced(path) as file:
        file.write_text(page, encoding="utf-8")
    return Path(path)


def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(files(__package__).joinpath("report.html.jinja").read_text(encoding="utf-8"))


def _means(tested: Tested, names: Mapping[str, str], labels: Mapping[str, str]) -> dict[str, Any]:
    """Return the table of means, what it says, and how systems and measures are called."""
    return {
        "names": names,
        "labels": labels,
        "means": tested.table(),
        "sentences": tested.sentences(names, labels),
        "many": len(tested.systems) > _MOST_NAMED,
        "listed": lambda systems: _listed(systems, tested.systems, names),
    }


def _listed(some: list[str], systems: list[str], names: Mapping[str, str]) -> str:
    """Return the names of some systems, or their numbers if there are many systems."""
    if len(systems) <= _MOST_NAMED:
        return ", ".join(names[name] for name in some)
    return spans([systems.index(name) + 1 for name in some])


def _told(compared: pd.DataFrame) -> str:
    """Describe the test and the intervals."""
    unsure = int(compared["undecided"].sum()) if "undecided" in compared else 0
    doubt = f" More trials could decide otherwise on {unsure} of {len(compared)} comparisons." if unsure else ""
    return (
        f"{told_of_test(compared.attrs)}. Below each mean is Student's interval at {compared.attrs['ci']:.0%}.{doubt}"
    )


def _made(qrels: pd.DataFrame, runs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the date, the files and the versions of a report."""
    versions = [f"{name} {version(name)}" for name in ("pyterrier-diversity", "ir-measures", "numpy", "scipy")]
    files = {name: os.fspath(run) if isinstance(run, (str, os.PathLike)) else _file(run) for name, run in runs.items()}
    told = {"date": f"{datetime.now(tz=timezone.utc):%Y-%m-%d}", "versions": [f"Python {python_version()}", *versions]}
    return {**told, "qrels": _file(qrels), "files": files}


def _file(frame: Any) -> str:
    """Return the file that a frame was read from, if it says so."""
    return str(getattr(frame, "attrs", {}).get("file", "")) or "a table in memory"


def _texts_of_queries(*frames: Any) -> dict[str, str]:
    """Return the texts of queries that qrels or runs have."""
    texts: dict[str, str] = {}
    for frame in frames:
        query = next((name for name in ("query_id", "qid") if isinstance(frame, pd.DataFrame) and name in frame), None)
        if query is not None and "query" in frame:
            rows = frame.drop_duplicates(query)
            found = zip(rows[query].astype(str), rows["query"], strict=True)
            texts = {name: text for name, text in found if isinstance(text, str) and text} | texts
    return texts


def _pictures(scores: Scores, systems: list[str], baseline: str) -> dict[str, dict[str, list[_Bar]]]:
    """Return the sorted bars of each system except the baseline, by measure."""
    from ..meta.scores import rounded

    pictures: dict[str, dict[str, list[_Bar]]] = {}
    others = [name for name in systems if name != baseline]
    for measure, values in scores.by_measure.items() if others else ():
        delta = rounded(values - values[scores.systems.index(baseline)])
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
        judgements, texts = judge(qrels), texts_of_intents(qrels)
        intents = judgements.intents
        names = zip([judgements.query_ids[query] for query in intents.query], intents.ids.tolist(), strict=True)
        self._texts = {name: texts[at] for name, at in zip(names, intents.named.tolist(), strict=True)}
        self._ranks = np.zeros((len(self._texts), len(frames)), dtype=np.int64)
        for at, frame in enumerate(frames.values()):
            ranked = Ranked.of_run(Run(frame), judgements).top(cutoff)
            first = ranked.met == 0
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
    from ..meta.scores import rounded

    measure = scores.measures[0]
    values = scores.by_measure[measure]
    delta = rounded(values - values[scores.systems.index(baseline)])
    system = np.abs(delta).argmax(axis=0)
    largest = delta[system, np.arange(delta.shape[1])]
    order = [query for query in np.argsort(-np.abs(largest), kind="stable")[:n_queries] if largest[query]]
    explained = _explained(qrels, frames, measure, {scores.queries[query] for query in order})
    shown = []
    for query in order:
        qid, names = scores.queries[query], (baseline, scores.systems[system[query]])
        rankings = {name: _documents(explained[name], qid, cutoff, covered) for name in names}
        shown.append(_Query(qid, f"{largest[query]:+.3f}", rankings))
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
