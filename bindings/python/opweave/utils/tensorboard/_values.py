"""Numbers, tensors, text and layouts of charts as summaries."""

from __future__ import annotations

import struct
from typing import Any

from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.text.plugin_data_pb2 import TextPluginData

from opweave import _C
from opweave.utils.tensorboard._convert_np import make_np

_LARGEST = 1 << 31  # of a message


def half_to_int(f: float) -> int:
    """The bits of a number as a float32, for int_to_half()."""
    number: int = struct.unpack("i", struct.pack("f", f))[0]
    return number


def int_to_half(i: int) -> float:
    """The number of which half_to_int() gave the bits."""
    number: float = struct.unpack("f", struct.pack("i", i))[0]
    return number


def metadata_of(plugin: str, content: bytes = b"") -> SummaryMetadata:
    """What says which part of TensorBoard shows a summary."""
    data = SummaryMetadata.PluginData(plugin_name=plugin, content=content)
    return SummaryMetadata(plugin_data=data)


def _shape(sizes: Any) -> TensorShapeProto:
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


def floats(values: Any) -> TensorProto:
    """Numbers of an array or a tensor in single precision."""
    return TensorProto(
        dtype="DT_FLOAT",
        float_val=values.reshape(-1).tolist(),
        tensor_shape=_shape(values.shape),
    )


def with_plugin(tag: str, plugin: str, values: Any, content: bytes = b"") -> Summary:
    """A summary of an array."""
    value = Summary.Value(tag=tag, metadata=metadata_of(plugin, content), tensor=floats(values))
    return Summary(value=[value])


def scalar(
    name: str,
    tensor: Any,
    collections: Any = None,
    new_style: bool = False,
    double_precision: bool = False,
) -> Summary:
    """A number.

    Args:
        tensor: of one element.
        collections: not looked at.
        new_style: whether it is written as a tensor, which is read faster.
        double_precision: of a tensor.

    Raises:
        AssertionError: several elements.
    """
    array = make_np(tensor).squeeze()
    if array.ndim != 0:
        raise AssertionError(
            f"Tensor should contain one element (0 dimensions). Was given size: {array.size} and "
            f"{array.ndim} dimensions."
        )
    value = float(array)
    if not new_style:
        return Summary(value=[Summary.Value(tag=name, simple_value=value)])
    proto = TensorProto(float_val=[value], dtype="DT_FLOAT")
    if double_precision:
        proto = TensorProto(double_val=[value], dtype="DT_DOUBLE")
    return Summary(value=[Summary.Value(tag=name, tensor=proto, metadata=metadata_of("scalars"))])


def _as_listed(tensor: _C.Tensor) -> list[Any]:
    values: list[Any] = tensor.flatten().tolist()
    return values


def _as_bits(tensor: _C.Tensor) -> list[int]:
    """The 16 bits of each element."""
    bits = tensor.detach().cpu().flatten().contiguous().view(_C.int16)
    return [number & 0xFFFF for number in bits.tolist()]


# By a dtype's name its name in messages, and the field that has its values.
_FIELDS = {
    _C.float16: ("DT_HALF", "half_val", _as_bits),
    _C.bfloat16: ("DT_BFLOAT16", "half_val", _as_bits),
    _C.float32: ("DT_FLOAT", "float_val", _as_listed),
    _C.float64: ("DT_DOUBLE", "double_val", _as_listed),
    _C.int8: ("DT_INT8", "int_val", _as_listed),
    _C.uint8: ("DT_UINT8", "int_val", _as_listed),
    _C.int16: ("DT_INT16", "int_val", _as_listed),
    _C.int32: ("DT_INT32", "int_val", _as_listed),
    _C.int64: ("DT_INT64", "int64_val", _as_listed),
    _C.bool: ("DT_BOOL", "bool_val", _as_listed),
}


def tensor_proto(tag: str, tensor: _C.Tensor) -> Summary:
    """A whole tensor.

    Raises:
        ValueError: a dtype that messages do not have, or 2 GB and more.
    """
    if tensor.numel() * tensor.itemsize >= _LARGEST:
        raise ValueError(
            "tensor is bigger than protocol buffer's hard limit of 2GB in size: "
            f"{tensor.numel() * tensor.itemsize} bytes"
        )
    if tensor.dtype not in _FIELDS:
        raise ValueError(f"{tag} has unsupported tensor dtype {tensor.dtype}")
    dtype, field, values = _FIELDS[tensor.dtype]
    fields = {"dtype": dtype, "tensor_shape": _shape(tensor.shape), field: values(tensor)}
    value = Summary.Value(tag=tag, metadata=metadata_of("tensor"), tensor=TensorProto(**fields))
    return Summary(value=[value])


def _of_strings(content: bytes, sizes: Any) -> TensorProto:
    return TensorProto(dtype="DT_STRING", string_val=[content], tensor_shape=_shape(sizes))


def text(tag: str, text: str) -> Summary:
    """Text, in Markdown."""
    metadata = metadata_of("text", TextPluginData(version=0).SerializeToString())
    tensor = _of_strings(text.encode(), [1])
    return Summary(
        value=[Summary.Value(tag=f"{tag}/text_summary", metadata=metadata, tensor=tensor)]
    )


def _chart(title: str, kind: str, tags: Any) -> Any:
    if kind != "Margin":
        content = layout_pb2.MultilineChartContent(tag=tags)
        return layout_pb2.Chart(title=title, multiline=content)
    if len(tags) != 3:
        raise AssertionError(
            f"{title}: a chart of the kind 'Margin' is of three tags, for a value and its lower and upper "
            f"end, got {len(tags)}"
        )
    value, lower, upper = tags
    series = layout_pb2.MarginChartContent.Series(value=value, lower=lower, upper=upper)
    return layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(series=[series]))


def custom_scalars(layout: Any) -> Summary:
    """Charts of several scalars: {category: {title: [kind, tags]}}, of the kinds "Multiline" and "Margin"."""
    categories = [
        layout_pb2.Category(title=name, chart=[_chart(t, *chart) for t, chart in charts.items()])
        for name, charts in layout.items()
    ]
    content = layout_pb2.Layout(category=categories).SerializeToString()
    value = Summary.Value(
        tag="custom_scalars__config__",
        tensor=_of_strings(content, []),
        metadata=metadata_of("custom_scalars"),
    )
    return Summary(value=[value])
