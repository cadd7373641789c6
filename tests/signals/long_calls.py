"""Calls that last for milliseconds: of every handwritten kernel and of every library that kernels call."""

import opweave as ow
import opweave.nn.functional as F
from opweave.nn.attention import SDPBackend, sdpa_kernel


def _numbers(*sizes, dtype=ow.float32, least=-1.0):
    count = 1
    for size in sizes:
        count *= size
    # Exact in 16 bits and without a draw: 61 values from `least` on.
    return ((ow.arange(count) % 61).to(ow.float32) / 32 + least).reshape(sizes).to(dtype)


def _indices(count, below, *sizes):
    return (ow.arange(count) * 7919 % below).reshape(sizes or (count,))


def _gradients(function, *inputs):
    leaves = [t.detach().clone().requires_grad_() for t in inputs]
    result = function(*leaves)
    return [result, *ow.autograd.grad(result.sum(), leaves)]


def _products():
    for dtype in (ow.float32, ow.float64, ow.bfloat16, ow.int32):
        name = str(dtype).removeprefix("opweave.")
        a, b = _numbers(300, 200, dtype=dtype), _numbers(200, 260, dtype=dtype)
        t = _numbers(200, 300, dtype=dtype).T
        thin, tall = _numbers(3, 2000, dtype=dtype), _numbers(2000, 3, dtype=dtype)
        batch = _numbers(6, 130, 140, dtype=dtype)
        bias = _numbers(260, dtype=dtype)
        yield f"mm {name}", lambda a=a, b=b: a @ b
        yield f"mm of a transpose {name}", lambda t=t, b=b: t @ b
        yield f"mm of two transposes {name}", lambda a=a, b=b: b.T @ a.T
        yield f"mm of few rows {name}", lambda thin=thin, tall=tall: [thin @ tall, tall @ thin]
        yield f"mv {name}", lambda a=a: ow.mv(a, a[0])
        yield f"dot {name}", lambda thin=thin: ow.dot(thin[0], thin[1])
        yield f"addmm {name}", lambda a=a, b=b, bias=bias: ow.addmm(bias, a, b)
        yield f"bmm {name}", lambda batch=batch: ow.bmm(batch, batch.mT)
        yield f"baddbmm {name}", lambda batch=batch: ow.baddbmm(batch[..., :130], batch, batch.mT)
        yield f"linear {name}", lambda a=a, b=b, bias=bias: F.linear(a, b.T, bias)
    big = _numbers(1100, 1100)
    yield "mm of 1100", lambda: big @ big
    yield "vdot", lambda: ow.vdot(big[0], big[1])
    yield "mm into out", lambda: ow.mm(big[:200], big[:, :200], out=ow.empty(200, 200))


def _networks():
    x, w = _numbers(4, 16, 40, 40), _numbers(24, 16, 3, 3)
    yield "conv1d", lambda: _gradients(F.conv1d, x[0].reshape(4, 4, 1600), w[:8, :4, 0])
    yield "conv2d", lambda: _gradients(F.conv2d, x, w)
    yield "conv2d of groups", lambda: _gradients(lambda x, w: F.conv2d(x, w, groups=4), x, w[:, :4])
    yield "conv2d dilated", lambda: _gradients(lambda x, w: F.conv2d(x, w, dilation=5), x, w)
    yield "conv2d channels_last", lambda: F.conv2d(x.to(memory_format=ow.channels_last), w)
    yield "conv2d float64", lambda: _gradients(F.conv2d, x.double(), w.double())
    yield "conv2d 1x1", lambda: _gradients(F.conv2d, x, w[..., :1, :1])
    yield (
        "conv3d",
        lambda: _gradients(F.conv3d, x.reshape(4, 16, 16, 10, 10), _numbers(8, 16, 3, 3, 3)),
    )
    yield (
        "conv_transpose2d",
        lambda: _gradients(F.conv_transpose2d, x, w.transpose(0, 1).contiguous()),
    )
    yield "max_pool2d", lambda: _gradients(lambda x: F.max_pool2d(x, 3, 2), x)
    yield "avg_pool2d", lambda: _gradients(lambda x: F.avg_pool2d(x, 3, 2), x)
    yield "adaptive_avg_pool2d", lambda: _gradients(lambda x: F.adaptive_avg_pool2d(x, 7), x)
    yield "adaptive_max_pool2d", lambda: F.adaptive_max_pool2d(x, 7)
    yield (
        "interpolate",
        lambda: _gradients(
            lambda x: F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False), x
        ),
    )
    yield "interpolate to the nearest", lambda: _gradients(lambda x: F.interpolate(x, (90, 70)), x)
    grid = _numbers(4, 40, 40, 2)
    yield "grid_sample", lambda: F.grid_sample(x, grid, align_corners=False)
    yield (
        "gradients of grid_sample",
        lambda: _gradients(lambda x, grid: F.grid_sample(x, grid, align_corners=False), x, grid),
    )
    yield (
        "interpolate",
        lambda: _gradients(lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), x),
    )
    yield "pdist", lambda: F.pdist(x.reshape(400, -1))
    q = _numbers(2, 4, 200, 96)
    for way in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):

        def attend(way=way):
            with sdpa_kernel([way, SDPBackend.MATH]):
                return _gradients(F.scaled_dot_product_attention, q, q + 1, q - 1)

        yield f"attention {way.name}", attend
    ow.manual_seed(3)
    lstm, gru = ow.nn.LSTM(100, 120), ow.nn.GRU(100, 120)
    steps = _numbers(12, 8, 100)
    yield "LSTM", lambda: _gradients(lambda s: lstm(s)[0], steps)
    yield "GRU", lambda: _gradients(lambda s: gru(s)[0], steps)


def _norms_and_losses():
    x = _numbers(1500, 200)
    image = _numbers(8, 24, 30, 30)
    for dtype in (ow.float32, ow.float64, ow.float16):
        t = x.to(dtype)
        name = str(dtype).removeprefix("opweave.")
        yield f"softmax {name}", lambda t=t: _gradients(lambda t: F.softmax(t, -1), t)
        yield (
            f"log_softmax over dim 0 {name}",
            lambda t=t: _gradients(lambda t: F.log_softmax(t, 0), t),
        )
        yield f"layer_norm {name}", lambda t=t: _gradients(lambda t: F.layer_norm(t, [200]), t)
    yield "native_layer_norm", lambda: ow.native_layer_norm(x, [200], None, None, 1e-5)
    yield (
        "batch_norm",
        lambda: _gradients(lambda t: F.batch_norm(t, None, None, training=True), image),
    )
    yield "group_norm", lambda: _gradients(lambda t: F.group_norm(t, 4), image)
    yield (
        "weighted_nothing",
        lambda: _gradients(
            lambda t: F.cross_entropy(t, _indices(1500, 200), _numbers(200, least=0)), x
        ),
    )
    yield "cross_entropy", lambda: _gradients(lambda t: F.cross_entropy(t, _indices(1500, 200)), x)
    scores, steps, labels = _numbers(200, 64, 30), ow.full((64,), 200), ow.full((64,), 60)
    texts = _indices(64 * 60, 29, 64, 60) + 1
    yield (
        "ctc_loss",
        lambda: _gradients(
            lambda t: F.ctc_loss(F.log_softmax(t, -1), texts, steps, labels), scores
        ),
    )
    yield (
        "nll_loss2d",
        lambda: _gradients(lambda t: F.nll_loss(t, _indices(7200, 24, 8, 30, 30)), image),
    )


def _reductions():
    x, ints = _numbers(900, 400), _indices(360_000, 10_007, 900, 400)
    for name in ("sum", "mean", "prod", "amax", "amin", "argmax", "argmin", "var", "std", "median"):
        for dim in (0, 1):
            yield f"{name} over {dim}", lambda name=name, dim=dim: getattr(ow, name)(x, dim=dim)
    for name in (
        "sum",
        "mean",
        "prod",
        "max",
        "min",
        "any",
        "all",
        "nansum",
        "median",
        "nanmedian",
        "var",
        "std",
        "var_mean",
        "std_mean",
        "argmax",
        "argmin",
        "count_nonzero",
        "nonzero",
        "unique",
    ):
        yield name, lambda name=name: getattr(ow, name)(x)
    for name in (
        "max",
        "min",
        "any",
        "all",
        "count_nonzero",
        "var_mean",
        "std_mean",
        "nanmedian",
        "mode",
        "cumsum",
        "cumprod",
        "cummax",
        "cummin",
        "sort",
        "argsort",
        "logsumexp",
    ):
        yield f"{name} over 1", lambda name=name: getattr(ow, name)(x, dim=1)
    yield "any of dims", lambda: [ow.any(x, dim=(0, 1)), ow.all(x, dim=(0, 1))]
    yield "var by hand", lambda: [f(x, 1) for f in (ow.var, ow.std, ow.var_mean, ow.std_mean)]
    yield (
        "var unbiased",
        lambda: [f(x, 1, True) for f in (ow.var, ow.std, ow.var_mean, ow.std_mean)],
    )
    yield "sort stable", lambda: [x.sort(stable=True, dim=0), ow.argsort(ints, dim=1, stable=True)]
    yield "sort integers", lambda: ow.sort(ints.flatten())
    yield "topk", lambda: [ow.topk(x, 50), ow.kthvalue(x, 17)]
    edges = ow.linspace(-2, 2, 1000)
    yield "searchsorted", lambda: [ow.searchsorted(edges, x), ow.histogram(x, edges)]
    yield (
        "unique of",
        lambda: [
            ow.unique(ints, return_inverse=True),
            ow.unique_consecutive(ints, return_counts=True),
            ow.unique(ints[:200], dim=0),
        ],
    )
    yield "norm", lambda: [ow.linalg.vector_norm(x, p, dim=1) for p in (0, 1, 2, 3.5)]
    yield (
        "svd",
        lambda: [*ow.linalg.svd(x[:90, :80].double() ** 2), ow.linalg.svdvals(x[:120, :100])],
    )


def _moves():
    x, rows = _numbers(900, 400), _indices(900, 900)
    where = _indices(360_000, 900, 900, 400)
    mask = where % 3 == 0
    yield (
        "copies",
        lambda: [
            x.T.contiguous(),
            x.to(ow.float16),
            x.clone(),
            x.type_as(x.double()),
            x.clone().fill_diagonal_(1),
        ],
    )
    yield (
        "cat",
        lambda: [
            ow.cat([x, x, x], 1),
            ow.tile(x, (2, 2)),
            x.repeat_interleave(_indices(900, 3), 0),
        ],
    )
    yield "flip", lambda: [x.flip(0, 1), x.tril(), x.triu(), ow.eye(900, 400)]
    yield (
        "ranges",
        lambda: [
            ow.arange(10**6),
            ow.linspace(0, 1, 10**6),
            ow.zeros(10**6),
            ow.full((10**6,), 3.0),
        ],
    )
    yield "index", lambda: [x[rows], x[rows, rows % 400], x.index_select(1, rows % 400), x[mask]]
    yield "index gradients", lambda: _gradients(lambda t: t[rows, rows % 400], x)
    yield "index_put", lambda: x.clone().index_put_((rows,), x, accumulate=True)
    yield "index_add", lambda: [x.index_add(0, rows, x), x.index_copy(0, rows, x)]
    yield (
        "gather",
        lambda: [
            x.gather(0, where),
            x.scatter(0, where, x),
            x.scatter(0, where, 1.0),
            x.scatter_add(0, where, x),
            x.scatter(0, where, x, reduce="add"),
            x.scatter_reduce(0, where, x, "amax"),
        ],
    )
    yield "embedding", lambda: _gradients(lambda t: F.embedding(where % 900, t[:, :8]), x)
    yield (
        "masked",
        lambda: [
            x.masked_select(mask),
            x.masked_fill(mask, ow.tensor(2.0)),
            x.masked_scatter(mask, x + 1),
        ],
    )
    yield "masked gradients", lambda: _gradients(lambda t: x.masked_scatter(mask, t), x)
    yield (
        "bernoulli",
        lambda: [
            x.clone().bernoulli_(0.3),
            x.abs().clamp(0, 1).bernoulli(),
            ow.randint(9, (10**6,)),
        ],
    )
    yield (
        "random",
        lambda: [
            ow.rand(10**6),
            ow.randn(10**6),
            x.clone().exponential_(),
            x.clone().random_(),
            ow.randperm(10**5),
        ],
    )
    yield (
        "counts",
        lambda: [
            ow.poisson(ow.full((10**5,), 30.0)),
            ow.binomial(ow.full((10**5,), 70.0), ow.tensor(0.3)),
        ],
    )
    yield (
        "dropout",
        lambda: [
            F.dropout(x),
            F.dropout2d(x.reshape(9, 100, 20, 20)),
            ow.dropout_(x.clone(), 0.3, True),
            ow.alpha_dropout(x, 0.3, True),
            ow.feature_alpha_dropout_(x.clone(), 0.3, True),
        ],
    )
    yield "addcdiv", lambda: ow.addcdiv(x, x, x + 3)
    yield (
        "item",
        lambda: [(x[i, i].item(), ow.ops._local_scalar_dense(x[i, i])) for i in range(300)],
    )


def _steps():
    for name in (
        "SGD",
        "Adam",
        "AdamW",
        "Adagrad",
        "Adadelta",
        "Adamax",
        "NAdam",
        "RAdam",
        "RMSprop",
        "Rprop",
        "ASGD",
    ):

        def step(name=name):
            weights = [_numbers(300, 300).requires_grad_() for _ in range(3)]
            extra = {"fused": True} if name in ("SGD", "Adam", "AdamW", "Adagrad") else {}
            optimizer = getattr(ow.optim, name)(weights, lr=0.01, **extra)
            for _ in range(3):
                sum((w * w).sum() for w in weights).backward()
                optimizer.step()
            return weights

        yield name, step

    def unscale():
        grads, found = [_numbers(300, 300)], ow.zeros(1)
        ow._C._amp_foreach_non_finite_check_and_unscale_(grads, found, ow.tensor(0.5))
        return [*grads, found]

    yield "unscale", unscale


def long_calls():
    """(name, function without arguments that gives tensors) of each."""
    for group in (_products, _networks, _norms_and_losses, _reductions, _moves, _steps):
        yield from group()
