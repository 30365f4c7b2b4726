"""Collections with intents, as ``pt.get_dataset("diversity:...")``."""

import pyterrier as pt

from .demo import DemoDataset
from .named import cache_folder
from .trec_web import TREC_WEB, TrecWebDataset

__all__ = ["TREC_DD", "TREC_WEB", "DemoDataset", "DiversityDatasetProvider", "TrecWebDataset", "described"]

# Defined here, because their module imports ir_datasets.
TREC_DD = ("trec-dd/2015", "trec-dd/2016", "trec-dd/2017")


class DiversityDatasetProvider(pt.datasets.DatasetProvider):  # type: ignore[misc]
    """The provider of the ``diversity:`` datasets."""

    def get_dataset(self, name: str) -> pt.datasets.Dataset:
        """Return a new dataset object, or raise a ``KeyError`` if the name is unknown."""
        if name == "demo":
            return DemoDataset()
        if name in TREC_WEB:
            return TrecWebDataset(name)
        if name in TREC_DD:
            cache_folder()
            from .trec_dd import TrecDDDataset

            return TrecDDDataset(name)
        raise KeyError(name)

    def list_dataset_names(self) -> list[str]:
        """Return the names, without the prefix ``diversity:``."""
        return list(described())


def described() -> dict[str, str]:
    """Return a description of each dataset, by its name without the prefix ``diversity:``."""
    return {
        "demo": "224 documents, 14 queries, four runs; included in this package",
        **{name: f"TREC Web track {name[-4:]}, diversity task; from ir_datasets" for name in TREC_WEB},
        **{name: f"TREC Dynamic Domain track {name[-4:]}; NIST's truth file, from ir_datasets" for name in TREC_DD},
    }
