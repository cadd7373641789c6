"""What AveragedModel averages by: means of all models, and exponential moving averages."""

from opweave import _C
from opweave._grad_mode import no_grad
from opweave.optim.lr_scheduler import _arguments as arguments


def _decay_of(owner, decay):
    arguments.number(owner, "decay", decay)
    if decay < 0.0 or decay > 1.0:
        raise ValueError(
            f"{owner}: Invalid decay value {decay} provided, expected a number between 0 and 1"
        )
    return decay


def _averages(tensors):
    """Whether such tensors can hold an average."""
    return tensors[0].is_floating_point() or tensors[0].is_complex()


def _check_lists(owner, **lists):
    """That there are as many of one as of the other, at least one, and all are tensors."""
    for name, tensors in lists.items():
        if not isinstance(tensors, (list, tuple)):
            raise TypeError(
                f"{owner}: {name}: expected a list of tensors, got {arguments.shown(tensors)}"
            )
        for i, tensor in enumerate(tensors):
            if not isinstance(tensor, _C.Tensor):
                raise TypeError(
                    f"{owner}: {name}[{i}]: expected a Tensor, got {arguments.shown(tensor)}"
                )
    (first, ours), (second, theirs) = lists.items()
    if not ours:
        raise IndexError(f"{owner}: {first}: expected at least one tensor, got none")
    if len(ours) != len(theirs):
        raise RuntimeError(
            f"{owner}: expected {first} and {second} to have the same number of tensors, got {len(ours)} "
            f"and {len(theirs)}"
        )


def get_ema_multi_avg_fn(decay=0.999):
    """A function for `multi_avg_fn` of AveragedModel: exponential moving averages, `decay` of the old."""
    name = "get_ema_multi_avg_fn"
    _decay_of(name, decay)

    @no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        _check_lists(name, ema_param_list=ema_param_list, current_param_list=current_param_list)
        mixed = _averages(ema_param_list)
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            if mixed:
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn():
    """A function for `multi_avg_fn` of AveragedModel: the mean of all models so far."""
    name = "get_swa_multi_avg_fn"

    @no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        _check_lists(
            name, averaged_param_list=averaged_param_list, current_param_list=current_param_list
        )
        arguments.number(name, "num_averaged", num_averaged)
        if not _averages(averaged_param_list):
            raise RuntimeError(
                f"{name}: averaged_param_list: expected tensors that can hold a mean, got "
                f"tensors of {averaged_param_list[0].dtype}. get_swa_avg_fn() rounds it, and "
                "use_buffers=False copies buffers"
            )
        weight = float(1 / (num_averaged + 1))
        for average, current in zip(averaged_param_list, current_param_list, strict=True):
            average.lerp_(current, weight)

    return swa_update


def get_ema_avg_fn(decay=0.999):
    """A function for `avg_fn` of AveragedModel: an exponential moving average, with `decay` of the old."""
    _decay_of("get_ema_avg_fn", decay)

    @no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    """A function for `avg_fn` of AveragedModel: the mean of all models so far."""

    @no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        arguments.number("get_swa_avg_fn", "num_averaged", num_averaged)
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update
