"""What a fake, which says what results look like, may ask about its call."""

import threading

_running = threading.local()


def get_ctx():
    """Of a fake that runs: in PyTorch what makes sizes that only the elements decide.

    Tensors without data have no such sizes here, so that nothing is to be had.

    Returns:
        None outside of a fake.

    Raises:
        RuntimeError: a fake asks.
    """
    name = getattr(_running, "name", None)
    if name is None:
        return None
    raise RuntimeError(
        f"{name}: You're trying to run this operator with meta Tensors, but this operator may return an "
        "output Tensor with data-dependent shape. Meta Tensors don't support operators with outputs that "
        "have data-dependent shapes. If your operator does not return an output with data-dependent shape, "
        "make sure its fake does not call get_ctx()"
    )


def place_of(fn):
    """File and line of a function, as errors name it."""
    code = getattr(fn, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else repr(fn)


def fake_kernel(name, fn):
    """The kernel of the device "meta" that runs a fake."""

    def kernel(*args, **kwargs):
        before = getattr(_running, "name", None)
        _running.name = f"{name} ({place_of(fn)})"
        try:
            return fn(*args, **kwargs)
        finally:
            _running.name = before

    kernel.fake = fn
    return kernel
