"""The context in which libraries index by tensors within vmap."""

__all__ = ["TransformGetItemToIndex"]


class TransformGetItemToIndex:
    """In PyTorch, makes `x[i]` within vmap take tensors without dimensions as indices; as always here."""

    def __enter__(self):
        """Nothing is changed."""

    def __exit__(self, *error):
        """Nothing was changed."""
