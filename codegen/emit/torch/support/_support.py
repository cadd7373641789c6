"""What pointwise operators give without data, and how operators run on a batch."""

import torch
from torch._prims_common import compute_elementwise_output_strides


def result_dtype(name, compute, dtypes, tensors, numbers):
    """The dtype that an operator computes in: `tensors` and `numbers` are those that decide it."""
    dtype = tensors[0].dtype if compute == "first" else _promoted([*tensors, *numbers])
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


def _promoted(operands):
    dtype = operands[0].dtype if len(operands) == 1 else None
    if dtype is not None:
        return dtype
    # torch.result_type takes two operands; what ranks below a dimension has to stay below.
    ranked = {"dim": [], "zero": [], "number": []}
    for operand in operands:
        is_tensor = isinstance(operand, torch.Tensor)
        ranked["number" if not is_tensor else "dim" if operand.dim() else "zero"].append(operand)
    result = None
    for group in ranked.values():
        for operand in group:
            if isinstance(operand, torch.Tensor):
                operand = torch.empty(
                    [1] * min(operand.dim(), 1), dtype=operand.dtype, device="meta"
                )
            if result is None:
                result = operand
            else:
                dtype = torch.result_type(result, operand)
                is_dim = isinstance(result, torch.Tensor) and result.dim() > 0
                result = torch.empty([1] if is_dim else [], dtype=dtype, device="meta")
    return result.dtype if isinstance(result, torch.Tensor) else torch.tensor(result).dtype


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


def register_pointwise_vmap(operator, tensor_names, promoting):
    """Lines the dimensions of each example up behind those of the batch. `promoting` decide the dtype."""
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
        # An example of no dimensions promotes less than one that has some; its batch has one.
        kinds = {name: (given[name].dtype, ranks[name]) for name in ranks if name in promoting}
        mixed = len({dtype for dtype, _ in kinds.values()}) > 1
        examples = (
            [torch.empty([1] * r, dtype=d, device="meta") for d, r in kinds.values()]
            if mixed
            else []
        )
        dtype = _promoted(examples) if mixed else None
        for name in ranks:
            if dims.get(name) is None:
                continue
            tensor = given[name].movedim(dims[name], 0)
            if mixed and name in promoting and ranks[name] == 0:
                tensor = tensor.to(dtype)
            missing = (1,) * (rank - ranks[name])
            given[name] = tensor.reshape(tensor.shape[:1] + missing + tensor.shape[1:])
        positional = [given[name] for name in names if name in given and name not in keyword]
        return operator(*positional, **{name: given[name] for name in keyword if name in given}), 0

    torch.library.register_vmap(operator, rule)


def register_dims_vmap(operator, tensor_name, dim_names):
    """Puts the examples in front, and counts the dimensions that arguments name behind them."""
    arguments = operator._schema.arguments
    names = [argument.name for argument in arguments]

    def rule(info, in_dims, *args, **kwargs):
        given = dict(zip(names, args)) | kwargs
        tensor = given[tensor_name].movedim(in_dims[names.index(tensor_name)], 0)
        given[tensor_name] = tensor
        rank = tensor.dim() - 1
        for argument in arguments:
            if argument.name in dim_names:
                dim = given.get(argument.name, argument.default_value)
                # Out of range for an example: the operator says so, in its own words.
                if -rank <= dim < rank:
                    given[argument.name] = dim % rank + 1
        keyword = {a.name: given.pop(a.name) for a in arguments if a.kwarg_only and a.name in given}
        return operator(**given, **keyword), 0

    torch.library.register_vmap(operator, rule)


def register_loop_vmap(operator):
    """One example after the other: right for any operator."""

    def example(value, dim, index):
        return value.select(dim, index) if dim is not None else value

    def rule(info, in_dims, *args, **kwargs):
        results = [
            operator(*(example(value, dim, index) for value, dim in zip(args, in_dims)), **kwargs)
            for index in range(info.batch_size)
        ]
        if isinstance(results[0], torch.Tensor):
            return torch.stack(results), 0
        return tuple(torch.stack(parts) for parts in zip(*results)), (0,) * len(results[0])

    torch.library.register_vmap(operator, rule)
