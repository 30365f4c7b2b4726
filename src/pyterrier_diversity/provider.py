"""The provider for ir_measures and ``pt.Experiment``.

It imports the rest of this package when it is used: ir_measures may be imported first by one of its modules.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import ir_measures
from ir_measures.providers import FallbackProvider, Provider

if TYPE_CHECKING:
    from .evaluate import DiversityEvaluator


class DiversityProvider(Provider):
    """Compute this package's measures, and the measures of ndeval and gdeval that ir_measures names."""

    NAME = "diversity"

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Tell whether this provider computes a measure."""
        from .measures.base import implementation

        measure.validate_params()
        return implementation(measure) is not None

    def qrel_inputs(self, measures: Iterable[ir_measures.Measure]) -> list[str]:
        """Return the columns of the qrels that measures require, such as ``rarity``, ``passage`` or ``nugget``.

        Optional columns such as ``iteration`` and ``weight`` are not included.
        """
        from .measures.base import parts_of

        ours = [part for measure in measures for _, part in parts_of(measure) if part is not None]
        needed = [column for part in ours for column in part.NEEDS]
        return list(dict.fromkeys([*super().qrel_inputs(measures), *needed]))

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> DiversityEvaluator:
        from .evaluate import DiversityEvaluator

        # pt.Experiment makes an evaluator of the same qrels for each system.
        return DiversityEvaluator(measures, qrels, warn_again=False)


def register_provider() -> None:
    """Add the provider to ir_measures' registry, and to its default pipeline after ``runtime``.

    Calling this twice is harmless.
    """
    pipeline: FallbackProvider = ir_measures.DefaultPipeline
    pipeline.providers[:] = [provider for provider in pipeline.providers if provider.NAME != DiversityProvider.NAME]
    provider = ir_measures.providers.register(DiversityProvider())
    pipeline.providers.insert(pipeline.providers.index(ir_measures.runtime) + 1, provider)


register_provider()
