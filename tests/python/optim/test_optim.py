"""Optimisers as objects: groups, state, errors. (Steps: test_reference_optim.py.)"""

import copy

import numpy as np
import pytest

MAKERS = {
    "SGD": lambda ow, p: ow.optim.SGD(p, lr=0.1, momentum=0.9),
    "Adam": lambda ow, p: ow.optim.Adam(p, lr=0.1),
    "AdamW": lambda ow, p: ow.optim.AdamW(p, lr=0.1),
}


def parameters(ow, n=2):
    return [ow.nn.Parameter(ow.ones(3) * (i + 1)) for i in range(n)]


@pytest.fixture(name="make", params=MAKERS)
def maker(request):
    return MAKERS[request.param]


def step(optimizer, ps):
    optimizer.zero_grad()
    sum((p * p).sum() for p in ps).backward()
    optimizer.step()


def test_a_step_changes_parameters_in_place(ow, make):
    ps = parameters(ow)
    pointers, before = [p.data_ptr() for p in ps], [p.detach().clone() for p in ps]
    step(make(ow, ps), ps)
    assert [p.data_ptr() for p in ps] == pointers
    assert not any(p.equal(b) for p, b in zip(ps, before, strict=True))
    assert all(p.is_leaf and p.requires_grad for p in ps)
    assert all(p._version > 0 for p in ps)


def test_loss_falls(ow, make):
    ps = parameters(ow)
    optimizer = make(ow, ps)
    for _ in range(200):
        step(optimizer, ps)
    assert max(p.abs().max().item() for p in ps) < 0.1


def numpy_sgd(p, grads, *, lr, momentum=0, dampening=0, nesterov=False, maximize=False):
    buffer = None
    for grad in grads:
        g = -grad if maximize else grad
        if momentum:
            buffer = g if buffer is None else momentum * buffer + (1 - dampening) * g
            g = g + momentum * buffer if nesterov else buffer
        p = p - lr * g
    return p


def numpy_adam(p, grads, *, lr, weight_decay=0, amsgrad=False, maximize=False, decoupled=False):
    mean, square, largest = (np.zeros_like(p) for _ in range(3))
    for step, grad in enumerate(grads, 1):
        if decoupled:
            p = p - lr * weight_decay * p
        g = (-grad if maximize else grad) + (0 if decoupled else weight_decay) * p
        mean = 0.9 * mean + 0.1 * g
        square = 0.999 * square + 0.001 * g * g
        largest = np.maximum(largest, square)
        second = (largest if amsgrad else square) / (1 - 0.999**step)
        p = p - lr * mean / (1 - 0.9**step) / (np.sqrt(second) + 1e-8)
    return p


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("name", "reference", "options", "extra"),
    [
        ("SGD", numpy_sgd, {}, {}),
        ("SGD", numpy_sgd, {"momentum": 0.9, "dampening": 0.3}, {}),
        ("SGD", numpy_sgd, {"momentum": 0.9, "nesterov": True, "maximize": True}, {}),
        ("Adam", numpy_adam, {"weight_decay": 0.1}, {}),
        ("Adam", numpy_adam, {"amsgrad": True, "maximize": True}, {}),
        ("AdamW", numpy_adam, {"weight_decay": 0.1, "amsgrad": True}, {"decoupled": True}),
    ],
)
def test_steps_of_many_elements(ow, name, reference, options, extra, dtype):
    """Lengths that vectors do not divide; gradients that shrink, so that amsgrad matters."""
    random = np.random.default_rng(0)
    start = random.standard_normal(1003)
    grads = [random.standard_normal(1003) * scale for scale in (1, 0.1, 0.01)]
    p = ow.nn.Parameter(ow.from_numpy(start.astype(dtype)))
    optimizer = getattr(ow.optim, name)([p], lr=0.1, **options)
    for grad in grads:
        p.grad = ow.from_numpy(grad.astype(dtype))
        optimizer.step()
    expected = reference(start, grads, lr=0.1, **options, **extra)
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(p.detach().numpy(), expected, rtol=tolerance, atol=tolerance)


def test_parameters_without_grad_stay(ow, make):
    ps = parameters(ow)
    optimizer = make(ow, ps)
    (ps[0] * 2).sum().backward()
    optimizer.step()
    assert ps[1].tolist() == [2.0, 2.0, 2.0]
    assert not optimizer.state.get(ps[1])


def test_zero_grad(ow, make):
    ps = parameters(ow)
    optimizer = make(ow, ps)
    ps[0].sum().backward()
    optimizer.zero_grad()
    assert ps[0].grad is None
    ps[0].sum().backward()
    optimizer.zero_grad(set_to_none=False)
    assert ps[0].grad.tolist() == [0.0, 0.0, 0.0]
    assert ps[1].grad is None


def test_state_dict_continues_a_run(ow, make):
    ps, others = parameters(ow), parameters(ow)
    one, other = make(ow, ps), make(ow, others)
    for _ in range(3):
        step(one, ps)
    with ow.no_grad():
        for p, q in zip(ps, others, strict=True):
            q.copy_(p)
    other.load_state_dict(copy.deepcopy(one.state_dict()))
    for _ in range(3):
        step(one, ps)
        step(other, others)
    assert all(p.equal(q) for p, q in zip(ps, others, strict=True))


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_a_state_of_another_dtype_is_loaded_as_that_of_the_parameters(ow, make, dtype):
    ps, others = parameters(ow), [ow.nn.Parameter(p.to(getattr(ow, dtype))) for p in parameters(ow)]
    one, other = make(ow, ps), make(ow, others)
    step(one, ps)
    other.load_state_dict(one.state_dict())
    for p, q in zip(ps, others, strict=True):
        assert other.state[q].keys() == one.state[p].keys()
        for name, value in other.state[q].items():
            saved = one.state[p][name]
            assert value is not saved
            if name == "step":  # a count, which bfloat16 would end at 256
                assert value.dtype == ow.float32
            else:
                assert value.dtype == q.dtype
                assert value.float().tolist() == saved.to(q.dtype).float().tolist()
    step(other, others)
    assert all(q.isfinite().all() for q in others)


def test_load_state_dict_checks_groups(ow, make):
    optimizer, other = make(ow, parameters(ow)), make(ow, parameters(ow, 3))
    with pytest.raises(ValueError, match="group"):
        optimizer.load_state_dict(other.state_dict())


def test_a_state_dict_that_is_refused_changes_nothing(ow, make):
    ps = parameters(ow)
    optimizer = make(ow, ps)
    step(optimizer, ps)
    before = copy.deepcopy(optimizer.state_dict())
    with pytest.raises(KeyError, match="state"):
        optimizer.load_state_dict(
            {"param_groups": make(ow, parameters(ow)).state_dict()["param_groups"]}
        )
    assert str(optimizer.state_dict()) == str(before)
    assert set(optimizer.state) == set(ps)


def test_groups(ow):
    p, q = parameters(ow)
    optimizer = ow.optim.SGD([{"params": [p], "lr": 0.5}, {"params": [q]}], lr=0.1)
    assert [g["lr"] for g in optimizer.param_groups] == [0.5, 0.1]
    assert optimizer.param_groups[0]["params"] == [p] or optimizer.param_groups[0]["params"][0] is p
    (p.sum() + q.sum()).backward()
    optimizer.step()
    assert p.tolist() == [0.5] * 3
    assert q.tolist() == pytest.approx([1.9] * 3)
    optimizer.param_groups[1]["lr"] = 0.0
    optimizer.step()
    assert q.tolist() == pytest.approx([1.9] * 3)


def test_closure(ow, make):
    ps = parameters(ow)
    optimizer = make(ow, ps)

    def closure():
        optimizer.zero_grad()
        loss = sum((p * p).sum() for p in ps)
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 15.0


def test_learning_rate_as_a_tensor_or_zero(ow):
    ps = parameters(ow, 1)
    optimizer = ow.optim.SGD(ps, lr=0.0)
    step(optimizer, ps)
    assert ps[0].tolist() == [1.0] * 3


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda ow: ow.optim.SGD([], lr=0.1), ValueError),
        (lambda ow: ow.optim.SGD(ow.ones(2), lr=0.1), TypeError),
        (lambda ow: ow.optim.SGD([1], lr=0.1), TypeError),
        (lambda ow: ow.optim.SGD([ow.ones(2, requires_grad=True) * 2], lr=0.1), ValueError),
        (lambda ow: ow.optim.SGD(parameters(ow), lr=-1), ValueError),
        (lambda ow: ow.optim.SGD(parameters(ow), lr=0.1, momentum=-1), ValueError),
        (lambda ow: ow.optim.SGD(parameters(ow), lr=0.1, weight_decay=-1), ValueError),
        (lambda ow: ow.optim.SGD(parameters(ow), lr=0.1, nesterov=True), ValueError),
        (lambda ow: ow.optim.Adam(parameters(ow), lr=-1), ValueError),
        (lambda ow: ow.optim.Adam(parameters(ow), eps=-1), ValueError),
        (lambda ow: ow.optim.Adam(parameters(ow), betas=(0.9, 1.0)), ValueError),
        (lambda ow: ow.optim.AdamW(parameters(ow), weight_decay=-1), ValueError),
        (lambda ow: ow.optim.SGD(parameters(ow), lr=0.1, foo=1), TypeError),
    ],
)
def test_bad_arguments(ow, call, error):
    with pytest.raises(error):
        call(ow)


def test_repr(ow):
    text = repr(ow.optim.SGD(parameters(ow), lr=0.1))
    assert text.startswith("SGD (\nParameter Group 0\n")
    assert "    lr: 0.1\n" in text


def test_deterministic(ow, make):
    runs = []
    for _ in range(2):
        ps = parameters(ow)
        optimizer = make(ow, ps)
        for _ in range(5):
            step(optimizer, ps)
        runs.append([p.tolist() for p in ps])
    assert runs[0] == runs[1]


def test_state_dtype_and_memory(ow):
    p = ow.nn.Parameter(ow.ones(3, dtype=ow.float64))
    optimizer = ow.optim.Adam([p])
    step(optimizer, [p])
    state = optimizer.state[p]
    assert sorted(state) == ["exp_avg", "exp_avg_sq", "step"]
    assert state["exp_avg"].dtype is ow.float64
    assert state["exp_avg"].shape == p.shape
    assert float(state["step"]) == 1


def lying(ow, how, values):
    """A parameter of these values: its strides are not those of a contiguous one."""
    if how == "transposed":
        tensor = values.t().contiguous().t()
    elif how == "every second":
        tensor = ow.zeros(3, 8)[:, ::2]
    else:
        tensor = ow.zeros(5, 4)[1:4, :].t().contiguous().t()
    tensor.copy_(values)
    return ow.nn.Parameter(tensor)


@pytest.mark.parametrize("how", ["transposed", "every second", "rows"])
@pytest.mark.parametrize("amsgrad", [False, True])
def test_strides_of_parameters_change_no_bit(ow, make, how, amsgrad):
    values = ow.arange(12, dtype=ow.float32).reshape(3, 4) / 7
    found = []
    for strided in (False, True):
        p = lying(ow, how, values) if strided else ow.nn.Parameter(values.clone())
        assert p.is_contiguous() != strided
        other = ow.nn.Parameter(ow.ones(3))
        optimizer = make(ow, [p, other])
        if "amsgrad" in optimizer.param_groups[0]:
            optimizer.param_groups[0]["amsgrad"] = amsgrad
        pointer = p.data_ptr()
        for _ in range(3):
            step(optimizer, [p, other])
        assert p.data_ptr() == pointer
        moments = [
            v.tolist() for v in optimizer.state[p].values() if isinstance(v, ow.Tensor) and v.ndim
        ]
        found.append([p.tolist(), other.tolist(), moments])
    assert found[0] == found[1]


def test_gradients_and_state_may_have_other_strides_than_their_parameter(ow, make):
    values, gradient = ow.ones(3, 4), ow.arange(12, dtype=ow.float32).reshape(3, 4) - 5
    found = []
    for strided in (False, True):
        p = ow.nn.Parameter(values.clone())
        optimizer = make(ow, [p])
        for _ in range(2):
            p.grad = gradient.t().contiguous().t() if strided else gradient.clone()
            optimizer.step()
            for name, value in optimizer.state[p].items():
                if strided and value.ndim:
                    optimizer.state[p][name] = value.t().contiguous().t()
        found.append([p.tolist()])
    assert found[0] == found[1]


def test_two_ways_at_once_are_refused(ow):
    with pytest.raises(RuntimeError, match="`fused` and `foreach` cannot be `True` together"):
        ow.optim.Adam(parameters(ow), fused=True, foreach=True)
    with pytest.raises(RuntimeError, match="`fused` does not support `differentiable`"):
        ow.optim.Adagrad(parameters(ow), fused=True, differentiable=True)


def test_adafactor_in_parts(ow, monkeypatch):
    """A long row is worked on in parts: the same numbers as at once."""
    answers = []
    for part in (1 << 10, 1 << 20):
        monkeypatch.setattr(ow.optim._adafactor, "_PART", part)
        p = ow.nn.Parameter(ow.arange(5000.0).sin())
        optimizer = ow.optim.Adafactor([p], lr=0.1)
        for scale in (1.0, -0.25):
            p.grad = scale * ow.arange(5000.0).cos()
            optimizer.step()
        answers.append((p.tolist(), optimizer.state[p]["variance"].tolist()))
    assert answers[0] == answers[1]
