"""What recurrent networks and their cells are given: ranks and sizes, before anything is broadcast."""

import itertools

from opweave import _C


def _is_list(value):
    return isinstance(value, (list, tuple))


def check_tensors(name, **tensors):
    """Refuses what is no tensor, by the name of the argument.

    Raises:
        TypeError: one is of another type.
    """
    for argument, value in tensors.items():
        if not isinstance(value, _C.Tensor):
            raise TypeError(
                f"{name}(): argument '{argument}' must be Tensor, not {type(value).__name__}"
            )


def pair_of(name, hx):
    """The two states of an LSTM. The halves of a tensor would be meant by chance alone.

    Raises:
        TypeError: it is no list.
        RuntimeError: it is a list of another length.
    """
    if not _is_list(hx):
        raise TypeError(
            f"{name}(): argument 'hx' (position 2) must be tuple of Tensors, not {type(hx).__name__}"
        )
    if len(hx) != 2:
        raise RuntimeError(f"{name}() expects two hidden states, but got {len(hx)}")
    return tuple(hx)


# --- cells ----------------------------------------------------------------------------------------------
def check_cell(name, gates, input, states, w_ih, w_hh):
    """Of a batch (N, features) and states (N, hidden).

    Raises:
        TypeError: something is no tensor.
        RuntimeError: other ranks, or sizes that do not agree.
    """
    hidden = {f"hidden{i}": hx for i, hx in enumerate(states)}
    check_tensors(name, input=input, **hidden, w_ih=w_ih, w_hh=w_hh)
    if input.dim() != 2:
        raise RuntimeError(
            f"{name}(): Expected 2D input (batch x feature), but got {input.dim()}D input"
        )
    for what, hx in hidden.items():
        if hx.dim() != 2:
            raise RuntimeError(
                f"{name}(): Expected 2D {what} (batch x hidden_size), but got {hx.dim()}D tensor"
            )
    for what, weight in (("w_ih", w_ih), ("w_hh", w_hh)):
        if weight.dim() != 2:
            raise RuntimeError(
                f"{name}(): Expected 2D {what} (gates x features), but got {weight.dim()}D tensor"
            )
    _check_cell_sizes(name, gates, input, hidden, w_ih, w_hh)


def _check_cell_sizes(name, gates, input, states, w_ih, w_hh):
    hidden = w_hh.size(1)
    if input.size(1) != w_ih.size(1):
        raise RuntimeError(
            f"{name}(): input has inconsistent input_size: got {input.size(1)} expected {w_ih.size(1)}"
        )
    for what, hx in states.items():
        if hx.size(0) != input.size(0):
            raise RuntimeError(
                f"{name}(): Input batch size {input.size(0)} doesn't match {what} batch size {hx.size(0)}"
            )
        if hx.size(1) != hidden:
            raise RuntimeError(
                f"{name}(): {what} has inconsistent hidden_size: got {hx.size(1)}, expected {hidden}"
            )
    for what, weight in (("w_ih", w_ih), ("w_hh", w_hh)):
        if weight.size(0) != gates * hidden:
            raise RuntimeError(
                f"{name}(): {what} first dim must be {gates} * hidden_size = {gates * hidden}, but got "
                f"{weight.size(0)}"
            )


# --- networks -------------------------------------------------------------------------------------------
def check_parameters(name, params, size, layers, directions):
    """As many as there are for each layer and direction.

    Raises:
        RuntimeError: no layer, or other parameters.
    """
    if layers < 1:
        raise RuntimeError(f"{name}(): expected at least one layer, but got num_layers={layers}")
    expected = size * layers * directions
    if len(params) != expected:
        raise RuntimeError(
            f"{name}(): got {len(params)} parameters for {layers} layers, {directions} directions; expected "
            f"{expected}, {size} for each"
        )


def check_batch_sizes(name, batch_sizes, elements=None):
    """The examples of each step of a packed sequence, as a list.

    Args:
        name: of who asks.
        batch_sizes: a vector of whole numbers.
        elements: how many there are in all steps, where that is known.

    Raises:
        TypeError: it is no tensor.
        RuntimeError: another shape or dtype, sizes that rise or are negative, or of other elements.
    """
    check_tensors(name, batch_sizes=batch_sizes)
    if batch_sizes.dim() != 1 or batch_sizes.is_floating_point():
        raise RuntimeError(
            f"{name}(): expected batch_sizes to be a 1D tensor of integers, but got {batch_sizes.dim()}D, "
            f"{batch_sizes.dtype}"
        )
    sizes = batch_sizes.tolist()
    if (
        any(after > before for before, after in itertools.pairwise(sizes))
        or min(sizes, default=0) < 0
    ):
        raise RuntimeError(
            f"{name}(): expected batch_sizes that do not rise, the longest sequences first, and are not "
            f"negative, but got {_shortened(sizes)}"
        )
    if elements is not None and (not sizes or sum(sizes) != elements):
        raise RuntimeError(
            f"{name}(): expected batch_sizes of the {elements} elements of the data, but "
            f"{_shortened(sizes)} are {sum(sizes)}"
        )
    return sizes


def _shortened(sizes):
    return str(sizes) if len(sizes) <= 8 else f"[{', '.join(map(str, sizes[:8]))}, ...]"


def check_network(name, input, sizes, states, layers, outs):
    """Of sequences (T, N, features), or packed ones (elements, features), and states (layers, N, hidden).

    Args:
        sizes: the batch sizes of what is packed.
        layers: times directions.
        outs: the features of each state.

    Raises:
        TypeError: something is no tensor.
        RuntimeError: other ranks, or sizes that do not agree.
    """
    check_tensors(name, input=input, **{f"hx[{i}]": hx for i, hx in enumerate(states)})
    rank, what = (3, "steps x batch x feature") if sizes is None else (2, "elements x feature")
    if input.dim() != rank:
        raise RuntimeError(
            f"{name}(): Expected {rank}D input ({what}), but got {input.dim()}D input"
        )
    if sizes is None and input.size(0) == 0:
        raise RuntimeError(f"{name}(): Expected at least one step, but got none")
    batch = input.size(1) if sizes is None else sizes[0]
    for i, (hx, out) in enumerate(zip(states, outs, strict=True)):
        if tuple(hx.shape) != (layers, batch, out):
            raise RuntimeError(
                f"{name}(): Expected hidden{i} size {(layers, batch, out)}, got {list(hx.shape)}"
            )
