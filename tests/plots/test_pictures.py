"""Pictures that are committed, compared with those that are drawn now."""

import re

import matplotlib as mpl
import pytest
from matplotlib.testing.compare import compare_images

from write_pictures import BASELINES, FOLDER, MATPLOTLIB, baselines, png

# Root mean square of the difference of pixels, from 0 to 255.
TOLERANCE = 3

pytestmark = pytest.mark.skipif(
    not mpl.__version__.startswith(f"{MATPLOTLIB}."), reason=f"pictures are drawn by matplotlib {MATPLOTLIB}"
)


@pytest.mark.parametrize("name", baselines())
def test_a_picture_looks_as_it_did(name, tmp_path):
    path = tmp_path / f"{name}.png"

    png(baselines()[name], path)

    assert compare_images(str(BASELINES / f"{name}.png"), str(path), TOLERANCE) is None


def test_there_are_no_pictures_of_functions_that_are_gone():
    assert {path.stem for path in BASELINES.iterdir()} == baselines().keys()


def test_each_picture_of_the_documentation_stands_on_a_page():
    pages = "".join(path.read_text(encoding="utf-8") for path in FOLDER.parent.rglob("*.rst"))

    assert {path.name for path in FOLDER.iterdir()} == {*re.findall(r":: pictures/(\S+)$", pages, flags=re.MULTILINE)}


def test_a_picture_of_the_documentation_is_small_and_has_no_date():
    for path in FOLDER.iterdir():
        text = path.read_text(encoding="utf-8")

        assert len(text) < 80_000
        assert "dc:date" not in text
        assert "</text>" in text
