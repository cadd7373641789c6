# Types of opweave.nn.modules.channelshuffle.
from opweave.nn.modules.module import Module

class ChannelShuffle(Module):
    groups: int
    def __init__(self, groups: int) -> None: ...
