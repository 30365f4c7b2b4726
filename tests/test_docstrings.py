import pytest

from pyterrier_diversity.docstrings import fields_of, legend_of, parameters_of, section_of

TEXT = """Compute something.

    More about it, with ``code``: a colon.

    Parameters
    ----------
    first, second : int or None
        The first two,
        in ``two`` lines.
    third : {"a", "b"}, optional
        One of these.

        - ``x``: not a column of the result

    fourth : float
        After an empty line.

    Returns
    -------
    DataFrame
        The columns are:

        - ``name`` (if given): the system
        - ``value``: its `mean`,
          over queries

    Notes
    -----
    :Name: A Measure
    :Where: $t$ is
        :math:`t`, in two lines
    :Equal to: another: tool
    """


def test_a_section_ends_at_the_title_of_the_next():
    assert section_of(TEXT) == "Compute something.\n\nMore about it, with ``code``: a colon."
    assert section_of(TEXT, "Notes").startswith(":Name: A Measure\n:Where:")
    assert section_of(TEXT, "Raises") == ""


def test_parameters_have_a_type_and_a_description():
    assert parameters_of(TEXT) == {
        "first": ("int or None", "The first two, in two lines."),
        "second": ("int or None", "The first two, in two lines."),
        "third": ('{"a", "b"}, optional', "One of these."),
        "fourth": ("float", "After an empty line."),
    }


def test_fields_may_have_several_lines():
    assert fields_of(TEXT) == {
        "Name": "A Measure",
        "Where": "$t$ is :math:`t`, in two lines",
        "Equal to": "another: tool",
    }


def test_the_legend_describes_the_columns_of_the_result():
    assert legend_of(TEXT) == {"name": "the system", "value": "its mean, over queries"}


@pytest.mark.parametrize("read", [parameters_of, fields_of, legend_of])
def test_without_a_docstring_nothing_is_known(read):
    assert read(None) == {}
