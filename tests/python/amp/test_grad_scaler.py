"""GradScaler: scales, steps that are left out, states, and what it refuses."""

import pickle

import opweave as ow
import pytest
from opweave.amp import GradScaler


def parameter(value=1.0, grad=None, dtype=None):
    p = ow.tensor([value], dtype=dtype, requires_grad=True)
    if grad is not None:
        p.grad = ow.tensor([grad], dtype=dtype)
    return p


def sgd(*parameters):
    return ow.optim.SGD(parameters, lr=1.0)


def begun(**settings):
    scaler = GradScaler("cpu", **settings)
    scaler.scale(ow.tensor(1.0))
    return scaler


def test_a_step_has_the_gradients_of_the_loss():
    p = parameter(3.0)
    scaler, optimizer = GradScaler("cpu", init_scale=1024.0), sgd(p)
    loss = scaler.scale((p * p).sum())
    assert loss.item() == 9 * 1024
    loss.backward()
    assert p.grad.item() == 6 * 1024
    scaler.step(optimizer)
    scaler.update()
    assert p.item() == -3


def test_scales_as_pytorch_s():
    """What torch 2.15 has after each of these steps; True is one that overflows."""
    steps = [False, False, False, True, False, False, True, True, False, False, False, False, False]
    scaler, p = (
        begun(init_scale=64.0, growth_factor=4.0, backoff_factor=0.25, growth_interval=2),
        parameter(),
    )
    optimizer, seen = sgd(p), []
    for overflows in steps:
        before = p.item()
        p.grad = ow.tensor([float("inf") if overflows else 1.0])
        scaler.step(optimizer)
        scaler.update()
        assert (p.item() == before) == overflows
        seen.append((scaler.get_scale(), scaler.state_dict()["_growth_tracker"]))
    assert seen == [
        (64.0, 1), (256.0, 0), (256.0, 1), (64.0, 0), (64.0, 1), (256.0, 0), (64.0, 0), (16.0, 0), (16.0, 1),
        (64.0, 0), (64.0, 1), (256.0, 0), (256.0, 1),
    ]  # fmt: skip


def test_a_scale_that_would_overflow_stays():
    scaler, p = begun(init_scale=2.0**127, growth_interval=1), parameter(grad=0.0)
    scaler.step(sgd(p))
    scaler.update()
    assert scaler.get_scale() == 2.0**127


@pytest.mark.parametrize("bad", [float("inf"), float("-inf"), float("nan")])
def test_one_bad_element_of_many_tensors_of_any_layout(bad):
    p, q = parameter(grad=1.0), ow.zeros(3, 4).t().requires_grad_()
    q.grad = ow.ones(3, 4).t()
    q.grad[2, 1] = bad
    scaler = begun(init_scale=2.0)
    scaler.unscale_(sgd(p, q))
    assert p.grad.item() == 0.5
    assert q.grad[0, 0].item() == 0.5
    scaler.step(optimizer := sgd(p, q))
    assert p.item() == 1
    scaler.update()
    assert scaler.get_scale() == 1
    assert optimizer.param_groups[0]["params"][0] is p


def test_several_optimizers_share_a_scale():
    good, bad = parameter(grad=1.0), parameter(grad=float("inf"))
    scaler = begun(init_scale=8.0)
    scaler.step(sgd(good))
    scaler.step(sgd(bad))
    scaler.update()
    assert (good.item(), bad.item(), scaler.get_scale()) == (1 - 1 / 8, 1, 4)


def test_gradients_are_clipped_between():
    p = parameter(grad=16.0)
    scaler, optimizer = begun(init_scale=2.0), sgd(p)
    scaler.unscale_(optimizer)
    ow.nn.utils.clip_grad_norm_([p], 1.0)
    scaler.step(optimizer)
    assert abs(p.item()) < 1e-5


def test_what_is_scaled():
    scaler, x = begun(init_scale=2.0), ow.ones(2)
    assert scaler.scale([x, (x, [x])])[1][1][0].tolist() == [2, 2]
    assert type(scaler.scale((x, x))) is tuple
    assert [t.tolist() for t in scaler.scale(iter([x, x]))] == [[2, 2]] * 2
    assert scaler.scale(x.half()).dtype == ow.float16 or scaler.scale(x.half()).dtype == ow.float32
    with pytest.raises(ValueError, match="must be a Tensor or an iterable of Tensors, got int"):
        scaler.scale(3)


REFUSED = [
    (
        lambda s, o: (s.unscale_(o), s.unscale_(o)),
        RuntimeError,
        "unscale_.. has already been called on",
    ),
    (
        lambda s, o: (s.step(o), s.unscale_(o)),
        RuntimeError,
        "unscale_.. is being called after step",
    ),
    (
        lambda s, o: (s.step(o), s.step(o)),
        RuntimeError,
        "step.. has already been called since the last",
    ),
    (
        lambda s, o: s.step(o, closure=lambda: 1),
        RuntimeError,
        "Closure use is not currently supported",
    ),
    (
        lambda s, o: s.step(sgd(parameter())),
        AssertionError,
        "No inf checks were recorded for this optimizer",
    ),
    (lambda s, o: s.update(), AssertionError, "No inf checks were recorded prior to update"),
    (lambda s, o: s.update(ow.ones(2)), AssertionError, "of .*float32 with 2"),
    (lambda s, o: s.update(ow.tensor(3)), AssertionError, "new_scale should be a float or a"),
    (lambda s, o: s.load_state_dict({}), RuntimeError, "The source state dict is empty"),
    (lambda s, o: (s.step(o), pickle.dumps(s)), AssertionError, "only be pickled at the beginning"),
    (
        lambda s, o: s.unscale_(sgd(parameter(grad=1.0, dtype=ow.float16))),
        ValueError,
        "unscale FP16 grad",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), REFUSED)
def test_what_is_refused(call, kind, text):
    with pytest.raises(kind, match=text):
        call(begun(), sgd(parameter(grad=1.0)))


@pytest.mark.parametrize("method", ["unscale_", "step", "update"])
def test_before_a_loss_was_scaled(method):
    scaler = GradScaler("cpu")
    with pytest.raises(AssertionError, match=f"Attempted {method} but _scale is None"):
        getattr(scaler, method)(*([] if method == "update" else [sgd(parameter())]))


def test_settings():
    with pytest.raises(AssertionError, match=r"growth factor must be > 1.0.*got growth_factor=1"):
        GradScaler("cpu", growth_factor=1)
    with pytest.raises(AssertionError, match=r"backoff factor must be < 1.0.*got backoff_factor=1"):
        GradScaler("cpu", backoff_factor=1)
    scaler = GradScaler("cpu")
    assert scaler.state_dict() == {
        "scale": 65536.0,
        "growth_factor": 2.0,
        "backoff_factor": 0.5,
        "growth_interval": 2000,
        "_growth_tracker": 0,
    }
    scaler.set_growth_factor(3.0)
    scaler.set_backoff_factor(0.25)
    scaler.set_growth_interval(7)
    scaler.scale(ow.ones(1))
    scaler.update(3.0)
    assert scaler.get_scale() == 3
    scaler.update(ow.tensor(5.0))
    assert (scaler.get_growth_factor(), scaler.get_backoff_factor()) == (3, 0.25)
    assert (scaler.get_growth_interval(), scaler.get_scale()) == (7, 5)


def test_disabled_it_only_calls():
    p = parameter(grad=1.0)
    scaler, x = GradScaler("cpu", enabled=False), ow.ones(1)
    assert scaler.scale(x) is x
    scaler.unscale_(sgd(p))
    scaler.step(sgd(p))
    scaler.step(sgd(p))
    scaler.update()
    assert (p.item(), scaler.get_scale(), scaler.state_dict(), scaler.is_enabled()) == (
        -1,
        1,
        {},
        False,
    )


def test_what_is_no_device():
    assert GradScaler(None).is_enabled()
    with pytest.raises(TypeError, match=r"device: expected a str, a device or None, got 3 \(int\)"):
        GradScaler(3)


def test_a_device_that_is_not_there_disables_it():
    with pytest.warns(UserWarning, match="no device of the type 'cuda' is there"):
        assert not GradScaler().is_enabled()


@pytest.mark.parametrize("starts", [False, True])
def test_states_go_on(starts):
    """Also where the other has scaled nothing yet."""
    scaler = begun(init_scale=4.0, growth_interval=3)
    for _ in range(2):
        scaler.step(sgd(parameter(grad=1.0)))
        scaler.update()
    other = GradScaler("cpu")
    if starts:
        other.scale(ow.ones(1))
    other.load_state_dict(scaler.state_dict())
    for each in (other, pickle.loads(pickle.dumps(scaler))):
        each.scale(ow.ones(1))
        each.step(sgd(parameter(grad=1.0)))
        each.update()
        assert (each.get_scale(), each.state_dict()["_growth_tracker"]) == (8, 0)


def test_an_optimizer_that_takes_the_scale_itself():
    class Own(ow.optim.SGD):
        _step_supports_amp_scaling = True

        def step(self):
            self.seen = (self.grad_scale.item(), self.found_inf.item())

    p = parameter(grad=float("nan"))
    scaler, optimizer = begun(init_scale=16.0), Own([p], lr=1.0)
    scaler.step(optimizer)
    scaler.update()
    assert optimizer.seen == (16, 1)
    assert not hasattr(optimizer, "grad_scale")
    assert scaler.get_scale() == 8
