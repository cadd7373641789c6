"""Every function of the package refuses arguments of wrong types, and says which and what came."""

import inspect
import warnings
from datetime import timedelta

import opweave as ow
import opweave.distributed as dist
import pytest

# What functions are called with where an argument is not the wrong one.
GOOD = {
    "backend": "gloo",
    "device": "cpu",
    "device_type": "cpu",
    "dst": 0,
    "gather_list": [ow.ones(2)],
    "gather_tensor": ow.ones(2),
    "global_rank": 0,
    "group": None,
    "group_rank": 0,
    "input": ow.ones(2),
    "input_list": [ow.ones(2)],
    "input_tensor": ow.ones(2),
    "input_tensor_list": [ow.ones(2)],
    "mesh_shape": (1,),
    "name": "x",
    "obj": 1,
    "object_gather_list": [None],
    "object_list": [1],
    "output": ow.ones(2),
    "output_tensor": ow.ones(2),
    "output_tensor_list": [ow.ones(2)],
    "output_tensor_lists": [[ow.ones(2)]],
    "ranks_to_exclude": [0],
    "ranks_per_subgroup_list": [[0]],
    "reduceOp": "sum",
    "scatter_list": [ow.ones(2)],
    "scatter_object_input_list": [1],
    "scatter_object_output_list": [None],
    "seconds": 0.01,
    "nbytes": 100,
    "links": {"within": {"bandwidth": 1e9}},
    "split_ranks": [[0]],
    "src": 0,
    "tensor": ow.ones(2),
    "tensor_list": [ow.ones(2)],
    "tensors": [ow.ones(2)],
    "timeout": timedelta(seconds=100),
}
# Those whose good calls would wait, stop or change the process.
_LEFT = {
    "breakpoint",
    "destroy_process_group",
    "recv_object_list",
    "register_nccl_library",
    "register_rendezvous_handler",
    "rendezvous",
    "send_object_list",
}
# An object of no type that anything takes; these take any.
_ANY = {"async_op", "weights_only", "wait_all_ranks", "use_local_synchronization", "sort_ranks"}
_ANY |= {"obj", "pg_options", "device_ids", "use_batch", "parent_pg"}
_SECONDS = {("monitored_barrier", "timeout"), ("measure_links", "seconds")}
_ANY |= {"reduceOp", "level", "device"}


def cases():
    for name in dist.__all__:
        function = getattr(dist, name)
        if inspect.isfunction(function) and name not in _LEFT:
            for parameter in inspect.signature(function).parameters:
                if parameter not in _ANY:
                    yield name, parameter


@pytest.fixture(scope="module", autouse=True)
def world():
    dist.init_process_group("shm", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.mark.parametrize(("name", "parameter"), cases())
@pytest.mark.parametrize("wrong", [object(), 3.5], ids=["object", "float"])
def test_wrong_types_are_named(name, parameter, wrong):
    if wrong == 3.5 and (name, parameter) in _SECONDS:
        pytest.skip("seconds")
    function = getattr(dist, name)
    arguments = {}
    for p, how in inspect.signature(function).parameters.items():
        replaced = parameter.startswith("group_") and p == parameter.removeprefix("group_")
        if p in GOOD and not replaced and not (how.default is None and p in ("backend", "device")):
            arguments[p] = GOOD[p]
    if parameter == "src" or parameter == "dst":
        arguments.pop(f"group_{parameter}", None)
    arguments[parameter] = wrong
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((TypeError, ValueError)) as error:
            function(**arguments)
    text = str(error.value)
    if parameter in ("group", "op", "tag", "timeout", "tensor", "store", "init_method"):
        assert isinstance(error.value, TypeError), text
    if isinstance(error.value, TypeError):
        assert text.startswith(f"{function.__name__}(): {parameter}"), text
    assert "(): " in text or isinstance(error.value, ValueError), text
    if isinstance(error.value, TypeError):
        assert f"got {type(wrong).__name__}" in text or f"not {type(wrong).__name__}" in text
