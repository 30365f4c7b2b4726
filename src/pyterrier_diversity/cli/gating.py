"""How commands about rankings end: runs that cannot be evaluated, and gates, for people, GitHub and programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from xml.etree import ElementTree

import pandas as pd

from ..evaluate import RunValues
from ..io import formatted, printable, replaced
from .outputs import tell

GATE = 3
_NAME = "pyterrier-diversity"

# The gate and the run, and why it failed, which is empty if it did not.
Results = dict[tuple[str, str], str]


def end(
    found: RunValues, results: Results, path: str | None, note: Callable[[tuple[str, str]], str] | None = None
) -> None:
    """Exit with status 1 if a run could not be evaluated, or with that of gates if one failed; print and write why.

    Runs that could not be evaluated pass no gate. A ``note`` tells more about a gate that passed.
    """
    gates, errors = dict(results), found.attrs["errors"]
    results |= {(gate, run): f"not evaluated: {why}" for run, why in errors.items() for gate, _ in gates}
    if results:
        _write(results, path)
    end_if_incomplete(found)
    for gate, why in results.items():
        if note and not why:
            tell(note(gate))
    for why in filter(None, results.values()):
        tell(f"Gate: {why}")
    if any(results.values()):
        sys.exit(GATE)


def end_if_incomplete(found: RunValues) -> None:
    """Print a line for each run that could not be evaluated, and exit with status 1 if there are any."""
    errors: dict[str, str] = found.attrs["errors"]
    if not found.names and len(set(errors.values())) == 1:  # the same for all runs: the cause is the qrels or a measure
        raise ValueError(next(iter(errors.values())))
    for name, message in errors.items():
        tell(f"Error: {message if name in message else f'{name}: {message}'}")
    if errors:
        tell(f"The table is incomplete: {len(errors)} of the runs could not be evaluated.")
        sys.exit(1)


def _write(results: Results, path: str | None) -> None:
    """Write the results of gates to a JSON or JUnit file, and append them to GitHub's summary of the job."""
    n_failed = sum(map(bool, results.values()))
    rows = [{"gate": gate, "run": run, "passed": not why, "message": why} for (gate, run), why in results.items()]
    if path is not None:
        as_json = json.dumps({"passed": not n_failed, "gates": rows}, indent=2)
        with replaced(path) as file:
            file.write_text((_junit(results, n_failed) if path.endswith(".xml") else as_json) + "\n", encoding="utf-8")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        told = [{"run": row["run"], "gate": row["gate"], "result": row["message"] or "passed"} for row in rows]
        table = formatted(pd.DataFrame(told), "markdown")
        with open(summary, "a", encoding="utf-8") as file:
            file.write(f"### {_NAME}: {'failed' if n_failed else 'passed'}\n\n{table}\n")


def _junit(results: Results, n_failed: int) -> str:
    counts = {"name": _NAME, "tests": str(len(results)), "failures": str(n_failed)}
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", counts)
    for (gate, run), message in results.items():
        case = ElementTree.SubElement(suite, "testcase", classname=printable(run), name=printable(gate))
        if message:
            ElementTree.SubElement(case, "failure", message=printable(message))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)
