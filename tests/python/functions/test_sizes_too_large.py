"""Calls whose results no memory holds: the error says of which tensor, and small mistakes come first."""

import time

import pytest
from support.sanitizers import sanitized

TOO_LARGE = {
    "ones": (lambda ow: ow.ones(2**42), [2**42], "float32", 4),
    "zeros": (lambda ow: ow.zeros(2**42, 2, dtype=ow.float64), [2**42, 2], "float64", 8),
    "arange": (lambda ow: ow.arange(2**42), [2**42], "int64", 8),
    "add": (lambda ow: ow.ones(3).expand(2**42, 3) + 1, [2**42, 3], "float32", 4),
    "matmul": (
        lambda ow: ow.ones(1, 1).expand(2**21, 1) @ ow.ones(1, 2**21),
        [2**21] * 2,
        "float32",
        4,
    ),
    "empty_strided": (lambda ow: ow.empty_strided((2**42, 1), (1, 1)), [2**42, 1], "float32", 4),
}


@pytest.mark.parametrize("call", TOO_LARGE)
def test_memory_that_is_not_there(ow, call):
    make, shape, dtype, size = TOO_LARGE[call]
    nbytes = size
    for length in shape:
        nbytes *= length
    with pytest.raises(ow.OutOfMemoryError) as error:
        make(ow)
    assert str(error.value) == (
        f"{call}(): CPU allocator: tried to allocate {nbytes} bytes: not enough memory, for a tensor "
        f"of shape {shape} and dtype {dtype}"
    )


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda ow, n: ow.eye(n), "eye"),
        (lambda ow, n: ow.ones(1).repeat(n, n), "repeat"),
        (lambda ow, n: ow.ops.zeros([n, n]), "zeros"),
        (lambda ow, n: ow.ones(n, n, device="meta"), "ones"),
        (lambda ow, n: ow.Tensor(n, n), "Tensor"),
        (lambda ow, n: ow.func.vmap(lambda x: ow.zeros(n, n) + x)(ow.ones(2)), "zeros"),
    ],
)
def test_sizes_without_a_product_name_the_operator(ow, call, name):
    with pytest.raises(RuntimeError) as error:
        call(ow, 2**33)
    assert str(error.value).startswith(f"{name}(): numel: the product of sizes ")


def test_the_backward_that_finds_no_memory_is_named(ow):
    x = ow.ones(1, requires_grad=True)
    element = x.expand(2**42)[3]
    with pytest.raises(ow.OutOfMemoryError, match=r"^SelectBackward0\(\): CPU allocator: tried"):
        element.backward()


def test_indexing_is_named(ow):
    with pytest.raises(ow.OutOfMemoryError, match=r"^__getitem__\(\): CPU allocator: tried"):
        ow.ones(3).expand(2**42, 3)[:, [0, 1]]


@pytest.mark.parametrize(
    "call",
    [
        lambda ops, grad, n: ops.diagonal_backward(grad, [n], 0, 0, 1),
        lambda ops, grad, n: ops.diagonal_backward(grad, [2, n // 2], 0, 0, 5),
        lambda ops, grad, n: ops.select_backward(grad, [n], 3, 0),
        lambda ops, grad, n: ops.slice_backward(grad, [n], 3, 0, 1, 1),
    ],
)
def test_dimensions_of_gradients_are_checked_before_memory_is_filled(ow, call):
    started = time.process_time()
    with pytest.raises(IndexError, match="Dimension out of range"):
        call(ow.ops, ow.ones(3), 2**31)
    assert time.process_time() - started < (5 if sanitized() else 0.5)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda ops, grad, n: ops.diagonal_backward(grad, [2, n // 2], 0, 0, 1),
            r"diagonal_backward\(\): a gradient of shape \[3\] does not fit into the part of shape "
            r"\[2\] of an input of shape \[2, 1073741824\]",
        ),
        (
            lambda ops, grad, n: ops.select_backward(grad, [n], 0, 0),
            r"select_backward\(\): a gradient of shape \[3\] does not fit into the part of shape \[\]",
        ),
        (
            lambda ops, grad, n: ops.slice_backward(grad, [n], 0, 0, 2, 1),
            r"slice_backward\(\): a gradient of shape \[3\] does not fit into the part of shape \[2\]",
        ),
    ],
)
def test_shapes_of_gradients_are_checked_before_memory_is_filled(ow, call, text):
    with pytest.raises(RuntimeError, match=text):
        call(ow.ops, ow.ones(3), 2**31)


@pytest.mark.parametrize("name", ["adaptive_avg_pool1d", "adaptive_max_pool1d"])
def test_sizes_of_one_dimension_name_the_function_of_one(ow, name):
    with pytest.raises(RuntimeError, match=rf"^{name}: elements of .* received .1099511627776.$"):
        getattr(ow.nn.functional, name)(ow.ones(1, 2, 3), [2**40])


@pytest.mark.parametrize("name", ["max_pool1d", "avg_pool1d"])
@pytest.mark.parametrize("arguments", [(2**63 - 1, 2**63 - 1), (1, 2**63 - 1), (2**62, 1, 2**61)])
def test_windows_of_one_dimension_name_the_function_of_one(ow, name, arguments):
    with pytest.raises(
        RuntimeError, match=rf"^{name}\(\): integer out of range: kernel_size=\[\d+\],"
    ):
        getattr(ow.nn.functional, name)(ow.ones(1, 2, 3), *arguments)
