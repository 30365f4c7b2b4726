import pandas as pd
import pytest
from ir_measures import NumRet

from pyterrier_diversity import RBU, StRecall, evaluate_runs
from pyterrier_diversity.datasets.demo import FOLDER, DemoDataset

MEASURES = [RBU @ 5, StRecall @ 5]
QRELS = DemoDataset().get_qrels()
QUERIES = sorted(QRELS["qid"].unique())
RUNS = {name: FOLDER / f"{name}.run" for name in ("bm25", "xquad")}
HARD = {query: "hard" if int(query) % 3 else "easy" for query in QUERIES}


def of_group(group: str, by: dict[str, str] = HARD) -> list[str]:
    return [query for query, name in by.items() if name == group]


def test_a_group_has_the_means_of_its_queries_and_all_groups_count_alike_in_the_macro_mean():
    values = evaluate_runs(QRELS, RUNS, MEASURES, perquery=True)

    table = evaluate_runs(QRELS, RUNS, MEASURES, by=HARD)

    assert list(table) == ["name", "group", "queries", *map(str, MEASURES)]
    assert table["name"].tolist() == ["bm25"] * 3 + ["xquad"] * 3
    assert table["group"].tolist() == [*dict.fromkeys(HARD.values()), "macro mean"] * 2
    sizes = {"hard": len(of_group("hard")), "easy": len(of_group("easy")), "macro mean": len(QUERIES)}
    assert table["queries"].tolist() == table["group"].map(sizes).tolist()
    for name in RUNS:
        for measure in map(str, MEASURES):
            mine = values[(values["name"] == name) & (values["measure"] == measure)]
            means = {group: mine[mine["qid"].isin(of_group(group))]["value"].mean() for group in ("hard", "easy")}
            found = table[table["name"] == name].set_index("group")[measure]
            assert found[["hard", "easy"]].to_dict() == pytest.approx(means, abs=1e-15)
            assert found["macro mean"] == pytest.approx((means["hard"] + means["easy"]) / 2, abs=1e-15)


def test_a_group_of_all_queries_has_the_mean_of_the_table_to_the_bit():
    table = evaluate_runs(QRELS, RUNS, MEASURES)

    grouped = evaluate_runs(QRELS, RUNS, MEASURES, by=dict.fromkeys(QUERIES, "every"))

    for row in ("every", "macro mean"):
        same = grouped[grouped["group"] == row].reset_index(drop=True)[list(table)]
        pd.testing.assert_frame_equal(same, table, check_exact=True)


def test_groups_come_in_all_forms(tmp_path):
    expected = evaluate_runs(QRELS, RUNS, MEASURES, by=HARD).rename(columns={"group": "kind"})
    frame = pd.DataFrame({"qid": list(HARD), "kind": list(HARD.values())})
    frame.to_csv(tmp_path / "by.csv", index=False)
    frame.to_csv(tmp_path / "by.tsv", index=False, sep="\t")
    frame.to_csv(tmp_path / "by.txt.gz", index=False, sep=" ")
    in_qrels = QRELS.assign(kind=QRELS["qid"].map(HARD))

    for by in (frame, frame.set_index("qid")["kind"], *(tmp_path / f"by.{end}" for end in ("csv", "tsv", "txt.gz"))):
        pd.testing.assert_frame_equal(evaluate_runs(QRELS, RUNS, MEASURES, by=by), expected)
    of_column = evaluate_runs(in_qrels, RUNS, MEASURES, by="kind").sort_values(["name", "kind"], ignore_index=True)
    pd.testing.assert_frame_equal(of_column, expected.sort_values(["name", "kind"], ignore_index=True))


def test_values_of_queries_keep_the_group():
    values = evaluate_runs(QRELS, RUNS, MEASURES, perquery=True)

    grouped = evaluate_runs(QRELS, RUNS, MEASURES, perquery=True, by=HARD)

    assert list(grouped) == ["name", "qid", "group", "measure", "value"]
    assert grouped["group"].tolist() == grouped["qid"].map(HARD).tolist()
    pd.testing.assert_frame_equal(grouped.drop(columns="group"), values, check_exact=True)


def test_saved_values_are_grouped(tmp_path):
    for _ in range(2):
        table = evaluate_runs(QRELS, RUNS, MEASURES, by=HARD, save_dir=tmp_path)

        pd.testing.assert_frame_equal(table, evaluate_runs(QRELS, RUNS, MEASURES, by=HARD), check_exact=True)


def test_a_measure_that_is_a_sum_is_summed_in_each_group():
    table = evaluate_runs(QRELS, RUNS, [NumRet], by=HARD)

    values = evaluate_runs(QRELS, RUNS, [NumRet], perquery=True)
    sums = values[values["name"] == "bm25"].assign(group=lambda rows: rows["qid"].map(HARD)).groupby("group")["value"]
    found = table[table["name"] == "bm25"].set_index("group")["NumRet"]
    assert found[["easy", "hard"]].tolist() == sums.sum()[["easy", "hard"]].tolist()
    assert found["macro mean"] == sums.sum().mean()


@pytest.mark.parametrize(
    ("by", "message"),
    [
        (
            dict.fromkeys(QUERIES[2:], "x"),
            rf"by has no group for 2 of {len(QUERIES)} queries, such as '{QUERIES[0]}'",
        ),
        ({**HARD, QUERIES[1]: None}, rf"by has no group for 1 of {len(QUERIES)} queries, such as '{QUERIES[1]}'"),
        ({**HARD, QUERIES[1]: float("nan")}, "by has no group for 1 of"),
        (
            pd.DataFrame({"qid": [*QUERIES, QUERIES[0]], "kind": [*"a" * len(QUERIES), "b"]}),
            "two groups for query '1', 'a'",
        ),
        (pd.DataFrame({"qid": QUERIES}), "by must have the column qid and one more; found: qid"),
        (
            pd.DataFrame({"qid": QUERIES, "a": "x", "b": "y"}),
            "by must have the column qid and one more; found: qid, a, b",
        ),
        (pd.DataFrame({"qid": QUERIES, "queries": "x"}), "the result already has a column 'queries'"),
        (dict.fromkeys(QUERIES, "macro mean"), "a group must not be called 'macro mean'"),
        ("nothing", "by='nothing' is neither a column nor a file"),
    ],
)
def test_groups_that_are_not_groups_of_all_queries_are_refused(by, message):
    with pytest.raises(ValueError, match=f"evaluate_runs: .*{message}"):
        evaluate_runs(QRELS, RUNS, MEASURES, by=by)


def test_other_types_and_counts_of_whole_runs_are_refused():
    with pytest.raises(TypeError, match="by must be a mapping of queries to groups, a frame or a file, not list"):
        evaluate_runs(QRELS, RUNS, MEASURES, by=["x"])
    with pytest.raises(ValueError, match="queries=True cannot be used together with by"):
        evaluate_runs(QRELS, RUNS, MEASURES, by=HARD, queries=True)
