"""Compare what notebooks show with what they showed before: ``python tests/notebook_outputs.py before after``."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path


def outputs_of(cell: dict) -> str:
    """Return what a cell has printed, the value of its last line, and the words in its pictures.

    Bars and warnings, which depend on the machine, are left out.
    """
    shown = []
    for output in cell.get("outputs", ()):
        if output.get("name") == "stderr":
            continue
        data = output.get("data", {"text/plain": output.get("text", "")})
        if "image/svg+xml" in data:
            shown += words_of("".join(data["image/svg+xml"]))
        elif "image/png" not in data:
            shown.append("".join(data.get("text/plain", "")))
    return "\n".join(shown).strip()


def words_of(picture: str) -> list[str]:
    """Return the texts of a picture in SVG."""
    return re.findall(r"<text[^>]*>(.*?)</text>", picture)


def cells_of(path: Path) -> list[dict]:
    """Return the cells of a notebook with code."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


if __name__ == "__main__":
    before, after = map(Path, sys.argv[1:])
    differ = [
        f"{path.relative_to(after)}, cell {number}:\n{outputs_of(old)}\n-> {outputs_of(new)}"
        for path in sorted(after.rglob("*.ipynb"))
        for number, (old, new) in enumerate(
            zip(cells_of(before / path.relative_to(after)), cells_of(path), strict=True), 1
        )
        if outputs_of(old) != outputs_of(new)
    ]
    sys.exit("\n\n".join(differ))
