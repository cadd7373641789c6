"""What pip asks of setuptools."""

import sys

import setuptools
import setuptools.errors


def check_setuptools(package):
    """That it makes wheels, for which pip asks: before release 70.1 it left that to another package."""
    if {"dist_info", "bdist_wheel"}.isdisjoint(sys.argv):
        return
    try:
        setuptools.Distribution().get_command_class("bdist_wheel")
    except setuptools.errors.ModuleError:
        sys.exit(
            f"{package}: setuptools {setuptools.__version__} makes no wheels: 'pip install "
            '"setuptools>=70.1,<82"\' installs one that does'
        )
