"""The comparison that the reference tests rest on notices what it must notice."""

import pytest
from support.compare import differences, error_differences


def tensor(values, dtype="float32", shape=None, **more):
    return {"dtype": dtype, "shape": shape or [len(values)], "values": values, **more}


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (tensor([1.0, NAN, INF]), tensor([1.0, NAN, INF])),
        (tensor([1.0000001]), tensor([1.0])),
        (tensor([1, 2], "int64"), tensor([1, 2], "int64")),
        ([1, {"float": 0.1 + 0.2}, "x", None], [1, {"float": 0.3}, "x", None]),
        (
            tensor([1.0], shape=[1], stride=[7], offset=0, is_view=False, aliases=[]),
            tensor([1.0], shape=[1], stride=[1], offset=0, is_view=False, aliases=[]),
        ),
    ],
)
def test_equal(got, want):
    assert differences(got, want) == []


@pytest.mark.parametrize(
    ("got", "want", "word"),
    [
        (tensor([1.0, 2.0]), tensor([1.0, 2.001]), "values"),
        (tensor([1.0]), tensor([NAN]), "values"),
        (tensor([NAN]), tensor([1.0]), "values"),
        (tensor([INF]), tensor([-INF]), "values"),
        (tensor([INF]), tensor([1.0]), "values"),
        (tensor([1e300], "float64"), tensor([INF], "float64"), "values"),
        (tensor([1.0]), tensor([1.0], "float64"), "dtype"),
        (tensor([1.0, 2.0]), tensor([1.0, 2.0], shape=[1, 2]), "shape"),
        (tensor([1, 3], "int64"), tensor([1, 2], "int64"), "values"),
        (tensor([1.0 + 1e-7], "float64"), tensor([1.0], "float64"), "values"),
        ([1, 2], [1, 2, 3], "expected"),
        ([1, 2], [1, 3], "item 1"),
        (1, True, "expected"),
        (1, {"float": 1.0}, "expected"),
        ({"a": 1}, {"b": 1}, "expected"),
        ("x", "y", "expected"),
        (
            tensor([1.0, 2.0], stride=[2], offset=0, is_view=True, aliases=["a"]),
            tensor([1.0, 2.0], stride=[1], offset=0, is_view=True, aliases=["a"]),
            "strides",
        ),
        (
            tensor([1.0, 2.0], stride=[1], offset=0, is_view=True, aliases=[]),
            tensor([1.0, 2.0], stride=[1], offset=0, is_view=True, aliases=["a"]),
            "aliases",
        ),
    ],
)
def test_different(got, want, word):
    found = differences(got, want)
    assert len(found) == 1
    assert word in found[0]


def test_large_values_do_not_hide_small_ones():
    got, want = tensor([1e30, 1e-3]), tensor([1e30, 2e-3])
    assert differences(got, want, summed=False)


def test_tolerance_can_be_widened():
    got, want = tensor([1.00001]), tensor([1.0])
    assert differences(got, want)
    assert not differences(got, want, tol=10)


@pytest.mark.parametrize(
    ("got", "want", "says", "fine"),
    [
        ({"error": "TypeError", "message": "add: bad"}, {"error": "TypeError"}, "add", True),
        ({"error": "TypeError", "message": "bad"}, {"error": "TypeError"}, "add", False),
        ({"error": "ValueError", "message": ""}, {"error": "TypeError"}, "", False),
        ({"error": "RuntimeError", "message": ""}, {"error": "NotImplementedError"}, "", True),
        ({"error": "NotImplementedError", "message": ""}, {"error": "RuntimeError"}, "", True),
        ({"error": "TypeError", "message": ""}, {"error": "NotImplementedError"}, "", False),
        ({"value": 3}, {"error": "TypeError"}, "", False),
    ],
)
def test_errors(got, want, says, fine):
    assert (error_differences(got, want, says) == []) == fine
