import pytest

from pyterrier_diversity.measures import registered
from pyterrier_diversity.report.formulas import in_plain_text
from pyterrier_diversity.report.reference import notes_of


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\sum_i p^i", "sum_i p^i"),
        (r"\sum_{j<i} r_{jt}", "sum_{j<i} r_jt"),
        (r"(1 - \alpha)^{c_{it}}", "(1 - alpha)^c_it"),
        (r"0.5^{i - 1}", "0.5^(i - 1)"),
        (r"\frac{1}{|T|}", "1/|T|"),
        (r"\frac{a + b}{c}", "(a + b)/c"),
        (r"\frac{a}{b c}", "a/(b c)"),
        (r"\frac{\frac{a}{b}}{c}", "(a/b)/c"),
        (r"\frac{x}{\log_2(i + 1)}", "x/log_2(i + 1)"),
        (r"\left( x \right)", "(x)"),
        (r"\text{a word}", "a word"),
    ],
)
def test_a_formula_reads_the_same_in_plain_text(latex, text):
    assert in_plain_text(latex) == text


def test_the_formulas_of_the_measures_leave_no_latex():
    for measure in registered():
        text = in_plain_text(notes_of(measure)["Formula"])

        assert "\\" not in text, measure.NAME
        assert text.count("(") == text.count(")"), measure.NAME
        assert text.count("{") == text.count("}"), measure.NAME
