"""The command ``pyterrier-diversity``: a demonstration, run files evaluated and compared, the measures."""

from __future__ import annotations

import warnings
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

if TYPE_CHECKING:
    import ir_measures
    import pandas as pd

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


class Format(str, Enum):
    """How a table is printed."""

    table = "table"
    csv = "csv"
    json = "json"
    latex = "latex"
    html = "html"


class Order(str, Enum):
    """What orders a run."""

    score = "score"
    rank = "rank"


RunsArgument = Annotated[
    list[Path], typer.Argument(help="TREC run files, folders of them, or patterns ('runs/**/*.gz').")
]
JobsOption = Annotated[int | None, typer.Option("--jobs", "-j", help="Runs evaluated side by side; -1 for all cores.")]
MeasuresOption = Annotated[
    list[str],
    typer.Option(
        "--measure",
        "-m",
        help="A measure such as 'RBU(p=0.9)@20' or a group such as NDEVAL; several, or several in one with spaces.",
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print the table.")]
OrderOption = Annotated[
    Order, typer.Option("--order", help="What orders a run: its scores, as trec_eval has it, or its ranks.")
]
StrictOption = Annotated[bool, typer.Option("--strict", help="Warnings about data are errors.")]
PlacesOption = Annotated[int, typer.Option("--places", "-p", min=0, help="Decimal places of the values.")]


@app.command()
def demo() -> None:
    """Retrieve, diversify and evaluate on the embedded collection, and explain one ranking."""
    import pyterrier as pt
    from ir_measures import AP, nDCG

    from . import RBU, Adhoc, StRecall, alpha_nDCG
    from .datasets.demo.build import systems
    from .transformers import Explain, Ideal

    dataset, pipelines = pt.get_dataset("diversity:demo"), systems()
    topics, qrels = dataset.get_topics(), dataset.get_qrels()
    measures = [RBU @ 5, alpha_nDCG @ 5, StRecall @ 5, Adhoc(nDCG @ 5), Adhoc(AP)]
    table = pt.Experiment({**pipelines, "ideal": Ideal(qrels, alpha_nDCG @ 5, ideal="exact")}, topics, qrels, measures)
    n_intents = qrels.groupby("qid")["iteration"].nunique().mean()
    typer.echo(f"diversity:demo, {len(topics)} queries of {n_intents:.1f} intents on average\n")
    typer.echo(_formatted(table[["name", *map(str, measures)]], Format.table, 3))
    typer.echo(
        "\nAd-hoc nDCG prefers more-like-this, which dwells on one intent; every diversity measure prefers xquad,\n"
        "which re-ranks bm25 by the query's subtopics. StRecall counts the intents covered; alpha-nDCG and RBU also\n"
        "ask how early, and pay less for what is known. RBU subtracts the effort of reading: three good documents\n"
        "(xquad-top-3) beat five that repeat others (bm25). ideal is the best ranking by alpha-nDCG that there is."
    )
    explain = Explain(qrels, RBU @ 5)
    for name in ("bm25", "xquad"):
        explained = explain((pipelines[name] % 5)(topics.head(1)))
        shown = explained[["position", "docno", "intents", "new_intents", "contribution", "value"]]
        typer.echo(f"\nWhy {name} has an RBU@5 of {shown['value'].iloc[-1]:.3f} for {topics['query'][0]!r}:\n")
        typer.echo(_formatted(shown, Format.table, 3))


@app.command()
def evaluate(
    qrels: Annotated[str, typer.Argument(help="A qrels file, or a dataset: demo, clueweb12/trec-web-2014, irds:...")],
    runs: RunsArgument,
    measures: MeasuresOption,
    by_query: Annotated[
        bool, typer.Option("--by-query", "-q", help="A row for each query, and 'all' for the aggregate.")
    ] = False,
    jobs: JobsOption = None,
    show_signatures: Annotated[
        bool,
        typer.Option(
            "--signatures", "-s", help="Print a line for each measure that makes it reproducible, apart from the table."
        ),
    ] = False,
    queries: Annotated[
        bool, typer.Option("--queries", help="A column with the number of queries that a run answers.")
    ] = False,
    order: OrderOption = Order.score,
    strict: StrictOption = False,
    format: FormatOption = Format.table,
    places: PlacesOption = 4,
) -> None:
    """Evaluate run files against qrels that keep the intents, file by file."""
    try:
        chosen = _parsed(measures)
        table = _evaluated(qrels, runs, chosen, by_query, jobs, order, strict, queries)
    except (ValueError, TypeError, KeyError, OSError) as error:
        raise _one_sentence(error) from error
    signatures, empty = table.attrs["signatures"].values(), table.attrs["empty"]
    table = (_by_query(table, chosen) if by_query else table).rename(columns={"name": "run"})
    if format is Format.latex:
        typer.echo("\n".join(f"% {signature}" for signature in signatures))
    typer.echo(_formatted(table, format, places))
    if empty and format is Format.table:
        typer.echo(f"\nWithout documents, and so with default values: {', '.join(empty)}.")
    if show_signatures and format is not Format.latex:
        typer.echo("\n" + "\n".join(signatures), err=format is not Format.table)


@app.command()
def compare(
    qrels: Annotated[str, typer.Argument(help="A qrels file, or a dataset: demo, clueweb12/trec-web-2014, irds:...")],
    runs: RunsArgument,
    measures: MeasuresOption,
    test: Annotated[
        str, typer.Option(help="tukey-randomised, bootstrap, tukey, t, wilcoxon or permutation.")
    ] = "tukey-randomised",
    baseline: Annotated[
        list[str] | None, typer.Option("--baseline", "-b", help="Compare with these runs only.")
    ] = None,
    correction: Annotated[
        str | None, typer.Option(help="For tests of single pairs: of statsmodels, such as holm or fdr_bh.")
    ] = None,
    alpha: Annotated[float, typer.Option(help="Level of significance.")] = 0.05,
    seed: Annotated[int, typer.Option(min=0, help="Of tests that draw at random.")] = 0,
    jobs: JobsOption = None,
    order: OrderOption = Order.score,
    strict: StrictOption = False,
    format: FormatOption = Format.table,
    places: PlacesOption = 4,
) -> None:
    """Compare run files: means, differences, and which of them are significant.

    As LaTeX or HTML: a row for each run, its means marked by what is significant. As a table, a p-value of 0 out of B
    trials is printed as < 1/B; CSV and JSON have the share.
    """
    from . import meta

    try:
        chosen = _parsed(measures)
        table = meta.compare(
            _evaluated(qrels, runs, chosen, True, jobs, order, strict),
            test,  # type: ignore[arg-type]  # checked there
            chosen,
            baseline=baseline,
            correction=correction,
            alpha=alpha,
            rng=seed,
            n_jobs=jobs,
        )
    except (ValueError, TypeError, KeyError, OSError) as error:
        raise _one_sentence(error) from error
    if format in (Format.latex, Format.html):
        marked = meta.significance_table(table, places)
        typer.echo(marked.to_latex() if format is Format.latex else marked.to_html())
    else:
        from .meta.tables import with_bounds

        typer.echo(_formatted(with_bounds(table, places) if format is Format.table else table, format, places))


@app.command()
def axioms(
    measures: Annotated[list[str], typer.Argument(help="Measures such as 'RBU(p=0.99)' or groups such as NDEVAL.")],
    counterexamples: Annotated[
        bool, typer.Option("--counterexamples", "-c", help="Print rankings that break each constraint missed.")
    ] = False,
    n_pairs: Annotated[int, typer.Option(min=0, help="Pairs of rankings drawn at random for each constraint.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Of the pairs drawn.")] = 0,
    format: FormatOption = Format.table,
) -> None:
    """Search for rankings on which measures break the ten constraints of Amigó et al. (2018)."""
    from .meta import axiom_table
    from .meta import axioms as search

    try:
        chosen = _parsed(measures)
        table = axiom_table(chosen, n_pairs=n_pairs, rng=seed)
    except (ValueError, KeyError) as error:
        raise _one_sentence(error) from error
    typer.echo(_formatted(table.replace({True: "yes", False: "no"}).reset_index(), format, 0))
    for measure in chosen if counterexamples else []:
        for name in table.columns[~table.loc[str(measure)].to_numpy(bool)]:
            found = cast("pd.DataFrame", search.counterexample(measure, name, n_pairs=n_pairs, rng=seed))
            typer.echo(f"\n{measure} breaks {name}. {found.attrs['statement']}\n{search.sketch(found)}")


@app.command()
def measures(
    name: Annotated[str | None, typer.Argument(help="One measure, to be told all about it.")] = None,
    format: FormatOption = Format.table,
) -> None:
    """List the measures: formula, parameters, range, the columns that they read, and source."""
    from .measures import registered
    from .report import reference

    wanted = None if name is None else name.partition("@")[0].partition("(")[0].lower()
    chosen = [measure for measure in registered() if wanted in (None, measure.NAME.lower())]
    if not chosen:
        typer.echo(f"Error: there is no measure {name!r} here; pyterrier-diversity measures lists them.", err=True)
        raise typer.Exit(1)
    if format is Format.table:
        typer.echo("\n".join(map(reference.text if name is None else reference.full_text, chosen)))
    else:
        import pandas as pd

        typer.echo(_formatted(pd.DataFrame([dict(reference.entry(measure)) for measure in chosen]), format, 4))


def _parsed(texts: list[str]) -> list[ir_measures.Measure]:
    """Read measures and names of groups: in each text one, or several with spaces or commas between them."""
    from .measures.groups import read_measures

    return list(dict.fromkeys(read_measures("measures", texts)))


def _evaluated(
    qrels: str,
    runs: list[Path],
    measures: list[ir_measures.Measure],
    perquery: bool,
    n_jobs: int | None,
    order: Order,
    strict: bool,
    queries: bool = False,
) -> pd.DataFrame:
    from .evaluate import evaluate_runs

    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: typer.echo(f"Warning: {message}", err=True)
        return evaluate_runs(
            _qrels(qrels),
            runs,
            measures,
            perquery=perquery,
            n_jobs=n_jobs,
            order=order.value,
            queries=queries,
            strict=strict,
        )


def _by_query(values: pd.DataFrame, measures: list[ir_measures.Measure]) -> pd.DataFrame:
    """Return a row for each run and query, and one with the aggregates of each run."""
    import pandas as pd

    rows: list[dict[str, object]] = []
    counted = ["queries"] if "queries" in values else []
    for name, of_run in values.groupby("name", sort=False):
        by_query: dict[str, dict[str, float]] = {}
        for query_id, measure, value in zip(of_run["qid"], of_run["measure"], of_run["value"], strict=True):
            by_query.setdefault(query_id, {})[measure] = value
        aggregates: dict[str, float] = {}
        for measure in measures:
            aggregator = measure.aggregator()
            for of_query in by_query.values():
                aggregator.add(of_query[str(measure)])
            aggregates[str(measure)] = aggregator.result()
        first = {"name": name, **{column: of_run[column].iloc[0] for column in counted}}
        rows += [{**first, "qid": query_id, **row} for query_id, row in by_query.items()]
        rows.append({**first, "qid": "all", **aggregates})
    return pd.DataFrame(rows)[["name", *counted, "qid", *map(str, measures)]]


def _one_sentence(error: Exception) -> typer.Exit:
    """Print an error, and return what ends the command."""
    typer.echo(f"Error: {error.args[0] if isinstance(error, KeyError) else error}", err=True)
    return typer.Exit(1)


def _qrels(name: str) -> pd.DataFrame:
    """Read qrels from a file, of TREC or a truth file of Dynamic Domain, or from a dataset of ours or of PyTerrier."""
    import pyterrier as pt

    from .datasets import DiversityDatasetProvider
    from .io import read_dd_truth, read_qrels

    if Path(name).is_file():
        return (read_dd_truth if name.endswith((".xml", ".xml.gz")) else read_qrels)(name)
    ours = DiversityDatasetProvider().list_dataset_names()
    if name in ours:
        name = f"diversity:{name}"
    try:
        return pt.get_dataset(name).get_qrels()
    except KeyError as error:
        raise ValueError(f"{name!r} is neither a file nor a dataset; this package's: {', '.join(ours)}.") from error


def _formatted(table: pd.DataFrame, format: Format, places: int) -> str:
    if format is Format.csv:
        return table.to_csv(index=False, float_format=f"%.{places}f").rstrip("\n")
    if format is Format.json:
        return str(table.to_json(orient="records", double_precision=min(places, 15)))
    if format is Format.html:
        return table.to_html(index=False, float_format=f"{{:.{places}f}}".format, border=0)
    if format is Format.latex:
        return _latex(table, places)
    return table.to_string(index=False, float_format=f"{{:.{places}f}}".format)


def _latex(table: pd.DataFrame, places: int) -> str:
    from .io import escaped, latex

    numeric = [kind.kind in "if" for kind in table.dtypes]
    cells = [
        [f"{cell:.{places}f}" if isinstance(cell, float) else str(cell) for cell in row] for row in table.to_numpy()
    ]
    rows = [list(map(escaped, row)) for row in [[*map(str, table)], *cells]]
    return latex(rows, "".join("r" if number else "l" for number in numeric))
