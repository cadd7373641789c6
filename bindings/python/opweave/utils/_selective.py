"""Which operators of a checkpointed function run again: the others' results are kept.

Two dispatch modes share a storage: that of the first run keeps results, or notes that there is none; that
of the second run takes them in their order, operator by operator, and runs the rest.
"""

import enum
import warnings
from collections import defaultdict

from opweave import _C
from opweave._ops import HigherOrderOperator, OpOverload, OpOverloadPacket, aten, overload_of
from opweave.autograd.graph import chosen_hooks
from opweave.utils._python_dispatch import TorchDispatchMode
from opweave.utils._pytree import tree_map

# Checkpoints detach what is saved, in either run another number of times.
SAC_IGNORED_OPS = {aten.detach.default}


class CheckpointPolicy(enum.Enum):
    """What becomes of an operator's results: they are kept, or it runs again. MUST binds other subsystems,
    too."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4  # those run again
    PREFER_CPU_OFFLOAD = 5


_KEPT = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)


class SelectiveCheckpointContext:
    """What a policy is told of a call beside the operator and its arguments: the result, `op_output`."""

    def __init__(self, *, is_recompute, op_output=None):
        self.is_recompute = is_recompute
        self.op_output = op_output


_RUNS_AGAIN, _TAKEN = object(), object()
_MISMATCH = (
    "This can happen if the operations in the checkpointed region are nondeterministic or depend on "
    "global state that changed between forward and backward."
)


class _Kept:
    """A result, which nobody may write to before it is taken."""

    def __init__(self, value, hooks):
        self._value, self._unpack = value, None
        if isinstance(value, _C.TensorBase):
            # Of a view a tensor without history is needed, and of every tensor one that does not hold the
            # graph.
            self._value = aten.detach.default(value)
            if hooks is not None:
                self._value, self._unpack = hooks[0](self._value), hooks[1]
        self._version = getattr(self._value, "_version", None)

    def get(self, allow_mutation):
        changed = self._version is not None and self._value._version != self._version
        if changed and not allow_mutation:
            raise RuntimeError(
                "Tensor cached during selective activation checkpoint has been mutated"
            )
        return self._value if self._unpack is None else self._unpack(self._value)


class KeepingMode(TorchDispatchMode):
    """Of the first run."""

    # What checkpoint() was told; None: hooks are passed by, with a warning.
    respect_saved_tensors_hooks = None

    def __init__(self, policy, storage):
        super().__init__()
        self._policy, self._storage = policy, storage

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if func in SAC_IGNORED_OPS:
            return result
        context = SelectiveCheckpointContext(is_recompute=False, op_output=result)
        policy = self._policy(context, func, *args, **kwargs)
        if isinstance(policy, bool):
            policy = CheckpointPolicy.MUST_SAVE if policy else CheckpointPolicy.PREFER_RECOMPUTE
        entry = _RUNS_AGAIN
        if policy in _KEPT:
            hooks = self._hooks()
            entry = tree_map(lambda value: _Kept(value, hooks), result)
        self._storage[func].append(entry)
        return result

    def _hooks(self):
        hooks = chosen_hooks()
        if hooks is None or self.respect_saved_tensors_hooks:
            return hooks
        if self.respect_saved_tensors_hooks is None:
            warnings.warn(
                "A saved_tensors_hooks context (e.g. save_on_cpu) is active around a selective activation "
                "checkpoint region. Tensors that it keeps bypass these hooks; pass "
                "respect_saved_tensors_hooks=True|False to opweave.utils.checkpoint.checkpoint to choose.",
                FutureWarning,
                stacklevel=2,
            )
        return None


class TakingMode(TorchDispatchMode):
    """Of the second run."""

    def __init__(self, storage, allow_mutation):
        super().__init__()
        self._storage, self._allow_mutation = storage, allow_mutation
        self._counts = defaultdict(int)

    def __enter__(self):
        self._counts.clear()
        return super().__enter__()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func in SAC_IGNORED_OPS:
            return func(*args, **(kwargs or {}))
        number = self._counts[func]
        self._counts[func] += 1
        entry = self._entry(func, number)
        if entry is _RUNS_AGAIN:
            return func(*args, **(kwargs or {}))
        self._storage[func][number] = _TAKEN
        return tree_map(lambda kept: kept.get(self._allow_mutation), entry)

    def _entry(self, func, number):
        entries = self._storage.get(func)
        if entries is None:
            raise RuntimeError(
                f"{func} encountered during backward but not found in storage. {_MISMATCH}"
            )
        if number >= len(entries):
            raise RuntimeError(
                f"{func} invocation index {number} encountered during backward but not found in "
                f"storage. {_MISMATCH}"
            )
        if entries[number] is _TAKEN:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region "
                "computed under selective activation checkpoint."
            )
        return entries[number]


def _policy_of(operators):
    for op in operators:
        if not isinstance(op, (OpOverload, _C._Operator, HigherOrderOperator)):
            hint = (
                "Please update the OpOverloadPacket to a specific OpOverload. For example, if you have "
                "`torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`."
                if isinstance(op, OpOverloadPacket)
                else ""
            )
            raise ValueError(
                f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. {hint}"
            )
    kept = {overload_of(op) if isinstance(op, _C._Operator) else op for op in operators}

    def policy(context, op, *args, **kwargs):
        return CheckpointPolicy.MUST_SAVE if op in kept else CheckpointPolicy.PREFER_RECOMPUTE

    return policy


def create_selective_checkpoint_contexts(policy_fn_or_list, allow_cache_entry_mutation=False):
    """Two contexts, for the `context_fn` of checkpoint(): which operators run again is a policy's choice.

    Args:
        policy_fn_or_list: a function of a SelectiveCheckpointContext, an operator
            (`torch.ops.aten.mm.default`) and its
            arguments, that returns a CheckpointPolicy; or a list of operators whose results are kept.
        allow_cache_entry_mutation: whether a result that was kept may have been written to since.

    Raises:
        ValueError: something in the list is no operator.
        TypeError: neither a function nor a list.
    """
    if isinstance(policy_fn_or_list, list):
        policy = _policy_of(policy_fn_or_list)
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage = defaultdict(list)
    return KeepingMode(policy, storage), TakingMode(storage, allow_cache_entry_mutation)
