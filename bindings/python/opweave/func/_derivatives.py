"""Derivatives of functions: grad, vjp, jvp, Jacobians and Hessians.

Those of this file are backward passes; jvp() differentiates forwards, see _forward.py.

Results are cut off from the graph unless an argument or a tensor that the function captures requires
a gradient, or another transform is at work; and always where the caller records none (no_grad).

Under vmap the examples are dimensions in front of the tensors that autograd sees ("physical"
tensors), so that one backward pass serves them all.
"""

import functools
import threading

from opweave import _C, autograd
from opweave._C import Tensor
from opweave._grad_mode import enable_grad, inference_mode, no_grad
from opweave.func import _tree
from opweave.func._forward import Transformed, cut_off, jvp
from opweave.func._trees import tensors as _tensors
from opweave.func._trees import with_aux as _with_aux
from opweave.func._vmap import vmap


class _Nesting(threading.local):
    """How many transforms are at work in a thread: their results can be differentiated further."""

    depth = 0


_nesting = _Nesting()


def _out_of_inference_mode(function):
    """The function, which runs under no_grad where its caller is in inference mode: what a transform
    records are normal tensors, and nothing of them leaves it."""

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        if not _C.is_inference_mode_enabled():
            return function(*args, **kwargs)
        with inference_mode(False), no_grad():
            return function(*args, **kwargs)

    return wrapped


class _Recording:
    """Gradients are recorded, whatever the caller's grad mode."""

    def __enter__(self):
        _nesting.depth += 1
        self._mode = enable_grad()
        self._mode.__enter__()

    def __exit__(self, *error):
        _nesting.depth -= 1
        self._mode.__exit__(*error)


class _Inputs:
    """Tensors that a function is differentiated by, cut off from what they were computed from
    unless that is differentiated, too.

    Entered while that function runs, and its backward pass: hooks that are registered there run then
    alone, and not when the results are differentiated.
    """

    def __init__(self, tensors):
        self.depth = _C._vmap_depth()
        self.recorded = _C.is_grad_enabled()
        # Someone may differentiate what is computed here: an outer transform, or plain autograd.
        self.tracked = _nesting.depth > 0 or any(t.requires_grad for t in tensors)
        self.physical = []
        self.logical = []
        for t in tensors:
            if not t.dtype._is_differentiable:
                raise RuntimeError(
                    f"only tensors of floating-point dtype can be differentiated by, got {t.dtype}"
                )
            p = _C._transform_input(_C._to_physical(t, self.depth))
            self.physical.append(p)
            self.logical.append(_C._from_physical(p, self.depth))
        self._hooks = _C._hook_level()

    def __enter__(self):
        _C._hook_level_enter(self._hooks, tuple(self.physical))

    def __exit__(self, *error):
        _C._hook_level_leave()

    def gradients(self, outputs, seeds):
        """The products of `seeds` with the derivatives of `outputs`, one for each input."""
        pairs = [
            (_C._to_physical(o, self.depth), _C._to_physical(s, self.depth))
            for o, s in zip(outputs, seeds)
        ]
        pairs = [
            (o, _C._detach_history(s) if s.is_inference() else s)
            for o, s in pairs
            if o.requires_grad
        ]
        grads = [None] * len(self.physical)
        if pairs:
            grads = autograd.grad(
                [o for o, _ in pairs],
                self.physical,
                [s for _, s in pairs],
                create_graph=True,
                allow_unused=True,
            )
        return [
            _C._from_physical(_C.zeros_like(p) if g is None else g, self.depth)
            for g, p in zip(grads, self.physical)
        ]

    def released(self, results):
        """Results as the caller gets them: without a graph that only inputs of transforms are part of."""
        if not self.recorded:
            return self._mapped(lambda tensors: list(map(cut_off, tensors)), results)
        if self.tracked:
            return results
        return self._mapped(_C._released, results)

    @staticmethod
    def _mapped(function, tree):
        """The tree with other tensors: `function` makes a list of them of the list of all."""
        leaves, structure = _tree.flatten(tree)
        made = iter(function([leaf for leaf in leaves if isinstance(leaf, Tensor)]))
        leaves = [next(made) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        return _tree.unflatten(leaves, structure)


def grad(func, argnums=0, has_aux=False):
    """The function that computes the gradient of `func`, which returns one number.

    Args:
        func: returns a tensor with one element; with `has_aux`, a pair of it and anything else.
        argnums: by which argument(s) to differentiate: an int, or a tuple of ints for a tuple of
            gradients. Arguments may be trees of tensors; gradients have the same structure.
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        gradient, value = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapped


def grad_and_value(func, argnums=0, has_aux=False):
    """Like grad(), but returns pairs of gradient and value."""

    @_out_of_inference_mode
    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        chosen = _chosen(args, argnums)
        leaves, structure = _tensors(chosen, "grad")
        inputs = _Inputs(leaves)
        with _Recording(), inputs:
            replaced = _replaced(args, argnums, _tree.unflatten(inputs.logical, structure))
            with Transformed(inputs.physical):
                result = func(*replaced, **kwargs)
            value, aux = _with_aux(result, has_aux)
            _check_scalar(value)
            grads = inputs.gradients([value], [_C.ones_like(value)])
        gradient = _tree.unflatten(grads, structure)
        return inputs.released((gradient, (value, aux) if has_aux else value))

    return wrapped


def _checked_number(args, i):
    if not isinstance(i, int):
        raise RuntimeError(f"argnum must be int, got: {type(i)}")
    if not -len(args) <= i < len(args):
        raise RuntimeError(
            f"Got argnum={i}, but only {len(args)} positional inputs: argnums should be ints in "
            f"[-{len(args)}, {len(args)})"
        )
    return i % len(args)


def _chosen(args, argnums):
    if isinstance(argnums, int):
        return args[_checked_number(args, argnums)]
    if not isinstance(argnums, tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if not argnums:
        raise RuntimeError("argnums must be non-empty")
    places = tuple(_checked_number(args, i) for i in argnums)
    if len(set(places)) < len(places):
        raise RuntimeError(f"argnums elements must be unique, got {places}")
    return tuple(args[i] for i in places)


def _replaced(args, argnums, chosen):
    args = list(args)
    pairs = zip(argnums, chosen) if isinstance(argnums, tuple) else [(argnums, chosen)]
    for i, value in pairs:
        args[i] = value
    return args


def _check_scalar(value):
    if not isinstance(value, Tensor):
        raise RuntimeError(
            "Expected the function given to grad(f)(*args) to return a Tensor, got type "
            f"{type(value)}"
        )
    if value.dim() != 0:
        raise RuntimeError(
            "Expected the function given to grad(f)(*args) to return a scalar tensor, got tensor with "
            f"{value.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
        )


@_out_of_inference_mode
def vjp(func, *primals, has_aux=False):
    """The value of `func` at `primals`, and the function that multiplies cotangents with its
    Jacobian: (output, vjp_fn), with `has_aux` (output, vjp_fn, aux).

    vjp_fn takes a tree like the output and returns a tuple with one gradient per primal. It may be
    called more than once.
    """
    leaves, structure = _tensors(primals, "vjp")
    inputs = _Inputs(leaves)
    with _Recording(), Transformed(inputs.physical), inputs:
        output, aux = _with_aux(func(*_tree.unflatten(inputs.logical, structure)), has_aux)
    outputs, output_structure = _tensors(output, "vjp: the function's output")
    for o in outputs:
        if not o.dtype._is_differentiable:
            raise RuntimeError(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with "
                f"dtype {o.dtype}"
            )

    @_out_of_inference_mode
    def vjp_fn(cotangents):
        seeds, seed_structure = _tensors(cotangents, "vjp: cotangents")
        if seed_structure != output_structure:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of "
                "outputs to the function."
            )
        inputs.recorded = _C.is_grad_enabled()
        with _Recording(), inputs:
            grads = inputs.gradients(outputs, seeds)
        tracked = inputs.recorded and any(s.requires_grad for s in seeds)
        return _tree.unflatten(grads if tracked else inputs.released(grads), structure)

    value, aux = inputs.released((output, aux))
    return (value, vjp_fn, aux) if has_aux else (value, vjp_fn)


def _by_leaves(func, args, kwargs, argnums, what):
    """`func` as a function of the tensors in the chosen arguments; those tensors and their structure."""
    leaves, structure = _tensors(_chosen(args, argnums), what)

    def of_leaves(*values):
        return func(*_replaced(args, argnums, _tree.unflatten(values, structure)), **kwargs)

    return of_leaves, leaves, structure


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None):
    """The function that computes the Jacobian of `func` by backward passes, one batch of them.

    A Jacobian has the output's dimensions, then the input's.
    """

    @_out_of_inference_mode
    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        of_leaves, leaves, structure = _by_leaves(func, args, kwargs, argnums, "jacrev")
        output, pull, *aux = vjp(of_leaves, *leaves, has_aux=has_aux)
        outputs, output_structure = _tensors(output, "jacrev: the function's output")

        def pulled(*seeds):
            return pull(_tree.unflatten(seeds, output_structure))

        if any(o.numel() for o in outputs):
            rows = vmap(pulled, chunk_size=chunk_size)(*_units(outputs))
        else:  # No backward pass: what runs example by example has no shape without examples.
            rows = [leaf.new_zeros((0, *leaf.shape)) for leaf in leaves]
        jacobian = _tree.unflatten(
            [
                _tree.unflatten(
                    [_laid_out(part, o, i) for part, i in zip(block, leaves)], structure
                )
                for block, o in zip(_split_rows(rows, outputs), outputs)
            ],
            output_structure,
        )
        return (jacobian, aux[0]) if has_aux else jacobian

    return wrapped


def _units(tensors):
    """Unit vectors for every element of all tensors: of each tensor, a batch of its parts."""
    total = sum(t.numel() for t in tensors)
    parts, start = [], 0
    for t in tensors:
        n = t.numel()
        part = _C.zeros(total, n, dtype=t.dtype, device=t.device)
        part[start : start + n] = _C.eye(n, dtype=t.dtype, device=t.device)
        parts.append(part.reshape(total, *t.shape))
        start += n
    return parts


def _laid_out(rows, output, leaf):
    """A Jacobian of rows: each of an example's in one piece, whatever vmaps are around."""
    return rows.reshape(output.shape + leaf.shape).contiguous()


def _split_rows(rows, outputs):
    """The rows of each output, of every input."""
    start = 0
    for o in outputs:
        yield [row[start : start + o.numel()] for row in rows]
        start += o.numel()


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error", chunk_size=None):
    """The function that computes the Jacobian of `func` by directional derivatives.

    A Jacobian has the output's dimensions, then the input's. `randomness` is that of vmap(), under
    which `func` runs.
    """

    @_out_of_inference_mode
    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        of_leaves, leaves, structure = _by_leaves(func, args, kwargs, argnums, "jacfwd")

        def pushed(*directions):
            _, tangent, *aux = jvp(of_leaves, tuple(leaves), directions, has_aux=has_aux)
            return (tangent, *aux)

        out_dims = (-1, *[None] * has_aux)
        each = vmap(pushed, 0, out_dims, randomness, chunk_size=chunk_size)
        columns, *aux = each(*_units(leaves))
        outputs, output_structure = _tensors(columns, "jacfwd: the function's output")
        jacobian = _tree.unflatten(
            [_tree.unflatten(_split_columns(c, leaves), structure) for c in outputs],
            output_structure,
        )
        return (jacobian, aux[0]) if has_aux else jacobian

    return wrapped


def _split_columns(columns, leaves):
    parts, start = [], 0
    for leaf in leaves:
        part = columns[..., start : start + leaf.numel()]
        parts.append(part.reshape(columns.shape[:-1] + leaf.shape))
        start += leaf.numel()
    return parts


def hessian(func, argnums=0):
    """The function that computes the second derivatives of `func`: jacfwd(jacrev(func))."""
    return jacfwd(jacrev(func, argnums), argnums)
