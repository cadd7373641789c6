"""The files of TensorBoard's projector: points of many dimensions with labels and pictures."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
from google.protobuf import text_format
from tensorboard.compat import tf
from tensorboard.plugins.projector.projector_config_pb2 import EmbeddingInfo

from opweave.utils.tensorboard._convert_np import make_np
from opweave.utils.tensorboard._media import _pillow
from opweave.utils.tensorboard._utils import make_grid


def _join(folder: str, name: str) -> str:
    """A path, also on a file system of another machine, as tensorboard or TensorFlow know it."""
    files = tf.io.gfile
    joined: str = (
        files.join(folder, name)
        if hasattr(files, "join")
        else files.get_filesystem(folder).join(folder, name)
    )
    return joined


def _write(folder: str, name: str, content: bytes) -> None:
    with tf.io.gfile.GFile(_join(folder, name), "wb") as file:
        file.write(content)


def make_mat(matlist: Any, save_path: str) -> None:
    """Writes the points, a line for each."""
    lines = ("\t".join(str(x.item()) for x in row) + "\n" for row in matlist)
    _write(save_path, "tensors.tsv", "".join(lines).encode())


def check_header(metadata: Any, metadata_header: list[str]) -> None:
    """AssertionError unless each point has as many labels as the header names."""
    first = metadata[0] if len(metadata) else metadata_header
    columns = len(first) if hasattr(first, "__len__") else 0
    if len(metadata_header) != columns:
        raise AssertionError(
            "len of header must be equal to the number of columns in metadata: got "
            f"{len(metadata_header)} names for {columns} columns"
        )


def make_tsv(metadata: Any, save_path: str, metadata_header: list[str] | None = None) -> None:
    """Writes a label for each point, or with a header several of them.

    Raises:
        AssertionError: the header has not a name for each.
    """
    lines = [str(label) for label in metadata]
    if metadata_header:
        check_header(metadata, metadata_header)
        lines = ["\t".join(map(str, row)) for row in [metadata_header, *metadata]]
    _write(save_path, "metadata.tsv", ("\n".join(lines) + "\n").encode())


def make_sprite(label_img: Any, save_path: str) -> None:
    """Writes a picture for each point, (N, C, H, W), as one square picture."""
    pictures = make_np(label_img)
    grid = make_grid(pictures, ncols=math.ceil(len(pictures) ** 0.5)).transpose(1, 2, 0)
    square = np.zeros((grid.shape[1], grid.shape[1], 3))
    square[: grid.shape[0]] = grid
    output = io.BytesIO()
    picture = _pillow().fromarray((square * 255).clip(0, 255).astype(np.uint8))
    picture.save(output, format="PNG")
    _write(save_path, "sprite.png", output.getvalue())


def get_embedding_info(
    metadata: Any, label_img: Any, subdir: str, global_step: int, tag: str
) -> EmbeddingInfo:
    """What says which files belong together."""
    info = EmbeddingInfo(
        tensor_name=f"{tag}:{str(global_step).zfill(5)}", tensor_path=_join(subdir, "tensors.tsv")
    )
    if metadata is not None:
        info.metadata_path = _join(subdir, "metadata.tsv")
    if label_img is not None:
        height, width = label_img.shape[2:]
        info.sprite.image_path = _join(subdir, "sprite.png")
        info.sprite.single_image_dim.extend([width, height])
    return info


def write_config(config: Any, save_path: str) -> None:
    """Writes which embeddings there are."""
    _write(save_path, "projector_config.pbtxt", text_format.MessageToString(config).encode())
