"""Write the reference pages of the measures from their declarations.

Run it after adding or changing a measure: ``python tests/write_reference.py``. A test fails while the files
differ from its output.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyterrier_diversity.report.reference import pages

FOLDER = Path(__file__).parents[1] / "src" / "pyterrier_diversity" / "pt_docs"


def write(written: Mapping[str, str], pattern: str) -> None:
    """Write pages by name, and remove other pages that match a pattern."""
    for stale in set(FOLDER.glob(pattern)) - {FOLDER / name for name in written}:
        stale.unlink()
    for name, text in written.items():
        (FOLDER / name).parent.mkdir(exist_ok=True)
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(pages(), "measures/*.rst")
