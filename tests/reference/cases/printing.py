"""Printing: repr, str and format of tensors, sizes and parameters."""

from reference.samples import ALL, REAL
from reference.table import Table

table = Table(grad=False)

CODES = """ow.tensor(3.5)|ow.tensor(3.0)|ow.tensor(5)|ow.tensor(True)|ow.tensor([1, 2, 3])
ow.tensor([1.0, 2.0, 3.0])|ow.tensor([1.5, 2.25, -3.125])|ow.tensor([0.1, 0.2, 0.3])
ow.tensor([1e-5, 1.0])|ow.tensor([1e5, 1.0])|ow.tensor([1e8, 1.0])|ow.tensor([1e9, 2e9])
ow.tensor([123456789.0])|ow.tensor([1e-10, 1e-12])|ow.tensor([0.0001, 0.5])
ow.tensor([0.00001, 0.5])|ow.tensor([1000.0, 0.001])|ow.tensor([100000.0, 0.5])
ow.tensor([99999.0, 1.5])|ow.tensor([1e4, 1.5])|ow.tensor([0.0, -0.0])
ow.tensor([float('nan'), 1.0])|ow.tensor([inf, -inf])|ow.tensor([nan, inf, -inf, 1.5])
ow.tensor([nan, 2.0])|ow.tensor([1e30, -1e-30])|ow.tensor([nan])
ow.tensor([[1.0, -2.0], [3.0, 4.0]])|ow.tensor([[1, -20], [300, 4]])|ow.tensor([[True, False]])
ow.tensor([-1, 10, 100])|ow.tensor([])|ow.tensor([], dtype=ow.int64)|ow.zeros(0, 3)
ow.zeros(2, 0)|ow.zeros(0, dtype=ow.int32)|ow.zeros(2, 0, 3, dtype=ow.float64)
ow.zeros(0, requires_grad=True)|ow.zeros(())|ow.zeros(1)|ow.zeros(2, 3)|ow.ones(2, 2, 2)
ow.zeros(1, 1, 1, 1)|ow.arange(24).view(2, 3, 4)|ow.arange(16).view(2, 2, 2, 2)|ow.arange(999)
ow.arange(1000)|ow.arange(1001)|ow.arange(1200.0)|ow.arange(3000).view(3, 1000)
ow.arange(3000).view(1000, 3)|ow.arange(4000.0).view(10, 20, 20)|ow.zeros(30, 40)
ow.zeros(7, 200)|ow.zeros(1001, dtype=ow.bool)|ow.arange(2000).view(2, 10, 100)
ow.zeros(1, 1001)|ow.zeros(1001, 1)|ow.zeros(6, 167)|ow.zeros(7, 7, 7, 7)|ow.linspace(0, 1, 30)
ow.linspace(-1, 1, 12)|ow.linspace(0, 1e6, 9)|ow.linspace(0, 1, 7, dtype=ow.float64)
ow.tensor([1.0, 2.5], dtype=ow.float64)|ow.tensor([1, 2], dtype=ow.int32)
ow.tensor([1, 2], dtype=ow.uint8)|ow.tensor(1.5, dtype=ow.float16)|ow.tensor(1, dtype=ow.int8)
ow.tensor([0.1], dtype=ow.float64)|ow.tensor([0.1], dtype=ow.float16)
ow.tensor([0.1], dtype=ow.bfloat16)|ow.tensor([65504.0], dtype=ow.float16)
ow.tensor([3e38], dtype=ow.bfloat16)|ow.tensor([2**62])|ow.tensor([-(2**63), 2**63 - 1])
ow.tensor([255, 0], dtype=ow.uint8)|ow.tensor([-128, 127], dtype=ow.int8)
ow.tensor([1.0, 2.0], requires_grad=True)|ow.tensor(1.0, requires_grad=True)
ow.tensor([1.0], requires_grad=True, dtype=ow.float64)|ow.ones(2, requires_grad=True) + 1
(ow.ones(2, requires_grad=True) * 2).detach()|ow.ones(2, requires_grad=True).sum()
ow.ones(2, requires_grad=True).exp()|ow.ones(2, 2, requires_grad=True).t()
ow.ones(2, 2, requires_grad=True).view(4)|ow.ones(2, requires_grad=True)[0]
ow.ones(2, 2, requires_grad=True) @ ow.ones(2, 2)|ow.ones(2, requires_grad=True) * 2 - 1
ow.ones(2, requires_grad=True).relu()|ow.ones(2, requires_grad=True) / 2
-ow.ones(2, requires_grad=True)|ow.ones(2, requires_grad=True) ** 2
ow.ones(2, 2, requires_grad=True).mean()|ow.ones(2, requires_grad=True).sigmoid()
ow.ones(2, requires_grad=True).clone()|ow.ones(4, requires_grad=True).reshape(2, 2)
ow.ones(2, dtype=ow.float64, requires_grad=True) + 1|ow.zeros(0, 2, requires_grad=True) * 1
ow.arange(12).view(3, 4).t()|ow.arange(10)[::3]|ow.ones(1).expand(3)
ow.nn.Parameter(ow.ones(2, 2))|ow.nn.Parameter(ow.ones(2), requires_grad=False)
ow.nn.Parameter(ow.zeros(2, dtype=ow.float64))|ow.tensor([0.1 + 0.2])|ow.tensor([1.23456789])
ow.tensor([123.456789])|ow.tensor([12345.678])|ow.tensor([123456.78])|ow.tensor([0.00012345])
ow.tensor([1.0, 1000000.0])|ow.tensor([10000000.0, 1.0])|ow.tensor([1e7])
ow.tensor([16777216.0])|ow.tensor([1e-3, 1e-1])|ow.tensor([9.9999e-5, 1.0])
ow.tensor([[1e-8, 1.0], [2.0, 3.0]])|ow.tensor([1.0, 2.0, nan])|ow.tensor([1e10, nan])
ow.tensor([-1.0])|ow.tensor([-0.5, 0.5])|ow.tensor([1.99999])|ow.tensor([0.99999])
ow.tensor([2.5, 1e3])|ow.tensor([99999999.0, 1.0])|ow.tensor([0.5, 100.25, 7.0])|ow.tensor(1e-7)
ow.tensor(123456789)|ow.tensor(1e20)|ow.tensor(float('inf'))|ow.tensor(float('nan'))
ow.tensor(-2.5e-8)"""
codes = [code for line in CODES.splitlines() for code in line.split("|")]
for code in codes:
    table.case("repr", f"repr({code})")
for code in codes[:12]:
    table.case("str", f"str({code})")
    table.case("format", f"f'{{{code}}}'")
for dtype in ALL:
    table.case("repr", f"repr(ow.tensor([0, 1, 2], dtype=ow.{dtype}))")
    table.case("repr", f"repr(ow.ones(2, 2, dtype=ow.{dtype})[0, 0])")
table.many(
    "format",
    """f'{ow.tensor(3.14159):.2f}'
    f'{ow.tensor(3)}'
    f'{ow.tensor(3):5d}'
    f'{ow.tensor(2.5):>8}'
    '{:.3e}'.format(ow.tensor(12345.678))
    '%.2f' % ow.tensor(2.456)
    '%d' % ow.tensor(7)
    f'{ow.tensor([1.5])}'
    f'{ow.tensor([1, 2])}'
    f'{ow.tensor(1.0, requires_grad=True):.1f}'
    f'{ow.tensor(True)}'
    str(ow.tensor(3).item())
    str([ow.tensor(1), ow.tensor(2.0)])
    str({'a': ow.ones(2)})
    repr(ow.ones(2, 3).shape)
    str(ow.ones(2, 3).size())
    f'{ow.ones(2, 3).shape}'
    repr(ow.ones(2, 3).stride())
    repr(ow.float32)
    repr([ow.float16, ow.int64])
    repr(ow.nn.Parameter)[:7]
    repr(ow.max(ow.tensor([[1.0, 2.0]]), 1))
    repr(ow.sort(ow.tensor([3, 1])))
    repr(ow.topk(ow.tensor([3.0, 1.0]), 1))
    repr(ow.ones(2, requires_grad=True).add(1).grad_fn)[:14]
    (ow.ones(2, requires_grad=True) + 1).grad_fn.name()
    type((ow.ones(2, requires_grad=True) * 2).grad_fn).__name__
    repr(ow.ones(2).device)""",
)
OPTIONS = {
    "precision=2": "ow.tensor([1.23456, 2.0])",
    "precision=8": "ow.tensor([1.23456, 2.0])",
    "sci_mode=True": "ow.tensor([1.5, 2.0])",
    "sci_mode=False": "ow.tensor([1e-8, 2e8])",
    "threshold=5": "ow.arange(10.0)",
    "threshold=5, edgeitems=2": "ow.arange(40).view(8, 5)",
    "edgeitems=1": "ow.arange(2000)",
    "linewidth=20": "ow.arange(12)",
    "linewidth=120": "ow.linspace(0, 1, 20)",
    "profile='full', threshold=10000": "ow.arange(30)",
    "profile='short'": "ow.tensor([1.23456])",
    "profile='default'": "ow.tensor([1.23456])",
}
for options, code in OPTIONS.items():
    table.case(
        "printoptions",
        f"ow.set_printoptions({options}); repr({code})",
    )
table.case(
    "printoptions",
    "d = ow.float32; ow.set_default_dtype(ow.float64); repr((ow.ones(2), ow.ones(2, dtype=d)))",
)
table.case("repr", "repr(ow.tensor([1.0, 2.0], dtype=dt))", dtypes=REAL)
