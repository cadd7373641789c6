# Types of opweave.nn.modules.rnn.
from typing import Any

from opweave.nn.modules.module import Module
from opweave.nn.parameter import Parameter

class RNNBase(Module):
    input_size: int
    hidden_size: int
    num_layers: int
    mode: str
    bias: bool
    batch_first: bool
    dropout: float
    bidirectional: bool
    proj_size: int
    @property
    def all_weights(self) -> list[list[Parameter]]: ...
    def flatten_parameters(self) -> None: ...
    def reset_parameters(self) -> None: ...
    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class GRU(RNNBase):
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class RNNCellBase(Module):
    input_size: int
    hidden_size: int
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...
    bias: bool
    def reset_parameters(self) -> None: ...

class GRUCell(RNNCellBase):
    input_size: int
    hidden_size: int
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LSTM(RNNBase):
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class LSTMCell(RNNCellBase):
    input_size: int
    hidden_size: int
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class RNN(RNNBase):
    nonlinearity: str
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...

class RNNCell(RNNCellBase):
    input_size: int
    hidden_size: int
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None: ...
