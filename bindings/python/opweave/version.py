"""What Opweave was built with, under PyTorch's names; None is what it was built without."""

from opweave._version import __version__

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

debug = False
cuda = None
hip = None
rocm = None
xpu = None
git_version = "unknown"
