# Types of opweave.distributed.algorithms.ddp_comm_hooks._states.
from typing import Any

from opweave.nn import Module

class HookState:
    def state_dict(self, module: Module) -> dict[str, Any]: ...
    def load_state_dict(self, module: Module, state_dict: dict[str, Any]) -> None: ...
