"""Functions seen otherwise: as linear ones near a point, and as ones that write nothing."""

import functools

from opweave.func import _tree
from opweave.func._forward import jvp
from opweave.func._trees import tensors


def linearize(func, *primals):
    """(output, jvp_fn): the value of `func` at `primals`, and the function that takes tangents, like the
    primals, to the derivative in their direction. Each call of it runs `func` again.

    Raises:
        RuntimeError: no primals; in a call, tangents that are not like them.
    """
    leaves, structure = tensors(primals, "linearize: primals")
    if not leaves:
        raise RuntimeError("linearize: expected at least one primal")
    output = func(*primals)

    def derivative(*tangents):
        given, given_structure = tensors(tangents, "linearize: tangents")
        if given_structure != structure:
            raise RuntimeError(
                "Expected the tangents to have the same pytree structure as the primals, got "
                f"{len(given)} and {len(leaves)} tensors"
            )
        for i, (p, t) in enumerate(zip(leaves, given, strict=True)):
            if (p.shape, p.dtype, p.device) != (t.shape, t.dtype, t.device):
                raise RuntimeError(
                    f"Expected tangent {i} to be like its primal: {p.shape}, {p.dtype}, {p.device}, got "
                    f"{t.shape}, {t.dtype}, {t.device}"
                )
        return jvp(func, primals, _tree.unflatten(given, structure))[1]

    return output, derivative


def functionalize(func, *, remove="mutations"):
    """The function, for transforms that take only functions that write nothing: here operators in place and
    views are transformed as they are. What it writes to its arguments is there afterwards.

    Args:
        remove: "mutations" or "mutations_and_views".

    Raises:
        RuntimeError: another word.
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            "functionalize(f, remove='mutations'): received invalid argument for remove=. Valid options are:"
            f"\n\t remove='mutations'\n\t remove='mutations_and_views'\ngot {remove!r}"
        )

    @functools.wraps(func)
    def called(*args, **kwargs):
        return func(*args, **kwargs)

    return called
