"""Read files of TREC, Dynamic Domain and nuggets into PyTerrier's frames without loss; write tables."""

from .aligned import aligned, in_lines, terminal_width
from .dynamic_domain import add_lengths, read_dd_run, read_dd_truth, read_lengths, read_truth
from .files import Renamed, read_content, regular
from .fits import is_summary
from .forms import highest_label_last
from .labels import called, one_line, printable, read_names, renamed, texts_of, texts_of_queries
from .look import KNOWN_NAMES, SharedColumns, all_names, look_at
from .nuggets import answers, read_nuggets
from .readers import ORDER, OrderedBy, ReadWholeError, qrels_frame, read_qrels, read_run, run_frame, run_parts
from .records import is_frame
from .run_collections import Runs, named_runs, read_perquery, read_runs
from .tables import Cell, Table, formatted, p_text, write_content, write_table
from .writing import is_device, refuse_inputs, replaced, write_qrels

__all__ = [
    "add_lengths",
    "answers",
    "formatted",
    "read_dd_run",
    "read_dd_truth",
    "read_nuggets",
    "read_perquery",
    "read_qrels",
    "read_run",
    "write_qrels",
    "write_table",
]
