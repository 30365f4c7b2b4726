"""Files of TREC and of TREC Dynamic Domain as PyTerrier's frames, nothing lost; tables as text and files."""

from .dynamic_domain import is_dd_run, read_dd_run, read_dd_truth
from .files import Content, read_content
from .trec import read_qrels, read_run, read_run_or_session
from .written import escaped, formatted, harmless, latex, printable, require_pyarrow, write_attrs, write_table

__all__ = [
    "Content",
    "escaped",
    "formatted",
    "harmless",
    "is_dd_run",
    "latex",
    "printable",
    "read_content",
    "read_dd_run",
    "read_dd_truth",
    "read_qrels",
    "read_run",
    "read_run_or_session",
    "require_pyarrow",
    "write_attrs",
    "write_table",
]
