"""Puts `tests/` on the path, and gives every test a module under test in its initial state."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from reference.runner import restore
from support import under_test


@pytest.fixture(name="ow")
def module_under_test():
    return under_test()


@pytest.fixture(autouse=True)
def initial_state():
    """Undoes what a test that failed half-way may have left behind."""
    yield
    restore(under_test())
