"""Pictures, videos, sounds and meshes as summaries."""

from __future__ import annotations

import io
import json
import math
import wave
from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import Summary

from opweave import _C
from opweave.utils.tensorboard._convert_np import make_np
from opweave.utils.tensorboard._utils import _prepare_video, convert_to_HWC
from opweave.utils.tensorboard._values import floats

_Array = np.ndarray[Any, Any]
_RED = "Red"


def _pillow() -> Any:
    """The module PIL.Image; tensorboard needs Pillow itself, but installs it only in newer versions."""
    try:
        from PIL import Image
    except ImportError:
        raise ImportError(
            "opweave.utils.tensorboard: pictures are written with the package pillow, which is not "
            "installed: pip install pillow",
            name="PIL",
        ) from None
    return Image


def _as_bytes(array: _Array) -> _Array:
    """Colours from 0 to 255, of those from 0 to 1 unless they are bytes; what is outside is at the end."""
    scale = 1 if array.dtype == np.uint8 else 255
    return (array.astype(np.float32) * scale).clip(0, 255).astype(np.uint8)


def image(tag: str, tensor: Any, rescale: float = 1, dataformats: str = "NCHW") -> Summary:
    """A picture, or several as a grid, of bytes or of numbers from 0 to 1.

    Args:
        dataformats: a letter for each dimension.
    """
    made = make_image(_as_bytes(convert_to_HWC(make_np(tensor), dataformats)), rescale=rescale)
    return Summary(value=[Summary.Value(tag=tag, image=made)])


def image_boxes(
    tag: str,
    tensor_image: Any,
    tensor_boxes: Any,
    rescale: float = 1,
    dataformats: str = "CHW",
    labels: list[str] | None = None,
) -> Summary:
    """A picture with boxes (left, top, right, bottom) drawn into it, each with a label."""
    pixels = _as_bytes(convert_to_HWC(make_np(tensor_image), dataformats))
    made = make_image(pixels, rescale=rescale, rois=make_np(tensor_boxes), labels=labels)
    return Summary(value=[Summary.Value(tag=tag, image=made)])


def _draw_label(draw: Any, left: float, bottom: float, label: str) -> None:
    from PIL import ImageFont

    font = ImageFont.load_default()
    x, y, right, below = font.getbbox(label)
    width, height = right - x, below - y
    margin = math.ceil(0.05 * height)
    draw.rectangle([(left, bottom - height - 2 * margin), (left + width, bottom)], fill=_RED)
    draw.text((left + margin, bottom - height - margin), label, fill="black", font=font)


def draw_boxes(disp_image: Any, boxes: _Array, labels: list[str] | None = None) -> Any:
    """Draws boxes into a picture of Pillow, which is returned.

    Raises:
        IndexError: no boxes of four numbers.
    """
    from PIL import ImageDraw

    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise IndexError(
            f"box_tensor should be (N, 4), a row for each box; got the shape {boxes.shape}"
        )
    draw = ImageDraw.Draw(disp_image)
    for i, (left, top, right, bottom) in enumerate(boxes):
        corners = [(left, top), (left, bottom), (right, bottom), (right, top), (left, top)]
        draw.line(corners, width=2, fill=_RED)
        if labels is not None and labels[i]:
            _draw_label(draw, left, bottom, labels[i])
    return disp_image


def make_image(
    tensor: _Array, rescale: float = 1, rois: _Array | None = None, labels: Any = None
) -> Summary.Image:
    """A picture (H, W, C) of bytes in the format PNG, with boxes drawn into it."""
    pillow = _pillow()
    height, width, channels = tensor.shape
    picture = pillow.fromarray(tensor)
    if rois is not None:
        picture = draw_boxes(picture, rois, labels=labels)
    size = int(width * rescale), int(height * rescale)
    output = io.BytesIO()
    picture.resize(size, pillow.Resampling.LANCZOS).save(output, format="PNG")
    return Summary.Image(
        height=height,
        width=width,
        colorspace=channels,
        encoded_image_string=output.getvalue(),
    )


def video(tag: str, tensor: Any, fps: float = 4) -> Summary:
    """Videos (N, T, C, H, W), which play beside one another."""
    made = make_video(_as_bytes(_prepare_video(make_np(tensor))), fps)
    return Summary(value=[Summary.Value(tag=tag, image=made)])


def make_video(tensor: _Array, fps: float) -> Summary.Image:
    """Frames (T, H, W, C) of bytes in the format GIF."""
    pillow = _pillow()
    _, height, width, channels = tensor.shape
    pixels = tensor[..., 0] if channels == 1 else tensor
    first, *others = [pillow.fromarray(frame) for frame in pixels]
    output = io.BytesIO()
    options = {"save_all": True, "append_images": others, "duration": 1000 / fps, "loop": 0}
    first.save(output, format="GIF", **options)
    return Summary.Image(
        height=height,
        width=width,
        colorspace=channels,
        encoded_image_string=output.getvalue(),
    )


def audio(tag: str, tensor: Any, sample_rate: int = 44100) -> Summary:
    """A sound of numbers from -1 to 1, in the format WAV.

    Raises:
        AssertionError: more than one dimension of a size other than 1.
    """
    array = make_np(tensor).squeeze()
    if array.ndim != 1:
        raise AssertionError(f"input tensor should be 1 dimensional, got the shape {array.shape}")
    if abs(array).max() > 1:
        print("warning: audio amplitude out of range, auto clipped.")
        array = array.clip(-1, 1)
    output = io.BytesIO()
    with wave.open(output, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(sample_rate)
        file.writeframes((array * np.iinfo(np.int16).max).astype("<i2").tobytes())
    made = Summary.Audio(
        sample_rate=sample_rate,
        num_channels=1,
        length_frames=array.shape[-1],
        encoded_audio_string=output.getvalue(),
        content_type="audio/wav",
    )
    return Summary(value=[Summary.Value(tag=tag, audio=made)])


def mesh(
    tag: str,
    vertices: Any,
    colors: Any,
    faces: Any,
    config_dict: dict[str, Any] | None,
    display_name: str | None = None,
    description: str | None = None,
) -> Summary:
    """Points in space, with colours and the triangles between them.

    Args:
        vertices: (N, points, 3)
        colors: (N, points, 3) or None
        faces: (N, triangles, 3), the numbers of their points, or None
        config_dict: settings of the classes of ThreeJS by their names.
    """
    from tensorboard.plugins.mesh import metadata
    from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData

    config = "{}" if config_dict is None else json.dumps(config_dict, sort_keys=True)
    kinds = ("VERTEX", vertices), ("FACE", faces), ("COLOR", colors)
    given = {getattr(MeshPluginData, k): _C.as_tensor(t) for k, t in kinds if t is not None}
    components = metadata.get_components_bitmask(list(given))
    values = []
    for kind, tensor in given.items():
        about = metadata.create_summary_metadata(
            tag, display_name, kind, components, tensor.shape, description, json_config=config
        )
        name = metadata.get_instance_name(tag, kind)
        values.append(Summary.Value(tag=name, tensor=floats(tensor), metadata=about))
    return Summary(value=values)
