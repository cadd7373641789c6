"""What programs write with a SummaryWriter, and what tensorboard's own readers find in the files.

A case is a function of a writer and of the module whose tensors it writes. PyTorch's files are recorded in
data/event_files.json, in a Python that has PyTorch and the packages tensorboard and matplotlib.
"""

import base64
import importlib
import io
import math
import tempfile
from pathlib import Path

WALL = 1_600_000_000.5  # of each event
CASES = {}
# What EventAccumulator lists beside tags.
_FLAGS = ("graph", "meta_graph", "run_metadata")


def case(function):
    """Adds a case under the name of its function."""
    CASES[function.__name__] = function
    return function


def _ramp(m, *sizes):
    """Numbers from 0 to 1."""
    count = math.prod(sizes)
    return (m.arange(count) % 17 / 16).reshape(sizes)


@case
def scalars(w, m):
    w.add_scalar("loss", 0.5, 1, WALL)
    w.add_scalar("loss", m.tensor(0.25), m.tensor(2), WALL)
    w.add_scalar("half", m.tensor([1.5], dtype=m.float16), 0, WALL)
    w.add_scalar("brain", m.tensor(2.5, dtype=m.bfloat16), 0, WALL)
    w.add_scalar("needs/grad", m.ones(1, 1, requires_grad=True), 3, WALL)
    w.add_scalar("int", 7, 4, WALL)
    w.add_scalar("nan", float("nan"), 4, WALL)
    w.add_scalar("new", 1 / 3, 5, WALL, new_style=True)
    w.add_scalar("double", 1 / 3, 5, WALL, new_style=True, double_precision=True)
    w.add_scalar("without a step", 1.0, walltime=WALL)


@case
def several_scalars(w, m):
    w.add_scalars("loss/all", {"train": 1.0, "test": m.tensor(2.0)}, 1, WALL)
    w.add_scalars("loss/all", {"train": 0.5, "test": 1.5}, 2, WALL)


@case
def histograms(w, m):
    w.add_histogram("ramp", _ramp(m, 40), 1, walltime=WALL)
    w.add_histogram("both signs", m.tensor([-3.0, -1e-3, 0.0, 0.0, 2.0, 5.5]), 2, walltime=WALL)
    w.add_histogram("ints", m.arange(10), 3, bins=5, walltime=WALL)
    w.add_histogram("auto", _ramp(m, 4, 8), 4, bins="auto", walltime=WALL)
    w.add_histogram("few", _ramp(m, 100), 5, max_bins=10, walltime=WALL)
    w.add_histogram("rest", _ramp(m, 100), 5, bins=13, max_bins=5, walltime=WALL)
    w.add_histogram("one", m.tensor([2.0]), 6, walltime=WALL)
    w.add_histogram("low", m.tensor([0.0, 0.1, 0.9]), 6, bins=[0.0, 0.5, 1.0], walltime=WALL)
    w.add_histogram("brain", _ramp(m, 8).to(m.bfloat16), 6, walltime=WALL)


@case
def raw_histograms(w, m):
    w.add_histogram_raw("raw", 0, 3, 6, 9.0, 20.0, [1.0, 2.0, 3.0], [1, 2, 3], 1, WALL)


@case
def pictures(w, m):
    w.add_image("rgb", _ramp(m, 3, 4, 5), 1, WALL)
    w.add_image("gray", _ramp(m, 1, 4, 5), 1, WALL)
    w.add_image("alpha", _ramp(m, 4, 5, 4), 1, WALL, dataformats="HWC")
    w.add_image("plane", _ramp(m, 4, 5), 1, WALL, dataformats="HW")
    w.add_image("bytes", m.arange(60, dtype=m.uint8).reshape(3, 4, 5), 2, WALL)
    w.add_image("beyond", _ramp(m, 3, 2, 2) * 3 - 1, 2, WALL)
    w.add_image("wide first", _ramp(m, 5, 4, 3), 2, WALL, dataformats="WHC")


@case
def several_pictures(w, m):
    w.add_images("grid", _ramp(m, 10, 3, 2, 3), 1, WALL)
    w.add_images("gray", _ramp(m, 3, 1, 2, 3), 1, WALL)
    w.add_images("last", _ramp(m, 2, 2, 3, 3), 1, WALL, dataformats="NHWC")


@case
def boxes(w, m):
    at = m.tensor([[2, 2, 12, 10], [4, 5, 20, 18]])
    w.add_image_with_boxes("boxes", _ramp(m, 3, 24, 32), at, 1, WALL)
    w.add_image_with_boxes("scaled", _ramp(m, 3, 24, 32), at, 1, WALL, rescale=2)
    w.add_image_with_boxes("too few labels", _ramp(m, 3, 24, 32), at, 1, WALL, labels="one")


@case
def text(w, m):
    w.add_text("notes", "# ü\n|a|b|\n|-|-|\n|1|2|", 1, WALL)


@case
def sounds(w, m):
    w.add_audio("ramp", _ramp(m, 1, 100) * 2 - 1, 1, 8000, WALL)
    w.add_audio("loud", m.tensor([0.0, 2.0, -3.0]), 2, walltime=WALL)


@case
def tensors(w, m):
    for name in ("float32", "float64", "int8", "int16", "int32", "int64", "bool"):
        w.add_tensor(name, m.arange(6).reshape(2, 3).to(getattr(m, name)), 1, WALL)
    w.add_tensor("scalar", m.tensor(0.5), 1, WALL)


@case
def curves(w, m):
    labels, predictions = m.arange(40) % 3 == 0, _ramp(m, 40)
    w.add_pr_curve("curve", labels, predictions, 1, walltime=WALL)
    w.add_pr_curve("few", labels.to(m.int64), predictions, 1, num_thresholds=9, walltime=WALL)
    w.add_pr_curve("many", labels, predictions, 1, num_thresholds=200, walltime=WALL)
    weights = _ramp(m, 40).numpy()
    w.add_pr_curve("weighted", labels, predictions, 1, 9, weights=weights, walltime=WALL)
    rows = [_ramp(m, 4) * i for i in range(1, 7)]
    w.add_pr_curve_raw("raw", *rows, global_step=2, num_thresholds=4, walltime=WALL)


@case
def charts(w, m):
    w.add_custom_scalars(
        {"A": {"lines": ["Multiline", ["a", "b"]], "band": ["Margin", ["a", "b", "c"]]}}
    )


@case
def charts_of_one_kind(w, m):
    w.add_custom_scalars_multilinechart(["x", "y"], "cat", "title")


@case
def charts_with_margins(w, m):
    w.add_custom_scalars_marginchart(["x", "y", "z"])


@case
def settings(w, m):
    w.add_hparams(
        {"lr": 0.1, "n": 3, "flag": True, "name": "sgd", "none": None, "t": m.tensor([0.5])},
        {"hparam/loss": 0.25, "hparam/n": m.tensor(2)},
        {"name": ["sgd", "adam"], "n": [1, 3]},
        run_name="run",
        global_step=4,
    )


@case
def meshes(w, m):
    points = _ramp(m, 1, 4, 3)
    w.add_mesh("points", points, global_step=1, walltime=WALL)
    colors = (_ramp(m, 1, 4, 3) * 255).to(m.int64)
    faces = m.tensor([[[0, 1, 2], [1, 2, 3]]])
    config = {"camera": {"cls": "PerspectiveCamera", "fov": 75}}
    w.add_mesh("all", points, colors, faces, config, 2, WALL)


@case
def embeddings(w, m):
    points = _ramp(m, 3, 4)
    w.add_embedding(points)
    w.add_embedding(points, ["a", "b", "ü"], _ramp(m, 3, 3, 2, 2), 1, "a/b%c")
    w.add_embedding(points, [["a", 1], ["b", 2], ["c", 3]], None, 2, "t", ["name", "n"])


@case
def figures(w, m):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    def drawn(color):
        figure = Figure(figsize=(0.2, 0.1), dpi=100, facecolor=color)
        return figure

    w.add_figure("one", drawn("red"), 1, walltime=WALL)
    w.add_figure("two", [drawn("red"), drawn("blue")], 1, walltime=WALL)


def written(module, name):
    """By run what tensorboard reads of the files that a case writes, and the other files as text."""
    from tensorboard.backend.event_processing import event_accumulator

    writers = importlib.import_module(f"{module.__name__}.utils.tensorboard")
    with tempfile.TemporaryDirectory() as folder:
        with writers.SummaryWriter(folder) as writer:
            CASES[name](writer, module)
        found = {}
        for path in sorted(p for p in Path(folder).rglob("*") if p.is_file()):
            run = str(path.parent.relative_to(folder))
            if "tfevents" not in path.name:
                content = path.read_bytes()
                png = path.suffix == ".png"
                found[f"{run}/{path.name}"] = _pixels(content) if png else content.decode()
                continue
            reader = event_accumulator.EventAccumulator(str(path.parent), size_guidance={})
            tags = reader.Reload().Tags()
            listed = {k: sorted(v) for k, v in tags.items() if v and k not in _FLAGS}
            found[run] = {"tags": listed, "events": list(_events(path))}
        return found


def _events(path):
    from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader

    for event in LegacyEventFileLoader(str(path)).Load():
        for value in event.summary.value:
            known = event.wall_time == WALL
            yield {"step": event.step, "time": "as given" if known else "now", **_plain(value)}


def _plain(value):
    """A message as JSON, without what another version of a package may write in other words."""
    from google.protobuf.json_format import MessageToDict

    plain = MessageToDict(value, preserving_proto_field_name=True)
    if value.HasField("image"):
        plain["image"]["encoded_image_string"] = _pixels(value.image.encoded_image_string)
    data = plain.get("metadata", {}).get("plugin_data", {})
    if data.get("plugin_name") == "hparams":
        from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

        content = HParamsPluginData.FromString(base64.b64decode(data["content"]))
        data["content"] = MessageToDict(content, preserving_proto_field_name=True)
        data["content"].get("experiment", {}).pop("time_created_secs", None)
    return plain


def _pixels(png):
    from PIL import Image

    picture = Image.open(io.BytesIO(png))
    return [picture.mode, list(picture.size), base64.b64encode(picture.tobytes()).decode()]


def record(module):
    """All answers of one module."""
    return {name: written(module, name) for name in CASES}
