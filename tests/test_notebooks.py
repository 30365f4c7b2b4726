"""The notebooks for users: they run without data, and what is stored in them is what they show today."""

import ast
import io
from contextlib import redirect_stdout
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from notebook_outputs import cells_of, words_of

FOLDER = Path(__file__).parents[1] / "notebooks"


def run(source: str, names: dict) -> str:
    """Run a cell as a notebook does, and return what it shows."""
    parsed = ast.parse("\n".join(line for line in source.splitlines() if not line.startswith("%")))
    last = parsed.body.pop() if isinstance(parsed.body[-1], ast.Expr) else None
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(parsed, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    shown = [printed.getvalue(), *([] if value is None else [repr(value)])]
    for number in plt.get_fignums():
        plt.figure(number).savefig(picture := io.StringIO(), format="svg", bbox_inches="tight")
        shown.append(words_of(picture.getvalue()))
    plt.close("all")
    return " ".join("\n".join(shown).split())


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
@pytest.mark.parametrize("name", ["first_table", "rag", "re_ranking"])
def test_a_notebook_for_users_has_no_checks_and_shows_what_is_stored_in_it(name):
    names: dict = {}
    with mpl.rc_context(mpl.rcParamsDefault | {"backend": "agg"}):
        for source, shown in cells_of(FOLDER / f"{name}.ipynb"):
            assert "assert" not in source
            assert run(source, names) == shown


def test_notebooks_about_papers_say_so_at_their_top():
    for path in FOLDER.glob("reproduction/*.ipynb"):
        assert "[first_table](../first_table.ipynb)" in path.read_text(encoding="utf-8"), path.name
