"""Files of TREC, of TREC Dynamic Domain, and of nuggets as PyTerrier's frames, nothing lost."""

from .dynamic_domain import is_dd_run, read_dd_run, read_dd_truth
from .nuggets import answers, read_nuggets
from .tabular import write_qrels
from .trec import read_qrels, read_run, read_run_or_session

__all__ = [
    "answers",
    "is_dd_run",
    "read_dd_run",
    "read_dd_truth",
    "read_nuggets",
    "read_qrels",
    "read_run",
    "read_run_or_session",
    "write_qrels",
]
