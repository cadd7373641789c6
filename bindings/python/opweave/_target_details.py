"""Names of opweave.<target> that few programs ask for: what is refused, and modules below it."""

import contextlib
import types

_READ = "readings of the hardware are not taken; ask the vendor's tool, such as nvidia-smi"
_ALLOCATOR = "the allocator of a target is its own, and has no such setting"
_HANDLES = "handles of the vendor's libraries are not given away"
_COUNTS = (
    "counts of allocations are not set back; reset_peak_memory_stats() sets back the most bytes"
)
_GRAPHS = "calls are not recorded as graphs; they run when they are made"

# Functions that raise, by why. Without a device they say that first, as PyTorch's do.
_REFUSED = {
    **dict.fromkeys(("clock_rate", "power_draw", "temperature", "utilization"), _READ),
    **dict.fromkeys(("memory_usage", "device_memory_used", "list_gpu_processes"), _READ),
    **dict.fromkeys(("CUDAPluggableAllocator", "XPUPluggableAllocator", "MemPool"), _ALLOCATOR),
    **dict.fromkeys(("use_mem_pool", "change_current_allocator"), _ALLOCATOR),
    **dict.fromkeys(("caching_allocator_alloc", "caching_allocator_delete"), _ALLOCATOR),
    **dict.fromkeys(("caching_allocator_enable", "caching_allocator_disabled"), _ALLOCATOR),
    **dict.fromkeys(("get_per_process_memory_fraction", "memory_snapshot"), _ALLOCATOR),
    "set_per_process_memory_fraction": _ALLOCATOR,
    **dict.fromkeys(("cudart", "check_error", "current_blas_handle"), _HANDLES),
    **dict.fromkeys(("current_solver_handle", "get_stream_from_external"), _HANDLES),
    **dict.fromkeys(("ExternalStream", "GreenContext"), _HANDLES),
    **dict.fromkeys(("reset_accumulated_memory_stats", "reset_peak_host_memory_stats"), _COUNTS),
    "reset_accumulated_host_memory_stats": _COUNTS,
    **dict.fromkeys(("get_sync_debug_mode", "set_sync_debug_mode"), "waits are not watched"),
    **dict.fromkeys(("export_dot", "export_graph_data"), _GRAPHS),
    **dict.fromkeys(
        [
            f"register_graph_{what}_hook"
            for what in ("capture_start", "capture_end", "instantiate", "destroy")
        ],
        _GRAPHS,
    ),
    **dict.fromkeys(
        ("register_graph_replay_start_hook", "register_graph_replay_end_hook"), _GRAPHS
    ),
}


def refused(module, name):
    """The function that says why it is not there; None for other names."""
    if name not in _REFUSED:
        return None

    def refuse(*args, **kwargs):
        module._require(name)
        raise NotImplementedError(f"{module.__name__}.{name}: {_REFUSED[name]}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raises: {_REFUSED[name]}."
    return refuse


class DeferredCudaCallError(Exception):
    """In PyTorch, of a call that was put off until the devices were there; none are put off here."""


class CudaError(RuntimeError):
    """In PyTorch, of a call of the vendor's library; here such errors are RuntimeError."""


def facts(module):
    """Functions and values that need no device, by their names."""
    return {
        "DeferredCudaCallError": DeferredCudaCallError,
        "CudaError": CudaError,
        "get_arch_list": _constant([], "Which generations of hardware kernels are compiled for."),
        "get_gencode_flags": _constant("", "The compiler's options for those."),
        "get_allocator_backend": _constant("native", "Whose allocator is used: the target's own."),
        "has_half": True,
        "has_magma": False,
        "is_tf32_supported": _constant(False, "Whether products are computed in TF32: no."),
        "memory_stats_as_nested_dict": _nested(module),
        "host_memory_stats": _constant({}, "Counts of pinned memory: none are kept."),
        "host_memory_stats_as_nested_dict": _constant({}, "The same."),
        "reset_max_memory_cached": module.reset_peak_memory_stats,
        "seed_all": module.seed_all,
    }


def _constant(value, doc):
    def give():
        return type(value)(value)

    give.__doc__ = doc
    return give


def _nested(module):
    def memory_stats_as_nested_dict(device=None):
        """memory_stats(), with a dictionary for each part of a name that ends at a dot."""
        found = {}
        for name, value in module.memory_stats(device).items():
            *path, last = name.split(".")
            place = found
            for part in path:
                place = place.setdefault(part, {})
            place[last] = value
        return found

    return memory_stats_as_nested_dict


# --- modules below it ---------------------------------------------------------------------------------------
_PARTS = {
    "memory": ("memory", "cach", "alloc", "Alloc", "MemPool", "mem_", "list_gpu", "empty_cache"),
    "random": ("seed", "rng_state"),
    "streams": ("Stream", "Event"),
    "graphs": ("graph", "Graph", "export_dot", "is_current_stream_capturing"),
}


class _Part(types.ModuleType):
    """A module with some names of the target's module: the file of PyTorch in which they are."""

    def __init__(self, owner, name):
        super().__init__(f"{owner.__name__}.{name}", f"opweave.{owner._target}: {name}.")
        self._owner, self._words = owner, _PARTS[name]

    def __getattr__(self, name):
        if name.startswith("_") or not any(word in name for word in self._words):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        return getattr(self._owner, name)


def part(module, name):
    """The module below a target's; None for other names."""
    if name in _PARTS:
        return _Part(module, name)
    makers = {"profiler": _profiler, "comm": _comm, "nccl": _nccl}
    if name not in makers:
        return None
    made = types.ModuleType(f"{module.__name__}.{name}", makers[name].__doc__)
    made.__dict__.update(makers[name](module))
    return made


def _profiler(module):
    """The vendor's profiler, which opweave.profiler stands for."""

    def refuse(*args, **kwargs):
        """Raises: the vendor's profiler is not spoken to."""
        module._require("profiler")
        raise NotImplementedError(
            f"{module.__name__}.profiler: the vendor's profiler is not started or stopped; "
            "opweave.profiler.profile() records calls"
        )

    @contextlib.contextmanager
    def profile():
        """Raises: the vendor's profiler is not spoken to."""
        refuse()
        yield

    return {"start": refuse, "stop": refuse, "init": refuse, "profile": profile}


def _comm(module):
    """Copies among devices of a program: what opweave.nn.parallel.comm has."""
    from opweave.nn.parallel import comm

    return {name: getattr(comm, name) for name in comm.__all__}


def _nccl(module):
    """NCCL by itself; groups of processes use it."""

    def refusing(name):
        def refuse(*args, **kwargs):
            raise NotImplementedError(
                f"{module.__name__}.nccl.{name}: opweave.distributed with backend='nccl' calls NCCL"
            )

        refuse.__name__, refuse.__doc__ = name, "Raises: opweave.distributed calls NCCL."
        return refuse

    names = ("all_gather", "all_reduce", "broadcast", "reduce", "reduce_scatter", "version")
    return {n: refusing(n) for n in names} | {
        "is_available": _constant(False, "No: see distributed.")
    }
