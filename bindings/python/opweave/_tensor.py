"""opweave.Tensor: what the C++ class _C.TensorBase leaves to Python, off the hot path."""

import copy
import importlib
import weakref

from opweave import _C, functional
from opweave._grad_mode import no_grad
from opweave._overridable import default_torch_function, make_methods_overridable

_numbers = (int, float, bool, complex)
_preserve = _C.preserve_format

# The storage objects of a pickle in progress, by address: views of one storage have to pickle the
# same object, so that they are views of one storage again when they are read.
_storages = weakref.WeakValueDictionary()


def _rebuild_tensor(cls, storage, dtype, offset, size, stride, requires_grad, device):
    tensor = _C._tensor_from_storage(storage, dtype, offset, size, stride)
    if not _C._is_host(device):
        tensor = tensor.to(device)
    return _of_class(tensor, cls, requires_grad)


def _rebuild_meta_tensor(cls, size, stride, dtype, requires_grad):
    tensor = _C.empty_strided(size, stride, dtype=dtype, device="meta")
    return _of_class(tensor, cls, requires_grad)


def _of_class(tensor, cls, requires_grad):
    """The tensor as one of a class, which has no attributes yet and so is not asked for anything."""
    if cls is Tensor:
        return tensor.requires_grad_(requires_grad) if requires_grad else tensor
    with _C.DisableTorchFunctionSubclass():
        tensor = tensor.as_subclass(cls)
        return tensor.requires_grad_(requires_grad) if requires_grad else tensor


def _composite(name, module="_composites"):
    """A method that is a function of a module that few programs load."""

    def method(self, *args, **kwargs):
        found = importlib.import_module(f"opweave.{module}")
        return getattr(found, name)(self, *args, **kwargs)

    method.__name__ = name
    method.__doc__ = f"opweave.{name}() of this tensor."
    return method


def _constant(value, doc):
    """An attribute that is the same for all tensors."""
    return property(lambda self: value, doc=doc)


def _disabled_torch_dispatch_impl(func, types, args=(), kwargs=None):
    """In the place of a class's `__torch_dispatch__`: it is not asked for what operators give."""
    return NotImplemented


_C._disabled_torch_dispatch_impl = _disabled_torch_dispatch_impl


def _DisableTorchDispatch():  # noqa: N802 - PyTorch's name
    """A block within which neither classes nor modes are asked what operators give."""
    from opweave._dispatch_classes import leave_unasked

    return leave_unasked()


_C._DisableTorchDispatch = _DisableTorchDispatch


class Tensor(_C.TensorBase):
    """A multi-dimensional array of one element type."""

    __module__ = "opweave"
    __array_priority__ = 1000  # NumPy leaves `array * tensor` to the tensor

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return default_torch_function(cls, func, types, args, kwargs)

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        # Who answers operators below autograd is not asked above it as well, unless its class says so.
        answers = cls.__dict__.get("__torch_dispatch__", _disabled_torch_dispatch_impl)
        asked = getattr(cls.__torch_function__, "__func__", None)
        if answers is not _disabled_torch_dispatch_impl and asked is _asked_by_default:
            cls.__torch_function__ = _C._disabled_torch_function_impl

    @staticmethod
    def _make_wrapper_subclass(cls, size, *args, **kwargs):
        """A tensor without data of a class that has `__torch_dispatch__`; see _dispatch_classes.py."""
        from opweave import _dispatch_classes

        return _dispatch_classes.make_wrapper(cls, size, *args, **kwargs)

    def __repr__(self, *, tensor_contents=None):
        from opweave._tensor_str import tensor_str

        return tensor_str(self)

    def __complex__(self):
        if self.numel() != 1:
            raise RuntimeError(
                f"a Tensor with {self.numel()} elements cannot be converted to Scalar"
            )
        return complex(self.item())

    def __format__(self, spec):
        if self.dim() == 0 and not self.is_meta and type(self) is Tensor:
            return self.item().__format__(spec)
        return object.__format__(self, spec)

    def __dir__(self):
        return sorted(set(dir(type(self))) | set(self.__dict__))

    def __contains__(self, element):
        if isinstance(element, (_C.TensorBase, *_numbers)):
            return bool((element == self).any().item())
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
            f"{type(element)}."
        )

    def __reversed__(self):
        return self if self.dim() == 0 else self.flip(0)

    # --- copying and pickling -------------------------------------------------------------------
    def _storage_object(self):
        storage = self.untyped_storage()
        return _storages.setdefault(storage._cdata, storage)

    def __reduce_ex__(self, protocol):
        _C._check_copied(self, "a copy or a file")
        if self.is_meta:
            size, stride = tuple(self.size()), self.stride()
            arguments = type(self), size, stride, self.dtype, self.requires_grad
            return _rebuild_meta_tensor, arguments, self.__dict__ or None
        host = self.detach().cpu()
        arguments = (
            type(self),
            host._storage_object(),
            self.dtype,
            host.storage_offset(),
            tuple(host.size()),
            host.stride(),
            self.requires_grad,
            str(self.device),
        )
        return _rebuild_tensor, arguments, self.__dict__ or None

    def __setstate__(self, state):
        """Of files: attributes, or what PyTorch's first versions wrote, the place in a storage or more."""
        if isinstance(state, dict):
            self.__dict__.update(state)
        elif not self.is_leaf:
            raise RuntimeError("__setstate__ can be only called on leaf Tensors")
        elif len(state) == 4:
            self.set_(*state)
        else:
            if len(state) == 5:
                self.data, _, _, *state = state
            self.requires_grad_(state[0])

    def __deepcopy__(self, memo):
        _C._check_copied(self, "a deep copy")
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                "protocol at the moment. If you were attempting to deepcopy a module, this may be "
                "because of a weight that is computed from other parameters."
            )
        if id(self) in memo:
            return memo[id(self)]
        with no_grad():
            result = self._copy_with_storage(memo)
        if type(self) is not Tensor:
            result = result.as_subclass(type(self))
        memo[id(self)] = result
        if self.requires_grad:
            result.requires_grad_()
        if self.grad is not None:
            result.grad = copy.deepcopy(self.grad, memo)
        if self.__dict__:
            result.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return result

    def _copy_with_storage(self, memo):
        """A copy in which tensors that share a storage share the storage's copy."""
        if not _C._is_host(self.device) or _C._batch_value(self)[0]:
            return self.detach().clone()
        storage = self.untyped_storage()
        copies = memo.setdefault("opweave storages", {})
        if storage not in copies:
            copies[storage] = _C.UntypedStorage(storage)
        return _C._tensor_from_storage(
            copies[storage], self.dtype, self.storage_offset(), self.size(), self.stride()
        )

    def cuda(self, device=None, non_blocking=False, memory_format=_preserve):
        """On a CUDA device, the current one unless another is named.

        Raises:
            RuntimeError: there is none.
        """
        device = _C.device("cuda" if device is None else device)
        return self.to(device, non_blocking=non_blocking, memory_format=memory_format)

    def new(self, *args, device=None):
        """A tensor of this one's dtype and device, of sizes that are not filled or of elements."""
        device = self.device if device is None else device
        only = args[0] if len(args) == 1 else None
        if only is not None and not isinstance(only, (int, _C.Size)):
            from numbers import Integral

            from opweave import storage

            if isinstance(only, Integral):  # of NumPy
                return self.new(int(only), device=device)
            if isinstance(only, (storage.TypedStorage, storage.UntypedStorage)):
                return storage.tensor_over(only, self.dtype)
            return _C.tensor(only, dtype=self.dtype, device=device)
        sizes = tuple(only) if isinstance(only, _C.Size) else args
        return _C.empty(sizes or (0,), dtype=self.dtype, device=device)

    # --- exchange -------------------------------------------------------------------------------
    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        if dtype is not None:
            return array.astype(dtype, copy=bool(copy))
        return array.copy() if copy else array

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return _C.from_numpy(array) if array.ndim else _C.tensor(array)

    def __dlpack__(
        self, *, stream=-1, max_version=None, dl_device=None, copy=None, read_only=False
    ):
        """The capsule that describes the tensor's memory to other libraries: of DLPack 1 if `max_version` is
        at least that, else of 0.8.

        Args:
            stream: None or -1, as there is none on the host.
            dl_device: (DLDeviceType, index) where the memory must be.
            copy: True: of a copy.
            read_only: mark it so, which DLPack 0.8 cannot.

        Raises:
            BufferError: a tensor that requires a gradient, lies elsewhere, or cannot be marked.
        """
        from opweave.utils.dlpack import export

        return export(self, stream, max_version, dl_device, copy, read_only)

    def __dlpack_device__(self):
        from opweave.utils.dlpack import device_of

        return device_of(self)

    # --- autograd -------------------------------------------------------------------------------
    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        """Accumulates the gradients of this tensor in the leaves of its graph.

        Args:
            gradient: the gradient of some loss with respect to this tensor; not needed for scalars.
            retain_graph: keep what the graph saved, so that backward can run again.
            create_graph: record the backward pass, for higher derivatives. Implies retain_graph.
            inputs: the leaves to accumulate in; all others stay untouched.
        """
        from opweave.autograd import _passes

        _passes.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook):
        """Calls hook(grad) whenever the gradient of this tensor is computed.

        The hook may return a tensor, which is used instead. Returns a handle with remove().
        """
        from opweave._hooks import register_tensor_hook

        return register_tensor_hook(self, hook)

    def register_post_accumulate_grad_hook(self, hook):
        """Calls hook(tensor) after the gradient of this leaf was accumulated."""
        from opweave._hooks import register_post_accumulate_hook

        return register_post_accumulate_hook(self, hook)

    # --- functions that take their arguments in several ways ------------------------------------
    equal = functional.equal
    norm = functional.norm
    nonzero = functional.nonzero
    unique = functional.unique
    unique_consecutive = functional.unique_consecutive
    apply_ = _composite("apply_", "_in_place")
    cauchy_ = _composite("cauchy_", "_in_place")
    fill_diagonal_ = _composite("fill_diagonal_", "_in_place")
    geometric_ = _composite("geometric_", "_in_place")
    log_normal_ = _composite("log_normal_", "_in_place")
    map2_ = _composite("map2_", "_in_place")
    map_ = _composite("map_", "_in_place")
    set_ = _composite("set_", "_in_place")
    as_strided_ = _composite("as_strided_", "_old_methods")
    const_data_ptr = _composite("const_data_ptr", "_old_methods")
    dim_order = _composite("dim_order", "_old_methods")
    ipu = _composite("ipu", "_old_methods")
    is_distributed = _composite("is_distributed", "_old_methods")
    is_nonzero = _composite("is_nonzero", "_old_methods")
    module_load = _composite("module_load", "_old_methods")
    mtia = _composite("mtia", "_old_methods")
    reinforce = _composite("reinforce", "_old_methods")
    resize = _composite("resize", "_old_methods")
    resize_as = _composite("resize_as", "_old_methods")
    swapaxes_ = _composite("swapaxes_", "_old_methods")
    swapdims_ = _composite("swapdims_", "_old_methods")
    to_dense = _composite("to_dense", "_old_methods")
    xpu = _composite("xpu", "_old_methods")

    # --- what is the same for all tensors --------------------------------------------------------
    is_ipu = _constant(False, "Whether it is on a device of type 'ipu': no.")
    is_maia = _constant(False, "Whether it is on a device of type 'maia': no.")
    is_mkldnn = _constant(False, "Whether it is laid out by oneDNN: no.")
    is_mtia = _constant(False, "Whether it is on a device of type 'mtia': no.")
    is_sparse_csr = _constant(False, "Whether it keeps rows of elements that are not zero: no.")
    is_vulkan = _constant(False, "Whether it is on a device of type 'vulkan': no.")
    is_xla = _constant(False, "Whether it is on a device of type 'xla': no.")
    name = _constant(None, "The name of a variable; nothing gives one.")

    @property
    def volatile(self):
        """False; what it said was removed from PyTorch."""
        import warnings

        warnings.warn("volatile was removed (Variable.volatile is always False)", stacklevel=2)
        return False

    @property
    def grad_dtype(self):
        """The dtype that a gradient has: the tensor's, and no other."""
        return self.dtype

    @grad_dtype.setter
    def grad_dtype(self, dtype):
        if dtype is not self.dtype:
            raise NotImplementedError(
                f"grad_dtype: a gradient has the dtype of its tensor, {self.dtype}, got {dtype}"
            )

    # --- shorthand ------------------------------------------------------------------------------
    def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
        """opweave.tensor(data) with this tensor's dtype and device."""
        return _C.tensor(
            data,
            dtype=self.dtype if dtype is None else dtype,
            device=self.device if device is None else device,
            requires_grad=requires_grad,
        )

    def as_subclass(self, cls):
        """The same tensor as an object of a subclass."""
        return self._as_subclass(cls)

    def storage(self):
        """The elements of the storage under this tensor; untyped_storage() gives the bytes."""
        from opweave.storage import TypedStorage

        return TypedStorage(wrap_storage=self.untyped_storage(), dtype=self.dtype)

    def storage_type(self):
        """The class of storages with this dtype, such as FloatStorage."""
        from opweave.storage import class_of

        return class_of(self.dtype)

    def is_shared(self):
        """Whether its storage lies where other processes can map it."""
        return not self.is_meta and self.untyped_storage().is_shared()

    def share_memory_(self):
        """Moves its storage, with all views of it, where other processes can map it; once.

        Not while another thread writes to it. RuntimeError: the tensor is not in host memory, or the system
        has no more files.
        """
        self.untyped_storage().share_memory_()
        return self


make_methods_overridable(Tensor)
Tensor.__torch_dispatch__ = _disabled_torch_dispatch_impl
_asked_by_default = Tensor.__torch_function__.__func__
_C._set_tensor_class(Tensor)
