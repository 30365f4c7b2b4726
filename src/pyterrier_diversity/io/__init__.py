"""Read files of TREC, Dynamic Domain and nuggets into PyTerrier's frames without loss; write tables.

Each module offers what its ``__all__`` names.
"""

import types
import typing

from .aligned import *
from .dynamic_domain import *
from .files import *
from .forms import *
from .labels import *
from .nuggets import *
from .readers import *
from .records import *
from .run_collections import *
from .tables import *
from .tabular import *
from .texts import *
from .writing import *

if not typing.TYPE_CHECKING:
    # What the modules offer, but not the modules themselves.
    __all__ = [name for name, value in globals().items() if name[0] != "_" and not isinstance(value, types.ModuleType)]
