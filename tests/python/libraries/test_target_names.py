"""What opweave.<target> has that needs no device: classes to annotate with, contexts, ranges of tools."""

import pytest


def test_streams_and_events_are_classes(ow):
    cuda = ow.cuda
    assert isinstance(cuda.Stream, type)
    assert isinstance(cuda.Event, type)
    assert cuda.Stream is cuda.Stream
    assert repr(cuda.Stream | None) == "opweave.cuda.Stream | None"
    assert not isinstance(3, cuda.Stream)
    host = getattr(ow, ow._C._default_device().type)
    stream = host.current_stream()
    assert isinstance(stream, host.Stream)
    assert not isinstance(stream, (cuda.Stream, host.Event))
    assert isinstance(host.Stream(), ow.Stream)
    assert isinstance(host.Event(), host.Event)
    if not cuda.is_available():
        with pytest.raises(RuntimeError, match=r"^opweave\.cuda\.Stream: no usable cuda device$"):
            cuda.Stream()


def test_contexts_of_streams_and_devices(ow):
    host = getattr(ow, ow._C._default_device().type)
    with host.StreamContext(None) as nothing, host.stream(None):
        assert nothing is None
    with host.stream(host.Stream()) as entered:
        assert entered is None
    assert isinstance(host.stream(None), host.StreamContext)
    with ow.cuda.device_of(ow.ones(1)):  # lies elsewhere
        pass


def test_graphs_of_calls_are_refused(ow):
    text = "calls are not recorded as graphs; they run when they are made$"
    cuda = ow.cuda
    for make in (cuda.CUDAGraph, cuda.graph_pool_handle, lambda: cuda.graph(None)):
        with pytest.raises(NotImplementedError, match=text):
            make()
    with pytest.raises(NotImplementedError, match=f"^make_graphed_callables: {text}"):
        cuda.make_graphed_callables(len, ())


def test_types_by_their_old_names(ow):
    assert ow.cuda.FloatStorage is ow.FloatStorage
    assert ow.cuda.FloatTensor.dtype is ow.float32
    for name in ("TypedStorage", "NoStorage", "NoTensor", "_Tensor"):
        with pytest.raises(
            AttributeError, match=rf"^module 'opweave\.cuda' has no attribute '{name}'$"
        ):
            getattr(ow.cuda, name)


def test_ranges_are_blocks_of_a_profile(ow):
    nvtx = ow.cuda.nvtx
    with ow.profiler.profile() as profile:
        assert (nvtx.range_push("outer"), nvtx.range_push("inner")) == (0, 1)
        ow.ones(2) + 1
        assert (nvtx.range_pop(), nvtx.range_pop(), nvtx.range_pop()) == (1, 0, -2)
        with nvtx.range("step {}", 3):
            nvtx.mark("a moment")
        nvtx.range_end(nvtx.range_start("anywhere"))
    named = {event.name for event in profile.events()}
    assert {"outer", "inner", "step 3", "a moment", "anywhere"} <= named
    with pytest.raises(
        ValueError, match=r"^range_end\(\): expected a number that range_start\(\) gave"
    ):
        nvtx.range_end(-1)
