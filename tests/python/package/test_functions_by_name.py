"""Functions are pickled by their names: networks that keep one, as a TransformerEncoderLayer its activation,
are saved whole."""

import io
import pickle

import opweave as ow
import pytest

MODULES = [ow, ow.nn.functional, ow.nn.init, ow.special, ow.linalg, ow.func, ow.nn.utils]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_public_functions_are_found_again(module):
    names = [n for n in dir(module) if not n.startswith(("_", "has_torch_function"))]
    functions = {n: getattr(module, n) for n in names if callable(getattr(module, n))}
    lost = [n for n, f in functions.items() if pickle.loads(pickle.dumps(f)) is not f]
    assert not lost


@pytest.mark.parametrize("activation", [ow.nn.functional.relu, ow.nn.functional.gelu, ow.tanh])
def test_a_network_that_keeps_a_function_is_saved_whole(activation):
    layer = ow.nn.TransformerEncoderLayer(4, 2, 8, activation=activation, dropout=0.0)
    file = io.BytesIO()
    ow.save(layer, file)
    file.seek(0)
    again = ow.load(file, weights_only=False)
    x = ow.randn(3, 1, 4)
    assert ow.equal(again(x), layer(x))
    assert again.activation is activation
