"""Counts of floating-point operations: those of PyTorch 2.15 for the same programs, by module and
operator."""

import opweave as ow
import pytest
from opweave import nn
from opweave.utils import flop_counter
from opweave.utils.flop_counter import FlopCounterMode, register_flop_formula
from opweave.utils.module_tracker import ModuleTracker

aten = ow.ops.aten


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(8, 4, 2, groups=2)
        self.fc = nn.Sequential(nn.Linear(4 * 9 * 9, 16), nn.ReLU(), nn.Linear(16, 5, bias=False))

    def forward(self, x):
        return self.fc(self.up(self.conv(x)).flatten(1))


def counts(counter):
    return {
        module: {str(op): n for op, n in of.items()}
        for module, of in counter.get_flop_counts().items()
    }


NET = {
    "aten.convolution": 71680, "aten.addmm": 20736, "aten.mm": 42432,
    "aten.convolution_backward": 104448,
}  # fmt: skip


def test_convolutions_and_products():
    with FlopCounterMode(display=False) as counter:
        Net()(ow.randn(2, 3, 16, 16)).sum().backward()
    assert counter.get_total_flops() == 239296
    assert counts(counter) == {
        "Global": NET,
        "Net": NET,
        "Net.conv": {"aten.convolution": 55296, "aten.convolution_backward": 55296},
        "Net.fc": {"aten.addmm": 20736, "aten.mm": 42432},
        "Net.fc.0": {"aten.addmm": 20736, "aten.mm": 41472},
        "Net.fc.2": {"aten.mm": 960},
        "Net.up": {"aten.convolution": 16384, "aten.convolution_backward": 49152},
    }


def test_attention_counts_as_its_products():
    q = ow.randn(2, 4, 6, 8, requires_grad=True)
    with FlopCounterMode(display=False) as counter:
        nn.functional.scaled_dot_product_attention(q, q, q, dropout_p=0.5).sum().backward()
    assert counts(counter) == {"Global": {"aten.bmm": 27648}}
    with FlopCounterMode(display=False) as counter:  # the backward pass computes scores anew
        nn.functional.scaled_dot_product_attention(q, q, q).sum().backward()
    name = "aten._scaled_dot_product_flash_attention_for_cpu"
    assert counts(counter) == {"Global": {name: 9216, f"{name}_backward": 23040}}


def test_a_layer_of_a_transformer_by_its_modules():
    """Who is at work after a backward pass: nobody, although no gradient of an input said that it was
    done."""
    with FlopCounterMode(display=False) as counter:
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)(ow.randn(2, 5, 8)).sum().backward()
        ow.einsum("bij,bjk->bik", ow.randn(2, 3, 4), ow.randn(2, 4, 5))
        ow.baddbmm(ow.zeros(2, 3, 3), ow.randn(2, 3, 4), ow.randn(2, 4, 3))
        ow.randn(3) @ ow.randn(3, 4)
    total = {name: sum(of.values()) for name, of in counter.get_flop_counts().items()}
    assert total == {
        "Global": 31680 + 240 + 144 + 24,
        "TransformerEncoderLayer": 31680,
        "TransformerEncoderLayer.linear1": 7680,
        "TransformerEncoderLayer.linear2": 7680,
        "TransformerEncoderLayer.self_attn": 16320,
    }


def test_a_tracker_forgets_modules_at_the_end_of_a_backward_pass():
    model = nn.Sequential(nn.Linear(2, 2))
    with ModuleTracker() as tracker:
        model(ow.ones(1, 2)).sum().backward()
        assert tracker.parents == {"Global"}
        assert not tracker.is_bw


def test_the_table(capsys):
    with FlopCounterMode(depth=2):
        Net()(ow.randn(2, 3, 16, 16)).sum().backward()
    lines = capsys.readouterr().out.splitlines()
    assert lines[:7] == [
        "Module                             FLOP    % Total",
        "-----------------------------  --------  ---------",
        "Net                            239.296K    100.00%",
        " - aten.convolution             71.680K     29.95%",
        " - aten.addmm                   20.736K      8.67%",
        " - aten.mm                      42.432K     17.73%",
        " - aten.convolution_backward   104.448K     43.65%",
    ]
    assert not any("fc.0" in line for line in lines)
    with FlopCounterMode():
        ow.ones(2) + 1
    assert capsys.readouterr().out == (
        "Module      FLOP    % Total\n--------  ------  ---------\nGlobal         0         0%\n"
    )
    with FlopCounterMode(display=False) as counter:
        nn.Linear(2, 2)(ow.ones(1, 2))
        ow.ones(2, 2) @ ow.ones(2, 2)
    assert counter.get_table().splitlines()[2].split() == ["Global", "24", "100.00%"]


def test_formulas_of_programs():
    @ow.library.custom_op("flop_counter_test::scale", mutates_args=())
    def scale(x: ow.Tensor) -> ow.Tensor:
        return x * 2

    packet = ow.ops.flop_counter_test.scale

    @register_flop_formula(packet)
    def scale_flops(x_shape, *, out_shape=None):
        assert tuple(out_shape) == tuple(x_shape)
        return x_shape[0]

    try:
        with FlopCounterMode(display=False) as counter:
            scale(ow.randn(8))
        assert counter.get_total_flops() == 8
        with pytest.raises(RuntimeError, match="duplicate registrations for"):
            register_flop_formula([packet])(scale_flops)
    finally:
        del flop_counter.flop_registry[packet]
    with pytest.raises(ValueError, match=r"expected each target to be OpOverloadPacket .*, got 3"):
        register_flop_formula(3)(scale_flops)
    own = {aten.exp: lambda shape, out_shape=None: 100}
    with FlopCounterMode(display=False, custom_mapping=own) as counter:
        ow.ones(3).exp()
    assert counter.get_total_flops() == 100


def test_shapes_that_do_not_go_together():
    for name, shapes, words in [
        ("mm_flop", [(2, 3), (4, 5)], "inner dimensions must match"),
        ("bmm_flop", [(1, 2, 3), (2, 3, 5)], "batch dimensions must match"),
        ("sdpa_flop_count", [(1, 3, 2, 4), (1, 2, 2, 4), (1, 2, 2, 4)], "must be a multiple"),
    ]:
        with pytest.raises(AssertionError, match=words):
            getattr(flop_counter, name)(*shapes)
    # Of attention as one operator, which is not there: formulas that programs call themselves.
    q, k = (2, 4, 6, 8), (2, 2, 5, 8)
    assert flop_counter.sdpa_flop_count(q, k, (2, 2, 5, 3)) == 5280
    assert flop_counter.sdpa_backward_flop_count((2, 4, 6, 3), q, k, (2, 2, 5, 3)) == 14400
