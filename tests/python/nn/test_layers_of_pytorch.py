"""What layers derive from, beside PyTorch's (tests/reference/record_layers.py writes layers_of_pytorch.txt):
programs ask isinstance(m, nn.AvgPool2d), and libraries isinstance(m, _BatchNorm)."""

import pathlib

import opweave as ow
import pytest
from opweave import nn
from support.programs import run


def _recorded():
    text = (pathlib.Path(__file__).parent / "layers_of_pytorch.txt").read_text()
    lines = (line.partition(":") for line in text.splitlines())
    return {name: rest.split() for name, _, rest in lines}


RECORDED = _recorded()
THERE = sorted(name for name in RECORDED if hasattr(nn, name))


@pytest.mark.parametrize("name", THERE)
def test_a_layer_is_of_those_classes_that_pytorchs_is(name):
    above = {a.rpartition(".")[2] for a in RECORDED[name]} - {name}
    ours = {
        other
        for other in THERE
        if other != name and issubclass(getattr(nn, name), getattr(nn, other))
    }
    assert ours == above & set(THERE)


def test_private_bases_are_there_under_as_torch(tmp_path):
    bases = sorted({a for above in RECORDED.values() for a in above if "._" in a})
    program = f"""
import importlib, torch
for full in {bases!r}:
    module, _, name = full.rpartition(".")
    base = getattr(importlib.import_module(module), name)
    for layer, above in {RECORDED!r}.items():
        if full in above and hasattr(torch.nn, layer):
            assert issubclass(getattr(torch.nn, layer), base), (layer, full)
print(len({bases!r}))
"""
    said, errors = run(tmp_path, program)
    assert said == f"{len(bases)}\n", errors


class _Standardized(nn.Conv2d):
    def forward(self, x):
        weight = self.weight - self.weight.mean((1, 2, 3), keepdim=True)
        return self._conv_forward(x, weight, self.bias)


@pytest.mark.parametrize(
    "options", [{}, {"padding": 1, "padding_mode": "reflect"}, {"padding": "same"}]
)
def test_a_convolution_with_another_weight(options):
    layer = _Standardized(2, 3, 3, **options)
    x = ow.randn(1, 2, 5, 5)
    plain = nn.Conv2d(2, 3, 3, **options)
    plain.weight = nn.Parameter(
        layer.weight.detach() - layer.weight.detach().mean((1, 2, 3), keepdim=True)
    )
    plain.bias = layer.bias
    assert ow.equal(layer(x), plain(x))


def test_a_layer_derived_from_the_base_of_convolutions():
    class Partial(nn.modules.conv._ConvNd):
        def __init__(self, inputs, outputs, size):
            one, zero = (1, 1), (0, 0)
            super().__init__(
                inputs, outputs, (size, size), one, zero, one, False, zero, 1, True, "zeros"
            )

        def forward(self, x):
            return nn.functional.conv2d(x, self.weight, self.bias, self.stride, self.padding)

    layer = Partial(2, 3, 3)
    assert repr(layer) == "Partial(2, 3, kernel_size=(3, 3), stride=(1, 1))"
    assert layer.transposed is False
    assert layer._reversed_padding_repeated_twice == [0, 0, 0, 0]
    assert layer(ow.ones(1, 2, 4, 4)).shape == (1, 3, 2, 2)


def test_a_batch_norm_says_itself_which_inputs_it_takes():
    class AnyDims(nn.modules.batchnorm._BatchNorm):
        def _check_input_dim(self, input):
            if input.dim() == 3:
                raise ValueError("three")

    layer = AnyDims(2)
    assert layer(ow.randn(4, 2, 1, 1, 1, 1)).shape == (4, 2, 1, 1, 1, 1)
    with pytest.raises(ValueError, match=r"^three$"):
        layer(ow.randn(4, 2, 3))


def test_states_from_before_batches_were_counted_are_loaded():
    layer = nn.BatchNorm1d(2)
    state = layer.state_dict()
    assert state._metadata[""] == {"version": 2}
    plain = dict(state)
    del plain["num_batches_tracked"]
    assert str(nn.BatchNorm1d(2).load_state_dict(plain)) == "<All keys matched successfully>"
    del state["num_batches_tracked"]
    with pytest.raises(
        RuntimeError, match=r'Missing key\(s\) in state_dict: "num_batches_tracked"'
    ):
        nn.BatchNorm1d(2).load_state_dict(state)


def test_instances_are_not_normalised_over_processes():
    net = nn.SyncBatchNorm.convert_sync_batchnorm(
        nn.Sequential(nn.InstanceNorm1d(2), nn.BatchNorm1d(2))
    )
    assert [type(m) for m in net] == [nn.InstanceNorm1d, nn.SyncBatchNorm]


def test_what_did_not_match_is_named_as_pytorch_names_it():
    found = nn.Linear(1, 1).load_state_dict({}, strict=False)
    assert repr(found) == "_IncompatibleKeys(missing_keys=['weight', 'bias'], unexpected_keys=[])"


def test_sizes_of_windows_may_be_left_to_the_input():
    x = ow.arange(24.0).reshape(1, 1, 4, 6)
    assert nn.functional.adaptive_max_pool2d(x, (2, None)).shape == (1, 1, 2, 6)
    assert nn.AdaptiveMaxPool2d((None, 3))(x).shape == (1, 1, 4, 3)
    assert nn.AdaptiveAvgPool2d((None, 3))(x).shape == (1, 1, 4, 3)
    with pytest.raises(ValueError, match="Input dimension should be at least 5"):
        nn.functional.adaptive_max_pool2d(x, (1, 1, 1, 1))
