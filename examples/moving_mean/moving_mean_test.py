"""The operator of docs/kernels.md, and that the page shows its files and what they give."""

import doctest
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import moving_mean_ops
import numpy as np
import opweave as ow
import pytest

CHECKOUT = Path("pyproject.toml").resolve().parent
PAGE = (CHECKOUT / "docs/kernels.md").read_text(encoding="utf-8")
HERE = Path("examples/moving_mean")
Tensor = Any  # with the methods that the library adds, of which stubs know nothing


def expected(x: ow.Tensor, size: int, dim: int) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x.numpy().astype(np.float64), size, dim)
    return windows.mean(-1)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("dim", [0, 1, 2, -1])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_values(dtype: str, dim: int, size: int) -> None:
    x = ow.randn(7, 5, 9, generator=ow.Generator().manual_seed(1)).to(getattr(ow, dtype))
    found = ow.moving_mean(x, size, dim)
    assert found.dtype == x.dtype
    precision = {"float16": 1e-3, "bfloat16": 1e-2, "float32": 1e-6, "float64": 1e-12}[dtype]
    wanted = expected(x.double(), size, dim)
    np.testing.assert_allclose(found.double().numpy(), wanted, precision, precision)


def test_more_than_a_tile_on_several_threads() -> None:
    x: Tensor = ow.randn(40, 3000, dtype=ow.float64)
    np.testing.assert_allclose(x.moving_mean(7).numpy(), expected(x, 7, 1), atol=1e-12)


def test_any_layout() -> None:
    x: Tensor = ow.randn(6, 8, 2)
    for y in (x.transpose(0, 1), x[:, ::2], x[1:], x[:1].expand(6, 8, 2)):
        assert ow.equal(y.moving_mean(3, 0), y.contiguous().moving_mean(3, 0))
    assert ow.moving_mean(ow.empty(0, 4), 2).shape == (0, 3)


def test_out_without_a_copy() -> None:
    x: Tensor = ow.randn(10)
    out = ow.empty(8)
    where = out.data_ptr()
    assert moving_mean_ops.moving_mean(x, 3, out=out) is out
    assert out.data_ptr() == where
    assert ow.equal(out, x.moving_mean(3))


def test_gradients() -> None:
    x: Tensor = ow.randn(3, 5, 2, dtype=ow.float64, requires_grad=True)
    for size, dim in ((1, 0), (3, 1), (2, -1)):
        function = lambda t, size=size, dim=dim: t.moving_mean(size, dim)  # noqa: E731
        assert ow.autograd.gradcheck(function, (x,))
        assert ow.autograd.gradgradcheck(function, (x,))


def test_tangents() -> None:
    x: Tensor = ow.randn(3, 5)
    v: Tensor = ow.randn(3, 5)
    _, tangent = ow.func.jvp(lambda t: t.moving_mean(2, 0), (x,), (v,))
    ow.testing.assert_close(tangent, v.moving_mean(2, 0))


def test_batches() -> None:
    x: Tensor = ow.randn(4, 3, 6)
    found = ow.func.vmap(lambda t: t.moving_mean(2))(x)
    assert ow.equal(found, ow.stack([t.moving_mean(2) for t in x]))


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ((ow.ones(()), 1), RuntimeError, "moving_mean(): a tensor of no dimensions has no windows"),
        ((ow.ones(3), 0), ValueError, "moving_mean(): size has to be positive, got 0"),
        (
            (ow.ones(2, 3), 3, 0),
            RuntimeError,
            "moving_mean(): a window of 3 does not fit into the 2 elements of dimension 0",
        ),
    ],
)
def test_errors_are_the_same_without_data(
    arguments: tuple[Any, ...], kind: type[Exception], message: str
) -> None:
    tensor, *rest = arguments
    for x in (tensor, tensor.to("meta")):
        with pytest.raises(kind, match=re.escape(message)):
            x.moving_mean(*rest)


def test_other_dtypes() -> None:
    with pytest.raises(NotImplementedError, match="\"moving_mean\" not implemented for 'Long'"):
        ow.moving_mean(ow.ones(3, dtype=ow.int64), 1)
    # The entry says so, for every target: also where no kernel runs.
    with pytest.raises(NotImplementedError, match="\"moving_mean\" not implemented for 'Long'"):
        ow.moving_mean(ow.ones(3, dtype=ow.int64, device="meta"), 1)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("language", "files"),
    [
        ("yaml", ["ops.yaml", "derivatives.yaml"]),
        ("cpp", ["moving_mean.cc"]),
        ("starlark", ["BUILD"]),
    ],
)
def test_the_page_shows_these_files(language: str, files: list[str]) -> None:
    text = "".join((CHECKOUT / HERE / file).read_text(encoding="utf-8") for file in files)
    shown = blocks(language)
    assert shown
    assert [block for block in shown if block not in text] == []


@pytest.mark.parametrize("block", blocks("console"))
def test_the_commands_of_the_page_print_what_it_shows(
    block: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opweave = Path("codegen/cli/opweave").resolve()
    monkeypatch.chdir(HERE)
    shown = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    assert shown
    for command, output in shown:
        program, *arguments = shlex.split(command)
        assert program == "opweave"
        run = subprocess.run([opweave, *arguments], capture_output=True, text=True, check=False)
        assert run.stdout + run.stderr == output


def test_the_python_of_the_page() -> None:
    source = "".join(blocks("pycon"))
    test = doctest.DocTestParser().get_doctest(source, {}, "docs/kernels.md", None, 0)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.tries > 3
    assert runner.failures == 0
