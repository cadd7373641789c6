# Types of opweave.utils.data.datapipes.datapipe.
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from opweave.utils.data.dataset import Dataset, IterableDataset

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)

class DataChunk(list[_T]):
    items: list[_T]
    def __init__(self, items: Iterable[_T]) -> None: ...
    def as_str(self, indent: str = "") -> str: ...
    def raw_iterator(self) -> Iterator[_T]: ...

class IterDataPipe(IterableDataset[_T_co]):
    functions: dict[str, Callable[..., Any]]
    def __getattr__(self, name: str) -> Any: ...
    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None: ...
    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: type[Any], **options: Any
    ) -> None: ...
    def reset(self) -> None: ...

class MapDataPipe(Dataset[_T_co]):
    functions: dict[str, Callable[..., Any]]
    def __getattr__(self, name: str) -> Any: ...
    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None: ...
    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: type[Any], **options: Any
    ) -> None: ...
