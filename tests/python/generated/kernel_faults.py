"""Errors that only a kernel's fault can make: a call that ends in one is not refused, its kernel is wrong."""

import re

import pytest

# Of the checks behind kernels, of what never happens, and of the C++ library's containers.
_TEXTS = re.compile(
    r"\bthe kernel (?:returned|put)\b|\ba boxed kernel of\b|\binternal error\b"
    r"|\bstd::|\b_M_\w+|\bmap::at\b|\bbad (?:optional|variant)[_ ]access\b"
)


class KernelFaultError(pytest.fail.Exception):
    """Fails a test, whatever refusals the test allows."""


def tell(case, error):
    """Raises KernelFaultError where the error of a call is the kernel's fault."""
    if _TEXTS.search(str(error)):
        operator = case.operator
        what = f"its kernel is wrong: {type(error).__name__}: {error}"
        text = f"{operator.place}: {operator.full_name}: {what}\n{case.told}"
        raise KernelFaultError(text, pytrace=False) from None
