"""What the benchmarks share: time and memory of a function, and the peer that ir_measures uses without this package."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import ir_measures
from ir_measures import AP_IA, ERR_IA, NRBP, P_IA, StRecall, alpha_nDCG

MEASURES = [alpha_nDCG @ 20, ERR_IA @ 20, NRBP, AP_IA, P_IA @ 20, StRecall @ 20]


def pyndeval() -> ir_measures.providers.Provider:
    return ir_measures.providers.registry["pyndeval"]


def seconds(function: Callable[..., object], *arguments: object, rounds: int = 3) -> float:
    """Return the shortest of some times that a function takes."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - started)
    return min(times)


def peak_mb(function: Callable[..., object], *arguments: object) -> float:
    """Return what a function allocates in Python at its peak."""
    tracemalloc.start()
    function(*arguments)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 2**20
