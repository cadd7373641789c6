"""Classes of tensors with `__torch_dispatch__`: how they are made, and how they are asked for what operators
give; bindings/python/core/overrides/dispatch_classes.cc calls `answer`."""

from opweave import _C
from opweave._dispatch_modes import _PARTS, rules
from opweave._ops import overload_of
from opweave._top import get_default_device

_disabled = _C.Tensor.__torch_dispatch__


def _classes(args, kwargs):
    """The classes of the arguments, each before those that it derives from, else as they come."""
    found = []
    for tensor in _tensors([*args, *kwargs.values()]):
        cls = type(tensor)
        if cls in found or not _C._is_answered_by_class(tensor):
            continue
        place = next((i for i, other in enumerate(found) if issubclass(cls, other)), len(found))
        found.insert(place, cls)
    return tuple(found)


def _tensors(values):
    for value in values:
        if isinstance(value, _C.TensorBase):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


def answer(operator, args, kwargs):
    """What the classes of a call's tensors say that it gives.

    Args:
        operator: of the registry.
        args: without defaults at the end.
        kwargs: without defaults.

    Raises:
        TypeError: all of them answer NotImplemented.
    """
    parts = _PARTS.get(operator.name)
    if parts is not None:
        return parts(*args, **kwargs)
    function = overload_of(operator)
    classes = _classes(args, kwargs)
    for cls in classes:
        rule = rules.get((function.name(), cls))
        if rule is not None:
            result = rule(cls, function, classes, args, kwargs)
        else:
            result = cls.__torch_dispatch__(function, classes, args, kwargs)
        if result is not NotImplemented:
            return result
    tried = "\n".join(f"  - tensor subclass {cls!r}" for cls in classes)
    raise TypeError(
        f"Multiple dispatch failed for 'torch.ops.{function}'; all __torch_dispatch__ handlers "
        f"returned NotImplemented:\n\n{tried}"
    )


def _check_class(cls):
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    if not issubclass(cls, _C.Tensor) or cls.__torch_dispatch__ is _disabled:
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")


def _without_data(size, strides, storage_offset, memory_format, dtype):
    """A tensor of these sizes that has no data."""
    options = {"dtype": dtype, "device": "meta"}
    if strides is None:
        format = memory_format or _C.contiguous_format
        made = _C.empty(tuple(size), memory_format=format, **options)
    else:
        made = _C.empty_strided(tuple(size), tuple(strides), **options)
    if not storage_offset:
        return made
    length = storage_offset + made.untyped_storage().nbytes() // made.element_size()
    return _C.empty((length,), **options).as_strided(made.shape, made.stride(), storage_offset)


def make_wrapper(
    cls,
    size,
    strides=None,
    storage_offset=None,
    memory_format=None,
    dtype=None,
    layout=_C.strided,
    device=None,
    pin_memory=False,
    requires_grad=False,
    dispatch_sizes_strides_policy=None,
    dispatch_device=False,
    dispatch_layout=False,
):
    """A tensor without data of a class that answers its operators: Tensor._make_wrapper_subclass.

    Args:
        device: what the tensor says that it is on; it has no data there.

    Raises:
        TypeError: a class without `__torch_dispatch__`.
        NotImplementedError: another layout; sizes, device or layout that the class would be asked for.
    """
    _check_class(cls)
    if layout is not _C.strided:
        raise NotImplementedError(f"_make_wrapper_subclass(layout={layout}): expected {_C.strided}")
    asked = {
        "dispatch_sizes_strides_policy": dispatch_sizes_strides_policy,
        "dispatch_device": dispatch_device,
        "dispatch_layout": dispatch_layout,
    }
    for name, value in asked.items():
        if value:
            raise NotImplementedError(
                f"_make_wrapper_subclass({name}={value!r}): a tensor has the sizes and the device that it "
                "was made with; expected that argument to be left out"
            )
    with _C.DisableTorchFunction(), leave_unasked():
        empty = _without_data(size, strides, storage_offset, memory_format, dtype)
    made = _C.TensorBase._make_subclass(cls, empty, requires_grad)
    _C._claim_device(made, _C.device(device or get_default_device()))
    return made


class leave_unasked:  # noqa: N801
    """Within `with`, neither classes nor modes are asked what operators give."""

    def __enter__(self):
        from opweave._dispatch_modes import unseen

        self._modes = unseen()
        self._modes.__enter__()
        self._before = _C._leave_classes_unasked(True)

    def __exit__(self, *exception):
        _C._leave_classes_unasked(self._before)
        self._modes.__exit__(*exception)
