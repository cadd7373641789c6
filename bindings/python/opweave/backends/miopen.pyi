# Types of opweave.backends.miopen.
from contextlib import AbstractContextManager

immediate: bool

def set_flags(_immediate: bool | None = None) -> tuple[bool]: ...
def flags(immediate: bool = False) -> AbstractContextManager[None]: ...
