"""An operator of each kind as an extension of PyTorch: its own tests, batches and dtypes."""

from pathlib import Path

import pytest
from support import build, generate, python_with_torch, run_in, words_of_kinds

HERE = Path("tests/codegen/emit/torch/kinds").resolve()
KINDS = Path("tests/codegen/emit/kinds").resolve()


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The folder of the package, built."""
    python_with_torch()
    out = tmp_path_factory.mktemp("kinds")
    made = generate(out, *words_of_kinds(HERE), ops=KINDS / "ops.yaml", library="kinds")
    assert made.returncode == 0, made.stderr
    built = build(out)
    assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-4000:]
    return out


def test_they_are_printed_without_pytorch(tmp_path):
    made = generate(tmp_path, *words_of_kinds(HERE), ops=KINDS / "ops.yaml", library="kinds")
    assert made.returncode == 0, made.stderr


def said(package, program):
    """What a program prints."""
    found = run_in(package, "-c", f"import torch, kinds\nfrom torch.func import vmap\n{program}")
    assert found.returncode == 0, found.stderr
    return found.stdout.splitlines()


def test_their_own_tests_pass(package):
    found = run_in(package, "-m", "pytest", "-q", "--show-capture=no", "tests")
    assert found.returncode == 0, found.stdout[-6000:]


def test_a_batch_is_what_its_examples_are_one_by_one(package):
    program = """
x = torch.tensor([[1.0, 2.0, 6.0], [4.0, 5.0, 9.0]])
for name, call in dict(
    center=kinds.center,
    rows=kinds.running_sum,
    scalars=lambda row: vmap(kinds.running_sum)(row),
    all=kinds.running_sum_of,
    dim=lambda row: kinds.running_sum_of(row, 0),
    total=kinds.total,
).items():
    found, expected = vmap(call)(x), torch.stack([call(row) for row in x])
    print(name, torch.equal(found, expected), found.tolist())
"""
    assert said(package, program) == [
        "center True [[-2.0, -1.0, 3.0], [-2.0, -1.0, 3.0]]",
        "rows True [[1.0, 3.0, 9.0], [4.0, 9.0, 18.0]]",
        "scalars True [[1.0, 2.0, 6.0], [4.0, 5.0, 9.0]]",
        "all True [[1.0, 3.0, 9.0], [4.0, 9.0, 18.0]]",
        "dim True [[1.0, 3.0, 9.0], [4.0, 9.0, 18.0]]",
        "total True [9.0, 18.0]",
    ]


def test_of_a_batch_each_example_is_checked(package):
    program = """
x = torch.ones(2, 3)
for call, batch in [(lambda row: kinds.running_sum(row, -2), x), (kinds.line_sums, x),
                    (kinds.line_sums, torch.ones(2, 2, 3, 4)), (kinds.total, torch.ones(2, 1, 1, 1)),
                    (kinds.peak, torch.ones(2, 0))]:
    try:
        print(vmap(call)(batch))
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
print(vmap(kinds.line_sums)(torch.ones(2, 3, 4)).shape, vmap(kinds.line_sums)(torch.ones(0, 3, 4)).shape)
print([part.shape for part in vmap(kinds.standardized)(torch.ones(0, 4))])
"""
    assert said(package, program) == [
        "IndexError Dimension out of range (expected to be in range of [-1, 0], but got -2)",
        "RuntimeError line_sums(): expected a matrix, got 1 dimensions",
        "RuntimeError line_sums(): expected a matrix, got 3 dimensions",
        "RuntimeError total(): expected at most two dimensions, got 3",
        "RuntimeError peak(): expected a row with elements, got 1 dimensions",
        "torch.Size([2, 4]) torch.Size([0, 4])",
        "[torch.Size([0, 4]), torch.Size([0, 1]), torch.Size([0, 1])]",
    ]


def test_a_gradient_of_a_batch_is_that_of_its_examples(package):
    program = """
x = torch.tensor([[1.0, 2.0, 6.0], [4.0, 5.0, 9.0]])
for call in (kinds.center, kinds.running_sum, kinds.total, lambda row: kinds.standardized(row)[0]):
    gradient = torch.func.grad(lambda row: (call(row) ** 2).sum())
    print(torch.allclose(vmap(gradient)(x), torch.stack([gradient(row) for row in x])))
"""
    assert said(package, program) == ["True"] * 4


def test_dtypes_without_data_are_those_of_the_kernel(package):
    """Of tensors with dimensions, tensors without and numbers the highest kind decides first."""
    program = """
import itertools
types = (torch.bool, torch.uint8, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64)
wrong = []
for dtypes in itertools.product(types, repeat=3):
    for ranks in itertools.product((0, 1), repeat=3):
        for scale in (True, 2, 0.5):
            given = [torch.ones([3] * r, dtype=d) for r, d in zip(ranks, dtypes)]
            kernel = kinds.muladd(*given, scale).dtype
            without = kinds.muladd(*(t.to("meta") for t in given), scale).dtype
            if kernel != without:
                wrong.append((dtypes, ranks, scale, kernel, without))
print(wrong[:3])
ones = lambda sizes, dtype: torch.ones(sizes, dtype=dtype, device="meta")
print(kinds.muladd(ones(3, torch.int64), ones([], torch.float32), ones([], torch.float64)).dtype)
"""
    assert said(package, program) == ["[]", "torch.float64"]


def test_nan_is_spelled_so_that_it_is_computed(package):
    program = "print(kinds.not_a_number(torch.tensor([1.0, 99.0, 100.0, 1e9])).tolist())"
    assert said(package, program) == ["[1.0, 99.0, nan, nan]"]


def test_whole_numbers_and_truth_values_are_computed_with_as_in_cpp(package):
    found = run_in(package, KINDS / "more_whole.py", "torch")
    assert (found.stdout, found.returncode) == ("compared\n", 0), found.stdout + found.stderr


def test_where_nothing_but_truth_is_read_nothing_is_promoted(package):
    program = """
x, y = torch.tensor([0.0, 2.0, 3.0]), torch.tensor([1, 1, 0])
for found in (kinds.both(x, y), kinds.both(x.bool(), y.bool()), kinds.both(x.to("meta"), y.to("meta")),
              vmap(kinds.both)(x, y)):
    print(found.dtype, found.tolist() if found.device.type == "cpu" else tuple(found.shape))
"""
    values = "torch.bool [False, True, False]"
    assert said(package, program) == [values, values, "torch.bool (3,)", values]


def test_of_one_dtype_are_the_tensors_beside_a_mask(package):
    program = """
mask, x, y = torch.tensor([True, False]), torch.ones(2), torch.zeros(2)
print(kinds.blend(mask, x, y).tolist(), vmap(kinds.blend)(mask, x, y).tolist())
for call in (kinds.blend, vmap(kinds.blend)):
    try:
        print(call(mask, x, y.double()))
    except RuntimeError as error:
        print(str(error).splitlines()[0])
"""
    refused = "blend(): expected tensors of one dtype, got "
    shown = said(package, program)
    assert shown[0] == "[1.0, 0.0] [1.0, 0.0]"
    assert [line.startswith(refused) for line in shown[1:]] == [True, True], shown


def test_threads_go_backwards_through_one_node(package):
    program = """
import threading
x = torch.ones(1000, requires_grad=True)
loss = kinds.running_sum(x).sum()
found = []
def run():
    try:
        found.append(torch.autograd.grad(loss, x, retain_graph=True)[0][0].item())
    except RuntimeError as error:
        found.append(str(error))
threads = [threading.Thread(target=run) for _ in range(8)]
[t.start() for t in threads], [t.join() for t in threads]
print(set(found))
"""
    assert said(package, program) == ["{1000.0}"]


def test_an_argument_that_is_written_is_seen_as_written(package):
    program = """
total, value = torch.zeros(2, 3), torch.ones(2, 3)
version = total._version
print(kinds.accumulate_(total, value), total.tolist(), total._version - version)
def twice_of_sum(total, value):
    kinds.accumulate_(total, value)
    return total * 2
compiled = torch.compile(twice_of_sum, fullgraph=True, backend="aot_eager")
print(compiled(total, value).tolist(), total.tolist())
a = torch.ones(2, 3, requires_grad=True) * 1
b = a * a
with torch.no_grad():
    kinds.accumulate_(a, value)
try:
    b.sum().backward()
except RuntimeError as error:
    print("modified by an inplace operation" in str(error))
for call in (lambda: kinds.accumulate_(torch.ones(2, requires_grad=True), torch.ones(2)),
             lambda: kinds.accumulate_(torch.ones(2), torch.ones(3)),
             lambda: kinds.accumulate_(torch.ones(2, device="meta"), torch.ones(3, device="meta"))):
    try:
        call()
    except RuntimeError as error:
        print(str(error).splitlines()[0])
"""
    assert said(package, program) == [
        "None [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]] 1",
        "[[4.0, 4.0, 4.0], [4.0, 4.0, 4.0]] [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]",
        "True",
        "accumulate_(): argument 'total' requires gradients, and is written by an operator that has none",
        "accumulate_(): expected a value of sizes [2], got [3]",
        "accumulate_(): expected a value of sizes [2], got [3]",
    ]


def test_an_argument_that_is_written_is_given_back(package):
    """Operators give nothing, so that a trace can be made functional; the functions of the package do."""
    program = """
x, y = torch.ones(2, 3), torch.zeros(2, 3)
print(kinds.scale_(x) is x, kinds.scale_(self=x, by=0.5) is x, x.tolist(), x._version)
print(kinds.exchange_(x, other=y) is x, x.tolist(), y.tolist())
print(torch.ops.kinds.scale_.default._schema, torch.ops.kinds.scale_(x))
def program(x, y):
    return kinds.exchange_(kinds.scale_(x, 3.0), y) + 10 * y
def fresh():
    return torch.arange(3.0), torch.ones(3)
for backend in ("aot_eager", "inductor"):
    a, b = fresh(), fresh()
    compiled = torch.compile(program, fullgraph=True, backend=backend)
    print(torch.equal(compiled(*a), program(*b)), all(map(torch.equal, a, b)), a[0].tolist(), a[1].tolist())
for operator, given in ((torch.ops.kinds.scale_.default, (torch.ones(2, 3), 2.0)),
                        (torch.ops.kinds.exchange_.default, fresh())):
    print(set(torch.library.opcheck(operator, given).values()))
try:
    kinds.scale_(torch.ones(2, requires_grad=True))
except RuntimeError as error:
    print(str(error).splitlines()[0])
"""
    assert said(package, program) == [
        "True True [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]] 2",
        "True [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]] [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]",
        "kinds::scale_(Tensor(a!) self, float by=2.) -> () None",
        *["True True [1.0, 1.0, 1.0] [0.0, 3.0, 6.0]"] * 2,
        *["{'SUCCESS'}"] * 2,
        "scale_(): argument 'self' requires gradients, and is written by an operator that has none",
    ]


def test_memory_is_shared_until_it_is_written(package):
    """What a lazy clone shares with its original is copied by whoever writes, and by nobody who reads."""
    program = """
x, value = torch.arange(6.0).reshape(2, 3), torch.ones(2, 3)
is_shared = torch._C._is_cow_tensor
for write in (lambda y: kinds.accumulate_(y, value), kinds.scale_,
              lambda y: kinds.exchange_(value.clone(), y)):
    y = torch._lazy_clone(x)
    write(y)
    print(x.tolist(), torch.equal(x, y), is_shared(y))
y = torch._lazy_clone(x)
for read in (kinds.center, kinds.running_sum, kinds.total, kinds.standardized, lambda y: kinds.joined([y, y]),
             lambda y: kinds.muladd(y, y, y), lambda y: kinds.both(y, y),
             lambda y: kinds.muladd(y, 2 * x, y.double()), lambda y: kinds.accumulate_(value, y),
             lambda y: kinds.largest_of([y, x]), lambda y: kinds.weighted_sum(y, y)):
    read(y)
print(is_shared(y), torch.equal(x, y))
"""
    shared = "[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]"
    assert said(package, program) == [*[f"{shared} False False"] * 3, "True True"]


def test_lists_have_gradients_by_formulas(package):
    program = """
from torch.autograd import forward_ad, gradcheck, gradgradcheck
draw = lambda *sizes: torch.rand(*sizes, dtype=torch.float64, requires_grad=True)
a, b, c, d = draw(2, 3), draw(1, 3), draw(2, 3), draw(2, 3)
joined = lambda *tensors: kinds.joined(list(tensors))
tilted = lambda x, a, b, w: kinds.tilted(x, [a, b], w)
for function, given in ((joined, (a, b, c)), (tilted, (a, c, d, a))):
    print(gradcheck(function, given), gradgradcheck(function, given))
print(torch.func.jvp(joined, (a, b), (torch.ones_like(a), torch.zeros_like(b)))[1].tolist())
for names in ((0,), (1,), (2,), (3,), (1, 3)):
    given = [t.detach().requires_grad_(i in names) for i, t in enumerate((a, c, d, a))]
    found = torch.autograd.grad(tilted(*given).sum(), [given[i] for i in names])
    print(names, [tuple(g.shape) for g in found])
plain = lambda x, a, b, w: x + w * a * b
def step(function, *given):
    given = [t.detach().requires_grad_() for t in given]
    function(*given).sin().sum().backward()
    return [t.grad for t in given]
expected = step(plain, a, c, d, a)
close = lambda found: all(map(torch.allclose, found, expected))
print(close(step(tilted, a, c, d, a)))
for dynamic in (False, True):
    compiled = torch.compile(tilted, fullgraph=True, backend="aot_eager", dynamic=dynamic)
    print(close(step(compiled, a, c, d, a)))
loss = lambda x, a, b, w: tilted(x, a, b, w).sin().sum()
rows = torch.func.vmap(torch.func.grad(loss, argnums=(0, 1, 2, 3)))
print(close(rows(a, c, d, a)))
graphs = []
def compiler(graph):
    graphs.append(graph)
    return torch.compile(graph, backend="aot_eager", fullgraph=True, dynamic=True)
with torch._dynamo.compiled_autograd._enable(compiler):
    print(close(step(tilted, a, c, d, a)), close(step(tilted, a, c, d, a)), len(graphs))
for call in (lambda: kinds.tilted(a, [c], d), lambda: kinds.joined([a, c[0]]),
             lambda: kinds.joined([a, b.t()], 0), lambda: kinds.joined([a.sum().detach()]),
             lambda: kinds.joined([a], 2)):
    try:
        print(call())
    except (RuntimeError, ValueError, IndexError) as error:
        print(type(error).__name__, str(error).splitlines()[0])
print(kinds.joined([a, torch.zeros(0, dtype=torch.float64)]).shape)
"""
    assert said(package, program) == [
        *["True True"] * 2,
        "[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]",
        "(0,) [(2, 3)]",
        "(1,) [(2, 3)]",
        "(2,) [(2, 3)]",
        "(3,) [(2, 3)]",
        "(1, 3) [(2, 3), (2, 3)]",
        *["True"] * 4,
        "True True 1",
        "RuntimeError tilted(): expected two other tensors, got 1",
        "RuntimeError cat(): Tensors must have same number of dimensions: got 2 and 1 for tensor number 1 in "
        "the list",
        "RuntimeError cat(): Sizes of tensors must match except in dimension 0. Expected size 3 but got size "
        "1 for tensor number 1 in the list.",
        "RuntimeError zero-dimensional tensor (at position 0) cannot be concatenated",
        "IndexError Dimension out of range (expected to be in range of [-2, 1], but got 2)",
        "torch.Size([2, 3])",
    ]


def test_rules_refuse_what_has_no_answer(package):
    """A division by zero, and a list shorter than an index, would end the process."""
    program = """
x = torch.arange(6.0).reshape(2, 3)
print(kinds.every_nth(x, 2).tolist(), kinds.firsts(x).tolist(), kinds.firsts(x[1, 2]).tolist())
for call in (lambda: kinds.every_nth(x, 0), lambda: kinds.firsts(x[0, 0], 1)):
    try:
        print(call())
    except (RuntimeError, IndexError) as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""
    assert said(package, program) == [
        "[0.0, 2.0, 4.0] [0.0, 1.0, 2.0] 5.0",
        "RuntimeError division by zero",
        "IndexError Dimension out of range (expected to be in range of [-1, 0], but got 1)",
    ]


def test_tensors_that_are_none_and_lists(package):
    program = """
x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
print(kinds.weighted_sum(x).item(), kinds.weighted_sum(x, w).item(), kinds.weighted_sum(x, None).item())
print(torch.autograd.grad(kinds.weighted_sum(x, w), (x, w)), torch.autograd.grad(kinds.weighted_sum(x), x))
print(vmap(kinds.weighted_sum, in_dims=(0, None))(torch.ones(2, 2), torch.tensor([1.0, 2.0])).tolist())
print(vmap(kinds.weighted_sum)(torch.ones(2, 2)).tolist())
largest = lambda row: kinds.largest_of([row, row + 1])
print(kinds.largest_of([x, w]).tolist(), vmap(largest)(torch.ones(2, 2)).tolist())
try:
    kinds.weighted_sum(x, torch.ones(3))
except RuntimeError as error:
    print(str(error).splitlines()[0])
"""
    assert said(package, program) == [
        "3.0 11.0 3.0",
        "(tensor([3., 4.]), tensor([1., 2.])) (tensor([1., 1.]),)",
        "[3.0, 3.0]",
        "[2.0, 2.0]",
        "[3.0, 4.0] [[2.0, 2.0], [2.0, 2.0]]",
        "weighted_sum(): expected a weight for each element",
    ]


def test_a_backward_pass_is_compiled_once_for_all_sizes(package):
    """What a node keeps are arguments of the graph: other numbers do not compile it again."""
    program = """
graphs = []
def compiler(graph):
    graphs.append(graph)
    return torch.compile(graph, backend="aot_eager", fullgraph=True, dynamic=True)
with torch._dynamo.compiled_autograd._enable(compiler):
    for size in (3, 3, 3):
        x = torch.rand(2, size, requires_grad=True)
        y = kinds.muladd(x, x * 2, x, 0.5)
        (kinds.standardized(y)[0].sin().sum() + kinds.total(x)).backward()
print(len(graphs))
"""
    assert said(package, program) == ["1"]


def test_what_nobody_may_differentiate_by(package):
    program = """
import torch.autograd.forward_ad as forward
x, w = torch.ones(2), torch.ones(2)
kinds.weighed(x.requires_grad_(), w).sum().backward()
print(x.grad.tolist())
w.requires_grad_()
with torch.no_grad():
    print(kinds.weighed(x, w).tolist())
def dual():
    with forward.dual_level():
        kinds.weighed(x, forward.make_dual(w.detach(), w.detach()))
for call in (lambda: kinds.weighed(x, w), dual):
    try:
        print(call())
    except RuntimeError as error:
        print(str(error).splitlines()[0])
"""
    refused = "The function 'weighed' is not differentiable with respect to argument 'weight'."
    assert said(package, program) == [
        "[1.0, 1.0]",
        "[1.0, 1.0]",
        f"{refused} This input cannot have requires_grad True.",
        f"{refused} This input cannot have a tangent.",
    ]
