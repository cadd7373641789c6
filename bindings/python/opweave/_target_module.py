"""opweave.<target>, the module of a kind of hardware: its devices, streams and memory."""

import collections
import contextlib
import functools
import importlib
import types

from opweave import _C, _device_names, storage
from opweave._random import _as_seed


class Module(types.ModuleType):
    """opweave.<target>: its devices, streams and memory."""

    __path__ = []  # it has modules below it, as `import torch.cuda.amp` asks

    def __init__(self, name, installed):
        super().__init__(f"opweave.{name}", f"The target '{name}'.")
        self._target = name
        self._installed = installed

    def _device(self, device=None):
        """What a program says of a device: nothing, a number, text, a device."""
        if isinstance(device, int):
            return _C.device(self._target, device)
        device = _C.device(self._target if device is None else device)
        if device.type != self._target:
            raise ValueError(f"Expected a {self._target} device, but got: {device}")
        return device

    @functools.cached_property
    def amp(self):
        """PyTorch's older names for autocast and GradScaler on these devices."""
        from opweave.amp import _of_device

        return _of_device.module(self._target)

    @functools.cached_property
    def OutOfMemoryError(self):  # noqa: N802 - PyTorch's name
        """What is raised where there is no memory."""
        return _C.OutOfMemoryError

    @functools.cached_property
    def default_generators(self):
        """The generators of its devices, in their order."""
        return tuple(_C._default_generator(self._device(i)) for i in range(self.device_count()))

    @functools.cached_property
    def Stream(self):  # noqa: N802 - PyTorch's name
        """The class of streams of its devices."""

        def make(device=None, priority=0):
            """A stream of one of its devices."""
            self._require("Stream")
            return _C.Stream(self._device(device), priority=priority)

        return _device_names.class_on(self, "Stream", _C.Stream, make)

    @functools.cached_property
    def Event(self):  # noqa: N802 - PyTorch's name
        """The class of events of its devices."""

        def make(**options):
            """An event of its devices; takes what opweave.Event takes."""
            self._require("Event")
            return _C.Event(self._device(), **options)

        return _device_names.class_on(self, "Event", _C.Event, make)

    def __getattr__(self, name):
        """FloatTensor and its kin, FloatStorage and its kin, and names that need no device."""
        found = self._found(name)
        if found is None:
            raise AttributeError(self._lacking_text(name), name=name, obj=self)
        self.__dict__[name] = found
        return found

    def _found(self, name):
        if name.startswith("_"):
            from opweave import _target_private

            return _target_private.found(self, name)
        if name.endswith("Tensor"):
            from opweave._tensor_types import types_on

            return types_on(_C.device(self._target), self.__name__).get(name)
        if name.endswith("Storage"):
            return next((c for c in storage._classes.values() if c.__name__ == name), None)
        if name == "device_of":
            return _device_names.device_of_on(self)
        if name == "nvtx":
            return importlib.import_module("opweave.profiler._nvtx")
        return _device_names.NAMES.get(name) or self._detail(name)

    def _detail(self, name):
        """What few programs ask for: modules below it, values, functions that say what is not there."""
        from opweave import _target_details

        found = _target_details.part(self, name)
        if found is None:
            found = _target_details.facts(self).get(name)
        return _target_details.refused(self, name) if found is None else found

    def _lacking_text(self, name):
        """The words about a name that is not there; programs for PyTorch get others (opweave.as_torch)."""
        return f"module '{self.__name__}' has no attribute '{name}'"

    def _require(self, function):
        if not self.is_available():
            raise RuntimeError(
                f"opweave.{self._target}.{function}: no usable {self._target} device"
            )

    def is_available(self):
        """Whether there is a usable device."""
        return self.device_count() > 0

    def is_initialized(self):
        """Whether the target is loaded."""
        return self._installed

    def init(self):
        """Loads the target; raises without a usable device."""
        self._require("init")

    def is_bf16_supported(self, including_emulation=True):
        """Whether bfloat16 is computed with: yes, where there is a device."""
        return self.is_available()

    def get_device_capability(self, device=None):
        """The generation of the hardware: (major, minor)."""
        properties = self.get_device_properties(device)
        return properties.major, properties.minor

    def memory_summary(self, device=None, abbreviated=False):
        """memory_stats() as lines of text."""
        return "\n".join(f"{k}: {v}" for k, v in self.memory_stats(device).items())

    def memory_cached(self, device=None):
        """memory_reserved() under its old name."""
        return self.memory_reserved(device)

    def max_memory_cached(self, device=None):
        """max_memory_reserved() under its old name."""
        return self.max_memory_reserved(device)

    def reset_max_memory_allocated(self, device=None):
        """reset_peak_memory_stats() under its old name."""
        self.reset_peak_memory_stats(device)

    def is_current_stream_capturing(self):
        """Whether what is enqueued on the current stream is recorded as a graph, by whoever began that."""
        return self.is_available() and self.current_stream().is_capturing()

    def can_device_access_peer(self, device, peer_device):
        """Whether a device reads another's memory by itself: copies go through the host here, so no."""
        self._require("can_device_access_peer")
        for d in (device, peer_device):
            if not 0 <= self._device(d).index < self.device_count():
                raise AssertionError(f"Invalid device id {d}: there are {self.device_count()}")
        return False

    def ipc_collect(self):
        """For PyTorch's programs: memory that other processes gave back is freed at once."""

    def seed(self):
        """Seeds the generator of the current device from the system's entropy."""
        if self.is_available():
            _C._default_generator(self._device()).seed()

    def seed_all(self):
        """Seeds the generators of all devices from the system's entropy."""
        for index in range(self.device_count()):
            _C._default_generator(self._device(index)).seed()

    def initial_seed(self):
        """The seed of the current device's generator."""
        self._require("initial_seed")
        return _C._default_generator(self._device()).initial_seed()

    def device_count(self):
        """The number of usable devices."""
        return _C._device_count(self._device()) if self._installed else 0

    def current_device(self):
        """The number of the device that this thread works on; its name where it has no number."""
        self._require("current_device")
        index = _C._current_stream(self._device()).device_index
        return self._target if index < 0 else index

    def set_device(self, device):
        """Makes a device this thread's current one."""
        self._require("set_device")
        _C._exchange_device(self._device(device))

    @contextlib.contextmanager
    def device(self, device):
        """Makes a device the current one within `with`."""
        self._require("device")
        before = _C._exchange_device(self._device(device))
        try:
            yield
        finally:
            _C._exchange_device(self._device(before))

    def get_device_properties(self, device=None):
        """What is known of a device."""
        self._require("get_device_properties")
        return types.SimpleNamespace(**_C._device_properties(self._device(device)))

    def get_device_name(self, device=None):
        """What a device is called."""
        return self.get_device_properties(device).name

    def synchronize(self, device=None):
        """Waits for all work on a device."""
        self._require("synchronize")
        _C._synchronize(self._device(device))

    def current_stream(self, device=None):
        """The stream that operators of this thread use on a device."""
        self._require("current_stream")
        return _C._current_stream(self._device(device))

    def default_stream(self, device=None):
        """The stream that is used where none was set."""
        self._require("default_stream")
        current = _C._current_stream(self._device(device))
        return _C.Stream(
            stream_id=0, device_index=current.device_index, device_type=current.device_type
        )

    def set_stream(self, stream):
        """Makes a stream the current one, and its device as well; None changes nothing."""
        if stream is not None:
            _C._set_stream(stream)

    def stream(self, stream):
        """Makes a stream the current one within `with`; None changes nothing."""
        return _device_names.StreamContext(stream)

    def memory_stats(self, device=None):
        """Bytes and numbers of allocations."""
        found = _C._memory_stats(self._device(device)) if self.is_available() else {}
        return collections.OrderedDict(found)

    def reset_peak_memory_stats(self, device=None):
        """Counts the most bytes from now on."""
        if self.is_available():
            _C._reset_peak_memory_stats(self._device(device))

    def memory_allocated(self, device=None):
        """Bytes that tensors hold."""
        return self.memory_stats(device).get("allocated_bytes.all.current", 0)

    def max_memory_allocated(self, device=None):
        """The most bytes that tensors held."""
        return self.memory_stats(device).get("allocated_bytes.all.peak", 0)

    def memory_reserved(self, device=None):
        """Bytes that are held from the system."""
        return self.memory_stats(device).get("reserved_bytes.all.current", 0)

    def max_memory_reserved(self, device=None):
        """The most bytes that were held from the system."""
        return self.memory_stats(device).get("reserved_bytes.all.peak", 0)

    def mem_get_info(self, device=None):
        """Free and total bytes of a device."""
        found = self.get_device_properties(device)
        return found.free_memory, found.total_memory

    def empty_cache(self):
        """Returns unused memory to the system."""
        if self.is_available():
            _C._empty_cache(self._device())

    def manual_seed(self, seed):
        """Seeds the generator of the current device."""
        if self.is_available():
            _C._default_generator(self._device()).manual_seed(_as_seed(seed))

    def manual_seed_all(self, seed):
        """Seeds the generators of all devices."""
        for index in range(self.device_count()):
            _C._default_generator(self._device(index)).manual_seed(_as_seed(seed))

    def get_rng_state(self, device=None):
        """The state of a device's default generator, as a tensor of bytes on the host."""
        self._require("get_rng_state")
        return _C._default_generator(self._device(device)).get_state()

    def set_rng_state(self, new_state, device=None):
        """Restores a state of get_rng_state()."""
        self._require("set_rng_state")
        _C._default_generator(self._device(device)).set_state(new_state)

    def get_rng_state_all(self):
        """The states of all devices, in their order."""
        return [self.get_rng_state(index) for index in range(self.device_count())]

    def set_rng_state_all(self, new_states):
        """Restores the states of get_rng_state_all()."""
        for index, state in enumerate(new_states):
            self.set_rng_state(state, index)
