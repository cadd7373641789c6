"""Trains a convolutional network on handwritten digits in several processes:

    python -m opweave.distributed.run --nproc-per-node 2 train_digits.py [--epochs N]

Rank 0 shows a progress bar and the accuracy on the held-out fifth; the status is 1 below 97%.
Written for PyTorch: `--with torch` runs it there, under torchrun. Without a launcher it is one process.
"""

import argparse
import gzip
import importlib
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any


def load(torch: Any, file: Path) -> tuple[Any, Any]:
    """Images float32 [1797, 1, 8, 8] in [0, 1] and labels int64 [1797], those that scikit-learn carries."""
    with gzip.open(file, "rt") as lines:
        rows = torch.tensor([[float(v) for v in line.split(",")] for line in lines])
    return rows[:, :64].reshape(-1, 1, 8, 8) / 16, rows[:, 64].to(torch.int64)


def digits_of_scikit_learn() -> Path:
    spec = importlib.util.find_spec("sklearn")
    if spec is None or spec.origin is None:
        sys.exit("scikit-learn is not installed: apt-get install python3-sklearn, or give --data")
    return Path(spec.origin).parent / "datasets" / "data" / "digits.csv.gz"


def network(nn: Any) -> Any:
    """[N, 1, 8, 8] -> logits [N, 10]."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3, padding=1),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(64 * 4 * 4, 128),
        nn.ReLU(),
        nn.Linear(128, 10),
    )


def progress(done: int, total: int, text: str) -> None:
    width = 30
    filled = width * done // total
    print(f"[{'#' * filled}{'.' * (width - filled)}] {text}", flush=True)


class Training:
    """What a rank has of it."""

    def __init__(self, torch: Any, dist: Any, options: argparse.Namespace) -> None:
        self.torch, self.dist = torch, dist
        images, labels = load(torch, options.data or digits_of_scikit_learn())
        held_out = torch.arange(len(labels)) % 5 == 0
        self.train = images[~held_out], labels[~held_out]
        self.test = images[held_out], labels[held_out]
        sampled = importlib.import_module(f"{torch.__name__}.utils.data.distributed")
        indices = range(len(self.train[1]))
        self.sampler = sampled.DistributedSampler(indices, seed=options.seed)
        torch.manual_seed(options.seed)
        self.model = torch.nn.parallel.DistributedDataParallel(network(torch.nn))
        # A batch is divided among the ranks: as many steps with as many examples, however many they are.
        self.batch = max(options.batch_size // dist.get_world_size(), 1)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=2e-3)

    def epoch(self, number: int) -> Any:
        """The loss of this rank's last step."""
        self.sampler.set_epoch(number)  # or every epoch would have the same order
        self.model.train()
        images, labels = self.train
        for indices in self.torch.tensor(list(self.sampler)).split(self.batch):
            self.optimizer.zero_grad()
            logits = self.model(images[indices])
            loss = self.torch.nn.functional.cross_entropy(logits, labels[indices])
            loss.backward()
            self.optimizer.step()
        return loss.item()

    def accuracy(self) -> Any:
        """On the held-out part, of which each rank looks at its share."""
        self.model.eval()
        images, labels = (x[self.dist.get_rank() :: self.dist.get_world_size()] for x in self.test)
        with self.torch.no_grad():
            right = (self.model(images).argmax(1) == labels).sum()
        self.dist.all_reduce(right)
        return right.item() / len(self.test[1])


def main(options: argparse.Namespace) -> int:
    torch = importlib.import_module(options.library)
    dist = importlib.import_module(f"{options.library}.distributed")
    alone = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29512", "RANK": "0", "WORLD_SIZE": "1"}
    if "RANK" not in os.environ:
        os.environ.update(alone)
    dist.init_process_group("gloo")
    training = Training(torch, dist, options)
    for epoch in range(options.epochs):
        loss, score = training.epoch(epoch), training.accuracy()
        if dist.get_rank() == 0:
            text = f"epoch {epoch + 1:2d}  loss {loss:.4f}  test {score:.2%}"
            progress(epoch + 1, options.epochs, text)
    if dist.get_rank() == 0:
        print(f"{dist.get_world_size()} processes, accuracy {score:.2%}")
    dist.destroy_process_group()
    return 0 if score >= options.accuracy else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch-size", type=int, default=64, help="of all ranks together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--accuracy", type=float, default=0.97, help="below which the status is 1")
    parser.add_argument("--data", type=Path, help="digits.csv.gz of scikit-learn")
    parser.add_argument("--with", dest="library", default="opweave", choices=["opweave", "torch"])
    sys.exit(main(parser.parse_args()))
