"""What libraries say to torch.fx of their functions: programs are not recorded as graphs."""

__all__ = ["wrap"]


def wrap(fn_or_name):
    """Says that a function is called, and not looked into, where a program is recorded; gives it back.

    Args:
        fn_or_name: a function, or the name of one in the module that calls this.

    Raises:
        RuntimeError: neither.
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(
            "Unsupported type for global function! Must be either a callable or string name"
        )
    return fn_or_name
