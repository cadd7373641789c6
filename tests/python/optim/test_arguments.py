"""Arguments of optimisers that PyTorch 2.15 takes, with what it makes of them, and those that it refuses."""

import math

import opweave as ow
import pytest

FLAGS = {
    "SGD": ("maximize",),
    "Adam": ("amsgrad", "maximize", "decoupled_weight_decay"),
    "AdamW": ("amsgrad", "maximize"),
    "NAdam": ("maximize", "decoupled_weight_decay"),
    "RAdam": ("maximize", "decoupled_weight_decay"),
    "Adamax": ("maximize",),
    "Adadelta": ("maximize",),
    "Adagrad": ("maximize",),
    "RMSprop": ("centered", "maximize"),
    "Rprop": ("maximize",),
    "ASGD": ("maximize",),
}


def stepped(name, **options):
    parameter = ow.nn.Parameter(ow.arange(4.0))
    optimizer = getattr(ow.optim, name)([parameter], lr=0.1, **options)
    for _ in range(3):
        parameter.grad = ow.full((4,), 0.5)
        optimizer.step()
    return parameter.tolist()


@pytest.mark.parametrize(("name", "flag"), [(n, f) for n, flags in FLAGS.items() for f in flags])
def test_whatever_is_true_is_yes(name, flag):
    for value in (0, 1, None, "yes", [], ow.tensor(1.0)):
        assert stepped(name, **{flag: value}) == stepped(name, **{flag: bool(value)})
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value"):
        stepped(name, **{flag: ow.ones(2)})


def test_nesterov_as_a_number():
    assert stepped("SGD", momentum=0.9, nesterov=1) == stepped("SGD", momentum=0.9, nesterov=True)
    assert stepped("SGD", nesterov=None) == stepped("SGD")


def test_sgd_takes_nan_and_does_not_look_at_a_dampening_without_momentum():
    assert all(map(math.isnan, stepped("SGD", weight_decay=math.nan)))
    assert stepped("SGD", dampening=None) == stepped("SGD")
    for argument in ("lr", "momentum", "weight_decay"):
        with pytest.raises(ValueError, match=r"Invalid .*: -1"):
            ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], **{argument: -1})
    with pytest.raises(ValueError, match="must be 1-element, got one of 2 elements"):
        ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=ow.ones(2))


@pytest.mark.parametrize("name", ["Adam", "AdamW", "Adamax", "NAdam", "RAdam"])
def test_betas(name):
    assert stepped(name, betas=[0.5, 0.6]) == stepped(name, betas=(0.5, 0.6))
    if name in ("Adam", "AdamW"):
        assert stepped(name, betas=(0.5, 0.6, 7)) == stepped(name, betas=(0.5, 0.6))
    else:
        with pytest.raises(ValueError, match=r"expected two numbers, got \(0.5, 0.6, 7\)"):
            stepped(name, betas=(0.5, 0.6, 7))
    for betas, kind, words in (
        ((0.9,), IndexError, r"Invalid betas: expected two numbers, got \(0.9,\)"),
        ({}, KeyError, "Invalid betas: expected two numbers, got {}"),
        ((0.9, 1.0), ValueError, "Invalid beta parameter at index 1: 1.0"),
        (3, TypeError, "not subscriptable"),
    ):
        with pytest.raises(kind, match=words):
            stepped(name, betas=betas)


def test_states_that_are_none():
    optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))])
    for state in (None, 3):
        with pytest.raises(AttributeError, match="state_dict: expected a dict, got"):
            optimizer.load_state_dict(state)


def test_adafactor_s_eps_are_two():
    with pytest.raises(ValueError, match=r"eps should be two numbers but is: \(0.9, 0.9, 0.9\)"):
        stepped("Adafactor", eps=(0.9, 0.9, 0.9))


@pytest.mark.parametrize("dtype", [ow.float32, ow.bfloat16])
@pytest.mark.parametrize("lr", [0.1, ow.tensor(0.1)], ids=["number", "tensor"])
def test_adafactor_waits_for_no_device(dtype, lr):
    """What has no values, on the device meta, cannot be read."""
    parameters = [
        ow.nn.Parameter(ow.empty(sizes, dtype=dtype, device="meta")) for sizes in ((3, 4), (5,), ())
    ]
    rate = lr.to("meta") if isinstance(lr, ow.Tensor) else lr
    optimizer = ow.optim.Adafactor(parameters, weight_decay=0.1)
    optimizer.param_groups[0]["lr"] = rate
    for _ in range(2):
        for parameter in parameters:
            parameter.grad = ow.ones_like(parameter)
        optimizer.step()
    assert optimizer.state[parameters[0]]["step"].item() == 2


def test_a_step_of_no_optimizer_in_particular():
    optimizer = ow.optim.Optimizer([ow.nn.Parameter(ow.ones(1))], {})
    with pytest.raises(
        NotImplementedError, match=r"^Optimizer: expected a class that defines step\(\)$"
    ):
        optimizer.step()


@pytest.mark.parametrize("dtype", [ow.float32, ow.bfloat16])
def test_a_search_along_steps_of_no_length(dtype):
    def step(lr):
        p = ow.full((2,), 0.125, dtype=dtype, requires_grad=True)  # gradients of a sum below 1
        optimizer = ow.optim.LBFGS([p], lr=lr, line_search_fn="strong_wolfe")

        def closure():
            optimizer.zero_grad()
            loss = (p**2).sum()
            loss.backward()
            return loss

        optimizer.step(closure)
        return p.tolist()

    for lr in (0, 0.0):
        with pytest.raises(ZeroDivisionError, match=r"LBFGS: .* expected a positive lr"):
            step(lr)
    assert step(ow.tensor(0.0)) == [0.125, 0.125]


@pytest.mark.parametrize("step_sizes", [None, (1e-6,), ow.tensor(1.0)])
def test_the_least_and_the_largest_step(step_sizes):
    with pytest.raises(ValueError, match="step_sizes: expected the least and the largest, got"):
        ow.optim.Rprop([ow.ones(2, requires_grad=True)], step_sizes=step_sizes)
