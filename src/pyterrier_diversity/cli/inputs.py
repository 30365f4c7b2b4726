"""The input of commands about rankings: qrels, runs and measures. Files are read when they are needed."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import click
import ir_measures
import pandas as pd

from .. import io
from ..evaluate import evaluate_runs
from ..frames import Told, collected, give
from ..measures.composite import last_rank
from ..measures.groups import read_measures
from ..warnings import KINDS, DataWarning
from .options import MeasureText, QrelsText
from .outputs import FILE, new_names, tell


@dataclass(frozen=True)
class Asked:
    """The input of a command about rankings.

    Parameters
    ----------
    qrels : QRELS
        A file that `io.read_qrels` reads, a truth file of Dynamic Domain (``.xml``), ``-`` for standard input, the name
        of a dataset of this package or of PyTerrier, or a folder of nuggets.
    runs : RUNS...
        Files, folders or patterns of runs.
    columns : THEIRS=OURS,...
        Names of columns in the files and what they mean, such as 'topic=qid,passage=docno,aspect=iteration'.
        Repeatable.
    measures : tuple of str
        A measure such as 'RBU(p=0.9)@20', or a group such as NDEVAL. Separate several by spaces, or repeat -m.
    order : str
        Order the documents of a run by score, as trec_eval does, or by rank.
    strict : bool
        Treat warnings about data as errors: all but SignificanceWarning, which is about a test.
    ignore : NAME
        Hide warnings of this class, such as IdsWarning, and do not treat them as errors. Repeatable.
    doc_len : path
        For EU_DD: a file with the number of words of each document, in lines 'document<TAB>words'.
    n_jobs : int
        Number of parallel workers; -1 for one on each core.
    rng : int >= 0
        Random seed.
    names : str
        A file with two columns: the name of a run, a tab or comma, and its new name. $...$ is a formula of LaTeX.
        Repeatable.
    query : str
        Show this query only.
    depth : int >= 1
        Last rank that counts. By default, all ranks.
    """

    qrels: Annotated[str, QrelsText()]
    runs: Annotated[tuple[str, ...], click.Path(path_type=str)]
    _: KW_ONLY
    columns: tuple[str, ...] = ()
    measures: Annotated[tuple[str, ...], MeasureText(), "-m", "--measure"] = ()
    order: io.OrderedBy = "score"
    strict: bool = False
    ignore: Annotated[tuple[str, ...], click.Choice(list(KINDS))] = ()
    doc_len: Annotated[Path | None, click.Path(path_type=Path)] = None
    n_jobs: Annotated[int | None, "-j", "--jobs"] = None
    rng: Annotated[int, "--seed"] = 0
    names: Annotated[tuple[str, ...], FILE] = ()
    query: str | None = None
    depth: Annotated[int | None, "-k"] = None

    def __post_init__(self) -> None:
        """Ignore classes of warnings and set the number of workers until the command ends."""
        for name in self.ignore:
            warnings.filterwarnings("ignore", category=KINDS[name])
        if self.n_jobs is not None:
            import joblib

            click.get_current_context().with_resource(joblib.parallel_config(n_jobs=self.n_jobs))

    @cached_property
    def chosen(self) -> list[ir_measures.Measure]:
        """The measures."""
        return measures_of(self.measures)

    def named(self, gates: Iterable[ir_measures.Measure] = ()) -> list[ir_measures.Measure]:
        """Return the measures to show: those asked for, and those of the gates."""
        measures = list(dict.fromkeys([*self.chosen, *gates]))
        if not measures:
            raise click.UsageError("Name the measures, as in -m 'RBU@20 alpha_nDCG@20'.")
        whole = [measure for measure in measures if last_rank(measure) is None]
        if len(whole) == 1 < len(measures) and whole[0] in gates:
            tell(f"Note: {whole[0]} has no cutoff, unlike the other measures: it reads all ranks.")
        return measures

    @cached_property
    def new_names(self) -> io.SharedColumns | None:
        """The new names of columns in the files.

        Raises
        ------
        ValueError
            If the option --columns renames a column that none of the files has.
        """
        if not self.columns:
            return None
        text = ",".join(self.columns)
        pairs = [pair.partition("=") for pair in text.split(",")]
        new = io.SharedColumns({theirs.strip(): ours.strip() for theirs, _, ours in pairs})
        if not all(theirs and ours for theirs, ours in new.items()) or len(new) < len(pairs):
            raise click.UsageError(f"--columns must be pairs such as 'topic=qid,passage=docno', not {text!r}.")
        files = [self.qrels, *filter(_is_path, self.files.values())]
        if all(path != "-" and Path(path).is_file() for path in files):  # a pipe can be read only once
            found: set[str] = set()
            for file in files:
                with suppress(ValueError):  # which is raised when its turn comes
                    found.update(io.all_names(io.look_at(file, "run")))
            for name in (name for name in new.keys() - found if not name.isdigit()):
                hint = f" Did you mean {new[name]}={name}?" if new[name] in found and name in io.KNOWN_NAMES else ""
                raise ValueError(
                    f"--columns renames {name!r}, which is not a column of any of the files; "
                    f"found: {', '.join(sorted(found)) or 'no names'}.{hint}"
                )
        return new

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Give the warnings of a block when it ends. With --strict, those about data end the command."""
        found: list[Told] = []
        try:
            with collected() as found:
                yield
        finally:
            give(found)
        kinds = {type(warning).__name__ for warning, _ in found if isinstance(warning, DataWarning)}
        if self.strict and not kinds.issubset(self.ignore):
            raise click.ClickException("With --strict, warnings about data are errors.")

    def judged_by(self, measures: Iterable[ir_measures.Measure]) -> pd.DataFrame:
        """Read qrels from a file or a dataset, with passages if one of the measures needs them.

        Raises
        ------
        ValueError
            If the file or dataset does not exist or cannot be read.
        """
        name, needed = self.qrels, ir_measures.providers.registry["diversity"].qrel_inputs(list(measures))
        by_passage = "passage" in needed
        if _is_stream(name):
            content = io.read_content(name)
            if content.data.lstrip().startswith(b"<"):
                return io.read_dd_truth(content, "passages" if by_passage else "documents")
            return io.read_qrels(content, columns=self.new_names)
        import pyterrier as pt

        from ..datasets import TREC_DD, described

        short = own_name(name)
        try:
            dataset = pt.get_dataset(f"diversity:{short}" if short else name)
        except KeyError as error:
            if Path(name).is_dir():
                return io.read_qrels(name, columns=self.new_names)
            known = ", ".join(described())
            raise ValueError(
                f"{name!r} is neither a file nor a dataset. This package has the datasets {known}."
            ) from error
        return dataset.get_qrels(*(["passages"] if by_passage and short in TREC_DD else []))

    @cached_property
    def judged(self) -> pd.DataFrame:
        """The qrels, with the texts of the queries and intents if they are of a dataset of this package."""
        qrels, short = self.judged_by(self.chosen), own_name(self.qrels)
        if not short:
            return qrels
        import pyterrier as pt

        dataset = pt.get_dataset(f"diversity:{short}")
        try:
            queries, intents = dataset.get_topics(), dataset.get_topics("subtopics")
        except OSError:  # they cannot be downloaded
            return qrels
        texts = intents.set_index(["qid", "iteration"])["query"].to_dict()
        told = [texts.get(each, "") for each in zip(qrels["qid"], qrels["iteration"], strict=True)]
        return qrels.assign(nugget_text=told, query=qrels["qid"].map(queries.set_index("qid")["query"]).fillna(""))

    @cached_property
    def files(self) -> dict[str, Any]:
        """The files of the runs by their own names."""
        paths = list(map(self._path, self.runs))
        return io.named_runs(str(click.get_current_context().info_name), paths) if paths else {}

    @cached_property
    def paths(self) -> dict[str, Any]:
        """The files of the runs by name: by the new name, if the option --names gives one."""
        new = io.called("names", new_names("names", self.names), self.files)
        return {new[name]: path for name, path in self.files.items()}

    def file_of(self, name: str) -> str:
        """Return the file of a run; its name, if the file has several runs."""
        return str(self.paths[name]) if _is_path(self.paths[name]) else name

    def _path(self, name: str) -> str:
        """Return the path of a run. With the demo's qrels, the demo's runs may be given by name."""
        if self.qrels.removeprefix("diversity:") != "demo":
            return name
        from ..datasets.demo import FOLDER, RUNS

        return str(FOLDER / f"{name}.run") if name in RUNS and not Path(name).exists() else name

    def with_baselines(self, baselines: Iterable[str]) -> tuple[Asked, list[str]]:
        """Return a copy with the baselines among the runs, and the names of the baselines.

        A baseline is the name of a run, without --names, a file or ``-``. The file may be a further run.
        """
        files = {one: self._path(one) for one in baselines if one not in self.files}
        for one, path in files.items():
            if path != "-" and not Path(path).exists():
                known = ", ".join(self.files)
                raise ValueError(f"The baseline {one!r} is neither a file nor the name of a run. The runs are {known}.")
        # One path may be written in two ways, but links to one file are runs of their own.
        own = {os.path.abspath(path) for path in filter(_is_path, self.files.values())}
        further = {os.path.abspath(path): path for path in files.values()}
        whole = replace(self, runs=(*self.runs, *(path for file, path in further.items() if file not in own)))
        name_of = dict(zip(whole.files, whole.paths, strict=True))
        name_of |= {os.path.abspath(path): name for name, path in whole.paths.items() if _is_path(path)}
        return whole, [name_of[os.path.abspath(files[one]) if one in files else one] for one in baselines]

    @cached_property
    def frames(self) -> dict[str, pd.DataFrame]:
        """The runs by name, with the lengths of documents if they are given."""
        runs = dict(io.read_runs(self.paths, order=self.order, columns=self.new_names, who="runs"))
        return runs if self.doc_len is None else {name: io.add_lengths(run, self.doc_len) for name, run in runs.items()}

    @property
    def given(self) -> dict[str, Any]:
        """The runs by name; with the option --columns, files with the new names of their columns."""
        new = self.new_names
        if new is None:
            return self.paths
        return {
            name: io.Renamed(run, new) if _is_path(run) else io.run_frame(run, columns=new)
            for name, run in self.paths.items()
        }

    def values(
        self, measures: list[ir_measures.Measure], judged: pd.DataFrame | None = None, **how: Any
    ) -> pd.DataFrame:
        """Evaluate the runs, without those that cannot be read. By default, the qrels are read."""
        judged = self.judged_by(measures) if judged is None else judged
        how = {"on_error": "skip", "order": self.order, "doc_len": self.doc_len} | how
        return evaluate_runs(judged, self.given, measures, **how)

    def exactly(self, n: int) -> list[ir_measures.Measure]:
        """Return the measures. It is a usage error if there are not ``n`` of them, which is 1 or 2."""
        if len(self.chosen) != n:
            raise click.UsageError(f"Name {'one measure' if n == 1 else 'two measures'} with -m.")
        return self.chosen

    def explained(self) -> dict[str, pd.DataFrame]:
        """Explain the ranking of each run for the query."""
        from ..transformers import Explain

        query, found = self.query, {}
        if query is None:
            raise click.UsageError("Name one query with --query.")
        explain = Explain(self.judged, *self.exactly(1))
        for name, run in self.frames.items():
            chosen = run[run["qid"] == query]
            if chosen.empty:
                raise ValueError(f"Run {name} has no documents for query {query!r}.")
            found[name] = explain(chosen)
            if found[name]["value"].isna().all():
                raise ValueError(f"The qrels have no query {query!r}.")
        return found


def measures_of(texts: Iterable[str]) -> list[ir_measures.Measure]:
    """Read measures and names of groups. A text may have several, separated by spaces or commas."""
    return read_measures("measures", texts) if texts else []


def own_name(name: str) -> str:
    """Return the name of a dataset of this package without the prefix, or an empty string for other names and files."""
    if _is_stream(name):
        return ""
    from ..datasets import described

    short = name.removeprefix("diversity:")
    return short if short in described() else ""


def _is_path(run: Any) -> bool:
    return isinstance(run, (str, Path))


def _is_stream(name: str) -> bool:
    """Return whether a name is that of a file, or of standard input, rather than of a dataset or a folder."""
    return name == "-" or (Path(name).exists() and not Path(name).is_dir())
