"""An ir_datasets home with truth files of TREC Dynamic Domain."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest


@pytest.fixture
def dd_home(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which ir_datasets finds the odd topics of 2016 and 2017, and nothing of 2015."""
    folder = tmp_path / "trec-dd"
    folder.mkdir()
    for year, name in ((2016, "dynamic-domain-2016-truth-data.xml.gz"), (2017, "truth_data_nyt_2017_v2.3.xml")):
        content = (shared / "trec-dd" / f"dd{year % 100}-odd-truth.xml.gz").read_bytes()
        (folder / name).write_bytes(content if name.endswith(".gz") else gzip.decompress(content))
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    return folder
