# Types of opweave.version.
__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

__version__: str
debug: bool
cuda: str | None
hip: str | None
rocm: str | None
xpu: str | None
git_version: str
