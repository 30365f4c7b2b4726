"""Simulated judgements, rankings and topics, as used in papers to study measures."""

from .scenarios import random_grades, random_lengths, random_weights
from .topics import degrade, greedy_study, swap_topics

__all__ = ["degrade", "greedy_study", "random_grades", "random_lengths", "random_weights", "swap_topics"]
