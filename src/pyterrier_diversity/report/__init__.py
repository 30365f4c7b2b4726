"""The reference of the measures, and reports on systems."""
