"""The order in which einsum() multiplies several tensors: backends.opt_einsum."""

import opweave as ow
import pytest
from opweave import _einsum_order
from opweave.backends import opt_einsum

# In the place of the package, which need not be installed: it gives the order that a test wants.
PACKAGE = """
orders, asked = [], []

def contract_path(equation, *shapes, shapes_given=None, optimize=None, **options):
    asked.append((equation, shapes, optimize))
    return orders[-1], "what it costs"
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    (tmp_path / "opt_einsum.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = opt_einsum.enabled, opt_einsum.strategy
    opt_einsum.enabled = True
    yield opt_einsum.get_opt_einsum()
    opt_einsum._settings["enabled"].value, opt_einsum._settings["strategy"].value = before


EQUATIONS = {
    "ij,jk,kl->il": [[(1, 2), (0, 1)], [(0, 2), (0, 1)], [(0, 1, 2)]],
    "ij,jk,kl": [[(0, 1), (0, 1)]],
    "ij,jk,kl->": [[(1, 2), (0, 1)]],
    "ij, jk, kj -> k": [[(0, 2), (0, 1)]],
    "...ij,jk,...kl->...il": [[(0, 1), (0, 1)], [(1, 2), (0, 1)]],
    "ii,jk,kl->jl": [[(0,), (0, 1), (0, 1)]],
}


@pytest.mark.parametrize(
    ("equation", "order"), [(e, order) for e, orders in EQUATIONS.items() for order in orders]
)
def test_every_order_gives_the_same(package, equation, order):
    sizes = {"i": 2, "j": 3, "k": 4, "l": 5}
    inputs = equation.replace(" ", "").partition("->")[0].split(",")
    operands = [
        ow.rand(
            [6] * ("..." in part) + [sizes[n] for n in part.replace("...", "")], dtype=ow.float64
        )
        for part in inputs
    ]
    package.orders.append(order)
    found = ow.einsum(equation, *operands)
    assert package.asked[-1][1] == tuple(tuple(t.shape) for t in operands)
    ow.testing.assert_close(found, ow._C.einsum(equation, operands))


def test_what_is_asked_for_is_the_strategy_that_is_set(package):
    opt_einsum._settings["strategy"].value = "greedy"
    package.orders.append([(0, 1), (0, 1)])
    ow.einsum("i,i,i->", *[ow.ones(2)] * 3)
    assert package.asked[-1][2] == "greedy"
    count = len(package.asked)
    ow.einsum("i,i->", *[ow.ones(2)] * 2)
    opt_einsum.enabled = False
    ow.einsum("i,i,i->", *[ow.ones(2)] * 3)
    assert len(package.asked) == count
    assert not _einsum_order.is_searched()


def test_without_the_package_settings_are_refused(monkeypatch):
    monkeypatch.setattr(opt_einsum, "is_available", lambda: False)
    for name, value in (("enabled", True), ("strategy", "auto")):
        with pytest.raises(ValueError, match=f"{name} = {value!r}: the package opt_einsum is not"):
            setattr(opt_einsum, name, value)
    opt_einsum.enabled = False


@pytest.mark.parametrize(
    ("equation", "operands", "expected"),
    [
        ("i,j->", ([100] * 3, [1, 1]), 600),
        ("bi,j->bi", ([[100] * 3] * 2, [1] * 3), [[300] * 3] * 2),
        ("i,j,k->", ([100] * 3, [1, 1], [1, 1]), 1200),
        ("ij,jk->k", ([[100] * 3] * 2, [[1, 1]] * 3), [600, 600]),
    ],
)
def test_what_one_operand_alone_has_is_summed_in_int64(equation, operands, expected):
    found = ow.einsum(equation, *(ow.tensor(o, dtype=ow.int8) for o in operands))
    assert (found.dtype, found.tolist()) == (ow.int64, expected)


def test_counts_of_a_mask():
    mask = ow.tensor([[True] * 3])
    assert ow.einsum("bi,bj->b", mask, mask).tolist() == [9]


def test_of_size_one_there_is_no_sum():
    one = ow.tensor([[True]] * 5)
    assert ow.einsum("bi,bj->b", one, one).dtype is ow.bool
