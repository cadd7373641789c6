# Types of opweave.nn.modules.pixelshuffle.
from opweave.nn.modules.module import Module

class PixelShuffle(Module):
    upscale_factor: int
    def __init__(self, upscale_factor: int) -> None: ...

class PixelUnshuffle(Module):
    downscale_factor: int
    def __init__(self, downscale_factor: int) -> None: ...
