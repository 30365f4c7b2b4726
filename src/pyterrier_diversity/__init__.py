"""Search result diversity in PyTerrier: measures, datasets and methods, registered by importing this package."""

from .measures import *  # noqa: F403
from .measures import __all__ as _measures
from .provider import register_provider

__version__ = "0.1.0"

__all__ = [*_measures, "__version__"]

register_provider()
