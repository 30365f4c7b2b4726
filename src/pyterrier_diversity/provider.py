"""The provider for ir_measures and ``pt.Experiment``.

It imports the rest of this package when it is used: ir_measures may be imported first by one of its modules.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import ir_measures
from ir_measures.providers import Evaluator, FallbackProvider, Provider
from ir_measures.providers.fallback_provider import FallbackEvaluator


class DiversityProvider(Provider):
    """Compute this package's measures, and the measures of ndeval and gdeval that ir_measures names.

    All others are left to the other providers of ir_measures' pipeline, with the same qrels and runs: so are those of
    gdeval if documents have several labels. One warning names the measures that then read one of the labels.
    """

    NAME = "diversity"

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Tell whether this provider or another one of the pipeline computes a measure."""
        from .measures.base import implementation, other_providers

        measure.validate_params()
        return implementation(measure) is not None or other_providers().supports(measure)

    def run_inputs(self, measures: Iterable[ir_measures.Measure]) -> list[str]:
        """Return the columns of the run that measures require."""
        from .measures.base import implementation, other_providers

        asked = list(measures)
        usual = super().run_inputs(asked) if any(map(implementation, asked)) else []
        return list(dict.fromkeys([*usual, *other_providers().run_inputs(asked)]))

    def qrel_inputs(self, measures: Iterable[ir_measures.Measure]) -> list[str]:
        """Return the columns of the qrels that measures require, such as ``rarity``, ``passage`` or ``nugget``.

        Optional columns such as ``iteration`` and ``weight`` are not included.
        """
        from .measures.base import implementation, other_providers, parts_of

        asked = list(measures)
        usual = super().qrel_inputs(asked) if any(map(implementation, asked)) else []
        needed = [column for each in asked for _, part in parts_of(each) if part for column in part.NEEDS]
        return list(dict.fromkeys([*usual, *needed, *other_providers().qrel_inputs(asked)]))

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> Evaluator:
        from .evaluate import DiversityEvaluator, left_to_others
        from .frames import refuse_read
        from .measures.base import other_providers

        asked: Collection[ir_measures.Measure] = measures if isinstance(measures, Collection) else list(measures)
        if isinstance(qrels, Iterator):
            refuse_read(qrels, "qrels")
            qrels = list(qrels)
        theirs = left_to_others(asked, qrels)
        mine = {*asked}.difference(theirs) if theirs else asked
        # pt.Experiment makes an evaluator of the same qrels for each system.
        evaluators: list[Evaluator] = [DiversityEvaluator(mine, qrels, warn_again=False)] if mine or not theirs else []
        evaluators += [other_providers().evaluator(theirs, qrels)] if theirs else []
        return evaluators[0] if len(evaluators) == 1 else FallbackEvaluator(asked, evaluators)


def register_provider() -> None:
    """Add the provider to ir_measures' registry, and put it first in the default pipeline.

    Calling this twice is harmless.
    """
    pipeline: FallbackProvider = ir_measures.DefaultPipeline
    pipeline.providers[:] = [provider for provider in pipeline.providers if provider.NAME != DiversityProvider.NAME]
    pipeline.providers.insert(0, ir_measures.providers.register(DiversityProvider()))


register_provider()
