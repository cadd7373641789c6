"""Recurrent layers and cells, packed sequences: outputs, states, gradients, parameters, printing, errors."""

from reference.cases.modules import FACTS, RAMP
from reference.samples import REAL, real
from reference.table import Table

table = Table()

STEPS = {"a": real(4, 2, 3)}
PADDED = {"a": real(4, 3, 3)}
LAYERS = (
    *("nn.LSTM(3, 4)", "nn.GRU(3, 4)", "nn.RNN(3, 4)", "nn.RNN(3, 4, nonlinearity='relu')"),
    *("nn.LSTM(3, 4, 2, bidirectional=True)", "nn.GRU(3, 4, 2, bidirectional=True, bias=False)"),
    *("nn.LSTM(3, 4, 2, proj_size=2)", "nn.RNN(3, 4, num_layers=2, bidirectional=True)"),
)
PACK = "R = ow.nn.utils.rnn; p = R.pack_padded_sequence(a, {}, enforce_sorted={}); "
for make in LAYERS:
    call = f"{RAMP}layer = ramp(ow.{make}.to(a.dtype)); "
    table.case("recurrent", f"{call}layer(a)", name=make, dtypes=REAL, tol=4, **STEPS)
    table.case("recurrent", f"{call}layer(a[:, 0])", name=f"{make} one example", **STEPS)
    grads = "layer(a)[0].pow(2).sum().backward(); [p.grad for p in layer.parameters()]"
    table.case("recurrent", call + grads, name=f"{make} gradients", grad=False, tol=4, **STEPS)
    table.case("recurrent", FACTS.format(make), name=f"{make} facts")
    for lengths, is_sorted in (("[4, 2, 1]", True), ("[1, 4, 3]", False)):
        code = PACK.format(lengths, is_sorted) + call + "o, s = layer(p); (o.data, s)"
        table.case("recurrent", code, name=f"{make} packed {lengths}", **PADDED)
    for wrong in (
        "a[..., :2]",
        "a[0, 0]",
        "a.float()",
        "a, ow.zeros(1, 1, 1)",
        "a[0], ow.zeros(1, 1, 4)",
    ):
        raised = f"{call}layer({wrong})"
        table.case("recurrent", raised, name=f"{make} of {wrong}", grad=False, raises=True, **STEPS)
table.case(
    "recurrent",
    f"{RAMP}layer = ramp(ow.nn.LSTM(3, 4, batch_first=True).double()); "
    "s = ow.arange(16.0, dtype=ow.float64).sin().view(1, 4, 4); layer(a, (s, s * 2))",
    name="batch_first with states",
    **STEPS,
)

CELLS = (
    "nn.LSTMCell(3, 4)",
    "nn.GRUCell(3, 4)",
    "nn.RNNCell(3, 4)",
    "nn.RNNCell(3, 4, False, 'relu')",
)
for make in CELLS:
    call = f"{RAMP}layer = ramp(ow.{make}.to(a.dtype)); "
    table.case("cell", f"{call}layer(a[0])", name=make, dtypes=REAL, **STEPS)
    state = "s = ow.arange(4.0, dtype=a.dtype)"
    given = "(s, s)" if "LSTM" in make else "s"
    table.case("cell", f"{call}{state}; layer(a[0, 0], {given})", name=f"{make} state", **STEPS)
    table.case("cell", FACTS.format(make), name=f"{make} facts")
    for wrong in ("a", "a[0, :, :2]"):
        code = f"{call}layer({wrong})"
        table.case("cell", code, name=f"{make} of {wrong}", grad=False, raises=True, **STEPS)

table.many(
    "packed",
    """ow.nn.utils.rnn.pack_padded_sequence(a, [4, 2, 2])[:2]
    ow.nn.utils.rnn.pack_padded_sequence(a, ow.tensor([1, 3, 2]), enforce_sorted=False)
    ow.nn.utils.rnn.pack_padded_sequence(a, [3, 3, 1, 1], batch_first=True)[:2]
    ow.nn.utils.rnn.pack_sequence([a[:3, 0], a[:2, 1]])[:2]
    ow.nn.utils.rnn.pack_sequence([a[:1, 0], a[:2, 1]], enforce_sorted=False)
    ow.nn.utils.rnn.pad_sequence([a[:1, 0], a[:3, 1]])
    ow.nn.utils.rnn.pad_sequence([a[:1, 0], a[:3, 1]], batch_first=True, padding_value=2.5)
    ow.nn.utils.rnn.pad_sequence([a[:1, 0], a[:3, 1]], padding_side="left")
    ow.nn.utils.rnn.unpad_sequence(a, ow.tensor([2, 1, 4]))""",
    **PADDED,
)
for options in ("", ", batch_first=True", ", padding_value=-1.0, total_length=6"):
    for lengths, is_sorted in (("[4, 2, 1]", True), ("[1, 3, 2]", False)):
        code = PACK.format(lengths, is_sorted) + f"R.pad_packed_sequence(p{options})"
        table.case("packed", code, name=f"pad_packed_sequence{options} {lengths}", **PADDED)
for wrong in (
    "pack_padded_sequence(a, [1, 2, 3])",
    "pack_padded_sequence(a, [4, 2])",
    "pack_padded_sequence(a, [4, 2, 0])",
    "pad_sequence([])",
    "pad_sequence(3)",
    "pad_packed_sequence(ow.nn.utils.rnn.pack_padded_sequence(a, [4, 2, 1]), total_length=3)",
):
    code = f"ow.nn.utils.rnn.{wrong}"
    table.case("packed", code, name=wrong.replace("ow.", ""), grad=False, raises=True, **PADDED)

for wrong in (
    *("nn.LSTM(3, 0)", "nn.LSTM(3, 4, 0)", "nn.LSTM(3, 4, dropout=2)", "nn.GRU(3, 4, proj_size=2)"),
    *("nn.RNN(3, 4, nonlinearity='x')", "nn.LSTM(3, 4, proj_size=4)", "nn.LSTM(3, 'a')"),
    "nn.RNNBase('x', 3, 4)",
):
    table.case("recurrent", f"ow.{wrong}", name=wrong, raises=True)
for make in (
    "nn.LSTM(2, 3, 2, dropout=0.5, bidirectional=True, batch_first=True)",
    "nn.RNN(2, 3, 2, 'relu', False)",
):
    table.case("recurrent", f"repr(ow.{make})", name=f"{make} repr")
