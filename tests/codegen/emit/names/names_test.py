"""Operators with arguments of every name that emitters use: that they have them, and that they compile."""

import re
from pathlib import Path

HERE = Path("tests/codegen/emit/names")


def test_they_compile():
    assert list(HERE.glob("libcompiled.*"))
    assert list(HERE.glob("libstable_names.*"))


def test_arguments_have_the_names():
    own = re.findall(
        r"^OW_\w+_NAME\(([a-z]\w*)\)$",
        Path("codegen/emit/text/own_names.def").read_text(),
        re.MULTILINE,
    )
    arguments = set(re.findall(r"Tensor (\w+)", (HERE / "ops.yaml").read_text()))
    assert len(own) > 60
    # Words of the languages in which entries are written, and what is no name of an argument in them.
    missing = set(own) - arguments
    assert missing == {
        "call",
        "final",
        "grad_input_mask",
        "grads",
        "int64_t",
        "name",
        "none",
        "override",
        "self",
        "size_t",
    }
