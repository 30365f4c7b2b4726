"""What the package offers is what its modules register."""

from __future__ import annotations

import sys

import ir_measures
import pytest

import pyterrier_diversity
from pyterrier_diversity import measures
from pyterrier_diversity.measures import registered


def test_the_package_offers_what_its_modules_name():
    modules = [value for name, value in sys.modules.items() if name.startswith(f"{measures.__name__}.")]
    offered = [name for module in modules for name in getattr(module, "__all__", [])]

    assert sorted(measures.__all__) == sorted(offered)


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
