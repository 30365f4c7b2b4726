"""Read files of TREC, Dynamic Domain and nuggets into PyTerrier's frames without loss; write tables."""

from .dynamic_domain import add_lengths, is_dd_run, read_dd_run, read_dd_truth
from .files import Content, read_content
from .nuggets import answers, read_nuggets
from .tabular import write_qrels
from .trec import read_if_path, read_qrels, read_run, read_run_or_session
from .written import escaped, formatted, harmless, latex, printable, require_pyarrow, write_attrs, write_table

__all__ = [
    "Content",
    "add_lengths",
    "answers",
    "escaped",
    "formatted",
    "harmless",
    "is_dd_run",
    "latex",
    "printable",
    "read_content",
    "read_dd_run",
    "read_dd_truth",
    "read_if_path",
    "read_nuggets",
    "read_qrels",
    "read_run",
    "read_run_or_session",
    "require_pyarrow",
    "write_attrs",
    "write_qrels",
    "write_table",
]
