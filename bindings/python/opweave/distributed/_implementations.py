"""What carries a group out, as an object: the classes that PyTorch's users test with isinstance."""

from datetime import timedelta

from opweave import _C
from opweave._distributed import PrefixStore, ProcessGroup, _make_group
from opweave.distributed import _arguments, _group_methods, _groups, _options
from opweave.distributed._backends import routes_of, type_of
from opweave.distributed._routed import RoutedGroup


class BackendImplementation:
    """A backend of a group: the collectives of ProcessGroup, and what the backend is.

    Args:
        store, rank, size: where the ranks of a group of its own meet, and which this is.
        timeout: of its collectives, or options that say it.
    """

    Options = _options.BackendOptions
    _backend = ""

    def __init__(self, store, rank, size, timeout=timedelta(minutes=30)):
        if isinstance(timeout, _options.BackendOptions):
            timeout = timeout._timeout
        name, own = self._backend, PrefixStore(f"backend/{self._backend}", store)
        own.set_timeout(timeout)
        self._group = _make_group([("", name)], own, name, rank, list(range(size)), timeout, None)

    @classmethod
    def _of(cls, group):
        """That of a group that there is."""
        made = cls.__new__(cls)
        made._group = group
        return made

    def __getattr__(self, name):
        if name in ("rank", "size", "abort") or name in _COLLECTIVES:
            return getattr(self._group, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def name(self):
        """The backend's name."""
        return self._backend

    _get_backend_name = name

    def shutdown(self):
        """This rank takes part no more."""
        self._group._leave()

    @property
    def options(self):
        """The options that it was made with."""
        known = _groups.world.groups.get(self._group)
        made = _options.BackendOptions(self._backend)
        if known is not None:
            made._timeout, made.global_ranks_in_group = known.timeout, list(known.ranks)
        made.group_name = self._group.group_name
        return made


_COLLECTIVES = {
    *(f.__name__ for f in _group_methods.COLLECTIVES),
    "_allgather_base",
    "_reduce_scatter_base",
    "alltoall_base",
}


class ProcessGroupGloo(BackendImplementation):
    """The backend 'gloo' of a group."""

    _backend = "gloo"

    class _Options(_options.BackendOptions):
        """Options of the backend 'gloo'."""

        def __init__(self):
            super().__init__("gloo")


class ProcessGroupShm(BackendImplementation):
    """The backend 'shm' of a group."""

    _backend = "shm"


class ProcessGroupMPI(BackendImplementation):
    """The backend 'mpi' of a group."""

    _backend = "mpi"


class ProcessGroupNCCL(BackendImplementation):
    """The backend 'nccl' of a group."""

    _backend = "nccl"

    class Options(_options.BackendOptions):
        """Options of the backend 'nccl'."""

        def __init__(self, is_high_priority_stream=False):
            super().__init__("nccl", timedelta(minutes=10))
            self.is_high_priority_stream = is_high_priority_stream


class _Other(BackendImplementation):
    def __init__(self, *arguments):
        raise TypeError("a backend without a class is made by init_process_group() and new_group()")

    def name(self):
        return self._backend


_CLASSES = {c._backend: c for c in BackendImplementation.__subclasses__() if c._backend}


def _made_for(group, backend):
    """The same object each time."""
    if not group._is_native():
        return group
    made = _known(group).implementations
    if backend not in made:
        made[backend] = _CLASSES.get(backend, _Other)._of(group)
        made[backend]._backend = backend
    return made[backend]


def get_backend(self, device):
    """What carries tensors of a device out. RuntimeError where nothing does."""
    kind, known = type_of(device), _groups.member(self)[1]
    routes = dict(routes_of(known.backend))
    backend = routes.get(kind, routes.get(""))
    if backend is None:
        raise RuntimeError(f"No backend type associated with device type {kind}")
    if isinstance(self, RoutedGroup):
        return self.parts[kind]
    return _made_for(self, backend)


def get_backend_impl(group=None, device=None):
    """What carries a group's tensors out: of a device, or of all.

    `group` is a group or its name. ValueError where devices differ and none is named.
    """
    kinds = str | int | _C.device | None
    _arguments.expect(device, kinds, "get_backend_impl()", "device", "a device")
    if isinstance(group, str):
        group = _groups.named(group)
    group, known = _groups.member(group)
    if device is not None or (device := group.bound_device_id) is not None:
        return get_backend(group, device)
    backends = {backend for _, backend in routes_of(known.backend)}
    if len(backends) > 1:
        raise ValueError(
            "Process group has multiple backend implementations; pass the device argument to select one."
        )
    return _made_for(group, backends.pop())


def _known(self):
    return _groups.member(self)[1]


_group_methods._attach(
    ProcessGroup,
    get_backend,
    _get_backend=get_backend,
    group_desc=property(lambda self: _known(self).description, doc="What its maker calls it."),
    bound_device_id=property(lambda self: _known(self).device, doc="`device_id` of its making."),
    get_group_store=lambda self: _known(self).store,
    set_timeout=lambda self, timeout: _groups.set_timeout(timeout, self),
    shutdown=ProcessGroup._leave,
)
