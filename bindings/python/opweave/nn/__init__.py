"""Networks: modules, parameters, functions, initialisation."""

from opweave.nn.parameter import Buffer, Parameter
from opweave.nn.modules.module import Module
from opweave.nn.modules.container import (
    ModuleDict,
    ModuleList,
    ParameterDict,
    ParameterList,
    Sequential,
)
from opweave.nn import functional, init
from opweave.nn.modules.activation import (
    ELU,
    GELU,
    GLU,
    Dropout,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softmin,
    Softplus,
    Tanh,
)
from opweave.nn.modules.attention import MultiheadAttention
from opweave.nn.modules.conv import Conv1d, Conv2d, ConvTranspose2d
from opweave.nn.modules.linear import Embedding, Flatten, Identity, Linear, Unflatten
from opweave.nn.modules.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from opweave.nn.modules.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    GroupNorm,
    LayerNorm,
)
from opweave.nn.modules.sync_batchnorm import SyncBatchNorm
from opweave.nn.modules.pooling import (
    AdaptiveAvgPool2d,
    AvgPool2d,
    ConstantPad1d,
    ConstantPad2d,
    MaxPool1d,
    MaxPool2d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReplicationPad1d,
    ReplicationPad2d,
    ZeroPad2d,
)
from opweave.nn.modules.rnn import (
    GRU,
    LSTM,
    RNN,
    GRUCell,
    LSTMCell,
    RNNBase,
    RNNCell,
    RNNCellBase,
)
from opweave.nn.modules.transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from opweave.nn import utils


def __getattr__(name):
    # It loads what only programs of several processes need.
    if name == "parallel":
        import importlib

        return importlib.import_module("opweave.nn.parallel")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
