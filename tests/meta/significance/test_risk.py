import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import ERR_IA, NRBP, P_IA, alpha_nDCG, nERR_IA

from by_hand import of_measures, perquery
from pyterrier_diversity import StRecall
from pyterrier_diversity.meta import compare, risk


def frame(**values):
    return perquery(values, "AP")


def only(table):
    (row,) = table.to_dict("records")
    return row


# By hand: differences 0.4, 0, -0.1, -0.3; with alpha 1 they count 0.4, 0, -0.2, -0.6.
BY_HAND = frame(base=[0.1, 0.5, 0.6, 0.7], x=[0.5, 0.5, 0.5, 0.4])


def test_a_loss_counts_one_and_alpha_times():
    assert only(risk(BY_HAND, "base", alpha=0))["urisk"] == pytest.approx(0, abs=1e-15)
    assert only(risk(BY_HAND, "base"))["urisk"] == pytest.approx(-0.4 / 4)
    assert only(risk(BY_HAND, "base", alpha=5))["urisk"] == pytest.approx((0.4 - 0.6 - 1.8) / 4)


def test_trisk_is_urisk_over_its_standard_error():
    # Mean -0.1; deviations 0.5, 0.1, -0.1, -0.5: variance 0.52/3, standard error sqrt(0.52/12).
    assert only(risk(BY_HAND, "base"))["trisk"] == pytest.approx(-0.1 / np.sqrt(0.52 / 12))


def test_wins_ties_losses_and_the_worst_query():
    row = only(risk(BY_HAND, "base"))

    assert (row["wins"], row["ties"], row["losses"]) == (1, 1, 2)
    assert (row["largest_loss"], row["worst_query"]) == (pytest.approx(0.3), "q3")
    assert row["difference"] == pytest.approx(0, abs=1e-15)


def test_a_system_that_never_loses_has_no_worst_query():
    row = only(risk(frame(base=[0.1, 0.2], x=[0.1 + 1e-14, 0.3]), "base", alpha=10))

    assert (row["losses"], row["largest_loss"], row["worst_query"]) == (0, 0.0, "")
    assert row["urisk"] == pytest.approx(0.05)


# Made by ndeval 4.5 (the C source that pyndeval 0.0.8 has, built to print more digits):
#   ndeval -c -traditional -baseline BASELINE -riskAlpha ALPHA QRELS RUN, line amean
# on the qrels and runs of diversity:demo; the columns are ERR-IA@10, nERR-IA@20, alpha-nDCG@5, NRBP, P-IA@10, strec@5.
NDEVAL = {
    ("more-like-this", "bm25", 0): (
        -0.00059906425498790217,
        -0.016396813328024579,
        -0.03935045662098894,
        -0.017403684769357951,
        0.04178571428571428,
        -0.097619047619047619,
    ),
    ("more-like-this", "bm25", 1): (
        -0.037073714681909613,
        -0.080865190356404895,
        -0.11475456883434831,
        -0.069440617305891864,
        0.04178571428571428,
        -0.19523809523809524,
    ),
    ("bm25", "more-like-this", 5): (
        -0.17877886660468109,
        -0.22396100517375414,
        -0.1409178213408632,
        -0.15576255406652179,
        -0.25071428571428567,
        0.097619047619047619,
    ),
    # Of this run, query 3 was taken out: it is 0 there.
    ("xquad", "bm25", 5): (
        -0.0038732878134816262,
        -0.11336389138479065,
        -0.050086046822540239,
        -0.066367067609514496,
        0.0016666666666666794,
        -0.080952380952380887,
    ),
}
MEASURES = [ERR_IA @ 10, nERR_IA @ 20, alpha_nDCG @ 5, NRBP, P_IA @ 10, StRecall @ 5]


@pytest.mark.parametrize(("system", "baseline", "alpha"), NDEVAL)
def test_urisk_equals_the_value_of_ndeval(system, baseline, alpha):
    demo = pt.get_dataset("diversity:demo")
    runs = {name: demo.get_results(name) for name in (system, baseline)}
    if "xquad" in runs:
        runs["xquad"] = runs["xquad"].query("qid != '3'")
    values = pt.Experiment(runs, demo.get_topics(), demo.get_qrels(), MEASURES, perquery=True)

    table = risk(values, baseline, alpha=alpha).set_index("measure")["urisk"]

    expected = dict(zip(map(str, MEASURES), NDEVAL[system, baseline, alpha], strict=True))
    assert table.to_dict() == pytest.approx(expected, abs=1e-9)


# Of four measures, on the same queries: the values of three systems for each query.
values = st.integers(2, 8).flatmap(
    lambda n: st.tuples(*[st.lists(st.tuples(*[st.integers(0, 10)] * 3), min_size=n, max_size=n)] * 4)
)


@settings(max_examples=6)
@given(values, st.sampled_from([0.0, 1.0, 5.0]))
def test_risk_agrees_with_plain_loops_and_with_compare(tables, alpha):
    by_system = [{name: [row[at] / 10 for row in rows] for at, name in enumerate("abc")} for rows in tables]
    frame = of_measures(**{f"m{i}": table for i, table in enumerate(by_system)})

    table = risk(frame, "b", alpha=alpha)

    compared = compare(frame, "t", baseline="b")
    for column in ("measure", "name", "wins", "ties", "losses"):
        assert table[column].tolist() == compared[column].tolist()
    assert table["difference"].tolist() == pytest.approx(compared["difference"].tolist(), abs=1e-12)
    each = [(rows, position) for rows in tables for position in (0, 2)]
    for (rows, position), expected in zip(each, table["urisk"], strict=True):
        total = 0.0
        for row in rows:
            delta = (row[position] - row[1]) / 10
            total += delta if delta > 0 else (1 + alpha) * delta
        assert expected == pytest.approx(total / len(rows), abs=1e-9)


def test_systems_are_in_the_order_of_the_frame_and_the_frame_is_as_it_was():
    values = frame(z=[0.1, 0.2], base=[0.2, 0.2], a=[0.3, 0.1])
    before = values.copy()

    table = risk(values, "base", measures=["AP"])

    assert table["name"].tolist() == ["z", "a"]
    assert table.attrs["legend"].keys() == set(table)
    assert (table.attrs["alpha"], table.attrs["n_systems"], table.attrs["n_queries"]) == (1.0, 3, 2)
    pd.testing.assert_frame_equal(values, before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "y"}, "risk: unknown baseline 'y'; the systems are base, x"),
        ({"alpha": -1}, r"risk: alpha must be a number in \[0, 1e100\], not -1"),
        ({"measures": ["RR"]}, "perquery has no measure RR"),
        ({"perquery": frame(base=[0.1, 0.2])}, "risk: perquery must have at least two systems, not 1"),
        ({"perquery": frame(base=[0.1], x=[0.2])}, "at least two queries, not 1"),
    ],
)
def test_invalid_arguments_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        risk(**{"perquery": BY_HAND, "baseline": "base", **options})
