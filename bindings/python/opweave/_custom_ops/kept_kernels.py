"""get_kernel: what is registered for an operator and a dispatch key, to be called past the dispatcher."""

from opweave import _C
from opweave._custom_ops.keys import DispatchKeySet, key_name
from opweave._ops import operator_of


class KernelFunction:
    """A kernel as it was registered when it was asked for; it stays callable when another takes its place."""

    __slots__ = ("_kept", "op_handle")

    def __init__(self, operator, kept):
        self.op_handle = operator
        self._kept = kept

    def call_boxed(self, keyset, *args, **kwargs):
        """Calls the kernel.

        Args:
            keyset: the keys of the call, as a kernel gets them that is registered `with_keyset`.
            args: those of the operator.
            kwargs: likewise.
        """
        if not isinstance(keyset, DispatchKeySet):
            raise TypeError(
                f"call_boxed(): expected a DispatchKeySet first, got {type(keyset).__name__}"
            )
        return self.op_handle._call_kept(self._kept, keyset.raw_repr(), *args, **kwargs)

    def __repr__(self):
        return f"<kernel of {self.op_handle!r}>"


def get_kernel(op, dispatch_key):
    """The kernel that calls of an operator with this key run.

    Args:
        op: "aten::add.Tensor", "mine::f", or an operator of `opweave.ops`.
        dispatch_key: the name of the key: "CPU", "Autograd", …

    Raises:
        ValueError: `op` is neither, or there is no such key.
        RuntimeError: there is no such operator, or no kernel of it for the key.
    """
    op = operator_of(op)
    if not isinstance(op, str | _C._Operator):
        raise ValueError(f"get_kernel({op}): got unexpected type for op: {type(op)}")
    operator = _C._find_operator(op.removeprefix("aten::")) if isinstance(op, str) else op
    if operator is None:
        raise RuntimeError(f"operator {op} does not exist")
    key = key_name(str(dispatch_key))
    if key not in _C._dispatch_keys():
        raise ValueError(f"Invalid dispatch key: {dispatch_key}")
    kept = operator._keep_kernel(key)
    if kept is None:
        raise RuntimeError(f"no kernel for {dispatch_key} for {operator.name}")
    return KernelFunction(operator, kept)
