"""The measures: one class each, in the module of its family. Importing a module registers its measures.

Each module offers what its ``__all__`` names.
"""

import types
import typing

from .ad_hoc import *
from .alpha_dcg import *
from .base import *
from .composite import *
from .d_measures import *
from .graded_novelty import *
from .groups import *
from .nugget_scores import *
from .parse import *
from .preferences import *
from .rareness import *
from .rbu import *
from .registration import *
from .session import *
from .subtopic import *
from .trec_dd_2015 import *
from .user_models import *

if not typing.TYPE_CHECKING:
    # What the modules offer, but not the modules themselves.
    __all__ = [name for name, value in globals().items() if name[0] != "_" and not isinstance(value, types.ModuleType)]
