"""Significance of the differences between systems, and what follows from it."""
