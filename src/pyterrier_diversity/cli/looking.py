"""The commands that explain rankings, as a table or a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import Coverage, meta, missed_intents, plots
from ..io.trec import OrderedBy
from ..io.written import Format
from ..measures.composite import last_rank
from . import options
from .inputs import Texts, read_judged, read_named_run, read_texts, run_paths
from .outputs import put, tell

if TYPE_CHECKING:
    import ir_measures
    import pandas as pd
    from matplotlib.axes import Axes


@click.command()
@options.QRELS
@click.argument("runs", nargs=-1, required=True, metavar="RUN [RUN]")
@click.option("-q", "--query", required=True, help="The query to explain.")
@click.option("-m", "--measure", required=True, type=options.GroupOrMeasure(), help="The measure, such as 'RBU@20'.")
@click.option(
    "-k", "--depth", type=click.IntRange(1), help="Last rank to show. By default, that is the measure's cutoff."
)
@options.with_options(options.OUTPUT, options.FORMAT, options.PLACES, options.ORDER, options.DOC_LEN)
def explain(
    qrels: str,
    runs: tuple[str, ...],
    query: str,
    measure: str,
    depth: int | None,
    output: Path | None,
    format: Format | None,
    places: int | None,
    order: OrderedBy,
    doc_len: Path | None,
) -> None:
    """Show what each document contributes to a measure.

    With two runs, show their difference rank by rank. In Python: transformers.Explain and
    transformers.explain_difference.
    """
    from ..evaluate.runs import named_runs
    from ..transformers import explain_difference

    paths = named_runs("explain", run_paths(runs, qrels))
    if len(paths) > 2:
        raise click.UsageError(f"Give one run to explain, or two to explain their difference, not {len(paths)}.")
    asked = Asked(qrels, {}, [options.parsed(measure)], query, depth or 10, order, doc_len)
    whole = [asked.explained(path) for path in paths.values()]
    values = [table["value"].iloc[-1] for table in whole]
    explained = [asked.shown(table, depth) for table in whole]
    names = list(paths)
    if len(explained) == 1:
        columns = ["position", "docno", "intents", "new_intents", "judged", "contribution", "value"]
        put(explained[0][columns], output, format, places)
    else:
        table = explain_difference(*explained)
        columns = ["docno", "new_intents", "contribution", "value"]
        shown = {column: f"{column} {names[0]}" for column in columns}
        shown |= {f"{column}_other": f"{column} {names[1]}" for column in columns}
        put(table[["position", *shown, "difference"]].rename(columns=shown), output, format, places)
    told = [f"{name} {value:.4g}" for name, value in zip(names, values, strict=True)]
    apart = f", difference {values[0] - values[1]:.4g}" if len(values) == 2 else ""
    tell(f"{measure} for query {query}: {', '.join(told)}{apart}.")


@dataclass(frozen=True)
class Asked:
    """The data of a picture. A file is read when it is needed."""

    qrels: str
    paths: dict[str, str | Path]
    measures: list[ir_measures.Measure]
    query: str | None
    depth: int
    order: OrderedBy
    doc_len: Path | None = None
    seed: int = 0
    jobs: int | None = None

    @cached_property
    def judged(self) -> pd.DataFrame:
        """The qrels."""
        return read_judged(self.qrels, self.measures)

    @cached_property
    def texts(self) -> Texts:
        """The texts of queries and intents."""
        return read_texts(self.qrels)

    @property
    def intents(self) -> dict[str, str]:
        """The texts of the intents of the query, by their ids."""
        return {name: text for (query, name), text in self.texts.intents.items() if query == self.one_query}

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

    def read(self, path: str | Path) -> pd.DataFrame:
        """Read a run, with the texts of queries that have one."""
        run = read_named_run(path, self.order, self.doc_len)
        texts = self.texts.queries
        return run.assign(query=run["qid"].map(texts).fillna("")) if texts else run

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


def _coverage(asked: Asked) -> Axes:
    """Draw a panel for each run, side by side."""
    import matplotlib.pyplot as plt

    n = len(asked.paths)
    figure, axes = plt.subplots(1, n, figsize=(6.4 * n, 4.8), layout="constrained", squeeze=False)
    for ax, (name, path) in zip(axes[0], asked.paths.items(), strict=True):
        plots.coverage(
            asked.read(path), asked.judged, asked.one_query, cutoff=asked.depth, intents=asked.intents, ax=ax
        )
        ax.set_title(f"{name}, {ax.get_title()}")
    return figure.axes[0]


def _explain(asked: Asked) -> Axes:
    explained = {name: asked.explained(path) for name, path in asked.paths.items()}
    return plots.explain(explained, asked.one_query, cutoff=asked.depth, intents=asked.intents)[0]


def _intent_coverage(asked: Asked) -> Axes:
    measure = asked.measure if asked.measures else Coverage
    return plots.intent_coverage(asked.runs, asked.judged, measure=measure, cutoff=asked.depth)


def _deltas(asked: Asked) -> Axes:
    if len(asked.paths) != 2:
        raise click.UsageError(f"This picture compares two runs: give two, not {len(asked.paths)}.")
    return plots.per_query_deltas(asked.perquery, asked.measure, *asked.paths)


def _means(asked: Asked) -> Axes:
    return plots.means(meta.compare(asked.perquery, rng=asked.seed, n_jobs=asked.jobs), asked.measure)


def _differences(asked: Asked) -> Axes:
    return plots.differences(meta.compare(asked.perquery, rng=asked.seed, n_jobs=asked.jobs), asked.measure)


def _missed_intents(asked: Asked) -> Axes:
    qrels = asked.judged
    if asked.texts.intents:
        ids = zip(qrels["qid"], qrels["iteration"], strict=True)
        qrels = qrels.assign(nugget_text=[asked.texts.intents.get(each, "") for each in ids])
    return plots.missed_intents(missed_intents(qrels, asked.runs, asked.depth), asked.query)


def _by_topic_set_size(asked: Asked) -> Axes:
    n = asked.perquery["qid"].nunique()
    step = -(-n // 10)
    sampled = meta.topic_sampling(asked.perquery, sizes=range(step, n + 1, step), rng=asked.seed, n_jobs=asked.jobs)
    return plots.by_topic_set_size(sampled)


PICTURES: dict[str, Callable[[Asked], Axes]] = {
    "coverage": _coverage,
    "explain": _explain,
    "intent_coverage": _intent_coverage,
    "per_query_deltas": _deltas,
    "asl_curve": lambda asked: plots.asl_curve(meta.asl_curve(asked.perquery, rng=asked.seed, n_jobs=asked.jobs)),
    "by_topic_set_size": _by_topic_set_size,
    "unanimity": lambda asked: plots.unanimity(meta.unanimity(asked.perquery)),
    "discriminative_power": lambda asked: plots.discriminative_power(
        meta.discriminative_power(asked.perquery, rng=asked.seed, n_jobs=asked.jobs)
    ),
    "delta_required": lambda asked: plots.delta_required(
        meta.delta_required(asked.perquery, rng=asked.seed, n_jobs=asked.jobs)
    ),
    "stability": lambda asked: plots.stability(meta.stability(asked.perquery, rng=asked.seed, n_jobs=asked.jobs)),
    "pool_depth": lambda asked: plots.pool_depth(meta.pool_depth(asked.runs, asked.judged, asked.measures)),
    "number_of_systems": lambda asked: plots.number_of_systems(
        meta.number_of_systems(asked.runs, asked.judged, asked.measures, rng=asked.seed, n_jobs=asked.jobs)
    ),
    "insert_synthetic_system": lambda asked: plots.insert_synthetic_system(
        meta.insert_synthetic_system(asked.runs, asked.judged, asked.measures, n_jobs=asked.jobs)
    ),
    "missed_intents": _missed_intents,
    "means": _means,
    "differences": _differences,
    "topics_needed": lambda asked: plots.topics_needed(meta.topics_needed(asked.perquery, n=[25, 50, 100, 200])),
    "tau_matrix": lambda asked: plots.tau_matrix(meta.rank_correlation(asked.perquery, matrix=True)),
}


@click.command()
@click.argument("picture", metavar="NAME", type=click.Choice(list(PICTURES)))
@options.with_options(options.QRELS, options.RUNS, options.MEASURES)
@click.option("-q", "--query", help="The query, for a picture that shows one query.")
@click.option("-k", "--depth", type=click.IntRange(1), default=10, show_default=True, help="Last rank to show.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write; its ending is the format: .png, .svg or .pdf.",
)
@click.option("--dpi", type=click.IntRange(10), default=150, show_default=True, help="Dots per inch of a PNG file.")
@options.with_options(options.SEED, options.ORDER, options.DOC_LEN, options.JOBS)
def plot(
    picture: str,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    query: str | None,
    depth: int,
    output: Path,
    dpi: int,
    **how: Any,
) -> None:
    """Draw a picture of RUNS and save it.

    NAME is one of {names}. In Python, it is the function of that name in plots.
    """
    from ..evaluate.runs import named_runs

    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plot needs matplotlib: pip install 'pyterrier-diversity[plots]'.") from error
    plt.switch_backend("agg")
    formats = plt.figure().canvas.get_supported_filetypes()
    plt.close()
    if output.suffix.removeprefix(".").lower() not in formats:
        raise click.UsageError(
            f"The ending of -o must be a format of pictures, not {output.suffix!r}: {', '.join(sorted(formats))}."
        )
    asked = Asked(qrels, named_runs("plot", run_paths(runs, qrels)), options.measures_of(measures), query, depth, **how)
    PICTURES[picture](asked)
    if asked.texts.collection:
        plt.suptitle(asked.texts.collection, fontsize=10)
    plt.savefig(output, dpi=dpi)
    plt.close()


plot.help = (plot.help or "").replace("{names}", ", ".join(PICTURES))
