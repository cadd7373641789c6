"""Private functions of torch.distributed that libraries and copies of DistributedDataParallel call."""

from opweave import _C
from opweave import distributed as dist
from opweave._grad_mode import no_grad
from opweave.distributed import _groups, _objects
from opweave.nn.parallel import _inputs, _states

FIRST_BUCKET_BYTES = 1 << 20


def default_group():
    """The group of all processes.

    Raises:
        ValueError: there is none.
    """
    return _groups.member(None)[0]


def default_store():
    """The store by which the processes of the default group met."""
    return _groups.member(None)[1].store


def global_rank(group, rank):
    """The number in the default group of a process of another."""
    return dist.get_global_rank(default_group() if group is None else group, rank)


def rank_not_in_group(group):
    """Whether this process is not of a group."""
    return group is dist.GroupMember.NON_GROUP_MEMBER


def group_size(group):
    """How many processes a group has."""
    return dist.get_world_size(group)


def device_of_group(group=None):
    """Where a group takes tensors."""
    return _groups.member(group)[0]._speaks_on()


def named_group(group_name):
    """A group by its name."""
    return _groups.named(group_name)


def all_gather_base(output_tensor, input_tensor, group=None, async_op=False):
    """As all_gather_into_tensor(), by its first name."""
    return dist.all_gather_into_tensor(output_tensor, input_tensor, group, async_op)


def reduce_scatter_base(output, input, op=dist.ReduceOp.SUM, group=None, async_op=False):
    """As reduce_scatter_tensor(), by its first name."""
    return dist.reduce_scatter_tensor(output, input, op, group, async_op)


def broadcast_coalesced(process_group, tensors, buffer_size, authoritative_rank=0):
    """Makes tensors of all processes those of one."""
    with no_grad():
        _states.broadcast_all(list(tensors), process_group, authoritative_rank)


def check_same_sizes(process_group, tensors, logger=None):
    """RuntimeError unless the parameters of all processes have the same sizes."""
    named = [(str(i), tensor) for i, tensor in enumerate(tensors)]
    _states.check_same(named, process_group)


def object_to_tensor(obj, device=None, group=None):
    """The bytes that an object is sent as, and how many there are."""
    tensor = _objects._tensor_of(obj, group)
    tensor = tensor if device is None else tensor.to(device)
    return tensor, _C.tensor([tensor.numel()], dtype=_C.long, device=tensor.device)


def tensor_to_object(tensor, tensor_size, group=None):
    """The object of the first bytes of a tensor, from whoever is trusted."""
    return _objects._value_of(tensor[: int(tensor_size)], False)


def check_single_tensor(param, param_name):
    """TypeError unless it is a tensor."""
    if not isinstance(param, _C.Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{param_name}` to be of type torch.Tensor."
        )


def check_tensor_list(param, param_name):
    """TypeError unless it is a list of tensors."""
    if not isinstance(param, list) or not all(isinstance(p, _C.Tensor) for p in param):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{param_name}` to be of type List[torch.Tensor]."
        )


class World:
    """What there is of groups, under PyTorch's names."""

    @property
    def default_pg(self):
        """The group of all processes; None without one."""
        return dist.group.WORLD

    @property
    def pg_map(self):
        """By group its backend and store."""
        return {g: (m.backend, m.store) for g, m in _groups.world.groups.items()}

    @property
    def pg_names(self):
        """By group its name."""
        return {g: m.name for g, m in _groups.world.groups.items()}


world = World()


def assert_in_backward(cond, s, raise_assertion_error=True):
    """AssertionError unless `cond`, also printed, as backward passes may lose it."""
    if not cond:
        print(s)
        if raise_assertion_error:
            raise AssertionError(s)


def replace_by_prefix(state_dict, old_prefix, new_prefix):
    """Changes the beginning of names of a state."""
    if old_prefix == new_prefix:
        raise ValueError("old_prefix and new_prefix must be distinct")
    for name in [name for name in state_dict if name.startswith(old_prefix)]:
        state_dict[new_prefix + name[len(old_prefix) :]] = state_dict.pop(name)


def apply_to_tensors(fn, container):
    """The same with a function called on its tensors."""
    if isinstance(container, _C.Tensor):
        return fn(container)
    if isinstance(container, dict):
        return type(container)((key, apply_to_tensors(fn, v)) for key, v in container.items())
    if isinstance(container, tuple) and hasattr(container, "_fields"):
        return type(container)(*(apply_to_tensors(fn, v) for v in container))
    if isinstance(container, (list, tuple, set)):
        return type(container)(apply_to_tensors(fn, v) for v in container)
    return container


def find_tensors(obj):
    """The tensors in what a forward pass gives."""
    return list(_inputs.tensors_in(obj))
