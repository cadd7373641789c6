"""What DataLoader refuses of its arguments, and in which words."""

import multiprocessing
import multiprocessing.context


def _refuse(said):
    raise ValueError(f"DataLoader: {said}")


def check_workers(num_workers, timeout, prefetch_factor, persistent_workers):
    """Of arguments about worker processes that do not agree."""
    if num_workers < 0:
        _refuse(
            f"num_workers option should be non-negative, but got num_workers={num_workers}; "
            "0 loads in this process"
        )
    if timeout < 0:
        _refuse(f"timeout option should be non-negative, but got timeout={timeout}")
    if num_workers == 0 and prefetch_factor is not None:
        _refuse(
            "prefetch_factor option is of worker processes (num_workers > 0); expected None "
            "with num_workers=0, "
            f"but got prefetch_factor={prefetch_factor}"
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        _refuse(
            f"prefetch_factor option should be non-negative, but got prefetch_factor={prefetch_factor}"
        )
    if persistent_workers and num_workers == 0:
        _refuse(
            "persistent_workers option needs num_workers > 0, but got "
            f"persistent_workers={persistent_workers} "
            "with num_workers=0"
        )


def check_iterable(shuffle, sampler, batch_sampler):
    """Of an IterableDataset, which decides on the order itself."""
    if shuffle not in {False, None}:
        _refuse(
            f"expected unspecified shuffle option with IterableDataset, but got shuffle={shuffle}"
        )
    for name, value in (("sampler", sampler), ("batch_sampler", batch_sampler)):
        if value is not None:
            _refuse(
                f"expected unspecified {name} option with IterableDataset, but got {name}={value}"
            )


def check_sampling(batch_size, shuffle, sampler, batch_sampler, drop_last):
    """Of arguments that say the order, or what a batch is, twice."""
    if sampler is not None and shuffle:
        _refuse(
            f"sampler option is mutually exclusive with shuffle, but got shuffle={shuffle} "
            f"and sampler={sampler}"
        )
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            _refuse(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, "
                "sampler, and drop_last, but got "
                f"batch_size={batch_size}, shuffle={shuffle}, sampler={sampler}, "
                f"drop_last={drop_last} beside it"
            )
    elif batch_size is None and drop_last:
        _refuse(
            "batch_size=None option disables auto-batching and is mutually exclusive with drop_last, but got "
            f"drop_last={drop_last}"
        )


def check_context(context, num_workers):
    """Of how worker processes are started."""
    if num_workers == 0:
        _refuse(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
            f"multiprocessing_context={context!r} with num_workers=0"
        )
    methods = multiprocessing.get_all_start_methods()
    if isinstance(context, str):
        if context not in methods:
            _refuse(
                f"multiprocessing_context option should specify a valid start method in {methods}, but got "
                f"multiprocessing_context={context!r}"
            )
    elif not isinstance(context, multiprocessing.context.BaseContext):
        raise TypeError(
            "DataLoader: multiprocessing_context option should be a context of "
            "multiprocessing or the name of a "
            f"start method ({methods}), but got multiprocessing_context={context!r}"
        )
