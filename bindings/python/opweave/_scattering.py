"""put: a copy of which single elements are written."""

import opweave
from opweave._arguments import takes
from opweave._layouts import as_it_lies

__all__ = ["put"]


@takes(input="Tensor", index="Tensor", source="Tensor")
def put(input, index, source, accumulate=False):
    """A copy with elements of `source` at places of the input as it is read in order; added if `accumulate`.

    Raises:
        IndexError: not one element for each place, or a place outside.
        RuntimeError: an index of another dtype than int64.
    """
    if index.dtype is not opweave.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {index.dtype}")
    if index.numel() != source.numel():
        raise IndexError(
            f"put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = "
            f"{source.numel()}, index.numel() = {index.numel()}"
        )
    flat = input.reshape(-1)
    places = (index.reshape(-1),)
    found = flat.index_put(places, source.reshape(-1), accumulate).reshape(input.shape)
    return as_it_lies(found, input)
