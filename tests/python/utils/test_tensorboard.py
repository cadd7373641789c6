"""Event files are what PyTorch writes, as its own readers find them (tests/reference/event_files.py)."""

import json
import subprocess
import sys
from pathlib import Path

import opweave as ow
import pytest
from reference import event_files, files

pytest.importorskip("tensorboard", reason="tensorboard is not installed (./dev setup installs it)")

from opweave.utils import tensorboard
from tensorboard.backend.event_processing import event_accumulator
from tensorboard.plugins.hparams import plugin_data_pb2
from tensorboard.util import tensor_util

RECORDED = files.recorded("event_files")


@pytest.mark.parametrize("name", event_files.CASES)
def test_is_what_pytorch_writes(name):
    if name == "figures":
        pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    assert json.loads(json.dumps(event_files.written(ow, name))) == RECORDED[name]


def test_every_case_is_recorded():
    assert set(RECORDED) == set(event_files.CASES)


def _read(folder):
    return event_accumulator.EventAccumulator(str(folder)).Reload()


def test_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with tensorboard.SummaryWriter(comment="-note") as writer:
        writer.add_scalar("a", 1)
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.endswith("-note")
    assert writer.get_logdir() == f"runs/{folder.name}"
    assert _read(folder).Scalars("a")[0].value == 1


def test_what_was_written_before_is_hidden(tmp_path):
    for purge_step in (None, 1):
        with tensorboard.SummaryWriter(tmp_path, purge_step=purge_step, filename_suffix=".x") as w:
            for step in range(3 if purge_step is None else 2):
                w.add_scalar("a", step, step)
    files_there = sorted(tmp_path.iterdir())
    assert len(files_there) == 2
    assert all(path.name.endswith(".x") for path in files_there)
    assert [e.step for e in _read(tmp_path).Scalars("a")] == [0, 0, 1]


def test_a_writer_that_was_closed_goes_on(tmp_path):
    writer = tensorboard.SummaryWriter(str(tmp_path))
    writer.add_scalar("a", 1)
    writer.close()
    writer.close()
    writer.flush()
    writer.add_scalars("b", {"c": 2})
    writer.flush()
    assert len([p for p in tmp_path.iterdir() if p.is_file()]) == 2
    writer.close()


def test_tensors_are_read_back(tmp_path):
    """Also of bytes and of half precision, which PyTorch writes as nobody reads them."""
    dtypes = (ow.float16, ow.uint8, ow.int8, ow.bool, ow.float64)
    values = [0.0, 1.0, 2.0, 5.5]
    with tensorboard.SummaryWriter(tmp_path) as writer:
        for dtype in dtypes:
            writer.add_tensor(str(dtype), ow.tensor(values).to(dtype).reshape(2, 2))
    reader = _read(tmp_path)
    for dtype in dtypes:
        found = tensor_util.make_ndarray(reader.Tensors(str(dtype))[0].tensor_proto)
        assert found.shape == (2, 2)
        assert found.astype("float64").flatten().tolist() == ow.tensor(values).to(dtype).tolist()
    half = tensorboard.summary.tensor_proto("x", ow.tensor([1.5, -2], dtype=ow.bfloat16))
    assert list(half.value[0].tensor.half_val) == [0x3FC0, 0xC000]
    with (
        tensorboard.SummaryWriter(tmp_path) as writer,
        pytest.raises(ValueError, match=r"x has unsupported tensor dtype opweave\.uint16"),
    ):
        writer.add_tensor("x", ow.zeros(1, dtype=ow.uint16))


def test_a_setting_of_several_elements_is_its_first():
    _, start, _ = tensorboard.summary.hparams(
        {"bs": ow.tensor([1.5, 2.0]), "n": ow.tensor([[3]])}, {}
    )
    data = plugin_data_pb2.HParamsPluginData.FromString(start.value[0].metadata.plugin_data.content)
    values = {n: v.number_value for n, v in data.session_start_info.hparams.items()}
    assert values == {"bs": 1.5, "n": 3.0}


def test_one_range_may_be_empty():
    for bins, most in (([0, 1, 2], 1), ([0, 2], None)):
        made = tensorboard.summary.histogram("a", ow.tensor([-0.5]), bins, max_bins=most)
        histo = made.value[0].histo
        assert (list(histo.bucket_limit), list(histo.bucket), histo.num) == ([2.0], [0.0], 1.0)


def test_large_numbers_of_bfloat16_stay_finite(tmp_path):
    with tensorboard.SummaryWriter(tmp_path) as writer:
        writer.add_scalar("a", ow.tensor(2.0**100, dtype=ow.bfloat16))
    assert _read(tmp_path).Scalars("a")[0].value == 2.0**100


def test_videos_and_labels_are_pictures(tmp_path):
    from PIL import Image

    with tensorboard.SummaryWriter(tmp_path) as writer:
        writer.add_video("v", ow.rand(3, 5, 3, 4, 6), fps=10)
        writer.add_video("bytes", ow.zeros(1, 2, 1, 4, 6, dtype=ow.uint8))
        boxes = ow.tensor([[1, 1, 20, 20]])
        writer.add_image_with_boxes("boxes", ow.zeros(3, 30, 40), boxes, labels="a label")
    reader = _read(tmp_path)
    event = reader.Images("v")[0]
    assert (event.width, event.height) == (24, 4)
    path = tmp_path / "v.gif"
    path.write_bytes(event.encoded_image_string)
    with Image.open(path) as picture:
        assert (picture.n_frames, picture.size, picture.info["duration"]) == (5, (24, 4), 100)
    path.write_bytes(reader.Images("boxes")[0].encoded_image_string)
    with Image.open(path) as picture:
        assert picture.convert("RGB").getpixel((1, 1)) == (255, 0, 0)


def test_graphs_are_refused_by_name(tmp_path):
    with tensorboard.SummaryWriter(tmp_path) as writer:
        with pytest.raises(
            NotImplementedError, match=r"SummaryWriter\.add_graph\(\): the graph of"
        ):
            writer.add_graph(ow.nn.Linear(1, 1), ow.ones(1, 1))
        with pytest.raises(NotImplementedError, match=r"add_onnx_graph\(\): files of ONNX"):
            writer.add_onnx_graph("model.onnx")


def test_graphs_that_are_messages_are_written(tmp_path):
    from tensorboard.compat.proto.config_pb2 import RunMetadata
    from tensorboard.compat.proto.graph_pb2 import GraphDef
    from tensorboard.compat.proto.node_def_pb2 import NodeDef

    graph = GraphDef(node=[NodeDef(name="n", op="op")])
    writer = tensorboard.FileWriter(tmp_path, max_queue=1, flush_secs=1, filename_suffix=".g")
    writer.add_graph((graph, RunMetadata()), walltime=1.0)
    writer.flush()
    writer.close()
    writer.reopen()
    writer.add_onnx_graph(graph)
    writer.close()
    assert writer.get_logdir() == str(tmp_path)
    assert _read(tmp_path).Graph().node[0].name == "n"


WRONG = [
    (lambda w: w.add_scalar("a", ow.ones(2)), AssertionError, "one element .* size: 2 and 1"),
    (lambda w: w.add_scalar("a", [1]), NotImplementedError, "numpy array or torch tensor"),
    (lambda w: w.add_scalar("a", ow.ones(1, device="meta")), ValueError, "has no values"),
    (lambda w: w.add_histogram("a", ow.ones(0)), ValueError, "no element"),
    (lambda w: w.add_histogram("a", ow.tensor([float("nan")])), ValueError, "is empty: no value"),
    (lambda w: w.add_histogram_raw("a", 0, 1, 1, 1, 1, [1], []), ValueError, "got 1 and 0"),
    (lambda w: w.add_image("a", ow.ones(3, 3)), AssertionError, "a letter for each dimension"),
    (lambda w: w.add_image("a", ow.ones(3, 3), dataformats="HH"), AssertionError, "letter twice"),
    (lambda w: w.add_image("a", ow.ones(3, 3), dataformats="XY"), AssertionError, "of the letters"),
    (lambda w: w.add_images("a", ow.ones(1, 2, 3, 3)), AssertionError, "1 or 3 channels"),
    (lambda w: w.add_audio("a", ow.ones(2, 2)), AssertionError, "1 dimensional"),
    (lambda w: w.add_embedding(ow.ones(2)), AssertionError, "should be 2D"),
    (lambda w: w.add_embedding(ow.ones(2, 2), ["a"]), AssertionError, "got 1 for 2"),
    (
        lambda w: w.add_embedding(ow.ones(2, 2), None, ow.ones(1, 3, 1, 1)),
        AssertionError,
        "#images",
    ),
    (
        lambda w: w.add_embedding(ow.ones(2, 2), [1, 2], [1, 2]),
        AssertionError,
        "label_img .* got list",
    ),
    (
        lambda w: w.add_embedding(ow.ones(2, 2), [1, 2], [1, 2], metadata_header=["a"]),
        AssertionError,
        "len of header .* got 1 names for 0 columns",
    ),
    (
        lambda w: w.add_image_with_boxes("a", ow.ones(3, 4, 4), ow.tensor([0, 0, 2, 2])),
        IndexError,
        r"box_tensor should be \(N, 4\).* shape \(4,\)",
    ),
    (lambda w: w.add_hparams({"a": ow.ones(0)}, {}), RuntimeError, "0 elements"),
    (lambda w: w.add_hparams([], {}), TypeError, "should be dictionary"),
    (lambda w: w.add_hparams({"a": []}, {}), ValueError, "hparam_dict.'a'.: value should be"),
    (lambda w: w.add_hparams({"a": 1}, {}, {"a": ["x"]}), TypeError, "list of same type"),
    (lambda w: w.add_custom_scalars_marginchart(["a"]), AssertionError, "Expected 3 tags"),
    (lambda w: w.add_custom_scalars({"a": {"b": ["Margin", []]}}), AssertionError, "three tags"),
]


@pytest.mark.parametrize(("call", "error", "text"), WRONG)
def test_what_is_wrong_is_told(call, error, text, tmp_path):
    with tensorboard.SummaryWriter(tmp_path) as writer, pytest.raises(error, match=text):
        call(writer)


def test_programs_of_pytorchs_run(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import opweave.as_torch\n"
        "opweave.as_torch.install()\n"
        "import torch\n"
        "from torch.utils.tensorboard import SummaryWriter\n"
        "from torch.utils.tensorboard.summary import hparams, make_np\n"
        "from torch.utils.tensorboard.writer import FileWriter\n"
        f"writer = SummaryWriter({str(tmp_path)!r})\n"
        "for step in range(3):\n"
        "    writer.add_scalar('loss', torch.tensor(1.0 / (step + 1)), step)\n"
        "writer.close()\n"
        "print(SummaryWriter.__module__, torch.utils.tensorboard.SummaryWriter is SummaryWriter)\n"
    )
    environment = {"PYTHONPATH": ":".join([str(Path(ow.__file__).parents[1]), *sys.path])}
    said = subprocess.run(
        [sys.executable, program], env=environment, capture_output=True, text=True, check=False
    )
    assert said.stdout == "torch.utils.tensorboard.writer True\n", said.stderr
    assert [e.step for e in _read(tmp_path).Scalars("loss")] == [0, 1, 2]


def test_a_curve_of_lists_is_that_of_tensors(tmp_path):
    """What was counted before may stand in lists."""
    rows = [[5, 3], [2, 1], [4, 6], [1, 2], [0.7, 0.75], [0.8, 0.6]]
    made = [
        tensorboard.summary.pr_curve_raw("curve", *given, num_thresholds=2)
        for given in (rows, [ow.tensor(row, dtype=ow.float64) for row in rows])
    ]
    assert made[0] == made[1]
