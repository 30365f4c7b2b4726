import os
import re
import subprocess
import sys
from concurrent.futures import BrokenExecutor

import pytest
from click.testing import CliRunner

import pyterrier_diversity
import pyterrier_diversity.__main__ as main
from pyterrier_diversity.cli import app
from shell import BM25, fail, run

# They need no dataset, and so nothing of PyTerrier is imported.
OF_FILES = ["evaluate", os.path.join(os.path.dirname(BM25), "qrels.txt"), BM25, "-m", "RBU@5"]


def python(code: str, *arguments: str, **how: object) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment, text=True, check=False, **streams | how
    )


def shell_command(arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a shell."""
    words = f"'{sys.executable}' -m pyterrier_diversity {arguments}"
    return python("import os, sys; os.execvp('bash', ['bash', '-c', sys.argv[1]])", words)


def completions(*words: str) -> list[str]:
    how = {
        "_PYTERRIER_DIVERSITY_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["pyterrier-diversity", *words]),
        "COMP_CWORD": str(len(words)),
    }
    return CliRunner().invoke(app, env=how, prog_name="pyterrier-diversity").stdout.split()


def test_the_module_is_the_command_and_its_version_is_printed():
    assert main.app is app
    assert run("--version").split()[-1] == pyterrier_diversity.__version__


def test_the_help_names_every_command_and_exit_status():
    text = run("--help")

    assert "\b" not in text  # click's mark of lines that are not to be joined
    assert set(re.findall(r"^  ([a-z]+)  ", text, re.MULTILINE)) == set(app.list_commands(None))
    assert re.findall(r"^ +(\d+)  ", text, re.MULTILINE) == ["0", "1", "2", "3", "130"]


@pytest.mark.parametrize("name", app.list_commands(None))
def test_each_command_has_help_that_fits_a_terminal(name):
    result = CliRunner().invoke(app, [name, "--help"], terminal_width=80)

    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_a_mistyped_command_gets_a_suggestion():
    assert "No such command 'evalute'. Did you mean 'evaluate'?" in fail("evalute", status=2)
    assert "No such command 'xyz'" in fail("xyz", status=2)


def test_words_are_completed():
    assert completions("ev") == ["plain,evaluate"]
    assert "plain,alpha_nDCG" in completions("evaluate", "demo", BM25, "-m", "alpha")
    assert completions("plot", "mi") == ["plain,missed_intents"]
    assert "plain,tukey-randomised" in completions("compare", "demo", BM25, "--test", "tu")
    assert completions("evaluate", "de")[:2] == ["plain,demo", "file,de"]
    for option in ("compare", "-b"), ("report", "-b"), ("report", "--names"), ("evaluate", "--doc-len"):
        assert completions(*option, "x") == ["file,x"]
    assert "plain,NDEVAL" in completions("measures", "ND")
    assert "plain,Coverage" in completions("evaluate", "--min", "Cov")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
@pytest.mark.parametrize("arguments", [["--version"], OF_FILES], ids=["version", "files"])
def test_a_full_disk_is_one_sentence(arguments):
    with open("/dev/full", "w") as full:
        ran = python("from pyterrier_diversity.cli import app; app()", *arguments, stdout=full)

    assert (ran.returncode, ran.stderr) == (1, "Error: Cannot write the output: No space left on device.\n")


# Like Ctrl-C in a terminal, which workers get, too.
INTERRUPTED = """
import os, signal, sys, threading
def watch(event, args):
    if waiting and event == {event!r} and str(args[0]).endswith({name!r}):
        waiting.clear()
        threading.Timer({seconds}, os.killpg, [os.getpgrp(), signal.SIGINT]).start()
waiting = [True]
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it
sys.addaudithook(watch)
sys.argv[0] = "/bin/pyterrier-diversity"
from pyterrier_diversity.cli import app
app()
"""


@pytest.fixture(scope="module")
def large_runs(tmp_path_factory):
    """A folder of runs: a short one, and more that are enough for workers."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "a.run").write_text("1 Q0 d0 1 0 t\n")
    lines = "".join(f"{query} Q0 d{i} 1 {-i} t\n" for query in range(1, 15) for i in range(10_000))
    for name in "bcdefghijklmnop":
        (folder / f"{name}.run").write_text(lines)
    return folder


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize(
    ("event", "name", "seconds", "jobs"),
    [("import", "wrapt", 0, 1), ("import", "pandas", 0, 1), ("open", "b.run", 0, 1), ("import", "joblib", 1, 2)],
)
def test_an_interrupt_is_one_line_and_status_130(large_runs, event, name, seconds, jobs):
    code = INTERRUPTED.format(event=event, name=name, seconds=seconds)
    arguments = ["evaluate", "demo", str(large_runs), "-m", "NDEVAL", "-j", str(jobs)]
    arguments += ["--ignore", "IdsWarning", "--ignore", "MissingWarning"]

    ran = python(code, *arguments, start_new_session=True)

    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "Interrupted.\n")


# An interrupt may leave such a thing behind, at the wrong moment.
LEAVES_A_SEMAPHORE = """
from multiprocessing import resource_tracker
from pyterrier_diversity.cli import app
try:
    app(["--version"])
finally:
    resource_tracker.register("/left-behind", "semaphore")
"""


# When all is done, but the program has not ended.
LATE = """
import atexit, os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
atexit.register(os.kill, os.getpid(), signal.SIGINT)
from pyterrier_diversity.cli import app
app(["--version"])
"""


@pytest.mark.skipif(os.name != "posix", reason="signals and semaphores of POSIX")
@pytest.mark.parametrize(
    ("program", "status"), [(LEAVES_A_SEMAPHORE, 0), (LATE, 130)], ids=["a semaphore is left", "interrupted late"]
)
def test_the_end_of_a_program_is_silent(program, status):
    ran = python(program)

    assert (ran.returncode, ran.stderr) == (status, "")


# A module that loses the exception while it is imported, as compiled ones do.
LOST = """
import os, signal, sys
class Losing:
    def find_spec(name, path, target=None):
        if name == "pyterrier_diversity.cli.listing":
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except SystemExit:
                {then}
signal.signal(signal.SIGINT, signal.default_int_handler)
from pyterrier_diversity.cli import app
sys.meta_path.insert(0, Losing)
app()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("then", ["raise AttributeError('partially initialized')", "pass"])
def test_an_import_does_not_lose_an_interrupt(then):
    ran = python(LOST.format(then=then), "measures")

    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "Interrupted.\n")


@pytest.mark.parametrize("arguments", [["--version"], OF_FILES], ids=["version", "files"])
def test_a_closed_standard_output_is_silent(arguments):
    ran = shell_command(f"{' '.join(arguments)} >&-")

    assert (ran.returncode, ran.stderr) == (0, "")


def test_the_death_of_a_worker_is_one_sentence(monkeypatch):
    def dies(*_: object, **__: object) -> None:
        raise BrokenExecutor("A worker died.")

    monkeypatch.setattr("pyterrier_diversity.evaluate.scoring.as_finished", dies)

    assert fail("evaluate", "demo", "bm25", "-m", "RBU@5").strip() == "Error: A worker died."


def test_too_little_memory_is_one_sentence(tmp_path, monkeypatch):
    def read(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 8.00 GiB.")

    monkeypatch.setattr("pyterrier_diversity.evaluate.scoring.run_parts", read)
    monkeypatch.setattr("pyterrier_diversity.io.run_collections.read_run", read)
    path = tmp_path / "bomb.run"
    path.touch()

    assert fail("evaluate", "demo", str(path), "-m", "RBU@5").strip() == (
        f"Error: {path}: not enough memory: Unable to allocate 8.00 GiB."
    )
    assert fail("explain", "demo", str(path), "-m", "RBU@5", "--query", "1").strip() == (
        "Error: There is not enough memory: Unable to allocate 8.00 GiB."
    )


def test_a_parameter_of_a_measure_is_not_called_like_an_option():
    message = fail("compare", "demo", BM25, "more-like-this", "-m", "alpha_nDCG(alpha=2)@5")

    assert "alpha_nDCG: alpha must be a number in [0, 1], not 2" in message


def test_a_closed_pipe_is_not_an_error():
    ran = shell_command("measures | head -n 1")

    assert (len(ran.stdout.splitlines()), ran.stderr) == (1, "")


def test_evaluating_files_imports_what_it_needs(tmp_path):
    code = (
        "import sys\nfrom pyterrier_diversity.cli import app\n"
        f"app({[*OF_FILES[:-1], 'RBU@5 NDEVAL']}, standalone_mode=False)\n"
        "print(*{'pyterrier', 'joblib', 'scipy', 'ir_datasets', 'statsmodels', 'matplotlib'} & set(sys.modules))"
    )

    assert python(code).stdout.splitlines()[-1] == ""


def test_bars_of_the_command_are_for_terminals():
    code = "from pyterrier_diversity.progress import *; only_in_terminals(); print(progress_bar(9, 'x').disable)"

    assert python(code).stdout == "True\n"
