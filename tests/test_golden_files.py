from pathlib import Path

import pytest

README = Path(__file__).with_name("golden") / "README.md"


@pytest.mark.parametrize("folder", ["golden", "nuggets/metrics"])
def test_each_file_of_golden_values_is_named_with_what_it_is_compared_with(shared, folder):
    text = README.read_text(encoding="utf-8")

    files = [path.name for path in sorted((shared / folder).iterdir())]

    assert files
    assert [name for name in files if f"`{name}`" not in text] == []


def test_each_module_of_golden_tests_is_named():
    text = README.read_text(encoding="utf-8")

    modules = {path.name for path in README.parent.glob("test_*.py")}

    assert {name for name in modules if f"`{name}`" not in text} == set()
