"""Parameters of any strides for operators that update contiguous ones, a list of them in one call."""

from itertools import chain

from opweave._C import Tensor
from opweave._grad_mode import no_grad

_GRADIENT = 1  # its place among what belongs to a parameter; operators only read it
# Numbers that say yes or no: programs give whatever is true.
_FLAGS = ("amsgrad", "centered", "decoupled", "maximize", "nesterov")


def call_fused(operator, params, grads, *states, **options):
    """`operator(params, grads, *states, **options)`; lists have a tensor for each parameter, or none.

    What lies in memory alike and without gaps, as weights in channels_last do, is given as views in the order
    of its memory; of anything else copies are updated, and copied back.
    """
    options.update({flag: bool(options[flag]) for flag in _FLAGS if flag in options})
    lists = [params, grads, *states]
    if all(
        map(Tensor.is_contiguous, chain.from_iterable(lists))
    ):  # half the time of an expression's loop
        operator(*lists, **options)
        return
    given = [tensors for tensors in lists if tensors]
    rows = [_contiguous(row) for row in zip(*given, strict=True)]
    columns = iter(zip(*rows, strict=True))
    operator(*(list(next(columns)) if tensors else [] for tensors in lists), **options)
    with no_grad():
        for row, own in zip(rows, zip(*given, strict=True), strict=True):
            for i, (made, tensor) in enumerate(zip(row, own, strict=True)):
                if i != _GRADIENT and made.data_ptr() != tensor.data_ptr():
                    tensor.copy_(made)


def _contiguous(row):
    """A parameter, its gradient and its state, as tensors that are contiguous."""
    strides = row[0].stride()
    order = sorted(range(row[0].dim()), key=lambda d: strides[d], reverse=True)
    views = [t.detach().permute(order) for t in row if t.dim() == len(order)]
    if len(views) == len(row) and all(view.is_contiguous() for view in views):
        return views
    return [t.detach().contiguous() for t in row]
