"""opweave.backends.cuda.matmul: how products of matrices on CUDA devices may round, and sum up."""

from opweave.backends import _precision
from opweave.backends._settings import Setting, Settings


class _Reduction(Setting):
    """Whether sums of 16 bits are permitted: a bool, or a pair of them, whose second is of sums in parts."""

    split_k = True

    def assign(self, name, value):
        """Takes a value.

        Raises:
            TypeError: neither of these.
            RuntimeError: the first and not the second.
        """
        pair = value if isinstance(value, (list, tuple)) else (value,)
        if not 1 <= len(pair) <= 2 or not all(isinstance(one, bool) for one in pair):
            raise TypeError(
                f"{name} expects a bool, or one or two of them in a tuple, but got {value!r}"
            )
        split_k = len(pair) == 1 or pair[1]
        if pair[0] and not split_k:
            raise RuntimeError(
                f"{name} = {value!r}: allow_splitk=False is not supported when reduced precision reductions "
                "are enabled"
            )
        self.value, self.split_k = pair[0], split_k


class _SplitK(Setting):
    """The second of the pair, which is assigned with the first."""

    def __init__(self, reduction):
        self._reduction = reduction

    @property
    def value(self):
        """What the pair said."""
        return self._reduction.split_k

    def assign(self, name, value):
        """Raises."""
        first = name.removesuffix("_split_k")
        raise AttributeError(f"{name} cannot be assigned; assign a pair to {first}")


class cuBLASModule(Settings):  # noqa: N801 - PyTorch's name
    """The settings; whatever they permit, kernels round and sum up in float32."""

    def __init__(self):
        settings = {
            "allow_fp16_accumulation": Setting(False),
            "allow_tf32": _precision.AllowTF32([_precision.cuda_of["matmul"]], "ieee"),
            "fp32_precision": _precision.cuda_of["matmul"],
            "prefer_cublaslt_grouped_gemm": Setting(False),
        }
        for dtype in ("fp16", "bf16"):
            reduction, name = _Reduction(True), f"allow_{dtype}_reduced_precision_reduction"
            settings |= {name: reduction, f"{name}_split_k": _SplitK(reduction)}
        super().__init__("opweave.backends.cuda.matmul", settings)


matmul = cuBLASModule()
