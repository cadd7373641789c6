"""The processor."""

__all__ = ["get_cpu_capability"]

_FLAGS = (("avx512f", "AVX512"), ("avx2", "AVX2"))


def get_cpu_capability():
    """The widest instructions that the processor has: "AVX512", "AVX2" or "DEFAULT"."""
    with open("/proc/cpuinfo") as file:
        line = next((text for text in file if text.startswith("flags")), "")
    has = line.split()
    return next((name for flag, name in _FLAGS if flag in has), "DEFAULT")
