# Types of opweave.backends.xnnpack.

enabled: bool
