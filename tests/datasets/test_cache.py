import os
import threading
import time

import pytest

from processes import in_a_new_process
from pyterrier_diversity.datasets.named import cached

CONTENT = b"0123456789" * 10_000


def slowly(path):
    """Write a file bit by bit."""
    with open(path, "wb") as stream:
        for start in range(0, len(CONTENT), 10_000):
            stream.write(CONTENT[start : start + 10_000])
            stream.flush()
            time.sleep(0.002)


def test_a_file_that_several_processes_download_at_once_is_always_complete(tmp_path):
    path = tmp_path / "folder" / "qrels.txt"
    contents, errors = [], []

    def ask():
        try:
            contents.append(cached(path, "It", "https://here", slowly).read_bytes())
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
        time.sleep(0.003)
    for thread in threads:
        thread.join()

    assert errors == []
    assert [content == CONTENT for content in contents] == [True] * 16
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError("no route"), RuntimeError("no mirror"), ValueError("no XML")])
def test_the_rest_of_a_failed_download_is_removed(tmp_path, error):
    def breaks(path):
        path.write_bytes(b"half")
        raise error

    with pytest.raises(ConnectionError, match=r"It could not be downloaded from https://here\. You can put the file"):
        cached(tmp_path / "qrels.txt", "It", "https://here", breaks)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_said_to_be_where_the_file_goes(tmp_path):
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "qrels.txt"

    with pytest.raises(ConnectionError, match="IR_DATASETS_HOME sets another cache"):
        cached(path, "It", "https://here", slowly)


def test_a_file_that_is_there_is_not_downloaded(tmp_path):
    (tmp_path / "qrels.txt").write_bytes(b"mine")

    assert cached(tmp_path / "qrels.txt", "It", "https://here", slowly).read_bytes() == b"mine"


# The command for one dataset after the other: ir_datasets reads its home when it is imported.
COMMANDS = """
from click.testing import CliRunner
from pyterrier_diversity.cli import app
for dataset in ("clueweb09/en/trec-web-2012", "trec-dd/2017"):
    result = CliRunner().invoke(app, ["evaluate", dataset, "no.run", "-m", "RBU@20"])
    print(result.exit_code, result.stderr.rpartition("\\r")[2].strip())
"""


@pytest.mark.parametrize("variable", ["HOME", "IR_DATASETS_HOME"])
def test_a_home_that_cannot_hold_the_cache_is_said_to_be_so(tmp_path, variable):
    (tmp_path / "file").touch()
    environment = {key: value for key, value in os.environ.items() if key != "IR_DATASETS_HOME"}
    # PyTerrier has a folder of its own, in another place.
    environment |= {"PYTERRIER_HOME": str(tmp_path), variable: str(tmp_path / "file")}
    if variable == "IR_DATASETS_HOME":
        environment[variable] += "/below"

    lines = in_a_new_process(COMMANDS, environment).splitlines()

    assert len(lines) == 2
    for said in lines:
        assert said.startswith("1 Error: ")
        assert f"ir_datasets cannot write to {tmp_path / 'file'}" in said
        assert "(Not a directory): set the environment variable IR_DATASETS_HOME to a writable folder" in said
