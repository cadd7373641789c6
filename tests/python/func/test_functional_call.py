"""functional_call with parameters that have several names, and what it refuses; values as PyTorch 2.15 gives,
but that PyTorch leaves other parameters in a module whose tied ones it has replaced.
"""

import warnings

import opweave as ow
import pytest
from opweave.func import functional_call

TWO = ow.full((1, 1), 2.0)
THREE = ow.full((1, 1), 3.0)


class Tied(ow.nn.Module):
    """x times (1 + 10 + 100) times one parameter, and 1000 of a buffer."""

    def __init__(self):
        super().__init__()
        self.a = ow.nn.Linear(1, 1, bias=False)
        self.b = self.a
        self.d = ow.nn.Linear(1, 1)
        self.d.weight = self.a.weight
        self.register_buffer("u", ow.ones(1))
        self.register_parameter("none", None)
        ow.nn.init.ones_(self.a.weight)
        ow.nn.init.zeros_(self.d.bias)

    def forward(self, x):
        extra = getattr(self, "c", 0) if self.none is None else self.none
        return self.a(x) + 10 * self.b(x) + 100 * self.d(x) + 1000 * self.u + extra


def parts(module):
    tensors = [*module.named_parameters(remove_duplicate=False), *module.named_buffers()]
    return {name: id(tensor) for name, tensor in tensors}


@pytest.mark.parametrize(
    ("tensors", "tied", "untied"),
    [
        ({}, 1111, 1111),
        ({"a.weight": TWO}, 1222, 1122),
        ({"b.weight": TWO}, 1222, 1122),
        ({"d.weight": TWO}, 1222, 1211),
        ({"a.weight": TWO, "d.weight": TWO}, 1222, 1222),
        ({"u": 2 * ow.ones(1)}, 2111, 2111),
        ({"c": ow.ones(1)}, 1112, 1112),
        ({"none": ow.ones(1)}, 1112, 1112),
        ({"a.other": ow.ones(1)}, 1111, 1111),
        ([{"a.weight": TWO}, {"d.bias": ow.ones(1)}], 1322, 1222),
        (({"a.weight": TWO}, {}), 1222, 1122),
        ({"d.bias": None}, 1111, 1111),
    ],
)
def test_tensors_take_the_place_of_parameters(tensors, tied, untied):
    module, x = Tied(), ow.ones(1, 1)
    before, attributes = parts(module), set(vars(module))
    assert functional_call(module, tensors, (x,)).item() == tied
    assert functional_call(module, tensors, x, tie_weights=False).item() == untied
    assert functional_call(module, tensors, kwargs={"x": x}).item() == tied
    assert parts(module) == before
    assert set(vars(module)) == attributes
    assert not hasattr(module, "c")


def test_gradients_reach_tied_parameters():
    module = Tied()
    given = {name: p.detach().clone().requires_grad_() for name, p in module.named_parameters()}
    assert list(given) == ["a.weight", "d.bias"]
    functional_call(module, given, ow.ones(1, 1)).backward()
    assert {name: p.grad.item() for name, p in given.items()} == {
        "a.weight": 111.0,
        "d.bias": 100.0,
    }
    assert module.a.weight.grad is None


def test_a_module_that_raises_is_as_before():
    class Raising(Tied):
        def forward(self, x):
            raise ValueError("in forward")

    module = Raising()
    before = parts(module)
    with pytest.raises(ValueError, match=r"^in forward$"):
        functional_call(module, {"a.weight": TWO, "c": TWO}, ow.ones(1, 1))
    assert parts(module) == before
    assert not hasattr(module, "c")


@pytest.mark.parametrize(
    ("tensors", "error", "text"),
    [
        (
            {"a.weight": TWO, "d.weight": THREE},
            ValueError,
            r"^functional_call got multiple values for keys \['a.weight', 'd.weight'\], which are tied\. "
            r"Consider using tie_weights=False$",
        ),
        (
            [{"u": TWO}, {"u": TWO}],
            ValueError,
            r"^\['u'\] appeared in multiple dictionaries; behavior of functional call is ambiguous$",
        ),
        (7, ValueError, "to be a dict, or a list/tuple of dicts, but got <class 'int'>$"),
        (
            [{}, 3],
            ValueError,
            "^Expected all elements of parameter_and_buffer_dicts to be dictionaries$",
        ),
        ({"nope.weight": TWO}, AttributeError, "^Tied has no attribute `nope`$"),
        ({"a.weight": 3}, TypeError, r"^3 is not an instance of opweave\.Tensor$"),
        (
            {"a": TWO},
            TypeError,
            r"^attribute `a`: Linear\(.*\) is not an instance of opweave\.Tensor$",
        ),
        ({"a.in_features": TWO}, TypeError, "^attribute `in_features`: 1 is not an instance of"),
        (
            {"a.weight.x": TWO},
            TypeError,
            r"(?s)^submodule `a.weight`: .* not an instance of opweave.nn.Module$",
        ),
        ({"": TWO}, KeyError, "a tensor's name is empty: ''"),
        ({3: TWO}, TypeError, "expected names of tensors as str, got int$"),
    ],
)
def test_what_is_refused(tensors, error, text):
    module = Tied()
    before = parts(module)
    with pytest.raises(error, match=text):
        functional_call(module, tensors, ow.ones(1, 1))
    assert parts(module) == before


def test_strict_calls_name_what_differs():
    module, x = Tied(), ow.ones(1, 1)
    everything = dict([*module.named_parameters(), *module.named_buffers()])
    assert functional_call(module, everything, x, strict=True).item() == 1111
    text = (
        r"^Error\(s\) in reparametrizing for Tied:\n\tUnexpected key\(s\): 'c'\.\n"
        r"\tMissing key\(s\): 'd.bias', 'u'\.$"
    )
    with pytest.raises(RuntimeError, match=text):
        functional_call(module, {"a.weight": TWO, "c": TWO}, x, strict=True)


def test_the_older_name():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        called = ow.nn.utils.stateless.functional_call(Tied(), {"a.weight": TWO}, ow.ones(1, 1))
    assert called.item() == 1222
    assert [w.category for w in said] == [FutureWarning]
