"""A training script as a model author writes it who has mypy be strict; test_types_of_scripts.py runs it."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import opweave as torch
import opweave.multiprocessing as mp
import opweave.nn.functional as F
from opweave import Tensor, nn, optim
from opweave.amp import GradScaler, autocast
from opweave.nn.utils import clip_grad_norm_
from opweave.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from opweave.optim.lr_scheduler import (
    CosineAnnealingLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    SequentialLR,
)
from opweave.optim.swa_utils import SWALR, AveragedModel, update_bn
from opweave.utils.checkpoint import checkpoint
from opweave.utils.data import DataLoader, Dataset, Sampler, Subset, TensorDataset, random_split


class Text(Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, text: str, block: int) -> None:
        self.vocabulary = sorted(set(text))
        self.index = {c: i for i, c in enumerate(self.vocabulary)}
        self.data = torch.tensor([self.index[c] for c in text], dtype=torch.long)
        self.block = block

    def __len__(self) -> int:
        return len(self.data) - self.block

    def __getitem__(self, i: int) -> tuple[Tensor, Tensor]:
        return self.data[i : i + self.block], self.data[i + 1 : i + self.block + 1]


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        h = self.norm(x)
        attended, _ = self.attention(h, h, h, attn_mask=mask, need_weights=False)
        x = x + attended
        found: Tensor = x + self.mlp(self.norm(x))
        return found


class Model(nn.Module):
    mask: Tensor

    def __init__(self, vocabulary: int, width: int, block: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.position = nn.Parameter(torch.zeros(1, block, width))
        self.blocks = nn.ModuleList([Block(width, 2) for _ in range(2)])
        self.rnn = nn.LSTM(width, width, num_layers=1, batch_first=True)
        self.drop = nn.Dropout(dropout)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.register_buffer("mask", torch.triu(torch.full((block, block), -math.inf), diagonal=1))
        self.apply(self.init)

    @staticmethod
    def init(module: nn.Module) -> None:
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, x: Tensor, target: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        h = self.drop(self.embedding(x) + self.position[:, : x.size(1)])
        for block in self.blocks:
            h = checkpoint(block, h, self.mask, use_reentrant=False)
        out, _ = self.rnn(h)
        logits = self.head(out)
        if target is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), target.flatten())


class Clamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        found: Tensor = gradients[0] * (x > 0).float()
        return found


def collate(batch: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    xs, ys = zip(*batch)
    return torch.stack(xs), pad_sequence(list(ys), batch_first=True)


class Every(Sampler[int]):
    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self) -> Iterator[int]:
        return iter(range(0, self.n, 2))

    def __len__(self) -> int:
        return (self.n + 1) // 2


def scheduler_of(optimizer: optim.Optimizer, steps: int) -> LRScheduler:
    warm = LinearLR(optimizer, 0.1, total_iters=5)
    return SequentialLR(optimizer, [warm, CosineAnnealingLR(optimizer, steps)], milestones=[5])


@torch.no_grad()
def evaluate(
    model: nn.Module, loader: DataLoader[tuple[Tensor, Tensor]], device: torch.device
) -> float:
    model.eval()
    losses: list[float] = []
    for x, y in loader:
        _, loss = model(x.to(device, non_blocking=True), y.to(device))
        losses.append(loss.item())
    model.train()
    return sum(losses) / len(losses)


def worker(rank: int, size: int, values: Tensor) -> None:
    values[rank] = rank


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = False
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.set_float32_matmul_precision("high")
    torch.use_deterministic_algorithms(False)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = Text("hello world, this is a text to learn from. " * 5, 16)
    train, _ = random_split(data, [0.8, 0.2], generator=torch.Generator().manual_seed(1))
    loader = DataLoader(
        train, batch_size=8, shuffle=True, collate_fn=collate, num_workers=0, drop_last=True
    )
    check = DataLoader(Subset(data, range(8)), batch_size=4, sampler=None)
    every = DataLoader(TensorDataset(torch.randn(6, 2), torch.arange(6)), sampler=Every(6))
    model = Model(len(data.vocabulary), 16, 16).to(device)
    optimizer = optim.AdamW(
        model.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.1, fused=True
    )
    schedule = scheduler_of(optimizer, 20)
    average = AveragedModel(model)
    swa = SWALR(optimizer, swa_lr=1e-3)
    scaler = GradScaler("cpu", enabled=False)
    for step, (x, y) in enumerate(loader):
        with autocast("cpu", dtype=torch.bfloat16):
            _, loss = model(x, y)
        assert loss is not None
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm: Tensor = clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        schedule.step()
        average.update_parameters(model)
        if step == 3:
            break
    swa.step()
    print(
        f"{loss.item():.3f} {norm:.3f} {schedule.get_last_lr()[0]:.4f} {evaluate(model, check, device):.3f}"
    )
    torch.save(
        {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 3}, options.out
    )
    state: dict[str, Any] = torch.load(options.out, map_location="cpu", weights_only=True)
    missing, unexpected = model.load_state_dict(state["model"], strict=False)
    print(
        missing,
        unexpected,
        len(list(every)),
        sum(p.numel() for p in model.parameters() if p.requires_grad),
    )
    lengths = torch.tensor([3, 2])
    packed = pack_padded_sequence(torch.randn(2, 3, 4), lengths, batch_first=True)
    padded, sizes = pad_packed_sequence(packed, batch_first=True)
    print(padded.shape, sizes.tolist())
    shared = torch.zeros(2).share_memory_()
    mp.spawn(worker, args=(2, shared), nprocs=2, join=True)
    print(shared.tolist())
    x = torch.randn(3, requires_grad=True)
    handle = x.register_hook(lambda g: g * 2)
    y = Clamp.apply(x).sum()
    (gradient,) = torch.autograd.grad(y, x)
    handle.remove()
    jac = torch.func.jacrev(lambda t: t.sin())(x.detach())
    per = torch.func.vmap(torch.func.grad(lambda t: (t**2).sum()))(torch.ones(2, 3))
    values, indices = torch.topk(torch.arange(5.0), 2)
    grid = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")
    q, best = torch.max(values, dim=0)
    print(
        gradient.shape, jac.shape, per.shape, indices.tolist(), grid[0].shape, int(best), float(q)
    )
    ema = optim.swa_utils.get_ema_multi_avg_fn(0.9)
    AveragedModel(model, multi_avg_fn=ema)
    update_bn(((a,) for a, b in loader), average)
    LambdaLR(optimizer, lambda e: 0.95**e)
    with torch.device("cpu"), torch.random.fork_rng(), torch.inference_mode():
        print(torch.rand(1).device, torch.is_inference_mode_enabled(), torch.__version__ != "")
    with torch.profiler.profile() as prof:
        (x @ x).item()
    print(len(prof.events()) > 0)


if __name__ == "__main__":
    main()
