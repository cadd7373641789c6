"""SummaryWriter: what a program notes while it trains, into files that TensorBoard shows."""

from __future__ import annotations

import os
import time
from typing import Any, NoReturn

from tensorboard.compat import tf
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

from opweave.utils.tensorboard import summary
from opweave.utils.tensorboard._convert_np import make_np as make_np
from opweave.utils.tensorboard._embedding import check_header, write_config
from opweave.utils.tensorboard._embedding import get_embedding_info as get_embedding_info
from opweave.utils.tensorboard._embedding import make_mat as make_mat
from opweave.utils.tensorboard._embedding import make_sprite as make_sprite
from opweave.utils.tensorboard._embedding import make_tsv as make_tsv
from opweave.utils.tensorboard._file_writer import FileWriter
from opweave.utils.tensorboard._numbers import NumbersMixin
from opweave.utils.tensorboard._utils import figure_to_image as figure_to_image

__all__ = ["FileWriter", "SummaryWriter"]


class SummaryWriter(NumbersMixin):
    """Writes numbers, histograms, pictures, text and more into event files of a folder.

    Args:
        log_dir: the folder; None: one below `runs` with the time, the name of the machine and `comment`.
        purge_step: TensorBoard hides what was written before, of this step and later ones.
        max_queue, flush_secs, filename_suffix: as for FileWriter.
    """

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def add_hparams(
        self,
        hparam_dict: dict[str, Any],
        metric_dict: dict[str, Any],
        hparam_domain_discrete: dict[str, list[Any]] | None = None,
        run_name: str | None = None,
        global_step: Any = None,
    ) -> None:
        """Notes the settings of a run and what came of them, in a folder of its own.

        Args:
            run_name: of the folder; None for the time.
        """
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        made = summary.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = self._get_file_writer().get_logdir()
        with SummaryWriter(log_dir=os.path.join(folder, run_name or str(time.time()))) as below:
            for part in made:
                below._add(part, global_step)
            for name, value in metric_dict.items():
                below.add_scalar(name, value, global_step)

    # --- what is looked at, read and heard --------------------------------------------------------
    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Notes a picture, of bytes or of numbers from 0 to 1."""
        self._add(summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Notes several pictures as one."""
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: Any,
        box_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        rescale: float = 1,
        dataformats: str = "CHW",
        labels: Any = None,
    ) -> None:
        """Notes a picture with boxes (left, top, right, bottom), each with a label if there are as many."""
        if isinstance(labels, str):
            labels = [labels]
        if labels is not None and len(labels) != box_tensor.shape[0]:
            labels = None
        made = summary.image_boxes(
            tag, img_tensor, box_tensor, rescale=rescale, dataformats=dataformats, labels=labels
        )
        self._add(made, global_step, walltime)

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: Any = None,
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """Notes a drawing of matplotlib, or a list of them."""
        formats = "NCHW" if isinstance(figure, list) else "CHW"
        self.add_image(tag, figure_to_image(figure, close), global_step, walltime, formats)

    def add_video(
        self,
        tag: str,
        vid_tensor: Any,
        global_step: Any = None,
        fps: float = 4,
        walltime: float | None = None,
    ) -> None:
        """Notes videos (N, T, C, H, W), as an animated GIF."""
        self._add(summary.video(tag, vid_tensor, fps), global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: Any = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """Notes a sound of numbers from -1 to 1."""
        self._add(summary.audio(tag, snd_tensor, sample_rate=sample_rate), global_step, walltime)

    def add_text(
        self, tag: str, text_string: str, global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Notes text, in Markdown."""
        self._add(summary.text(tag, text_string), global_step, walltime)

    def add_mesh(
        self,
        tag: str,
        vertices: Any,
        colors: Any = None,
        faces: Any = None,
        config_dict: dict[str, Any] | None = None,
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Notes points in space, (N, points, 3), with colours and triangles."""
        made = summary.mesh(tag, vertices, colors, faces, config_dict)
        self._add(made, global_step, walltime)

    def add_embedding(
        self,
        mat: Any,
        metadata: list[Any] | None = None,
        label_img: Any = None,
        global_step: int | None = None,
        tag: str = "default",
        metadata_header: list[str] | None = None,
    ) -> None:
        """Notes points of many dimensions, (N, D), for the projector.

        Args:
            metadata: a label for each, or with a header a list of labels.
            label_img: a picture for each, (N, C, H, W).

        Raises:
            AssertionError: not as many of each.
        """
        step, mat = global_step or 0, make_np(mat)
        self._check_embedding(mat, metadata, label_img, metadata_header)
        root = self._get_file_writer().get_logdir()
        below = f"{str(step).zfill(5)}/{_as_file_name(tag)}"
        folder = os.path.join(root, below)
        if tf.io.gfile.isdir(folder):
            print("warning: Embedding dir exists, did you set global_step for add_embedding()?")
        elif tf.io.gfile.exists(folder):
            raise NotADirectoryError(f"Path: `{folder}` exists, but is a file. Cannot proceed.")
        else:
            tf.io.gfile.makedirs(folder)
        if metadata is not None:
            make_tsv(metadata, folder, metadata_header=metadata_header)
        if label_img is not None:
            make_sprite(label_img, folder)
        make_mat(mat, folder)
        if not hasattr(self, "_projector_config"):
            self._projector_config = ProjectorConfig()
        info = get_embedding_info(metadata, label_img, below, step, tag)
        self._projector_config.embeddings.append(info)
        write_config(self._projector_config, root)

    @staticmethod
    def _check_embedding(
        mat: Any, metadata: Any, label_img: Any, metadata_header: list[str] | None
    ) -> None:
        if mat.ndim != 2:
            raise AssertionError(
                "mat should be 2D, where mat.size(0) is the number of data points; got the shape "
                f"{mat.shape}"
            )
        if metadata is not None and len(metadata) != mat.shape[0]:
            raise AssertionError(
                f"#labels should equal with #data points: got {len(metadata)} for {mat.shape[0]}"
            )
        if metadata is not None and metadata_header:
            check_header(metadata, metadata_header)
        if label_img is not None and len(getattr(label_img, "shape", ())) != 4:
            raise AssertionError(
                "label_img should be a tensor (N, C, H, W), a picture for each data point; got "
                f"{getattr(label_img, 'shape', type(label_img).__name__)}"
            )
        if label_img is not None and label_img.shape[0] != mat.shape[0]:
            raise AssertionError(
                f"#images should equal with #data points: got {label_img.shape[0]} for {mat.shape[0]}"
            )

    # --- graphs -----------------------------------------------------------------------------------
    def add_graph(
        self,
        model: Any,
        input_to_model: Any = None,
        verbose: bool = False,
        use_strict_trace: bool = True,
    ) -> NoReturn:
        """Raises: graphs are made of traced programs, and Opweave traces none."""
        raise NotImplementedError(
            "SummaryWriter.add_graph(): the graph of a module is made by tracing it (torch.jit.trace), and "
            "Opweave has no traced programs; leave the call out, the other methods write what they are given"
        )

    def add_onnx_graph(self, prototxt: Any) -> NoReturn:
        """Raises: graphs in files of ONNX are not read."""
        raise NotImplementedError(
            "SummaryWriter.add_onnx_graph(): files of ONNX are not read; FileWriter.add_onnx_graph() writes "
            "a graph that a program has as a message of tensorboard.compat.proto.graph_pb2"
        )


def _as_file_name(tag: str) -> str:
    """A tag as the name of a folder."""
    for character in "%/\\":
        tag = tag.replace(character, f"%{ord(character):02x}")
    return tag
