"""Operators written in Python under vmap: by a rule of their own, or one example after the other."""

from opweave import _C
from opweave._custom_ops.structure import as_tuple, is_tensor, is_tensor_list, map_tensors, tensors
from opweave.autograd._function_vmap import VmapInfo, outside_of


def _level(tensor):
    return _C._batch_value(tensor)[0]


def _value(tensor, level):
    """Of a tensor that is batched at the level, all examples, which are its dimension 0; else the tensor."""
    own, value = _C._batch_value(tensor)
    return value if own == level else tensor


def _dims(values, level):
    """Where the examples are, in the structure of the arguments."""
    of = lambda t: 0 if is_tensor(t) and _level(t) == level else None  # noqa: E731
    return tuple([of(v) for v in value] if is_tensor_list(value) else of(value) for value in values)


def _batched(results, dims, level, size, name):
    """The results of a rule as batched tensors."""
    results, dims = as_tuple(results), as_tuple(dims) if isinstance(dims, tuple) else (dims,)
    if len(dims) == 1:
        dims *= len(results)
    if len(dims) != len(results):
        raise RuntimeError(
            f"{name}: the vmap rule returned {len(results)} results and {len(dims)} out_dims; expected "
            f"one for each"
        )

    def batch(result, dim):
        if dim is None or not is_tensor(result):
            return result
        if result.size(dim) != size:
            raise RuntimeError(
                f"{name}: the vmap rule returned a tensor of {result.size(dim)} examples along "
                f"dimension {dim}, "
                f"expected {size}"
            )
        return _C._batch(result.movedim(dim, 0), level)

    return tuple(
        [batch(v, d) for v, d in zip(r, d if isinstance(d, list | tuple) else [d] * len(r))]
        if is_tensor_list(r)
        else batch(r, d)
        for r, d in zip(results, dims)
    )


def _check_written(operator, name, values, dims, size):
    """What is written has to be batched when anything is: examples cannot share one result."""
    for argument, value, dim in zip(operator.arguments, values, dims):
        if not argument["written"]:
            continue
        for tensor, at in zip(value, dim) if is_tensor_list(value) else [(value, dim)]:
            if is_tensor(tensor) and at is None:
                raise RuntimeError(
                    f"vmap: {name} cannot write to a tensor of shape {list(tensor.shape)} that is the same "
                    f"for all {size} examples: other arguments differ between them. Make the tensor from a "
                    "batched one, for example with new_zeros()."
                )


def _of_no_examples(operator, name, values, dims, kwargs):
    """Empty results, of the sizes and dtypes that the fake says.

    Raises:
        RuntimeError: there is none, or it does not know.
    """

    device = tensors(values)[0].device

    def without_data(value, dim):
        if is_tensor_list(value):
            return [without_data(v, d) for v, d in zip(value, dim)]
        if not is_tensor(value):
            return value
        sizes = [n for i, n in enumerate(value.shape) if i != dim]
        return _C.empty(sizes, dtype=value.dtype, device="meta")

    def stacked(result):
        return _C.empty((0, *result.shape), dtype=result.dtype, device=device)

    try:
        beside = {name: without_data(v, None) for name, v in kwargs.items()}
        found = operator(*(without_data(v, d) for v, d in zip(values, dims)), **beside)
    except (NotImplementedError, RuntimeError) as error:
        raise RuntimeError(
            f"vmap: {name} has no batching rule, and of no examples only a fake says what its results look "
            f"like: {error}"
        ) from error
    results = map_tensors(stacked, as_tuple(found))
    return tuple(results), tuple(0 for _ in results)


def _loop(operator, name, values, dims, kwargs, size):
    """Each example by itself, and their results side by side."""

    _check_written(operator, name, values, dims, size)
    if size == 0 and operator.returns:
        return _of_no_examples(operator, name, values, dims, kwargs)

    def example(value, dim, i):
        if isinstance(dim, list):
            return [example(v, d, i) for v, d in zip(value, dim)]
        return value if dim is None else value.select(dim, i)

    runs = [
        as_tuple(operator(*(example(v, d, i) for v, d in zip(values, dims)), **kwargs))
        for i in range(size)
    ]
    stacked = [
        [_C.stack(column) for column in zip(*results)]
        if is_tensor_list(results[0])
        else _C.stack(results)
        if is_tensor(results[0])
        else results[0]
        for results in zip(*runs)
    ]
    return tuple(stacked), tuple(0 for _ in stacked)


def batched_kernel(operator, name, rule):
    """What is registered for Batched.

    Args:
        operator: called for each example where there is no rule.
        name: for messages.
        rule: `rule(info, in_dims, *args)` -> results and out_dims, or None.
    """

    def kernel(*args, **kwargs):
        level = max(_level(t) for t in tensors([*args, *kwargs.values()]))
        if any(_level(t) == level for t in tensors(kwargs.values())):
            raise RuntimeError(
                f"{name}: vmap over keyword-only tensors is not supported; give them by position"
            )
        dims = _dims(args, level)
        size = next(_value(t, level).size(0) for t in tensors(args) if _level(t) == level)
        values = map_tensors(lambda t: _value(t, level), args)
        if rule is None:
            found, out_dims = _loop(operator, name, values, dims, kwargs, size)
        else:
            info = VmapInfo(size, _C._vmap_randomness(level))
            with outside_of(level):
                answer = rule(info, dims, *values, **kwargs)
            if not isinstance(answer, tuple) or len(answer) != 2:
                raise RuntimeError(
                    f"{name}: the vmap rule returned {type(answer).__name__}, expected the results and their "
                    "out_dims, a tuple of two"
                )
            found, out_dims = answer
        results = _batched(found, out_dims, level, size, name)
        return results[0] if len(operator.returns) == 1 else results if operator.returns else None

    return kernel
