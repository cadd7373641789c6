"""Trains a small language model on a text, draws the loss, and writes a text of its own.

    python3 train.py --text LICENSE --steps 300

Run again with more steps it goes on from its checkpoint, as if it had never stopped. The program is written
for PyTorch but for the names in its imports: with `torch` in the place of `opweave` there it prints the same
losses.
"""

import argparse
import pathlib
import sys

import opweave as torch
import plot
from model import LanguageModel
from opweave import Tensor, nn, optim

_BATCH = 16


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--text", type=pathlib.Path, required=True, help="the file to learn from")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--folder", type=pathlib.Path, default=pathlib.Path(), help="of what is written"
    )
    parser.add_argument(
        "--length", type=int, default=200, help="of the text that is written at the end"
    )
    parser.add_argument("--temperature", type=float, default=0.8)
    return parser.parse_args(given)


class Text:
    """A text as numbers of its characters."""

    def __init__(self, text: str) -> None:
        self.characters = sorted(set(text))
        self._numbers = {c: i for i, c in enumerate(self.characters)}
        self.numbers = self.encode(text)

    def encode(self, text: str) -> Tensor:
        return torch.tensor([self._numbers[c] for c in text])

    def decode(self, numbers: Tensor) -> str:
        return "".join(self.characters[i] for i in numbers.tolist())

    def batch(self, size: int, context: int) -> tuple[Tensor, Tensor]:
        """Parts from anywhere, and each with what follows: two of [size, context]."""
        starts = torch.randint(len(self.numbers) - context, (size,))
        places = starts.unsqueeze(1) + torch.arange(context + 1)
        parts = self.numbers[places]
        return parts[:, :-1], parts[:, 1:]


class Training:
    """A model, what trains it, and the losses so far."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.model = LanguageModel(
            len(text.characters), context=64, width=64, heads=4, layers=2, dropout=0.1
        )
        self.optimizer = optim.AdamW(self.model.parameters(), lr=2e-3, weight_decay=0.01)
        self.schedule = optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=1000)
        self.losses: list[float] = []

    def step(self) -> float:
        self.model.train()
        loss = self.model.loss(*self.text.batch(_BATCH, self.model.context))
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.schedule.step()
        self.losses.append(loss.item())
        return self.losses[-1]

    def save(self, path: pathlib.Path) -> None:
        torch.save(
            {
                "model": self.model.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "schedule": self.schedule.state_dict(),
                "random": torch.get_rng_state(),
                "losses": self.losses,
            },
            path,
        )

    def load(self, path: pathlib.Path) -> None:
        found = torch.load(path)
        self.model.load_state_dict(found["model"])
        self.optimizer.load_state_dict(found["optimizer"])
        self.schedule.load_state_dict(found["schedule"])
        torch.set_rng_state(found["random"])
        self.losses = found["losses"]


def show_progress(step: int, steps: int, loss: float) -> None:
    if sys.stderr.isatty():
        done = 30 * step // steps
        bar = "#" * done + "." * (30 - done)
        print(f"\r[{bar}] {step}/{steps} loss {loss:.3f}", end="", file=sys.stderr, flush=True)


def train(training: Training, steps: int) -> None:
    for step in range(len(training.losses) + 1, steps + 1):
        loss = training.step()
        show_progress(step, steps, loss)
        if step % 50 == 0 or step == steps:
            print(f"step {step}: loss {loss:.4f}")


def main(given: list[str] | None = None) -> None:
    args = arguments(given)
    # PyTorch's random numbers, where they are not those that there are anyway.
    if hasattr(torch.random, "set_engine"):
        torch.random.set_engine("mt19937")
    torch.manual_seed(args.seed)
    training = Training(Text(args.text.read_text(encoding="utf-8")))
    checkpoint = args.folder / "language_model.pt"
    if checkpoint.exists():
        training.load(checkpoint)
        print(f"resumed after step {len(training.losses)}")
    train(training, args.steps)
    training.save(checkpoint)
    plot.draw(training.losses, args.folder / "loss.svg")
    training.model.eval()
    written = training.model.continue_text(training.text.numbers[:1], args.length, args.temperature)
    print(training.text.decode(written))


if __name__ == "__main__":
    main()
