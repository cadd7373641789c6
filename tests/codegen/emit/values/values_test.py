"""Operators of every type that a schema may name: that they are there, and that they compile."""

from pathlib import Path

HERE = Path("tests/codegen/emit/values")


def test_they_compile():
    assert list(HERE.glob("libcompiled.*"))


def test_every_kind_is_there():
    text = (HERE / "ops.yaml").read_text()
    for piece in ["Tensor?[] x", "int[2]? x", "-> Generator", "-> Tensor[]", "-> (Tensor, Scalar"]:
        assert piece in text
