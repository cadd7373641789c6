"""What DistributedDataParallel tells of itself under PyTorch's names."""

from opweave.distributed import _groups

_NANOSECONDS = 1_000_000_000


def logging_data(model):
    """The construction of the model, and its last backward pass; times in nanoseconds."""
    named = model._named_to_reduce()
    parameters = [p for _, p in named]
    return {
        "module_name": type(model.module).__name__,
        "backend_name": _groups.get_backend(model.process_group),
        "world_size": model.process_group.size(),
        "rank": model.process_group.rank(),
        "device_ids": ", ".join(map(str, model.device_ids or ())),
        "output_device": -1 if model.output_device is None else model.output_device,
        "is_multi_device_module": int(model.is_multi_device_module),
        "dtypes": ", ".join(sorted({str(p.dtype).removeprefix("opweave.") for p in parameters})),
        "num_parameter_tensors": len(parameters),
        "total_parameter_size_bytes": sum(p.nbytes for p in parameters),
        "broadcast_buffers": int(model.forward_sync_buffers),
        "bucket_cap_bytes": model.bucket_bytes_cap,
        "find_unused_parameters": int(model.find_unused_parameters),
        "gradient_as_bucket_view": int(model.gradient_as_bucket_view),
        "static_graph": int(model.static_graph),
        "has_sync_bn": int(any(type(m).__name__ == "SyncBatchNorm" for m in model.modules())),
        **_of_last_pass(model, named),
    }


def _of_last_pass(model, named):
    reducer, found = model._reducer, model.statistics()
    arrived = reducer.arrived() if reducer else []
    communication = sum(b["reduced"] - b["ready"] for b in found["buckets"])
    unused = [p for number, (_, p) in enumerate(named) if number not in set(arrived)]
    return {
        "bucket_sizes": ", ".join(str(bucket["bytes"]) for bucket in found["buckets"]),
        "num_buckets_reduced": len(found["buckets"]),
        "prev_iteration_grad_ready_order_indices": ", ".join(map(str, arrived)),
        "unused_parameter_size": sum(p.nbytes for p in unused) if found["buckets"] else 0,
        "has_rebuilt_buckets": int(bool(reducer) and reducer.is_rebuilt()),
        "can_set_static_graph": not (reducer and reducer.changes()),
        "backward_compute_time": int(found["backward"] * _NANOSECONDS),
        "backward_comm_time": int(communication * _NANOSECONDS),
        "backward_compute_comm_overlap_time": int(communication * found["hidden"] * _NANOSECONDS),
    }
