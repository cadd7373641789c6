"""nn.Module: registration, traversal, state, modes, hooks, containers."""

import copy
import pickle
from collections import OrderedDict

import pytest


class Recorder:
    """Makes hooks that note their calls."""

    def __init__(self):
        self.calls = []

    def hook(self, name, result=None):
        def call(*arguments):
            self.calls.append((name, len(arguments)))
            return result

        return call


def network(ow):
    """A module with a parameter, a buffer, and modules inside."""

    class Network(ow.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = ow.nn.Parameter(ow.ones(2))
            self.first = ow.nn.Linear(3, 2)
            self.rest = ow.nn.Sequential(ow.nn.ReLU(), ow.nn.Linear(2, 1))
            self.register_buffer("count", ow.zeros(1))
            self.register_buffer("scratch", ow.zeros(1), persistent=False)
            self.nothing = None

        def forward(self, x, factor=1):
            return self.rest(self.first(x) * self.scale) * factor

    return Network()


PARAMETERS = ["scale", "first.weight", "first.bias", "rest.1.weight", "rest.1.bias"]


def test_registration(ow):
    net = network(ow)
    assert [n for n, _ in net.named_parameters()] == PARAMETERS
    assert [n for n, _ in net.named_buffers()] == ["count", "scratch"]
    assert [n for n, _ in net.named_children()] == ["first", "rest"]
    assert [n for n, _ in net.named_modules()] == ["", "first", "rest", "rest.0", "rest.1"]
    assert list(net.state_dict()) == ["scale", "count", *PARAMETERS[1:]]
    assert [n for n, _ in net.named_parameters(recurse=False)] == ["scale"]
    assert len(list(net.parameters())) == 5
    assert len(list(net.children())) == 2
    assert len(list(net.modules())) == 5
    assert next(iter(net.named_parameters(prefix="p")))[0] == "p.scale"


def test_call(ow):
    net = network(ow)
    x = ow.ones(4, 3)
    assert net(x).shape == (4, 1)
    assert net(x, factor=2).equal(net(x) * 2)
    net(x).sum().backward()
    assert all(p.grad is not None for p in net.parameters())
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())


def test_zero_grad_zeroes_the_gradients_that_there_are(ow):
    net = network(ow)
    (net(ow.ones(4, 3)) ** 2).sum().backward(create_graph=True)
    gradients = [p.grad for p in net.parameters()]
    net.zero_grad(set_to_none=False)
    for p, gradient in zip(net.parameters(), gradients, strict=True):
        assert p.grad is gradient
        assert not gradient.requires_grad
        assert gradient.abs().max().item() == 0


def test_shared_parameters_are_listed_once(ow):
    net = ow.nn.Sequential(ow.nn.Linear(2, 2), ow.nn.Linear(2, 2))
    net[1].weight = net[0].weight
    assert len(list(net.parameters())) == 3
    assert len(net.state_dict()) == 4
    shared = ow.nn.Linear(2, 2)
    both = ow.nn.Sequential(shared, shared)
    assert len(list(both.modules())) == 2
    assert len(list(both.named_modules(remove_duplicate=False))) == 3


def test_attributes_change_kind(ow):
    net = network(ow)
    net.scale = None
    assert "scale" not in dict(net.named_parameters())
    net.scale = ow.nn.Parameter(ow.zeros(2))
    assert "scale" in dict(net.named_parameters())
    net.count = ow.ones(1)
    assert net.state_dict()["count"].item() == 1
    del net.first
    assert not hasattr(net, "first")
    with pytest.raises(TypeError):
        net.scale = ow.ones(2)
    with pytest.raises(AttributeError, match="missing"):
        net.missing  # noqa: B018


def test_registration_needs_init(ow):
    class Forgetful(ow.nn.Module):
        def __init__(self):
            self.layer = ow.nn.Linear(2, 2)

    with pytest.raises(AttributeError, match="__init__"):
        Forgetful()


def test_names(ow):
    net = network(ow)
    assert net.get_parameter("rest.1.weight") is net.rest[1].weight
    assert net.get_submodule("rest.1") is net.rest[1]
    assert net.get_submodule("") is net
    assert net.get_buffer("count") is net.count
    for call in (net.get_parameter, net.get_submodule, net.get_buffer):
        with pytest.raises(AttributeError):
            call("rest.7")
    assert {"first", "rest", "scale", "count", "forward"} <= set(dir(net))


def test_modes(ow):
    net = ow.nn.Sequential(ow.nn.Dropout(0.5), ow.nn.Sequential(ow.nn.BatchNorm1d(2)))
    assert all(m.training for m in net.modules())
    assert net.eval() is net
    assert not any(m.training for m in net.modules())
    net.train()
    assert all(m.training for m in net.modules())
    net.train(False)
    assert not net[1][0].training
    net.requires_grad_(False)
    assert not any(p.requires_grad for p in net.parameters())


def test_state_dict_round_trip(ow):
    one, other = network(ow), network(ow)
    state = one.state_dict()
    assert not any(v.requires_grad for v in state.values())
    result = other.load_state_dict(state)
    assert (result.missing_keys, result.unexpected_keys) == ([], [])
    assert str(result) == "<All keys matched successfully>"
    x = ow.ones(2, 3)
    assert one(x).equal(other(x))
    with ow.no_grad():
        one.scale.add_(1)
    assert state["scale"].tolist() == [2.0, 2.0]
    assert other.scale.tolist() == [1.0, 1.0]


def test_load_state_dict_is_strict(ow):
    net = network(ow)
    state = net.state_dict()
    weight = state.pop("first.weight")
    with pytest.raises(RuntimeError, match=r"first\.weight"):
        net.load_state_dict(state)
    result = net.load_state_dict({**state, "extra": weight}, strict=False)
    assert result.missing_keys == ["first.weight"]
    assert result.unexpected_keys == ["extra"]
    with pytest.raises(RuntimeError, match=r"first\.weight"):
        net.load_state_dict({**state, "first.weight": ow.ones(5, 5)})


def test_state_dict_prefix_and_copies(ow):
    net = network(ow)
    assert "net.scale" in net.state_dict(prefix="net.")
    loaded = OrderedDict((k, v.clone() + 1) for k, v in net.state_dict().items())
    net.load_state_dict(loaded)
    assert net.scale.tolist() == [2.0, 2.0]
    assert net.scale.requires_grad
    assert net.scale.is_leaf


def test_conversion(ow):
    net = network(ow)
    weight = net.first.weight
    assert net.double() is net
    assert net.first.weight is weight
    assert {p.dtype for p in net.parameters()} == {ow.float64}
    assert net.count.dtype is ow.float64
    assert net.to(ow.float32).count.dtype is ow.float32
    assert net.half().scale.dtype is ow.float16
    assert net.bfloat16().scale.dtype is ow.bfloat16
    assert net.float().to("cpu").scale.dtype is ow.float32
    assert net.cpu() is net
    layer = ow.nn.Linear(2, 2, dtype=ow.float64)
    assert layer.weight.dtype is ow.float64


def test_apply(ow):
    def fill(module):
        if isinstance(module, ow.nn.Linear):
            ow.nn.init.constant_(module.weight, 2)

    net = network(ow)
    assert net.apply(fill) is net
    assert net.rest[1].weight.tolist() == [[2.0, 2.0]]


def test_forward_hooks(ow):
    net, recorder = ow.nn.Linear(2, 2), Recorder()
    net.register_forward_pre_hook(recorder.hook("before"))
    net.register_forward_hook(recorder.hook("after"))
    handle = net.register_forward_hook(lambda m, args, out: out * 10)
    net.register_forward_pre_hook(lambda m, args: (args[0] + 1,))
    x = ow.ones(1, 2)
    expected = ow.nn.functional.linear(x + 1, net.weight, net.bias)
    assert net(x).allclose(expected * 10)
    assert recorder.calls == [("before", 2), ("after", 3)]
    handle.remove()
    assert net(x).allclose(expected)


def test_hooks_with_keyword_arguments(ow):
    class Scale(ow.nn.Module):
        def forward(self, x, by=1):
            return x * by

    net = Scale()
    net.register_forward_pre_hook(
        lambda m, args, kwargs: (args, {"by": kwargs["by"] + 1}), with_kwargs=True
    )
    net.register_forward_hook(lambda m, args, kwargs, out: out + kwargs["by"], with_kwargs=True)
    assert net(ow.ones(1), by=2).tolist() == [6.0]


def test_full_backward_hooks(ow):
    net, seen = ow.nn.Linear(2, 1), []

    def after(module, grad_input, grad_output):
        seen.append((grad_input[0].shape, grad_output[0].tolist()))
        return (grad_input[0] * 10,)

    net.register_full_backward_hook(after)
    net.register_full_backward_pre_hook(lambda m, grad_output: (grad_output[0] * 2,))
    x = ow.ones(1, 2, requires_grad=True)
    net(x).sum().backward()
    assert seen == [((1, 2), [[2.0]])]
    assert x.grad.allclose(net.weight * 20)


def test_sequential(ow):
    net = ow.nn.Sequential(OrderedDict(a=ow.nn.Linear(2, 3), b=ow.nn.ReLU(), c=ow.nn.Linear(3, 1)))
    assert len(net) == 3
    assert net[0] is net.a
    assert net[-1] is net.c
    assert isinstance(net[:2], ow.nn.Sequential)
    assert [type(m).__name__ for m in net] == ["Linear", "ReLU", "Linear"]
    net.append(ow.nn.Sigmoid())
    assert len(net) == 4
    net[1] = ow.nn.Tanh()
    assert isinstance(net.b, ow.nn.Tanh)
    del net[3]
    assert len(net) == 3
    net.insert(0, ow.nn.Identity())
    assert net(ow.ones(5, 2)).shape == (5, 1)


def test_lists_and_dicts(ow):
    layers = ow.nn.ModuleList([ow.nn.Linear(2, 2), ow.nn.Linear(2, 3)])
    layers.append(ow.nn.ReLU())
    layers.extend([ow.nn.Tanh()])
    assert len(layers) == 4
    assert isinstance(layers[1:], ow.nn.ModuleList)
    assert [n for n, _ in layers.named_parameters()] == ["0.weight", "0.bias", "1.weight", "1.bias"]
    named = ow.nn.ModuleDict({"a": ow.nn.Linear(1, 1)})
    named["b"] = ow.nn.ReLU()
    assert list(named.keys()) == ["a", "b"]
    assert "a" in named
    assert named.pop("b").__class__.__name__ == "ReLU"
    parameters = ow.nn.ParameterList([ow.nn.Parameter(ow.ones(1)) for _ in range(2)])
    assert len(list(parameters.parameters())) == 2
    assert [n for n, _ in parameters.named_parameters()] == ["0", "1"]
    by_name = ow.nn.ParameterDict({"w": ow.nn.Parameter(ow.ones(1))})
    assert list(by_name.keys()) == ["w"]
    with pytest.raises(NotImplementedError):
        layers(ow.ones(1))


def test_printing(ow):
    assert repr(network(ow)) == (
        "Network(\n"
        "  (first): Linear(in_features=3, out_features=2, bias=True)\n"
        "  (rest): Sequential(\n"
        "    (0): ReLU()\n"
        "    (1): Linear(in_features=2, out_features=1, bias=True)\n"
        "  )\n"
        ")"
    )
    assert repr(ow.nn.Module()) == "Module()"


def test_copies(ow):
    net = ow.nn.Sequential(ow.nn.Linear(2, 2), ow.nn.BatchNorm1d(2))
    x = ow.randn(4, 2)
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert other(x).equal(net(x))
        assert other[0].weight is not net[0].weight
        with ow.no_grad():
            other[0].weight.fill_(0)
        assert net[0].weight.abs().sum() > 0
        net[1].reset_running_stats()


def test_register_and_delete(ow):
    net = ow.nn.Module()
    net.register_parameter("w", ow.nn.Parameter(ow.ones(1)))
    net.register_parameter("b", None)
    net.add_module("child", ow.nn.ReLU())
    net.register_module("other", ow.nn.Tanh())
    assert net.b is None
    assert list(net.state_dict()) == ["w"]
    del net.w
    assert list(net.parameters()) == []
    with pytest.raises(KeyError):
        net.register_buffer("child", ow.ones(1))


def test_dropout_of_modules(ow):
    ow.manual_seed(0)
    layer = ow.nn.Dropout(0.5)
    x = ow.ones(1000)
    assert 300 < (layer(x) == 0).sum().item() < 700
    assert set(layer(x).tolist()) == {0.0, 2.0}
    assert layer.eval()(x) is x or layer(x).equal(x)


def test_dropout_keeps_what_bernoulli_draws(ow):
    ow.manual_seed(3)
    kept = ow.nn.functional.dropout(ow.ones(1003), 0.3) != 0
    ow.manual_seed(3)
    assert kept.equal(ow.empty(1003).bernoulli_(1 - 0.3).bool())


def test_a_network_learns(ow):
    ow.manual_seed(0)
    net = ow.nn.Sequential(ow.nn.Linear(2, 16), ow.nn.Tanh(), ow.nn.Linear(16, 2))
    x = ow.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    t = ow.tensor([0, 1, 1, 0])
    optimizer = ow.optim.Adam(net.parameters(), lr=0.05)
    for _ in range(200):
        optimizer.zero_grad()
        loss = ow.nn.functional.cross_entropy(net(x), t)
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.05
    assert net(x).argmax(1).equal(t)


def test_full_backward_hooks_without_gradients_of_inputs(ow):
    net, seen = ow.nn.Linear(2, 1), []
    net.register_full_backward_hook(lambda m, grad_input, grad_output: seen.append(grad_input))
    with pytest.warns(UserWarning, match="since no inputs require gradients"):
        net(ow.ones(1, 2)).sum().backward()
    assert seen == [(None,)]


@pytest.mark.parametrize("name", ["xavier_uniform_", "xavier_normal_"])
def test_what_has_no_fans_is_named(ow, name):
    said = rf"{name}\(\): a tensor of sizes \[2, 3, 0\] has no fans"
    with pytest.raises(ZeroDivisionError, match=said):
        getattr(ow.nn.init, name)(ow.ones(2, 3, 0))
