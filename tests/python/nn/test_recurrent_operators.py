"""Recurrent networks as operators: what layers do not show of them. Expected is what PyTorch 2.15 answers,
and what the steps give one by one."""

import re

import opweave as ow
import pytest
from opweave.func import jvp, vmap

F = ow.nn.functional
NETWORKS = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def weights(gates, features, width, count=1, seed=0):
    """Weights and biases of as many layers."""
    draw = ow.Generator().manual_seed(seed)
    shapes = []
    for layer in range(count):
        rows = gates * width
        shapes += [(rows, width if layer else features), (rows, width), (rows,), (rows,)]
    return [ow.randn(s, generator=draw, dtype=ow.float64) for s in shapes]


def states(name, *shape):
    draw = ow.Generator().manual_seed(1)
    pair = [ow.randn(shape, generator=draw, dtype=ow.float64) for _ in range(2)]
    return pair if name == "lstm" else pair[0]


def steps(*shape):
    return ow.randn(shape, generator=ow.Generator().manual_seed(2), dtype=ow.float64)


def run(name, x, hx, params, layers=1, dropout=0.0, train=False):
    return getattr(ow, name)(x, hx, params, True, layers, dropout, train, False, False)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_is_its_cell_step_by_step(name):
    x, hx, params = steps(4, 2, 3), states(name, 1, 2, 5), weights(NETWORKS[name], 3, 5)
    state = [h[0] for h in hx] if name == "lstm" else hx[0]
    expected = []
    for gates in x:
        state = getattr(ow, f"{name}_cell")(gates, state, *params)
        expected.append(state[0] if name == "lstm" else state)
    output, *last = run(name, x, hx, params)
    assert ow.allclose(output, ow.stack(expected), rtol=1e-12)
    state = state if name == "lstm" else [state]
    assert all(ow.allclose(a[0], b, rtol=1e-12) for a, b in zip(last, state, strict=True))


@pytest.mark.parametrize("name", NETWORKS)
def test_packed_sequences_are_those_one_by_one(name):
    hx, params = states(name, 1, 3, 2), weights(NETWORKS[name], 3, 2)
    x, sizes = steps(6, 3), ow.tensor([3, 2, 1])
    output, *last = getattr(ow, name)(x, sizes, hx, params, True, 1, 0.0, False, False)
    rows = [[0, 3, 5], [1, 4], [2]]
    for i, places in enumerate(rows):
        own = [h[:, i : i + 1] for h in hx] if name == "lstm" else hx[:, i : i + 1]
        single, *ends = run(name, x[places].unsqueeze(1), own, params)
        assert ow.allclose(output[places], single[:, 0], rtol=1e-12)
        assert all(ow.allclose(a[:, i], b[:, 0]) for a, b in zip(last, ends, strict=True))


def test_dropout_between_layers_draws_as_the_function_does():
    x, hx, params = steps(3, 2, 4), states("gru", 2, 2, 4), weights(3, 4, 4, 2)
    ow.manual_seed(7)
    found, _ = run("gru", x, hx, params, 2, 0.5, True)
    first, _ = run("gru", x, hx[:1], params[:4])
    ow.manual_seed(7)
    expected, _ = run("gru", F.dropout(first, 0.5), hx[1:], params[4:])
    assert ow.equal(found, expected)
    with pytest.raises(RuntimeError, match="dropout probability has to be between 0 and 1"):
        run("gru", x, hx, params, 2, 1.5, True)


# --- transforms -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", NETWORKS)
def test_networks_under_transforms(name):
    x, hx, params = steps(5, 3, 2, 3), states(name, 1, 2, 2), weights(NETWORKS[name], 3, 2)
    found = vmap(lambda one: run(name, one, hx, params)[0])(x)
    assert ow.allclose(found, ow.stack([run(name, one, hx, params)[0] for one in x]))
    tangent, step = ow.ones_like(x[0]), 1e-6
    _, change = jvp(lambda one: run(name, one, hx, params)[0], (x[0],), (tangent,))
    ends = [run(name, x[0] + s * step * tangent, hx, params)[0] for s in (1, -1)]
    assert ow.allclose(change, (ends[0] - ends[1]) / (2 * step), rtol=1e-5, atol=1e-7)


def test_one_call_is_seen_of_a_network():
    seen = []

    class Watch(ow.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            seen.append(function.__name__)
            return function(*args, **(kwargs or {}))

    x, hx, params = steps(3, 2, 3), states("gru", 1, 2, 2), weights(3, 3, 2)
    with Watch():
        run("gru", x, hx, params)
    assert seen == ["gru"]


def test_elements_decide_nothing_but_the_sizes_of_steps():
    hx, params = states("gru", 1, 2, 2), weights(3, 3, 2)
    x, hx, *params = (t.to("meta") for t in (steps(3, 3), hx, *params))
    rest = (params, True, 1, 0.0, False, False)
    output, last = ow.gru(x, ow.tensor([2, 1]), hx, *rest)
    assert (output.shape, last.shape) == ((3, 2), (1, 2, 2))
    with pytest.raises(NotImplementedError, match="depends on elements"):
        ow.gru(x, ow.tensor([2, 1]).to("meta"), hx, *rest)


# --- autocast -----------------------------------------------------------------------------------------------
def narrow(gates, features, width, proj=0):
    out = proj or width
    rows = gates * width
    made = [ow.ones(rows, features), ow.ones(rows, out), ow.ones(rows), ow.ones(rows)]
    return [*made, ow.ones(proj, width)] if proj else made


def test_autocast_casts_what_a_library_computes_in_pytorch():
    full, lower = ow.float32, ow.bfloat16
    hx, projected = [ow.ones(1, 2, 5)] * 2, [ow.ones(1, 2, 2), ow.ones(1, 2, 5)]
    rest = (True, 1, 0.0, False, False)
    with ow.autocast("cpu"):
        found = [
            ow.lstm(ow.ones(4, 2, 3), hx, narrow(4, 3, 5), *rest, False),
            ow.lstm(ow.ones(4, 2, 3), projected, narrow(4, 3, 5, 2), *rest, False),
            ow.lstm(ow.ones(6, 3), ow.tensor([2, 2, 1, 1]), hx, narrow(4, 3, 5), *rest),
            ow.gru(ow.ones(4, 2, 3), hx[0], narrow(3, 3, 5), *rest, False),
        ]
    dtypes = [[t.dtype for t in results] for results in found]
    assert dtypes == [[lower] * 3, [lower, lower, full], [full] * 3, [full] * 2]


# --- refusals -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("name", "gates"), [("lstm", 4), ("gru", 3)])
def test_rows_of_weights_are_those_of_all_gates(name, gates):
    params = [ow.ones(gates * 2 + 1, 3), ow.ones(gates * 2 + 1, 2)]
    hx = [ow.ones(1, 2, 2)] * 2 if name == "lstm" else ow.ones(1, 2, 2)
    said = f"expected weights of {gates} gates of one size, but they have {gates * 2 + 1} rows"
    with pytest.raises(RuntimeError, match=re.escape(said)):
        getattr(ow, name)(ow.ones(4, 2, 3), hx, params, False, 1, 0.0, False, False, False)


def test_more_layers_than_can_be_counted():
    hx = ow.ones(1, 2, 2)
    with pytest.raises(RuntimeError, match="got 1 parameters for 9223372036854775807 layers"):
        ow.gru(ow.ones(4, 2, 3), hx, [hx], True, 2**63 - 1, 0.0, False, True, False)
    with pytest.raises(RuntimeError, match="expected at least one layer, but got num_layers=0"):
        ow.gru(ow.ones(4, 2, 3), hx, [], True, 0, 0.0, False, True, False)


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ([2, 2], "batch_sizes of the 3 elements of the data, but [2, 2] are 4"),
        ([1, 2], "batch_sizes that do not rise, the longest sequences first, and are not negative"),
        ([4, -1], "and are not negative, but got [4, -1]"),
        ([2**62, 2**62], "are 9223372036854775807"),
        ([3] + [0] * 8, "Expected hidden0 size (1, 3, 2), got [1, 2, 2]"),
        ([9] + [1] * 8, "[9, 1, 1, 1, 1, 1, 1, 1, ...] are 17"),
        ([], "batch_sizes of the 3 elements of the data, but [] are 0"),
    ],
)
def test_batch_sizes_of_a_call(sizes, said):
    given = ow.tensor(sizes, dtype=ow.int64)
    hx, params = states("gru", 1, 2, 2), weights(3, 3, 2)
    with pytest.raises(RuntimeError, match=re.escape(said)):
        ow.gru(steps(3, 3), given, hx, params, True, 1, 0.0, False, False)


def test_batch_sizes_are_whole_numbers_in_a_row():
    hx, params = states("gru", 1, 2, 2), weights(3, 3, 2)
    for wrong, said in (
        (ow.tensor([2.0, 1.0]), "1D tensor of integers, but got 1D, opweave.float32"),
        (ow.tensor([[2, 1]]), "1D tensor of integers, but got 2D, opweave.int64"),
    ):
        with pytest.raises(
            RuntimeError, match=re.escape(f"gru(): expected batch_sizes to be a {said}")
        ):
            ow.gru(steps(3, 3), wrong, hx, params, True, 1, 0.0, False, False)
