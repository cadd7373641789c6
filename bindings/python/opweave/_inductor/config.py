"""torch._inductor.config: settings of a compiler that is not there."""

import sys
import types

from opweave._compiler_settings import Settings

fx_graph_cache = False
triton = types.SimpleNamespace()
cpp = types.SimpleNamespace()
sys.modules[__name__].__class__ = Settings
