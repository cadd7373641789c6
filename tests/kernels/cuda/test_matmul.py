"""Products of matrices by cuBLASLt, against those of the CPU: layouts, alignments, sizes, dtypes."""

import itertools

import opweave as ow
import pytest

pytestmark = pytest.mark.skipif(not ow.cuda.is_available(), reason="there is no cuda device")

DTYPES = {ow.float32: 1e-5, ow.float64: 1e-12, ow.float16: 2e-3, ow.bfloat16: 2e-2}


def numbers(*sizes, dtype=ow.float32, seed=0):
    return ow.randn(sizes, generator=ow.Generator().manual_seed(seed)).to(dtype)


def same(found, wanted, tolerance):
    assert found.is_cuda
    assert found.dtype == wanted.dtype
    ow.testing.assert_close(found.cpu(), wanted, rtol=tolerance, atol=tolerance * 8)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(1, 1, 1), (3, 5, 7), (64, 64, 64), (129, 33, 257), (1, 300, 2)])
def test_sizes(dtype, sizes):
    m, k, n = sizes
    a, b = numbers(m, k, dtype=dtype), numbers(k, n, dtype=dtype, seed=1)
    same(a.to("cuda") @ b.to("cuda"), a @ b, DTYPES[dtype])


def _cut(before, after, step=1):
    """Columns of a wider matrix on the device, with other elements around them."""

    def lay(t):
        wide = ow.full((*t.shape[:-1], before + step * t.shape[-1] + after), 99.0, dtype=t.dtype)
        end = before + step * t.shape[-1]
        wide[..., before:end:step] = t
        return wide.to("cuda")[..., before:end:step]

    return lay


LAYOUTS = {
    "dense": lambda t: t.to("cuda"),
    "transposed": lambda t: t.mT.contiguous().to("cuda").mT,
    "every second": _cut(0, 0, 2),
    "of wider rows": _cut(0, 3),
    "begins anywhere": _cut(1, 0),
    "begins anywhere, transposed": lambda t: _cut(1, 2)(t.mT.contiguous()).mT,
    "one row": lambda t: t[..., :1, :].to("cuda").expand(t.shape),
    "one column": lambda t: t[..., :1].to("cuda").expand(t.shape),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("first", "second"), itertools.product(LAYOUTS, LAYOUTS))
def test_layouts(first, second, dtype):
    a, b = numbers(16, 24, dtype=dtype), numbers(24, 9, dtype=dtype, seed=1)
    x, y = LAYOUTS[first](a), LAYOUTS[second](b)
    same(x @ y, x.cpu() @ y.cpu(), DTYPES[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_batches(layout, dtype):
    a, b = numbers(5, 7, 12, dtype=dtype), numbers(5, 12, 3, dtype=dtype, seed=1)
    x, y = LAYOUTS[layout](a), LAYOUTS[layout](b)
    same(ow.bmm(x, y), ow.bmm(x.cpu(), y.cpu()), DTYPES[dtype])


def test_one_matrix_for_a_batch():
    a, b = numbers(5, 7, 12), numbers(12, 3, seed=1)
    same(a.to("cuda") @ b.to("cuda"), a @ b, 1e-5)
    many = b.to("cuda").expand(5, 12, 3)
    same(ow.bmm(a.to("cuda"), many), a @ b, 1e-5)


@pytest.mark.parametrize("sizes", [(0, 3, 4), (3, 0, 4), (3, 4, 0)])
def test_nothing_to_multiply(sizes):
    m, k, n = sizes
    a, b = ow.ones(m, k), ow.ones(k, n)
    assert (a.to("cuda") @ b.to("cuda")).tolist() == (a @ b).tolist()


@pytest.mark.parametrize("offset", [0, 1, 2, 3])
def test_results_that_begin_anywhere(offset):
    a, b = numbers(16, 16), numbers(16, 16, seed=1)
    memory = ow.zeros(16 * 16 + 4, device="cuda")
    out = memory[offset : offset + 256].view(16, 16)
    assert ow.mm(a.to("cuda"), b.to("cuda"), out=out) is out
    same(out, a @ b, 1e-5)
    assert memory.tolist()[:offset] == [0] * offset


def test_float32_is_not_rounded_to_tf32():
    a, b = numbers(256, 256, dtype=ow.float64), numbers(256, 256, dtype=ow.float64, seed=1)
    found = (a.float().to("cuda") @ b.float().to("cuda")).cpu().double()
    assert (found - a @ b).abs().max().item() < 1e-4  # TF32 would be off by some 1e-2


def test_other_dtypes_are_refused():
    a = ow.ones(2, 2, dtype=ow.int64, device="cuda")
    with pytest.raises(NotImplementedError, match=r'^"mm" not implemented for .* on cuda$'):
        a @ a


def test_gradients():
    a, b = numbers(4, 6, dtype=ow.float64), numbers(6, 5, dtype=ow.float64, seed=1)
    seed = numbers(4, 5, dtype=ow.float64, seed=2)

    def gradients(device):
        leaves = [t.to(device).requires_grad_() for t in (a, b)]
        return ow.autograd.grad(leaves[0] @ leaves[1], leaves, seed.to(device))

    for found, wanted in zip(gradients("cuda"), gradients("cpu"), strict=True):
        same(found, wanted, 1e-12)


def test_threads_multiply_at_once():
    import threading

    a = numbers(64, 64).to("cuda")
    wanted, found = (a @ a).tolist(), [None] * 8

    def run(i):
        with ow.cuda.stream(ow.cuda.Stream()):
            found[i] = (a @ a).tolist()

    ow.cuda.synchronize()
    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(found))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * len(found)
