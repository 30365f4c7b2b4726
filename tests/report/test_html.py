import functools
import os
import re
import shutil
import subprocess
import warnings
from html import escape, unescape
from html.parser import HTMLParser
from importlib.resources import files

import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import nDCG
from statsmodels.stats.multitest import multipletests

from pyterrier_diversity import IA, RBU, NuggetScore, StRecall, UserModel, evaluate_runs, html_report, parse, signature
from pyterrier_diversity.meta import compare
from pyterrier_diversity.report.summary import meaning
from pyterrier_diversity.warnings import IdsWarning, MissingWarning, RepeatsWarning, SignificanceWarning

# The small data below have systems without results, and too few queries for a test.
pytestmark = pytest.mark.filterwarnings(
    *(f"ignore::pyterrier_diversity.warnings.{kind}" for kind in ("MissingWarning", "SignificanceWarning"))
)
MEASURES = [RBU @ 10, StRecall @ 10, IA(nDCG @ 10)]
SYSTEMS = ["bm25", "more-like-this", "xquad"]
EMPTY_ELEMENTS = {"meta", "br", "line"}


class Page(HTMLParser):
    """The tables of a page by id, as rows of texts, and whether its elements are nested as they should be."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tables, self.headlines, self.attributes = [], {}, [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.attributes += attrs
        if tag in EMPTY_ELEMENTS:
            return
        self.open.append(tag)
        if tag == "table":
            self.rows = self.tables[dict(attrs).get("id", f"table{len(self.tables)}")] = []
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif tag in ("h1", "h2", "h3"):
            self.headlines.append("")

    def handle_startendtag(self, tag, attrs):
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if {"td", "th"} & {*self.open}:
            self.rows[-1][-1] += data.strip()
        elif {"h1", "h2", "h3"} & {*self.open}:
            self.headlines[-1] += data


@functools.cache
def read_demo():
    dataset = pt.get_dataset("diversity:demo")
    return dataset.get_qrels(), {name: dataset.get_results(name) for name in SYSTEMS}


def demo():
    qrels, runs = read_demo()
    return qrels, dict(runs)


def written(path, *args, **options):
    return html_report(*args, path / "report.html", **options).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return written(tmp_path_factory.mktemp("report"), *demo(), MEASURES, baseline="bm25")


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_the_page_stands_alone(text, page):
    assert "<script" not in text
    assert not re.search(r"""(?:https?:)?//[a-z]|url\(|@import|<link""", text)
    assert not {"src", "href", "onclick"} & {name for name, _ in page.attributes}


def test_means_and_intervals_are_those_of_the_other_functions(page):
    qrels, runs = demo()
    means = evaluate_runs(qrels, runs, MEASURES).set_index("name")
    compared = compare(evaluate_runs(qrels, runs, MEASURES, perquery=True), "t", baseline="bm25", correction="holm")
    rows = compared.set_index(["name", "measure"])

    header, *body = page.tables["means"]
    assert page.tables["covered"][0][1:] == [row[0] for row in page.tables["shares"][1:]] == [row[1] for row in body]

    assert header == ["no.", "name", *map(str, MEASURES)]
    assert [name for _, name, *_ in body] == means["RBU@10"].sort_values(ascending=False).index.tolist()
    for number, (place, name, *cells) in enumerate(body, 1):
        assert int(place) == number
        for measure, cell in zip(map(str, MEASURES), cells, strict=True):
            assert cell.startswith(f"{means.loc[name, measure]:.3f}")
            if name != "bm25":
                row = rows.loc[name, measure]
                ends = f"{row['mean_low']:.3f} to {row['mean_high']:.3f}"
                assert (ends in cell) == (row["mean_low"] <= row["mean_high"])
                assert cell.endswith("better than 3") == row["significant"]


def test_bars_are_sorted_and_show_query_and_difference(text):
    qrels, runs = demo()
    values = evaluate_runs(qrels, runs, [RBU @ 10], perquery=True).pivot_table(
        index="qid", columns="name", values="value"
    )
    expected = (values["xquad"] - values["bm25"]).sort_values(ascending=False)

    (picture,) = re.findall(r'<svg[^>]*aria-label="RBU@10 of xquad against bm25.*?</svg>', text, flags=re.DOTALL)

    tips = re.findall(r"<title>query (\w+): ([+-][\d.]+)[,<]", picture)
    assert [float(value) for _, value in tips] == pytest.approx(expected.tolist(), abs=5e-4)
    assert {query for query, _ in tips} == {*expected.index}
    assert max(float(value) for value in re.findall(r'height="([\d.]+)"><title>', text)) == 1
    assert text.count("<rect") == len(MEASURES) * 2 * 14


def test_the_queries_that_differ_most_come_first_with_both_rankings(page):
    qrels, runs = demo()
    values = evaluate_runs(qrels, runs, [RBU @ 10], perquery=True).pivot_table(
        index="qid", columns="name", values="value"
    )
    largest = (values["xquad"] - values["bm25"]).abs().sort_values(ascending=False)  # xquad is best

    shown = [line for line in page.headlines if "xquad" in line and "against bm25" in line]

    assert [re.search(r"query (\w+)", line, flags=re.IGNORECASE)[1] for line in shown] == largest.index[:5].tolist()
    rankings = [rows for name, rows in page.tables.items() if name.startswith("table")]
    assert len(rankings) == 10
    assert [row[0] for row in rankings[0][1:]] == [str(rank) for rank in range(1, 11)]
    first = runs["bm25"][runs["bm25"]["qid"] == largest.index[0]].sort_values("score", ascending=False)
    assert [row[1].removesuffix("(unjudged)") for row in rankings[0][1:]] == first["docno"].head(10).tolist()
    assert float(rankings[0][-1][3]) == pytest.approx(values.loc[largest.index[0], "bm25"], abs=5e-4)


QRELS = pd.DataFrame(
    [
        ("1", "d1", 1, "a", "one & <two>"),
        ("1", "d2", 2, "b", None),
        ("1", "d3", 0, "c", "nobody"),
        ("2", "d1", 1, "a", "x"),
    ],
    columns=["qid", "docno", "label", "iteration", "nugget_text"],
)
RUNS = {
    "x": pd.DataFrame([("1", "d9", 3.0), ("1", "d2", 2.0), ("1", "d1", 1.0)], columns=["qid", "docno", "score"]),
    "<y>": pd.DataFrame([("2", "d1", 1.0, "word " * 99)], columns=["qid", "docno", "score", "text"]),
}


def test_the_matrix_has_the_rank_at_which_each_intent_is_covered(tmp_path):
    page = Page(written(tmp_path, QRELS, RUNS, StRecall @ 2, cutoff=2, test="t"))

    assert page.tables["covered"] == [
        ["intent", "<y>", "x"],
        ["query 1"],
        ["one & <two>", "-", "-"],
        ["b", "-", "2"],
        ["query 2"],
        ["x", "1", "-"],
    ]


def test_missed_intents_name_who_covers_them(tmp_path):
    page = Page(written(tmp_path, QRELS, RUNS, StRecall @ 2, cutoff=2, test="t"))

    assert page.tables["shares"][1:] == [["<y>", "1", "3", "1", "1"], ["x", "1", "3", "1", "1"]]
    assert page.tables["missed"][1:] == [
        ["query 1", "one & <two>", "<y>, x", ""],
        ["query 1", "b", "<y>", "x"],
        ["query 1", "nobody", "<y>, x", "no judged document"],
        ["query 2", "x", "x", "<y>"],
    ]


def test_names_and_texts_are_escaped_and_texts_are_shortened(tmp_path):
    text = written(tmp_path, QRELS, RUNS, [StRecall @ 2], test="t", title="<i> & co")

    assert "&lt;y&gt;" in text
    assert "<y>" not in text
    assert "<h1>&lt;i&gt; &amp; co</h1>" in text
    assert "word word …" in text
    assert "word " * 40 not in text


def test_characters_that_a_page_cannot_have_or_that_turn_its_texts_are_escaped(tmp_path):
    names, labels = {"x": "x\u202ey"}, {"StRecall@2": "S\udcff"}
    qrels = QRELS.copy()
    qrels.attrs["file"] = "qrels\udcff.txt"

    text = written(tmp_path, qrels, RUNS, [StRecall @ 2], names=names, labels=labels, title="A\nB\udcff")

    assert "<h1>A B\\udcff</h1>" in text
    assert "x\\u202ey" in text
    assert "\u202e" not in text
    assert "qrels\\udcff.txt" in text


def test_one_system_is_shown_without_comparisons(tmp_path):
    text = written(tmp_path, QRELS, {"x": RUNS["x"]}, [StRecall @ 2])
    page = Page(text)

    assert page.tables["means"] == [["no.", "name", "StRecall@2"], ["1", "x", "0.250"]]
    assert page.headlines == [
        "Diversity of search results",
        "Warnings",
        "Means",
        "What the measures mean",
        "Intents covered",
        "Intents missed",
        "The data",
        "How the numbers were computed",
    ]
    assert "<li>Run x: The run answers 1 of 2 queries, but not 2. A missing query gets each measure" in text


def test_run_files_are_read_and_the_page_has_every_signature(tmp_path):
    qrels, runs = demo()
    for name in ("bm25", "xquad"):
        runs[name].assign(q0="Q0", tag=name)[["qid", "q0", "docno", "rank", "score", "tag"]].to_csv(
            tmp_path / f"{name}.run", sep=" ", header=False, index=False
        )

    text = written(tmp_path, qrels, {name: tmp_path / f"{name}.run" for name in ("bm25", "xquad")}, MEASURES, test="t")

    for name in ("bm25", "xquad"):
        assert f"{name}: {tmp_path / name}.run" in text
        text = text.replace(str(tmp_path / f"{name}.run"), "a table in memory")
    assert text == written(
        tmp_path, qrels, {name: runs[name].drop(columns="query") for name in ("bm25", "xquad")}, MEASURES, test="t"
    )
    for measure in MEASURES:
        assert text.count(escape(signature(measure)).replace("&#x27;", "&#39;")) == 2


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        (RUNS, {"baseline": "z"}, "html_report: baseline must be one of x, <y>, not 'z'"),
        (RUNS, {"cutoff": 0}, r"html_report: cutoff must be an integer in \[1, inf\), not 0"),
        ({}, {}, "give at least one run"),
        (RUNS["x"], {}, r"html_report: runs is one run\. Give it a name"),
    ],
)
def test_invalid_arguments_are_refused(tmp_path, runs, options, message):
    with pytest.raises(ValueError, match=message):
        html_report(QRELS, runs, [StRecall @ 2], tmp_path / "report.html", **options)


def test_a_page_does_not_replace_a_run_or_the_qrels(tmp_path):
    (tmp_path / "a.run").write_text("q Q0 d1 1 2 t\n")
    (tmp_path / "qrels").write_text("q 1 d1 1\nq 2 d2 1\n")

    for name in ("a.run", "qrels"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(ValueError, match=rf"^html_report: the output .*{name} is one of the inputs\."):
            html_report(tmp_path / "qrels", {"a": tmp_path / "a.run"}, [RBU], f"{tmp_path}/./{name}")
        assert (tmp_path / name).read_bytes() == before


def test_the_page_has_the_warnings_that_are_given(tmp_path):
    runs = {"x": pd.concat([RUNS["x"], RUNS["x"]]), "<y>": RUNS["<y>"], "other": {"1": ["a"], "7": ["b"]}}

    with warnings.catch_warnings(record=True, action="always") as warned:
        text = written(tmp_path, QRELS, runs, [StRecall @ 2])

    (listed,) = re.findall(r'<ul id="warnings">(.*?)</ul>', text, flags=re.DOTALL)
    assert [unescape(line) for line in re.findall("<li>(.*?)</li>", listed)] == [
        f"{one.message} [{one.category.__name__}]" for one in warned
    ]
    kinds = [one.category for one in warned]
    assert {RepeatsWarning, IdsWarning, MissingWarning, SignificanceWarning} <= {*kinds}
    assert len(kinds) == len({*kinds})


def lead(text):
    """The paragraph and the list in plain words."""
    found = re.search(r'<p class="lead">(.*?)</p>(\s*<ul>.*?</ul>)?', text, flags=re.DOTALL)
    return " ".join(re.sub("<[^>]+>", " ", found[0]).split())


def test_it_begins_in_plain_words(text):
    # All differences from bm25 are significant; with a baseline, no others are tested.
    assert lead(text) == (
        "3 systems were evaluated on 14 queries. By RBU@10, xquad is best, with a mean of 0.849: its lead over bm25 "
        "(+0.326, +0.260 to +0.393) is unlikely to be chance; its lead over more-like-this was not tested. Down to "
        "rank 10, xquad covers 66 of the 66 intents of all queries. By StRecall@10, xquad is best, with a mean of "
        "1.000: its lead over bm25 (+0.123, +0.055 to +0.190) is unlikely to be chance; its lead over more-like-this "
        "was not tested. By IA(nDCG@10), xquad is best, with a mean of 0.531: its lead over bm25 (+0.126, +0.090 to "
        "+0.162) is unlikely to be chance; its lead over more-like-this was not tested."
    )


def test_a_share_of_intents_is_that_of_the_table(tmp_path):
    qrels = pd.DataFrame([("q", "a", 1, "x", 9), ("q", "b", 1, "y", 1), ("q", "c", 0, "z", 1)])
    qrels = qrels.set_axis(["qid", "docno", "label", "iteration", "weight"], axis=1)

    text = written(tmp_path, qrels, {"A": {"q": ["a"]}}, "Coverage@1 StRecall@1")

    assert "A has a mean of 0.818. Down to rank 1, A covers 1 of the 3 intents of all queries." in lead(text)
    assert Page(text).tables["shares"][1][1:3] == ["1", "2"]
    assert "%" not in lead(text)


def test_further_systems_change_a_verdict_by_holm_only(tmp_path):
    qrels, runs = demo()
    bad, same = runs["bm25"].groupby("qid").tail(1), runs["bm25"]
    pair = {"bm25": runs["bm25"], "new": runs["more-like-this"]}
    chance = []

    for more in ({}, {"bad": bad}, {"same": same, "also": same}):
        told = lead(written(tmp_path, qrels, pair | more, RBU @ 5, baseline="bm25"))
        single = compare(evaluate_runs(qrels, pair | more, RBU @ 5, perquery=True), "t", baseline="bm25")
        chance.append("bm25 (+0.045, +0.008 to +0.081) could be chance" in told)
        assert chance[-1] != multipletests(single["p"], 0.05, "holm")[0][single["name"] == "new"].item()

    assert chance == [False, False, True]  # p is 0.02


@pytest.mark.parametrize(("options", "together"), [({}, True), ({"baseline": "bm25"}, False)])
def test_the_page_says_which_systems_were_tested_together(tmp_path, options, together):
    text = written(tmp_path, *demo(), RBU @ 10, **options)

    assert ("tested together with 3 systems" in " ".join(text.split())) == together
    assert ("Holm" in text or "holm correction" in text) != together


def test_a_measure_of_which_less_is_better_crowns_the_lower_one(tmp_path):
    qrels, runs = demo()
    effort = UserModel(model=3, stop="ERR", effort="rank") @ 10

    text = written(tmp_path, qrels, {name: runs[name] for name in ("bm25", "xquad")}, [effort], baseline="bm25")

    means = evaluate_runs(qrels, runs, effort).set_index("name")[str(effort)]
    best, other = ("xquad", "bm25") if means["xquad"] < means["bm25"] else ("bm25", "xquad")
    assert f"{best} is best, with a mean of {means[best]:.3f} (lower is better): its lead over {other} (+" in lead(text)
    assert [row[1] for row in Page(text).tables["means"][1:]] == [best, other]
    assert re.findall(r"<b>(.*?)</b>", text) == [f"{means[best]:.3f}"]
    gains = [float(gain) for gain in re.findall(r"<title>query \w+: ([+-][\d.]+)[,<]", text)]
    assert sum(gains) / 14 == pytest.approx(means["bm25"] - means["xquad"], abs=1e-3)


def test_a_lead_that_could_be_chance_is_called_so(tmp_path):
    qrels, runs = demo()

    told = lead(written(tmp_path, qrels, runs, IA(nDCG @ 10)))
    no_test = lead(written(tmp_path, qrels[qrels["qid"] == "1"], runs, RBU @ 10))
    alone = lead(written(tmp_path, qrels, {"bm25": runs["bm25"]}, RBU @ 10))
    tied = lead(written(tmp_path, qrels, {"a": runs["bm25"], "b": runs["bm25"]}, RBU @ 10, test="t"))

    assert (
        "its lead over bm25 (+0.126, +0.061 to +0.191) is unlikely to be chance; its lead over more-like-this " in told
    )
    assert "(+0.065, -0.001 to +0.130) could be chance." in told
    assert "its lead over more-like-this and bm25 was not tested." in no_test
    assert alone.startswith("1 system was evaluated on 14 queries. By RBU@10, bm25 has a mean of 0.523. Down to")
    assert "By RBU@10, a and b are best, with the same mean: a mean of 0.523." in tied


@pytest.mark.parametrize("test", ["wilcoxon", "permutation"])
def test_a_test_without_intervals_says_the_lead_alone(tmp_path, test):
    told = lead(written(tmp_path, *demo(), RBU @ 10, test=test, baseline="bm25"))

    assert "its lead over bm25 (+0.326) is unlikely to be chance" in told


def test_the_level_of_intervals_is_not_rounded(tmp_path):
    assert "interval at 99.9%." in written(tmp_path, *demo(), RBU @ 10, test="t", alpha=0.001)


def test_it_says_what_the_measures_mean_when_from_which_files_and_with_which_versions(text):
    told = dict(re.findall("<dt>(.*?)</dt><dd[^>]*>(.*?)</dd>", text))

    assert told["RBU@10"].startswith("What a reader gains from the first 10 results, minus the effort of reading")
    assert told["IA(nDCG@10)"].startswith("The measure in brackets for readers who want one intent each")
    assert "nDCG@10: How close the first 10 results are to the best possible order" in told["IA(nDCG@10)"]
    assert told["Judgements"] == "a table in memory"
    assert told["Systems"].split("<br>")[0] == "xquad: a table in memory"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", told["Date"])
    assert "pyterrier-diversity" in told["Versions"]
    assert told["Test"].startswith("paired t-test, holm correction of 2 pairs per measure")


def test_plain_words_are_used_only_where_they_are_true():
    assert meaning(NuggetScore @ 5) == (
        "The share of a query's facts that the first 5 results support; partial support counts half."
    )
    assert "half" not in meaning(NuggetScore(partial=0) @ 5)
    assert "best possible order" not in meaning(nDCG(dcg="exp-log2") @ 5)


def test_the_page_on_reports_says_what_reports_say():
    page = files("pyterrier_diversity").joinpath("pt_docs", "reading_a_report.rst").read_text(encoding="utf-8")
    rows = re.findall(r"^   \* - (``.*)\n     - ((?:.|\n       )*)", page, flags=re.MULTILINE)
    told = {name: f"{' '.join(text.split())}." for names, text in rows for name in re.findall("``(.*?)``", names)}

    assert len(told) > 10
    for name, text in told.items():
        assert meaning(parse(name)).startswith(text)


def test_depth_follows_the_cutoffs_of_the_measures(tmp_path):
    qrels, runs = demo()

    for measures, depth in (([RBU @ 3, StRecall @ 7], 7), ([RBU], 10)):
        text = written(tmp_path, qrels, runs, measures, test="t")
        assert f"Rankings are read down to rank {depth}." in text
        assert len(Page(text).tables["table1"]) == 1 + depth


def test_texts_stand_where_ids_would_and_ids_are_told_once(tmp_path):
    hashed = QRELS.assign(iteration="7fc56270" + QRELS["iteration"], query=QRELS["qid"].map({"1": "first question"}))
    hashed["nugget_text"] = hashed["nugget_text"].fillna("the text of b")

    text = written(tmp_path, hashed, RUNS, StRecall @ 2, test="t")

    assert "7fc56270" not in re.sub('title="[^"]*"', "", text)
    assert 'first question <span class="soft">(query 1)</span>' in text
    assert "query 2" in text


def test_systems_and_measures_have_the_names_that_are_given(tmp_path):
    given = {"names": {"x": "DESA"}, "labels": {"StRecall@2": "recall of subtopics"}}

    text = written(tmp_path, QRELS, RUNS, StRecall @ 2, test="t", **given)

    assert "recall of subtopics" in text
    assert {row[1] for row in Page(text).tables["means"][1:]} == {"DESA", "<y>"}
    with pytest.raises(ValueError, match=r"names: .* must not both be called"):
        written(tmp_path, QRELS, RUNS, StRecall @ 2, test="t", names={"x": "<y>"})


def test_many_systems_have_numbers_in_wide_tables(tmp_path):
    qrels, runs = demo()
    many = {f"system {i}": runs[SYSTEMS[i % 3]] for i in range(9)}

    tables = Page(written(tmp_path, qrels, many, RBU @ 10)).tables

    assert tables["covered"][0] == ["intent", *"123456789"]
    assert tables["means"][1][2].endswith("better than 7-9")
    assert re.fullmatch(r"[\d, -]+", tables["missed"][1][2])


def test_scrolling_regions_take_the_keyboard_and_print_whole(text, page):
    regions = re.findall('<div class="scroll"([^>]*)>', text)

    assert len(regions) == len(page.tables)
    assert all('tabindex="0"' in region and 'role="region"' in region for region in regions)
    assert len(set(regions)) == len(regions)  # each has its own name
    assert text.count("<main>") == text.count("</main>") == 1
    assert re.search(r"@media print \{.*?\.scroll \{ overflow: visible; max-height: none;", text, flags=re.DOTALL)


BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
# The report in a frame of each width: the width of its page, the colour behind the text, and how many bars there are.
WIDTHS = (400, 1400)
FRAME = '<iframe width="{width}" height="900" style="border: 0" srcdoc="{page}"></iframe>'
TELL = """<script>onload = () => { document.title = [...document.querySelectorAll("iframe")].map((frame) => {
const d = frame.contentDocument; return d.documentElement.scrollWidth + "|" +
getComputedStyle(d.body).backgroundColor + "|" + d.querySelectorAll("rect").length; }).join(";"); }</script>"""


@pytest.mark.skipif(BROWSER is None, reason="no chromium or chrome on the path to look at the page with")
@pytest.mark.parametrize(("scheme", "paper"), [(0, "rgb(13, 17, 23)"), (1, "rgb(255, 255, 255)")])
def test_a_browser_shows_it_without_scrolling_sideways_dark_and_light(tmp_path, text, scheme, paper):
    frames = "".join(FRAME.format(width=width, page=escape(text)) for width in WIDTHS)
    (tmp_path / "frames.html").write_text(frames + TELL, encoding="utf-8")
    command = [
        str(BROWSER),
        "--headless",
        "--disable-gpu",
        "--no-sandbox",
        f"--user-data-dir={tmp_path / 'profile'}",
        f"--blink-settings=preferredColorScheme={scheme}",
        "--window-size=1500,1000",
        "--dump-dom",
        (tmp_path / "frames.html").as_uri(),
    ]

    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, env=os.environ)

    (title,) = re.findall("<title>(.*?)</title>", ran.stdout.split("<iframe")[0])
    for width, told in zip(WIDTHS, title.split(";"), strict=True):
        page_width, background, n_bars = told.split("|")
        assert int(page_width) <= width
        assert background == paper
        assert int(n_bars) == len(MEASURES) * 2 * 14
