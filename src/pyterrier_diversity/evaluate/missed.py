"""Find the intents that systems do not cover, and the systems that do."""

from collections import defaultdict
from typing import Any

import numpy as np
import pandas as pd

from ..frames import QRELS_COLUMNS, Columns, Doubts, of_run, once_a_kind
from ..io import Runs, qrels_frame, read_runs
from ..judged import Ranked, Run, intents_of_rows, judge
from ..parameters import CUTOFF, REL, checked

COLUMNS = ["name", "qid", "iteration", "nugget_text", "weight", "coverable", "covered_by"]


def missed_intents(qrels: Any, runs: Runs, cutoff: int | None = None, *, rel: float | None = None) -> pd.DataFrame:
    """List the intents (nuggets) of each query that each system does not cover.

    Parameters
    ----------
    qrels : DataFrame
        Qrels that keep the intents, as `io.read_nuggets` or `io.read_qrels` return them. Not changed.
    runs : mapping of names to runs, path, or iterable of paths
        Runs, as `io.read_runs` takes them. A run without documents for a query misses all of its intents.
    cutoff : int >= 1, optional
        The last rank that counts; all ranks by default.
    rel : float, optional
        The smallest label that covers an intent; every label above 0 by default.

    Returns
    -------
    DataFrame
        One row for each system, query and missed intent: ``name`` (the system), ``qid``, ``iteration``, ``nugget_text``
        (empty if not in the qrels) and ``weight`` (1 if not in the qrels). ``coverable`` says whether any judged
        document covers the intent; ``covered_by`` lists the other systems that do. ``attrs["intents"]`` has the number
        of intents of each query, ``attrs["missed"]`` the number that a system misses, ``attrs["systems"]`` the names
        of the systems, and ``attrs["warnings"]`` all warnings, as in `evaluate_runs`.

    Raises
    ------
    ValueError
        If ``runs`` is empty, the cutoff is below 1, or the qrels or a run cannot be read.
    TypeError
        If ``runs`` is neither a mapping nor paths.

    Examples
    --------
    >>> rows = [("q", "d1", 1, "cause"), ("q", "d2", 1, "fix"), ("q", "", 0, "workaround")]
    >>> qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])
    >>> missed = missed_intents(qrels, {"A": {"q": ["d1"]}, "B": {"q": ["d1", "d2"]}})
    >>> missed[["name", "iteration", "coverable", "covered_by"]]
      name   iteration  coverable covered_by
    0    A         fix       True        [B]
    1    A  workaround      False         []
    2    B  workaround      False         []
    """
    who = "missed_intents"
    cutoff, rel = checked(who, {**CUTOFF, **REL}, cutoff=cutoff, rel=rel).values()
    covered: dict[str, np.ndarray] = {}
    with once_a_kind() as told:
        frame = qrels_frame(qrels)
        judgements = judge(frame)
        named, view = judgements.named, judgements.view(rel=rel)
        every = np.arange(len(named.query))
        for name, run in read_runs(runs, who=who):
            with of_run(name):
                doubts = Doubts()
                ranked = Ranked.of_run(Run(run, doubts=doubts), view).top(cutoff)
                doubts.warn()
            covered[name] = np.isin(every, view.kept[first_ranks(ranked) > 0])
    coverable = np.isin(every, view.kept)
    texts = texts_of_intents(frame)
    counts = named.weight > 0
    rows = []
    for name, of_system in covered.items():
        for i in np.flatnonzero(~of_system & counts).tolist():
            others = [other for other in covered if covered[other][i]]
            query = judgements.query_ids[named.query[i]]
            weight = float(named.weight[i])
            rows.append((name, query, named.ids[i], texts[i], weight, bool(coverable[i]), others))
    table = pd.DataFrame(rows, columns=COLUMNS)
    n_intents = np.bincount(named.query[counts], minlength=len(judgements)).tolist()
    n_missed = table.groupby("qid", sort=False)["iteration"].nunique().to_dict()
    table.attrs = {
        "systems": list(covered),
        "intents": dict(zip(judgements.query_ids, n_intents, strict=True)),
        "missed": n_missed,
        "warnings": [one.as_row() for one in told],
    }
    return table


def first_ranks(entries: Ranked) -> np.ndarray:
    """Return the rank at which each intent is first covered, or 0."""
    ranks = np.zeros(len(entries.judgements.intents.ids), dtype=np.int64)
    first = entries.met == 0
    ranks[entries.intent[first]] = entries.rank[first]
    return ranks


def intents_by_rank(entries: Ranked) -> dict[tuple[int, int], tuple[dict[str, float], list[str]]]:
    """Return the labels of the intents that each relevant document covers, and the new ones, by query and rank."""
    found: dict[tuple[int, int], tuple[dict[str, float], list[str]]] = defaultdict(lambda: ({}, []))
    names, is_new = entries.judgements.intents.ids[entries.intent], first_ranks(entries)[entries.intent] == entries.rank
    columns = (entries.query, entries.rank, names, entries.label, is_new)
    for query, rank, intent, label, new in zip(*(column.tolist() for column in columns), strict=True):
        labels, new_intents = found[query, rank]
        labels[intent] = int(label) if label.is_integer() else label
        if new:
            new_intents.append(intent)
    return found


def texts_of_intents(frame: pd.DataFrame) -> list[str]:
    """Return the text of each named intent, or an empty string, in the order of the intents."""
    intent, query, _ = intents_of_rows(Columns(frame, QRELS_COLUMNS, "qrels"))
    texts = [""] * len(query)
    if "nugget_text" in frame:
        for i, text in zip(intent.tolist(), frame["nugget_text"].tolist(), strict=True):
            texts[i] = texts[i] or (text if isinstance(text, str) else "")
    return texts
