"""What commands about rankings are given; files are read when they are needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..io.readers import OrderedBy
from ..measures.composite import last_rank
from .inputs import Texts, read_judged, read_named_run, read_texts

if TYPE_CHECKING:
    import ir_measures
    import pandas as pd


@dataclass(frozen=True)
class Asked:
    """The data of a picture. A file is read when it is needed."""

    qrels: str
    paths: dict[str, str | Path]
    measures: list[ir_measures.Measure]
    query: str | None
    depth: int | None
    order: OrderedBy
    doc_len: Path | None = None
    seed: int = 0
    jobs: int | None = None
    gold: str | None = None
    other_qrels: str | None = None
    names: str | None = None
    labels: str | None = None

    @cached_property
    def judged(self) -> pd.DataFrame:
        """The qrels, with the texts of a dataset's queries and intents."""
        qrels = read_judged(self.qrels, self.measures)
        if not self.texts.intents:
            return qrels
        ids = zip(qrels["qid"], qrels["iteration"], strict=True)
        texts = [self.texts.intents.get(each, "") for each in ids]
        return qrels.assign(nugget_text=texts, query=qrels["qid"].map(self.texts.queries).fillna(""))

    @property
    def other_judged(self) -> pd.DataFrame:
        """The qrels of a second judge. It is a usage error if they are not given."""
        if self.other_qrels is None:
            raise click.UsageError("This picture compares two judges: name the second with --other-qrels.")
        return read_judged(self.other_qrels, self.measures)

    @property
    def one_gold(self) -> str:
        """The gold standard. It is a usage error if it is not given."""
        if self.gold is None:
            raise click.UsageError("This picture shows which measure is right: name the gold standard with --gold.")
        return self.gold

    @cached_property
    def texts(self) -> Texts:
        """The texts of queries and intents."""
        return read_texts(self.qrels)

    @cached_property
    def runs(self) -> dict[str, pd.DataFrame]:
        """The runs by name."""
        return {name: self.read(path) for name, path in self.paths.items()}

    @property
    def one_query(self) -> str:
        """The query. It is a usage error if it is not given."""
        if self.query is None:
            raise click.UsageError("This picture shows one query: name it with --query.")
        return self.query

    @property
    def measure(self) -> ir_measures.Measure:
        """The measure. It is a usage error if there is not exactly one."""
        if len(self.measures) != 1:
            raise click.UsageError("This picture shows one measure: name it with -m.")
        return self.measures[0]

    @cached_property
    def perquery(self) -> pd.DataFrame:
        """The values of all measures for each run and query."""
        from ..evaluate import evaluate_runs

        if not self.measures:
            raise click.UsageError("This picture shows measures: name them with -m.")
        return evaluate_runs(
            self.judged,
            self.paths,
            self.measures,
            perquery=True,
            order=self.order,
            doc_len=self.doc_len,
            n_jobs=self.jobs,
        )

    def given_to(self, function: Callable[..., Any], frame: Any = None, **fixed: Any) -> Any:
        """Call a function with those of its arguments that are known here by their names."""
        known: dict[str, Callable[[], Any]] = {
            "perquery": lambda: self.perquery,
            "perquery_or_means": lambda: self.perquery,
            "qrels": lambda: self.judged,
            "qrels_a": lambda: self.judged,
            "qrels_b": lambda: self.other_judged,
            "other_qrels": lambda: self.other_judged,
            "runs": lambda: self.runs,
            "gold": lambda: self.one_gold,
            "rng": lambda: self.seed,
            "n_jobs": lambda: self.jobs,
        }
        parameters = signature(function).parameters
        if frame is None and not {"perquery", "perquery_or_means"} & {*parameters}:
            known["measures"] = lambda: self.measures
        named = {name: known[name]() for name in parameters if name in known}
        return function(*([] if frame is None else [frame]), **named, **fixed)

    def read(self, path: str | Path) -> pd.DataFrame:
        """Read a run."""
        return read_named_run(path, self.order, self.doc_len)

    def explained(self, path: str | Path) -> pd.DataFrame:
        """Explain a run's ranking for the query."""
        from ..transformers import Explain

        run = self.read(path)
        run = run[run["qid"] == self.one_query]
        if run.empty:
            raise ValueError(f"{path} has no documents for query {self.one_query!r}.")
        explained = Explain(self.judged, self.measure)(run)
        if explained["value"].isna().all():
            raise ValueError(f"The qrels have no query {self.one_query!r}.")
        return explained

    def shown(self, explained: pd.DataFrame, depth: int | None) -> pd.DataFrame:
        """Return an explanation down to a depth, or to the measure's cutoff unless that counts turns."""
        last = depth or (None if "turn" in explained else last_rank(self.measure))
        return explained if last is None else explained[explained["position"] <= last]
