"""Whether the tests run under a sanitizer, which takes time and memory of its own."""

import os


def sanitized():
    """Whether a sanitizer's library was loaded before everything else."""
    return "san.so" in os.environ.get("LD_PRELOAD", "")
