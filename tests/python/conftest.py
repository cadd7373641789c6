"""Puts `tests/` on the path, and gives every test a module under test in its initial state."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from support import under_test  # noqa: E402


@pytest.fixture(name="ow")
def module_under_test():
    return under_test()


@pytest.fixture(autouse=True)
def initial_state():
    """Undoes what a test that failed half-way may have left behind."""
    yield
    ow = under_test()
    getattr(ow, "set_default_dtype", lambda dtype: None)(ow.float32)
    getattr(ow, "set_printoptions", lambda profile: None)(profile="default")
    getattr(ow, "set_grad_enabled", lambda mode: None)(True)
