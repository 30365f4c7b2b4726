import numpy as np
import pandas as pd
import pytest

from pyterrier_diversity.meta import compare, comparison_text


def frame(names, measures=("RBU@20",), n=12):
    rng = np.random.default_rng(3)
    rows = [
        (name, str(q), m, rng.random() + 0.3 * i) for i, name in enumerate(names) for m in measures for q in range(n)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


@pytest.mark.parametrize("test", ["tukey-randomised", "tukey", "bootstrap", "t", "wilcoxon", "permutation"])
def test_a_row_has_the_numbers_of_the_frame(test):
    compared = compare(frame(["a", "b"]), test, rng=1)
    (expected,) = compared.to_dict("records")

    _, header, row, _, legend = comparison_text(compared, 6).splitlines()

    cells = row.replace("< ", "<").split()
    assert cells[:2] == ["a", "b"]
    assert [float(cell) for cell in cells[2:5]] == pytest.approx(
        [expected[name] for name in ("mean", "other_mean", "difference")], abs=1e-6
    )
    has_interval = test not in ("wilcoxon", "permutation")
    assert ("95% interval" in header) == has_interval
    if has_interval:
        assert [float(cell) for cell in cells[5:7]] == pytest.approx(
            [expected["ci_low"], expected["ci_high"]], abs=1e-6
        )
    assert row.endswith("*") == expected["significant"]
    assert legend.startswith("* significant (")


def test_each_measure_has_its_block():
    text = comparison_text(compare(frame(["a", "b", "c"], ["RBU@20", "AP"]), "t"))

    assert [block.splitlines()[0] for block in text.split("\n\n")[:-1]] == ["RBU@20", "AP"]
    assert [len(block.splitlines()) for block in text.split("\n\n")] == [5, 5, 1]


def test_long_names_become_letters_that_are_explained():
    names = ["a-run-with-a-very-long-name", "another-run-with-a-very-long-name"]
    lines = comparison_text(compare(frame(names), "t")).splitlines()

    assert max(map(len, lines[:3])) <= 80
    assert lines[2].split()[:2] == ["a", "b"]
    assert lines[-2:] == [f"a: {names[0]}", f"b: {names[1]}"]


def test_names_that_fit_stay():
    names = ["a-run-with-a-very-long-name", "another-run-with-a-very-long-name"]

    assert names[0] in comparison_text(compare(frame(names), "t"), width=140).splitlines()[2]


def test_a_corrected_p_value_says_so():
    compared = compare(frame(["a", "b", "c"]), "t", correction="holm")

    assert "p corr." in comparison_text(compared).splitlines()[1]
    assert "holm correction" in comparison_text(compared)


def test_a_p_value_that_more_trials_could_put_on_the_other_side_of_alpha_is_marked():
    compared = compare(frame(["a", "b", "c"]), "bootstrap", rng=1)
    compared["undecided"] = [False, True, False]

    lines = comparison_text(compared).splitlines()

    assert [line.endswith("?") for line in lines[2:5]] == [False, True, False]
    assert lines[-1] == "? within two standard errors of alpha: raise the number of trials to decide"
    assert "standard errors" not in comparison_text(compare(frame(["a", "b"]), "t"))


def test_control_characters_are_escaped():
    assert "\\x1b[31m" in comparison_text(compare(frame(["\x1b[31m", "b"]), "t"))


def test_an_empty_comparison_is_refused():
    with pytest.raises(ValueError, match="compared must not be empty"):
        comparison_text(compare(frame(["a", "b"]), "t").iloc[:0])
