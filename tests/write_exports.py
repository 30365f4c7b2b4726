"""Write the imports of `pyterrier_diversity.measures` from the modules that register measures.

Run it after adding a measure: ``python tests/write_exports.py``. A test fails while its output differs from the file.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "src" / "pyterrier_diversity" / "measures"
HEADING = '''\
"""The measures: one class each, in the module of its family. Importing a module registers its measures.

The imports are written by ``python tests/write_exports.py``.
"""

'''
# What modules offer beside the measures that they register.
ALSO = {
    "base": ["CompositeMeasure", "DiversityMeasure", "Normalised", "Part", "register", "registered"],
    "groups": [
        "CARTERETTE",
        "CRUX",
        "FRESHSTACK",
        "NDEVAL",
        "NTCIR_INTENT",
        "NUGGETS",
        "RBU18_OFFICIAL",
        "grid",
        "signature",
    ],
    "parse": ["parse"],
}


def exports() -> str:
    """Return the text of the file as it should be."""
    names = {path.stem: [*ALSO.get(path.stem, []), *_registered(path)] for path in sorted(FOLDER.glob("[!_]*.py"))}
    imports = "\n".join(f"from .{module} import {', '.join(of)}" for module, of in names.items() if of)
    public = sorted(name for of in names.values() for name in of)
    text = f"{HEADING}{imports}\n\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in public) + "]\n"
    for command in (["check", "--select", "I,RUF022", "--fix", "--quiet"], ["format", "--quiet"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(FOLDER / "__init__.py"), "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


def _registered(path: Path) -> list[str]:
    """Return the names that a module assigns what `register` or `serve` returns."""
    return [
        name.id
        for statement in ast.parse(path.read_text()).body
        if isinstance(statement, (ast.Assign, ast.AnnAssign))
        and statement.value is not None
        and any(isinstance(node, ast.Name) and node.id in ("register", "serve") for node in ast.walk(statement.value))
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        for name in (target.elts if isinstance(target, ast.Tuple) else [target])
        if isinstance(name, ast.Name)
    ]


if __name__ == "__main__":
    (FOLDER / "__init__.py").write_text(exports())
