"""Calls of `testing`, for any module with PyTorch's interface: what they raise, and in which words."""

import warnings

import numpy as np

# Expressions; `ow` is the module, `close` and `make` its functions, `t` its tensor().
COMPARISONS = """
close(t([1., 2., 3.]), t([1., 2.5, 3.]))
close(t([[1., 2.], [3., 4.]]), t([[1., 2.5], [3., 9.]]))
close(t(1.), t(2.))
close(t([1, 2, 3]), t([1, 2, 4]))
close(t([True, False]), t([True, True]))
close(t(True), t(False))
close(t(2), t(3))
close(1.0, 1.1)
close(1, 3)
close(1, 1.0)
close(1, 1.0, check_dtype=False)
close(1, 1.5, check_dtype=False)
close(True, False)
close(t([1., 2.]), t([1.]))
close(t([1.]), t([1.], dtype=ow.float64))
close(t([1.]), t([1.], dtype=ow.float64), check_dtype=False)
close(t([1.]), t([1.001], dtype=ow.float64), check_dtype=False)
close(t([1]), t([1.5]), check_dtype=False)
close(t([1], dtype=ow.int32), t([2]), check_dtype=False)
close(t([1.]), ow.empty(1, device='meta'))
close(t([1.]), ow.empty(1, device='meta'), check_device=False)
close(ow.empty(1, device='meta'), ow.empty(1, device='meta'))
close(ow.ones(2), ow.empty(2, device='meta', dtype=ow.int64))
close(ow.ones(2), ow.ones(3, dtype=ow.int64))
close(ow.zeros(2, 3), ow.zeros(3, 2).t(), check_stride=True)
close(ow.zeros(2, 3), ow.zeros(3, 2).t())
close(ow.ones(2, 3), ow.ones(3, 2, dtype=ow.int64).t(), check_stride=True)
close(t([nan]), t([nan]))
close(t([nan, 1.]), t([nan, 1.]), equal_nan=True)
close(nan, nan)
close(nan, nan, equal_nan=True)
close(t([1.]), t([1.1]), rtol=.2, atol=0.)
close(t([1.]), t([1.1]), rtol=.01, atol=0.)
close(t([1.]), t([1.1]), rtol=0, atol=0)
close(t([1.]), t([1.1]), rtol=.2)
close(1., 1.1, atol=.2)
close([1], [1], rtol=1.)
close(ow.ones(2), ow.ones(2) * 2, rtol=t(.1), atol=.1)
close(ow.ones(2), ow.ones(2) * 2, rtol=0, atol=.5)
close(1., 2., rtol=0, atol=.5)
close(1., 2., rtol=0, atol=0)
close([t([1.]), t([2.])], [t([1.]), t([3.])])
close([1, 2], [1])
close([1., [1]], [2., [1, 2]])
close([1., 2.], (1., 2.))
close((1., 2.), (1., 3.))
close({'a': t([1.])}, {'a': t([2.])})
close({'a': 1., 'c': 2}, {'a': 1., 'b': 3})
close({'a': 1.}, {'a': 1., 'b': 2., 'c': 3.})
close({'a': [1., {'b': t([1.])}]}, {'a': [1., {'b': t([2.])}]})
close({2: 1., 1: 1.}, {1: 2., 2: 2.})
close([], {})
close('a', 'a')
close(['a'], ['b'])
close([1., 'a'], [2., 'a'])
close('a', 1.)
close(None, None)
close(t([1.]), None)
close(None, 1.)
close(t([1.]), 1.)
close(1., t(1.))
close([1., 2.], t([1., 2.]))
close(np.ones(2), np.zeros(2))
close(np.ones(2), ow.zeros(2))
close(np.ones(2), [1., 1.])
close(np.float64(1), 2.)
close(np.float64(1), np.float32(1))
close(np.int64(1), 2)
close(np.bool_(True), False)
close(np.array(['a']), np.array(['a']))
close(np.array(1.), np.array(2.))
close(np.ones(2), np.ones(2, dtype=np.float32))
close(ow.nn.Parameter(ow.ones(2)), ow.ones(2))
close(ow.nn.Parameter(ow.ones(2)), ow.nn.Parameter(ow.zeros(2)), allow_subclasses=False)
close(1., 2., msg='words')
close([1.], [2.], msg='words')
close([1.], [2.], msg=lambda text: '<' + text + '>')
close(1., 2., msg=lambda text: None)
close(None, 1, msg='words')
close(object, object)
close({1}, {1})
close(ow.empty(0), ow.empty(0))
close(ow.empty(0, 2), ow.empty(0))
close(t([inf, 1.]), t([inf, 2.]))
close(t([inf]), t([1.]))
close(t([-inf]), t([inf]))
close(inf, 1.)
close(inf, inf)
close(1., 0.)
close(t([0., 1.]), t([1e-3, 1.]))
close(t([1e-3, 1.]), t([0., 1.]))
close(ow.ones(2, dtype=ow.float16), ow.ones(2, dtype=ow.float16) * 1.01)
close(ow.ones(2, dtype=ow.bfloat16), ow.ones(2, dtype=ow.bfloat16) * 1.1)
close(ow.ones(2, dtype=ow.float64), ow.ones(2, dtype=ow.float64) * (1 + 1e-6))
close(ow.ones(2, dtype=ow.uint8), ow.zeros(2, dtype=ow.uint8))
close(ow.zeros(2, dtype=ow.uint8), ow.full((2,), 255, dtype=ow.uint8))
close(t([-128], dtype=ow.int8), t([127], dtype=ow.int8))
close(t([1, 1], dtype=ow.uint64), t([2, 2]), check_dtype=False)
close(ow.ones(2, dtype=ow.bool), ow.ones(2) * 2, check_dtype=False)
close(ow.arange(24.).reshape(2, 3, 4), ow.arange(24.).reshape(2, 3, 4) * 1.5)
close(t([2**62 + 1]), t([2**62]))
close(ow.ones(2, requires_grad=True), ow.zeros(2))
close(range(3), range(4))
close(ow.Size([1, 2]), ow.Size([1, 3]))
close(ow.ones(2, 2).max(0), ow.zeros(2, 2).max(0))
close(1 + 1j, 1 + 2j)
close(1., 2., 3.)
ow.testing.assert_allclose(t([1.]), t([1.5]))
ow.testing.assert_allclose([1., 2.], np.array([1., 2.]))
ow.testing.assert_allclose(1., 2.)
ow.testing.assert_allclose(t([1.]), t([1.5]), rtol=1., atol=0.)
ow.testing.assert_allclose(t([1.]), t([1.5]), msg='words')
make(3, low=2, high=1, **real)
make(3, low=nan, **real)
make(3, low=1e39, high=1e40, **real)
make(3, low=3, high=3, **whole)
make(3, low=2.5, high=3.5, **whole).tolist()
make(3, low=20, **real)
make(3, low=-20, high=-15, dtype=ow.uint8, device='cpu')
make(3, 4, noncontiguous=True, **real).stride()
make(3, 1, noncontiguous=True, **real).stride()
make((), noncontiguous=True, **real).stride()
make(1, noncontiguous=True, **real).stride()
make(1, 2, 3, 4, memory_format=ow.channels_last, **real).stride()
make(1, 2, 3, 4, memory_format=ow.channels_last, noncontiguous=True, **real)
make(30, low=0, high=2, exclude_zero=True, **whole).tolist()
make(20, exclude_zero=True, dtype=ow.bool, device='cpu').all().item()
make(3, requires_grad=True, **whole)
make(3, requires_grad=True, **real).requires_grad
make(-1, **real)
make(3, 4, **real).shape
make([3, 4], **real).shape
make(**real).shape
""".strip().split("\n")


def _names(ow):
    cpu = {"device": "cpu"}
    return {
        "ow": ow,
        "np": np,
        "t": ow.tensor,
        "close": ow.testing.assert_close,
        "make": ow.testing.make_tensor,
        "nan": float("nan"),
        "inf": float("inf"),
        "real": {"dtype": ow.float32, **cpu},
        "whole": {"dtype": ow.int64, **cpu},
    }


def answer(ow, expression):
    """The result as text, or the exception's type and text; names are those without a package."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = repr(eval(expression, _names(ow)))
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
    return text.replace(f"{ow.__name__}.", "")


def record(ow):
    return {expression: answer(ow, expression) for expression in COMPARISONS}
