"""Whether two objects that were read from files are the same."""

import opweave


def same(a, b):
    """Asserts that two objects are the same, tensors with their dtypes, strides and attributes."""
    assert type(a) is type(b), (a, b)
    if isinstance(a, opweave.Tensor):
        same_tensor(a, b)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            same(a[key], b[key])
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            same(x, y)
    else:
        assert a == b


def same_tensor(a, b):
    assert (a.dtype, a.shape, a.stride(), a.device) == (b.dtype, b.shape, b.stride(), b.device)
    assert (a.requires_grad, a.storage_offset()) == (b.requires_grad, b.storage_offset())
    assert a.__dict__ == b.__dict__
    if not a.is_meta:
        assert a.detach().to(opweave.float64).tolist() == b.detach().to(opweave.float64).tolist()
