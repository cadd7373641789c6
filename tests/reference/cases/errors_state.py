"""Errors of what lasts longer than a call: graphs, modules and memory."""

from reference.table import Table, error_cases

table = Table(raises=True, grad=False)
error_cases(
    table,
    "autograd",
    """ow.ones(2, requires_grad=True).add_(1)  # leaf
    x = ow.ones(2, requires_grad=True); x[0] = 5  # leaf
    x = ow.ones(2, requires_grad=True); x.view(-1).mul_(2)  # leaf
    x = ow.ones(2, requires_grad=True); x.zero_()  # leaf
    x = ow.ones(2, requires_grad=True); x += 1  # leaf
    x = ow.ones(2, requires_grad=True); ow.exp(x, out=x)
    x = ow.ones(2, requires_grad=True); ow.add(x, 1, out=ow.zeros(2))
    x = ow.ones(2, requires_grad=True); ow.add(ow.ones(2), 1, out=x)
    ow.ones(1, 3).expand(2, 3).add_(1)  # expand
    ow.ones(1).expand(3).mul_(2)
    ow.ones(3, 1).expand(3, 2).copy_(ow.ones(3, 2))
    ow.add(ow.ones(3), 1, out=ow.ones(1).expand(3))
    x = ow.ones(4); x[1:].copy_(x[:-1]); x.as_strided((2, 3), (1, 1)).add_(1)
    ow.ones(3).sum().backward()  # grad
    ow.ones(3, requires_grad=True).backward()  # scalar
    (ow.ones(3, requires_grad=True) * 2).backward()
    with ow.no_grad(): y = (ow.ones(3, requires_grad=True) * 2).sum(); y.backward()
    x = ow.ones(3); x.register_hook(lambda g: g)
    import copy; copy.deepcopy(ow.ones(3, requires_grad=True) * 2)
    ow.nn.Module().foo  # foo
    m = ow.nn.Module(); m.register_parameter('a.b', None)
    m = ow.nn.Module(); m.register_parameter('w', ow.ones(2))
    m = ow.nn.Module(); m.register_buffer('b', 3)
    m = ow.nn.Module(); m.add_module('m', 3)
    ow.nn.Module()(1)
    ow.nn.Sequential(ow.nn.ReLU())[3]""",
)
error_cases(
    table,
    "autograd",
    """y = x.exp().sum(); y.backward(); y.backward()  # second retain_graph
    y = (x * x).sum(); ow.autograd.grad(y, x); ow.autograd.grad(y, x)
    y = x.exp(); y.add_(1); y.sum().backward()  # modified exp
    y = x * 2; z = y * y; y[0] = 3; z.sum().backward()  # modified
    w = ow.ones(3); z = x * w; w.add_(1); z.sum().backward()  # modified
    w = ow.ones(3); z = x * w[1:2]; w.zero_(); z.sum().backward()  # modified
    y = x.sigmoid(); y.mul_(2); y.sum().backward()  # modified
    (x * 2).backward(ow.ones(2))
    (x * 2).backward('x')
    (x * 2).backward(3)
    ow.autograd.grad((x * 2).sum(), ow.ones(3, requires_grad=True))
    ow.autograd.grad((x * 2).sum(), ow.ones(3))
    ow.autograd.grad(x * 2, x)
    ow.autograd.grad([(x * 2).sum()], [x], [ow.ones(1), ow.ones(1)])
    ow.autograd.grad((x * 2).sum(), [])
    x.grad = 3
    x.grad = ow.ones(4)
    x.grad = ow.ones(3, dtype=ow.float64)
    (x * 2).requires_grad_(False)
    (x * 2).requires_grad = False
    ow.tensor(x.numpy())
    (x * 2).numpy()
    y = x.unbind(); y[0].mul_(2)
    y = (x * 2).split(1); y[0].mul_(2); y[0].sum().backward()
    (x * 2).register_post_accumulate_grad_hook(lambda p: None)
    x.register_hook(lambda g: 'x'); x.sum().backward()
    x.register_hook(lambda g: g[:2]); x.sum().backward()
    x.data = 3
    x.resize_(5)
    x.detach_().foo
    x.view(-1).detach_()""",
    before="x = ow.ones(3, requires_grad=True)",
)
error_cases(
    table,
    "module",
    """m.weight = ow.ones(3, 2)
    m.load_state_dict({})  # weight bias missing
    m.load_state_dict({'weight': ow.ones(3, 2), 'bias': ow.ones(3), 'x': ow.ones(1)})  # x
    m.load_state_dict({'weight': ow.ones(2, 2), 'bias': ow.ones(3)})  # weight""",
    before="m = ow.nn.Linear(2, 3)",
)
INFERENCE = """
with ow.inference_mode():
    y = ow.ones(3)
ow.ones(3, requires_grad=True).mul(y)
"""
table.case("autograd", INFERENCE, name="an inference tensor saved for backward", says="inference")
error_cases(
    table,
    "overflow",
    """ow.empty(2**40, 2**40)
    ow.zeros(2**62, 2**62)
    ow.zeros(2**31, 2**31, 2**31)
    ow.empty(2**62)
    ow.empty(2**63 - 1)
    ow.empty(2**63)
    ow.empty(2**70)
    ow.empty(-(2**70))
    ow.empty(2**60, dtype=ow.float64)
    ow.zeros(2**45)
    ow.ones(1).expand(2**40).clone()
    ow.ones(1).repeat(2**50)
    ow.arange(2**62)
    ow.full((2**50,), 1)
    ow.zeros(3).view(2**70)
    ow.zeros(3)[2**70]
    ow.zeros(3).as_strided((2**40,), (2**30,))
    ow.zeros(3).as_strided((2,), (2**62,))
    ow.zeros(3).as_strided((2,), (1,), 2**62)
    ow.tensor([2**70])
    ow.tensor(1).add(2**70)
    ow.tensor(1, dtype=ow.int8).fill_(300)
    ow.full((2,), 300, dtype=ow.uint8)
    ow.randint(2**40, (2,), dtype=ow.int32)
    ow.eye(2**40)
    ow.linspace(0, 1, 2**50)
    ow.cat([ow.ones(1).expand(2**62), ow.ones(1).expand(2**62)])""",
)
