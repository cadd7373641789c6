"""Classes and functions of opweave.<target> that say what they need: streams, events, graphs."""

import contextlib


class _OfTarget(type):
    """Classes of objects that belong to devices of one target.

    They make no object of their own: a call gives one of the runtime's; isinstance() asks where it belongs.
    """

    def __call__(cls, *args, **options):
        return cls._make(*args, **options)

    def __instancecheck__(cls, instance):
        return isinstance(instance, cls._base) and instance.device.type == cls._target


def class_on(module, name, base, make):
    """The class `name` of a target's module: what `make` returns, which are objects of `base`."""
    facts = {
        "_base": base,
        "_make": staticmethod(make),
        "_target": module._target,
        "__module__": module.__name__,
        "__doc__": make.__doc__,
    }
    return _OfTarget(name, (), facts)


class StreamContext:
    """Makes a stream the current one within `with`; None changes nothing."""

    def __init__(self, stream):
        self.stream = stream
        self._entered = contextlib.nullcontext() if stream is None else stream

    def __enter__(self):
        """Nothing is given."""
        self._entered.__enter__()

    def __exit__(self, *error):
        """The stream before is the current one again."""
        return self._entered.__exit__(*error)


def _no_graphs(what):
    raise NotImplementedError(
        f"{what}: calls are not recorded as graphs; they run when they are made"
    )


class CUDAGraph:
    """A graph of calls in PyTorch; nothing records one here.

    Raises:
        NotImplementedError: when one is made.
    """

    def __init__(self, keep_graph=False):
        _no_graphs("CUDAGraph")


class graph:  # noqa: N801 - PyTorch's name
    """In PyTorch, records the calls within `with` as a graph; nothing records one here.

    Raises:
        NotImplementedError: when one is made.
    """

    def __init__(self, cuda_graph, pool=None, stream=None, capture_error_mode="global"):
        _no_graphs("graph")


def graph_pool_handle():
    """Raises: nothing records graphs."""
    _no_graphs("graph_pool_handle")


def make_graphed_callables(callables, sample_args, **options):
    """Raises: nothing records graphs; call what you have."""
    _no_graphs("make_graphed_callables")


def device_of_on(module):
    """The context manager device_of() of a target."""

    def device_of(obj):
        """Makes the device of a tensor the current one within `with`; nothing for one that lies elsewhere."""
        index = obj.device.index if obj.device.type == module._target else None
        return contextlib.nullcontext() if index is None else module.device(index)

    return device_of


NAMES = {
    value.__name__: value
    for value in (StreamContext, CUDAGraph, graph, graph_pool_handle, make_graphed_callables)
}
