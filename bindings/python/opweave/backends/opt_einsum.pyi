# Types of opweave.backends.opt_einsum.

enabled: bool
strategy: str | None

def is_available() -> bool: ...
def get_opt_einsum() -> None: ...
