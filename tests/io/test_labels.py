import pandas as pd
import pytest

from by_hand import perquery
from pyterrier_diversity import RBU, missed_intents
from pyterrier_diversity.io import called, read_names, renamed
from pyterrier_diversity.io.labels import tex
from pyterrier_diversity.meta import compare, risk

PERQUERY = perquery({"a": [0.5, 0.75], "b": [0.25, 0.25]}, "RBU@5")


def test_names_are_changed_in_every_column_that_names_systems_or_measures():
    compared = compare(PERQUERY, "t", baseline="b")

    shown = renamed(compared, {"a": "A", "b": "B"}, {RBU @ 5: "RBU"})

    assert shown[["measure", "name", "other"]].to_numpy().tolist() == [["RBU", "A", "B"]]
    assert shown.attrs["baseline"] == ["B"]
    assert compared.attrs["baseline"] == ["b"]
    assert renamed(risk(PERQUERY, "b"), {"b": "B"})["baseline"].tolist() == ["B"]
    assert renamed(PERQUERY, {"a": "A"})["name"].tolist() == ["A", "A", "b", "b"]


def test_systems_that_cover_an_intent_are_renamed_too():
    qrels = pd.DataFrame([("q", "d", 1, "x"), ("q", "e", 0, "x")], columns=["qid", "docno", "label", "iteration"])
    missed = missed_intents(qrels, {"a": {"q": ["e"]}, "b": {"q": ["d"]}})

    shown = renamed(missed, {"b": "B"})

    assert shown["covered_by"].tolist() == [["B"]]
    assert shown.attrs["systems"] == ["a", "B"]


def test_without_names_the_frame_is_the_same():
    assert renamed(PERQUERY) is PERQUERY


@pytest.mark.parametrize("names", [{"a": "x", "b": "x"}, {"a": "b"}])
def test_two_systems_of_one_name_are_refused(names):
    with pytest.raises(ValueError, match=r"^names: '.' and '.' must not both be called '.'\.$"):
        renamed(PERQUERY, names)


def test_names_that_are_swapped_are_fine():
    assert called("names", {"a": "b", "b": "a"}, ["a", "b"]) == {"a": "b", "b": "a"}


@pytest.mark.parametrize(
    "text", ["a\tBM25, tuned\nRBU(p=0.9,e=0.1)@5\t$R$\n", 'a,"BM25, tuned"\n"RBU(p=0.9,e=0.1)@5",$R$\n\n']
)
def test_a_file_of_names_has_two_columns(tmp_path, text):
    (tmp_path / "names").write_text(text)

    assert read_names(tmp_path / "names") == {"a": "BM25, tuned", "RBU(p=0.9,e=0.1)@5": "$R$"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\nc\n", r"names, line 2: expected 2 tab-separated columns \(name label\), found 1\."),
        ("r1,A\n\nr2,B\nr1,C\n", r"names: the label of 'r1' is given twice\."),
    ],
)
def test_a_line_that_gives_no_name_or_another_one_is_refused(text, message, tmp_path):
    (tmp_path / "names").write_text(text)

    with pytest.raises(ValueError, match=message):
        read_names(tmp_path / "names")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a_b", r"a\_b"),
        ("$a_b$", "$a_b$"),
        (r"$50\%$", r"$50\%$"),
        ("\x1b[1m", r"\textbackslash{}x1b[1m"),
        ("bm25 $k_1$ & 50% rm3", r"bm25 $k_1$ \& 50\% rm3"),
        ("$a & b$ and $5", r"\$a \& b\$ and \$5"),
        ("US$ 1 & US$ 2 # $\\alpha$", r"US\$ 1 \& US\$ 2 \# $\alpha$"),
        (r"\$5 and \$6", r"\textbackslash{}\$5 and \textbackslash{}\$6"),
        (r"$a \\ b$", r"\$a \textbackslash{}\textbackslash{} b\$"),
        ("$a\nb$\nc", "$a b$ c"),
    ],
)
def test_formulas_in_a_label_stay_and_the_rest_is_escaped(name, shown):
    assert tex(name, formulas=True) == shown


def test_a_name_is_escaped_whatever_it_has():
    assert tex("$a_b$", formulas=False) == r"\$a\_b\$"
