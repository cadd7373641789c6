"""Arguments and results of calls as plain data, for PyTorch and for what has its interface alike.

Tensors become tuples that begin with the word "tensor", and so on; nothing else is a tuple that begins
with a word. What has no such form (sparse tensors, functions) raises NoPlainFormError.
"""

import numbers

# Of one storage: larger samples are left out.
_MOST_BYTES = 1 << 20
_ATOMS = (bool, int, float, complex, str, bytes, type(None))
# Types of enumerations and the like that the module has by name.
_NAMED = ("dtype", "layout", "memory_format")


class NoPlainFormError(Exception):
    """A value cannot be written down."""


def last_name(value):
    return str(value).rpartition(".")[2]


class Writer:
    """Arguments of one call: tensors of one storage stay so."""

    def __init__(self, module):
        self.module = module
        self.tensors = []
        self.storages = []
        self._places = {}

    def write(self, value):
        if isinstance(value, self.module.Tensor):
            return self._tensor(value)
        if isinstance(value, _ATOMS):
            return value
        if isinstance(value, numbers.Number) or type(value).__module__ == "numpy":
            return self._number(value)
        if type(value) in (list, tuple, self.module.Size):
            return self._sequence(value)
        if type(value) is dict:
            return ("dict", [(self.write(k), self.write(v)) for k, v in value.items()])
        if isinstance(value, slice):
            return ("slice", *map(self.write, (value.start, value.stop, value.step)))
        return _named(self.module, value)

    def _number(self, value):
        if getattr(value, "shape", None) == ():
            return value.item()
        raise NoPlainFormError(type(value).__name__)

    def _sequence(self, value):
        return ("list" if type(value) is list else "sequence", [self.write(v) for v in value])

    def _tensor(self, tensor):
        if tensor.layout != self.module.strided or tensor.is_quantized or tensor.is_conj():
            raise NoPlainFormError(f"a tensor of layout {tensor.layout}")
        if tensor.device.type not in ("cpu", "meta"):
            raise NoPlainFormError(f"a tensor on {tensor.device}")
        self.tensors.append(tensor)
        return (
            "tensor",
            last_name(tensor.dtype),
            tuple(tensor.shape),
            tensor.stride(),
            tensor.storage_offset(),
            self._storage(tensor) if tensor.device.type == "cpu" else None,
            tensor.requires_grad,
        )

    def _storage(self, tensor):
        storage = tensor.untyped_storage()
        if storage.nbytes() > _MOST_BYTES:
            raise NoPlainFormError("a large tensor")
        key = storage.data_ptr() or id(tensor)
        if key not in self._places:
            self._places[key] = len(self.storages)
            every = self.module.empty(0, dtype=self.module.uint8).set_(storage)
            self.storages.append(every.numpy().tobytes())
        return self._places[key]


def _named(module, value):
    for kind in _NAMED:
        if isinstance(value, getattr(module, kind)):
            return ("named", last_name(value))
    if isinstance(value, module.device):
        return ("device", str(value))
    if value is Ellipsis:
        return ("ellipsis",)
    raise NoPlainFormError(type(value).__name__)


class Reader:
    """The other way: `tensors` are those of the call, in the order in which they were written."""

    def __init__(self, module, storages):
        self.module = module
        self.tensors = []
        self._storages = [bytearray(each) for each in storages]

    def read(self, form):
        if not isinstance(form, tuple):
            return form
        kind, *rest = form
        return getattr(self, f"_{kind}")(*rest)

    def _dict(self, items):
        return {self.read(key): self.read(value) for key, value in items}

    def _list(self, items):
        return [self.read(item) for item in items]

    def _sequence(self, items):
        return tuple(self._list(items))

    def _slice(self, *ends):
        return slice(*map(self.read, ends))

    def _named(self, name):
        try:
            return getattr(self.module, name)
        except AttributeError:
            raise NoPlainFormError(f"{self.module.__name__}.{name} is lacking") from None

    def _device(self, name):
        return self.module.device(name)

    def _ellipsis(self):
        return ...

    def _tensor(self, dtype, size, stride, offset, storage, requires_grad):
        kind = self._named(dtype)
        try:
            tensor = self._laid_out(kind, size, stride, offset, storage)
        except NotImplementedError as error:
            raise NoPlainFormError(str(error)) from error
        self.tensors.append(tensor)
        return tensor.requires_grad_(requires_grad)

    def _laid_out(self, kind, size, stride, offset, storage):
        if storage is None:
            return self.module.empty_strided(size, stride, dtype=kind, device="meta")
        if not self._storages[storage]:
            return self.module.empty_strided(size, stride, dtype=kind)
        whole = self.module.frombuffer(self._storages[storage], dtype=kind)
        return self.module.as_strided(whole, size, stride, offset).detach()


def contents(module, tensor):
    """The elements in order, as bytes."""
    if not tensor.numel():
        return b""
    whole = tensor.detach().resolve_conj().reshape(-1)
    whole = whole.clone(memory_format=module.contiguous_format).as_strided((whole.numel(),), (1,))
    return whole.view(module.uint8).numpy().tobytes()
