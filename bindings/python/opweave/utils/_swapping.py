"""Two tensors that change places."""

import copyreg
import weakref

from opweave import _C


def swap_tensors(t1, t2):
    """Has each of two tensors be what the other was: elements, class, attributes and gradient.

    Raises:
        RuntimeError: one has weak references, slots of its class that the other lacks, a tangent, or a
            history.
    """
    for name, t in (("t1", t1), ("t2", t2)):
        if weakref.getweakrefs(t):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
        if _C._tangent_level(t):
            raise RuntimeError(f"Cannot swap {name} because it has a tangent")
        if not t.is_leaf:
            raise RuntimeError(f"Cannot swap {name} because it has a history")
    slots = [set(copyreg._slotnames(type(t))) for t in (t1, t2)]
    if slots[0] != slots[1]:
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    grads, required = (t1.grad, t2.grad), (t1.requires_grad, t2.requires_grad)
    t1.grad = t2.grad = None
    t1.requires_grad_(False)
    t2.requires_grad_(False)
    data = t1.data
    t1.data, t2.data = t2.data, data
    for name in ("__class__", "__dict__", *slots[0]):
        _swap_attribute(t1, t2, name)
    t1.requires_grad_(required[1])
    t2.requires_grad_(required[0])
    t1.grad, t2.grad = grads[1], grads[0]


_ABSENT = object()


def _swap_attribute(t1, t2, name):
    values = getattr(t1, name, _ABSENT), getattr(t2, name, _ABSENT)
    for t, value in ((t1, values[1]), (t2, values[0])):
        if value is not _ABSENT:
            setattr(t, name, value)
        elif hasattr(t, name):
            delattr(t, name)
