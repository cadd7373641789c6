"""A decoder of the transformer kind over characters.

Source: A. Vaswani et al., "Attention Is All You Need", 2017; normalised before each part as in A. Radford et
al., "Language Models are Unsupervised Multitask Learners", 2019.
"""

import opweave as torch
from opweave import Tensor, nn
from opweave.nn import functional as F


class Attention(nn.Module):
    """Each position looks at those before it. [batch, time, width] to the same."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.p = heads, dropout
        self.project = nn.Linear(width, 3 * width)
        self.combine = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        batch, time, width = x.shape
        parts = self.project(x).view(batch, time, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        scores = query @ key.transpose(-2, -1) / (width // self.heads) ** 0.5
        later = torch.ones(time, time, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(later, float("-inf")).softmax(-1)
        mixed = (weights @ value).transpose(1, 2).reshape(batch, time, width)
        combined: Tensor = self.dropout(self.combine(mixed))
        return combined


class Block(nn.Module):
    """Attention, and a small network at each position; both add to what they get."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.before_attention = nn.LayerNorm(width)
        self.attention = Attention(width, heads, dropout)
        self.before_network = nn.LayerNorm(width)
        self.network = nn.Sequential(
            nn.Linear(width, 4 * width),
            nn.GELU(),
            nn.Linear(4 * width, width),
            nn.Dropout(dropout),
        )

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.before_attention(x))
        result: Tensor = x + self.network(self.before_network(x))
        return result


class LanguageModel(nn.Module):
    """From characters, as numbers [batch, time], to scores of the next ones [batch, time, vocabulary]."""

    def __init__(
        self, vocabulary: int, context: int, width: int, heads: int, layers: int, dropout: float
    ) -> None:
        super().__init__()
        self.context = context
        self.characters = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(context, width)
        self.blocks = nn.ModuleList([Block(width, heads, dropout) for _ in range(layers)])
        self.normalize = nn.LayerNorm(width)
        self.score = nn.Linear(width, vocabulary, bias=False)

    def forward(self, characters: Tensor) -> Tensor:
        x = self.characters(characters) + self.positions(torch.arange(characters.shape[1]))
        for block in self.blocks:
            x = block(x)
        scores: Tensor = self.score(self.normalize(x))
        return scores

    def loss(self, characters: Tensor, following: Tensor) -> Tensor:
        """The mean surprise at what follows, in nats: a scalar."""
        scores = self(characters)
        return F.cross_entropy(scores.flatten(0, 1), following.flatten())

    @torch.no_grad()
    def continue_text(self, start: Tensor, length: int, temperature: float) -> Tensor:
        """`length` more characters after `start` [time], drawn one after another. [time + length]"""
        text = start
        for _ in range(length):
            scores = self(text[-self.context :].unsqueeze(0))[0, -1] / temperature
            text = torch.cat([text, torch.multinomial(scores.softmax(-1), 1)])
        return text
