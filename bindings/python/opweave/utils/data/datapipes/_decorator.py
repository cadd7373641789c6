"""functional_datapipe: a class of pipes as a method of others."""

from opweave.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe


class functional_datapipe:  # noqa: N801 - PyTorch's name
    """A decorator of a class of pipes: others have a method `name` that puts one behind them.

    Raises:
        TypeError: no class of pipes.
    """

    def __init__(self, name, enable_df_api_tracing=False):
        self.name = name

    def __call__(self, cls):
        for kind in (IterDataPipe, MapDataPipe):
            if isinstance(cls, type) and issubclass(cls, kind):
                kind.register_datapipe_as_function(self.name, cls)
                return cls
        raise TypeError(
            f"functional_datapipe can only decorate IterDataPipe or MapDataPipe, not {cls!r}"
        )
