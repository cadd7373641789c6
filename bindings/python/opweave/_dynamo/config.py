"""torch._dynamo.config: settings of a compiler that is not there."""

import sys

from opweave._compiler_settings import Settings

suppress_errors = False
cache_size_limit = recompile_limit = 8
verbose = False
sys.modules[__name__].__class__ = Settings
