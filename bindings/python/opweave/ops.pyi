# Types of opweave.ops: every operator is an attribute; its schema says what it takes.
from os import PathLike
from typing import Any

from opweave._ops import OpOverloadPacket as OpOverloadPacket
from opweave._ops import aten as aten

def load_library(path: str | PathLike[str]) -> None: ...
def __getattr__(name: str) -> Any: ...
