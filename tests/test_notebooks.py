"""The notebooks for users: they run without data, and what is stored in them is what they show today."""

import ast
import io
import json
from contextlib import redirect_stdout
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from notebook_outputs import cells_of, outputs_of, words_of

FOLDER = Path(__file__).parents[1] / "notebooks"
FOR_USERS = sorted(FOLDER.glob("*.ipynb"))


def run(source: str, names: dict) -> str:
    """Run a cell as a notebook does, and return what it shows."""
    *lines, last = ast.parse("\n".join(line for line in source.splitlines() if not line.startswith("%"))).body
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(ast.Module(lines, []), "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if isinstance(last, ast.Expr) else None
        if not isinstance(last, ast.Expr):
            exec(compile(ast.Module([last], []), "cell", "exec"), names)
    pictures = []
    for number in plt.get_fignums():
        plt.figure(number).savefig(picture := io.StringIO(), format="svg", bbox_inches="tight")
        pictures += words_of(picture.getvalue())
    plt.close("all")
    return "\n".join([printed.getvalue(), *([] if value is None else [repr(value)]), *pictures]).strip()


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
@pytest.mark.parametrize("path", FOR_USERS, ids=lambda path: path.stem)
def test_what_a_notebook_for_users_shows_is_stored_in_it(path):
    names: dict = {}
    with mpl.rc_context(mpl.rcParamsDefault | {"backend": "agg"}):
        for cell in cells_of(path):
            assert run("".join(cell["source"]), names) == outputs_of(cell)


def test_notebooks_for_users_are_three_short_stories_without_checks():
    assert [path.stem for path in FOR_USERS] == ["first_table", "rag", "re_ranking"]
    for path in FOR_USERS:
        assert not any("assert" in "".join(cell["source"]) for cell in cells_of(path))
        assert path.stat().st_size < 100_000


def test_notebooks_about_papers_say_so_at_their_top():
    for path in FOLDER.glob("reproduction/*.ipynb"):
        first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]
        assert "first_table.ipynb" in "".join(first["source"]), path.name
