import matplotlib as mpl
import pytest
from matplotlib.layout_engine import ConstrainedLayoutEngine

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close():
    """Close the figures of a test, and those that others left open."""
    import matplotlib.pyplot as plt

    plt.close("all")
    yield
    plt.close("all")


@pytest.fixture
def laid_out():
    """For a test that looks at the layout of a new figure, or at the numbers along its axes, which come with it."""


@pytest.fixture
def no_layout(request, monkeypatch):
    """Leave out the layout of new figures, which takes most of the time, unless a test asks for ``laid_out``."""
    if "laid_out" not in request.fixturenames:
        monkeypatch.setattr(ConstrainedLayoutEngine, "execute", lambda engine, figure: None)
