"""A small convolutional network for 8x8 digits."""

from collections.abc import Callable

from opweave import Tensor, nn


class DigitNet(nn.Module):
    """Two convolutions, pooling, two linear layers; `activation` is any pointwise function."""

    def __init__(self, activation: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.activation = activation
        self.conv1 = nn.Conv2d(1, 32, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(32)
        self.conv2 = nn.Conv2d(32, 64, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(64)
        self.pool = nn.MaxPool2d(2)
        self.drop = nn.Dropout(0.25)
        self.fc1 = nn.Linear(64 * 4 * 4, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x: Tensor) -> Tensor:
        """[N, 1, 8, 8] -> logits [N, 10]."""
        x = self.activation(self.norm1(self.conv1(x)))
        x = self.pool(self.activation(self.norm2(self.conv2(x))))
        x = self.drop(x.flatten(1))
        logits: Tensor = self.fc2(self.activation(self.fc1(x)))
        return logits
