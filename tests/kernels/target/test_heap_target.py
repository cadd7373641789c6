"""A target that the repository does not know, loaded by name: devices, memory, kernels, gradients."""

import opweave as ow
import pytest


def test_loads_when_its_device_is_named():
    assert ow.device("heap:1").type == "heap"
    assert ow.heap.is_available() is True
    assert ow.heap.device_count() == 2
    ow.heap.synchronize(1)


def test_tensors_move_there_and_back():
    before = ow.heap.memory_stats()["allocated_bytes"]
    a = ow.tensor([1.0, -2.0]).to("heap")
    assert (a.device.type, a.is_heap, a.is_cpu) == ("heap", True, False)
    assert a.cpu().tolist() == a.tolist() == [1, -2]
    assert ow.heap.memory_stats()["allocated_bytes"] == before + 8
    assert ow.ones(2).is_heap is False


def test_kernels_run_there():
    a = ow.tensor([1.0, -2.0]).to("heap")
    assert (-a).is_heap
    assert (-a).tolist() == [-1, 2]


def test_gradients_flow_there():
    a = ow.tensor([1.0, -2.0]).to("heap").requires_grad_()
    (-a).backward(ow.tensor([3.0, 4.0]).to("heap"))
    assert a.grad.is_heap
    assert a.grad.tolist() == [-3, -4]


def test_a_missing_kernel_names_operator_and_target():
    a = ow.ones(2).to("heap")
    with pytest.raises(NotImplementedError, match=r"'exp'.*'heap' target: it has no kernel there"):
        ow.exp(a)
