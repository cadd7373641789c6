"""Classes with __torch_function__: subclasses of Tensor, and classes that are none."""

import pickle

import opweave as ow
import pytest
from opweave import overrides

F = ow.nn.functional


class Plain(ow.Tensor):
    pass


class Logging(ow.Tensor):
    seen = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.seen.append((overrides.resolve_name(func), types))
        return super().__torch_function__(func, types, args, kwargs)


class Foreign:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func, types, args, kwargs or {}


RESULTS = {
    "t + 1": Plain,
    "1 - t": Plain,
    "ow.add(ow.ones(2, 3), t)": Plain,
    "ow.cat([t, t])": Plain,
    "t[0]": Plain,
    "list(t)[0]": Plain,
    "t.max(0).values": Plain,
    "t.split(1)[1]": Plain,
    "t.T": Plain,
    "t.data": Plain,
    "t.norm()": Plain,
    "F.softmax(t, 0)": Plain,
    "F.linear(t, ow.ones(3, 3))": Plain,
    "ow.einsum('ij->i', t)": Plain,
    "t.requires_grad_()": Plain,
    "pickle.loads(pickle.dumps(t))": Plain,
    "t.add_(1)": Plain,
    "ow.zeros_like(t)": Plain,
    "ow.ones(3, 2) @ t": Plain,
    "t.shape": ow.Size,
    "t.dtype": ow.dtype,
    "t.tolist()": list,
    "t.grad": type(None),
    "len(t)": int,
    "bool(t.sum())": bool,
    "ow.nn.Parameter(ow.ones(2)) + 1": ow.Tensor,
}


@pytest.mark.parametrize("expression", RESULTS)
def test_results_are_of_the_subclass_as_in_pytorch(expression):
    t = ow.ones(2, 3).as_subclass(Plain)
    assert type(eval(expression, {**globals(), "t": t})) is RESULTS[expression]


def test_a_subclass_sees_functions_methods_and_attributes():
    t = ow.ones(2).as_subclass(Logging)
    Logging.seen.clear()
    assert (t * 2).sum().shape == ()
    names = ["opweave.Tensor.mul", "opweave.Tensor.sum", "opweave.Tensor.shape.__get__"]
    assert Logging.seen == [(name, (Logging,)) for name in names]


def test_gradients_flow_through_a_subclass():
    t = ow.tensor([1.0, 2.0]).as_subclass(Logging).requires_grad_()
    (t * t).sum().backward()
    assert type(t.grad) is ow.Tensor
    assert t.grad.tolist() == [2.0, 4.0]


def test_the_class_that_is_most_derived_is_asked_first():
    class First(ow.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return cls.__name__

    class Second(First):
        pass

    a, b = ow.ones(1).as_subclass(First), ow.ones(1).as_subclass(Second)
    assert ow.add(a, b) == "Second"
    assert ow.add(b, a) == "Second"
    assert ow.cat([a, a]) == "First"


CALLS = {
    "ow.add(f, 1)": ("add", 2),
    "ow.add(x, f)": ("add", 2),
    "x + f": ("Tensor.add", 2),
    "ow.stack((x, f))": ("stack", 1),
    "ow.sum(f)": ("sum", 1),
    "x.add_(f)": ("Tensor.add_", 2),
    "F.softmax(f, 0)": ("nn.functional.softmax", 2),
    "F.relu(f)": ("nn.functional.relu", 1),
    "F.linear(f, x)": ("nn.functional.linear", 2),
    "ow.nn.Linear(1, 1)(f)": ("nn.functional.linear", 3),
    "ow.where(f, x, x)": ("functional.where", 3),
}


@pytest.mark.parametrize("expression", CALLS)
def test_a_class_that_is_no_tensor_takes_calls_over(expression):
    name, count = CALLS[expression]
    func, types, args, _ = eval(expression, {**globals(), "f": Foreign(), "x": ow.ones(1)})
    assert overrides.resolve_name(func) == f"opweave.{name}"
    assert (types, len(args)) == ((Foreign,), count)


def test_who_answers_nothing_is_named():
    class Silent(ow.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    t = ow.ones(2).as_subclass(Silent)
    with pytest.raises(TypeError, match=r"'opweave.add'; all __torch_function__ handlers returned"):
        ow.add(t, 1)
    with pytest.raises(
        TypeError, match=r"no implementation found for 'opweave.nn.functional.softmax'"
    ):
        F.softmax(t, 0)


def test_a_class_may_get_the_method_later():
    class Late(ow.nn.Parameter):
        pass

    t = Late(ow.ones(1))
    assert type(t + 1) is ow.Tensor
    Late.__torch_function__ = classmethod(lambda cls, func, types, args=(), kwargs=None: "late")
    assert t + 1 == "late"


def test_functions_say_whose_call_it_is():
    f, t = Foreign(), ow.ones(1).as_subclass(Plain)
    assert overrides.has_torch_function((1, f))
    assert overrides.has_torch_function_unary(t)
    assert not overrides.has_torch_function_variadic(1, ow.ones(1))
    assert overrides.is_tensor_like(f)
    assert not overrides.is_tensor_like(1)
    with ow._C.DisableTorchFunctionSubclass():
        assert not overrides.has_torch_function_unary(t)


def test_wrapped_functions_of_a_program_are_asked_about():
    @overrides.wrap_torch_function(lambda a, b: (a,))
    def scaled(a, b):
        return a * b

    assert scaled(ow.ones(1), 2).item() == 2
    assert scaled(Foreign(), 2)[2][1] == 2


def test_functions_written_in_python_are_pickled_and_shown_as_functions():
    assert pickle.loads(pickle.dumps(ow.norm)) is ow.norm
    assert repr(ow.norm).startswith("<function norm at ")
    assert ow.norm.__module__ == "opweave.functional"


def test_a_parameter_keeps_its_class(ow):
    class Named(ow.Tensor):
        pass

    data = ow.ones(2).as_subclass(Named)
    parameter = ow.nn.Parameter(data)
    assert type(parameter) is Named
    assert isinstance(parameter, ow.nn.Parameter)
    assert not isinstance(data, ow.nn.Parameter)
    assert not issubclass(Named, ow.nn.Parameter)
    assert parameter.requires_grad
    assert not data.requires_grad
    assert parameter.data_ptr() == data.data_ptr()
    assert repr(parameter) == "Parameter(Named([1., 1.], requires_grad=True))"
    module = ow.nn.Module()
    module.weight = parameter
    assert [name for name, _ in module.named_parameters()] == ["weight"]
    (parameter * 2).sum().backward()
    assert parameter.grad.tolist() == [2, 2]


def test_a_parameter_of_a_class_that_changes(ow):
    class Shy(ow.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            with ow._C.DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))

    with pytest.raises(
        RuntimeError, match=r"an instance of type Shy requires that detach\(\) returns"
    ):
        ow.nn.Parameter(ow.ones(2).as_subclass(Shy))


def test_tensor_copies_the_elements_alone(ow):
    class Named(ow.Tensor):
        pass

    with pytest.warns(UserWarning, match="copy construct"):
        assert type(ow.tensor(ow.ones(2).as_subclass(Named))) is ow.Tensor
    assert repr(ow.ones(2).as_subclass(Named)) == "Named([1., 1.])"


class Told(ow.Tensor):
    """A class that takes for granted that its tensors have an attribute."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.last = [a.told for a in args if isinstance(a, Told)]
        return super().__torch_function__(func, types, args, kwargs)


@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize("device", [None, "meta"])
def test_a_class_is_not_asked_for_a_tensor_that_is_being_unpickled(requires_grad, device):
    made = ow.ones(2, device=device).as_subclass(Told)
    made.told = "this"
    with ow._C.DisableTorchFunctionSubclass():
        made.requires_grad_(requires_grad)
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is Told
    assert again.told == "this"
    assert (again.requires_grad, again.is_leaf) == (requires_grad, True)
