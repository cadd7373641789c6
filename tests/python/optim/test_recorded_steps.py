"""Steps with differentiable=True: the numbers of other steps, and autograd's gradients through them."""

import opweave as ow
import pytest

# The kinds, with options that use all of their formulas.
KINDS = [
    ("SGD", {}),
    ("SGD", {"momentum": 0.9, "dampening": 0.1, "weight_decay": 0.1}),
    ("SGD", {"momentum": 0.9, "nesterov": True, "maximize": True}),
    ("Adam", {"weight_decay": 0.1}),
    ("Adam", {"amsgrad": True, "betas": (0.6, 0.7)}),
    ("AdamW", {"maximize": True}),
    ("Adamax", {"weight_decay": 0.1}),
    ("NAdam", {"weight_decay": 0.1}),
    ("NAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"betas": (0.9, 0.6)}),  # rectified from the first step on
    ("RAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("Adagrad", {"lr_decay": 0.1, "initial_accumulator_value": 0.2}),
    ("Adadelta", {"weight_decay": 0.1}),
    ("RMSprop", {"momentum": 0.5, "centered": True}),
    ("RMSprop", {"weight_decay": 0.1}),
    ("Rprop", {}),
    ("ASGD", {"lambd": 0.1, "t0": 1, "weight_decay": 0.1}),
]
NAMES = [f"{name} {' '.join(options)}" for name, options in KINDS]


def numbers(salt, count=4):
    return (ow.arange(count, dtype=ow.float64) * 1.7 + salt + 0.4).sin()


def trained(name, options, param, grads, **more):
    """A parameter and the optimizer's state after a step with each gradient."""
    begun = more.pop("begun", {})
    optimizer = getattr(ow.optim, name)([param], **options, **more)
    optimizer.state[param].update(begun)
    for grad in grads:
        param.grad = grad
        optimizer.step()
    return param, optimizer.state[param]


@pytest.mark.parametrize(("name", "options"), KINDS, ids=NAMES)
@pytest.mark.parametrize("lr", [0.05, ow.tensor(0.05, dtype=ow.float64)], ids=["number", "tensor"])
def test_the_numbers_are_those_of_the_fused_operator(name, options, lr):
    found = []
    for differentiable in (False, True):
        more = {"differentiable": differentiable, "lr": lr}
        grads = [numbers(i) for i in range(1, 6)]
        param, state = trained(name, options, numbers(0).clone(), grads, **more)
        found.append([param, *(state[key] for key in sorted(state))])
    for fused, recorded in zip(*found, strict=True):
        ow.testing.assert_close(recorded, fused, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize(("name", "options"), KINDS, ids=NAMES)
def test_gradients_go_back_through_steps(name, options):
    """Against difference quotients. SGD's momentum has begun: its first gradient PyTorch detaches."""

    def function(param, *grads):
        begun = {"momentum_buffer": numbers(9)} if name == "SGD" and "momentum" in options else {}
        more = {"lr": 0.05, "differentiable": True, "begun": begun}
        return trained(name, options, param.clone(), grads, **more)[0]

    inputs = [numbers(i).requires_grad_() for i in range(4)]
    assert ow.autograd.gradcheck(function, inputs)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "NAdam", "RAdam", "Adagrad", "RMSprop"])
def test_gradients_reach_the_learning_rate(name):
    def function(lr):
        grads = [numbers(i) for i in range(1, 4)]
        return trained(name, {}, numbers(0).clone(), grads, lr=lr, differentiable=True)[0]

    lr = ow.tensor(0.05, dtype=ow.float64, requires_grad=True)
    assert ow.autograd.gradcheck(function, lr)


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_gradients_reach_the_decay_of_weights(name):
    def function(decay):
        options = {"weight_decay": decay, "lr": 0.05}
        grads = [numbers(i) for i in range(1, 4)]
        return trained(name, options, numbers(0).clone(), grads, differentiable=True)[0]

    assert ow.autograd.gradcheck(function, ow.tensor(0.1, dtype=ow.float64, requires_grad=True))


def test_a_step_of_a_leaf_that_requires_grad_is_refused():
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        trained("Adam", {}, ow.nn.Parameter(numbers(0)), [numbers(1)], differentiable=True)


def test_what_is_no_leaf_is_only_taken_to_record_steps():
    param = ow.ones(2, requires_grad=True) * 2
    with pytest.raises(ValueError, match="can't optimize a non-leaf Tensor"):
        ow.optim.SGD([param])
    assert ow.optim.SGD([param], differentiable=True).param_groups[0]["params"] == [param]


@pytest.mark.parametrize("name", ["Adam", "NAdam", "ASGD", "RMSprop"])
def test_steps_that_a_graph_captures_are_of_a_gpu(name):
    with pytest.raises(
        AssertionError,
        match=rf"{name}.step: if capturable=True, .* devices: \['cuda'\], but got a parameter on cpu",
    ):
        trained(name, {"capturable": True}, numbers(0), [numbers(1)])


@pytest.mark.parametrize("name", ["LBFGS", "Adafactor"])
def test_a_learning_rate_of_one_element(name):
    """For a parameter without dimensions as well: in place nothing broadcasts to it."""
    found = []
    for lr in (0.5, ow.tensor([0.5])):
        param = ow.nn.Parameter(ow.tensor(2.0))
        optimizer = getattr(ow.optim, name)([param], lr=lr)

        def closure(optimizer=optimizer, param=param):
            optimizer.zero_grad()
            loss = (param - 1) ** 4
            loss.backward()
            return loss

        optimizer.step(closure)
        found.append(param.item())
    assert found[1] == pytest.approx(found[0], rel=1e-6)
    assert found[0] < 2
