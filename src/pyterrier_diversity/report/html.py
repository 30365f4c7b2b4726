"""A report on systems as one HTML file."""

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from platform import python_version
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from .. import io
from ..evaluate import check_files, evaluate_runs, first_ranks, missed_intents, texts_of_intents
from ..frames import Told, collected, give, merged, pending
from ..judged import Ranked, Run, judge
from ..measures.composite import last_rank
from ..measures.groups import read_measures
from ..measures.parse import higher_is_better
from ..meta import compare
from ..meta.scores import Scores, read_scores, rounded
from ..meta.significance.marks import told_of_test
from ..meta.significance.tests import Test
from ..parameters import CUTOFF, checked
from ..progress import progress_bar
from ..randomness import Rng
from ..warnings import KINDS
from .summary import TestedMeans, meaning

_WHO = "html_report"
_PATH = (str, os.PathLike)
# How many queries have both rankings.
_MOST_QUERIES = 5


def html_report(
    qrels: pd.DataFrame,
    runs: io.Runs,
    measures: ir_measures.Measure | str | Iterable[ir_measures.Measure | str],
    path: str | os.PathLike[str],
    *,
    baseline: str | None = None,
    cutoff: int | None = None,
    test: Test | None = None,
    correction: str | None = None,
    alpha: float = 0.05,
    names: Mapping[Any, str] | None = None,
    labels: Mapping[Any, str] | None = None,
    title: str = "Diversity of search results",
    rng: Rng = 0,
) -> Path:
    """Write a report on systems as one HTML file that needs no scripts or other files.

    The report says in plain words which system is best on which measure, by how much, whether that could be chance, and
    what the measures mean. It has all warnings of this call, the means with intervals, the differences on each query,
    and what `check_files` finds in the data, such as unjudged documents. It shows the rankings of the best system and
    the baseline side by side, for the five queries on which these two differ most. It lists the intents (nuggets) that
    each system covers and misses. At the end are the date, the files, the versions and the signatures of the measures.
    Systems are in the order of the first measure.

    Parameters
    ----------
    qrels : DataFrame
        Qrels with intents. Columns ``nugget_text`` and ``query`` are shown in place of ids.
    runs : mapping of names to runs, path, or iterable of paths
        The results of each system, as `io.read_runs` takes them. Columns ``query`` and the beginning of ``text`` are
        shown.
    measures : Measure or str, or iterable of them
        The measures. The first one decides the order of the systems, and which queries differ most.
    path : path
        The file to write. An existing file is replaced.
    baseline : str, optional
        The system to compare the others with. By default, all pairs are tested, and the pictures show differences from
        the first of the runs.
    cutoff : int >= 1, optional
        Last rank that the report shows and counts as covering an intent: by default, the highest cutoff of the
        measures, or 10 if none has one.
    test : {"tukey-randomised", "tukey", "bootstrap", "t", "wilcoxon", "permutation"}, optional
        The significance test, as in `meta.compare`. By default, with a baseline, the paired t-test ("t") of each system
        against it with Holm's correction, so that a further system changes no p-value; otherwise "tukey-randomised",
        which tests all systems together.
    correction : str, optional
        Correction for multiple comparisons, as in `meta.compare`.
    alpha : float in (0, 1)
        Significance level.
    rng : int or Generator, optional
        Random seed.
    names, labels : mapping, optional
        The text to show for each system or measure, by its name.
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
        If ``runs`` is neither a mapping nor paths.

    Warns
    -----
    DataWarning, SignificanceWarning
        As in `evaluate_runs`, `meta.compare` and `check_files`. The page has them, too.

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
    chosen = {str(measure): measure for measure in read_measures(_WHO, measures)}
    cutoff = checked(_WHO, CUTOFF, cutoff=cutoff)["cutoff"] or max(last_rank(one) or 0 for one in chosen.values()) or 10
    before = pending()
    with progress_bar(2, "report", unit="part") as bar:
        with collected() as found:
            qrels, given, frames = _read_inputs(qrels, runs, path, baseline)
            perquery = evaluate_runs(qrels, frames, list(chosen.values()), perquery=True)
            scores = read_scores(perquery)
            how: dict[str, Any] = {"test": test, "correction": correction, "alpha": alpha, "rng": rng}
            tested = TestedMeans(scores, _compared(perquery, scores, baseline=baseline, **how))
        bar.update()
        frames = {name: frames[name] for name in tested.systems}
        with collected():  # warnings that are given already
            data, further = _data_told(qrels, given, frames, cutoff, before, found)
            page = _template().render(
                title=title,
                names=io.called("names", names, frames),
                labels=io.called("labels", labels, chosen),
                tested=tested,
                measures=chosen,
                signatures=perquery.attrs["signatures"],
                **data,
                **_differences_told(qrels, frames, scores, baseline or next(iter(given))),
                **_intents_told(qrels, frames, cutoff),
            )
    with io.replaced(path) as file:
        file.write_text(page, encoding="utf-8")
    give([*found, *further])
    return Path(path)


def _read_inputs(
    qrels: Any, runs: io.Runs, path: str | os.PathLike[str], baseline: str | None
) -> tuple[pd.DataFrame, dict[str, Any], dict[str, pd.DataFrame]]:
    """Return the qrels, the runs as given, and the runs as frames.

    The page must not replace one of their files, and the baseline must be one of the runs.
    """
    given = io.named_runs(_WHO, runs)
    io.refuse_inputs(_WHO, Path(path), [Path(one) for one in (qrels, *given.values()) if isinstance(one, _PATH)])
    if baseline is not None and baseline not in given:
        raise ValueError(f"{_WHO}: baseline must be one of {', '.join(given)}, not {baseline!r}.")
    return io.qrels_frame(qrels), given, dict(io.read_runs(given, who=_WHO))


def _compared(perquery: pd.DataFrame, scores: Scores, **how: Any) -> pd.DataFrame | None:
    """Return the test of the differences, or None if there is nothing to compare."""
    if min(len(scores.systems), len(scores.queries)) < 2:
        return None
    if how["test"] is None:
        alone = {"test": "t", "correction": how["correction"] or "holm"}
        how |= {"test": "tukey-randomised"} if how["baseline"] is None else alone
    return compare(perquery, **how)


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    how: dict[str, Any] = {"autoescape": True, "undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    environment = Environment(**how, finalize=_printable)
    environment.globals |= {"told_of_test": told_of_test, "meaning": meaning}
    return environment.from_string(files(__package__).joinpath("report.html.jinja").read_text(encoding="utf-8"))


def _printable(value: Any) -> Any:
    """Return a text without characters that turn its direction or that have no UTF-8 form; anything else as it is."""
    return io.printable(" ".join(value.splitlines())) if type(value) is str else value


def _data_told(
    qrels: pd.DataFrame,
    runs: Mapping[str, Any],
    frames: Mapping[str, pd.DataFrame],
    cutoff: int,
    before: Iterable[Told],
    found: Iterable[Told],
) -> tuple[dict[str, Any], list[Told]]:
    """Return the texts of the queries, notes on the data, all warnings, the date, the files and the versions.

    Return also the further warnings of `check_files`, without those of a kind that was ``found`` for their run.
    """
    versions = [f"{name} {version(name)}" for name in ("pyterrier-diversity", "ir-measures", "numpy", "scipy")]
    made = {
        "date": f"{datetime.now(tz=UTC):%Y-%m-%d}",
        "versions": [f"Python {python_version()}", *versions],
        "qrels": _file(qrels),
        "files": {name: _file(run) for name, run in runs.items()},
    }
    known = {(row["name"], row["about"]) for row in (told.as_row() for told in found)}
    rows = check_files(qrels, frames, cutoff=cutoff).to_dict("records")
    further = [
        Told(KINDS[row["about"]](row["message"]), row["name"] if row["name"] in frames else "")
        for row in rows
        if row["about"] and (row["name"], row["about"]) not in known
    ]
    notes = [row for row in rows if row["kind"] == "note"]
    warnings = [(type(warning).__name__, str(warning)) for warning in merged([*before, *found, *further])]
    asked = io.texts_of_queries(qrels, *frames.values())
    return {"asked": asked, "notes": notes, "made": made, "warnings": warnings}, further


def _file(given: Any) -> str:
    """Return a path, or the file that a frame was read from, if it says so."""
    known = given if isinstance(given, _PATH) else getattr(given, "attrs", {}).get("file")
    return os.fspath(known or "a table in memory")


def _differences_told(
    qrels: pd.DataFrame, frames: Mapping[str, pd.DataFrame], scores: Scores, baseline: str
) -> dict[str, Any]:
    """Return the differences from the baseline by measure, system and query, the largest gain first.

    For the queries with the largest differences between the best other system and the baseline by the first measure,
    return their explained rankings.
    """
    from ..transformers import Explain

    first = scores.systems.index(baseline)
    gains = {}
    for measure, values in scores.by_measure.items():
        gain = (values - values[first]) * (1 if higher_is_better(measure) else -1)
        gains[measure] = pd.DataFrame(rounded(gain).T, scores.queries, scores.systems)
    others = [name for name in frames if name != baseline]
    pictures = {
        measure: {name: list(of[name].sort_values(ascending=False, kind="stable").items()) for name in others}
        for measure, of in gains.items()
    }
    pair = (baseline, *others[:1])
    of_pair = gains[scores.measures[0]][pair[-1]]
    largest = of_pair.abs().sort_values(ascending=False, kind="stable")
    explain = Explain(qrels, scores.measures[0])
    queries = largest.index[largest > 0][:_MOST_QUERIES]
    explained = {name: explain(frames[name][frames[name]["qid"].isin(queries)]) for name in pair}
    shown = [
        {
            "qid": qid,
            "difference": of_pair[qid],
            "rankings": {name: rows[rows["qid"] == qid].to_dict("records") for name, rows in explained.items()},
        }
        for qid in queries
    ]
    return {"baseline": baseline, "n_queries": len(scores.queries), "pictures": pictures, "queries": shown}


def _intents_told(qrels: pd.DataFrame, frames: Mapping[str, pd.DataFrame], cutoff: int) -> dict[str, Any]:
    """Return the texts of intents, the rank at which each system covers each that can be, and the missed intents."""
    judgements = judge(qrels)
    named = judgements.named
    known = [(judgements.query_ids[query], name) for query, name in zip(named.query, named.ids, strict=True)]
    rankings = [Ranked.of_run(Run(frame), judgements).top(cutoff) for frame in frames.values()]
    ranks = np.column_stack([first_ranks(ranked) for ranked in rankings])
    missed = missed_intents(qrels, frames, cutoff)
    firsts: dict[str, Any] = {"name": list, "covered_by": "first", "coverable": "first"}
    return {
        "cutoff": cutoff,
        "texts": dict(zip(known, texts_of_intents(qrels), strict=True)),
        "covered": list(zip([known[at] for at in judgements.kept], ranks.tolist(), strict=True)),
        "n_intents": sum(missed.attrs["intents"].values()),
        "misses": missed.to_dict("records"),
        "missed": missed.groupby(["qid", "iteration"], sort=False).agg(firsts).reset_index().to_dict("records"),
    }
