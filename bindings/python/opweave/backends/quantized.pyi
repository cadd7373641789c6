# Types of opweave.backends.quantized.

engine: str
supported_engines: list[str]
