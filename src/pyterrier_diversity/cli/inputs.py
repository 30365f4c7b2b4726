"""Qrels and runs, read from the names that a command is given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import ir_measures
    import pandas as pd

    from ..io import Content, OrderedBy, SharedColumns

# Where click keeps the value of the option --columns.
COLUMNS = "pyterrier_diversity.columns"


def read_judged(name: str, measures: Iterable[ir_measures.Measure] = (), *, strict: bool = False) -> pd.DataFrame:
    """Read qrels from a file or a dataset, with passages if one of the measures needs them.

    Parameters
    ----------
    name : str
        A file that `io.read_qrels` reads, a truth file of Dynamic Domain (``.xml``), ``-`` for standard input, the name
        of a dataset of this package or of PyTerrier, or a folder of nuggets.
    measures : iterable of Measure
        The measures to compute.
    strict : bool
        Whether to raise warnings about the data as errors.

    Raises
    ------
    ValueError
        If there is no such file or dataset, or it cannot be read.
    """
    import ir_measures

    from ..judged import collected, give

    needed = ir_measures.providers.registry["diversity"].qrel_inputs(list(measures))
    with collected() as messages:
        frame = _read(name, "passages" if "passage" in needed else "documents")
    give(messages, strict)
    return frame


def _read(name: str, level: Literal["passages", "documents"]) -> pd.DataFrame:
    if not _is_stream(name):
        return _of_dataset(name, level)
    from ..io import read_content, read_dd_truth, read_qrels

    content = read_content(name)
    if content.data.lstrip().startswith(b"<"):
        return read_dd_truth(content, level)
    try:
        return read_qrels(content, columns=columns())
    except ValueError as error:
        if _is_run(content):
            raise ValueError(f"{name} is a run, not qrels. Give the qrels first.") from error
        raise


def _is_stream(name: str) -> bool:
    """Return whether a name is that of a file, or of standard input, rather than of a dataset or a folder."""
    return name == "-" or (Path(name).exists() and not Path(name).is_dir())


class Texts(NamedTuple):
    """The name of a collection, the texts of its queries by id, and those of intents by the ids of query and intent."""

    collection: str
    queries: dict[str, str]
    intents: dict[tuple[str, str], str]


def read_texts(name: str) -> Texts:
    """Read the texts of the queries and intents of a dataset of this package; there are none for other qrels."""
    import pyterrier as pt

    short = _own_name(name)
    if _is_stream(name) or short is None:
        return Texts("", {}, {})
    dataset = pt.get_dataset(f"diversity:{short}")
    try:
        topics, intents = dataset.get_topics(), dataset.get_topics("subtopics")
    except OSError:  # the qrels are there and the topics are not: a picture without texts is better than none
        return Texts(short, {}, {})
    ids = zip(intents["qid"], intents["iteration"], strict=True)
    return Texts(
        short,
        dict(zip(topics["qid"], topics["query"], strict=True)),
        dict(zip(ids, intents["query"], strict=True)),
    )


def read_by(by: str | None, qrels: str) -> str | pd.DataFrame | None:
    """Return groups of queries as functions take them: a column of a dataset's topics, or what the user has named."""
    if by is None or Path(by).exists() or _is_stream(qrels) or (short := _own_name(qrels)) is None:
        return by
    import pyterrier as pt

    topics = pt.get_dataset(f"diversity:{short}").get_topics()
    return topics[["qid", by]] if by in topics and by != "qid" else by


def _own_name(name: str) -> str | None:
    """Return the name of a dataset of this package without the prefix, or None for other datasets."""
    from ..datasets import DiversityDatasetProvider

    short = name.removeprefix("diversity:")
    return short if short in DiversityDatasetProvider().list_dataset_names() else None


def _is_run(content: Content) -> bool:
    from ..io import run_frame
    from ..judged import collected

    try:
        with collected():
            return not run_frame(content).empty
    except (ValueError, OSError):
        return False


def _of_dataset(name: str, level: str) -> pd.DataFrame:
    import pyterrier as pt

    from ..datasets import TREC_DD, DiversityDatasetProvider
    from ..io import read_qrels

    short = _own_name(name)
    try:
        dataset = pt.get_dataset(name if short is None else f"diversity:{short}")
    except KeyError as error:
        if Path(name).is_dir():
            return read_qrels(name, columns=columns())
        raise ValueError(
            f"{name!r} is neither a file nor a dataset. This package has the datasets "
            f"{', '.join(DiversityDatasetProvider().list_dataset_names())}."
        ) from error
    return dataset.get_qrels("passages") if short in TREC_DD and level == "passages" else dataset.get_qrels()


def columns() -> SharedColumns | None:
    """Return what the files call the columns, from the option --columns."""
    import click

    from ..io import SharedColumns

    text = click.get_current_context().meta.get(COLUMNS)
    if text is None:
        return None
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(theirs and ours for theirs, _, ours in pairs):
        raise click.UsageError(f"--columns must be pairs such as 'topic=qid,passage=docno', not {text!r}.")
    return SharedColumns({theirs.strip(): ours.strip() for theirs, _, ours in pairs})


def run_paths(names: Sequence[str], qrels: str) -> list[str | Path]:
    """Return the paths of runs. With the demo's qrels, the demo's runs may be given by name.

    Raises
    ------
    ValueError
        If the option --columns names a column that none of the files has.
    """
    paths: list[str | Path] = list(names)
    if qrels.removeprefix("diversity:") == "demo":
        from ..datasets.demo import FOLDER, RUNS

        paths = [FOLDER / f"{name}.run" if name in RUNS and not Path(name).exists() else name for name in names]
    new_names = columns()
    if new_names is not None:
        from ..io import names_in, run_files

        files = [Path(qrels), *run_files(paths)]
        if all(path.is_file() for path in files):  # a pipe can be read only once
            found = set().union(*map(names_in, files))
            for name in new_names.keys() - found:
                raise ValueError(
                    f"--columns names {name!r}, which is a column of none of the files; found: "
                    f"{', '.join(sorted(found)) or 'no names'}."
                )
    return paths


def renamed_runs(runs: Any, order: OrderedBy) -> Any:
    """Return runs as they are or, with the option --columns, read each and rename its columns."""
    from ..io import named_runs, read_run

    new_names = columns()
    if new_names is None or not runs:
        return runs
    return {name: read_run(run, order=order, columns=new_names) for name, run in named_runs("evaluate", runs).items()}


def runs_and_baselines(
    names: Sequence[str], baselines: Sequence[str], qrels: str
) -> tuple[dict[str, str | Path], list[str]]:
    """Return the runs by name, with the baselines, and the names of the baselines.

    A baseline is the name of a run, or a file. The file may be a further run.
    """
    from ..io import named_runs

    given = named_runs("compare", run_paths(names, qrels))
    files = [given[one] if one in given else run_paths([one], qrels)[0] for one in baselines]
    unknown = [one for one, path in zip(baselines, files, strict=True) if not Path(path).exists()]
    if unknown:
        raise ValueError(
            f"The baseline {unknown[0]!r} is neither a file nor the name of a run. The runs are {', '.join(given)}."
        )
    # The same file may be given by two paths.
    distinct: dict[Path, str | Path] = {}
    for path in (*given.values(), *files):
        distinct.setdefault(Path(path).resolve(), path)
    runs = named_runs("compare", list(distinct.values()))
    name_of = {Path(path).resolve(): name for name, path in runs.items()}
    return runs, [name_of[Path(path).resolve()] for path in files]


def read_named_run(path: str | Path, order: OrderedBy, doc_len: Path | None = None) -> pd.DataFrame:
    """Read a run, with the lengths of its documents if ``doc_len`` is given."""
    from ..io import add_lengths, read_run

    run = read_run(path, order=order, columns=columns())
    return run if doc_len is None else add_lengths(run, doc_len)
