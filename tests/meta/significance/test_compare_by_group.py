import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

from pyterrier_diversity import meta, plots

rng = np.random.default_rng(3)
GROUPS = {f"q{i}": "few" if i < 8 else "many" for i in range(30)}
PERQUERY = pd.DataFrame(
    [
        (name, qid, measure, float(rng.random() + 0.3 * place))
        for place, name in enumerate("abc")
        for qid in GROUPS
        for measure in ("RBU@5", "StRecall@5")
    ],
    columns=["name", "qid", "measure", "value"],
)


def of_group(group: str) -> pd.DataFrame:
    return PERQUERY[PERQUERY["qid"].map(GROUPS) == group]


@pytest.mark.parametrize("test", ["tukey-randomised", "t", "permutation", "bootstrap"])
def test_each_group_is_tested_as_if_it_were_alone(test):
    table = meta.compare(PERQUERY, test, by=GROUPS, rng=1)

    assert table.columns[:2].tolist() == ["group", "queries"]
    assert table["group"].unique().tolist() == ["few", "many"]
    for group, n_queries in (("few", 8), ("many", 22)):
        alone = meta.compare(of_group(group), test, rng=1)
        rows = table[table["group"] == group].reset_index(drop=True)
        assert rows["queries"].unique().tolist() == [n_queries]
        pd.testing.assert_frame_equal(rows[list(alone)], alone, check_exact=True)
    assert set(table.attrs["legend"]) == set(table)


def test_groups_are_families_of_their_own_unless_all_are_one():
    own, one = (
        meta.compare(PERQUERY, "t", by=GROUPS, correction="holm", family=family) for family in ("measure", "all")
    )

    for _, rows in own.groupby(["group", "measure"]):
        expected = multipletests(rows["p"], method="holm")[1]
        assert rows["p_corrected"].tolist() == pytest.approx(expected.tolist(), abs=1e-15)
    expected = multipletests(one["p"], method="holm")[1]
    assert one["p_corrected"].tolist() == pytest.approx(expected.tolist(), abs=1e-15)
    assert one["significant"].tolist() == (expected < 0.05).tolist()
    assert one["p"].tolist() == own["p"].tolist()
    assert one.attrs["family"] == "all"


@pytest.mark.parametrize(
    ("family", "n_pairs", "told"), [("measure", 3, "measure"), ("all", 12, "all measures and groups")]
)
def test_p_values_of_a_group_have_the_bound_of_their_family(family, n_pairs, told):
    apart = PERQUERY.assign(value=PERQUERY["value"] + PERQUERY["name"].map({"a": 0, "b": 3, "c": 6}))
    table = meta.compare(apart, "bootstrap", by=GROUPS, correction="bonferroni", family=family, rng=1)

    text = meta.comparison_text(table[table["group"] == "few"])

    assert text.count(f"< {n_pairs / 1000:g}  *") == 6
    assert f"{told}, alpha" in text


@pytest.mark.parametrize(("group", "undecided"), [("few", False), ("many", True)])
def test_groups_in_one_family_are_undecided_only_where_their_own_flips_are_random(group, undecided):
    how = {"by": GROUPS, "correction": "fdr_bh", "family": "all", "n_trials": 999, "rng": 1}
    of_group = meta.compare(PERQUERY, "permutation", **how).query("group == @group and p_corrected < 1")

    at_p = meta.compare(PERQUERY, "permutation", alpha=of_group["p_corrected"].iloc[0], **how)

    assert at_p.loc[of_group.index[0], "undecided"] == undecided


@pytest.mark.parametrize(("n_few", "n_warnings"), [(7, 2), (5, 1)])
def test_each_group_in_which_nothing_can_be_significant_after_the_correction_of_all_is_told(n_few, n_warnings):
    two = PERQUERY.query("name != 'c' and measure == 'RBU@5'")
    groups = {f"q{i}": "few" if i < n_few else "many" for i in range(14)}
    two = two[two["qid"].isin(groups)]
    how = {"by": groups, "correction": "bonferroni", "family": "all", "n_trials": 10_000, "rng": 1}

    with pytest.warns(UserWarning, match="no difference can be significant") as warned:
        meta.compare(two, "permutation", alpha=0.02, **how)

    assert len(warned) == n_warnings
    least = 2 / 2**n_few
    assert f"with {n_few} queries at alpha = 0.02" in str(warned[0].message)
    assert f"p-value is {least:.4g} ({2 * least:.4g} when it is corrected for 2 pairs)" in str(warned[0].message)
    assert warned[0].filename == __file__


def test_queries_that_are_left_out_are_told_once_though_all_groups_are_one_family():
    without_one = PERQUERY[(PERQUERY["qid"] != "q0") | (PERQUERY["name"] != "a")]

    with pytest.warns(UserWarning, match="left out") as warned:
        meta.compare(without_one, "t", by=GROUPS, correction="holm", family="all")

    assert [str(each.message) for each in warned] == [
        "perquery: 1 of 8 queries are left out, because some systems have no value for them."
    ]


def test_the_group_may_be_a_column_of_the_values():
    with_column = PERQUERY.assign(kind=PERQUERY["qid"].map(GROUPS))

    table = meta.compare(with_column, "t", by="kind", baseline="a")

    expected = meta.compare(PERQUERY, "t", by=GROUPS, baseline="a").rename(columns={"group": "kind"})
    pd.testing.assert_frame_equal(table, expected, check_exact=True)


def test_a_query_without_a_group_is_refused():
    with pytest.raises(ValueError, match=r"compare: by has no group for 29 of 30 queries, such as 'q1'"):
        meta.compare(PERQUERY, "t", by={"q0": "x"})


def test_a_frame_without_rows_is_refused():
    with pytest.raises(ValueError, match="compare: perquery must not be empty"):
        meta.compare(PERQUERY.head(0), "t", by=GROUPS)


def test_a_group_that_cannot_be_tested_is_named():
    with pytest.raises(ValueError, match=r"at least two queries, not 1\. \(the group 'one'\)"):
        meta.compare(PERQUERY, "t", by={**GROUPS, "q0": "one"})
    with pytest.raises(ValueError, match="family must be 'measure' without a correction"):
        meta.compare(PERQUERY, "t", by=GROUPS, family="all")
    with pytest.raises(ValueError, match="family must be one of 'measure', 'all', not 'x'"):
        meta.compare(PERQUERY, "t", by=GROUPS, correction="holm", family="x")


def test_tables_of_several_groups_take_the_rows_of_one():
    table = meta.compare(PERQUERY, "t", by=GROUPS)

    for read in (meta.significance_table, meta.comparison_text, meta.overlap, plots.differences):
        with pytest.raises(ValueError, match="has several groups of queries"):
            read(table)
    with pytest.raises(ValueError, match="discriminative_power does not take by"):
        meta.discriminative_power(PERQUERY, "t", by=GROUPS)
    one, alone = (
        meta.significance_table(frame)
        for frame in (table[table["group"] == "many"], meta.compare(of_group("many"), "t"))
    )
    assert one.rows == alone.rows
    assert "queries" not in one.legend
