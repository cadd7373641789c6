"""Backends of groups: their names, which of them carries tensors of which device, and those of others."""

from dataclasses import dataclass
from types import SimpleNamespace

from opweave import _C, _targets
from opweave._distributed import (
    PrefixStore,
    ProcessGroup,
    _backend_names,
    _has_backend,
    _is_nccl_available,
)
from opweave.distributed import _arguments, _options
from opweave.distributed._group_methods import BackendType
from opweave.distributed._reductions import ReduceOp
from opweave.distributed._routed import RoutedGroup

# What PyTorch's users know and this build lacks, with what to do about it.
_MISSING = {
    "nccl": "install NCCL (libnccl2), 2.18 or later; CPU tensors go over 'gloo'",
    "mpi": "install OpenMPI (libopenmpi3, openmpi-bin), with which libopweave_mpi.so is loaded; between "
    "hosts 'gloo' takes its place",
    "ucc": "there is no library for it; 'gloo' and 'mpi' take CPU tensors, 'nccl' those of CUDA, and "
    "Backend.register_backend() adds one of your own",
}


@dataclass(frozen=True)
class _Made:
    """A backend of Python: `make` gives a subclass of ProcessGroup."""

    make: object
    extended_api: bool
    devices: tuple[str, ...] | None


_made: dict[str, _Made] = {}


class Backend(str):
    """The name of a backend, in lower case: `Backend("GLOO")` is "gloo"."""

    UNDEFINED = "undefined"
    SHM, GLOO, FAKE, NCCL, MPI, UCC, XCCL = "shm", "gloo", "fake", "nccl", "mpi", "ucc", "xccl"

    # What PyTorch's users read and add to: names, the devices of each, and what a device has by default.
    # Tensors of devices that 'shm' and 'gloo' do not take go through memory of the host.
    backend_list = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, FAKE, SHM]
    default_device_backend_map = {"cpu": GLOO, "cuda": NCCL, "xpu": XCCL, "mps": GLOO}
    backend_capability = {
        GLOO: ["cpu", "cuda"],
        NCCL: ["cuda"],
        XCCL: ["xpu"],
        UCC: ["cpu", "cuda"],
        MPI: ["cpu", "cuda"],
        FAKE: ["cpu", "cuda", "hpu", "xpu"],
        SHM: ["cpu", "cuda"],
    }
    backend_type_map = {
        name: getattr(BackendType, name.upper(), BackendType.CUSTOM) for name in backend_list
    }

    def __new__(cls, name):
        if not isinstance(name, str):
            raise ValueError(f"Backend name must be a string, but got: {name}")
        return super().__new__(cls, name.lower())

    @classmethod
    def register_backend(cls, name, func, extended_api=False, devices=None):
        """Makes a backend known by a name: `func` gives a group of it, a subclass of ProcessGroup.

        It is called with (store, rank, world_size, timeout), or with `extended_api` with one object that has
        store, group_rank, group_size, group_id, global_ranks_in_group and timeout, and with pg_options.
        `devices` (a type of device, or several) says which tensors it takes: all, for None. The group's
        methods are those of PyTorch's ProcessGroup, and return an object with `wait()`; `abort()` and
        `shutdown()` are called where the group ends, if it has them. It may be one of several backends of a
        group: "cpu:gloo,cuda:mine". RuntimeError where the name is taken.
        """
        name = name.lower()
        if name in _made or name in _MISSING or name in _backend_names():
            raise RuntimeError(f"{name} c10d backend already exist")
        devices = (devices,) if isinstance(devices, str) else devices
        _made[name] = _Made(func, extended_api, tuple(devices) if devices is not None else None)
        setattr(cls, name.upper(), name)
        cls.backend_list.append(name)
        cls.backend_type_map[name] = BackendType.CUSTOM
        cls.backend_capability[name] = ["cpu"] if devices is None else list(devices)
        for device in devices or ():
            cls.default_device_backend_map.setdefault(device, name)


class BackendConfig:
    """Which backend carries tensors of which type of device: `str` gives "cpu:gloo,cuda:nccl"."""

    def __init__(self, backend):
        routes = routes_of(backend) or [("", Backend.default_device_backend_map["cpu"])]
        self._map = {}
        for device, name in routes:
            for of_device in [device] if device else Backend.backend_capability.get(name, ["cpu"]):
                self._map[of_device] = Backend(name)

    @property
    def device_backend_map(self):
        """The names of backends, by type of device."""
        return self._map

    def get_device_backend_map(self):
        """The same as a dictionary, by type of device."""
        return self._map

    def __repr__(self):
        return ",".join(f"{device}:{name}" for device, name in self._map.items())


def type_of(device):
    """The type of a device, of which no target need be installed: "cuda" of "cuda:1"."""
    return device.partition(":")[0] if isinstance(device, str) else _C.device(device).type


def get_default_backend_for_device(device):
    """The name of the backend that carries tensors of a device where nobody says which.

    ValueError for a device of which none is known.
    """
    kinds = str | int | _C.device
    _arguments.expect(device, kinds, "get_default_backend_for_device()", "device", "a device")
    name = Backend.default_device_backend_map.get(type_of(device))
    if name is None:
        raise ValueError(f"Default backend not registered for device : {device}")
    return name


def known(name):
    """Whether groups can be made with a backend of this name."""
    try:
        return _find(name)
    except RuntimeError:  # its library is of no use
        return False


def _find(name):
    """The same; RuntimeError that says why, where there is a library of this backend which is of no use."""
    if name == "nccl":
        return _is_nccl_available()
    return name in _made or _has_backend(name)


def is_backend_available(backend):
    """Whether groups can be made with a backend of this name."""
    name = _arguments.expect(backend, str, "is_backend_available()", "backend", "a str")
    return known(name.lower())


def is_gloo_available():
    """Whether this build has the backend 'gloo'."""
    return known("gloo")


def is_nccl_available():
    """Whether NCCL is installed, in a version that the backend 'nccl' can use."""
    return known("nccl")


def is_mpi_available():
    """Whether the library of the backend 'mpi' is there, with the OpenMPI that it needs."""
    return known("mpi")


def is_ucc_available():
    """Whether this build has the backend 'ucc'."""
    return known("ucc")


def is_xccl_available():
    """Whether this build has the backend 'xccl': never."""
    return known("xccl")


def _checked(name):
    why = ""
    try:
        found = _find(name)
    except RuntimeError as error:
        if name not in _MISSING:
            raise
        found, why = False, f" ({error})"
    if not found:
        if name in _MISSING:
            raise RuntimeError(
                f"Distributed package doesn't have {name.upper()} built in: {_MISSING[name]}{why}"
            )
        names = ", ".join([*_backend_names(), *_made])
        raise ValueError(f"no backend is called '{name}'; there are {names}")
    return name


def routes_of(backend):
    """(device, backend) of each part of "cpu:gloo,cuda:nccl", or one for all devices; None for no backend.

    ValueError for what cannot be read, RuntimeError for what this build lacks.
    """
    if backend is None or backend == Backend.UNDEFINED:
        return None
    text = str(backend).lower()
    if ":" not in text:
        return [("", _checked(text))]
    routes = {}
    for pair in text.split(","):
        device, _, name = (part.strip() for part in pair.partition(":"))
        if not device or not name or ":" in name:
            raise ValueError(
                f"Invalid device:backend pairing: {pair!r} in {backend!r}; expected pairs such as "
                f"'cpu:gloo,cuda:nccl'"
            )
        if not _targets.is_target(device):
            known = ", ".join([*_targets.BUILT_IN, *_targets.EXPECTED, *_targets.available()])
            raise ValueError(
                f"no device type is called '{device}', in {backend!r}; there are {known}"
            )
        if device in routes:
            raise ValueError(f"Duplicate device type {device} in backend string: {backend}")
        routes[device] = _checked(name)
    return list(routes.items())


def shown(routes):
    """How `get_backend` names them: "gloo", "cpu:gloo,cuda:nccl"."""
    return ",".join(f"{device}:{name}" if device else name for device, name in routes)


def is_registered(backend):
    """Whether it was written in Python."""
    return backend in _made


def make_python_group(routes, store, name, ranks, rank, timeout, options, make_native):
    """The group of routes of which a backend is written in Python; None where none is.

    `make_native(routes, store, name)` gives the group of those that are Opweave's.
    """
    own = {device: backend for device, backend in routes if backend in _made}
    if not own:
        return None
    if len(routes) == 1:
        return _make_one(routes[0][1], store, name, ranks, rank, timeout, options)
    parts = {}
    if native := [route for route in routes if route[1] not in _made]:
        made = make_native(native, PrefixStore("native", store), f"{name}/native")
        parts = {device: made for device, _ in native}
    for device, backend in own.items():
        of_device, called = PrefixStore(device, store), f"{name}/{device}"
        parts[device] = _make_one(backend, of_device, called, ranks, rank, timeout, options)
    made = RoutedGroup(rank, len(ranks), {device: parts[device] for device, _ in routes})
    made._set_group_name(name, shown(routes), list(ranks), timeout)
    return made


def _make_one(backend, store, name, ranks, rank, timeout, options):
    known = _made[backend]
    if known.extended_api:
        context = SimpleNamespace(
            store=store,
            group_rank=rank,
            group_size=len(ranks),
            group_id=name,
            global_ranks_in_group=list(ranks),
            timeout=timeout,
        )
        made = known.make(context, options)
    else:
        made = known.make(store, rank, len(ranks), timeout)
    made._set_group_name(name, backend, list(ranks), timeout)
    made._devices = known.devices
    return made


# How PyTorch's ProcessGroup takes what a collective is called with: the method, and its arguments.
_METHODS = {
    "broadcast": lambda i, o, c: ("broadcast", (o, c)),
    "all_reduce": lambda i, o, c: ("allreduce" if len(o) == 1 else "allreduce_coalesced", (o, c)),
    "reduce": lambda i, o, c: ("reduce", (o, c)),
    "all_gather": lambda i, o, c: ("allgather", ([o], i, c)),
    "gather": lambda i, o, c: ("gather", ([o] if o else [], i, c)),
    "scatter": lambda i, o, c: ("scatter", (o, [i] if i else [], c)),
    "reduce_scatter": lambda i, o, c: ("reduce_scatter", (o, [i], c)),
    "all_to_all": lambda i, o, c: ("alltoall", (o, i, c)),
    "send": lambda i, o, c: ("send", (i, c.rootRank, c.tag)),
    "recv": lambda i, o, c: (
        ("recv_anysource", (o, c.tag)) if c.rootRank < 0 else ("recv", (o, c.rootRank, c.tag))
    ),
    "barrier": lambda i, o, c: ("barrier", (c,)),
}


# The options that its methods get.
_OPTIONS = {
    "broadcast": _options.BroadcastOptions,
    "all_reduce": _options.AllreduceOptions,
    "reduce": _options.ReduceOptions,
    "all_gather": _options.AllgatherOptions,
    "gather": _options.GatherOptions,
    "scatter": _options.ScatterOptions,
    "reduce_scatter": _options.ReduceScatterOptions,
    "all_to_all": _options.AllToAllOptions,
    "barrier": _options.BarrierOptions,
}


@dataclass(kw_only=True)
class _Letter(_options.Options):
    rootRank: int = 0  # noqa: N815
    tag: int = 0


def _options_of(kind, said):
    """The options of a collective; what it does not take of what was said is left."""
    made = _OPTIONS.get(kind, _Letter)()
    for name, value in said.items():
        if hasattr(made, name) and value is not None:
            setattr(made, name, value)
    return made


def start_python(group, kind, inputs, outputs, async_op, op="sum", root=0, tag=0, timeout=None):
    """A collective of a group of Python, by the method that PyTorch calls: what that returns."""
    said = {"reduceOp": ReduceOp(op), "rootRank": root, "tag": tag, "timeout": timeout}
    options = _options_of(kind, said | {"asyncOp": async_op})
    name, arguments = _METHODS[kind](inputs, outputs, options)
    if isinstance(group, RoutedGroup):
        group = group.part_of(kind, (*inputs, *outputs))
        if group._is_native():
            return getattr(group, name)(*arguments)
    for tensor in (*inputs, *outputs):
        if group._devices is not None and tensor.device.type not in group._devices:
            raise RuntimeError(
                f"{kind}(): the group '{group.group_name}' takes no tensors on {tensor.device}"
            )
    method = getattr(type(group), name, None)
    # ProcessGroup's own would come here again.
    if method is None or method is getattr(ProcessGroup, name, None):
        raise NotImplementedError(f"the process group {type(group).__name__} has no {name}()")
    return method(group, *arguments)
