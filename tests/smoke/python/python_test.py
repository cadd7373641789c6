"""The Python of the tests is Debian's, with NumPy and pytest."""

import sys

import numpy as np


def test_interpreter():
    assert sys.executable == "/usr/bin/python3"
    assert sys.version_info[:2] == (3, 11)


def test_numpy():
    assert np.add(1, 2) == 3
