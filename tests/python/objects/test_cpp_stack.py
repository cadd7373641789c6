"""Errors that say where in C++ they were thrown, in processes of their own."""

import os
import subprocess
import sys

SCRIPT = """
import opweave
try:
    opweave.ones(2).squeeze(5)
except IndexError as error:
    print(error)
"""
MESSAGE = "Dimension out of range (expected to be in range of [-1, 0], but got 5)"


def said(**settings):
    kept = {k: v for k, v in os.environ.items() if k != "TORCH_SHOW_CPP_STACKTRACES"}
    command = [sys.executable, "-c", SCRIPT]
    return subprocess.run(
        command, env=kept | settings, capture_output=True, text=True, check=True
    ).stdout


def test_an_error_is_its_message():
    assert said() == said(TORCH_SHOW_CPP_STACKTRACES="0") == MESSAGE + "\n"


def test_an_error_has_the_stack_on_request():
    text = said(TORCH_SHOW_CPP_STACKTRACES="1")
    assert text.startswith(MESSAGE + "\n\nC++ stack (most recent call first):\nframe #0: ")
    assert "opweave::ops::squeeze_dim::call(opweave::Tensor const&, " in text
    assert "libopweave.so" in text
