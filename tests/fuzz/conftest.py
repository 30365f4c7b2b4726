"""Profiles of the fuzzing, and its summary at the end.

``pytest tests/fuzz/fuzz_*.py`` runs it with the profile ``ci``; ``--hypothesis-profile=long``, or ``long`` in the
variable PYTERRIER_DIVERSITY_FUZZ, tries thirty times as many inputs, others each time.
"""

from typing import Any

from hypothesis import HealthCheck, settings

from fuzz import law

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
_SLOW += [HealthCheck.function_scoped_fixture, HealthCheck.large_base_example]
# As many percent of the inputs that each test names. Those of ci are the same each time: no change fails by chance.
settings.register_profile(
    "ci", max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=_SLOW
)
settings.register_profile("long", max_examples=3000, deadline=None, suppress_health_check=_SLOW)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what was tried."""
    if law.tried:
        terminalreporter.section("fuzzing")
        for line in law.report():
            terminalreporter.write_line(line)
