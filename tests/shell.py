"""The command, called from tests."""

from click.testing import CliRunner

from pyterrier_diversity.cli import app
from pyterrier_diversity.datasets.demo import FOLDER

BM25, XQUAD, MORE = (str(FOLDER / f"{name}.run") for name in ("bm25", "xquad", "more-like-this"))


def run(*arguments: str) -> str:
    """Return what the command prints when all is well."""
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def fail(*arguments: str, status: int = 1) -> str:
    """Return what the command says when it ends with this status."""
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == status, result.output
    message = result.stderr.rpartition("\r")[2]  # a progress bar may stand before it
    assert status != 1 or f"\n{message}".count("\nError: ") == 1
    return message
