import gzip
import json
import os
import subprocess
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, P

from pyterrier_diversity import IA, RBU, Adhoc, DiversityMeasure, alpha_nDCG, alpha_nDCG_exact, evaluate_runs
from pyterrier_diversity.datasets.demo import FOLDER, RUNS, DemoDataset
from pyterrier_diversity.evaluate import scoring
from pyterrier_diversity.evaluate.saved import content_key
from pyterrier_diversity.io import run_frame

MEASURES = [RBU @ 5, alpha_nDCG @ 5, Adhoc(AP), P @ 5]
QRELS = DemoDataset().get_qrels()
QUERIES = sorted(QRELS["qid"].unique())
BM25 = DemoDataset().get_results("bm25")
FILES = {name: FOLDER / f"{name}.run" for name in RUNS}


@pytest.fixture
def read(monkeypatch) -> list[str]:
    """The paths of run files that this process reads to score them."""
    paths = []

    def watched(path, order):
        if isinstance(path, (str, Path)):
            paths.append(Path(path).stem)
        return run_frame(path, order=order)

    monkeypatch.setattr(scoring, "run_frame", watched)
    return paths


def tables(folder: Path) -> dict[str, pd.DataFrame]:
    """The saved tables by the name of their run; those of a run are joined."""
    found = {}
    for notes in sorted(folder.glob("*.values.json")):
        path = notes.with_name(notes.name.replace(".json", ".csv.gz"))
        table = pd.read_csv(path, dtype={"qid": str}).set_index("qid")
        name = json.loads(notes.read_text())["run"]
        found[name] = pd.concat([found[name], table], axis=1) if name in found else table
    return found


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def same(table: pd.DataFrame, other: pd.DataFrame) -> None:
    """Tables are equal to the bit, and say the same of themselves."""
    pd.testing.assert_frame_equal(table, other, check_exact=True)
    assert table.attrs == other.attrs


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_each_run_has_a_file_with_the_values_of_the_table(tmp_path, n_jobs):
    table = evaluate_runs(QRELS, FILES, MEASURES, perquery=True, save_dir=tmp_path, n_jobs=n_jobs)

    same(table, evaluate_runs(QRELS, FILES, MEASURES, perquery=True))
    saved = tables(tmp_path)
    assert sorted(saved) == sorted(FILES)
    means = evaluate_runs(QRELS, FILES, MEASURES).set_index("name")
    for name, rows in table.groupby("name"):
        wide = rows.pivot_table(index="qid", columns="measure", values="value")[list(map(str, MEASURES))]
        assert saved[name].drop(index="all").loc[wide.index].to_numpy() == pytest.approx(wide.to_numpy(), abs=1e-15)
        assert saved[name].loc["all"].tolist() == pytest.approx(means.loc[name].tolist(), abs=1e-15)


def test_notes_say_how_the_values_were_computed(tmp_path):
    table = evaluate_runs(QRELS, {"bm25": FILES["bm25"]}, MEASURES, save_dir=tmp_path)

    (notes,) = (json.loads(path.read_text()) for path in tmp_path.glob("*.json"))

    assert notes["run"] == "bm25"
    assert notes["measures"] == table.attrs["signatures"]


def test_a_value_takes_at_most_30_bytes(tmp_path):
    rng = np.random.default_rng(1)
    queries = [f"q{i}" for i in range(100)]
    qrels = pd.DataFrame([(q, f"d{i}", f"t{i % 7}", int(rng.integers(2))) for q in queries for i in range(30)])
    qrels.columns = ["qid", "docno", "iteration", "label"]
    run = qrels[["qid", "docno"]].drop_duplicates().assign(score=lambda rows: rng.random(len(rows)))
    measures = [alpha_nDCG @ k for k in range(1, 31)]

    evaluate_runs(qrels, {"mine": run}, measures, save_dir=tmp_path)

    assert sum(map(len, content(tmp_path).values())) <= 30 * len(queries) * len(measures)


@pytest.mark.parametrize("perquery", [False, True])
def test_saved_values_are_not_computed_again(tmp_path, read, perquery):
    given = {**FILES, "few": BM25[BM25["qid"].isin(QUERIES[:1])], "empty": {}}
    with pytest.warns(UserWarning, match=r"^Run") as first_warnings:
        first = evaluate_runs(QRELS, given, MEASURES, perquery=perquery, queries=True, save_dir=tmp_path)
    before = content(tmp_path)
    read.clear()

    with pytest.warns(UserWarning, match=r"^Run") as again_warnings:
        again = evaluate_runs(QRELS, given, MEASURES, perquery=perquery, queries=True, save_dir=tmp_path)

    assert read == []
    same(again, first)
    assert [str(w.message) for w in again_warnings] == [str(w.message) for w in first_warnings]
    assert content(tmp_path) == before


def test_a_saved_warning_keeps_its_kind(tmp_path):
    twice = {"twice": pd.concat([BM25, BM25.head(1)])}
    with pytest.warns(UserWarning, match="twice"):
        evaluate_runs(QRELS, twice, MEASURES, save_dir=tmp_path)

    with pytest.warns(UserWarning, match="twice"):
        evaluate_runs(QRELS, twice, MEASURES, save_dir=tmp_path, strict=["ids"])
    with pytest.raises(ValueError, match="twice"):
        evaluate_runs(QRELS, twice, MEASURES, save_dir=tmp_path, strict=["repeats"])


def test_only_missing_values_are_computed_and_the_others_stay(tmp_path, read):
    some = dict(list(FILES.items())[:2])
    evaluate_runs(QRELS, some, MEASURES[:2], save_dir=tmp_path)
    before = content(tmp_path)
    read.clear()

    evaluate_runs(QRELS, FILES, [MEASURES[1]], save_dir=tmp_path)
    assert read == list(FILES)[2:]
    read.clear()
    table = evaluate_runs(QRELS, FILES, MEASURES[1:3], save_dir=tmp_path)

    assert read == list(FILES)
    same(table, evaluate_runs(QRELS, FILES, MEASURES[1:3]))
    assert before.items() <= content(tmp_path).items()
    assert all(values.columns.is_unique for values in tables(tmp_path).values())


def test_only_the_missing_measures_of_a_run_are_scored(tmp_path, monkeypatch):
    evaluate_runs(QRELS, {"bm25": FILES["bm25"]}, [RBU @ 5], save_dir=tmp_path)
    asked = []
    evaluator = scoring.Call.evaluator
    monkeypatch.setattr(scoring.Call, "evaluator", lambda call, names: asked.append(names) or evaluator(call, names))

    evaluate_runs(
        QRELS, {name: FILES[name] for name in ("bm25", "xquad")}, [RBU @ 5, P @ 5], save_dir=tmp_path, n_jobs=1
    )

    assert asked == [("RBU@5", "P@5"), ("P@5",), ("RBU@5", "P@5")]


def change_run(path):
    path.write_text(path.read_text().replace(" 1 ", " 1  ", 1))
    return {}


@pytest.mark.parametrize(
    "change",
    [
        lambda _: {"qrels": QRELS.assign(label=QRELS["label"] + 1)},
        change_run,
        lambda _: {"order": "rank"},
        lambda _: {"measures": [RBU(p=0.9) @ 5]},
    ],
    ids=["qrels", "run", "order", "parameter"],
)
def test_values_of_other_qrels_or_runs_are_computed_again(tmp_path, read, change):
    run = tmp_path / "mine.run"
    run.write_bytes(FILES["bm25"].read_bytes())
    how = {"qrels": QRELS, "runs": run, "measures": [RBU @ 5], "save_dir": tmp_path / "saved"}
    evaluate_runs(**how)
    read.clear()

    how |= change(run)
    table = evaluate_runs(**how)

    assert read == ["mine"]
    same(table, evaluate_runs(**{**how, "save_dir": None}))
    assert len(content(how["save_dir"])) == 4


def test_the_order_of_rows_does_not_change_the_key_of_the_content():
    upside_down = QRELS.iloc[::-1]

    assert content_key(QRELS) == content_key(upside_down) == content_key(QRELS[QRELS.columns[::-1]])
    assert content_key(QRELS) != content_key(QRELS.iloc[1:])
    assert content_key(QRELS) != content_key(QRELS.rename(columns={"iteration": "subtopic"}))
    assert content_key(BM25, "order=score") != content_key(BM25, "order=rank")
    vectors = BM25.assign(query_vec=[[1.0, 2.0]] * len(BM25))
    assert content_key(vectors) == content_key(BM25)


@pytest.mark.parametrize("kind", ["int8", "Int8", "int16", "int32", "Int64", "int64"])
def test_the_key_depends_on_numbers_and_not_on_their_size_in_memory(kind):
    minus, plus = (pd.DataFrame({"label": [value]}) for value in (-1, 127))

    assert content_key(minus.astype(kind)) == content_key(minus)
    assert content_key(plus.astype(kind)) == content_key(plus)


@pytest.mark.parametrize(("one", "other"), [(1.5, 1.7), (2**53, 2**53 + 1), (-1, 2**64 - 1)])
def test_other_numbers_have_another_key(one, other):
    assert content_key(pd.DataFrame({"score": [one]})) != content_key(pd.DataFrame({"score": [other]}))


def test_the_key_tells_minus_one_from_the_number_with_the_same_bits():
    minus_one = pd.DataFrame({"label": pd.array([-1], dtype="int8")})

    for same_bits in (255, 2**64 - 1, 2**16 - 1):
        assert content_key(minus_one) != content_key(pd.DataFrame({"label": [same_bits]}))
    assert content_key(pd.DataFrame({"score": [0.5]})) == content_key(
        pd.DataFrame({"score": np.array([0.5], dtype=np.float32)})
    )


def test_a_run_of_another_name_is_not_scored_again(tmp_path, read):
    evaluate_runs(QRELS, {"old": FILES["bm25"]}, MEASURES, save_dir=tmp_path)
    read.clear()

    table = evaluate_runs(QRELS, {"new": FILES["bm25"]}, MEASURES, save_dir=tmp_path)

    assert read == []
    same(table, evaluate_runs(QRELS, {"new": FILES["bm25"]}, MEASURES))


def test_a_table_without_notes_does_not_count(tmp_path, read):
    whole = evaluate_runs(QRELS, FILES, MEASURES, perquery=True, save_dir=tmp_path)
    before = content(tmp_path)
    next(tmp_path.glob("bm25.*.json")).unlink()
    read.clear()

    same(evaluate_runs(QRELS, FILES, MEASURES, perquery=True, save_dir=tmp_path), whole)

    assert read == ["bm25"]
    assert content(tmp_path) == before


def round_values(folder: Path) -> Path:
    path = next(folder.glob("bm25.*.csv.gz"))
    pd.read_csv(path, dtype={"qid": str}).round(3).to_csv(path, index=False)
    return path


def remove_values(folder: Path) -> Path:
    path = next(folder.glob("bm25.*.csv.gz"))
    path.unlink()
    return path


def edit_notes(folder: Path) -> Path:
    path = next(folder.glob("bm25.*.json"))
    path.write_text(path.read_text().replace("RBU@5|cutoff=5", "RBU@5|cutoff=9"))
    return path


@pytest.mark.parametrize("change", [round_values, remove_values, edit_notes])
def test_a_file_that_was_changed_by_hand_is_refused(tmp_path, change):
    first = evaluate_runs(QRELS, FILES, MEASURES, save_dir=tmp_path)
    path = change(tmp_path)

    with pytest.raises(
        ValueError, match=r"evaluate_runs: the file .*bm25\S* has changed since evaluate_runs"
    ) as refused:
        evaluate_runs(QRELS, FILES, MEASURES, save_dir=tmp_path)

    assert str(path) in str(refused.value)
    same(evaluate_runs(QRELS, FILES, MEASURES, save_dir=tmp_path, save_mode="overwrite"), first)
    same(evaluate_runs(QRELS, FILES, MEASURES, save_dir=tmp_path), first)


def test_overwrite_replaces_the_values_of_the_runs_and_no_others(tmp_path, read):
    evaluate_runs(QRELS, FILES, MEASURES[:1], save_dir=tmp_path)
    evaluate_runs(QRELS, {"bm25": FILES["bm25"]}, MEASURES[1:], save_dir=tmp_path)
    others = {name: data for name, data in content(tmp_path).items() if not name.startswith("bm25.")}
    read.clear()

    evaluate_runs(QRELS, {"bm25": FILES["bm25"]}, MEASURES, save_dir=tmp_path, save_mode="overwrite")

    assert read == ["bm25"]
    left = content(tmp_path)
    assert others.items() <= left.items()
    assert len(left) == len(others) + 2
    assert list(tables(tmp_path)["bm25"]) == list(map(str, MEASURES))


def test_error_refuses_a_run_that_is_there_before_any_is_scored(tmp_path, read):
    evaluate_runs(QRELS, {"bm25": FILES["bm25"]}, MEASURES, save_dir=tmp_path)
    read.clear()

    with pytest.raises(ValueError, match=r"save_dir='.*' has values of the run 'bm25'. Use save_mode='reuse'"):
        evaluate_runs(QRELS, FILES, MEASURES, save_dir=tmp_path, save_mode="error")

    assert read == []
    evaluate_runs(QRELS, {"xquad": FILES["xquad"]}, MEASURES, save_dir=tmp_path, save_mode="error")


NAMES = ["=1+2", "a\x1b", "line\nbreak", 'a"b,c', "ü", "runs/../bm25", ".hidden", "x" * 300, "x" * 301, "A", "a"]


def test_names_of_every_kind_are_found_again(tmp_path, monkeypatch):
    given = {name: BM25.assign(score=BM25["score"] + place) for place, name in enumerate(NAMES)}
    first = evaluate_runs(QRELS, given, [RBU @ 5], save_dir=tmp_path / "saved")
    assert os.listdir(tmp_path) == ["saved"]
    assert sorted(tables(tmp_path / "saved")) == sorted(NAMES)
    with pytest.raises(ValueError, match="has values of the run"):
        evaluate_runs(QRELS, dict([*given.items()][-1:]), [RBU @ 5], save_dir=tmp_path / "saved", save_mode="error")
    monkeypatch.setattr(scoring, "_scored", None)

    same(evaluate_runs(QRELS, given, [RBU @ 5], save_dir=tmp_path / "saved"), first)


def test_queries_of_every_kind_are_found_again(tmp_path, monkeypatch):
    odd = {query: f'{"=+-@"[i % 4]}q\n{i}\r",' for i, query in enumerate(QUERIES)} | {QUERIES[0]: "all"}
    qrels, run = (frame.assign(qid=frame["qid"].map(odd)) for frame in (QRELS, BM25))
    run = run[run["qid"] != "all"]
    first = evaluate_runs(qrels, {"mine": run}, [RBU @ 5], perquery=True, queries=True, save_dir=tmp_path)
    monkeypatch.setattr(scoring, "_scored", None)

    same(evaluate_runs(qrels, {"mine": run}, [RBU @ 5], perquery=True, queries=True, save_dir=tmp_path), first)


class OneOverRank(DiversityMeasure):
    PRETTY_NAME = "1 / rank"
    FORMULA = r"\sum_i 1 / i"
    SOURCE = "these tests"
    factor = 1.0

    def score(self, ranked):
        return ranked.total(self.factor / ranked.rank)


class WithVersion(OneOverRank):
    VERSION = "1"


@pytest.mark.parametrize("in_another", [False, True])
def test_a_measure_without_a_version_is_computed_again(tmp_path, monkeypatch, in_another):
    own, versioned = OneOverRank(), WithVersion()
    measures = [IA(own), IA(versioned)] if in_another else [own, versioned]
    first = evaluate_runs(QRELS, FILES, measures, save_dir=tmp_path)
    monkeypatch.setattr(OneOverRank, "factor", 2.0)

    changed = evaluate_runs(QRELS, FILES, measures, save_dir=tmp_path)
    monkeypatch.setattr(WithVersion, "VERSION", "2")
    later = evaluate_runs(QRELS, FILES, measures, save_dir=tmp_path)

    name, with_version = map(str, measures)
    assert changed[name].tolist() == pytest.approx((2 * first[name]).tolist())
    assert changed[with_version].tolist() == first[with_version].tolist()
    assert later[with_version].tolist() == pytest.approx((2 * first[with_version]).tolist())


def test_a_measure_that_was_defined_is_computed_again(tmp_path):
    for value in (0.25, 0.75):
        mine = ir_measures.define_byquery(lambda qrels, run, value=value: value, name="Mine")

        table = evaluate_runs(QRELS, {"bm25": FILES["bm25"]}, [mine], save_dir=tmp_path)

        assert table["Mine"].tolist() == [value]


def test_two_measures_of_one_name_do_not_share_values(tmp_path):
    one, other = (
        ir_measures.define_byquery(lambda qrels, run, value=value: value, name="Mine") for value in (0.25, 0.75)
    )

    with pytest.raises(ValueError, match="two different measures have the name Mine"):
        evaluate_runs(QRELS, {"bm25": FILES["bm25"]}, [one, other], save_dir=tmp_path)


def test_a_warning_of_a_measure_that_is_not_asked_for_is_no_error(tmp_path, monkeypatch):
    class Complaining(OneOverRank):
        VERSION = "1"

        def score(self, ranked):
            ranked.run.warn_once("This measure complains.")
            return super().score(ranked)

    with pytest.warns(UserWarning, match="complains"):
        evaluate_runs(QRELS, {"bm25": FILES["bm25"]}, [Complaining(), RBU @ 5], save_dir=tmp_path)

    evaluate_runs(QRELS, {"bm25": FILES["bm25"]}, [RBU @ 5], save_dir=tmp_path, strict=True)
    with pytest.raises(ValueError, match="Run bm25: This measure complains"):
        evaluate_runs(QRELS, {"bm25": FILES["bm25"]}, [RBU @ 5, Complaining()], save_dir=tmp_path, strict=True)


def test_the_folder_may_lie_inside_of_the_runs(tmp_path):
    for path in FILES.values():
        (tmp_path / path.name).write_bytes(gzip.compress(path.read_bytes()))
    inside, pattern = tmp_path / "saved", str(tmp_path / "**" / "*")
    first = evaluate_runs(QRELS, tmp_path, MEASURES, save_dir=inside)

    same(evaluate_runs(QRELS, tmp_path, MEASURES, save_dir=inside), first)
    same(evaluate_runs(QRELS, pattern, MEASURES, save_dir=inside), first)
    same(evaluate_runs(QRELS, tmp_path, MEASURES, save_dir=tmp_path), first)
    same(evaluate_runs(QRELS, tmp_path, MEASURES, save_dir=tmp_path), first)
    assert len(first) == len(FILES)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_bad_file_costs_only_itself(tmp_path, read, n_jobs):
    bad, saved = tmp_path / "bad.run", tmp_path / "saved"
    bad.write_text("1 Q0 d1 1 high tag\n")
    given = {"bm25": FILES["bm25"], "bad": bad, "gone": tmp_path / "gone.run", "xquad": FILES["xquad"], "bytes": 3}

    table = evaluate_runs(QRELS, given, MEASURES, save_dir=saved, on_error="skip", n_jobs=n_jobs)

    errors = table.attrs.pop("errors")
    good = evaluate_runs(QRELS, {name: FILES[name] for name in ("bm25", "xquad")}, MEASURES)
    assert good.attrs.pop("errors") == {}
    same(table, good)
    assert sorted(errors) == ["bad", "bytes", "gone"]
    assert errors["bad"] == f"{bad}, line 1: score must be a finite number, not 'high'."
    assert errors["gone"] == f"{tmp_path / 'gone.run'}: No such file or directory"
    with pytest.raises(ValueError, match=r"^Run bad: .*bad.run, line 1: score must be"):
        evaluate_runs(QRELS, {name: given[name] for name in ("bm25", "bad", "xquad")}, MEASURES, save_dir=saved)
    bad.unlink()
    read.clear()
    again = evaluate_runs(QRELS, FILES, MEASURES, save_dir=saved)
    assert not {"bm25", "xquad"}.intersection(read)
    same(again, evaluate_runs(QRELS, FILES, MEASURES))


def test_a_bad_file_is_an_error_after_finished_runs_were_saved(tmp_path):
    bad = tmp_path / "bad.run"
    bad.write_text("1 Q0 d1 1 high tag\n")

    with pytest.raises(ValueError, match=r"^Run bad"):
        evaluate_runs(
            QRELS,
            {"bm25": FILES["bm25"], "bad": bad, "xquad": FILES["xquad"]},
            MEASURES,
            save_dir=tmp_path / "saved",
            n_jobs=1,
        )

    assert list(tables(tmp_path / "saved")) == ["bm25"]
    with pytest.raises(FileNotFoundError, match=r"^Run gone"):
        evaluate_runs(QRELS, {"gone": tmp_path / "gone.run"}, MEASURES)


def test_all_runs_may_be_skipped():
    table = evaluate_runs(QRELS, {"bad": 3}, MEASURES, on_error="skip", queries=True)

    assert table.columns.tolist() == ["name", "queries", "ties@5", *map(str, MEASURES)]
    assert table.empty
    assert list(evaluate_runs(QRELS, {"bad": 3}, MEASURES, on_error="skip", perquery=True)) == [
        "name",
        "qid",
        "measure",
        "value",
    ]


def test_other_ways_with_errors_are_refused():
    with pytest.raises(ValueError, match=r"evaluate_runs: on_error must be 'raise' or 'skip', not 'ignore'"):
        evaluate_runs(QRELS, FILES, MEASURES, on_error="ignore")


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.skipif(os.name != "posix", reason="pipes with names are POSIX's")
def test_pipes_are_saved_and_read_once(tmp_path, n_jobs):
    saved, pipe = tmp_path / "saved", tmp_path / "pipe"
    os.mkfifo(pipe)
    found = []
    for _ in range(2):
        with subprocess.Popen(f"cat {FILES['bm25']} > {pipe}", shell=True):
            found.append(evaluate_runs(QRELS, {"bm25": pipe}, MEASURES, save_dir=saved, n_jobs=n_jobs))

    same(*found)
    same(found[0], evaluate_runs(QRELS, {"bm25": FILES["bm25"]}, MEASURES))
    assert len(content(saved)) == 2


def test_ideal_rankings_are_found_with_a_bar_before_any_run_is_evaluated(monkeypatch):
    from pyterrier_diversity.evaluate import scoring

    told = []
    monkeypatch.setattr(
        scoring, "progress", lambda items, what, unit: told.append((len(items), what, unit)) or list(items)
    )

    evaluate_runs(QRELS, FILES, [IA(alpha_nDCG @ 5), *(alpha_nDCG_exact @ k for k in (3, 4)), P @ 5], n_jobs=1)

    assert told[0] == (3, "ideal rankings", "measure")
    assert sum(n for n, *_ in told) == 3


def test_ids_may_have_unpaired_surrogates(tmp_path):
    def odd(frame: pd.DataFrame) -> pd.DataFrame:
        names = {column: [f"{name}\ud800" for name in frame[column]] for column in ("qid", "docno")}
        return frame.assign(**{column: pd.Series(of, frame.index, dtype=object) for column, of in names.items()})

    lengths = {f"{doc}\ud800": 1.0 for doc in BM25["docno"]}
    by = {f"{query}\ud800": f"{query[-1]}\ud800" for query in QUERIES}
    plain = evaluate_runs(QRELS, {"a": BM25}, [RBU @ 5], perquery=True)
    expected = {f"{query}\ud800": value for query, value in zip(plain["qid"], plain["value"], strict=True)}
    for _ in range(2):
        how = {"perquery": True, "by": by, "doc_len": lengths, "save_dir": tmp_path / "values"}
        table = evaluate_runs(odd(QRELS), {"a": odd(BM25)}, [RBU @ 5], **how)

        assert dict(zip(table["qid"], table["value"], strict=True)) == expected
    assert content_key(odd(BM25)) not in (content_key(BM25), content_key(odd(BM25).head(1)))
    assert len(content(tmp_path / "values")) == 2
