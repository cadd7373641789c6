"""Batch normalisation over all ranks: as one process does it on the whole batch."""

import opweave as ow
import pytest
from opweave import nn
from support.ranks import run


def whole(dims):
    g = ow.Generator().manual_seed(4)
    return ow.randn(12, 3, *[4, 2][: dims - 2], generator=g) * 3 + 5


def parts(x, counts):
    return x.split(counts)


def normalised(dist, rank, size, dims, counts):
    ow.manual_seed(1)
    norm = nn.SyncBatchNorm(3)
    with ow.no_grad():
        norm.weight.copy_(ow.tensor([1.0, 2.0, -1.0]))
        norm.bias.copy_(ow.tensor([0.5, 0.0, 1.0]))
    x = parts(whole(dims), counts)[rank].clone().requires_grad_()
    y = norm(x)
    (y * y.detach().sin()).sum().backward()
    grads = [norm.weight.grad, norm.bias.grad]
    for grad in grads:
        dist.all_reduce(grad)
    return [
        y.detach().flatten().tolist(),
        x.grad.flatten().tolist(),
        [g.tolist() for g in grads],
        norm.running_mean.tolist(),
        norm.running_var.tolist(),
        int(norm.num_batches_tracked),
    ]


@pytest.mark.parametrize("counts", [[4, 4, 4], [1, 9, 2], [0, 5, 7]], ids=str)
@pytest.mark.parametrize("dims", [2, 3, 4])
def test_as_one_process_on_the_whole_batch(tmp_path, dims, counts):
    kind = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d}[dims]
    norm = kind(3)
    with ow.no_grad():
        norm.weight.copy_(ow.tensor([1.0, 2.0, -1.0]))
        norm.bias.copy_(ow.tensor([0.5, 0.0, 1.0]))
    x = whole(dims).requires_grad_()
    y = norm(x)
    (y * y.detach().sin()).sum().backward()
    ys, grads = parts(y.detach(), counts), parts(x.grad, counts)
    near = {"rel": 1e-4, "abs": 1e-5}
    for rank, (got, got_grad, own, mean, var, batches) in enumerate(
        run(normalised, 3, tmp_path, dims=dims, counts=counts)
    ):
        assert got == pytest.approx(ys[rank].flatten().tolist(), **near)
        assert got_grad == pytest.approx(grads[rank].flatten().tolist(), **near)
        assert own[0] == pytest.approx(norm.weight.grad.tolist(), **near)
        assert own[1] == pytest.approx(norm.bias.grad.tolist(), **near)
        assert mean == pytest.approx(norm.running_mean.tolist(), **near)
        assert var == pytest.approx(norm.running_var.tolist(), **near)
        assert batches == 1


def test_a_module_is_converted():
    module = nn.Sequential(
        nn.Conv2d(1, 3, 2), nn.BatchNorm2d(3), nn.Sequential(nn.BatchNorm1d(4, affine=False))
    )
    module.eval()
    before = dict(module.named_parameters())
    converted = nn.SyncBatchNorm.convert_sync_batchnorm(module)
    assert [type(m).__name__ for m in converted.modules()].count("SyncBatchNorm") == 2
    assert all(p is before[name] for name, p in converted.named_parameters())
    assert converted[1].training is False
    assert list(converted.state_dict()) == list(module.state_dict())
    x = ow.randn(2, 1, 4, 4)
    assert ow.equal(converted[1](converted[0](x)), module[1](module[0](x)))


def test_without_a_group_it_is_a_batch_norm():
    norm, plain = nn.SyncBatchNorm(3), nn.BatchNorm1d(3)
    x = ow.randn(5, 3)
    assert ow.equal(norm(x), plain(x))
    with pytest.raises(ValueError, match=r"expected at least 2D input \(got 1D input\)"):
        norm(ow.ones(3))


def test_the_prefix_of_data_parallel_models():
    from opweave.nn.modules.utils import consume_prefix_in_state_dict_if_present

    model = nn.Linear(2, 2)
    state = {f"module.{name}": value for name, value in model.state_dict().items()}
    with pytest.raises(
        RuntimeError,
        match=r"(?s)Missing key.*All keys begin with \"module\.\".*consume_prefix_in_state_dict",
    ):
        model.load_state_dict(state)
    assert len(model.load_state_dict(state, strict=False).missing_keys) == 2
    consume_prefix_in_state_dict_if_present(state, "module.")
    assert list(state) == ["weight", "bias"]
    model.load_state_dict(state)


def in_half(dist, rank, size, dtype, with_float_weights):
    """More elements than float16 can count, and values whose squares it does not have."""
    dtype = getattr(ow, dtype)
    norm = nn.SyncBatchNorm(2)
    if not with_float_weights:
        norm = norm.to(dtype)
    x = ow.randn(40, 2, 1000, generator=ow.Generator().manual_seed(rank)) * 3 + 300
    x = x.to(dtype).requires_grad_()
    y = norm(x)
    y.float().square().sum().backward()
    whole = nn.BatchNorm1d(2)
    both = [None] * size
    dist.all_gather_object(both, x.detach().float())
    expected = whole(ow.cat(both)).chunk(size)[rank]
    return [
        str(y.dtype),
        str(x.grad.dtype),
        str(norm.running_var.dtype),
        (y.float() - expected).abs().max().item(),
        (norm.running_var.float() / whole.running_var - 1).abs().max().item(),
        bool(x.grad.isfinite().all()),
    ]


@pytest.mark.parametrize("with_float_weights", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_inputs_of_16_bits(tmp_path, dtype, with_float_weights):
    """Statistics are those of float32, results of the input's dtype, as those of PyTorch's BatchNorm are."""
    step = 2**-9 if dtype == "float16" else 2**-6
    for out, gradient, running, difference, variance, finite in run(
        in_half, 2, tmp_path, dtype=dtype, with_float_weights=with_float_weights
    ):
        assert out == gradient == f"opweave.{dtype}"
        assert running == ("opweave.float32" if with_float_weights else f"opweave.{dtype}")
        assert difference < 4 * step
        assert variance < step
        assert finite
