"""The command that demonstrates the package on its own small collection."""

from __future__ import annotations

import click

from ..io import formatted


@click.command()
def demo() -> None:
    """Try the package on its own small collection."""
    import pyterrier as pt
    from ir_measures import AP, nDCG

    from .. import RBU, Adhoc, StRecall, alpha_nDCG
    from ..datasets.demo import RUNS
    from ..transformers import Explain, Ideal

    dataset = pt.get_dataset("diversity:demo")
    runs = {name: dataset.get_results(name) for name in RUNS}
    topics, qrels = dataset.get_topics(), dataset.get_qrels()
    measures = [RBU @ 5, alpha_nDCG @ 5, StRecall @ 5, Adhoc(nDCG @ 5), Adhoc(AP)]
    table = pt.Experiment({**runs, "ideal": Ideal(qrels, alpha_nDCG @ 5, ideal="exact")}, topics, qrels, measures)
    n_intents = qrels.groupby("qid")["iteration"].nunique().mean()
    click.echo(f"diversity:demo, {len(topics)} queries of {n_intents:.1f} intents on average\n")
    click.echo(formatted(table[["name", *map(str, measures)]], places=3))
    click.echo(
        "\nAd-hoc nDCG prefers more-like-this, which retrieves many documents of one intent. The diversity measures\n"
        "prefer xquad, which re-ranks bm25 by the query's subtopics. StRecall counts the intents covered. alpha-nDCG\n"
        "and RBU also reward early ranks, and reward repeated intents less. RBU subtracts the effort of reading:\n"
        "three good documents (xquad-top-3) beat five that repeat each other (bm25). ideal is the best possible\n"
        "ranking by alpha-nDCG."
    )
    explain = Explain(qrels, RBU @ 5)
    for name in ("bm25", "xquad"):
        top = runs[name][(runs[name]["qid"] == topics["qid"][0]) & (runs[name]["rank"] < 5)]
        explained = explain(top)
        shown = explained[["position", "docno", "intents", "new_intents", "contribution", "value"]]
        click.echo(f"\nWhy {name} has an RBU@5 of {shown['value'].iloc[-1]:.3f} for {topics['query'][0]!r}:\n")
        click.echo(formatted(shown, places=3))
    click.echo("\nTry it with these runs: pyterrier-diversity evaluate demo bm25 xquad -m 'RBU@5 alpha_nDCG@5'")
