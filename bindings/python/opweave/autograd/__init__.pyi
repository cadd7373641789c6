# Types of opweave.autograd.
from collections.abc import Sequence
from typing import Any

from opweave import Tensor
from opweave import enable_grad as enable_grad
from opweave import inference_mode as inference_mode
from opweave import no_grad as no_grad
from opweave import set_grad_enabled as set_grad_enabled
from opweave.autograd import forward_ad as forward_ad
from opweave.autograd import functional as functional
from opweave.autograd import graph as graph
from opweave.autograd import profiler as profiler
from opweave.autograd.anomaly_mode import detect_anomaly as detect_anomaly
from opweave.autograd.anomaly_mode import set_detect_anomaly as set_detect_anomaly
from opweave.autograd.function import Function as Function
from opweave.autograd.gradcheck import gradcheck as gradcheck
from opweave.autograd.gradcheck import gradgradcheck as gradgradcheck
from opweave.autograd.graph import GradientEdge
from opweave.autograd.variable import Variable as Variable

_Places = Tensor | GradientEdge | Sequence[Tensor] | Sequence[GradientEdge]
_Gradients = Tensor | Sequence[Tensor | None]

class set_multithreading_enabled:
    mode: bool
    def __init__(self, mode: bool) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *exception: object) -> None: ...
    def clone(self) -> set_multithreading_enabled: ...

def backward(
    tensors: _Places,
    grad_tensors: _Gradients | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: _Gradients | None = None,
    inputs: _Places | None = None,
) -> None: ...
def grad(
    outputs: _Places,
    inputs: _Places,
    grad_outputs: _Gradients | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]: ...
def __getattr__(name: str) -> Any: ...
