"""Gates: what failed, for people, for GitHub and for programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from ..io import formatted, printable, replaced
from .outputs import tell

if TYPE_CHECKING:
    import pandas as pd

GATE = 3
_NAME = "pyterrier-diversity"

# The gate and the run, and why it failed, which is empty if it did not.
Results = dict[tuple[str, str], str]


def results(name: str, asked: Iterable[dict[str, Any]], failed: pd.DataFrame, errors: Mapping[str, str]) -> Results:
    """Return the result of each gate for each run.

    ``name`` is the form of a gate's name, filled with the fields of ``asked`` and the columns of ``failed``. Runs with
    ``errors`` pass no gate.
    """
    found: Results = {(name.format_map(gate), gate["system"]): "" for gate in asked}
    gates = [gate for gate, _ in found]
    for row in failed.to_dict("records"):
        found[name.format_map(row), str(row["system"])] = row["message"]
    return found | {(gate, run): f"not evaluated: {why}" for run, why in errors.items() for gate in gates}


def write(found: Results, path: str | None) -> None:
    """Write the results of gates to a JSON or JUnit file, and append them to GitHub's summary of the job."""
    if path is not None:
        text = _junit(found) if path.endswith(".xml") else _json(found)
        with replaced(path) as file:
            file.write_text(text + "\n", encoding="utf-8")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with open(summary, "a", encoding="utf-8") as file:
            file.write(_markdown(found))


def end(found: Results) -> None:
    """Print a line for each gate that failed, and exit with the status of gates if there are any."""
    messages = [message for message in found.values() if message]
    for message in messages:
        tell(f"Gate: {message}")
    if messages:
        sys.exit(GATE)


def _json(found: Results) -> str:
    rows = [
        {"gate": gate, "run": run, "passed": not message, "message": message} for (gate, run), message in found.items()
    ]
    return json.dumps({"passed": not any(found.values()), "gates": rows}, indent=2)


def _junit(found: Results) -> str:
    n_failed = sum(map(bool, found.values()))
    counts = {"name": _NAME, "tests": str(len(found)), "failures": str(n_failed)}
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", counts)
    for (gate, run), message in found.items():
        case = ElementTree.SubElement(suite, "testcase", classname=printable(run), name=printable(gate))
        if message:
            ElementTree.SubElement(case, "failure", message=printable(message))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _markdown(found: Results) -> str:
    import pandas as pd

    rows = [(run, gate, message or "passed") for (gate, run), message in found.items()]
    table = formatted(pd.DataFrame(rows, columns=["run", "gate", "result"]), "markdown")
    return f"### {_NAME}: {'failed' if any(found.values()) else 'passed'}\n\n{table}\n"
