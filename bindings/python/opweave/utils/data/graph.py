"""What pipes are made of."""

from __future__ import annotations

from typing import Any

from opweave.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe

__all__ = ["traverse", "traverse_dps"]


def traverse_dps(datapipe: IterDataPipe | MapDataPipe) -> dict[int, Any]:
    """The pipes behind a pipe: {its id: (the pipe, the same of those that it takes examples from)}.

    Raises:
        RuntimeError: no pipe.
    """
    if not isinstance(datapipe, (IterDataPipe, MapDataPipe)):
        raise RuntimeError(
            f"Expected `IterDataPipe` or `MapDataPipe`, but {type(datapipe)} is found"
        )
    return _traverse(datapipe, set())


def traverse(
    datapipe: IterDataPipe | MapDataPipe, only_datapipe: bool | None = None
) -> dict[int, Any]:
    """PyTorch's older name of traverse_dps()."""
    return traverse_dps(datapipe)


def _traverse(datapipe, above):
    if id(datapipe) in above:
        return {}
    sources = {}
    for source in _pipes_in(list(vars(datapipe).values()), set()):
        sources.update(_traverse(source, above | {id(datapipe)}))
    return {id(datapipe): (datapipe, sources)}


def _pipes_in(value, seen):
    """Pipes that containers hold."""
    if isinstance(value, (IterDataPipe, MapDataPipe)):
        yield value
    elif isinstance(value, (list, tuple, set, dict)) and id(value) not in seen:
        seen.add(id(value))
        for item in value.values() if isinstance(value, dict) else value:
            yield from _pipes_in(item, seen)
