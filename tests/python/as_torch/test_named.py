"""Names of PyTorch's that can be imported and not be used (opweave/as_torch/named_only.txt)."""

from support.programs import run

PROGRAM = """
import torch
import torch.distributed.tensor
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.placement_types import _StridedShard
from torch.distributed.checkpoint.hf_storage import HuggingFaceStorageReader
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, MixedPrecisionPolicy
from torch.distributed import fsdp, rpc
from torch.fft import rfft
from torch.linalg import cholesky_ex

print(isinstance(torch.ones(1), DTensor), Shard(0), Replicate(), hasattr(torch.distributed, "pipelining"))
print(fsdp.FullyShardedDataParallel is FSDP, issubclass(rpc.RRef, object))

def function(x: "DTensor | None", d: torch.distributions.Distribution | None = None) -> torch._C.Graph:
    return x

class Reader(HuggingFaceStorageReader):
    pass

def distributed():
    return distribute_tensor(torch.ones(1))

makers = [distributed, rfft, lambda: torch.linalg.inv(torch.eye(2)), FSDP, Reader]
for make in (*makers, lambda: DTensor.from_local, _StridedShard):
    try:
        make()
    except (NotImplementedError, AttributeError) as error:
        print(type(error).__name__, error)
print(hasattr(torch.distributed.checkpoint, "never_heard_of"), torch.torch is torch)
"""


def test_names_are_imported_and_refused_when_they_are_used(tmp_path):
    said, errors = run(tmp_path, PROGRAM, "--report")
    lacking = "PyTorch has it, Opweave lacks it; only its name is there"
    of_dtensor = (
        "PyTorch has torch.distributed.tensor.DTensor, Opweave lacks it; only its name is there"
    )
    fsdp = "torch.distributed.fsdp.FullyShardedDataParallel"
    reader = "torch.distributed.checkpoint.hf_storage.HuggingFaceStorageReader"
    assert said.splitlines() == [
        "False S(0) R False",
        "True True",
        f"NotImplementedError torch.distributed.tensor.distribute_tensor: {lacking}",
        f"NotImplementedError torch.fft.rfft: {lacking}",
        f"NotImplementedError torch.linalg.inv: {lacking}",
        f"NotImplementedError {fsdp}: {lacking}",
        f"NotImplementedError __main__.Reader (it derives from {reader}): {lacking}",
        f"AttributeError torch.distributed.tensor.DTensor.from_local: {of_dtensor}",
        f"NotImplementedError torch.distributed.tensor.placement_types._StridedShard: {lacking}",
        "False True",
    ], errors
    reported = [line.split(":")[0].strip() for line in errors.splitlines()[1:]]
    functions = ["torch.distributed.tensor.distribute_tensor", "torch.fft.rfft", "torch.linalg.inv"]
    assert reported == [reader, fsdp, "torch.distributed.pipelining", *functions], errors


def test_what_is_not_listed_is_refused_at_once(tmp_path):
    lines = {
        "import torch.nn.functional.none": "No module named 'torch.nn.functional.none': module 'torch.nn",
        "torch._dynamo.none": "module 'torch._dynamo' has no attribute 'none' (a private name; Opweave",
        "import torch._none": "module 'torch' has no attribute '_none' (a private name; Opweave lacks it)",
        "torch.cuda.none": "module 'torch.cuda' has no attribute 'none' (nor has PyTorch",
        "torch.cuda.cudaStatus": "module 'torch.cuda' has no attribute 'cudaStatus' (PyTorch has it, Opweave "
        "lacks it)",
        "from torch.optim.optimizer import GlobalOptimizerPreHook": "PreHook' (PyTorch has it, Opweave",
        "from torch.ao.quantization import utils": "'utils' (Opweave lacks it)",
        "import torch.distributed.tensor.none": "No module named 'torch.distributed.tensor.none'",
    }
    for line, text in lines.items():
        assert text in run(tmp_path, f"import torch\n{line}")[1]


def test_what_libraries_tell_a_compiler(tmp_path):
    program = """
import torch

print(torch._dynamo.is_compiling(), isinstance(torch.nn.ReLU(), torch._dynamo.eval_frame.OptimizedModule))
import torch._dynamo.eval_frame
from torch._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex

@torch._dynamo.allow_in_graph
def add(a, b):
    return a + b

x = torch.arange(6.0).reshape(2, 3)
torch._dynamo.mark_static_address(x)
torch._dynamo.mark_dynamic(x, 0)
torch._dynamo.graph_break()
torch._dynamo.config.cache_size_limit = 64
with TransformGetItemToIndex():
    print(add(torch.vmap(lambda i: x[i, 0])(torch.tensor([1, 0])), 1).tolist())
print(torch._dynamo.is_compiling(), torch._dynamo.config.cache_size_limit)
"""
    said, errors = run(tmp_path, program)
    assert said == "False False\n[4.0, 1.0]\nFalse 64\n", errors


def test_settings_of_a_compiler_are_kept(tmp_path):
    program = """
import torch
import torch._dynamo.config
import torch._inductor.config as inductor

torch._dynamo.config.suppress_errors = True
inductor.coordinate_descent_tuning = True
torch._inductor.config.triton.unique_kernel_names = True
print(torch._dynamo.config.suppress_errors, inductor.coordinate_descent_tuning, inductor.fx_graph_cache)
with torch._dynamo.config.patch("suppress_errors", False):
    print(torch._dynamo.config.suppress_errors)

@torch._dynamo.config.patch(suppress_errors=3, new_one=4)
def f():
    return torch._dynamo.config.suppress_errors, torch._dynamo.config.new_one

print(f(), torch._dynamo.config.suppress_errors, hasattr(torch._dynamo.config, "new_one"))
try:
    inductor.max_autotune
except AttributeError as error:
    print(error)
"""
    said, errors = run(tmp_path, program)
    *lines, lacking = said.splitlines()
    assert lines == ["True True False", "False", "(3, 4) True False"], errors
    assert lacking.startswith(
        "module 'opweave._inductor.config' has no attribute 'max_autotune': nothing is"
    )


def test_operators_are_named_by_their_overloads(tmp_path):
    program = """
import torch

rules = {torch.ops.aten._pin_memory.default: 1, torch.ops.aten.add.Tensor: 2}
print(len(rules), hasattr(torch.ops.aten, "never_heard_of"))
for ask in (
    lambda: torch.ops.aten._pin_memory.default(torch.ones(1)),
    lambda: torch.ops.aten._pin_memory(torch.ones(1)),
    lambda: torch.ops.aten._pin_memory.out,
):
    try:
        ask()
    except (NotImplementedError, AttributeError) as error:
        print(type(error).__name__, str(error).partition(":")[0])
"""
    said, errors = run(tmp_path, program)
    assert said.splitlines() == [
        "2 False",
        "NotImplementedError torch.ops.aten._pin_memory.default",
        "NotImplementedError torch.ops.aten._pin_memory",
        "AttributeError torch.ops.aten._pin_memory.out",
    ], errors
