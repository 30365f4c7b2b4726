"""What the datasets of this package have in common."""

from collections.abc import Mapping
from typing import ClassVar

import pyterrier as pt


class NamedDataset(pt.datasets.Dataset):  # type: ignore[misc]
    """A dataset in English.

    Parameters
    ----------
    name : str
        The name in messages.
    """

    # The variants of each component, besides None; True if it has no others.
    VARIANTS: ClassVar[Mapping[str, bool | list[str]]]

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        """Return the constructor call."""
        return f"{type(self).__name__}({self.name!r})"

    def get_corpus_lang(self) -> str | None:
        """Return the language of the documents, or None if the dataset has no documents."""
        return "en" if "corpus" in self.VARIANTS else None

    def get_topics_lang(self) -> str:
        """Return the language of the topics."""
        return "en"

    def check_variant(self, component: str, variant: str | None) -> None:
        """Raise a ``ValueError`` if a component does not have the variant."""
        variants = self.VARIANTS[component]
        allowed = [None, *(variants if isinstance(variants, list) else ())]
        if variant not in allowed:
            raise ValueError(f"{self.name}: variant must be {' or '.join(map(repr, allowed))}, not {variant!r}.")

    def _describe_component(self, component: str) -> bool | list[str] | None:
        return self.VARIANTS.get(component)
