"""Every operator with its sample calls: values, gradients in both directions, traces and batches.

On the CPU and, where there is one, on a GPU, if the operator runs there.
"""

import math

import pytest
import torch
from samples import CALLS, Drawn, Elements, Symbol

DOMAINS = {
    "real": lambda r: 4 * r - 2,
    "positive": lambda r: 2 * r + 0.1,
    "unit": lambda r: 1.8 * r - 0.9,
    "nonzero": lambda r: torch.where(r > 0.5, r + 0.2, r - 1.2),
    "ge1": lambda r: r + 1.1,
    "prob": lambda r: 0.9 * r + 0.05,
    "small": lambda r: 0.9 * r - 0.45,
    "wide": lambda r: 24 * r - 12,
    "distinct": lambda r: torch.randperm(r.numel()).reshape(r.shape).to(r.dtype) / 3 + 0.1,
    "int": lambda r: (r * 9).long(),
    "bool": lambda r: r > 0.5,
}


class Place:
    """Where the arguments of calls are."""

    device = "cpu"


@pytest.fixture(autouse=True, params=["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"])
def place(request):
    name = request.node.callspec.params["call"].operator.name()
    key = {"cpu": "CPU", "cuda": "CUDA"}[request.param]
    if not torch._C._dispatch_has_computed_kernel_for_dispatch_key(name, key):
        pytest.skip(f"{name} has no kernel for {request.param}")
    Place.device = request.param


class Reference:
    """The functions of expressions as PyTorch has them: an answer without the kernels."""

    OTHER = {"negate": "neg", "round": "round", "floor_div": "floor_divide", "square": "square"}
    BITS = {
        "bit_and": "bitwise_and",
        "bit_or": "bitwise_or",
        "bit_xor": "bitwise_xor",
        "bit_not": "bitwise_not",
    }
    BITS |= {"gcd": "gcd", "shift_left": "bitwise_left_shift", "shift_right": "bitwise_right_shift"}

    def __getattr__(self, name):
        if name in self.BITS:
            return lambda *values: getattr(torch, self.BITS[name])(*map(self.whole, values))
        function = getattr(torch, self.OTHER.get(name, name))
        return lambda *values: function(*(self.exact(value) for value in values))

    @staticmethod
    def exact(value):
        if value is None:  # of a branch that is not taken
            value = 0.0
        return (
            torch.tensor(value, dtype=torch.float64, device=Place.device)
            if isinstance(value, float)
            else torch.as_tensor(value, device=Place.device)
        )

    def whole(self, value):
        """What has bits: numbers that are written in an expression are floats."""
        value = self.exact(value)
        return value.long() if value.is_floating_point() else value

    def select(self, mask, yes, no):
        return torch.where(self.exact(mask), self.exact(yes), self.exact(no))

    def to_value(self, mask):
        return self.exact(mask).to(torch.float64)

    def to_boolean(self, value):
        return self.exact(value) != 0

    def trigamma(self, value):
        return torch.polygamma(1, value)

    def trunc_div(self, x, y):
        return torch.div(x, y, rounding_mode="trunc")


def draw(value):
    if isinstance(value, Drawn):
        if value.limit:
            drawn = torch.randint(value.limit, value.shape or ())
        else:
            drawn = DOMAINS[value.domain](torch.rand(value.shape or (), dtype=torch.float64))
        if value.dtype:
            drawn = drawn.to(getattr(torch, value.dtype))
        return drawn.item() if value.shape is None else drawn
    if isinstance(value, Elements):
        return torch.tensor(value.values, dtype=torch.float64)
    if isinstance(value, Symbol):
        return getattr(torch, value.name)
    return [draw(item) for item in value] if isinstance(value, list) else value


def arguments(call):
    """What a call is given; a list where an entry has one number for it, which a trace may not know."""
    torch.manual_seed(1)
    lists = {a.name for a in call.operator._schema.arguments if "List[" in str(a.type)}
    given = {name: moved(draw(value)) for name, value in call.arguments.items()}
    one = {n: [v] for n, v in given.items() if n in lists and isinstance(v, int | float)}
    return given | one


def moved(value):
    if isinstance(value, list):
        return [moved(item) for item in value]
    return value.to(Place.device) if isinstance(value, torch.Tensor) else value


def split(call, given):
    """Positional and keyword arguments, as opcheck takes them."""
    schema = call.operator._schema.arguments
    keyword = {a.name: given[a.name] for a in schema if a.kwarg_only and a.name in given}
    return [given[a.name] for a in schema if not a.kwarg_only and a.name in given], keyword


def tensors_of(given):
    """The tensors of a call, by the names of arguments; those of lists by name and place."""
    found = {}
    for name, value in given.items():
        each = (
            {(name, i): v for i, v in enumerate(value)}
            if isinstance(value, list)
            else {name: value}
        )
        found |= {key: v for key, v in each.items() if isinstance(v, torch.Tensor)}
    return found


def leaves(given):
    """Those that can have gradients."""
    return {key: v for key, v in tensors_of(given).items() if v.is_floating_point()}


def variable(call, given):
    """Those that the call may be differentiated by."""
    return {key: v for key, v in leaves(given).items() if key not in call.refused}


def replaced(given, tensors):
    """The arguments with these tensors in their places."""
    found = {name: list(v) if isinstance(v, list) else v for name, v in given.items()}
    for key, tensor in tensors.items():
        if isinstance(key, tuple):
            found[key[0]][key[1]] = tensor
        else:
            found[key] = tensor
    return found


def written(call):
    """Names of the arguments that a call writes."""
    arguments = call.operator._schema.arguments
    return [a.name for a in arguments if a.alias_info is not None and a.alias_info.is_write]


def run(call, given):
    """The results of a call; of one that writes, copies of what it wrote."""
    return run_writing(call, written(call), given)


def run_writing(call, names, given):
    given = given | {name: given[name].clone() for name in names}
    found = call.operator(**given)
    return tuple(given[name] for name in names) if names else found


def as_function(call, given, names):
    writes = written(call)  # not traced: before 2.15 the schema cannot be

    def function(*tensors):
        return run_writing(call, writes, replaced(given, dict(zip(names, tensors))))

    return function


def parts(found):
    """The results of a call, of which there may be one or several."""
    return (found,) if isinstance(found, torch.Tensor) else tuple(found)


def total(found):
    """A number that depends on every result that has a gradient."""
    return sum(part.sum() for part in parts(found) if part.requires_grad)


def assert_close(found, expected):
    for a, b in zip(parts(found), parts(expected), strict=True):
        torch.testing.assert_close(a, b)


IDS = [f"{call.name}-{index}" for index, call in enumerate(CALLS)]
DIFFERENTIABLE = [call for call in CALLS if call.differentiable]


TOLERANCES = {torch.float64: 1e-12, torch.float32: 1e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}
# Of calls without floats.
WHOLE = {torch.float64: torch.int64, torch.float32: torch.int32, torch.float16: torch.int16}


def in_dtype(given, dtype):
    """A call whose elements are of a dtype: its floats, or where it has none its whole numbers."""
    floats = leaves(given)
    to = dtype if floats else WHOLE.get(dtype, torch.uint8)
    chosen = floats or {key: v for key, v in tensors_of(given).items() if v.dtype == torch.int64}
    return replaced(given, {key: value.to(to) for key, value in chosen.items()})


def widest(value):
    if not isinstance(value, torch.Tensor) or value.dtype == torch.bool:
        return value
    return value.double() if value.is_floating_point() else value.long()


@pytest.mark.parametrize("call", [c for c in CALLS if c.reference], ids=lambda c: c.name)
@pytest.mark.parametrize("dtype", TOLERANCES)
def test_values(call, dtype):
    given = in_dtype(arguments(call), dtype)
    exact = {name: widest(value) for name, value in given.items()}
    expected = call.reference(Reference(), {**call.defaults, **exact})
    found = call.operator(**given)
    if leaves(given):
        assert found.dtype in (torch.bool, dtype)
        found = found.to(expected.dtype)
    elif not found.is_floating_point():  # what does not fit into it wraps
        expected = expected.to(found.dtype)
    tolerance = TOLERANCES[dtype]
    torch.testing.assert_close(
        found, expected, rtol=tolerance, atol=tolerance, check_dtype=not found.is_floating_point()
    )


@pytest.mark.parametrize("call", CALLS, ids=IDS)
def test_opcheck(call):
    given = arguments(call)
    for value in variable(call, given).values():
        value.requires_grad_(call.differentiable)
    torch.library.opcheck(call.operator, *split(call, given))


@pytest.mark.parametrize("call", CALLS, ids=IDS)
@pytest.mark.parametrize("dynamic", [False, True])
def test_compile(call, dynamic):
    torch._dynamo.reset()
    given = arguments(call)
    function = as_function(call, given, variable(call, given))
    compiled = torch.compile(function, fullgraph=True, dynamic=dynamic, backend="aot_eager")
    tensors = [
        value.requires_grad_(call.differentiable) for value in variable(call, given).values()
    ]
    found, expected = compiled(*tensors), function(*tensors)
    assert_close(found, expected)
    if call.differentiable:
        gradients = [torch.autograd.grad(total(results), tensors) for results in (found, expected)]
        assert_close(*gradients)


COMPILED_AUTOGRAD = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 15)


@pytest.mark.skipif(
    not COMPILED_AUTOGRAD, reason="nodes say what they keep to PyTorch 2.15 and later"
)
@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=lambda c: c.name)
@pytest.mark.parametrize("of", ["all", "each"])
def test_compiled_autograd(call, of):
    """A backward pass that is compiled gives the same gradients; also of one result alone."""
    torch._dynamo.reset()
    given = arguments(call)
    function = as_function(call, given, variable(call, given))
    tensors = [value.requires_grad_() for value in variable(call, given).values()]

    def losses():
        found = [part.sin().sum() for part in parts(function(*tensors)) if part.requires_grad]
        return [sum(found)] if of == "all" else found

    def gradients():
        rows = []
        for index in range(len(losses())):
            for tensor in tensors:
                tensor.grad = None
            losses()[index].backward()
            rows += [tensor.grad for tensor in tensors]
        return [row for row in rows if row is not None]

    expected = gradients()
    compiler = torch.compile(backend="aot_eager", fullgraph=True)
    with torch._dynamo.compiled_autograd._enable(compiler):
        found = gradients()
        again = gradients()  # the graph that is there
    assert_close(found, expected)
    assert_close(again, expected)


def has_forward_rule(function, tensors):
    """Whether an operator is differentiated forwards; one whose entry has no rule for that says so."""
    tangents = tuple(torch.ones_like(tensor) for tensor in tensors)
    try:
        torch.func.jvp(function, tuple(tensor.detach() for tensor in tensors), tangents)
    except NotImplementedError as error:
        if "has no rule for forward mode" not in str(error):
            raise
        return False
    return True


@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=lambda c: c.name)
def test_gradients(call):
    given = arguments(call)
    function = as_function(call, given, variable(call, given))
    tensors = [value.requires_grad_() for value in variable(call, given).values()]
    forwards = has_forward_rule(function, tensors)
    assert torch.autograd.gradcheck(
        function, tensors, check_forward_ad=forwards, check_batched_grad=True
    )
    assert torch.autograd.gradgradcheck(function, tensors, check_fwd_over_rev=forwards)


@pytest.mark.parametrize("call", DIFFERENTIABLE, ids=lambda c: c.name)
def test_gradients_of_each_result(call):
    """A result that nobody uses counts as zero."""
    given = arguments(call)
    function = as_function(call, given, variable(call, given))
    tensors = [value.requires_grad_() for value in variable(call, given).values()]
    whole = torch.autograd.grad(total(function(*tensors)), tensors, allow_unused=True)
    sums = [0] * len(tensors)
    for index, part in enumerate(parts(function(*tensors))):
        if part.requires_grad:
            alone = parts(function(*tensors))[index].sum()
            gradients = torch.autograd.grad(alone, tensors, allow_unused=True)
            sums = [s + (0 if g is None else g) for s, g in zip(sums, gradients)]
    for found, expected in zip(sums, whole):
        torch.testing.assert_close(found, 0 if expected is None else expected)


def other_example(value):
    if value.dim():
        return value.flip(0)
    return -value if value.is_floating_point() else value


def can_batch(call):
    """PyTorch takes no rule for operators with tensors by keyword alone."""
    keyword = [a for a in call.operator._schema.arguments if a.kwarg_only]
    return not written(call) and not any("Tensor" in str(a.type) for a in keyword)


@pytest.mark.filterwarnings("error:There is a performance drop:UserWarning")
@pytest.mark.parametrize("call", filter(can_batch, CALLS), ids=lambda c: c.name)
def test_batches(call):
    given = arguments(call)
    names = leaves(given) or tensors_of(given)
    function = as_function(call, given, names)
    batches = [torch.stack([value, other_example(value)], -1) for value in names.values()]
    for dims in [(-1,) * len(batches)] + [
        tuple(-1 if i == j else None for j in range(len(batches))) for i in range(len(batches))
    ]:
        tensors = [b if dim is not None else v for b, v, dim in zip(batches, names.values(), dims)]
        found = torch.func.vmap(function, dims)(*tensors)
        expected = [
            parts(
                function(*(t.select(-1, i) if d is not None else t for t, d in zip(tensors, dims)))
            )
            for i in range(2)
        ]
        assert_close(found, [torch.stack(examples) for examples in zip(*expected)])


@pytest.mark.parametrize("call", CALLS, ids=IDS)
def test_layouts(call):
    given = arguments(call)
    expected = run(call, given)
    for key, value in leaves(given).items():
        spread = value.new_empty(*value.shape, 2)[..., 1].copy_(value)
        assert_close(run(call, replaced(given, {key: spread})), expected)
    assert all(math.isfinite(part.double().sum()) for part in parts(expected))


@pytest.mark.parametrize("call", [c for c in CALLS if c.reference], ids=lambda c: c.name)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_on_devices_without_loops(call, dtype):
    """By PyTorch's operators, as on a GPU: the same kernel is that of devices which nobody has here."""
    given = arguments(call)
    given |= {name: value.to(dtype) for name, value in leaves(given).items()}
    elsewhere = torch._C.DispatchKeySet(torch._C.DispatchKey.XLA)
    positional, keyword = split(call, given)
    found = call.operator.redispatch(elsewhere, *positional, **keyword)
    expected = call.operator(**given)
    torch.testing.assert_close(found, expected, check_stride=True)


@pytest.mark.parametrize("call", [c for c in CALLS if c.reference], ids=lambda c: c.name)
@pytest.mark.parametrize("dtypes", [(torch.float32, torch.float64), (torch.float16, torch.float32)])
@pytest.mark.parametrize("first_is_number", [False, True])
def test_promotion(call, dtypes, first_is_number):
    given = arguments(call)
    names = list(leaves(given))[:2]
    if len(names) < 2:
        pytest.skip("one tensor has one dtype")
    values = [given[name].to(dtype) for name, dtype in zip(names, dtypes)]
    values[0 if first_is_number else 1] = values[0 if first_is_number else 1].flatten()[0]
    expected = torch.result_type(*values)
    given |= dict.fromkeys(leaves(given), values[0]) | dict(zip(names, values))
    on_meta = {n: v.to("meta") if isinstance(v, torch.Tensor) else v for n, v in given.items()}
    batched = torch.func.vmap(as_function(call, given, names))
    ways = [
        lambda: call.operator(**given),
        lambda: call.operator(**on_meta),
        lambda: batched(*(torch.stack([v, v]) for v in values))[0],
    ]
    try:
        ways[0]()
    except RuntimeError as error:  # tensors of several dtypes are none for this operator
        for way in ways:
            with pytest.raises(type(error), match="expected tensors of one dtype"):
                way()
        return
    for way in ways:
        assert way().dtype in (expected, torch.bool)
