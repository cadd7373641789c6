"""Recurrent layers and cells."""

import math
import numbers
import warnings

from opweave import _C
from opweave._recurrent_checks import check_tensors, pair_of
from opweave.nn import init
from opweave.nn.modules.module import Module
from opweave.nn.parameter import Parameter
from opweave.nn.utils.rnn import PackedSequence

# Properties here.
_KEPT_IN_FILES = ("_flat_weights_names", "_flat_weights")
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _check_dropout(dropout, num_layers):
    valid = isinstance(dropout, numbers.Number) and not isinstance(dropout, bool)
    if not valid or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being "
            f"zeroed, but got {dropout!r}"
        )
    if dropout > 0 and num_layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
            f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
            stacklevel=5,
        )


def _check_type(name, value, kind):
    if not isinstance(value, kind):
        raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")


def _check_sizes(input_size, hidden_size, num_layers, proj_size):
    for name, size in {"input_size": input_size, "hidden_size": hidden_size}.items():
        _check_type(name, size, int)
        if size <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")


class RNNBase(Module):
    """What the recurrent layers share: parameters per layer and direction, checks, the call.

    Shapes: input (T, N, features), (N, T, features) with batch_first, (T, features) of one example, or a
    PackedSequence; states (num_layers * directions, N, hidden_size).
    """

    def __init__(
        self,
        mode,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        proj_size=0,
        device=None,
        dtype=None,
    ):
        super().__init__()
        _check_dropout(dropout, num_layers)
        _check_type("bias", bias, bool)
        _check_type("batch_first", batch_first, bool)
        _check_sizes(input_size, hidden_size, num_layers, proj_size)
        if mode not in _GATES:
            raise ValueError(f"Unrecognized RNN mode: {mode}")
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._all_weights = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: self._directions]:
                self._add_layer(layer, suffix, {"device": device, "dtype": dtype})
        self.reset_parameters()

    def __getstate__(self):
        """With the lists that PyTorch's layers keep: they read a file's."""
        lists = {name: list(getattr(self, name)) for name in _KEPT_IN_FILES}
        return {**self.__dict__, **lists}

    def __setstate__(self, state):
        """Files from before projections lack their size, and older ones the names of the parameters."""
        kept = {name: value for name, value in state.items() if name not in _KEPT_IN_FILES}
        super().__setstate__({"proj_size": 0, **kept})
        self._all_weights = state.get("all_weights", state.get("_all_weights"))
        self.__dict__.pop("all_weights", None)
        if not isinstance(self._all_weights[0][0], str):
            suffixes = ("", "_reverse")[: self._directions]
            self._all_weights = [
                [f"{kind}_l{layer}{suffix}" for kind in self._shapes(layer)]
                for layer in range(self.num_layers)
                for suffix in suffixes
            ]

    @property
    def _directions(self):
        return 2 if self.bidirectional else 1

    def _shapes(self, layer):
        """Of the parameters of a layer and direction, by their kind."""
        gates = _GATES[self.mode] * self.hidden_size
        out = self.proj_size or self.hidden_size
        width = self.input_size if layer == 0 else out * self._directions
        shapes = {"weight_ih": (gates, width), "weight_hh": (gates, out)}
        if self.bias:
            shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        return shapes

    def _add_layer(self, layer, suffix, options):
        shapes = self._shapes(layer)
        names = [f"{kind}_l{layer}{suffix}" for kind in shapes]
        for name, shape in zip(names, shapes.values(), strict=True):
            setattr(self, name, Parameter(_C.empty(shape, **options)))
        self._all_weights.append(names)

    @property
    def _flat_weights_names(self):
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self):
        return [getattr(self, name) for name in self._flat_weights_names]

    @property
    def all_weights(self):
        """The parameters in a list for each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def reset_parameters(self):
        """Uniform within 1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self):
        """For PyTorch's programs: on the CPU there, and everywhere here, parameters lie as they are."""

    def check_input(self, input, batch_sizes):
        """Raises where the input has not the layer's dimensions, dtype and features."""
        dtype = self._flat_weights[0].dtype
        if input.dtype != dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype})"
            )
        expected = 3 if batch_sizes is None else 2
        if input.dim() != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if batch_sizes is None and input.size(1 if self.batch_first else 0) == 0:
            raise RuntimeError(
                f"{type(self).__name__}: Expected sequence length to be larger than 0, but got an input of "
                f"shape {list(input.shape)}"
            )
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{input.size(-1)}"
            )

    def get_expected_hidden_size(self, input, batch_sizes):
        """(layers * directions, N, hidden)."""
        steps = 1 if self.batch_first else 0
        batch = input.size(1 - steps) if batch_sizes is None else int(batch_sizes[0])
        return self.num_layers * self._directions, batch, self.proj_size or self.hidden_size

    def check_hidden_size(self, hx, expected_hidden_size, msg="Expected hidden size {}, got {}"):
        """Raises where a state has another shape."""
        if tuple(hx.size()) != tuple(expected_hidden_size):
            raise RuntimeError(msg.format(tuple(expected_hidden_size), list(hx.size())))

    def check_forward_args(self, input, hidden, batch_sizes):
        """Raises where the input or the state does not fit."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx, permutation):
        """A state with its examples in another order."""
        return hx if permutation is None else hx.index_select(1, permutation)

    def _zeros(self, input, batch_sizes):
        return input.new_zeros(self.get_expected_hidden_size(input, batch_sizes))

    def _function(self):
        return getattr(_C, self.mode.lower())

    def _call(self, input, batch_sizes, hx):
        options = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training)
        if batch_sizes is None:
            return self._function()(input, hx, *options, self.bidirectional, self.batch_first)
        return self._function()(input, batch_sizes, hx, *options, self.bidirectional)

    def _unpacked(self, input):
        """Data, batch sizes or None, the order of the examples, and whether the input is one example."""
        if isinstance(input, PackedSequence):
            return (*input, False)
        if input.dim() not in (2, 3):
            raise ValueError(
                f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D instead"
            )
        single = input.dim() == 2
        if single:
            input = input.unsqueeze(0 if self.batch_first else 1)
        return input, None, None, None, single

    def _check_state_dims(self, hx, single):
        wanted, kind = (2, "unbatched 2-D") if single else (3, "batched 3-D")
        if hx.dim() != wanted:
            raise RuntimeError(
                f"For {kind} input, hx should also be {wanted}-D but got {hx.dim()}-D tensor"
            )

    def forward(self, input, hx=None):
        """(output, last state), of one example without the dimension of examples."""
        data, sizes, order, back, single = self._unpacked(input)
        if hx is None:
            hx = self._zeros(data, sizes)
        else:
            if sizes is None:
                self._check_state_dims(hx, single)
            hx = self.permute_hidden(hx.unsqueeze(1) if single else hx, order)
        self.check_forward_args(data, hx, sizes)
        output, hidden = self._call(data, sizes, hx)
        return self._as_given(output, input, single), self._state_as_given(hidden, back, single)

    def _as_given(self, output, input, single):
        if isinstance(input, PackedSequence):
            return PackedSequence(output, *input[1:])
        return output.squeeze(0 if self.batch_first else 1) if single else output

    def _state_as_given(self, hidden, back, single):
        return hidden.squeeze(1) if single else self.permute_hidden(hidden, back)

    def extra_repr(self):
        """The sizes, and what differs from the defaults."""
        text = f"{self.input_size}, {self.hidden_size}"
        for name, default in (
            ("proj_size", 0),
            ("num_layers", 1),
            ("bias", True),
            ("batch_first", False),
            ("dropout", 0),
            ("bidirectional", False),
        ):
            value = getattr(self, name)
            if value != default:
                text += f", {name}={value}"
        return text


class RNN(RNNBase):
    """h' = tanh(W x + b + U h + c), or relu with nonlinearity="relu"."""

    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        mode = f"RNN_{nonlinearity.upper()}"
        super().__init__(mode, input_size, hidden_size, num_layers, *args, **kwargs)
        self.nonlinearity = nonlinearity


class GRU(RNNBase):
    """Gated recurrent units."""

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


class LSTM(RNNBase):
    """Long short-term memory; its state is a pair (h, c), with proj_size h is projected."""

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input, batch_sizes):
        """(layers * directions, N, hidden), whatever proj_size is."""
        shape = self.get_expected_hidden_size(input, batch_sizes)
        return (*shape[:2], self.hidden_size)

    def check_forward_args(self, input, hidden, batch_sizes):
        """Raises where the input or one of the states does not fit."""
        self.check_input(input, batch_sizes)
        expected = self.get_expected_hidden_size(input, batch_sizes)
        self.check_hidden_size(hidden[0], expected, "Expected hidden[0] size {}, got {}")
        expected = self.get_expected_cell_size(input, batch_sizes)
        self.check_hidden_size(hidden[1], expected, "Expected hidden[1] size {}, got {}")

    def permute_hidden(self, hx, permutation):
        """A pair of states with their examples in another order."""
        if permutation is None:
            return hx
        return tuple(h.index_select(1, permutation) for h in hx)

    def _given_states(self, hx, single, packed, order):
        hx = (hx[0], hx[1])
        if not packed:
            wanted, kind = (2, "unbatched 2-D") if single else (3, "batched 3-D")
            if hx[0].dim() != wanted or hx[1].dim() != wanted:
                dims = ", ".join(f"{h.dim()}-D" for h in hx)
                raise RuntimeError(
                    f"For {kind} input, hx and cx should also be {wanted}-D but got ({dims}) tensors"
                )
        pair = tuple(h.unsqueeze(1) for h in hx) if single else hx
        return self.permute_hidden(pair, order)

    def forward(self, input, hx=None):
        """(output, (h, c)), of one example without the dimension of examples."""
        data, sizes, order, back, single = self._unpacked(input)
        if hx is None:
            cell = data.new_zeros(self.get_expected_cell_size(data, sizes))
            hx = (self._zeros(data, sizes), cell)
        else:
            hx = self._given_states(hx, single, sizes is not None, order)
        self.check_forward_args(data, hx, sizes)
        output, *states = self._call(data, sizes, hx)
        last = tuple(h.squeeze(1) for h in states) if single else self.permute_hidden(states, back)
        return self._as_given(output, input, single), tuple(last)


class RNNCellBase(Module):
    """What the cells share. Shapes: input (N, input_size) or (input_size), states (N, hidden_size)."""

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        options = {"device": device, "dtype": dtype}
        gates = num_chunks * hidden_size
        self.weight_ih = Parameter(_C.empty((gates, input_size), **options))
        self.weight_hh = Parameter(_C.empty((gates, hidden_size), **options))
        for name in ("bias_ih", "bias_hh"):
            value = Parameter(_C.empty(gates, **options)) if bias else None
            self.register_parameter(name, value)
        self.reset_parameters()

    def reset_parameters(self):
        """Uniform within 1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self):
        """The sizes, and what differs from the defaults."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        nonlinearity = getattr(self, "nonlinearity", "tanh")
        return text if nonlinearity == "tanh" else f"{text}, nonlinearity={nonlinearity}"

    def _weights(self):
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _check(self, what, value):
        check_tensors(type(self).__name__, **{what: value})
        if value.dim() not in (1, 2):
            raise ValueError(
                f"{type(self).__name__}: Expected {what} to be 1D or 2D, got {value.dim()}D instead"
            )

    def _step(self, function, input, hx):
        """A step of a cell with one state."""
        self._check("input", input)
        if hx is not None:
            self._check("hidden", hx)
        single = input.dim() == 1
        rows = input.unsqueeze(0) if single else input
        if hx is None:
            hx = rows.new_zeros(rows.size(0), self.hidden_size)
        elif single:
            hx = hx.unsqueeze(0)
        result = function(rows, hx, *self._weights())
        return result.squeeze(0) if single else result


class RNNCell(RNNCellBase):
    """One step of RNN."""

    def __init__(
        self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None
    ):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        """The new state."""
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(getattr(_C, f"rnn_{self.nonlinearity}_cell"), input, hx)


class GRUCell(RNNCellBase):
    """One step of GRU."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        """The new state."""
        return self._step(_C.gru_cell, input, hx)


class LSTMCell(RNNCellBase):
    """One step of LSTM."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        """The new states (h, c)."""
        self._check("input", input)
        hx = hx if hx is None else pair_of("LSTMCell", hx)
        for i, h in enumerate(hx or ()):
            self._check(f"hx[{i}]", h)
        single = input.dim() == 1
        rows = input.unsqueeze(0) if single else input
        if hx is None:
            zeros = rows.new_zeros(rows.size(0), self.hidden_size)
            hx = (zeros, zeros)
        elif single:
            hx = tuple(h.unsqueeze(0) for h in hx)
        states = _C.lstm_cell(rows, hx, *self._weights())
        return tuple(s.squeeze(0) for s in states) if single else states
