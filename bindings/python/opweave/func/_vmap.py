"""vmap: a function of one example, applied to a batch of them at once."""

import functools

from opweave import _C
from opweave._arguments import is_int as _is_int
from opweave._C import Tensor
from opweave._random import get_rng_state, set_rng_state
from opweave.func import _tree


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """The function that applies `func` to every example of a batch and stacks the results.

    Args:
        func: takes and returns tensors, also in nested tuples, lists and dicts. Keyword arguments are the
            same for all examples; so is what is no tensor.
        in_dims: for each argument, the dimension that counts the examples; None for one that is the
            same for all. An int for all arguments, or a tuple with one entry (or tree) for each.
        out_dims: where the results are to have that dimension; None for those that are the same for all
            examples.
        randomness: "error": random operators are refused; "same": they draw once for all examples;
            "different": anew for each.
        chunk_size: at most so many examples at a time; None for all.

    Raises:
        ValueError: in_dims or out_dims do not fit, or the batch sizes differ.
        RuntimeError: `func` calls a random operator though `randomness` is "error", decides by the
            values of a tensor, or writes a batched value into a tensor that is not batched.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. Got "
            f"{randomness}"
        )
    if chunk_size is not None and not _is_int(chunk_size):
        raise TypeError(
            f"vmap: chunk_size should be None or an int, got {type(chunk_size).__name__}"
        )
    if chunk_size is not None and chunk_size < 1:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0, got {chunk_size}")

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        leaves, structure, dims = _arguments(func, in_dims, args)
        size = _batch_size(func, leaves, dims)
        call = _Call(func, structure, kwargs, randomness)
        if chunk_size is None or chunk_size >= size:
            return call.finished(call.run(leaves, dims, size), out_dims)
        return _in_chunks(call, leaves, dims, size, chunk_size, out_dims)

    return wrapped


def _name(func):
    return getattr(func, "__name__", repr(func))


def _arguments(func, in_dims, args):
    """The leaves of the arguments, their structure, and the batch dimension of each leaf."""
    head = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{head}: expected `in_dims` to be int or a (potentially nested) tuple matching the "
            f"structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"{head}: got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over "
            "a function with no inputs. The latter is unsupported."
        )
    leaves, structure = _tree.flatten(args)
    dims = _tree.spread(in_dims, args)
    if dims is None:
        raise ValueError(
            f"{head}: in_dims is not compatible with the structure of inputs: got {len(args)} "
            "arguments."
        )
    return leaves, structure, [_checked_dim(head, leaf, d) for leaf, d in zip(leaves, dims)]


def _checked_dim(head, leaf, dim):
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(
            f"{head}: Got in_dim={dim} for an input but in_dim must be either an integer dimension "
            "or None."
        )
    if isinstance(dim, bool):
        raise TypeError(f"{head}: Got in_dim={dim} for an input but in_dim must be int, not bool")
    if not isinstance(leaf, Tensor):
        raise ValueError(
            f"{head}: Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot "
            "vmap over non-Tensor arguments, please use None as the respective in_dim"
        )
    if not -leaf.dim() <= dim < leaf.dim():
        raise ValueError(
            f"{head}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality "
            f"{leaf.dim()} so expected in_dim to satisfy -{leaf.dim()} <= in_dim < {leaf.dim()}."
        )
    return dim % leaf.dim()


def _batch_size(func, leaves, dims):
    sizes = {leaf.shape[dim] for leaf, dim in zip(leaves, dims) if dim is not None}
    if not sizes:
        raise ValueError(
            f"vmap({_name(func)}, ...)(<inputs>): at least one input must be batched: all in_dims are "
            "None."
        )
    if len(sizes) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sorted(sizes)} for the mapped dimension"
        )
    return sizes.pop()


class _Call:
    """One run of the function on a batch."""

    def __init__(self, func, structure, kwargs, randomness):
        self.func = func
        self.structure = structure
        self.kwargs = kwargs  # the same for all examples
        self.randomness = randomness
        self.result_structure = None
        # By their numbers the results that are the same for all examples, as the function returned them.
        self.alike = {}

    def run(self, leaves, dims, size):
        """The leaves of the results, with the examples in front."""
        level = _C._vmap_enter(size, self.randomness)
        try:
            batched = [
                leaf if dim is None else _C._batch(leaf.movedim(dim, 0), level)
                for leaf, dim in zip(leaves, dims)
            ]
            args = _tree.unflatten(batched, self.structure)
            results, self.result_structure = _tree.flatten(self.func(*args, **self.kwargs))
            return [self._unbatched(i, result, level, size) for i, result in enumerate(results)]
        finally:
            _C._vmap_leave()

    def _unbatched(self, number, result, level, size):
        if not isinstance(result, Tensor):
            self.alike.setdefault(number, result)
            return result
        result_level, value = _C._batch_value(result)
        if result_level == level:
            return value
        self.alike.setdefault(number, result)
        return result.expand(size, *result.shape)

    def finished(self, results, out_dims):
        """The results as the function returns them, with the examples where they are wanted."""
        tree = _tree.unflatten(results, self.result_structure)
        # One tensor may have its dimension in a tuple.
        single = isinstance(tree, Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1
        dims = list(out_dims) if single else _tree.spread(out_dims, tree)
        if dims is None:
            raise ValueError(
                f"vmap({_name(self.func)}, ..., out_dims={out_dims}): out_dims is not compatible with "
                f"the structure of outputs: got {len(results)} outputs."
            )
        placed = [
            self._placed(i, r, dim, out_dims) for i, (r, dim) in enumerate(zip(results, dims))
        ]
        return _tree.unflatten(placed, self.result_structure)

    def _placed(self, number, result, dim, out_dims):
        name = _name(self.func)
        if dim is None:
            if number not in self.alike:
                raise ValueError(
                    f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
                )
            return self.alike[number]
        if not isinstance(dim, int):
            raise ValueError(
                f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
                "collection of ints representing where in the outputs the vmapped dimension should appear."
            )
        if not isinstance(result, Tensor):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(result)}. Did you "
                "mean to set out_dims= to None for output?"
            )
        return result.movedim(0, int(dim)) if dim != 0 else result


def _in_chunks(call, leaves, dims, size, chunk_size, out_dims):
    parts = []
    before = get_rng_state()
    for start in range(0, size, chunk_size):
        if call.randomness == "same":
            set_rng_state(before)
        count = min(chunk_size, size - start)
        chunk = [
            leaf if dim is None else leaf.narrow(dim, start, count)
            for leaf, dim in zip(leaves, dims)
        ]
        parts.append(call.run(chunk, dims, count))
    return call.finished([_joined(pieces) for pieces in zip(*parts)], out_dims)


def _joined(pieces):
    return _C.cat(list(pieces)) if isinstance(pieces[0], Tensor) else pieces[0]
