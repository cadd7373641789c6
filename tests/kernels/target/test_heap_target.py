"""A target that the repository does not know, loaded by name: devices, memory, kernels, gradients."""

import opweave as ow
import pytest


def test_loads_when_its_device_is_named():
    assert ow.device("heap_target:1").type == "heap_target"
    assert ow.heap_target.is_available() is True
    assert ow.heap_target.device_count() == 4
    ow.heap_target.synchronize(1)


def test_loading_it_again_changes_nothing():
    path = ow._targets.available()["heap_target"]
    ow._C._load_target_library(str(path))
    assert ow.heap_target.device_count() == 4


def test_tensors_move_there_and_back():
    before = ow.heap_target.memory_allocated()
    a = ow.tensor([1.0, -2.0]).to("heap_target")
    assert (a.device.type, a.is_heap_target, a.is_cpu) == ("heap_target", True, False)
    assert a.cpu().tolist() == a.tolist() == [1, -2]
    assert ow.heap_target.memory_allocated() == before + 512  # the smallest block
    assert ow.ones(2).is_heap_target is False


def test_a_device_has_one_name():
    a = ow.tensor([1.0, -2.0]).to("heap_target")
    assert a.device == ow.device("heap_target:0")
    assert a.to("heap_target:0") is a
    assert a.to("heap_target") is a
    with ow.heap_target.device(2):
        assert ow.heap_target.current_device() == 2
        b = a.to("heap_target")
        assert b.device == ow.device("heap_target", 2)
        assert ow.empty(2, device="heap_target").device.index == 2
    assert ow.heap_target.current_device() == 0
    assert b.tolist() == [1, -2]
    assert ow.ones(2, device="cpu:0").device == ow.device("cpu")
    assert ow.Generator("heap_target").device == ow.device("heap_target:0")


def test_a_device_that_is_not_there():
    with pytest.raises(RuntimeError, match=r"^there is no device heap_target:9: the target has 4$"):
        ow.empty(2, device="heap_target:9")
    with pytest.raises(ValueError, match=r"^Expected a heap_target device, but got: cpu$"):
        ow.heap_target.synchronize("cpu")


def test_a_device_without_a_number_is_that_of_out():
    out = ow.empty(2, device="heap_target")
    assert ow.empty(2, out=out, device="heap_target") is out
    message = r"^device heap_target:1 does not match device of out parameter \(heap_target:0\)$"
    with pytest.raises(RuntimeError, match=message):
        ow.empty(2, out=out, device="heap_target:1")


def test_storages_keep_their_contents_when_they_grow():
    a = ow.tensor([1.0, -2.0]).to("heap_target:1")
    a.resize_(1000)
    assert a[:2].tolist() == [1, -2]
    a.untyped_storage().resize_(8)
    assert a[:2].tolist() == [1, -2]


def test_between_devices():
    a = ow.arange(6, dtype=ow.float32).reshape(2, 3).to("heap_target:1")
    b = a.t().to("heap_target:3")
    assert b.device.index == 3
    assert b.tolist() == [[0, 3], [1, 4], [2, 5]]


def test_kernels_run_there():
    a = ow.tensor([1.0, -2.0]).to("heap_target")
    assert (-a).is_heap_target
    assert (-a).tolist() == [-1, 2]


def test_gradients_flow_there():
    a = ow.tensor([1.0, -2.0]).to("heap_target").requires_grad_()
    (-a).backward(ow.tensor([3.0, 4.0]).to("heap_target"))
    assert a.grad.is_heap_target
    assert a.grad.tolist() == [-3, -4]


def test_a_missing_kernel_names_operator_and_target():
    a = ow.ones(2).to("heap_target")
    with pytest.raises(
        NotImplementedError, match=r"'exp'.*'heap_target' target: it has no kernel there"
    ):
        ow.exp(a)


def test_pinned_memory():
    a = ow.tensor([1.0, -2.0])
    assert not a.is_pinned()
    pinned = a.pin_memory()
    assert pinned.is_pinned()
    assert pinned.device == a.device
    assert pinned.pin_memory() is pinned
    assert pinned.to("heap_target", non_blocking=True).tolist() == [1, -2]
    assert ow.empty(2, 3, pin_memory=True).is_pinned()
    with pytest.raises(RuntimeError, match=r"^Only dense CPU tensors can be pinned$"):
        ow.empty(2, device="heap_target", pin_memory=True)


def test_one_seed_sets_the_generators_of_all_devices():
    ow.manual_seed(5)
    generators = [ow._C._default_generator(ow.device("heap_target", i)) for i in range(4)]
    assert [g.initial_seed() for g in generators] == [5] * 4
    ow.heap_target.manual_seed(6)
    assert [g.initial_seed() for g in generators] == [6, 5, 5, 5]
    ow.heap_target.manual_seed_all(7)
    assert [g.initial_seed() for g in generators] == [7] * 4


def test_states_of_generators_are_saved_and_restored():
    ow.manual_seed(5)
    states = ow.heap_target.get_rng_state_all()
    one = ow.heap_target.get_rng_state(2)
    ow.manual_seed(6)
    assert ow.heap_target.get_rng_state(2).tolist() != one.tolist()
    ow.heap_target.set_rng_state(one, "heap_target:2")
    assert ow.heap_target.get_rng_state(2).tolist() == one.tolist()
    ow.heap_target.set_rng_state_all(states)
    found = ow.heap_target.get_rng_state_all()
    assert [state.tolist() for state in found] == [state.tolist() for state in states]
    ow.cpu.set_rng_state(ow.cpu.get_rng_state())


def test_a_type_of_tensors_says_where_they_are_made():
    try:
        for wanted in ("torch.heap_target.DoubleTensor", ow.heap_target.DoubleTensor):
            ow.set_default_tensor_type(wanted)
            made = ow.empty(2)
            assert (made.device.type, made.dtype) == ("heap_target", ow.float64)
            ow.set_default_tensor_type(ow.FloatTensor)
            assert (ow.empty(2).device.type, ow.empty(2).dtype) == ("cpu", ow.float32)
    finally:
        ow.set_default_tensor_type(ow.FloatTensor)


def test_copies_among_devices_of_a_module():
    comm = ow.heap_target.comm
    x = ow.arange(4.0)
    parts = comm.scatter(x, [0, 1])
    assert [str(part.device) for part in parts] == ["heap_target:0", "heap_target:1"]
    assert comm.gather(parts).device == ow.device("heap_target", 0)
    assert comm.reduce_add([p.cpu() for p in parts], destination=-1).tolist() == [2.0, 4.0]
    with pytest.raises(RuntimeError, match="Exactly one of 'devices' and 'out' must be specified"):
        comm.broadcast(x)
