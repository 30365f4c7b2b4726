"""The README: each block runs as it stands, alone, and what it says in numbers and names is so."""

import re
from pathlib import Path

import pytest

from console import Shell
from processes import in_a_new_process
from pyterrier_diversity import NDEVAL
from pyterrier_diversity.datasets import TREC_DD, TREC_WEB
from pyterrier_diversity.meta.axioms import CONSTRAINTS

TEXT = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(python|bash)\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", TEXT, flags=re.DOTALL | re.MULTILINE)
README = " ".join(TEXT.split())


@pytest.mark.parametrize(("language", "code", "output"), BLOCKS)
def test_a_block_runs_alone_in_an_empty_folder_after_the_install_line(language, code, output, tmp_path):
    (tmp_path / "here").mkdir()
    if language == "bash":
        shell = Shell(tmp_path / "here")
        printed = shell.run(f"set -e\n{code}")
        assert shell.status == 0, printed
    else:
        # The line installs no extras.
        begin = f"import os, sys\nos.chdir({str(tmp_path / 'here')!r})\nsys.modules['matplotlib'] = None\n"
        printed = in_a_new_process(begin + code)

    assert printed
    assert output.strip() in ("", printed)


def test_there_are_blocks_for_python_and_for_the_shell_and_none_has_a_prompt():
    assert [language for language, _, _ in BLOCKS].count("python") == 2
    assert any(output for _, _, output in BLOCKS)
    assert re.findall(r"^(?:>>>|\$) ", TEXT, flags=re.MULTILINE) == []
    assert TEXT.count("```sh\n") == 2  # which .ci/run runs


def test_it_is_short():
    assert len(TEXT.splitlines()) <= 125


def test_files_that_are_linked_are_there(request):
    linked = [target for target in re.findall(r"\]\(([^)]+)\)", README) if "://" not in target]

    assert len(linked) > 6
    assert [target for target in linked if not (request.config.rootpath / target).is_file()] == []


def test_numbers_in_words_are_so():
    assert "the nine measures of ndeval" in README
    assert len({measure.NAME for measure in NDEVAL}) == 9
    assert "which of ten constraints each meets" in README
    assert len(CONSTRAINTS) == 10


def test_the_years_are_those_of_the_datasets():
    for track, names in (("TREC Web tracks", TREC_WEB), ("TREC Dynamic Domain", TREC_DD)):
        first, last = map(int, re.search(rf"{track} (\d+)-(\d+)", README).groups())
        assert [int(name[-4:]) for name in names] == list(range(first, last + 1))
