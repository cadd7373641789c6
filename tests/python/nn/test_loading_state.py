"""load_state_dict beyond copying: tensors that take the place of parameters, modules without data, hooks."""

import warnings

import opweave as ow
import pytest


def _network(device=None):
    return ow.nn.Sequential(
        ow.nn.Linear(3, 2, device=device), ow.nn.BatchNorm1d(2, device=device), ow.nn.Tanh()
    )


def test_assigned_tensors_take_the_place_of_parameters_and_buffers():
    state = {name: t.double() for name, t in _network().state_dict().items()}
    net = _network("meta").eval()
    net[0].bias.requires_grad_(False)
    optimised = list(net.parameters())
    assert repr(net.load_state_dict(state, assign=True)) == "<All keys matched successfully>"
    assert net[0].weight.data_ptr() == state["0.weight"].data_ptr()
    assert net[1].running_mean is state["1.running_mean"]
    assert [type(p) for p in net.parameters()] == [ow.nn.Parameter] * 4
    assert [p.requires_grad for p in net.parameters()] == [True, False, True, True]
    assert {p.dtype for p in net.parameters()} == {ow.float64}
    assert not any(a is b for a, b in zip(optimised, net.parameters(), strict=True))
    assert net(ow.ones(4, 3, dtype=ow.float64)).shape == (4, 2)


def test_an_assigned_parameter_is_taken_as_it_is_but_for_its_gradient():
    layer = ow.nn.Linear(1, 1, bias=False).requires_grad_(False)
    given = ow.nn.Parameter(ow.ones(1, 1))
    layer.load_state_dict({"weight": given}, assign=True)
    assert layer.weight is given
    assert not given.requires_grad


def test_sizes_are_checked_before_anything_is_assigned():
    layer = ow.nn.Linear(2, 1)
    with pytest.raises(RuntimeError, match="size mismatch for weight: copying a param with shape"):
        layer.load_state_dict({"weight": ow.ones(3, 3), "bias": ow.ones(1)}, assign=True)
    assert layer.weight.shape == (1, 2)


def test_copying_into_a_module_without_data_warns():
    net = _network("meta")
    with pytest.warns(UserWarning, match="for 0.weight: copying from a non-meta parameter") as seen:
        net.load_state_dict(_network().state_dict())
    assert len(seen) == 7
    assert "Did you mean to pass `assign=True`" in str(seen[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        net.load_state_dict(_network("meta").state_dict())
        net.load_state_dict(_network().state_dict(), assign=True)


def test_classes_of_their_own_see_that_tensors_are_assigned():
    seen = []

    class Own(ow.nn.Linear):
        def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
            seen.append((local_metadata.get("assign_to_params_buffers", False), prefix))
            super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    net = ow.nn.Sequential(Own(1, 1))
    state = net.state_dict()
    net.load_state_dict(state, assign=True)
    net.load_state_dict(state)
    assert seen == [(True, "0."), (False, "0.")]


def test_hooks_of_submodules_run_after_they_are_loaded():
    net, seen = _network(), []
    for name, module in net.named_modules():
        module.register_load_state_dict_post_hook(
            lambda m, keys, name=name: seen.append((name, list(keys.missing_keys)))
        )
    net.load_state_dict({"0.weight": ow.ones(2, 3)}, strict=False)
    assert [name for name, _ in seen] == ["0", "1", "2", ""]
    assert seen[0][1] == ["0.bias"]
    assert len(seen[-1][1]) == 5


def test_hooks_may_forgive_what_is_missing_and_return_nothing():
    layer = ow.nn.Linear(2, 1)
    layer.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
    layer.load_state_dict({"weight": ow.ones(1, 2)})
    layer.register_load_state_dict_post_hook(lambda m, keys: keys)
    with pytest.raises(AssertionError, match="are not expected to return new values"):
        layer.load_state_dict({"weight": ow.ones(1, 2)})
