"""The real systems and official scores that the notebooks read, from the folder `PYTERRIER_DIVERSITY_DATA`."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pyterrier as pt

from pyterrier_diversity.io import read_run

DATA = Path(os.environ.get("PYTERRIER_DIVERSITY_DATA", "../../../shared"))
DEMO = not (DATA / "trec-web").is_dir()
if not DEMO:
    os.environ.setdefault("IR_DATASETS_HOME", str(DATA / "trec-web" / "irds_home"))

YEARS = ("2009", "2010", "2011", "2012")
# A first stage, four systems that re-rank its first fifty documents, and one whose documents are of other origin.
DIVERSIFIERS = ("dssa-first-stage", "desa", "gdesa", "dssa-doc2vec", "mdp-div-lemur", "ppg")
# Runs of the track's organisers on the topics of 2012.
INDRI = ("ql.cata-filtered", "ql.catb", "rm.catb", "rm.catb-filtered")


def read_real(year: str, names: tuple[str, ...] = DIVERSIFIERS) -> dict[str, pd.DataFrame]:
    """Return real systems of a year; without TREC data, those of the demo collection."""
    if DEMO:
        demo = pt.get_dataset("diversity:demo")
        return {name: demo.get_results(name) for name in ("bm25", "xquad", "more-like-this", "xquad-top-3")}
    paths = {name: DATA / "trec-web" / "runs" / year / f"{name}.run.gz" for name in names}
    # The scores of gdesa do not say its order; its ranks do.
    return {name: read_run(path, order="rank" if name == "gdesa" else "score") for name, path in paths.items()}


def read_all_years() -> dict[str, pd.DataFrame]:
    """Return the six diversifiers on the topics of 2009 to 2012."""
    if DEMO:
        return read_real("")
    of_years = [read_real(year) for year in YEARS]
    return {name: pd.concat([runs[name] for runs in of_years]) for name in DIVERSIFIERS}


def read_qrels(year: str, which: str | None = None) -> pd.DataFrame:
    """Return the judgements of a Web track, of intents or, with ``which="adhoc"``, of documents."""
    if DEMO:
        qrels = pt.get_dataset("diversity:demo").get_qrels()
        return qrels if which is None else qrels.groupby(["qid", "docno"], as_index=False)["label"].max()
    part = "clueweb09/en" if year < "2013" else "clueweb12"
    dataset = pt.get_dataset(f"diversity:{part}/trec-web-{year}")
    return dataset.get_qrels() if which is None else dataset.get_qrels(which)


def official(track: str, *measures: str) -> pd.DataFrame:
    """Return the scores of official runs, topic by topic (Urbano, Lima and Hanjalic, SIGIR 2019; CC BY-SA 4.0)."""
    parts = []
    for measure in measures:
        scores = pd.read_csv(DATA / "scores" / f"{track}_{measure}.csv")
        scores.columns = [f"run {i:03}" for i in range(scores.shape[1])]  # column i is the same run in every file
        long = scores.T.rename_axis("name").reset_index().melt("name", var_name="qid")
        parts.append(long.assign(measure=measure))
    return pd.concat(parts, ignore_index=True)
