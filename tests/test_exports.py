"""What the package offers is what its modules register."""

from __future__ import annotations

import ir_measures
import pytest

import pyterrier_diversity
from pyterrier_diversity import measures
from pyterrier_diversity.measures import registered
from write_exports import FOLDER, exports


def test_the_exports_are_those_that_the_script_writes():
    assert (FOLDER / "__init__.py").read_text(encoding="utf-8") == exports()


@pytest.mark.parametrize("measure", registered(), ids=lambda measure: measure.NAME)
def test_each_measure_is_exported_by_its_name(measure):
    exported = getattr(measures, measure.NAME)

    assert measure.NAME in measures.__all__
    assert exported.NAME == measure.NAME
    assert exported is ir_measures.measures.registry[measure.NAME]
    assert getattr(pyterrier_diversity, measure.NAME) is exported


def test_no_name_is_exported_twice():
    for names in (measures.__all__, pyterrier_diversity.__all__):
        assert len(names) == len(set(names))


def test_all_that_measures_offer_is_imported_from_the_package():
    assert set(measures.__all__) <= set(pyterrier_diversity.__all__)


@pytest.mark.parametrize("name", measures.__all__)
def test_what_is_exported_is_there(name):
    assert getattr(pyterrier_diversity, name) is getattr(measures, name)
