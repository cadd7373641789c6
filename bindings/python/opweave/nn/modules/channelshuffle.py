"""Channels in another order."""

from opweave.nn import functional
from opweave.nn.modules.module import Module


class ChannelShuffle(Module):
    """The channels of (N, C, *) with those of the groups in turns."""

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, input):
        return functional.channel_shuffle(input, self.groups)

    def extra_repr(self):
        return f"groups={self.groups}"
