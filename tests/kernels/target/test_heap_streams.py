"""Streams, events and opweave.accelerator, on a target whose streams are threads and on the CPU."""

import ctypes
import threading

import opweave as ow
import pytest

DEVICE = "heap_target:1"
LIBRARY = ctypes.CDLL(str(ow._targets.available()["heap_target"]))
LIBRARY.heap_target_sleep.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int]


def delay(stream, milliseconds=30):
    LIBRARY.heap_target_sleep(stream.device_index, stream.stream_id, milliseconds)


def test_attributes():
    s = ow.Stream(DEVICE)
    assert (s.device, s.device_index) == (ow.device(DEVICE), 1)
    assert s.stream_id > 0
    text = f"opweave.Stream device_type=heap_target, device_index=1, stream_id={s.stream_id}"
    assert repr(s) == str(s) == text
    same = ow.Stream(stream_id=s.stream_id, device_index=s.device_index, device_type=s.device_type)
    assert s == same
    assert hash(s) == hash(same)
    assert s != ow.Stream(DEVICE)
    assert s != 1
    assert s.is_capturing() is False
    assert isinstance(s.native_handle, int)


def test_without_a_device_it_is_the_accelerators():
    assert ow.Stream().device == ow.device("heap_target:0")
    assert ow.Event().device == ow.device("heap_target")
    assert ow.device(2) == ow.device("heap_target:2")


def test_work_is_behind_the_callers_back_and_in_order():
    s = ow.Stream(DEVICE)
    a = ow.tensor([1.0, -2.0]).to(DEVICE)
    with s:
        delay(s)
        b = a.neg().neg().neg()
        assert not s.query()
    s.synchronize()
    assert s.query()
    assert b.tolist() == [-1, 2]


def test_the_stream_of_with_is_the_current_one():
    usual, s = ow.accelerator.current_stream(1), ow.Stream(DEVICE)
    assert usual.stream_id == 0
    with s as entered:
        assert entered is s
        assert ow.accelerator.current_stream() == s
        assert ow.accelerator.current_device_index() == 1
        with ow.Stream("heap_target:3") as inner:
            assert ow.heap_target.current_stream() == inner
            assert ow.heap_target.current_stream(1) == s
        assert ow.accelerator.current_device_index() == 1
        seen = []
        thread = threading.Thread(target=lambda: seen.append(ow.accelerator.current_stream(1)))
        thread.start()
        thread.join()
        assert seen == [usual]
    assert ow.accelerator.current_stream(1) == usual
    assert ow.accelerator.current_device_index() == 0


def test_events_order_streams():
    producer, consumer = ow.Stream(DEVICE), ow.Stream(DEVICE)
    a = ow.tensor([1.0, -2.0]).to(DEVICE)
    with producer:
        delay(producer)
        b = -a
    event = producer.record_event()
    assert not event.query()
    consumer.wait_event(event)
    with consumer:
        c = -b
    b.record_stream(consumer)
    consumer.synchronize()
    assert event.query()
    ow.accelerator.current_stream(1).wait_stream(consumer)
    assert c.tolist() == [1, -2]


def test_memory_of_a_recorded_tensor_is_not_handed_out():
    s = ow.Stream(DEVICE)
    a = ow.empty(300, device=DEVICE)
    address = a.data_ptr()
    delay(s)
    a.record_stream(s)
    del a
    b = ow.empty(300, device=DEVICE)
    assert b.data_ptr() != address
    s.synchronize()
    assert ow.empty(300, device=DEVICE).data_ptr() == address


def test_events():
    s = ow.Stream(DEVICE)
    start, end = (ow.Event(DEVICE, enable_timing=True) for _ in range(2))
    assert repr(start) == (
        "opweave.Event device_type=heap_target, device_index=-1, event_flag=1, event_id=0"
    )
    assert start.query()
    with pytest.raises(ValueError, match=r"^Both events must be recorded before calculating"):
        start.elapsed_time(end)
    start.record(s)
    delay(s, 20)
    s.record_event(end)
    end.synchronize()
    assert start.elapsed_time(end) >= 20
    assert start.device == ow.device(DEVICE)
    assert start.event_id != 0
    with pytest.raises(ValueError, match=r"^Both events must be created with argument 'enable_ti"):
        start.elapsed_time(ow.Event(DEVICE))
    message = r"^Event device index 1 does not match recording stream's device index 0\.$"
    with pytest.raises(RuntimeError, match=message):
        start.record(ow.Stream("heap_target:0"))
    message = r"^Event device type CPU does not match recording stream's device type HEAP_TARGET\.$"
    with pytest.raises(RuntimeError, match=message):
        ow.Event("cpu").record(s)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ow.Event("cpu", 1), "Event.*takes.*1 positional argument"),
        (lambda: ow.Stream("cpu").wait_event(1), "argument 'event' must be opweave.Event, not int"),
        (lambda: ow.Stream("cpu").wait_stream(1), "argument 'stream' must be opweave.Stream, not"),
        (lambda: ow.ones(2).record_stream(1), "argument 's' must be opweave.Stream, not int"),
        (lambda: ow.accelerator.set_stream(1), "argument 'stream' must be opweave.Stream, not int"),
    ],
)
def test_arguments_of_another_type(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_the_cpu_has_streams_and_events_too():
    s = ow.Stream("cpu")
    assert repr(s) == "opweave.Stream device_type=cpu, device_index=-1, stream_id=0"
    before, after = ow.Event("cpu", enable_timing=True), ow.Event("cpu", enable_timing=True)
    before.record()
    with s:
        assert ow.cpu.current_stream() == s
        a = -ow.ones(2)
    after.record(s)
    s.wait_event(after)
    s.synchronize()
    assert after.query()
    assert before.elapsed_time(after) >= 0
    a.record_stream(s)
    assert (ow.cpu.is_available(), ow.cpu.device_count(), ow.cpu.current_device()) == (
        True,
        1,
        "cpu",
    )
    ow.cpu.synchronize()
    ow.cpu.set_device("cpu")


def test_the_accelerator():
    acc = ow.accelerator
    assert acc.current_accelerator() == ow.device("heap_target")
    assert acc.current_accelerator(check_available=True) == ow.device("heap_target")
    assert acc.is_available() is True
    assert acc.device_count() == 4
    acc.set_device_index(2)
    assert acc.current_device_index() == 2
    acc.set_device_index(-1)
    assert acc.current_device_index() == 2
    acc.set_device_index("heap_target:0")
    with acc.device_index(3):
        assert acc.current_device_index() == 3
        with acc.device_index(None):
            assert acc.current_device_index() == 3
    assert acc.current_device_index() == 0
    s = ow.Stream(DEVICE)
    acc.set_stream(s)
    assert (acc.current_stream(), acc.current_device_index()) == (s, 1)
    acc.set_stream(ow.heap_target.default_stream(1))
    acc.set_device_index(0)
    acc.synchronize()
    acc.synchronize(DEVICE)
    acc.empty_cache()
    acc.empty_host_cache()
    free, total = acc.get_memory_info()
    assert 0 < free <= total
    with pytest.warns(FutureWarning, match="Use `current_device_index` instead"):
        assert acc.current_device_idx() == 0


def test_its_memory():
    acc = ow.accelerator
    before = acc.memory_allocated(2)
    a = ow.empty(1 << 20, device="heap_target:2")
    assert acc.memory_allocated("heap_target:2") == before + (4 << 20)
    assert acc.max_memory_allocated(2) >= 4 << 20
    assert acc.memory_reserved(2) >= 4 << 20
    assert acc.max_memory_reserved(2) >= 4 << 20
    del a
    acc.reset_peak_memory_stats(2)
    assert (
        acc.max_memory_allocated(2) == acc.memory_stats(2)["allocated_bytes.all.current"] == before
    )


def test_what_the_accelerator_refuses():
    with pytest.raises(ValueError, match=r"^cpu doesn't match the current accelerator heap_target"):
        ow.accelerator.current_stream("cpu")
    message = r"^Expected an opweave\.device with a specified index or an integer, but got:heap_tar"
    with pytest.raises(ValueError, match=message):
        ow.accelerator.set_device_index("heap_target")
