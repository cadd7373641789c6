"""Private names of PyTorch's that libraries call (opweave/as_torch/_private.py and names_elsewhere.txt)."""

from support.programs import run

QUESTIONS = """
import torch
from torch._C._functorch import is_batchedtensor
from torch._subclasses.fake_tensor import FakeTensor, is_fake
from torch.fx.experimental.proxy_tensor import get_proxy_mode

torch._C._log_api_usage_once("library.use")
x = torch.ones(2, 3)
print(is_fake(x), isinstance(x, FakeTensor), torch._subclasses.fake_tensor.is_fake is is_fake)
print(get_proxy_mode(), torch._C._get_tracing_state(), torch._C._get_accelerator())
print(is_batchedtensor(x), torch._C._are_functorch_transforms_active())
seen = []
def look(row):
    seen.append((is_batchedtensor(row), torch._C._are_functorch_transforms_active()))
    return row
torch.vmap(look)(x)
print(*seen, torch.profiler.kineto_available())
several = (torch.device("meta"), torch.half, True)
for arguments in (("cpu",), (torch.float64,), (x.double(),), several, (None,)):
    print(torch._C._nn._parse_to(*arguments))
print(torch._C._nn._parse_to("cpu", memory_format=torch.channels_last))
try:
    torch._C._nn._parse_to("cpu", "float")
except TypeError as error:
    print(error)
"""


def test_questions_about_what_traces_programs(tmp_path):
    said, errors = run(tmp_path, QUESTIONS)
    assert said.splitlines() == [
        "False False True",
        "None None cpu",
        "False False",
        "(True, True) True",
        "(device(type='cpu'), None, False, None)",
        "(None, torch.float64, False, None)",
        "(device(type='cpu'), torch.float64, False, None)",
        "(device(type='meta'), torch.float16, True, None)",
        "(None, None, False, None)",
        "(device(type='cpu'), None, False, torch.channels_last)",
        "to(): dtype: expected a dtype, got str",
    ], errors


CHECKS = """
import torch

def tell(function, *arguments):
    try:
        print(function(*arguments))
    except Exception as error:
        print(type(error).__name__, error)

tell(torch._check, True)
tell(torch._check, False)
tell(torch._check, False, lambda: "why")
tell(torch._check, 1)
tell(torch._check, torch.tensor(True))
tell(torch._check_index, False, lambda: "where")
tell(torch._check_value, False, lambda: "value")
tell(torch._check_type, False, lambda: "type")
tell(torch._check_not_implemented, False, lambda: "yet")
tell(torch._check_with, KeyError, False, lambda: "key")
tell(torch._check_is_size, -1, lambda: "size")
tell(torch._check_is_size, 1)
tell(torch._check_tensor_all, torch.tensor([True, False]), lambda: "all")
tell(torch._check_tensor_all, torch.ones(1))
tell(torch._check_tensor_all, True)
tell(torch._assert, True, "so")
tell(torch._assert, torch.tensor(False), "so")
tell(torch._assert_async, torch.tensor(1))
tell(torch._assert_async, torch.tensor(0), "none")
"""


def test_what_has_to_hold(tmp_path):
    said, errors = run(tmp_path, CHECKS)
    unsaid = "Expected cond to be True, but got False. (Could this error message be improved?)"
    assert said.splitlines() == [
        "None",
        f"RuntimeError {unsaid}",
        "RuntimeError why",
        "TypeError cond must be a bool, but got <class 'int'>",
        "TypeError cond must be a bool, but got a Tensor. For tensor conditions, use "
        "torch._check_tensor_all() to assert that all elements are true.",
        "IndexError where",
        "ValueError value",
        "TypeError type",
        "NotImplementedError yet",
        "KeyError 'key'",
        "RuntimeError size",
        "None",
        "RuntimeError all",
        "TypeError cond tensor must have dtype torch.bool, but got torch.float32",
        "TypeError cond must be a tensor, but got <class 'bool'>",
        "None",
        "AssertionError so",
        "None",
        "RuntimeError none",
    ], errors


OTHERS = """
import torch
from torch.autograd.function import InplaceFunction
from torch.distributions.utils import lazy_property
from torch.nn.utils._named_member_accessor import swap_tensor
from torch.serialization import FILE_LIKE, MAP_LOCATION
from torch.utils._pytree import SUPPORTED_NODES, _dict_flatten, _dict_unflatten, _get_node_type
from torch.utils.data._utils.collate import np_str_obj_array_pattern
from torch.utils.data._utils.worker import _generate_state

class Double(InplaceFunction):
    @staticmethod
    def forward(ctx, x):
        return 2 * x
    @staticmethod
    def backward(ctx, grad):
        return 2 * grad

x = torch.ones(2, requires_grad=True)
Double.apply(x).sum().backward()
print(x.grad.tolist())

class Counted:
    count = 0
    @lazy_property
    def value(self):
        "What it is."
        self.count += 1
        return torch.is_grad_enabled()

counted = Counted()
with torch.no_grad():
    print(counted.value, counted.value, counted.count, Counted.value.__doc__)
layer = torch.nn.Linear(1, 1)
before = layer.weight
print(swap_tensor(layer, "weight", torch.zeros(1, 1)) is before, layer.weight.item())
swap_tensor(layer, "more", torch.ones(1), allow_missing=True)
print(layer.more.item())
try:
    swap_tensor(layer, "none", None)
except AttributeError as error:
    print(error)
print(_dict_unflatten(*_dict_flatten({"a": 1})), _get_node_type([]) in SUPPORTED_NODES, _get_node_type(1))
print(SUPPORTED_NODES[list].flatten_fn([1, 2]), bool(np_str_obj_array_pattern.search("<U3")))
from torch.distributed.rpc.api import _require_initialized

@_require_initialized
def call_others():
    pass

try:
    call_others()
except RuntimeError as error:
    print(call_others.__name__, error)
print(torch.cummax(torch.ones(1), 0), torch.histogram(torch.ones(2), 1))
"""


def test_helpers(tmp_path):
    said, errors = run(tmp_path, OTHERS)
    assert said.splitlines() == [
        "[2.0, 2.0]",
        "True True 1 What it is.",
        "True 0.0",
        "1.0",
        "Linear has no attribute `none`",
        "{'a': 1} True <class 'int'>",
        "([1, 2], None) True",
        "call_others RPC has not been initialized. Call torch.distributed.rpc.init_rpc first: PyTorch has "
        "it, Opweave lacks it",
        "torch.return_types.cummax(",
        "values=tensor([1.]),",
        "indices=tensor([0])) torch.return_types.histogram(",
        "hist=tensor([2.]),",
        "bin_edges=tensor([0.5000, 1.5000]))",
    ], errors


NN = """
import torch
n = torch._C._nn
x = torch.arange(144.0).reshape(2, 3, 4, 6)
def told(found):
    if isinstance(found, (tuple, list)):
        return [told(one) for one in found]
    return (*found.shape, round(found.double().sum().item(), 1))
print(told(n.softshrink(x)), told(n.softshrink(x, 1.5)), told(n.relu6(x)), told(n.relu6_(x.clone())))
u = n.im2col(x, [2, 2], [1, 1], [0, 0], [1, 1])
print(told(u), told(n.col2im(u, [4, 6], [2, 2], [1, 1], [0, 0], [1, 1])))
print(told(n.reflection_pad2d(x, [1, 1, 2, 1])), told(n.reflection_pad1d(x[0], [1, 2])))
print(told(n.replication_pad3d(x[None], [1] * 6)), told(n.upsample_nearest2d(x, [7, 5])))
print(told(n.upsample_nearest2d(x, [8, 9], 2.0, 1.5)), told(n.upsample_nearest2d(x, None, [2.0, 1.5])))
print(told(n._upsample_nearest_exact2d(x, [7, 5])), told(n.upsample_linear1d(x[0], [9], True)))
print(told(n.upsample_bilinear2d(x, [7, 5], True)))
print(told(n.upsample_bilinear2d(x, None, False, [2.5, 1.5])))
print(told(n.adaptive_avg_pool3d(x, [2, 2, 2])), told(n.max_pool3d_with_indices(x, [2, 2, 2])))
print(told(n.adaptive_max_pool3d(x, [2, 2, 2])), told(n.pad_sequence([x[0, 0], x[0, 0, :2]], True, 1.5)))
o, i = n.max_pool2d_with_indices(x, [2, 2])
v, j = n.max_pool3d_with_indices(x, [2, 2, 2])
print(told(n.max_unpool2d(o, i, [4, 6])), told(n.max_unpool3d(v, j, [3, 4, 6], [2, 2, 2], [0, 0, 0])))
print(torch.legacy_contiguous_format is torch.contiguous_format)
"""


def test_functions_of_nn(tmp_path):
    """What PyTorch prints."""
    said, errors = run(tmp_path, NN)
    assert said.splitlines() == [
        "(2, 3, 4, 6, 10224.5) (2, 3, 4, 6, 10082.0) (2, 3, 4, 6, 843.0) (2, 3, 4, 6, 843.0)",
        "(2, 12, 15, 25740.0) (2, 3, 4, 6, 25740.0)",
        "(2, 3, 7, 8, 24168.0) (3, 4, 9, 3840.0)",
        "(1, 2, 5, 6, 8, 34320.0) (2, 3, 7, 5, 14640.0)",
        "(2, 3, 8, 9, 30816.0) (2, 3, 8, 9, 30816.0)",
        "(2, 3, 7, 5, 15126.0) (3, 4, 9, 3834.0)",
        "(2, 3, 7, 5, 15015.0)",
        "(2, 3, 10, 9, 38610.0)",
        "(2, 2, 2, 2, 1144.0) [(2, 1, 2, 3, 900.0), (2, 1, 2, 3, 468.0)]",
        "[(2, 2, 2, 2, 1400.0), (2, 2, 2, 2, 824.0)] (2, 4, 6, 360.0)",
        "(2, 3, 4, 6, 2700.0) (2, 3, 4, 6, 900.0)",
        "True",
    ], errors
