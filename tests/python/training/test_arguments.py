"""The arguments of DistributedDataParallel, copies of it, and what is left out of it."""

import copy
import pickle
import warnings

import opweave as ow
import pytest
from opweave import nn
from support.ranks import run

DDP = nn.parallel.DistributedDataParallel


class Net(nn.Module):
    """Three layers of which a call uses those that it names, and a buffer."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = (nn.Linear(3, 3, bias=False) for _ in range(3))
        self.register_buffer("seen", ow.zeros(1))

    def forward(self, x, which="abc"):
        for name in which:
            x = getattr(self, name)(x)
        return x


def mine(rank, step=0):
    return ow.randn(2, 3, generator=ow.Generator().manual_seed(10 * rank + step))


def gradients(model):
    return [None if p.grad is None else p.grad.flatten().tolist() for p in model.parameters()]


def single(size, **options):
    ow.manual_seed(1)
    model = Net()
    for rank in range(size):
        (model(mine(rank), **options).sum() / size).backward()
    return gradients(model)


def close(found, wanted):
    return all(
        (a is None) == (b is None) and (a is None or a == pytest.approx(b, rel=1e-5, abs=1e-6))
        for a, b in zip(found, wanted, strict=True)
    )


class Refusals:
    """What each wrong call is told; PyTorch's texts where it refuses it, too."""

    def __init__(self, dist):
        grid = dist.init_device_mesh("cpu", (1, 1), mesh_dim_names=("a", "b"))
        line = dist.init_device_mesh("cpu", (1,))
        group = dist.group.WORLD
        self.calls = [
            (
                {"device_ids": [0]},
                "device_ids and output_device arguments only work with single-device/",
            ),
            ({"device_ids": [0, 1]}, "device_ids can only be None or contain a single element."),
            (
                {"output_device": 1},
                "but got device_ids None, output_device 1, and module parameters {",
            ),
            ({"delay_all_reduce_named_params": []}, "need to be set at the same time."),
            ({"param_to_hook_all_reduce": ow.ones(1)}, "need to be set at the same time."),
            ({"bucket_cap_mb_list": [1, 0]}, "bucket_cap_mb_list: expected a size above 0, got 0"),
            ({"bucket_cap_mb": 1e30}, "bucket_cap_mb: expected a size below 2**43 MiB, got 1e+30"),
            ({"bucket_cap_mb": float("inf")}, "bucket_cap_mb: expected a size below 2**43 MiB"),
            (
                {"mixed_precision": object()},
                "mixed_precision: parameters of a lower precision beside",
            ),
            (
                {"process_group": group, "device_mesh": line},
                "Cannot specify both process_group and",
            ),
            ({"device_mesh": grid}, "Only 1D device mesh is supported, but got DeviceMesh("),
        ]

    def texts(self):
        for options, expected in self.calls:
            with pytest.raises((ValueError, RuntimeError, NotImplementedError)) as caught:
                DDP(Net(), **options)
            assert expected in str(caught.value), options
        return len(self.calls)


def refused(dist, rank, size):
    return Refusals(dist).texts()


def test_what_cannot_be_is_refused(tmp_path):
    assert run(refused, 1, tmp_path) == [11]


WRONG = [
    ({"bucket_cap_mb": "25"}, "bucket_cap_mb: expected a number or None, got str"),
    ({"bucket_cap_mb_list": 3}, "bucket_cap_mb_list: expected a list of numbers or None, got int"),
    ({"bucket_cap_mb_list": [1, "2"]}, "bucket_cap_mb_list: element 1: expected a number, got str"),
    ({"process_group": 3}, "process_group: expected a ProcessGroup or None, got int"),
    ({"device_ids": 0}, "device_ids: expected a list of devices or None, got int"),
    ({"device_mesh": 3}, "device_mesh: expected a DeviceMesh or None, got int"),
    ({"find_unused_parameters": "yes"}, "find_unused_parameters: expected a bool, got str"),
    (
        {"param_to_hook_all_reduce": "a"},
        "param_to_hook_all_reduce: expected a parameter or None, got str",
    ),
    (
        {"delay_all_reduce_named_params": [3]},
        "delay_all_reduce_named_params: element 0: expected a pair of a name and a parameter, got int",
    ),
]


def of_wrong_types(dist, rank, size):
    texts = []
    for options, _ in WRONG:
        with pytest.raises(TypeError) as caught:
            DDP(Net(), **options)
        texts.append(str(caught.value))
    return texts


def test_arguments_of_wrong_types(tmp_path):
    (texts,) = run(of_wrong_types, 1, tmp_path)
    assert texts == [f"DistributedDataParallel(): {text}" for _, text in WRONG]


def warned(options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = DDP(Net(), **options)
    return [[w.category.__name__, str(w.message)] for w in caught], model.broadcast_buffers


def deprecated(dist, rank, size):
    return [
        warned({"broadcast_buffers": False}),
        warned({"broadcast_buffers": False, "forward_sync_buffers": True}),
        warned({"check_reduction": True}),
        warned({"device_ids": [], "batched_grad_copy": True}),
    ]


def test_deprecated_arguments(tmp_path):
    ((a, b, c, d),) = run(deprecated, 1, tmp_path)
    assert a[0][0][0] == b[0][0][0] == c[0][0][0] == "FutureWarning"
    assert "Use `forward_sync_buffers` instead" in a[0][0][1]
    assert "its value is ignored when `forward_sync_buffers`" in b[0][0][1]
    assert "`check_reduction` argument in `DistributedDataParallel` module" in c[0][0][1]
    assert [one[1] for one in (a, b, c, d)] == [False, True, True, True]
    assert d[0] == []


def buffers(dist, rank, size, options):
    net = Net()
    net.seen.fill_(rank + 1)
    warnings.simplefilter("ignore")
    model = DDP(net, **options)
    first = net.seen.item()
    net.seen.fill_(rank + 5)
    model(mine(rank))
    return [first, net.seen.item()]


@pytest.mark.parametrize(
    ("options", "second"),
    [
        ({}, [1, 5]),
        ({"forward_sync_buffers": False}, [1, 6]),
        ({"broadcast_buffers": False}, [2, 6]),
        ({"init_sync": False}, [2, 5]),
    ],
)
def test_which_buffers_are_made_equal(tmp_path, options, second):
    assert run(buffers, 2, tmp_path, options=options)[1] == second


def meshes(dist, rank, size):
    ow.manual_seed(1)
    model = DDP(
        Net(), device_mesh=dist.init_device_mesh("cpu", (size,)), bucket_cap_mb_list=[2e-5, 1]
    )
    for _ in range(2):
        model.zero_grad()
        model(mine(rank)).sum().backward()
    sizes = [bucket["bytes"] for bucket in model.statistics()["buckets"]]
    return [gradients(model), sizes]


def test_a_mesh_and_a_list_of_sizes(tmp_path):
    for found, sizes in run(meshes, 2, tmp_path):
        assert close(found, single(2))
        assert sizes == [36, 72]


def skips(dist, rank, size):
    ow.manual_seed(1)
    model = DDP(
        Net(), find_unused_parameters=True, skip_all_reduce_unused_params=True, bucket_cap_mb=2e-5
    )
    found = []
    for _ in range(2):
        model.zero_grad()
        model(mine(rank), which="ac").sum().backward()
        found.append(gradients(model))
    return found[1]


def test_buckets_of_unused_parameters_are_skipped(tmp_path):
    for found in run(skips, 2, tmp_path):
        assert close(found, single(2, which="ac"))


def ignores(dist, rank, size):
    ow.manual_seed(1 + rank)
    net = Net()
    DDP._set_params_and_buffers_to_ignore_for_model(net, ["b.weight", "seen"])
    net.seen.fill_(rank)
    model = DDP(net)
    model(mine(rank)).sum().backward()
    same = [p.sum().item() for p in net.parameters()]
    return [same, [p.grad.sum().item() for p in net.parameters()], net.seen.item()]


def test_what_is_ignored_stays_as_it_is(tmp_path):
    (p, g, s), (q, h, t) = run(ignores, 2, tmp_path)
    assert [a == b for a, b in zip(p, q, strict=True)] == [True, False, True]
    assert [a == b for a, b in zip(g, h, strict=True)] == [True, False, True]
    assert (s, t) == (0, 1)


def delays(dist, rank, size, everything):
    ow.manual_seed(1 + rank)
    net = Net()
    names = ["a.weight", "b.weight", "c.weight"] if everything else ["b.weight", "c.weight"]
    named = [(name, p) for name, p in net.named_parameters() if name in names]
    model = DDP(net, delay_all_reduce_named_params=named, param_to_hook_all_reduce=net.a.weight)
    if everything:
        dist.broadcast(net.a.weight.detach(), 0)
    found = []
    for step in range(3):
        model.zero_grad(set_to_none=step != 1)
        model(mine(rank)).sum().backward()
        found.append(gradients(model))
    return found


def test_gradients_that_are_reduced_together(tmp_path):
    """The hook runs before `a` itself has its gradient: only those before it are asked for."""
    first, second = run(delays, 2, tmp_path, everything=False)
    assert first == second
    assert all(close(found, single(2)) for found in first)


def delays_everything(dist, rank, size):
    """Nothing is left for buckets; and the average is the business of another group then."""
    net = ow.nn.Linear(2, 1)
    named = list(net.named_parameters())
    model = DDP(net, delay_all_reduce_named_params=named, param_to_hook_all_reduce=net.weight)
    with pytest.raises(RuntimeError, match="register_comm_hook: delay_all_reduce_named_params has"):
        model.register_comm_hook(None, print)
    with pytest.raises(
        NotImplementedError, match=r"join..: delay_all_reduce_named_params: a rank without"
    ):
        model.join()
    alone = [dist.new_group([r]) for r in range(size)][rank]
    model._update_process_group(alone)
    model(ow.ones(1, 2) * (rank + 1)).sum().backward()
    told = model._get_ddp_logging_data()
    assert told["num_buckets_reduced"] == told["has_rebuilt_buckets"] == 0
    return [model.statistics()["buckets"], net.weight.grad.tolist()]


def test_models_all_of_whose_gradients_are_reduced_together(tmp_path):
    assert run(delays_everything, 2, tmp_path) == [[[], [[1, 1]]], [[], [[2, 2]]]]


def copies(dist, rank, size, how):
    ow.manual_seed(1)
    model = DDP(Net(), find_unused_parameters=True, bucket_cap_mb=2e-5)
    model(mine(rank, 1)).sum().backward()
    made = copy.deepcopy(model) if how == "copy" else pickle.loads(pickle.dumps(model))
    made.zero_grad()
    made(mine(rank)).sum().backward()
    other = DDP(Net(), process_group=dist.new_group())
    with pytest.raises(
        RuntimeError, match="only supported when using DDP with the default process"
    ):
        copy.deepcopy(other)
    shared = any(a is b for a, b in zip(model.parameters(), made.parameters(), strict=True))
    return [gradients(made), len(made.statistics()["buckets"]), shared, gradients(model)]


@pytest.mark.parametrize("how", ["copy", "pickle"])
def test_copies_train_by_themselves(tmp_path, how):
    first, second = run(copies, 2, tmp_path, how=how)
    assert first == second
    assert close(first[0], single(2))
    assert first[1:3] == [3, False]
    assert first[3] != first[0]


def tells(dist, rank, size):
    model = DDP(Net(), find_unused_parameters=True)
    for which in ("ab", "ab", "abc"):
        model(mine(rank), which).sum().backward()
        static = model._get_ddp_logging_data()["can_set_static_graph"]
    return [static, model._get_ddp_logging_data()]


def test_what_is_told_has_pytorchs_names(tmp_path):
    for rank, (static, told) in enumerate(run(tells, 2, tmp_path)):
        assert not static
        assert told["world_size"] == 2
        assert told["rank"] == rank
        assert told["backend_name"] == "shm"
        assert told["module_name"] == "Net"
        assert told["bucket_sizes"] == "108"
        assert told["dtypes"] == "float32"
        assert told["total_parameter_size_bytes"] == 108
        assert told["prev_iteration_grad_ready_order_indices"] == "2, 1, 0"
        assert told["backward_compute_time"] > 0


class Mixed(nn.Module):
    """Parameters of three dtypes, two of which share buckets."""

    def __init__(self):
        super().__init__()
        self.short, self.single = nn.Linear(3, 3).bfloat16(), nn.Linear(3, 3)
        self.long, self.last = nn.Linear(3, 3).double(), nn.Linear(3, 2)

    def forward(self, x):
        x = self.single(self.short(x.bfloat16()).float())
        return self.last(self.long(x.double()).float())


def mixes(dist, rank, size):
    ow.manual_seed(1 + rank)
    model = DDP(Mixed(), gradient_as_bucket_view=True)
    for step in range(3):
        model.zero_grad(set_to_none=False)
        model(mine(rank, step)).sum().backward()
    dtypes = sorted({str(p.grad.dtype) for p in model.parameters()})
    return [
        [p.grad.sum().item() for p in model.parameters()],
        dtypes,
        len(model.statistics()["buckets"]),
    ]


def test_several_dtypes(tmp_path):
    (first, dtypes, count), (second, _, _) = run(mixes, 2, tmp_path)
    assert first == second
    assert dtypes == ["opweave.bfloat16", "opweave.float32", "opweave.float64"]
    assert count == 3
