"""Simulated judgements, rankings and topics, as used in papers to study measures."""

from .degrade import degrade
from .greedy_study import greedy_study
from .scenarios import random_grades, random_lengths, random_weights
from .topics import swap_topics

__all__ = ["degrade", "greedy_study", "random_grades", "random_lengths", "random_weights", "swap_topics"]
