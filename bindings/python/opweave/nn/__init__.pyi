# Types of opweave.nn. Calls of modules give Any, as in PyTorch: what they take is for each to say.
from collections.abc import Mapping
from typing import Any

from opweave.nn import attention as attention
from opweave.nn import common_types as common_types
from opweave.nn import functional as functional
from opweave.nn import grad as grad
from opweave.nn import init as init
from opweave.nn import modules as modules
from opweave.nn import parallel as parallel
from opweave.nn import utils as utils
from opweave.nn.modules import *
from opweave.nn.parallel import DataParallel as DataParallel
from opweave.nn.parameter import Buffer as Buffer
from opweave.nn.parameter import Parameter as Parameter
from opweave.nn.parameter import UninitializedBuffer as UninitializedBuffer
from opweave.nn.parameter import UninitializedParameter as UninitializedParameter

def factory_kwargs(kwargs: Mapping[str, Any] | None) -> dict[str, Any]: ...
