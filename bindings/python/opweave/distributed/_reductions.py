"""ReduceOp: how tensors are combined."""

import enum
import warnings

from opweave._distributed import _reduction_names


class _Reductions(enum.StrEnum):
    @classmethod
    def _missing_(cls, value):
        raise ValueError(f"ReduceOp: expected one of {', '.join(cls)}, got {value!r}")


ReduceOp = _Reductions("ReduceOp", {n.upper(): n for n in _reduction_names()}, module=__name__)
ReduceOp.RedOpType = ReduceOp  # PyTorch has its members in a type of their own
ReduceOp.__doc__ = "How tensors are combined: `ReduceOp.SUM`."


class _Deprecated:
    """`reduce_op.SUM`, from before there was a ReduceOp."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        warnings.warn(
            "`reduce_op` is deprecated, please use `ReduceOp` instead", FutureWarning, stacklevel=2
        )
        return getattr(ReduceOp, name)


reduce_op = _Deprecated()
