"""Recurrent networks as functions: lstm, gru, rnn_tanh, rnn_relu and one step of each.

Shapes: a sequence is (T, N, features), with batch_first (N, T, features), or packed (data, batch_sizes).
States are (layers * directions, N, hidden).
"""

from opweave import _C
from opweave._autocast_functions import computed_in as _computed_in
from opweave._overridable import make_overridable as _make_overridable
from opweave._recurrent_checks import check_batch_sizes as _check_batch_sizes
from opweave._recurrent_checks import check_cell as _check_cell
from opweave._recurrent_checks import check_network as _check_network
from opweave._recurrent_checks import check_parameters as _check_parameters
from opweave._recurrent_checks import pair_of as _pair_of
from opweave._recurrent_forms import bound as _bound
from opweave.nn import functional as _F

__all__ = [
    *("gru", "gru_cell", "lstm", "lstm_cell"),
    *("rnn_relu", "rnn_relu_cell", "rnn_tanh", "rnn_tanh_cell"),
]


# --- one step: from the products of the input, the states and the weights of the hidden state ---------
def _lstm_step(gates, state, w_hh, b_hh):
    hidden, cell = state[0], state[1]
    i, f, g, o = (gates + _F.linear(hidden, w_hh, b_hh)).chunk(4, 1)
    cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    hidden = o.sigmoid() * cell.tanh()
    return (hidden, cell)


def _gru_step(gates, state, w_hh, b_hh):
    (hidden,) = state
    i_r, i_z, i_n = gates.chunk(3, 1)
    h_r, h_z, h_n = _F.linear(hidden, w_hh, b_hh).chunk(3, 1)
    reset, update = (i_r + h_r).sigmoid(), (i_z + h_z).sigmoid()
    new = (i_n + reset * h_n).tanh()
    return ((hidden - new) * update + new,)


def _tanh_step(gates, state, w_hh, b_hh):
    return ((_F.linear(state[0], w_hh, b_hh) + gates).tanh(),)


def _relu_step(gates, state, w_hh, b_hh):
    return ((_F.linear(state[0], w_hh, b_hh) + gates).relu(),)


# --- one layer in one direction -------------------------------------------------------------------------
def _run(step, steps, state, weights):
    """The outputs of all steps, of the same number of examples each, and the last state."""
    w_hh, b_hh, w_hr = weights
    outputs = []
    for gates in steps:
        state = step(gates, state, w_hh, b_hh)
        if w_hr is not None:
            state = (_F.linear(state[0], w_hr), *state[1:])
        outputs.append(state[0])
    return outputs, state


def _run_packed(step, steps, state, weights):
    """As _run(), for steps of ever fewer examples: those that end keep their states."""
    ended, outputs = [], []
    for gates in steps:
        count, going = gates.size(0), state[0].size(0)
        if count < going:
            ended.append(tuple(s[count:] for s in state))
            state = tuple(s[:count] for s in state)
        out, state = _run(step, [gates], state, weights)
        outputs += out
    parts = zip(state, *reversed(ended), strict=True)
    return outputs, tuple(_C.cat(list(p)) if len(p) > 1 else p[0] for p in parts)


def _run_packed_reversed(step, steps, first, weights):
    """From the last step to the first: examples join as their sequences begin."""
    state = tuple(s[: steps[-1].size(0)] for s in first)
    outputs = []
    for gates in reversed(steps):
        count, going = gates.size(0), state[0].size(0)
        if count > going:
            pairs = zip(state, first, strict=True)
            state = tuple(_C.cat([s, f[going:count]]) for s, f in pairs)
        out, state = _run(step, [gates], state, weights)
        outputs += out
    return outputs[::-1], state


def _direction(step, input, sizes, state, weights, backwards):
    """The outputs of a direction, as the input lies, and its last state."""
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    gates = _F.linear(input, w_ih, b_ih)
    rest = (w_hh, b_hh, w_hr)
    if sizes is not None:
        run = _run_packed_reversed if backwards else _run_packed
        outputs, state = run(step, gates.split(sizes), state, rest)
        return _C.cat(outputs), state
    steps = gates.unbind(0)
    outputs, state = _run(step, steps[::-1] if backwards else steps, state, rest)
    return _C.stack(outputs[::-1] if backwards else outputs), state


# --- all layers ---------------------------------------------------------------------------------------------
def _grouped(params, has_biases, projected, size):
    """(w_ih, w_hh, b_ih, b_hh, w_hr) of each layer and direction."""
    groups = [list(params[i : i + size]) for i in range(0, len(params), size)]
    for group in groups:
        if not has_biases:
            group[2:2] = [None, None]
        if not projected:
            group.append(None)
    return groups


def _layers(step, input, sizes, states, groups, directions, dropout, train):
    """The output of the last layer, and the last states of all, stacked."""
    last = []
    for first in range(0, len(groups), directions):
        outputs = []
        for d in range(directions):
            state = tuple(s[first + d] for s in states)
            out, state = _direction(step, input, sizes, state, groups[first + d], d == 1)
            outputs.append(out)
            last.append(state)
        input = outputs[0] if directions == 1 else _C.cat(outputs, -1)
        if dropout and train and first + directions < len(groups):
            input = _F.dropout(input, dropout, True)
    return input, [_C.stack(parts) for parts in zip(*last, strict=True)]


def _network(name, step, given, states, projected=False):
    """What the functions below share. `given`: the arguments by name, as bound() gives them."""
    packed = given["data"] is not None
    data, params = given["data"] if packed else given["input"], given["params"]
    sizes = _check_batch_sizes(name, given["batch_sizes"], data.size(0)) if packed else None
    directions, layers = 2 if given["bidirectional"] else 1, given["num_layers"]
    size = 2 + 2 * given["has_biases"] + projected
    _check_parameters(name, params, size, layers, directions)
    groups = _grouped(params, given["has_biases"], projected, size)
    turned = given["batch_first"] and data.dim() > 1
    input = data.transpose(0, 1) if turned else data
    _check_network(name, input, sizes, states, layers * directions, _widths(groups[0], states))
    output, last = _layers(
        step, input, sizes, states, groups, directions, given["dropout"], given["train"]
    )
    return (output.transpose(0, 1) if turned else output, *last)


def _widths(group, states):
    """The features of each state: of the first what the weights of states read, of an LSTM's cell its own."""
    w_hh, w_hr = group[1], group[-1]
    width = w_hh.size(-1)
    return [width, width if w_hr is None else w_hr.size(-1)][: len(states)]


def _single(name, step, positional, keywords):
    given = _bound(name, positional, keywords)
    return _network(name, step, given, (given["hx"],))


def lstm(*args, **kwargs):
    """lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), or
    packed lstm(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional).

    hx is a pair of states. Returns (output, h_n, c_n).

    Raises:
        TypeError: the arguments are those of neither form.
    """
    given = _bound("lstm", args, kwargs, pair=True)
    states = _pair_of("lstm", given["hx"])
    projected = all(s.dim() for s in states) and states[0].size(-1) != states[1].size(-1)
    if projected:
        return _network("lstm", _lstm_step, given, states, True)
    first = given["input"] if given["data"] is None else given["data"]
    return _lstm(first, given)


# PyTorch has a library compute it, but for states that are projected. The first argument says where.
@_computed_in("lower_precision", "lower_precision")
def _lstm(_first, given):
    return _network("lstm", _lstm_step, given, tuple(given["hx"]))


def gru(*args, **kwargs):
    """As lstm(), with one state. Returns (output, h_n)."""
    return _single("gru", _gru_step, args, kwargs)


def rnn_tanh(*args, **kwargs):
    """As lstm(), with one state, tanh(W x + U h). Returns (output, h_n)."""
    return _single("rnn_tanh", _tanh_step, args, kwargs)


def rnn_relu(*args, **kwargs):
    """As rnn_tanh(), with relu. Returns (output, h_n)."""
    return _single("rnn_relu", _relu_step, args, kwargs)


def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of an LSTM, of a batch (N, features) and a pair of states (N, hidden); the new pair."""
    hx = _pair_of("lstm_cell", hx)
    _check_cell("lstm_cell", 4, input, hx, w_ih, w_hh)
    return _lstm_step(_F.linear(input, w_ih, b_ih), hx, w_hh, b_hh)


def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a GRU: the new state (N, hidden)."""
    _check_cell("gru_cell", 3, input, (hx,), w_ih, w_hh)
    return _gru_step(_F.linear(input, w_ih, b_ih), (hx,), w_hh, b_hh)[0]


def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """tanh(w_ih input + b_ih + w_hh hx + b_hh)."""
    _check_cell("rnn_tanh_cell", 1, input, (hx,), w_ih, w_hh)
    return _tanh_step(_F.linear(input, w_ih, b_ih), (hx,), w_hh, b_hh)[0]


def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """relu(w_ih input + b_ih + w_hh hx + b_hh)."""
    _check_cell("rnn_relu_cell", 1, input, (hx,), w_ih, w_hh)
    return _relu_step(_F.linear(input, w_ih, b_ih), (hx,), w_hh, b_hh)[0]


_make_overridable(globals())
