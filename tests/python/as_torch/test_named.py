"""Names of PyTorch's that can be imported and not be used (opweave/as_torch/named_only.txt)."""

from support.programs import run

PROGRAM = """
import torch
import torch.distributed.tensor
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.placement_types import _StridedShard
from torch.distributed.checkpoint.hf_storage import HuggingFaceStorageReader
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, MixedPrecisionPolicy
from torch.fft import rfft
from torch.linalg import cholesky_ex

print(isinstance(torch.ones(1), DTensor), Shard(0), Replicate())

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
        "False S(0) R",
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
    assert reported == [reader, fsdp, *functions], errors


def test_what_is_not_listed_is_refused_at_once(tmp_path):
    lines = {
        "import torch.nn.functional.none": "No module named 'torch.nn.functional.none': module 'torch.nn",
        "torch._dynamo.none": "module 'torch._dynamo' has no attribute 'none' (a private name; Opweave",
        "import torch._none": "module 'torch' has no attribute '_none' (a private name; Opweave lacks it)",
        "torch.cuda.none": "module 'torch.cuda' has no attribute 'none' (nor has PyTorch",
        "torch.cuda.cudaStatus": "module 'torch.cuda' has no attribute 'cudaStatus' (PyTorch has it, Opweave "
        "lacks it)",
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
