"""The handwritten digits that scikit-learn carries: 1,797 scans of 8x8 pixels, 10 classes.

Source: E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning
Repository, 1998.
"""

import gzip
import importlib.util
import pathlib

import opweave as ow

Part = tuple[ow.Tensor, ow.Tensor]  # images and labels


def load() -> tuple[ow.Tensor, ow.Tensor]:
    """(images float32 [1797, 1, 8, 8] in [0, 1], labels int64 [1797])."""
    spec = importlib.util.find_spec("sklearn")
    if spec is None or spec.origin is None:
        raise SystemExit("scikit-learn is not installed: apt-get install python3-sklearn")
    # Read as a file: importing scikit-learn takes longer than the training.
    path = pathlib.Path(spec.origin).parent / "datasets" / "data" / "digits.csv.gz"
    with gzip.open(path, "rt") as lines:
        rows = ow.tensor([[float(v) for v in line.split(",")] for line in lines])
    return rows[:, :64].reshape(-1, 1, 8, 8) / 16, rows[:, 64].to(ow.int64)


def split(images: ow.Tensor, labels: ow.Tensor, seed: int) -> tuple[Part, Part]:
    """Training and held-out parts; the latter is a random fifth."""
    order = ow.randperm(len(labels), generator=ow.Generator().manual_seed(seed))
    test = len(labels) // 5
    return (images[order[test:]], labels[order[test:]]), (
        images[order[:test]],
        labels[order[:test]],
    )
