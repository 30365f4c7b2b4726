import os
import stat

import pytest

from pyterrier_diversity.io import is_device, refuse_inputs, replaced


def test_a_file_that_could_not_be_written_stays_as_it_was(tmp_path):
    target = tmp_path / "report.html"
    target.write_text("old")

    def fails(part):
        part.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left") as failed, replaced(target) as part:
        fails(part)

    assert target.read_text() == "old"
    assert failed.value.filename == str(target)
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_is_replaced_with_its_permissions_and_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "table.csv", tmp_path / "link.csv"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)

    with replaced(link) as part:
        part.write_text("new")
        assert target.read_text() == "old"

    assert target.read_text() == "new"
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "plain").touch()
    with replaced(tmp_path / "new") as part:
        part.touch()

    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize(("name", "told"), [("no/table.csv", "No such file"), ("/dev/full", "No space left")])
def test_where_nothing_can_be_written_is_named(tmp_path, name, told):
    with pytest.raises(OSError, match=told) as failed, replaced(tmp_path / name) as part:
        part.write_text("new")

    assert failed.value.filename == str(tmp_path / name)


def test_devices_and_pipes_are_written_as_they_are(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    for path in (tmp_path / "pipe", os.devnull, "/dev/stdout"):
        assert is_device(path)
        with replaced(path) as part:
            assert str(part) == str(path)
    assert not is_device(tmp_path / "none")


def test_an_output_that_is_an_input_is_refused_by_any_path(tmp_path):
    qrels, link = tmp_path / "qrels.txt", tmp_path / "link.txt"
    qrels.touch()
    link.symlink_to(qrels)

    for output in (qrels, link, tmp_path / ".." / tmp_path.name / "qrels.txt"):
        with pytest.raises(ValueError, match=r"^plot: the output .* is one of the inputs\. Choose another file\.$"):
            refuse_inputs("plot", output, ["demo", tmp_path / "other.run", qrels])
    refuse_inputs("plot", tmp_path / "other.txt", [qrels])
