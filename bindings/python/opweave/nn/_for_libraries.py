"""What libraries import from nn.functional beside its functions."""

from numbers import Integral

GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}


class _BroadcastingList:
    """In annotations: BroadcastingList2[int] is a number, or two of them."""

    def __getitem__(self, types):
        return None


BroadcastingList1 = _BroadcastingList()
BroadcastingList2 = _BroadcastingList()
BroadcastingList3 = _BroadcastingList()


def assert_int_or_pair(arg, arg_name, message):
    """Refuses what is neither a number nor two.

    Raises:
        AssertionError: `message`, with the argument's name.
    """
    if not isinstance(arg, Integral) and len(arg) != 2:
        raise AssertionError(message.format(arg_name))


def boolean_dispatch(arg_name, arg_index, default, if_true, if_false, module_name, func_name):
    """A function that is one of two, by the value of one argument."""

    def chosen(*args, **kwargs):
        given = args[arg_index] if arg_index < len(args) else default
        return (if_true if kwargs.get(arg_name, given) else if_false)(*args, **kwargs)

    chosen.__doc__ = if_true.__doc__ or if_false.__doc__
    chosen.__module__ = module_name or chosen.__module__
    chosen.__name__ = func_name or chosen.__name__
    return chosen
