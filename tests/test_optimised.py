"""``python -OO``, without assertions and docstrings, changes no value, warning, error or table."""

import io
import subprocess
import sys
import warnings
from contextlib import redirect_stdout

CASES = r"""
import warnings
import pandas as pd
from ir_measures import AP, RBP, Bpref, P, nDCG
from pyterrier_diversity import *
from pyterrier_diversity import meta
from pyterrier_diversity.transformers import Explain

warnings.simplefilter("always")
qrels = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "label": [1, 2], "iteration": ["x", "y"]})
run = pd.DataFrame({"qid": "q", "query": "?", "docno": ["a", "b", "c"], "score": [3.0, 2.0, 1.0]})
cases = [
    lambda: evaluate_runs(qrels, {"A": run}, [RBU, alpha_nDCG @ 5, IA(nDCG @ 5), Adhoc(AP)]).to_dict("list"),
    lambda: RBU(p=2),
    lambda: RBU(bogus=1),
    lambda: IA("no measure"),
    lambda: parse("nDGC@5"),
    lambda: evaluate_runs(qrels, {"A": run}, [alpha_nDCG @ 0]),
    lambda: evaluate_runs(qrels, {"A": run}, [P]),
    lambda: evaluate_runs(qrels, {"A": run}, [alpha_nDCG(alpha=2.0)]),
    lambda: IA(P(bogus=1) @ 5),
    lambda: signature(P(rel=0.5) @ 5),
    lambda: evaluate_runs(qrels, {"A": run.assign(qid="z")}, [RBU]).to_dict("list"),
    lambda: evaluate_runs(qrels.assign(label=0.5), {"A": run}, [Adhoc(Bpref)]),
    lambda: Explain(qrels, RBU)(run.assign(turn=-1)),
]
for case in cases:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            said = repr(case())
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
    print([str(warning.message) for warning in warned if warning.category is UserWarning], said)
"""


TABLES = """
from numpy.random import default_rng
from pandas import DataFrame
from pyterrier_diversity import meta

names = ["name", "qid", "measure", "value"]
rows = [(f"s{i % 3}", str(i // 6), f"P@{i % 2 + 1}", float(v)) for i, v in enumerate(default_rng(1).random(60))]
values = DataFrame(rows, columns=names)
tables = [
    meta.compare(values, "bootstrap", correction="holm", rng=1),
    meta.topics_needed(values, delta=0.1),
    meta.rank_correlation(values),
    meta.axioms.counterexample("P@1", "Red"),
]
for table in tables:
    print(list(table), table.to_numpy().tolist())
"""


SHELL = """
from pyterrier_diversity.cli import app

app(["compare", "demo", "bm25", "xquad", "-m", "RBU@5", "--test", "t"], standalone_mode=False)
"""


def test_nothing_changes_without_assertions_and_docstrings():
    code = CASES + TABLES + SHELL
    ran = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=True)
    with redirect_stdout(io.StringIO()) as output, warnings.catch_warnings():
        exec(code, {})
    plain = output.getvalue().splitlines()

    assert ran.stdout.splitlines() == plain
    assert sum("Error: " in line for line in plain) == CASES.count("    lambda: ") - 2
    assert len(plain) > CASES.count("    lambda: ") + TABLES.count("    meta.")
    assert sum("RBU@5" in line for line in plain) == 1
