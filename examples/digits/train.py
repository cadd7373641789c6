"""Trains a convolutional network on handwritten digits, with an operator that lives outside Opweave.

    python3 train.py [--epochs N] [--seed N] [--picture FILE]

Prints a progress bar and the accuracy on the held-out fifth; exits with status 1 below 98%.
"""

import argparse
import hashlib
import math
import sys
import time

import data
import opweave as ow
import opweave.nn.functional as F
import squareplus_ops  # noqa: F401  adds opweave.squareplus
from model import DigitNet


def show_operator() -> None:
    """The new operator, its gradient, and the formula for comparison."""
    x = ow.linspace(-2, 2, 5, requires_grad=True)
    y = ow.squareplus(x)
    y.sum().backward()
    assert x.grad is not None
    print("squareplus", [round(v, 4) for v in y.tolist()])
    print("gradient  ", [round(v, 4) for v in x.grad.tolist()])
    expected = 0.5 * (1 + x.detach() / (x.detach() ** 2 + 4).sqrt())
    assert ow.allclose(x.grad, expected), (x.grad, expected)


def progress(done: int, total: int, text: str) -> None:
    width = 30
    filled = width * done // total
    end = "\n" if done == total else ""
    bar = "#" * filled + "." * (width - filled)
    if sys.stdout.isatty():
        print(f"\r[{bar}] {text}", end=end, flush=True)
    elif done == total or done % max(1, total // 5) == 0:  # a log gets a few lines
        print(f"[{bar}] {text}", flush=True)


def accuracy(model: ow.nn.Module, images: ow.Tensor, labels: ow.Tensor) -> tuple[float, ow.Tensor]:
    model.eval()
    with ow.no_grad():
        predicted = model(images).argmax(1)
    model.train()
    return (predicted == labels).float().mean().item(), predicted


def learning_rate(epoch: int, epochs: int) -> float:
    """Half a cosine from 0.002 to 0: the last epochs settle."""
    return 1e-3 * (1 + math.cos(math.pi * epoch / epochs))


def train(
    model: ow.nn.Module,
    train_set: data.Part,
    test_set: data.Part,
    epochs: int,
    batch_size: int,
    seed: int,
) -> list[float]:
    """Returns the loss of every step."""
    images, labels = train_set
    optimizer = ow.optim.AdamW(model.parameters(), weight_decay=1e-2)
    generator = ow.Generator().manual_seed(seed)
    losses = []
    for epoch in range(epochs):
        optimizer.param_groups[0]["lr"] = learning_rate(epoch, epochs)
        order = ow.randperm(len(labels), generator=generator)
        for batch in order.split(batch_size):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(images[batch]), labels[batch])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        score, _ = accuracy(model, *test_set)
        progress(
            epoch + 1, epochs, f"epoch {epoch + 1:2d}  loss {losses[-1]:.4f}  test {score:.2%}"
        )
    return losses


def draw(
    losses: list[float], images: ow.Tensor, labels: ow.Tensor, predicted: ow.Tensor, path: str
) -> None:
    """The loss curve and the first predictions, as a PNG."""
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not installed (apt-get install python3-matplotlib)")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(10, 4))
    grid = figure.add_gridspec(3, 10)
    curve = figure.add_subplot(grid[:, :4])
    curve.plot(losses, linewidth=0.8)
    curve.set_yscale("log")
    curve.set_xlabel("step")
    curve.set_title("training loss")
    for i in range(15):
        cell = figure.add_subplot(grid[i // 5, 5 + i % 5])
        cell.imshow(images[i, 0].numpy(), cmap="gray_r")
        right = bool(predicted[i] == labels[i])
        cell.set_title(str(predicted[i].item()), color="black" if right else "red", fontsize=10)
        cell.axis("off")
    figure.savefig(path, dpi=120, bbox_inches="tight")
    print(f"wrote {path}")


def fingerprint(model: ow.nn.Module) -> str:
    """A hash of all parameters: equal for runs with one seed."""
    digest = hashlib.sha256()
    for parameter in model.parameters():
        digest.update(parameter.detach().numpy().tobytes())
    return digest.hexdigest()[:16]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", default="digits.png")
    options = parser.parse_args()

    show_operator()
    ow.manual_seed(options.seed)
    train_set, test_set = data.split(*data.load(), options.seed)
    model = DigitNet(ow.squareplus)
    started = time.monotonic()
    losses = train(model, train_set, test_set, options.epochs, options.batch_size, options.seed)
    score, predicted = accuracy(model, *test_set)
    seconds = time.monotonic() - started
    print(f"test accuracy {score:.2%} after {seconds:.1f} s, parameters {fingerprint(model)}")
    if options.picture:
        draw(losses, *test_set, predicted, options.picture)
    return 0 if score >= 0.98 else 1


if __name__ == "__main__":
    sys.exit(main())
