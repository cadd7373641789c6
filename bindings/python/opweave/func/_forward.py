"""Forward-mode differentiation: jvp().

A level attaches tangents to its inputs; every operator computes those of its results by the rule that
the generator has printed for it, and attaches them, until the level ends. Backward passes inside
run on tensors with tangents, so that they are differentiated, too.

Under vmap the examples are dimensions in front of the tensors that carry tangents ("physical"
tensors), as for autograd.
"""

from opweave import _C
from opweave.func import _tree
from opweave.func._trees import tensors, with_aux


class Transformed:
    """While a function runs that is differentiated by `inputs`: it may write nothing in place that it
    captures, which would be written behind the back of the derivative and of the caller."""

    def __init__(self, inputs):
        self.inputs = tuple(inputs)

    def __enter__(self):
        _C._captures_enter(self.inputs)

    def __exit__(self, *error):
        _C._captures_leave()


class _Level:
    """A level of forward-mode differentiation, open in a with statement."""

    def __enter__(self):
        self.number = _C._forward_enter()
        self.depth = _C._vmap_depth()
        return self

    def __exit__(self, *error):
        _C._forward_leave()

    def dual(self, primal, tangent):
        """The primal with a tangent."""
        values = [laid_apart(primal, self.depth), _C._to_physical(tangent, self.depth)]
        return _C._from_physical(_C._make_dual(*values, self.number), self.depth)

    def tangent(self, tensor):
        """The tangent of a result, or None."""
        found = _C._tangent(_C._to_physical(tensor, self.depth), self.number)
        return None if found is None else _C._from_physical(found, self.depth)


def laid_apart(primal, depth):
    """The primal with the examples of all vmaps. One that is the same for several examples is repeated
    in memory as well: their tangents differ, and as_strided() reads both by the same strides."""
    physical = _C._to_physical(primal, depth)
    repeated = any(n > 1 and s == 0 for n, s in zip(physical.shape[:depth], physical.stride()))
    return physical.contiguous() if repeated else physical


def cut_off(tensor):
    """The tensor, which may be a batch, without what it was computed from, but with its tangents."""
    depth = _C._vmap_depth()
    return _C._from_physical(_C._detach_history(_C._to_physical(tensor, depth)), depth)


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """The value of `func` at `primals`, and its derivative in the direction of `tangents`:
    (output, tangent), with `has_aux` (output, tangent, aux).

    Args:
        func: takes the primals; returns a tree of tensors.
        primals: a tuple of trees of tensors.
        tangents: a tuple like it.
        strict: an output that does not depend on the primals is an error, not a tangent of zeros.
        has_aux: whether `func` returns a pair of its output and anything else.
    """
    leaves, directions, structure = _checked(primals, tangents)
    with _Level() as level:
        duals = [level.dual(p, t) for p, t in zip(leaves, directions)]
        with Transformed(duals):
            output, aux = with_aux(func(*_tree.unflatten(duals, structure)), has_aux)
        outputs, output_structure = tensors(output, "jvp: the function's output")
        found = [level.tangent(o) for o in outputs]
        if strict and any(t is None for t in found):
            raise RuntimeError(
                "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. "
                "This is not allowed with strict=True."
            )
        derivative = [o.new_zeros(o.shape) if t is None else t for o, t in zip(outputs, found)]
    if not _C.is_grad_enabled():
        derivative = list(map(cut_off, derivative))
    tangent = _tree.unflatten(derivative, output_structure)
    return (output, tangent, aux) if has_aux else (output, tangent)


def _checked(primals, tangents):
    """The tensors in both, and the structure that they have in common."""
    if not isinstance(primals, tuple) or not isinstance(tangents, tuple):
        raise RuntimeError("jvp(f, primals, tangents): Expected primals and tangents to be tuples")
    leaves, structure = tensors(primals, "jvp: primals")
    directions, direction_structure = tensors(tangents, "jvp: tangents")
    if structure != direction_structure:
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python "
            f"structure, got {len(leaves)} and {len(directions)} tensors"
        )
    for p, t in zip(leaves, directions):
        if p.shape != t.shape:
            raise RuntimeError(
                "jvp(f, primals, tangents): Expected primal and tangent to have the same shape, got "
                f"{tuple(p.shape)} and {tuple(t.shape)}"
            )
        if not p.dtype._is_differentiable:
            raise RuntimeError(
                f"only tensors of floating-point dtype can be differentiated by, got {p.dtype}"
            )
    return leaves, directions, structure
