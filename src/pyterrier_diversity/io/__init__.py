"""Files of TREC and of TREC Dynamic Domain as PyTerrier's frames, nothing lost."""

from .dynamic_domain import is_dd_run, read_dd_run, read_dd_truth
from .trec import read_qrels, read_run, read_run_or_session

__all__ = ["is_dd_run", "read_dd_run", "read_dd_truth", "read_qrels", "read_run", "read_run_or_session"]
