"""Runs of tests are small, and yet workers evaluate them."""

import pytest

from pyterrier_diversity.evaluate import scoring


@pytest.fixture(autouse=True)
def workers_for_small_runs(monkeypatch):
    """Start as many workers as a test asks for."""
    monkeypatch.setattr(scoring, "FEW_BYTES", 0)
