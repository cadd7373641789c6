"""Dictionaries whose keys are objects by identity, held weakly: tensors compare by their elements."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, MutableMapping
from typing import Any

from opweave._C import Tensor

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(weakref.ref):
    """A weak reference that is equal to another of the same object, and to itself when that is gone."""

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Any = None) -> None:
        super().__init__(key, callback)
        self._id = id(key)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        a, b = self(), other()
        return a is b if a is not None and b is not None else self is other


class WeakIdKeyDictionary(MutableMapping):
    """A dictionary by the identity of its keys, without those that are gone."""

    def __init__(self, dict: Any = None, ref_type: type[Any] = WeakIdRef) -> None:
        self.ref_type = ref_type
        self.data = {}
        owner = weakref.ref(self)

        def forget(reference):
            this = owner()
            if this is not None:
                this.data.pop(reference, None)

        self._forget = forget
        self.update(dict or {})

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._forget)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __iter__(self) -> Iterator[Any]:
        for reference in list(self.data):
            key = reference()
            if key is not None:
                yield key

    def __len__(self) -> int:
        return sum(reference() is not None for reference in self.data)

    def __contains__(self, key: object) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:
            return False

    def __repr__(self):
        return f"<{type(self).__name__} at {id(self):#x}>"

    def copy(self) -> WeakIdKeyDictionary:
        """Another one of the same keys and values."""
        return type(self)(dict_of(self), self.ref_type)

    __copy__ = copy

    def keyrefs(self) -> list[Any]:
        """The weak references to the keys."""
        return list(self.data)


def dict_of(mapping: Any) -> list[tuple[Any, Any]]:
    """The pairs of a mapping, as what update() takes."""
    return list(mapping.items())


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor: calling it gives the tensor, or None."""

    def __init__(self, tensor: Tensor) -> None:
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Tensor | None:
        return self.ref()
