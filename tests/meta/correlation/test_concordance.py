from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from by_hand import of_measures
from pyterrier_diversity.meta import concordance

# Sakai (2013), Table 6 (a) and (b): disagreements, concordance of the two measures, and the marks of significance.
TABLE_6 = [
    (236, 0.597, 0.995, "‡"),
    (242, 0.607, 0.996, "‡"),
    (246, 0.573, 1, "‡"),
    (19, 1, 1, ""),
    (120, 0.908, 1, "‡"),
    (118, 0.907, 1, "‡"),
    (236, 0.623, 0.733, "†"),
    (242, 0.616, 0.748, "‡"),
    (246, 0.646, 0.654, ""),
    (19, 0.474, 0.842, ""),
    (120, 0.800, 0.625, "†"),
    (118, 0.831, 0.593, "‡"),
]


def disagreeing(first, second, ties):
    """Two systems on topics where A prefers the one and B the other, the gold standard either or neither."""
    n = first + second + ties
    gold = [1] * first + [-1] * second + [0] * ties
    return of_measures(A=[[1] * n, [0] * n], B=[[0] * n, [1] * n], G=[gold, [0] * n])


def fig_6(first, second, golds):
    """Sakai (2013), Fig. 6, for any number of gold standards; then who alone was right."""
    disagreements = correct_1 = correct_2 = only_1 = only_2 = 0
    for r1, r2 in combinations(range(len(first)), 2):
        for t in range(len(first[0])):
            delta_1, delta_2 = first[r1][t] - first[r2][t], second[r1][t] - second[r2][t]
            if delta_1 * delta_2 < 0:
                disagreements += 1
                right_1 = all(delta_1 * (gold[r1][t] - gold[r2][t]) >= 0 for gold in golds)
                right_2 = all(delta_2 * (gold[r1][t] - gold[r2][t]) >= 0 for gold in golds)
                correct_1 += right_1
                correct_2 += right_2
                only_1 += right_1 and not right_2
                only_2 += right_2 and not right_1
    return disagreements, correct_1, correct_2, only_1, only_2


@pytest.mark.parametrize(("n", "first", "second", "mark"), TABLE_6)
def test_the_table_of_the_paper_comes_out_with_its_marks(n, first, second, mark):
    correct_1, correct_2 = round(n * first), round(n * second)
    # With one gold standard, a measure is right unless the other alone is: both are right on ties only.
    ties = correct_1 + correct_2 - n

    table = concordance(disagreeing(correct_1 - ties, correct_2 - ties, ties), "G", method="normal")

    row = table.iloc[0]
    # Of 236, only 235 can be meant by .995, though it is .9958.
    assert (row["concordance"], row["other_concordance"]) == pytest.approx((first, second), abs=1e-3)
    assert row["disagreements"] == n
    assert mark == ("‡" if row["p"] < 0.01 else "†" if row["p"] < 0.05 else "")


def test_the_exact_test_is_slightly_more_careful_than_the_paper():
    perquery = disagreeing(61, 93, 88)

    assert concordance(perquery, "G", method="normal")["p"].item() == pytest.approx(0.0099, abs=5e-5)
    assert concordance(perquery, "G")["p"].item() == pytest.approx(stats.binomtest(61, 154).pvalue, abs=1e-12)
    assert concordance(perquery, "G")["p"].item() > 0.01


def test_two_systems_and_three_topics_worked_by_hand():
    # A prefers s0 everywhere, B prefers s1, s1, s0: they disagree on t0 and t1; G prefers s0, nobody, s1.
    perquery = of_measures(A=[[3, 3, 3], [1, 1, 1]], B=[[0, 0, 2], [1, 1, 1]], G=[[1, 1, 0], [0, 1, 1]])

    table = concordance(perquery, gold="G")

    assert table.to_dict("records") == [
        {"measure": "A", "other": "B", "concordance": 1, "other_concordance": 0.5, "disagreements": 2, "p": 1}
    ]


def test_a_measure_must_agree_with_all_gold_standards_at_once():
    values = {"A": [[1, 1, 1], [0, 0, 0]], "B": [[0, 0, 0], [1, 1, 1]]}
    golds = {"G": [[1, 1, 0], [0, 0, 0]], "H": [[0, 0, 0], [0, 1, 0]]}

    table = concordance(of_measures(**values, **golds), gold=["G", "H"])

    # t0: A is right; t1: neither; t2: both.
    assert table[["concordance", "other_concordance"]].to_numpy().tolist() == [[2 / 3, 1 / 3]]


@pytest.mark.parametrize("method", ["exact", "normal"])
@pytest.mark.parametrize("n_golds", [1, 2, 3])
def test_counts_equal_those_of_the_pseudocode(n_golds, method):
    rng = np.random.default_rng(n_golds)
    values = {name: rng.integers(0, 4, (7, 9)).tolist() for name in "ABCDGHI"}
    golds = list("GHI")[:n_golds]

    table = concordance(of_measures(**values), golds, measures=list("ABCD"), method=method)

    assert list(zip(table["measure"], table["other"], strict=True)) == list(combinations("ABCD", 2))
    for row in table.itertuples():
        n, correct_1, correct_2, only_1, only_2 = fig_6(
            values[row.measure], values[row.other], [values[g] for g in golds]
        )
        z = abs(only_1 - only_2) / np.sqrt(only_1 + only_2)
        p = stats.binomtest(only_1, only_1 + only_2).pvalue if method == "exact" else 2 * stats.norm.sf(z)
        assert n > 20
        assert row.disagreements == n
        assert (row.concordance, row.other_concordance) == pytest.approx((correct_1 / n, correct_2 / n), abs=1e-15)
        assert row.p == pytest.approx(p, abs=1e-12)


@pytest.mark.parametrize("error", [0, 1e-14])
def test_measures_of_equal_values_never_disagree(error):
    values = np.random.default_rng(5).random((6, 10))
    noise = np.random.default_rng(6).choice([-error, error], (6, 10))

    row = concordance(of_measures(A=values, B=values + noise, G=values), "G").iloc[0]

    assert (row["disagreements"], row["p"]) == (0, 1)
    assert np.isnan([row["concordance"], row["other_concordance"]]).all()


def test_values_that_differ_by_rounding_are_ties_of_the_gold_standard():
    perquery = of_measures(A=[[1], [0]], B=[[0], [1]], G=[[0.1 + 0.2], [0.3]])

    assert concordance(perquery, "G")[["concordance", "other_concordance"]].to_numpy().tolist() == [[1, 1]]


def test_gold_standards_are_compared_only_if_they_are_named():
    perquery = of_measures(A=[[1], [0]], B=[[0], [1]], C=[[1], [0]])

    assert concordance(perquery, "C")[["measure", "other"]].to_numpy().tolist() == [["A", "B"]]
    assert len(concordance(perquery, "C", measures=["A", "B", "C"])) == 3


def test_a_legend_describes_the_request():
    table = concordance(disagreeing(2, 1, 0), ["G"])

    assert list(table.attrs["legend"]) == list(table.columns)
    assert [table.attrs[name] for name in ("n_systems", "n_queries", "gold", "method")] == [2, 3, ["G"], "exact"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gold": []}, r"gold must have at least one measure"),
        ({"gold": "H"}, r"perquery has no measure H; it has A, B, G\."),
        ({"gold": "H", "measures": ["A", "B"]}, r"perquery has no measure H; it has A, B, G\."),
        ({"gold": ["A", "G"]}, r"give at least two measures besides gold, not \['B'\]\."),
        ({"gold": "G", "measures": ["A", "A"]}, r"give at least two measures besides gold, not \['A'\]\."),
        ({"gold": "G", "method": "t"}, r"method must be one of 'exact', 'normal', not 't'\."),
        (
            {"perquery": of_measures(A=[[1, 2]], B=[[1, 2]], G=[[1, 2]]), "gold": "G"},
            r"perquery must have at least two systems, not 1\.",
        ),
    ],
)
def test_invalid_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        concordance(**{"perquery": disagreeing(1, 1, 0), **arguments})
