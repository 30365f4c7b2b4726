"""The results of each step of a pipeline."""

from collections.abc import Callable
from itertools import chain, count

import pandas as pd
import pyterrier as pt


def stages(pipeline: pt.Transformer) -> Callable[[pd.DataFrame], dict[str, pd.DataFrame]]:
    """Return a function that gives the results after each step of a pipeline, to see which step loses which intents.

    Parameters
    ----------
    pipeline : pt.Transformer
        Steps joined by ``>>``. Steps that PyTerrier fuses, such as a retriever and a cutoff, are run as the fused ones.

    Returns
    -------
    callable
        A function of topics or results. It returns the results after each step that gives documents with scores, as
        runs for `missed_intents` and `evaluate_runs`. They are named as the steps print themselves, or after their
        classes; repeated names are numbered.

    Raises
    ------
    ValueError
        If no step gives documents with scores.
    TypeError
        If the pipeline is not a transformer.

    Examples
    --------
    >>> from pyterrier_diversity import StRecall, evaluate_runs
    >>> from pyterrier_diversity.transformers import BM25, OnSubtopics, XQuAD
    >>> demo = pt.get_dataset("diversity:demo")
    >>> scorer = BM25(demo.get_corpus_iter(verbose=False))
    >>> xquad = XQuAD(OnSubtopics(scorer, demo.get_topics("subtopics"), rescore=True), k=3)
    >>> bm25 = pt.Transformer.from_df(demo.get_results("bm25"))
    >>> results = stages(bm25 >> pt.RankCutoff(10) >> xquad >> pt.RankCutoff(3))(demo.get_topics())
    >>> evaluate_runs(demo.get_qrels(), results, [StRecall]).round(3)
                                           name  StRecall
    0                         SourceTransformer     1.000
    1                            RankCutoff(10)     0.877
    2  XQuAD(lambda_=0.5, normalise='sum', k=3)     0.877
    3                             RankCutoff(3)     0.837
    """
    if not isinstance(pipeline, pt.Transformer):
        raise TypeError(f"stages: pipeline must be a transformer, not {type(pipeline).__name__}.")
    compiled = pipeline.compile()
    steps = [*compiled] if isinstance(compiled, pt.Compose) else [compiled]

    def results(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
        found: dict[str, pd.DataFrame] = {}
        for step in steps:
            frame = step(frame.copy())  # a step may change what it is given
            if {"docno", "score"} <= {*frame}:
                text = repr(step)
                name = type(step).__name__ if text == object.__repr__(step) else text
                names = chain([name], (f"{name} ({n})" for n in count(2)))
                found[next(name for name in names if name not in found)] = frame
        if not found:
            raise ValueError(f"stages: no step of {pipeline!r} gives documents with scores.")
        return found

    return results
