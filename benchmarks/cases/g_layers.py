"""Layers of recurrent networks and attention, and a small language model's step under autocast."""

from collections.abc import Callable
from functools import partial
from typing import Any

import opweave
import torch
from measure import Pair, function
from rows import add_row

BATCH, LENGTH, WIDTH = 16, 32, 128
WORDS = 256  # the bytes that there are


def _both(make: Callable[[Any], Callable[[], Any]]) -> Callable[[], Pair]:
    return lambda: Pair(function(make(opweave)), function(make(torch)))


def _recurrent(xp: Any, kind: str) -> Callable[[], Any]:
    layer = getattr(xp.nn, kind)(WIDTH, WIDTH)
    x = xp.randn(LENGTH, BATCH, WIDTH)

    def step() -> None:
        layer.zero_grad()
        layer(x)[0].sum().backward()

    return step


def _attention(xp: Any) -> Callable[[], Any]:
    layer = xp.nn.MultiheadAttention(WIDTH, 4, batch_first=True)
    x = xp.randn(BATCH, LENGTH, WIDTH)

    def step() -> None:
        layer.zero_grad()
        layer(x, x, x, need_weights=False)[0].sum().backward()

    return step


def _causal(xp: Any, sizes: tuple[int, ...], trained: bool) -> Callable[[], Any]:
    """Causal attention of (batch, heads, length, width), forward or both ways."""
    attend = xp.nn.functional.scaled_dot_product_attention
    tensors = [xp.randn(*sizes, requires_grad=trained) for _ in range(3)]
    if not trained:
        return lambda: attend(*tensors, is_causal=True)
    gradient = xp.randn(*sizes)
    return lambda: xp.autograd.grad(attend(*tensors, is_causal=True), tensors, gradient)


def _language_model(xp: Any) -> Callable[[Any], Any]:
    """Two blocks of a decoder: from words (batch, length) to scores of the next ones."""
    nn = xp.nn
    embedding = nn.Embedding(WORDS, WIDTH)
    blocks = [
        nn.TransformerEncoderLayer(
            WIDTH, 4, 4 * WIDTH, dropout=0.0, batch_first=True, norm_first=True
        )
        for _ in range(2)
    ]
    model = nn.ModuleList([embedding, *blocks, nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)])
    mask = xp.triu(xp.full((LENGTH, LENGTH), float("-inf")), diagonal=1)

    def forward(words: Any) -> Any:
        h = embedding(words)
        for block in blocks:
            h = block(h, src_mask=mask)
        return model[-1](model[-2](h))

    forward.parameters = list(model.parameters())  # type: ignore[attr-defined]
    return forward


def _language_step(xp: Any, autocast: bool) -> Callable[[], Any]:
    forward = _language_model(xp)
    optimizer = xp.optim.AdamW(forward.parameters, lr=1e-4)  # type: ignore[attr-defined]
    words = xp.arange(BATCH * LENGTH).reshape(BATCH, LENGTH) % WORDS

    def step() -> None:
        optimizer.zero_grad()
        with xp.autocast("cpu", dtype=xp.bfloat16, enabled=autocast):
            scores = forward(words)
            loss = xp.nn.functional.cross_entropy(scores.reshape(-1, WORDS), words.reshape(-1))
        loss.backward()
        optimizer.step()

    return step


def _bfloat16_product(xp: Any) -> Callable[[], Any]:
    a, b = (xp.randn(1024, 1024).to(xp.bfloat16) for _ in range(2))
    return lambda: a @ b


def _unscale(xp: Any) -> Callable[[], Any]:
    gradients = [xp.ones(1_000) for _ in range(200)]
    found, factor = xp.zeros(1), xp.ones(1)
    own = opweave._C._amp_foreach_non_finite_check_and_unscale_
    call = own if xp is opweave else torch._amp_foreach_non_finite_check_and_unscale_
    return lambda: call(gradients, found, factor)


for _kind in ("RNN", "LSTM", "GRU"):
    add_row(
        f"{_kind}, 16 sequences of 32 x 128, both ways",
        "PyTorch",
        1.0,
        _both(partial(_recurrent, kind=_kind)),
    )
add_row("MultiheadAttention of 16 x 32 x 128, both ways", "PyTorch", 1.0, _both(_attention))
for _sizes in ((4, 8, 256, 64), (1, 12, 2048, 64)):
    for _name, _trained in (("forward", False), ("both ways", True)):
        add_row(
            f"causal attention of {'x'.join(map(str, _sizes))}, {_name}",
            "PyTorch",
            0.7,
            _both(partial(_causal, sizes=_sizes, trained=_trained)),
        )
for _name, _autocast in (("float32", False), ("bfloat16 autocast", True)):
    add_row(
        f"step of a language model, {_name}",
        "PyTorch",
        1.0,
        _both(partial(_language_step, autocast=_autocast)),
    )
add_row("mm at 1024 in bfloat16", "PyTorch", 1.0, _both(_bfloat16_product))
add_row("unscale of 200 gradients of 1,000", "PyTorch", 1.0, _both(_unscale))
