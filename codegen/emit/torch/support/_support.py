"""What pointwise operators give without data, and how operators run on a batch."""

import torch
from torch._prims_common import compute_elementwise_output_strides


def result_dtype(name, compute, dtypes, tensors, numbers):
    """The dtype that an operator computes in: `tensors` and `numbers` are those that decide it."""
    operands = tensors[:1] if compute == "first" else [*tensors, *numbers]
    dtype = _promoted(operands) if operands else torch.bool
    if compute == "int_to_float" and not dtype.is_floating_point and not dtype.is_complex:
        dtype = torch.get_default_dtype()
    if compute == "same":
        for tensor in tensors:
            if tensor.dtype != dtype:
                raise RuntimeError(
                    f"{name}(): expected tensors of one dtype, got {dtype} and {tensor.dtype}"
                )
    if dtype not in dtypes:
        raise NotImplementedError(f'"{name}" not implemented for {dtype}')
    return dtype


def _category(operand):
    """Which operands decide before others: tensors with dimensions, those without, numbers."""
    if not isinstance(operand, torch.Tensor):
        return "number"
    return "dim" if operand.dim() else "zero"


def _number_dtype(number):
    if isinstance(number, bool | torch.SymBool):
        return torch.bool
    if isinstance(number, int | torch.SymInt):
        return torch.int64
    default = torch.get_default_dtype()
    return torch.promote_types(default, torch.complex32) if isinstance(number, complex) else default


def _own_dtype(operand):
    return operand.dtype if isinstance(operand, torch.Tensor) else _number_dtype(operand)


def _promoted(operands):
    """The dtype of several: within a category all count alike, and of a lower one only the kind."""
    dtypes = {}
    for operand in operands:
        category, dtype = _category(operand), _own_dtype(operand)
        dtypes[category] = torch.promote_types(dtypes.get(category, dtype), dtype)
    result = None
    for category in ("number", "zero", "dim"):
        if category not in dtypes:
            continue
        dtype = dtypes[category]
        result = dtype if result is None else _combined(dtype, result)
    return result


def _combined(higher, lower):
    """Of a category and those below it, as torch.result_type has it of two tensors."""
    with_dims = torch.empty([1], dtype=higher, device="meta")
    return torch.result_type(with_dims, torch.empty([], dtype=lower, device="meta"))


def pointwise(name, compute, dtypes, tensors, promoting, numbers, bool_result):
    """The result of a call, of which only sizes, strides, dtype and device are known."""
    dtype = result_dtype(name, compute, dtypes, promoting, numbers)
    sizes = torch.broadcast_shapes(*(tensor.shape for tensor in tensors))
    expanded = [tensor.expand(sizes) for tensor in tensors]
    strides = compute_elementwise_output_strides(*expanded)
    device = next((t.device for t in tensors if t.dim()), tensors[0].device)
    return torch.empty_strided(
        sizes, strides, dtype=torch.bool if bool_result else dtype, device=device
    )


def register_pointwise_vmap(operator, tensor_names, promoting, floats=False):
    """Lines the dimensions of each example up behind those of the batch. `promoting` decide the dtype, and
    with `floats` whole numbers beside whole numbers are not cast, for they are computed with as floats; None
    where a kernel by hand decides."""
    names = [argument.name for argument in operator._schema.arguments]
    keyword = [argument.name for argument in operator._schema.arguments if argument.kwarg_only]

    def rule(info, in_dims, *args, **kwargs):
        given = dict(zip(names, args)) | kwargs
        dims = dict(zip(names, in_dims))
        ranks = {
            name: given[name].dim() - (dims.get(name) is not None)
            for name in tensor_names
            if isinstance(given.get(name), torch.Tensor)
        }
        rank = max(ranks.values())
        if promoting is None and _has_numbers_of_other_dtypes(given, ranks, dims):
            return _one_by_one(operator, info, in_dims, args, kwargs)
        dtype = _dtype_of_examples(given, ranks, promoting or [], floats)
        for name in ranks:
            if dims.get(name) is None:
                continue
            tensor = given[name].movedim(dims[name], 0)
            if dtype is not None and name in promoting and ranks[name] == 0:
                tensor = tensor.to(dtype)
            missing = (1,) * (rank - ranks[name])
            given[name] = tensor.reshape(tensor.shape[:1] + missing + tensor.shape[1:])
        positional = [given[name] for name in names if name in given and name not in keyword]
        keywords = {name: given[name] for name in keyword if name in given}
        return _in_front(operator(*positional, **keywords))

    torch.library.register_vmap(operator, rule)


def _has_numbers_of_other_dtypes(given, ranks, dims):
    """Whether an example without dimensions meets another dtype."""
    mixed = len({given[name].dtype for name in ranks}) > 1
    return mixed and any(ranks[name] == 0 and dims.get(name) is not None for name in ranks)


def _dtype_of_examples(given, ranks, promoting, floats):
    """The dtype that examples of several are promoted to; None where no example has to be cast.

    An example of no dimensions promotes less than one that has some; its batch has one."""
    kinds = {name: (given[name].dtype, ranks[name]) for name in ranks if name in promoting}
    if len({dtype for dtype, _ in kinds.values()}) < 2:
        return None
    dtype = _promoted([torch.empty([1] * r, dtype=d, device="meta") for d, r in kinds.values()])
    return None if floats and not dtype.is_floating_point else dtype


def _in_front(result):
    """Results with the examples in front, and that they are there."""
    return result, 0 if isinstance(result, torch.Tensor) else (0,) * len(result)


def register_leading_vmap(operator):
    """For an operator that does the same, whatever stands in front."""

    def rule(info, in_dims, *args, **kwargs):
        return _in_front(operator(*(_batched(v, dim) for v, dim in zip(args, in_dims)), **kwargs))

    torch.library.register_vmap(operator, rule)


def _batched(value, dim):
    """An argument with the examples in front."""
    return value.movedim(dim, 0) if isinstance(value, torch.Tensor) and dim is not None else value


def _behind(dim, rank):
    """Dimensions of an example, counted in the batch; None if they are none of an example."""
    if isinstance(dim, list | tuple):
        found = [_behind(d, rank) for d in dim]
        return found if found and None not in found else None
    is_one = isinstance(dim, int) and not isinstance(dim, bool)
    return dim % rank + 1 if is_one and -rank <= dim < rank else None


def _looks_like(result, example, count):
    """Whether results of a batch have the sizes of so many examples."""
    results, examples = (
        (r,) if isinstance(r, torch.Tensor) else tuple(r) for r in (result, example)
    )
    return all(r.shape == (count, *e.shape) for r, e in zip(results, examples, strict=True))


def register_dims_vmap(operator, tensor_name, dim_names):
    """Puts the examples in front, and counts the dimensions that arguments name behind them.

    Where that is not all there is to it, one example runs after the other: they have no dimensions, an
    argument names none of theirs, or the operator asks for something of the batch as if it were an example.
    """
    arguments = operator._schema.arguments
    names = [argument.name for argument in arguments]

    def call(given):
        keyword = {a.name: given[a.name] for a in arguments if a.kwarg_only and a.name in given}
        return operator(**{n: v for n, v in given.items() if n not in keyword}, **keyword)

    def at_once(given, tensor, count):
        dims = {
            a.name: _behind(given.get(a.name, a.default_value), tensor.dim() - 1)
            for a in arguments
            if a.name in dim_names
        }
        if tensor.dim() < 2 or None in dims.values():
            return None
        # What an example has to be, its operator says of one without data, in its own words.
        example = torch.empty(tensor.shape[1:], dtype=tensor.dtype, device="meta")
        expected = call(given | {tensor_name: example})
        try:
            result = call(given | {tensor_name: tensor} | dims)
        except (RuntimeError, ValueError, IndexError):
            return None
        return result if _looks_like(result, expected, count) else None

    def rule(info, in_dims, *args, **kwargs):
        given = dict(zip(names, args)) | kwargs
        tensor = _batched(given[tensor_name], in_dims[names.index(tensor_name)])
        result = at_once(given, tensor, info.batch_size)
        return (
            _one_by_one(operator, info, in_dims, args, kwargs)
            if result is None
            else _in_front(result)
        )

    torch.library.register_vmap(operator, rule)


def _one_by_one(operator, info, in_dims, args, kwargs):
    def example(value, dim, index):
        if isinstance(dim, list | tuple):  # of a list of tensors
            return [example(v, d, index) for v, d in zip(value, dim)]
        return (
            value.select(dim, index)
            if isinstance(value, torch.Tensor) and dim is not None
            else value
        )

    if info.batch_size == 0:
        return _of_no_examples(operator, in_dims, args, kwargs)
    results = [
        operator(*(example(value, dim, index) for value, dim in zip(args, in_dims)), **kwargs)
        for index in range(info.batch_size)
    ]
    if isinstance(results[0], torch.Tensor):
        return torch.stack(results), 0
    return _in_front(tuple(torch.stack(parts) for parts in zip(*results)))


def _of_no_examples(operator, in_dims, args, kwargs):
    """What an example would be decides the sizes."""

    def example(value, dim):
        if isinstance(dim, list | tuple):
            return [example(v, d) for v, d in zip(value, dim)]
        if not isinstance(value, torch.Tensor) or dim is None:
            return value
        return value.new_zeros(_batched(value, dim).shape[1:])

    result = operator(*(example(value, dim) for value, dim in zip(args, in_dims)), **kwargs)
    if isinstance(result, torch.Tensor):
        return result.new_empty((0, *result.shape)), 0
    return _in_front(tuple(part.new_empty((0, *part.shape)) for part in result))


def register_loop_vmap(operator):
    """One example after the other: right for any operator."""

    def rule(info, in_dims, *args, **kwargs):
        return _one_by_one(operator, info, in_dims, args, kwargs)

    torch.library.register_vmap(operator, rule)


def returning(packet, written):
    """An operator that writes arguments, as a function that gives them back.

    The operator itself gives nothing, so that torch.compile can make calls of it functional.

    Args:
        packet: the operator, with its overloads.
        written: (position, name) of each argument that it gives back.
    """

    def call(*args, **kwargs):
        packet(*args, **kwargs)
        found = tuple(args[at] if at < len(args) else kwargs[name] for at, name in written)
        return found[0] if len(found) == 1 else found

    call.__name__ = call.__qualname__ = packet.__name__
    return call
