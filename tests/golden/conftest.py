"""The tables of golden values, each read once, and the runs that they are for."""

from collections.abc import Callable

import pandas as pd
import pytest

_MADE_UP = (
    "syn01-oracle",
    "syn02-strong",
    "syn03-middle",
    "syn04-weak",
    "syn05-random",
    "syn06-oneintent",
    "syn07-diverse",
    "syn08-ties",
    "syn09-gaps",
    "syn10-long",
)
_RUNS = {
    2009: ("cwindri", *_MADE_UP),
    2011: ("cwindri", "cedr-first-stage", *_MADE_UP),
    2012: ("ql.catb", "rm.catb", "ql.cata-filtered", "rm.catb-filtered"),
    2013: ("cwindri", "cedr-first-stage", *_MADE_UP),
}
RUN_NAMES = [f"{year}/{name}" for year, names in _RUNS.items() for name in names]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for ``run_name`` once for each run."""
    if "run_name" in metafunc.fixturenames:
        metafunc.parametrize("run_name", RUN_NAMES)


@pytest.fixture(scope="session")
def run_names() -> list[str]:
    """The names of all runs that tests compare."""
    return RUN_NAMES


@pytest.fixture(scope="session")
def golden_by_run(golden: Callable[[str], pd.DataFrame]) -> Callable[[str], dict[str, pd.DataFrame]]:
    """Return the rows of a table for each run: ``golden_by_run("rbu.tsv.gz")["2012/rm.catb"]``."""
    tables: dict[str, dict[str, pd.DataFrame]] = {}

    def read(name: str) -> dict[str, pd.DataFrame]:
        if name not in tables:
            tables[name] = dict(iter(golden(name).groupby("run")))
        return tables[name]

    return read
