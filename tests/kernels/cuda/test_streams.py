"""Streams, events, memory and copies of CUDA devices, as PyTorch's programs use them."""

import opweave as ow
import pytest

pytestmark = pytest.mark.skipif(not ow.cuda.is_available(), reason="there is no cuda device")

LARGE = 1 << 24


def busy(x, times=50):
    """Work that is not done when the call returns."""
    for _ in range(times):
        x = x * 1.0001 + 0.5
    return x


def test_work_runs_behind_the_caller():
    s = ow.cuda.Stream()
    x = ow.full((LARGE,), 1.0, device="cuda")
    s.wait_stream(ow.cuda.current_stream())
    with ow.cuda.stream(s):
        assert ow.cuda.current_stream() == s
        y = busy(x)
        assert not s.query()
    s.synchronize()
    assert s.query()
    one = busy(ow.tensor([1.0]))
    assert y[:3].tolist() == pytest.approx(one.tolist() * 3, rel=1e-5)


def test_events_order_streams():
    producer, consumer = ow.cuda.Stream(), ow.cuda.Stream(priority=-1)
    x = ow.full((LARGE,), 1.0, device="cuda")
    ow.cuda.synchronize()
    with ow.cuda.stream(producer):
        y = busy(x)
    done = producer.record_event()
    assert not done.query()
    consumer.wait_event(done)
    with ow.cuda.stream(consumer):
        z = y - y
    y.record_stream(consumer)
    consumer.synchronize()
    assert done.query()
    assert z[-2:].tolist() == [0, 0]


def test_events_measure_time():
    start, end = (ow.cuda.Event(enable_timing=True) for _ in range(2))
    x = ow.full((LARGE,), 1.0, device="cuda")
    start.record()
    busy(x)
    end.record()
    end.synchronize()
    assert 0.5 < start.elapsed_time(end) < 2000  # milliseconds


def test_memory_of_a_recorded_tensor_is_not_handed_out():
    s = ow.cuda.Stream()
    x = ow.full((LARGE,), 1.0, device="cuda")
    ow.cuda.synchronize()
    with ow.cuda.stream(s):
        busy(x)
    x.record_stream(s)
    address = x.data_ptr()
    del x
    assert ow.empty(LARGE, device="cuda").data_ptr() != address
    s.synchronize()


def test_memory_is_counted():
    ow.cuda.synchronize()
    ow.cuda.empty_cache()
    before = ow.cuda.memory_allocated()
    ow.cuda.reset_peak_memory_stats()
    x = ow.empty(LARGE, device="cuda")
    assert ow.cuda.memory_allocated() == before + 4 * LARGE
    reserved = ow.cuda.memory_reserved()
    free = ow.cuda.mem_get_info()[0]
    del x
    assert ow.cuda.memory_allocated() == before
    assert ow.cuda.memory_reserved() == reserved
    assert ow.cuda.max_memory_allocated() == before + 4 * LARGE
    ow.cuda.empty_cache()
    assert ow.cuda.memory_reserved() < reserved
    assert ow.cuda.mem_get_info()[0] > free


def test_more_memory_than_there_is():
    total = ow.cuda.get_device_properties().total_memory
    before = ow.cuda.memory_allocated()
    with pytest.raises(ow.cuda.OutOfMemoryError, match="cuda"):
        ow.empty(2 * total, dtype=ow.uint8, device="cuda")
    assert ow.cuda.memory_allocated() == before
    assert (ow.ones(2, device="cuda") + 1).tolist() == [2, 2]


def test_pinned_memory():
    x = ow.arange(LARGE, dtype=ow.float32).pin_memory()
    assert x.is_pinned()
    y = x.to("cuda", non_blocking=True)
    back = ow.empty(LARGE, pin_memory=True)
    back.copy_(y, non_blocking=True)
    ow.cuda.synchronize()
    assert ow.equal(back, x)


def test_a_source_may_go_before_its_copy_is_done():
    for value in range(8):
        x = ow.full((1 << 20,), float(value)).pin_memory()
        y = x.to("cuda", non_blocking=True)
        del x
        ow.empty(1 << 20, pin_memory=True).fill_(-1)
        assert y[-1].item() == value


def test_properties():
    found = ow.cuda.get_device_properties(0)
    assert found.name == ow.cuda.get_device_name()
    assert (found.major, found.minor) == ow.cuda.get_device_capability()
    assert found.major >= 8
    assert found.total_memory > 1 << 30
    assert ow.cuda.current_device() == 0
    assert ow.accelerator.current_accelerator().type == "cuda"


def test_a_device_that_is_not_there():
    count = ow.cuda.device_count()
    with pytest.raises(
        RuntimeError, match=f"there is no device cuda:{count}: the target has {count}"
    ):
        ow.empty(2, device=f"cuda:{count}")
