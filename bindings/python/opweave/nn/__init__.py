"""Networks: modules, parameters, functions, initialisation."""

from opweave.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
from opweave.nn.modules.module import Module
from opweave.nn.modules.container import (
    ModuleDict,
    ModuleList,
    ParameterDict,
    ParameterList,
    Sequential,
)
from opweave.nn import attention, functional, init
from opweave.nn.modules.activation import (
    CELU,
    ELU,
    GELU,
    GLU,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    RReLU,
    ReLU,
    ReLU6,
    SELU,
    SiLU,
    Sigmoid,
    Softmax,
    Softmax2d,
    Softmin,
    Softplus,
    Softshrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
)
from opweave.nn.modules._layers.attention import (
    MultiheadAttention,
)
from opweave.nn.modules.conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from opweave.nn.modules.linear import (
    Bilinear,
    Embedding,
    Flatten,
    Identity,
    Linear,
    Unflatten,
)
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
from opweave.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from opweave.nn.modules.normalization import (
    GroupNorm,
    LayerNorm,
    LocalResponseNorm,
    RMSNorm,
)
from opweave.nn.modules._layers.sync_batchnorm import SyncBatchNorm
from opweave.nn.modules.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AvgPool1d,
    AvgPool2d,
    MaxPool1d,
    MaxPool2d,
)
from opweave.nn.modules.channelshuffle import (
    ChannelShuffle,
)
from opweave.nn.modules.distance import (
    CosineSimilarity,
    PairwiseDistance,
)
from opweave.nn.modules.dropout import (
    AlphaDropout,
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout3d,
    FeatureAlphaDropout,
)
from opweave.nn.modules.fold import (
    Fold,
    Unfold,
)
from opweave.nn.modules.instancenorm import (
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)
from opweave.nn.modules._losses.margins import (
    CosineEmbeddingLoss,
    GaussianNLLLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    PoissonNLLLoss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from opweave.nn.modules.padding import (
    CircularPad1d,
    CircularPad2d,
    CircularPad3d,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad1d,
    ZeroPad2d,
    ZeroPad3d,
)
from opweave.nn.modules._layers.embedding_bag import EmbeddingBag
from opweave.nn.modules.lazy import (
    LazyBatchNorm1d,
    LazyBatchNorm2d,
    LazyBatchNorm3d,
    LazyConv1d,
    LazyConv2d,
    LazyConv3d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyConvTranspose3d,
    LazyInstanceNorm1d,
    LazyInstanceNorm2d,
    LazyInstanceNorm3d,
    LazyLinear,
)
from opweave.nn.modules._losses.sequences import (
    AdaptiveLogSoftmaxWithLoss,
    CTCLoss,
    MultiLabelMarginLoss,
)
from opweave.nn.modules._pooling.volumes import (
    AdaptiveAvgPool3d,
    AdaptiveMaxPool3d,
    AvgPool3d,
    LPPool1d,
    LPPool2d,
    LPPool3d,
    MaxPool3d,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
)
from opweave.nn.modules._losses.linear import LinearCrossEntropyLoss
from opweave.nn.modules._layers.old_names import Container, CrossMapLRN2d, NLLLoss2d
from opweave.nn.modules._pooling.fractional import FractionalMaxPool2d, FractionalMaxPool3d
from opweave.nn.modules.pixelshuffle import (
    PixelShuffle,
    PixelUnshuffle,
)
from opweave.nn.modules.upsampling import (
    Upsample,
    UpsamplingBilinear2d,
    UpsamplingNearest2d,
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


def factory_kwargs(kwargs):
    """The arguments of a layer that say where and of what dtype its tensors are made.

    Args:
        kwargs: device, dtype and memory_format, or a dictionary of them as `factory_kwargs`; None for none.

    Raises:
        TypeError: another name, or one that is given in both ways.
    """
    given = dict(kwargs or {})
    result = dict(given.pop("factory_kwargs", {}))
    unknown = given.keys() - {"device", "dtype", "memory_format"}
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}")
    for name in given:
        if name in result:
            raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
    return result | given


def __getattr__(name):
    if name in ("common_types", "grad"):
        import importlib

        return importlib.import_module(f"opweave.nn.{name}")
    # They load what only programs of several processes need.
    if name in ("parallel", "DataParallel"):
        import importlib

        parallel = importlib.import_module("opweave.nn.parallel")
        return parallel if name == "parallel" else parallel.DataParallel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
