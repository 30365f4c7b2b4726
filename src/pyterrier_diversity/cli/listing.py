"""The commands that list measures, datasets, and the constraints that measures meet, and the demonstration."""

import shlex
import sys
from textwrap import shorten
from typing import Annotated, Any

import click
import pandas as pd

from ..io import formatted, in_lines
from .options import MeasureText, command, of
from .outputs import Shown, say

# Commands that the demonstration runs, and what it says of their output.
_DEMONSTRATED = (
    (
        "evaluate demo bm25 xquad more-like-this xquad-top-3 \\\n"
        "    -m 'RBU@5 alpha_nDCG@5 StRecall@5 Adhoc(nDCG@5) Adhoc(AP)'",
        "\nAd-hoc nDCG prefers more-like-this, which finds many documents of one intent. Diversity measures prefer "
        "xquad, which re-ranks bm25 by subtopics. StRecall counts the intents covered; alpha-nDCG and RBU also reward "
        "early ranks. RBU subtracts the effort of reading: three good documents (xquad-top-3) beat five that repeat "
        "each other (bm25). Why is xquad better for 'jaguar'?\n",
    ),
    ("explain demo bm25 --query 1 -m RBU@5", ""),
    ("explain demo xquad --query 1 -m RBU@5", "\nWrite your own files in place of demo, bm25 and xquad."),
)


@command
@of(Shown, "output", "format")
def measures(name: Annotated[str | None, MeasureText()], shown: Shown) -> None:
    """List the measures and groups, or describe one.

    A description has the formula, the parameters, the range, the columns that the measure reads, and the source.

    Parameters
    ----------
    name : [NAME]
        The measure or group.
    """
    from ..measures import registered
    from ..measures.groups import GROUPS, read_measures
    from ..report import reference

    known = {measure.NAME.lower(): measure for measure in registered()}
    groups = {group.lower(): f"A group: {', '.join(map(str, members))}." for group, members in GROUPS.items()}
    wanted = None if name is None else name.partition("@")[0].partition("(")[0].lower()
    chosen = [reference.entry(measure) for key, measure in known.items() if wanted in (None, key)]
    chosen += [{"measure": key.upper(), "what": what} for key, what in groups.items() if wanted in (None, key)]
    if not chosen:
        read_measures("measures", str(name))  # raises for a misspelt name, with the right one
        raise ValueError(
            f"{name} is a measure of ir_measures, which documents it; -m takes it, too. 'pyterrier-diversity measures' "
            "lists the measures of this package."
        )
    table = pd.DataFrame(chosen)
    table["what"] = table["what"].str.replace("`", "")

    def text(_: pd.DataFrame) -> str:
        if name is not None:
            lines = reference.text(known[wanted]).split("\n") if wanted in known else table["what"]
            return "\n".join(in_lines(line, shown.width, "  " * line.startswith(" ")) for line in lines)
        room = (shown.width or sys.maxsize) - max(map(len, table["measure"])) - 2
        short = [shorten(what, max(room, 20), placeholder=" …") for what in table["what"]]
        return formatted(table[["measure"]].assign(what=short))

    shown.put(table, text)


@command
@of(Shown, "output", "format")
def datasets(shown: Shown) -> None:
    """List the datasets that can be given as QRELS.

    In Python: pt.get_dataset("diversity:NAME").
    """
    from ..datasets import described

    shown.put(pd.DataFrame(described().items(), columns=["name", "what"]))


@command
@of(Shown, "output", "format")
def axioms(measures: Annotated[tuple[str, ...], MeasureText()], shown: Shown) -> None:
    """Check measures against ten constraints.

    The constraints are those of Amigó et al. (2018). "yes" means that a search found no rankings on which the measure
    breaks the constraint. A cutoff changes which constraints a measure meets. In Python: meta.axiom_table;
    meta.axioms.counterexample shows the rankings.

    Parameters
    ----------
    measures : MEASURES...
        The measures.
    """
    from ..meta import axiom_table
    from .inputs import measures_of

    shown.put(axiom_table(measures_of(measures)).replace({True: "yes", False: "no"}).reset_index())


@command
def demo() -> None:
    """Try the package on its own small collection."""
    app: Any = click.get_current_context().find_root().command
    for line, told in _DEMONSTRATED:
        say(f"$ pyterrier-diversity {line}\n")
        app.main(shlex.split(line.replace("\\\n", "")), standalone_mode=False)
        say(told)
