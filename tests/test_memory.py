"""Memory grows with the rows of the data, not with the numbers in them."""

import gc
import tracemalloc
import weakref

import ir_measures
import numpy as np
import pandas as pd
import pytest

from pyterrier_diversity import (
    ACT,
    CT,
    D_Q,
    EU,
    EU_DD,
    IA,
    NDEVAL,
    RBU,
    Adhoc,
    D_nDCG,
    DIN_nDCG,
    Dsharp_nDCG,
    PplusQ,
    SessionDCG,
    SPrecision,
    StRecallMinRank,
    add_rarity,
    alpha_nDCG,
    evaluate_runs,
    nCT,
    nSessionDCG,
)
from pyterrier_diversity.evaluate import scoring
from pyterrier_diversity.evaluate.evaluator import DiversityEvaluator
from pyterrier_diversity.io import readers
from pyterrier_diversity.measures.registration import registered

# The highest number that a turn may have.
LAST_TURN = 999_999

SESSION = (RBU, CT, ACT, nCT, SessionDCG, nSessionDCG, EU_DD)
OTHERS = (Adhoc(ir_measures.AP @ 1000), IA(ir_measures.nDCG @ 10))


def megabytes(function):
    """The most memory that a call takes beside what there was before."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def sessions(n_queries):
    """Qrels and a run of documents a in the first turn and b in the last."""
    names = [f"q{i}" for i in range(n_queries)]
    rows = [(qid, doc, label) for qid in names for doc, label in (("a", 1), ("b", 2))]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label"]).assign(iteration="t", passage="1", nugget="n")
    run = qrels[["qid", "docno"]].assign(
        score=-qrels["label"], turn=np.where(qrels["docno"] == "a", 0, LAST_TURN), doc_len=100.0
    )
    return qrels, run


@pytest.mark.parametrize("n_queries", [1, 10])
@pytest.mark.parametrize("cut", [False, True], ids=["whole", "cut"])
def test_a_high_number_of_a_turn_needs_no_additional_memory(n_queries, cut):
    qrels, run = sessions(n_queries)
    evaluator = DiversityEvaluator([*(measure @ 10 if cut else measure for measure in SESSION), *OTHERS], qrels)

    assert megabytes(lambda: evaluator.values(run)) < 50


def test_a_document_of_a_late_turn_has_its_rank():
    qrels, run = sessions(1)
    measures = [CT(max_height=1), ACT(max_height=1), SessionDCG(bq=2), RBU(p=1, e=1e-6, gain="binary")]

    values = DiversityEvaluator(measures, qrels).values(run)[:, 0].tolist()

    # b fills what a leaves of the cube, at the last rank of all; 1 + log2(10^6) discounts its gain.
    n = LAST_TURN + 1
    harmonic = np.log(n) + np.euler_gamma + 1 / (2 * n)
    assert values == pytest.approx([1 / n, (0.5 * harmonic + 0.5 / n) / n, 1 + 2 / (1 + np.log2(n)), 0.0], abs=1e-12)


def test_memory_for_many_turns_that_have_documents_grows_with_the_rows_alone():
    n = 100_000
    run = pd.DataFrame({"qid": "q", "docno": [f"d{i}" for i in range(n)], "score": 1.0, "turn": np.arange(n)})
    evaluator = DiversityEvaluator([RBU, CT, ACT, SessionDCG], {"q": {"d0": 1, "d99999": 1}})

    assert megabytes(lambda: evaluator.values(run)) < 100


@pytest.fixture(scope="module", params=[1_000, 5_000], ids=lambda n: f"{n} documents")
def many_intents(request):
    """Qrels of 20,000 intents, four or twenty of one document; and a run of all documents."""
    n, n_docs = 20_000, request.param
    docs = [f"d{i % n_docs}" for i in range(n)]
    qrels = pd.DataFrame({"qid": "q", "docno": docs, "label": np.arange(n) % 3 + 1})
    qrels = qrels.assign(iteration=[f"t{i}" for i in range(n)], weight=1 / n)
    run = pd.DataFrame({"qid": "q", "docno": list(dict.fromkeys(docs)), "score": 1.0})
    return qrels, run


GROUPS = {
    "ndeval, RBU, D-measures": (*NDEVAL, RBU @ 20, D_nDCG @ 20, D_Q @ 20, Dsharp_nDCG @ 20, DIN_nDCG @ 20, PplusQ @ 20),
    "covers, utility": (StRecallMinRank, SPrecision @ 20, EU @ 20),
    "other providers": (IA(ir_measures.nDCG @ 20), Adhoc(ir_measures.AP)),
}


@pytest.mark.parametrize("measures", GROUPS.values(), ids=GROUPS)
def test_many_intents_take_memory_by_the_label(many_intents, measures):
    qrels, run = many_intents

    assert megabytes(lambda: DiversityEvaluator(measures, qrels).values(run)) < 70


@pytest.mark.parametrize("cutoff", [10**7, 2**31 - 1])
def test_a_large_cutoff_needs_no_additional_memory(cutoff):
    qrels, run = sessions(1)
    qrels = add_rarity(qrels, [run.drop(columns="turn")])
    measures = [
        measure @ cutoff
        for measure in registered()
        if "cutoff" in measure.SUPPORTED_PARAMS and measure.SUPPORTED_PARAMS.keys().isdisjoint({"measure", "model"})
    ]
    evaluator = DiversityEvaluator([*measures, *OTHERS], qrels)

    for given in (run, run.drop(columns="turn")):
        assert megabytes(lambda given=given: evaluator.values(given)) < 50


def test_memory_for_a_run_does_not_grow_with_its_queries(tmp_path, monkeypatch):
    monkeypatch.setattr(readers, "_PART", 2**17)
    qrels = pd.DataFrame({"qid": "0", "docno": ["d1", "d2"], "label": 1, "iteration": ["a", "b"]})

    def needed(n_queries):
        path = tmp_path / f"{n_queries}.run"
        lines = (f"{query} Q0 d{rank} {rank} {-rank} tag\n" for query in range(n_queries) for rank in range(200))
        path.write_text("".join(lines))
        return megabytes(lambda: evaluate_runs(qrels, {"a": path}, [RBU @ 5]))

    assert needed(300) < 1.2 * needed(100)


def test_a_finished_run_is_freed_at_once(monkeypatch):
    made = []

    class Watched(scoring.Run):
        def __init__(self, frame, **options):
            super().__init__(frame, **options)
            made.append(weakref.ref(self))

    monkeypatch.setattr(scoring, "Run", Watched)
    qrels, run = sessions(2)
    run = run.drop(columns="turn").assign(score=1.0)
    gc.disable()
    try:
        evaluate_runs(qrels, {"a": run, "b": run.iloc[::-1]}, [RBU @ 5, alpha_nDCG @ 5, IA(RBU @ 2), *OTHERS])
        assert [known() for known in made] == [None, None]
    finally:
        gc.enable()
