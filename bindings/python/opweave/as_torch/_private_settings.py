"""Private functions of torch._C: settings of what compiles programs, which have nothing to set; questions
about devices; helpers."""

import contextlib

from opweave import _C, __config__, _targets, _tensor_str, _top, backends
from opweave._composites import broadcast_shapes
from opweave.nn.parallel import comm
from opweave.serialization import load


def _exchanged(value):
    """A setting as PyTorch has many: it takes a value and gives the one before. Nothing depends on it."""
    kept = [value]

    def exchange(new):
        before, kept[0] = kept[0], new
        return before

    return exchange


jit_set_autocast_mode = _exchanged(True)
jit_set_bailout_depth = _exchanged(20)
jit_set_fusion_strategy = _exchanged([("STATIC", 2), ("DYNAMIC", 10)])
jit_set_num_profiled_runs = _exchanged(1)
jit_set_nvfuser_enabled = _exchanged(False)
jit_set_profiling_executor = _exchanged(True)
jit_set_profiling_mode = _exchanged(True)


def set_nothing(*values):
    """A setting without an effect, of what is not there."""


def is_not(*values):
    """Whether something is that never is: no program is compiled or fused, no process forked wrongly."""
    return False


def graph_executor_optimize(new_setting=None):
    """Whether compiled programs are made faster: there are none."""
    return True


def is_profiled():
    """Whether a profile is recorded."""
    from opweave.profiler import _ranges

    return _ranges._recorded is not None


def infer_size(a, b):
    """The size of what tensors of two sizes give together."""
    return broadcast_shapes(a, b)


def is_alias_of(a, b):
    """Whether tensors are in the same memory."""
    return a.untyped_storage()._cdata == b.untyped_storage()._cdata


def default_device():
    """The device of new tensors, as text."""
    return str(_top.get_default_device())


def privateuse1_backend_name():
    """The name of what a program adds as a device: nobody does."""
    return "privateuseone"


def add_docstr(obj, doc):
    """Gives a function or class a text; the same function, also where it can have none."""
    with contextlib.suppress(AttributeError, TypeError):  # of the extension
        obj.__doc__ = doc
    return obj


def element_size(dtype):
    """The bytes of an element of a dtype."""
    return dtype.itemsize


def shape_as_tensor(self):
    """The sizes of a tensor, as one."""
    return _C.tensor(self.shape)


def dim_arange(like, dim):
    """The places along a dimension of a tensor."""
    return _C.arange(like.size(dim), device=like.device)


def softmax(self, dim, half_to_float):
    """The softmax; with `half_to_float` of 16-bit numbers in float32."""
    return _C.softmax(self, dim, dtype=_C.float32 if half_to_float else None)


def log_softmax(self, dim, half_to_float):
    """As softmax(), its logarithm."""
    return _C.log_softmax(self, dim, dtype=_C.float32 if half_to_float else None)


def unique2(self, sorted=True, return_inverse=False, return_counts=False):
    """The different elements, which one each is, and how often each occurs; empty if not wanted."""
    return _C._unique2(self, sorted, return_inverse, return_counts)


def show_config():
    """How the library was built, as text."""
    return __config__.show()


@contextlib.contextmanager
def printoptions(**options):
    """Prints tensors otherwise within `with`: the arguments of set_printoptions()."""
    before = dict(vars(_tensor_str.PRINT_OPTS))
    _tensor_str.set_printoptions(**options)
    try:
        yield before
    finally:
        vars(_tensor_str.PRINT_OPTS).clear()
        vars(_tensor_str.PRINT_OPTS).update(before)


class Formatter:
    """Writes the elements of a tensor in one width and notation."""

    def __init__(self, tensor):
        values = tensor.detach().flatten().tolist()
        self._format = _tensor_str._Format(values, tensor.is_floating_point())
        self.floating_dtype = tensor.is_floating_point()
        self.sci_mode, self.max_width = self._format.scientific, self._format.width

    def width(self):
        """Of each."""
        return self.max_width

    def format(self, value):
        """One of them."""
        return self._format(value)


def load_from_bytes(b):
    """What a file holds of which these are the bytes, from whoever is trusted."""
    import io

    return load(io.BytesIO(b), weights_only=False)


def _cuda():
    return _targets.module("cuda")


# --- devices -----------------------------------------------------------------------------------------------
def device_count():
    """How many CUDA devices there are."""
    return _cuda().device_count()


def current_device():
    """The number of the current CUDA device."""
    return _cuda().current_device()


def set_device(index):
    """Makes a CUDA device the current one."""
    _cuda().set_device(index)


def init_devices():
    """RuntimeError where there is no CUDA device."""
    _cuda().init()


def raw_stream(index):
    """The handle of the stream that a CUDA device's operators use."""
    return _cuda().current_stream(index).cuda_stream


def cudnn_is_enabled():
    """Whether cuDNN is used where it is there."""
    return backends.cudnn.enabled


def stream_of_copies(device):
    """The stream on which inputs are copied to a device; None for the processor's memory."""
    device = _C.device(device)
    if _C._is_host(device):
        return None
    return _top.get_device_module(device.type).Stream(device)


def broadcast_coalesced(tensors, devices, buffer_size):
    """Copies of tensors on each device."""
    return comm.broadcast_coalesced(tensors, devices, buffer_size)


def scatter(tensor, devices, chunk_sizes=None, dim=0, streams=None):
    """Parts of a tensor on each device."""
    return comm.scatter(tensor, devices, chunk_sizes, dim, streams)


def gather(tensors, dim, destination_index=None):
    """Parts put together again on a device."""
    return comm.gather(tensors, dim, destination_index)
