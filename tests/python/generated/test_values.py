"""Every operator in every dtype, and its gradients, against an independent reference: PyTorch's recorded
answers to the same calls, or a function of NumPy (numpy_operators.py) where PyTorch has no such operator."""

import json
from pathlib import Path

import numpy as np
import opweave as ow
import pytest
import reference
from calls import has_dtype, tensors
from cases import CASES, Case, cases, parameter
from numpy_operators import OPERATORS as OURS
from operator_table import REQUIRED
from reference.samples import weights
from references import has_reference

_RECORD = Path(reference.__file__).parent / "data/samples.json"
# To calls of a library outside of Opweave nobody recorded any.
ANSWERS = json.loads(_RECORD.read_text()) if _RECORD.exists() else {}
of_the_core = pytest.mark.skipif(not ANSWERS, reason="about the core's own operators")
TOLERANCE = {"float64": 1e-9, "float32": 5e-5, "float16": 1e-2, "bfloat16": 6e-2}
FLOATS = ("float32", "float16", "bfloat16")
WHOLE = ("int8", "int16", "int32")
HOW = (
    "there is no reference for {0}. If PyTorch has the operator, `tests/reference/record.py samples` in a "
    "Python with PyTorch records its answers (after ./dev gen); else give its entry a `reference`"
)


def is_recorded(case):
    known = case.operator.full_name in OURS or has_reference(case.operator)
    return case.has_values and not known


@of_the_core
def test_every_call_has_a_reference():
    missing = [c.key for c in CASES if is_recorded(c) and c.key not in ANSWERS]
    assert not missing, HOW.format(missing[0])


@of_the_core
def test_no_answer_is_left_over():
    assert sorted(set(ANSWERS) - {c.key for c in CASES}) == [], "record.py samples writes them anew"


def _expected(value, dtype):
    if not isinstance(value, dict):
        return value
    return np.asarray(value["values"], dtype).reshape(value["shape"])


def check(found, wanted, tolerance=0.0):
    """With the tolerance of the results' dtypes, or a larger one."""
    assert len(found) == len(wanted)
    for f, w in zip(found, wanted):
        if isinstance(w, dict):
            tolerance = max(tolerance, TOLERANCE.get(w["dtype"], 0))
            assert tuple(f.shape) == tuple(w["shape"])
            f = f.detach().to(ow.float64).numpy()
        np.testing.assert_allclose(f, _expected(w, np.float64), rtol=tolerance, atol=tolerance)


def names(found):
    """dtypes of results; of what is no tensor its type."""
    return [
        str(r.dtype).rpartition(".")[2] if isinstance(r, ow.Tensor) else type(r).__name__
        for r in found
    ]


def recorded(case, *dtypes):
    if case.operator.full_name in OURS:  # PyTorch may mean something else by the name
        return []
    return [d for d in dtypes if d in case.operator.dtypes and d in ANSWERS.get(case.key, {})]


def dtype_cases(*dtypes):
    return [parameter(c, (d,), "value") for c in CASES for d in recorded(c, *dtypes)]


@pytest.mark.parametrize(("case", "dtype"), dtype_cases("float64", "int64", "bool"))
def test_value(case, dtype):
    found = case.results(case.values(dtype))
    wanted = ANSWERS[case.key][dtype]
    check(found, wanted, TOLERANCE["float64"])
    assert names(found) == [w["dtype"] if isinstance(w, dict) else type(w).__name__ for w in wanted]


def assert_dtypes(case, found, wanted):
    """Statistics that are kept for the backward pass may be more precise than PyTorch's."""
    public = [i for i in range(len(wanted)) if i not in case.operator.constant_results]
    found = names(found)
    assert [found[i] for i in public] == [wanted[i] for i in public]


def _same_elements(found, wanted, tolerance):
    """Compares what rounding can be seen in; a position or a count may change where values tie."""
    for f, w in zip(found, wanted):
        if isinstance(f, ow.Tensor) and f.is_floating_point():
            check([f], [w], tolerance)


@pytest.mark.parametrize(("case", "dtype"), dtype_cases(*FLOATS))
def test_floating_value(case, dtype):
    """The elements of inputs are exact in every dtype: so the float64 answer holds for all."""
    found = case.results(case.values(dtype))
    assert_dtypes(case, found, ANSWERS[case.key][dtype])
    _same_elements(found, ANSWERS[case.key]["float64"], TOLERANCE[dtype])


@pytest.mark.parametrize(("case", "dtype"), dtype_cases(*WHOLE))
def test_whole_value(case, dtype):
    found = case.results(case.values(dtype))
    assert_dtypes(case, found, ANSWERS[case.key][dtype])
    _same_elements(found, ANSWERS[case.key]["int64"], TOLERANCE["float32"])


@pytest.mark.parametrize("case", cases("gradient", lambda c: "gradients" in ANSWERS.get(c.key, {})))
def test_gradient(case):
    for name, wanted in ANSWERS[case.key]["gradients"].items():
        values = case.values()
        leaves = tensors(ow, {name: values[name]})
        for leaf in leaves:
            leaf.requires_grad_()
        found = [(i, r) for i, r in enumerate(case.results(case.fresh(values)))]
        found = [(i, r) for i, r in found if isinstance(r, ow.Tensor) and r.requires_grad]
        starts = [
            ow.tensor(weights(tuple(r.shape), str(i)), dtype=r.dtype).reshape(r.shape)
            for i, r in found
        ]
        grads = ow.autograd.grad([r for _, r in found], leaves, starts, allow_unused=True)
        for grad, flat, leaf in zip(grads, wanted, leaves):
            grad = ow.zeros_like(leaf) if grad is None else grad
            given = grad.detach().reshape(-1).numpy()
            np.testing.assert_allclose(given, flat, rtol=1e-7, atol=1e-9, err_msg=name)


def in_numpy(value):
    if isinstance(value, list):
        return [in_numpy(v) for v in value]
    return value.detach().numpy().copy() if isinstance(value, ow.Tensor) else value


def answer_of_our_own(case, function):
    """What a function of numpy_operators.py gives: it gets every argument, those that the call leaves to
    their default as well, and returns one result or several."""
    defaults = {a.name: a.default for a in case.operator.arguments if a.default is not REQUIRED}
    wanted = function({**defaults, **{n: in_numpy(v) for n, v in case.values().items()}})
    return wanted if isinstance(wanted, (list, tuple)) else [wanted]


@pytest.mark.parametrize("case", cases("numpy", lambda c: c.operator.full_name in OURS))
def test_value_of_our_own(case):
    wanted = answer_of_our_own(case, OURS[case.operator.full_name])
    for f, w in zip(case.results(case.values()), wanted, strict=True):
        np.testing.assert_allclose(f.numpy() if isinstance(f, ow.Tensor) else f, w, rtol=1e-9)


@of_the_core
def test_functions_of_our_own_get_what_they_are_promised():
    """NumPy arrays, defaults, and one result is enough."""
    case = next(c for c in CASES if c.operator.full_name == "cumsum" and "dtype" not in c.sample)
    (wanted,) = answer_of_our_own(case, lambda a: np.cumsum(a["self"], a["dim"], a["dtype"]))
    assert isinstance(wanted, np.ndarray)
    check(case.results(case.values()), [wanted])


@of_the_core
def test_a_sample_that_is_refused_says_so():
    case = next(c for c in CASES if c.operator.full_name == "mm")
    wrong = Case(case.operator, {**case.sample, "mat2": case.sample["self"]})
    with pytest.raises(pytest.fail.Exception, match=r"mm: the sample was refused: RuntimeError"):
        wrong.results(wrong.values())


@of_the_core
def test_samples_run_in_several_dtypes():
    assert sum(has_dtype(c.sample) for c in CASES) > 0.8 * len(CASES)
