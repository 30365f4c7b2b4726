import pytest

from pyterrier_diversity.frames import refuse_read

ONE = {
    "generator": lambda: (row for row in "a"),
    "of a list": lambda: iter(["a"]),
    "of a tuple": lambda: iter(("a",)),
    "map": lambda: map(str, iter(["a"])),
    "of a frame with one row": lambda: zip(iter(range(1)), ["a"], strict=False),
}


@pytest.mark.parametrize("rows", ONE.values(), ids=ONE)
def test_rows_that_can_be_read_once_are_refused_when_they_were_read(rows):
    again = rows()

    refuse_read(again, "run")
    list(again)

    with pytest.raises(ValueError, match=r"^run: the \w+ was already read and is now empty\. Pass a list instead\.$"):
        refuse_read(again, "run")


def test_a_frame_without_rows_was_not_read():
    refuse_read(zip(iter(range(0)), [], strict=True), "run")
