"""What no_grad(), set_grad_enabled() and inference_mode() do within one another, and as decorators."""

import signal
import threading
import time

import pytest


def recorded(ow, x):
    return (x * 2).requires_grad


def test_nothing_is_recorded_in_inference_mode(ow):
    """Also where a function in it turns gradients on, as libraries do around a step of theirs."""
    x = ow.ones(2, requires_grad=True)
    with ow.inference_mode():
        with ow.enable_grad():
            assert ow.is_grad_enabled()
            assert not recorded(ow, x)
            assert not ow.nn.functional.layer_norm(x, (2,), x, x).requires_grad
            with pytest.raises(RuntimeError, match="does not require grad"):
                (x * 2).sum().backward()
        ow.set_grad_enabled(True)
        assert not recorded(ow, x)
        with ow.inference_mode(False):
            assert recorded(ow, x)
            with ow.no_grad():
                assert not recorded(ow, x)
            assert recorded(ow, x)
        assert not recorded(ow, x)
    assert recorded(ow, x)
    with ow.no_grad():
        with ow.inference_mode(False):
            assert recorded(ow, x)
        assert not recorded(ow, x)


def test_a_decorated_class_is_made_in_the_mode(ow):
    def decorated():
        @ow.no_grad()
        class Model:
            def __init__(self):
                self.inside = ow.is_grad_enabled()

            def outside(self):
                return ow.is_grad_enabled()

        return Model

    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):
        model = decorated()()
    assert (model.inside, model.outside()) == (False, True)


def test_another_one_with_the_same_setting(ow):
    for mode in (ow.no_grad(), ow.enable_grad(), ow.inference_mode()):
        assert type(mode.clone()) is type(mode)
    with ow.inference_mode(False).clone():
        assert not ow.is_inference_mode_enabled()


@pytest.mark.parametrize("wrong", [1, "a", None])
def test_what_is_no_bool(ow, wrong):
    with pytest.raises(TypeError, match=r"argument 'enabled' \(position 1\) must be bool, not"):
        ow.set_grad_enabled(wrong)
    assert ow.is_grad_enabled()


@pytest.mark.parametrize("mode", ["no_grad", "enable_grad", "inference_mode"])
def test_a_block_may_be_entered_twice(ow, mode):
    block = getattr(ow, mode)()
    with ow.set_grad_enabled(mode != "enable_grad"):
        before = ow.is_grad_enabled(), ow.is_inference_mode_enabled()
        with block:
            inside = ow.is_grad_enabled(), ow.is_inference_mode_enabled()
            with block:
                assert (ow.is_grad_enabled(), ow.is_inference_mode_enabled()) == inside
            assert (ow.is_grad_enabled(), ow.is_inference_mode_enabled()) == inside
        assert (ow.is_grad_enabled(), ow.is_inference_mode_enabled()) == before


@pytest.mark.parametrize("mode", ["no_grad", "enable_grad"])
def test_what_is_entered_alone_stays(ow, mode):
    """As programs write it in notebooks: of the object itself nothing is kept."""
    with ow.set_grad_enabled(mode != "no_grad"):
        getattr(ow, mode)().__enter__()
        assert ow.is_grad_enabled() == (mode != "no_grad")
    with ow.set_grad_enabled(mode == "no_grad"):
        getattr(ow, mode)().__enter__()
        assert ow.is_grad_enabled() == (mode != "no_grad")


def test_a_block_of_another_thread_may_be_freed(ow):
    held = []

    def enter():
        held.append(ow.inference_mode())
        held[0].__enter__()

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    with ow.inference_mode():
        held.clear()
        assert ow.is_inference_mode_enabled()


def test_handlers_that_raise_leave_no_inference_mode_behind(ow):
    """Between any two lines of a block's own code: what is set ends with its object."""

    class StopError(Exception):
        pass

    def stop(*_):
        raise StopError

    x, raised = ow.ones(4), 0
    previous = signal.signal(signal.SIGALRM, stop)
    try:
        until = time.monotonic() + 1
        while time.monotonic() < until:
            try:
                # Inside: on a busy machine the signal comes before the next line.
                signal.setitimer(signal.ITIMER_REAL, 0.0003)
                while True:
                    with ow.inference_mode():
                        x = x * 1
            except StopError:
                raised += 1
            assert (ow.is_grad_enabled(), ow.is_inference_mode_enabled()) == (True, False), raised
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert raised > 100
