"""The command ``pyterrier-diversity``: a demonstration, run files evaluated and compared, the measures."""

from __future__ import annotations

import re
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


RunsArgument = Annotated[list[Path], typer.Argument(help="TREC run files.", exists=True, dir_okay=False)]
MeasuresOption = Annotated[
    list[str],
    typer.Option(
        "--measure",
        "-m",
        help="A measure such as 'RBU(p=0.9)@20' or a group such as NDEVAL; several, or several in one with spaces.",
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print the table.")]
PlacesOption = Annotated[int, typer.Option("--places", "-p", min=0, help="Decimal places of the values.")]


@app.command()
def demo() -> None:
    """Evaluate four systems of different character on the embedded collection."""
    import pyterrier as pt
    from ir_measures import AP, nDCG

    from . import RBU, Adhoc, StRecall, alpha_nDCG
    from .datasets.demo import RUNS

    dataset = pt.get_dataset("diversity:demo")
    systems = {name: dataset.get_results(name) for name in RUNS}
    measures = [RBU @ 5, alpha_nDCG @ 5, StRecall @ 5, Adhoc(nDCG @ 5), Adhoc(AP)]
    topics, qrels = dataset.get_topics(), dataset.get_qrels()
    table = pt.Experiment(systems, topics, qrels, measures)[["name", *map(str, measures)]]
    n_intents = qrels.groupby("qid")["iteration"].nunique().mean()
    typer.echo(f"diversity:demo, {len(topics)} queries of {n_intents:.1f} intents on average\n")
    typer.echo(_formatted(table, Format.table, 3))
    typer.echo(
        "\nAd-hoc nDCG prefers more-like-this, which dwells on one intent; every diversity measure prefers xquad.\n"
        "StRecall counts the intents covered; alpha-nDCG and RBU also ask how early, and pay less for what is known.\n"
        "RBU subtracts the effort of reading: three good documents (xquad-top-3) beat five that repeat others (bm25)."
    )


@app.command()
def evaluate(
    qrels: Annotated[str, typer.Argument(help="A qrels file, or a dataset: demo, clueweb12/trec-web-2014, irds:...")],
    runs: RunsArgument,
    measures: MeasuresOption,
    by_query: Annotated[
        bool, typer.Option("--by-query", "-q", help="A row for each query, and 'all' for the aggregate.")
    ] = False,
    format: FormatOption = Format.table,
    places: PlacesOption = 4,
) -> None:
    """Evaluate run files against qrels that keep the intents."""
    try:
        table = _evaluated(qrels, runs, _parsed(measures), by_query)
    except (ValueError, KeyError, OSError) as error:
        typer.echo(f"Error: {error.args[0] if isinstance(error, KeyError) else error}", err=True)
        raise typer.Exit(1) from error
    typer.echo(_formatted(table, format, places))


@app.command()
def compare(
    qrels: Annotated[str, typer.Argument(help="A qrels file, or a dataset: demo, clueweb12/trec-web-2014, irds:...")],
    runs: RunsArgument,
    measures: MeasuresOption,
    test: Annotated[str, typer.Option(help="tukey-randomised, bootstrap, tukey, t, wilcoxon or permutation.")] = "t",
    baseline: Annotated[
        list[str] | None, typer.Option("--baseline", "-b", help="Compare with these runs only.")
    ] = None,
    correction: Annotated[str | None, typer.Option(help="Of statsmodels, such as holm or fdr_bh.")] = None,
    alpha: Annotated[float, typer.Option(help="Level of significance.")] = 0.05,
    seed: Annotated[int, typer.Option(help="Of tests that draw at random.")] = 0,
    format: FormatOption = Format.table,
    places: PlacesOption = 4,
) -> None:
    """Compare run files: means, differences, and which of them are significant."""
    from . import meta

    try:
        chosen = _parsed(measures)
        perquery = _perquery(_evaluated(qrels, runs, chosen, by_query=True))
        table = meta.compare(
            perquery,
            test,  # type: ignore[arg-type]  # checked there
            chosen,
            baseline=baseline,
            correction=correction,
            alpha=alpha,
            rng=seed,
        )
    except (ValueError, TypeError, KeyError, OSError) as error:
        typer.echo(f"Error: {error.args[0] if isinstance(error, KeyError) else error}", err=True)
        raise typer.Exit(1) from error
    typer.echo(_formatted(table, format, places))


@app.command()
def axioms(
    measures: Annotated[list[str], typer.Argument(help="Measures such as 'RBU(p=0.99)' or groups such as NDEVAL.")],
    counterexamples: Annotated[
        bool, typer.Option("--counterexamples", "-c", help="Print rankings that break each constraint missed.")
    ] = False,
    n_pairs: Annotated[int, typer.Option(min=0, help="Pairs of rankings drawn at random for each constraint.")] = 200,
    seed: Annotated[int, typer.Option(help="Of the pairs drawn.")] = 0,
    format: FormatOption = Format.table,
) -> None:
    """Search for rankings on which measures break the ten constraints of Amigó et al. (2018)."""
    from .meta import axiom_table
    from .meta import axioms as search

    try:
        chosen = _parsed(measures)
        table = axiom_table(chosen, n_pairs=n_pairs, rng=seed)
    except (ValueError, KeyError) as error:
        typer.echo(f"Error: {error.args[0] if isinstance(error, KeyError) else error}", err=True)
        raise typer.Exit(1) from error
    typer.echo(_formatted(table.replace({True: "yes", False: "no"}).reset_index(), format, 0))
    for measure in chosen if counterexamples else []:
        for name in table.columns[~table.loc[str(measure)].to_numpy(bool)]:
            found = cast("pd.DataFrame", search.counterexample(measure, name, n_pairs=n_pairs, rng=seed))
            typer.echo(f"\n{measure} breaks {name}. {found.attrs['statement']}\n{search.sketch(found)}")


@app.command()
def measures(
    name: Annotated[str | None, typer.Argument(help="One measure, to be told all about it.")] = None,
    format: FormatOption = Format.table,
    page: Annotated[bool, typer.Option("--page", help="Print the reference page, in reStructuredText.")] = False,
) -> None:
    """List the measures: formula, parameters, range, the columns that they read, and source."""
    from . import reference
    from .measures import registered

    chosen = [measure for measure in registered() if name in (None, measure.NAME)]
    if not chosen:
        typer.echo(f"Error: there is no measure {name!r} here; pyterrier-diversity measures lists them.", err=True)
        raise typer.Exit(1)
    if page:
        typer.echo(reference.page(), nl=False)
    elif format is Format.table:
        typer.echo("\n".join(map(reference.text if name is None else reference.full_text, chosen)))
    else:
        import pandas as pd

        typer.echo(_formatted(pd.DataFrame([dict(reference.entry(measure)) for measure in chosen]), format, 4))


def _parsed(texts: list[str]) -> list[ir_measures.Measure]:
    """Read measures and names of groups as ir_measures' own command does: in each text, one or more with spaces."""
    from .groups import GROUPS
    from .measures import parse

    names = [name for text in texts for name in re.split(r"\s+(?![^()]*\))", text.strip())]
    return list(dict.fromkeys(measure for name in names for measure in GROUPS.get(name) or (parse(name),)))


def _evaluated(qrels: str, runs: list[Path], measures: list[ir_measures.Measure], by_query: bool) -> pd.DataFrame:
    import ir_measures
    import pandas as pd
    import pyterrier as pt

    from .io import read_run

    evaluator = ir_measures.evaluator(measures, pt.model.to_ir_measures(_qrels(qrels)))
    rows: list[dict[str, object]] = []
    for path, name in zip(
        pt.tqdm(runs, desc="runs", unit="run", leave=False, disable=len(runs) == 1), _run_names(runs), strict=True
    ):
        calculated = evaluator.calc(pt.model.to_ir_measures(read_run(path)))
        values: dict[str, dict[str, float]] = {}
        for metric in calculated.per_query if by_query else ():
            values.setdefault(metric.query_id, {})[str(metric.measure)] = metric.value
        aggregated = cast("dict[ir_measures.Measure, float]", calculated.aggregated)
        values["all"] = {str(measure): aggregated[measure] for measure in measures}
        rows.extend({"run": name, "qid": qid, **value} for qid, value in values.items())
    return pd.DataFrame(rows)[["run", *(["qid"] if by_query else []), *map(str, measures)]]


def _perquery(table: pd.DataFrame) -> pd.DataFrame:
    """Return values by query as ``pt.Experiment(..., perquery=True)`` returns them."""
    values = table[table["qid"] != "all"].rename(columns={"run": "name"})
    return values.melt(["name", "qid"], var_name="measure", value_name="value")


def _run_names(runs: list[Path]) -> list[str]:
    """Return the names of files without folder and ending; whole paths if two would be called the same."""
    names = [path.name.removesuffix(".gz").removesuffix(".run").removesuffix(".txt") for path in runs]
    return names if len(set(names)) == len(names) else [str(path) for path in runs]


def _qrels(name: str) -> pd.DataFrame:
    """Read qrels from a file, or from a dataset of ours or of PyTerrier."""
    import pyterrier as pt

    from .datasets import DiversityDatasetProvider
    from .io import read_qrels

    if Path(name).is_file():
        return read_qrels(name)
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
    if format is Format.latex:
        return _latex(table, places)
    return table.to_string(index=False, float_format=f"{{:.{places}f}}".format)


def _latex(table: pd.DataFrame, places: int) -> str:
    """Return a table with rules of booktabs."""
    numeric = [kind.kind in "if" for kind in table.dtypes]
    cells = [
        [f"{cell:.{places}f}" if isinstance(cell, float) else str(cell) for cell in row] for row in table.to_numpy()
    ]
    header, *body = (" & ".join(map(_escaped, row)) + r" \\" for row in [[*map(str, table)], *cells])
    columns = "".join("r" if number else "l" for number in numeric)
    lines = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        header,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return re.sub(r"([&%$#_{}])", r"\\\1", text)
