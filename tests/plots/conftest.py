import matplotlib as mpl
import pytest

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close():
    """Close the figures of a test, and those that others left open."""
    import matplotlib.pyplot as plt

    plt.close("all")
    yield
    plt.close("all")
