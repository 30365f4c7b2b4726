"""Compare what notebooks show with what they showed before: ``python tests/notebook_outputs.py before after``."""

import json
import re
import sys
from itertools import zip_longest
from pathlib import Path


def cells_of(path: Path) -> list[tuple[str, str]]:
    """Return the code of each cell, and what it shows but for bars and warnings: text, and the words of pictures."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [("".join(cell["source"]), _shown(cell["outputs"])) for cell in cells if cell["cell_type"] == "code"]


def words_of(picture: str) -> str:
    """Return the texts of a picture in SVG."""
    return "\n".join(re.findall(r"<text[^>]*>(.*?)</text>", picture))


def _shown(outputs: list[dict]) -> str:
    shown = []
    for output in outputs:
        data = output.get("data", {"text/plain": output.get("text", "")})
        if "image/svg+xml" in data:
            shown.append(words_of("".join(data["image/svg+xml"])))
        elif "image/png" not in data and output.get("name") != "stderr":
            shown.append("".join(data.get("text/plain", "")))
    return " ".join("\n".join(shown).split())


if __name__ == "__main__":
    before, after = map(Path, sys.argv[1:])
    names = [path.relative_to(after) for path in sorted(after.rglob("*.ipynb"))]
    both = [(name, *pair) for name in names for pair in zip_longest(cells_of(before / name), cells_of(after / name))]
    sys.exit("\n\n".join(f"{name}\n{old}\n-> {new}" for name, old, new in both if old != new) or None)
