"""What DistributedDataParallel is given: checked, and in the form in which it is used."""

import warnings

from opweave import _C
from opweave._distributed import _BUCKET, _FIRST_BUCKET, ProcessGroup
from opweave.distributed import _groups, _links
from opweave.distributed._arguments import expect
from opweave.distributed._links import links_of, measures_at_start
from opweave.distributed.device_mesh import DeviceMesh
from opweave.nn.modules.module import Module

_MB = 2**20

_FLAGS = (
    "broadcast_buffers init_sync find_unused_parameters check_reduction gradient_as_bucket_view static_graph "
    "skip_all_reduce_unused_params batched_grad_copy forward_sync_buffers lazy_bucket_allocation"
)
_KINDS = {
    "module": (Module, "a Module"),
    "device_ids": (list | tuple | None, "a list of devices or None"),
    "process_group": (ProcessGroup | None, "a ProcessGroup or None"),
    "bucket_cap_mb": (int | float | None, "a number or None"),
    "bucket_cap_mb_list": (list | tuple | None, "a list of numbers or None"),
    "delay_all_reduce_named_params": (
        list | tuple | None,
        "a list of pairs of a name and a parameter, or None",
    ),
    "param_to_hook_all_reduce": (_C.Tensor | None, "a parameter or None"),
    "device_mesh": (DeviceMesh | None, "a DeviceMesh or None"),
    **dict.fromkeys(_FLAGS.split(), (bool | int | None, "a bool")),
}


def _is_named(value):
    """Whether it is a pair of a name and a tensor."""
    return (
        isinstance(value, tuple | list)
        and len(value) == 2
        and isinstance(value[0], str)
        and isinstance(value[1], _C.Tensor)
    )


_ELEMENTS = {
    "bucket_cap_mb_list": (lambda v: isinstance(v, int | float), "a number"),
    "delay_all_reduce_named_params": (_is_named, "a pair of a name and a parameter"),
}


def check_types(given):
    """TypeError that names the first of the arguments, by name, that is of a wrong type."""
    where = "DistributedDataParallel()"
    for name, (kind, what) in _KINDS.items():
        expect(given[name], kind, where, name, what)
    for name, (is_right, what) in _ELEMENTS.items():
        for i, value in enumerate(given[name] or ()):
            if not is_right(value):
                raise TypeError(
                    f"{where}: {name}: element {i}: expected {what}, got {type(value).__name__}"
                )


def limits_of(bucket_cap_mb, bucket_cap_mb_list, group):
    """The sizes of buckets in bytes, the last of which is that of all further ones; and what decided."""
    sizes = list(bucket_cap_mb_list or [])
    why = name = "bucket_cap_mb_list" if sizes else "bucket_cap_mb"
    if not sizes and bucket_cap_mb is not None:
        sizes = [bucket_cap_mb]
    elif not sizes:
        measures_at_start(group)
        measured = links_of(group)
        usual = _links.bucket_cap_mb(measured) if measured else _BUCKET / _MB
        sizes = [_FIRST_BUCKET / _MB, usual]
        why = "measured links" if measured else "default"
    for size in sizes:
        if not size > 0:
            raise ValueError(f"{name}: expected a size above 0, got {size}")
        if size * _MB >= 2**63:
            raise ValueError(f"{name}: expected a size below 2**43 MiB, got {size}")
    return [int(size * _MB) for size in sizes], why


def group_of(process_group, device_mesh):
    """The group that is meant."""
    if process_group is not None and device_mesh is not None:
        raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
    if device_mesh is not None:
        if device_mesh.ndim != 1:
            raise RuntimeError(f"Only 1D device mesh is supported, but got {device_mesh}.")
        return device_mesh.get_group(mesh_dim=0)
    group = _groups.group.WORLD if process_group is None else process_group
    if group is None:
        raise ValueError(
            "Default process group has not been initialized, please make sure to call init_process_group."
        )
    return group


def _index(device, type_):
    """The number of a device that is given as such, as a name or as a device."""
    if isinstance(device, int):
        return device
    device = _C.device(device)
    if device.type != type_:
        raise ValueError(
            f"device_ids: expected a device of type {type_}, as the module's, got {device}"
        )
    return device.index or 0


def _shown(some):
    """A set, in the same order on all ranks."""
    return "{" + ", ".join(sorted(map(repr, some))) + "}"


def device_of(device_ids, output_device, parameters):
    """`device_ids` and `output_device` as lists of numbers; None and None for what is not moved."""
    devices = {p.device for p in parameters}
    types = {device.type for device in devices}
    if device_ids is not None and len(device_ids) > 1:
        raise ValueError("device_ids can only be None or contain a single element.")
    if len(types) != 1:
        raise ValueError(
            "DistributedDataParallel's input module must be on the same type of devices, but input module "
            f"parameters locate in {_shown(types)}."
        )
    (type_,) = types
    if not device_ids or len(devices) > 1 or _C._is_host(next(iter(devices))):
        if device_ids or output_device:
            raise ValueError(
                "DistributedDataParallel device_ids and output_device arguments only work with "
                "single-device/multiple-device GPU modules or CPU modules, but got device_ids "
                f"{device_ids}, output_device {output_device}, and module parameters {_shown(devices)}."
            )
        return None, None
    first = device_ids[0] if output_device is None else output_device
    return [_index(device_ids[0], type_)], _index(first, type_)


def syncs_buffers(broadcast_buffers, forward_sync_buffers):
    """Whether before each forward pass, and whether at the start."""
    if broadcast_buffers is not None and forward_sync_buffers is not None:
        warnings.warn(
            "Both `broadcast_buffers` and `forward_sync_buffers` were specified. `broadcast_buffers` is "
            "deprecated and its value is ignored when `forward_sync_buffers` is provided.",
            FutureWarning,
            stacklevel=3,
        )
    elif broadcast_buffers is not None:
        warnings.warn(
            "`broadcast_buffers` is deprecated. Use `forward_sync_buffers` instead. Unlike "
            "`broadcast_buffers=False`, `forward_sync_buffers=False` still syncs buffers at init.",
            FutureWarning,
            stacklevel=3,
        )
    if forward_sync_buffers is not None:
        return forward_sync_buffers, True
    both = broadcast_buffers is None or broadcast_buffers
    return both, both


def refuse_unbuilt(mixed_precision, check_reduction):
    """Options without which a program would be told something that is not so."""
    if mixed_precision is not None:
        raise NotImplementedError(
            "mixed_precision: parameters of a lower precision beside those that are trained are not built. "
            "Send gradients in 16 bits by register_comm_hook(None, default_hooks.bf16_compress_hook), or "
            "convert the module before it is wrapped"
        )
    if check_reduction:
        warnings.warn(
            "The `check_reduction` argument in `DistributedDataParallel` module is deprecated. Please avoid "
            "using it.",
            FutureWarning,
            stacklevel=3,
        )
