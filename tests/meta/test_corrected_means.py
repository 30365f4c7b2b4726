import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from by_hand import perquery
from pyterrier_diversity import RBU, StRecall, evaluate_runs, meta
from pyterrier_diversity.datasets.demo import FOLDER, DemoDataset

# Made by ppi-python, as tests/golden/README.md says.
CASES = json.loads((Path(__file__).parents[1] / "golden" / "ppi.json").read_text())["cases"]
pytestmark = pytest.mark.filterwarnings("ignore:corrected_means. only .. queries are judged")
CORRECTED, ALONE = ["mean", "ci_low", "ci_high"], ["judged_mean", "judged_low", "judged_high"]


def frame(values, name="A", measure="RBU@5"):
    return perquery({name: values}, measure)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
@pytest.mark.parametrize(("form", "tuning"), [("tuned", True), ("untuned", False)])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{len(case['people'])} of {len(case['cheap'])}")
def test_values_are_those_of_ppi_python(case, form, tuning, alpha):
    table = meta.corrected_means(frame(case["cheap"]), frame(case["people"]), alpha, tuning=tuning)

    assert table[CORRECTED].iloc[0].tolist() == pytest.approx(case[f"{form}, alpha {alpha}"], abs=1e-9)
    assert table[ALONE].iloc[0].tolist() == pytest.approx(case[f"people alone, alpha {alpha}"], abs=1e-9)
    assert table[["queries", "judged"]].iloc[0].tolist() == [len(case["cheap"]), len(case["people"])]


@pytest.mark.parametrize("tuning", [True, False])
def test_95_percent_intervals_cover_the_mean_in_93_to_97_percent_of_samples(tuning):
    rng = np.random.default_rng(5)
    n_samples, n_judged, n_queries = 1_000, 200, 2_000
    truth = rng.beta(2, 3, (n_samples, n_queries))
    cheap = np.clip(truth + 0.1 + 0.1 * rng.standard_normal(truth.shape), 0, 1)
    covered = 0
    for people, predicted in zip(truth, cheap, strict=True):
        _, low, high = meta.estimates.prediction_powered(
            people[:n_judged], predicted[:n_judged], predicted, 0.05, tuning=tuning
        )
        covered += low <= 0.4 <= high  # the mean of beta(2, 3)

    assert 0.93 <= covered / n_samples <= 0.97


def test_differences_are_the_corrected_means_of_differences():
    rng = np.random.default_rng(7)
    truth = {name: rng.beta(2, 3, 100) for name in "abc"}
    cheap = {name: np.clip(values + 0.1 * rng.standard_normal(100), 0, 1) for name, values in truth.items()}
    all_queries = pd.concat([frame(values, name) for name, values in cheap.items()])
    some = pd.concat([frame(values[:40], name) for name, values in truth.items()])

    table = meta.corrected_means(all_queries, some, baseline="b")

    assert table[["name", "other"]].to_numpy().tolist() == [["a", "b"], ["c", "b"]]
    for name, row in zip("ac", table.index, strict=True):
        alone = meta.corrected_means(
            frame(cheap[name] - cheap["b"], measure="M"), frame((truth[name] - truth["b"])[:40], measure="M")
        )
        columns = [*CORRECTED, *ALONE]
        assert table.loc[row, columns].tolist() == pytest.approx(alone.loc[0, columns].tolist(), abs=1e-9)


def test_a_cheap_judge_that_says_nothing_gives_what_people_say():
    people = np.random.default_rng(1).random(30)

    for cheap in (np.full(100, 0.3), np.r_[1 - people, np.linspace(0, 1, 70)]):  # constant, and always wrong
        table = meta.corrected_means(frame(cheap), frame(people))
        assert table[CORRECTED].iloc[0].tolist() == pytest.approx(table[ALONE].iloc[0].tolist(), abs=1e-9)


def test_intervals_end_at_the_range_of_the_measure_and_are_nan_where_nothing_varies():
    people, cheap = np.r_[np.ones(24), 0.5], np.r_[np.ones(24), 0.5, np.ones(75)]
    table = meta.corrected_means(frame(cheap), frame(people))
    unknown = meta.corrected_means(frame(cheap, measure="mine"), frame(people, measure="mine"))
    equal = meta.corrected_means(frame(np.ones(50)), frame(np.ones(25)))

    assert table["ci_high"].item() == table["judged_high"].item() == 1.0
    assert unknown["judged_high"].item() > 1.0
    assert equal[["mean", "judged_mean"]].iloc[0].tolist() == [1.0, 1.0]
    assert equal[["ci_low", "ci_high", "judged_low", "judged_high"]].isna().all(axis=None)
    assert [each["clipped"].item() for each in (table, unknown, equal)] == [True, False, False]


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 0.9])
def test_values_that_are_equal_have_a_mean_and_no_interval(value):
    (row,) = meta.corrected_means(frame([value] * 60), frame([value] * 51)).to_dict("records")

    assert row["mean"] == row["judged_mean"] == pytest.approx(value)
    assert np.isnan([row[name] for name in ("ci_low", "ci_high", "judged_low", "judged_high")]).all()


@pytest.mark.parametrize("baseline", [None, "b"])
def test_an_interval_contains_its_mean_also_where_the_range_cuts_both(baseline):
    people = np.r_[np.ones(49), 0.9]
    cheap = np.r_[np.full(50, 0.9), np.ones(150)] - 0.02 * np.random.default_rng(1).random(200)
    cheap, people = (perquery({"a": a, "b": np.zeros(len(a))}, "StRecall@5") for a in (cheap, people))

    row = meta.corrected_means(cheap, people, baseline=baseline, tuning=False).iloc[0]

    assert row["ci_low"] <= row["mean"] <= row["ci_high"]
    assert (row["mean"], row["clipped"]) == (1.0, True)


def test_qrels_of_a_cheap_judge_and_of_people_give_both_frames():
    demo = DemoDataset()
    qrels = demo.get_qrels()
    runs = {name: FOLDER / f"{name}.run" for name in ("bm25", "xquad")}
    cheap = qrels.assign(label=qrels["label"].clip(lower=1))
    some = qrels[qrels["qid"].astype(int) <= 8]
    values = [evaluate_runs(q, runs, [RBU @ 5, StRecall @ 5], perquery=True) for q in (cheap, some)]

    with pytest.warns(
        UserWarning, match="only 8 queries are judged, so the intervals may be too narrow. Judge at least 50"
    ):
        table = meta.corrected_means(*values)

    assert table["name"].tolist() == ["bm25", "xquad"] * 2
    assert table["measure"].tolist() == ["RBU@5"] * 2 + ["StRecall@5"] * 2
    assert table[["queries", "judged"]].drop_duplicates().to_numpy().tolist() == [[14, 8]]
    assert set(table.attrs["legend"]) == set(table)


def test_frames_that_do_not_fit_are_refused():
    values = np.linspace(0, 1, 30)
    with pytest.raises(ValueError, match="2 of 32 queries of judged are not in perquery, such as 'q30'"):
        meta.corrected_means(frame(values), frame(np.linspace(0, 1, 32)))
    with pytest.raises(ValueError, match=r"judged must have the systems of perquery \(A\), but has B"):
        meta.corrected_means(frame(values), frame(values, "B"))
    with pytest.raises(ValueError, match="judged must have at least two queries, not 1"):
        meta.corrected_means(frame(values), frame(values[:1]))
    with pytest.raises(ValueError, match="unknown baseline 'B'; the systems are A"):
        meta.corrected_means(frame(values), frame(values), baseline="B")
    with pytest.raises(ValueError, match=r"corrected_means: alpha must be a number in \(0, 1\), not 2"):
        meta.corrected_means(frame(values), frame(values), 2)
