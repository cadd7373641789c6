"""torch.onnx: models are not exported; what programs ask on the way is answered."""

__all__ = ["OnnxExporterError", "export", "is_in_onnx_export", "register_custom_op_symbolic"]


class OnnxExporterError(RuntimeError):
    """What a failed export raises."""


def is_in_onnx_export():
    """False: nothing is ever exported."""
    return False


def export(model, *args, **kwargs):
    """Refused: programs are not recorded as graphs.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        "opweave.onnx.export(): programs are not recorded as graphs, which ONNX needs; save the state_dict() "
        "and export with PyTorch, which reads it"
    )


def register_custom_op_symbolic(symbolic_name, symbolic_fn, opset_version, custom_opsets=None):
    """Says how an operator of a library is exported; kept by nobody, since export() is refused."""
