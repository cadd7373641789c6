"""The CUDA target as the Python module sees it: what holds with a device and what without."""

import opweave as ow
import pytest

HAS_DEVICE = ow.cuda.is_available()
needs_device = pytest.mark.skipif(not HAS_DEVICE, reason="there is no cuda device")
needs_none = pytest.mark.skipif(HAS_DEVICE, reason="there is a cuda device")


def test_loads():
    assert ow.device("cuda", 1) == ow.device("cuda:1")
    assert ow._C._device_types() == "cpu, meta, cuda"
    assert (ow.cuda.device_count() > 0) is HAS_DEVICE


def test_tensors_of_the_cpu_are_not_on_it():
    assert ow.ones(2).is_cuda is False


def test_memory_statistics_begin_at_zero():
    assert set(ow.cuda.memory_stats().values()) <= {0}
    assert ow.cuda.memory_allocated() == 0


@needs_none
def test_without_a_device():
    assert ow.cuda.device_count() == 0
    ow.cuda.empty_cache()
    for call in (
        lambda: ow.ones(2, device="cuda"),
        lambda: ow.ones(2).to("cuda:0"),
        lambda: ow.empty(2, 3, device=ow.device("cuda", 1)),
    ):
        with pytest.raises(RuntimeError, match=r"^No CUDA GPUs are available$"):
            call()
    with pytest.raises(RuntimeError, match=r"^opweave\.cuda\.synchronize: no usable cuda device$"):
        ow.cuda.synchronize()


@needs_device
def test_copies():
    a = ow.arange(24, dtype=ow.float32).reshape(2, 3, 4)
    b = a.to("cuda")
    assert b.is_cuda
    assert b.tolist() == a.tolist()
    assert b.transpose(0, 2).cpu().tolist() == a.transpose(0, 2).tolist()
    assert b.to(ow.int32).tolist() == a.to(ow.int32).tolist()
    assert ow.cuda.memory_stats()["allocated_bytes"] > 0


@needs_device
def test_fills_and_reads_numbers():
    assert ow.full((2, 2), 3, device="cuda").tolist() == [[3, 3], [3, 3]]
    assert ow.zeros(3, device="cuda", dtype=ow.bool).tolist() == [False] * 3
    assert ow.ones(1, device="cuda").item() == 1


@needs_device
def test_numbers_of_the_cpu_go_with_tensors_of_the_device():
    b = ow.arange(5, dtype=ow.float32).to("cuda")
    assert (b * ow.tensor(2.0)).tolist() == [0, 2, 4, 6, 8]
    assert (b[1:] < b[:-1]).tolist() == [False] * 4


@needs_device
@pytest.mark.parametrize("dtype", [ow.float32, ow.float64, ow.float16, ow.bfloat16])
def test_products_of_matrices(dtype):
    a = ow.arange(6, dtype=dtype).reshape(2, 3)
    b = ow.arange(12, dtype=dtype).reshape(3, 4)
    assert (a.to("cuda") @ b.to("cuda")).tolist() == (a @ b).tolist()
    batch = ow.stack([a, a + 1])
    got = ow.bmm(batch.to("cuda"), ow.stack([b, b]).to("cuda"))
    assert got.tolist() == ow.bmm(batch, ow.stack([b, b])).tolist()
