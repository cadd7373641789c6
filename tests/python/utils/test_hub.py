"""Files of weights from addresses, those of files: no network is asked. And models of a checkout."""

import hashlib
import zipfile

import opweave as ow
import pytest
from opweave import hub
from opweave.utils import model_zoo


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def weights(tmp_path):
    path = tmp_path / "weights.pt"
    ow.save({"w": ow.arange(3.0)}, path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    named = tmp_path / f"net-{digest[:8]}.pt"
    path.rename(named)
    return named


def test_names_that_libraries_import():
    assert hub.HASH_REGEX.search("net-0123abcd.pth").group(1) == "0123abcd"
    assert hub.urlparse("https://a.b/c.pt").path == "/c.pt"


def test_where_files_are_kept(home, monkeypatch, tmp_path):
    assert hub.get_dir() == str(home / "hub")
    monkeypatch.setattr(hub, "_dir", None)
    hub.set_dir(tmp_path)
    assert hub.get_dir() == str(tmp_path)


def test_weights_are_fetched_once(weights, home, capsys):
    loaded = hub.load_state_dict_from_url(weights.as_uri(), check_hash=True)
    assert loaded["w"].tolist() == [0.0, 1.0, 2.0]
    kept = home / "hub/checkpoints" / weights.name
    assert kept.read_bytes() == weights.read_bytes()
    assert "Downloading" in capsys.readouterr().err
    weights.unlink()
    assert model_zoo.load_url(weights.as_uri())["w"].tolist() == [0.0, 1.0, 2.0]
    assert "Downloading" not in capsys.readouterr().err


def test_another_file_than_meant_is_refused_and_not_kept(weights, home):
    wrong = weights.with_name("net-00000000.pt")
    weights.rename(wrong)
    with pytest.raises(RuntimeError, match='invalid hash value \\(expected "00000000", got'):
        hub.load_state_dict_from_url(wrong.as_uri(), check_hash=True, progress=False)
    assert list((home / "hub/checkpoints").iterdir()) == []


def test_an_archive_of_one_file_is_unpacked(weights, tmp_path):
    packed = tmp_path / "packed.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(weights, "inner.pt")
    loaded = hub.load_state_dict_from_url(packed.as_uri(), model_dir=tmp_path / "kept")
    assert loaded["w"].tolist() == [0.0, 1.0, 2.0]


CONF = '''
dependencies = ["math"]
from beside import SCALE


def layer(n, bias=True):
    """A layer."""
    import opweave as ow

    return ow.nn.Linear(n, SCALE, bias=bias)
'''


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / "hubconf.py").write_text(CONF)
    (folder / "beside.py").write_text("SCALE = 4")
    return folder


def test_models_of_a_checkout(checkout):
    layer = hub.load(checkout, "layer", 2, source="local", bias=False, verbose=False)
    assert (layer.weight.shape, layer.bias) == (ow.Size([4, 2]), None)
    assert hub.list(checkout) == ["layer"]
    assert hub.help(checkout, "layer") == "A layer."


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda c: hub.load("a/b", "layer"),
            NotImplementedError,
            "repositories are not fetched; clone it",
        ),
        (lambda c: hub.load(c, "layer", source="x"), ValueError, 'Unknown source: "x"'),
        (lambda c: hub.load(c, "none", source="local"), RuntimeError, "Cannot find callable none"),
        (lambda c: hub.load(c, 3, source="local"), ValueError, "should be a string"),
        (lambda c: hub.load(c.parent, "layer", source="local"), FileNotFoundError, "hubconf.py"),
        (lambda c: hub.list("a/b"), NotImplementedError, "repositories are not fetched"),
    ],
)
def test_what_is_not_there_is_said(checkout, call, error, text):
    with pytest.raises(error, match=text.replace("?", r"\?")):
        call(checkout)


def test_lacking_dependencies_are_named(checkout):
    conf = checkout / "hubconf.py"
    conf.write_text(conf.read_text().replace('"math"', '"no_such_module"'))
    with pytest.raises(RuntimeError, match="Missing dependencies: no_such_module"):
        hub.load(checkout, "layer", 2, source="local")
