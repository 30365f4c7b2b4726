"""Descriptions of measures, and reports on systems."""
