"""Names of torch.library for what Opweave does not have: they say why, and what there is instead."""


def _refuse(what, why):
    raise NotImplementedError(f"opweave.library.{what}: {why}")


def triton_op(name, fn=None, /, *, mutates_args, schema=None):
    """NotImplementedError: there is no Triton here."""
    _refuse(
        "triton_op",
        f"{name!r} cannot be made of kernels of Triton, into which nothing here looks: custom_op makes an "
        "operator of a function whatever that calls, and an entry with an `expr` has kernels for all targets",
    )


def wrap_triton(triton_kernel, /):
    """NotImplementedError: there is no Triton here."""
    _refuse(
        "wrap_triton",
        "kernels of Triton are not traced: call the kernel itself in the implementation of a custom_op",
    )
