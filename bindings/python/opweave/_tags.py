"""What programs import of PyTorch to name it: tags of operators, errors of devices, numbers that a tracer
does not know."""

import enum


class Tag(enum.Enum):
    """Of the `tags` of an operator that a program defines; none changes what it does."""

    core = 0
    cudagraph_unsafe = 1
    data_dependent_output = 2
    dynamic_output_shape = 3
    flexible_layout = 4
    generated = 5
    inplace = 6
    inplace_view = 7
    maybe_aliasing_or_mutating = 8
    needs_contiguous_strides = 9
    needs_exact_strides = 10
    needs_fixed_stride_order = 11
    nondeterministic_bitwise = 12
    nondeterministic_seeded = 13
    out = 14
    out_variant = 15
    pointwise = 16
    pt2_compliant_tag = 17
    reduction = 18
    view_copy = 19


class AcceleratorError(RuntimeError):
    """What PyTorch raises for errors of a device; Opweave raises RuntimeError itself."""


class FatalError(Exception):
    """What PyTorch raises where a program cannot go on; Opweave never raises it."""


class _Unknown:
    """A number that a tracer stands for; no program is traced, and nothing is an instance."""

    def __new__(cls, *args, **kwargs):
        """Refused.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            f"{cls.__name__}: no program is traced, and every number is known"
        )


class SymInt(_Unknown):
    """A whole number."""


class SymFloat(_Unknown):
    """A float."""


class SymBool(_Unknown):
    """A truth value."""


TYPE_CHECKING = False
PRIVATE_OPS = ("unique_dim",)
