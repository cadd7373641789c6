"""What a row of the generated table of operators holds."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

REQUIRED = object()  # the default of an argument that has none
DATA = "data"  # what results look like, the elements decide


@dataclass(frozen=True)
class Result:
    """What a rule says of a result: of views, if it is known, also where they lie."""

    sizes: tuple
    dtype: str
    strides: tuple | None = None
    offset: int | None = None


@dataclass(frozen=True)
class Drawn:
    """A tensor of a domain; with no shape, a number."""

    domain: str
    shape: tuple | None
    limit: int = 0  # of the domain "below"
    dtype: str = ""  # the one that the call is run with, or the domain's own, unless it is given


@dataclass(frozen=True)
class Elements:
    """A tensor of these elements."""

    values: Any


@dataclass(frozen=True)
class Symbol:
    """A dtype, a layout or a memory format: an attribute of the module."""

    name: str


@dataclass
class Argument:
    name: str
    type: str  # as in the schema
    keyword_only: bool
    default: Any
    sample: Any  # a domain's name, a list of values, or None


@dataclass
class Fold:
    """What an operator that folds computes; see numpy_folds.py."""

    whole: str  # the argument that has all dimensions
    over: object  # a function of the arguments: dimensions, None for all
    keepdim: object  # likewise: whether results keep what is folded as 1
    axes: dict  # tensor arguments: along which dimensions they lie: "all", "kept", "folded"
    results: list  # likewise of results
    values: object  # a function of the functions of expressions and the arguments


@dataclass
class Operator:
    full_name: str
    name: str
    module: str
    function: bool
    method: bool
    inplace: str | None  # the method's name
    out: bool
    functional: str | None  # of an in-place or out form: the functional operator
    writes: list[str]  # arguments
    returns: list[str]  # types as in the schema
    views: list[tuple[int, str]]  # which result is a view of which argument
    tags: list[str]
    differentiable: bool
    gradients: dict[str, str]  # where they are said, by argument; forward rules by result
    refused: list[str]  # arguments that may not require a gradient
    refuses_backward: bool  # a backward pass through a result is an error
    constant_results: list[int]  # those without gradient
    batched: bool  # whether vmap runs it
    pointwise: bool  # and as one that broadcasts its tensors
    int_to_float: bool
    bool_result: bool
    requires: bool  # whether its entry has conditions
    dtypes: list[str]
    place: str  # of its entry: "ops.yaml:35"
    by_hand: bool  # whether its kernels are
    reference: Callable | None  # (functions, arguments) -> float64 array
    # What its entry says its values are: (what formulas call, arguments) -> tensors, or an expression of
    # Python over arrays.
    formula: Callable | None = None
    numpy: str | None = None
    fold: Fold | None = None
    arguments: list[Argument] = field(default_factory=list)
    samples: list[dict[str, Any]] = field(default_factory=list)  # calls: argument -> value
