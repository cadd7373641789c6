"""A plugin of pytest: imports the library that is tested before any test is read."""

import importlib
import os

importlib.import_module(os.environ["OPWEAVE_TESTED_LIBRARY"])
