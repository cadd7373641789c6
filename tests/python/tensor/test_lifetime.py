"""Nothing leaks, and Python objects of tensors survive as long as they are needed."""

import copy
import gc
import pickle
import sys
import threading
import weakref

import pytest


def _grows(action, times):
    """How many blocks of memory `times` calls leave behind."""
    for _ in range(100):
        action()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(times):
        action()
    gc.collect()
    return sys.getallocatedblocks() - before


def _failing(action):
    def attempt():
        with pytest.raises((TypeError, RuntimeError, IndexError, ValueError)):
            action()

    return attempt


def _actions(ow):
    v = ow.tensor([1.0, 2.0, 3.0])
    m = ow.tensor([[1.0, 2.0], [3.0, 4.0]])
    x = ow.tensor([1.0, 2.0], requires_grad=True)

    class Twice(ow.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * 2

        @staticmethod
        def backward(ctx, grad):
            (a,) = ctx.saved_tensors
            return grad * 2 + 0 * a

    def lend():
        t = ow.tensor([1.0, 2.0])
        t.note = [1]
        x.grad = t
        del t
        assert x.grad.note == [1]
        x.grad = None

    def hook():
        y = x * 2
        handle = y.register_hook(lambda g: g * 2)
        y.sum().backward()
        handle.remove()
        x.grad = None

    def backward():
        Twice.apply(x).sum().backward()
        x.grad = None

    return {
        "operator": lambda: v + 1 + v,
        "index": lambda: (m[0], m[:, 0], m[[0, 1]], m[m > 2]),
        "assign": lambda: (m.__setitem__(0, 1.0), m.__setitem__(1, v[:2])),
        "construct": lambda: ow.tensor([[1, 2], [3, 4]]).tolist(),
        "metadata": lambda: (v.shape, v.stride(), v.device, v.dtype, m.T),
        "text": lambda: repr(m),
        "numpy": lambda: ow.from_numpy(v.numpy()),
        "dlpack": lambda: (ow.from_dlpack(v), v.__dlpack__()),
        "pickle": lambda: pickle.loads(pickle.dumps(m)),
        "deepcopy": lambda: copy.deepcopy(x),
        "gradient": lambda: ow.autograd.grad((x * x).sum(), x),
        "nodes": lambda: (x * 2).grad_fn.next_functions,
        "function": backward,
        "unused function": lambda: Twice.apply(x),
        "hook": hook,
        "lend": lend,
        "iteration": lambda: [list(row) for row in m],
        "boxed": lambda: ow.ops.add.Tensor(v, v),
        "wrong type": _failing(lambda: ow.add(v, "x")),
        "wrong index": _failing(lambda: v[7]),
        "ragged": _failing(lambda: ow.tensor([[1], [2, 3]])),
    }


def test_no_leaks(ow):
    for what, action in _actions(ow).items():
        # Caches of the interpreter grow now and then; a leak grows every time.
        assert min(_grows(action, 500) for _ in range(3)) < 100, what


def test_threads_share_objects(ow):
    failures = []

    def work():
        try:
            for i in range(500):
                t = ow.tensor([1.0, 2.0])
                t.number = i
                reference = weakref.ref(t)
                owner = ow.tensor([1.0, 1.0], requires_grad=True)
                owner.grad = t
                del t
                assert owner.grad.number == i
                again = reference()
                owner.grad = None
                assert again.number == i
                (owner * owner).sum().backward()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_weak_reference_outlives_python(ow):
    owner = ow.tensor([1.0], requires_grad=True)
    t = ow.tensor([5.0])
    reference = weakref.ref(t)
    owner.grad = t
    del t
    again = reference()
    assert again is owner.grad
    owner.grad = None
    assert again.item() == 5.0
    del again
    assert reference() is None


def test_cycles_through_autograd_are_collected(ow):
    t = ow.tensor([1.0], requires_grad=True)
    t.register_hook(lambda grad, t=t: None)
    t.register_post_accumulate_grad_hook(lambda leaf, t=t: None)
    grad = ow.tensor([2.0])
    grad.owner = t
    t.grad = grad
    reference = weakref.ref(t)
    del t, grad
    gc.collect()
    assert reference() is None


def test_cycles_through_a_graph_are_collected(ow):
    class Kept:
        pass

    def hook_behind():
        y = ow.ones(2, requires_grad=True) * 2
        z = y.exp().sum()
        y.register_hook(lambda _, z=z, kept=kept: None)

    def hook_of_a_leaf_that_only_the_graph_keeps():
        x = ow.ones(2, requires_grad=True)
        z = (x * 2).sum()
        x.register_hook(lambda _, z=z, kept=kept: None)

    for make in (hook_behind, hook_of_a_leaf_that_only_the_graph_keeps):
        kept = Kept()
        reference = weakref.ref(kept)
        make()
        del kept
        gc.collect()
        assert reference() is None, make.__name__
        kept = None


def test_slots_and_finalizers_of_subclasses(ow):
    freed = []

    class Named(ow.Tensor):
        __slots__ = ("name",)

        def __del__(self):
            freed.append(self.name)

    t = ow.tensor([1.0]).as_subclass(Named)
    t.name = "first"
    del t
    assert freed == ["first"]
