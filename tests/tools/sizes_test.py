"""tools/dev/sizes.py: every byte of a library is in one row, and names lead to their operators."""

import gzip
import json
import pathlib
import sys

sys.path.insert(0, "tools/dev")

import sizes

LIBRARY = pathlib.Path("bindings/native/libopweave.so")


def test_rows_add_up_to_the_file():
    found = sizes.report([LIBRARY], None, pathlib.Path())
    library = found["libraries"][LIBRARY.name]
    assert library["bytes"] == LIBRARY.stat().st_size
    assert library["operators"] + sum(library["rest"].values()) == library["bytes"]
    assert sum(found["operators"].values()) == library["operators"]
    assert sum(found["targets"].values()) == library["operators"]
    assert sum(found["dtypes"].values()) == library["operators"]
    assert sum(row["bytes"] for row in found["places"]) == library["operators"]
    assert all(size > 0 for size in library["rest"].values())
    assert library["operators"] > library["bytes"] / 4


def test_names_lead_to_operators():
    operators = sizes.Operators(LIBRARY)
    found = {
        "opweave::ops::silu::call(opweave::Tensor const&)": "silu",
        "opweave::ops::add__Tensor::entry": "add",
        "opweave::(anonymous namespace)::SiluBackward0::apply(int)": "silu",
        "opweave::silu_backward_self_boxed(opweave::Tensor const&)": "silu",
        "opweave::composite::softmax_int(opweave::Tensor const&, long)": "softmax",
        "opweave::cpu::N_AVX3::(anonymous namespace)::VectorLoop<opweave::cpu::N_AVX3::PointwiseShape"
        "<opweave::cpu::N_AVX3::silu_expr, 1, 0, 0u>, float>::run(void*)": "silu",
        "opweave::silu_forward(opweave::ForwardCall&)": "silu",
        "opweave::ops::nll_loss_forward::call(opweave::Tensor const&)": "nll_loss_forward",
        "opweave::ops::std::call(opweave::Tensor const&)": "std",
        "void std::vector<opweave::Tensor>::push_back(opweave::Tensor&&)": None,
        "std::_Function_handler<void (), opweave::run::{lambda}>": None,
        "opweave::Engine::run(clone) [clone .cold]": None,
        "opweave::make_tensor(opweave::IntList)": None,
    }
    assert {name: operators.find(name) for name in found} == found


def test_loops_have_a_dtype_and_a_target():
    loop = "opweave::cpu::N_AVX3::ScalarLoop<opweave::cpu::PointwiseShape<a_expr, 1, 0, 0u>, long>::run()"
    assert sizes.dtype_of(loop) == "int64"
    assert sizes.target_of(loop) == "cpu"
    assert sizes.dtype_of("opweave::ops::a::call()") == ""
    assert sizes.target_of("opweave::meta::a_kernel()") == "meta"
    assert sizes.target_of("opweave::a_forward(opweave::ForwardCall&)") == "forward"
    assert sizes.target_of("opweave::ops::a_forward::call(opweave::Tensor const&)") == "dispatch"
    assert sizes.target_of("opweave::(anonymous namespace)::ABackward0::apply()") == "autograd"


def test_seconds_are_divided_by_bytes(tmp_path):
    events = [
        {"name": "Compiling generated/opweave/cpu/pointwise_00.cc", "dur": 3_000_000},
        {"name": "Compiling runtime/core/tensor/tensor.cc", "dur": 5_000_000},
    ]
    for event in events:
        event["cat"] = "action processing"
    profile = tmp_path / "profile.gz"
    profile.write_bytes(gzip.compress(json.dumps({"traceEvents": events}).encode()))
    seconds = sizes.compile_seconds(profile)
    assert seconds == {"opweave/cpu/pointwise_00.cc": 3.0}
    assert sizes.compile_seconds(profile, 1.5) == {"opweave/cpu/pointwise_00.cc": 1.5}
    shared, rest = sizes.share_seconds(seconds, tmp_path, sizes.Operators(LIBRARY))
    assert (shared, rest) == ({}, 3.0)  # there is no such object file
