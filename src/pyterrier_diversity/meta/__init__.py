"""Judging measures and systems by the frame that ``pt.Experiment(..., perquery=True)`` returns."""

from .correlation import kendall_tau, rank_correlation, tau_ap, tau_ap_symmetric
from .unanimity import unanimity

__all__ = ["kendall_tau", "rank_correlation", "tau_ap", "tau_ap_symmetric", "unanimity"]
