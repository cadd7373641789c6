"""What programs tell PyTorch's compiler by names under torch._inductor: nothing is compiled, so it holds."""

from opweave._inductor import config

__all__ = ["config", "cudagraph_mark_step_begin"]


def cudagraph_mark_step_begin():
    """Says that a step begins, whose memory may be that of the last one: nothing is replayed."""
