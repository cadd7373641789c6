"""A plugin of pytest: imports the library that is tested before any test is read."""

import importlib
import os


def pytest_configure(config):
    """Called by pytest."""
    importlib.import_module(os.environ["OPWEAVE_TESTED_LIBRARY"])
