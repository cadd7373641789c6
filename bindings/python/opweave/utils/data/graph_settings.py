"""Settings of all pipes behind one: which part is whose, and the random order."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

from opweave import _C
from opweave.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe
from opweave.utils.data.datapipes.iter._order import SHARDING_PRIORITIES, _ShardingIterDataPipe
from opweave.utils.data.graph import traverse_dps

_Pipe = IterDataPipe | MapDataPipe

__all__ = [
    *("apply_random_seed", "apply_sharding", "apply_shuffle_seed", "apply_shuffle_settings"),
    "get_all_graph_pipes",
]


def get_all_graph_pipes(graph: dict[int, Any]) -> list[Any]:
    """Each pipe of a graph that traverse_dps() gave, once."""
    return list(_pipes_of(graph).values())


def _pipes_of(graph):
    found = {}
    for number, (pipe, sources) in graph.items():
        found.setdefault(number, pipe)
        for other, source in _pipes_of(sources).items():
            found.setdefault(other, source)
    return found


def _has(pipe, *methods):
    return all(inspect.ismethod(getattr(pipe, name, None)) for name in methods)


def apply_sharding(
    datapipe: _Pipe,
    num_of_instances: int,
    instance_id: int,
    sharding_group: SHARDING_PRIORITIES = SHARDING_PRIORITIES.DEFAULT,
) -> _Pipe:
    """Says to each pipe that shares examples out which one of how many this is.

    Raises:
        RuntimeError: one lies behind another.
    """

    def apply(graph, above):
        for pipe, sources in graph.values():
            own = isinstance(pipe, _ShardingIterDataPipe) or _has(pipe, "apply_sharding")
            if own and above is not None:
                raise RuntimeError(
                    "Sharding twice on a single pipeline is likely unintended and will cause data loss. "
                    f"Sharding already applied to {above} while trying to apply to {pipe}"
                )
            if own:
                takes = len(inspect.signature(pipe.apply_sharding).parameters)
                arguments = (num_of_instances, instance_id, sharding_group)
                pipe.apply_sharding(*arguments[:takes])
            apply(sources, pipe if own else above)

    apply(traverse_dps(datapipe), None)
    return datapipe


def apply_shuffle_settings(datapipe: _Pipe, shuffle: bool | None = None) -> _Pipe:
    """Says to each pipe that shuffles whether it is to; puts one behind the pipe where there is none."""
    if shuffle is None:
        return datapipe
    pipes = get_all_graph_pipes(traverse_dps(datapipe))
    shufflers = [pipe for pipe in pipes if _has(pipe, "set_shuffle", "set_seed")]
    if not shufflers and shuffle:
        warnings.warn(
            "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at the end. "
            "Be aware that the default buffer size might not be sufficient for your task.",
            stacklevel=2,
        )
        datapipe = datapipe.shuffle()
        shufflers = [datapipe]
    for pipe in shufflers:
        pipe.set_shuffle(shuffle)
    return datapipe


def apply_random_seed(datapipe: _Pipe, rng: _C.Generator) -> _Pipe:
    """Gives each pipe that draws a seed of the generator `rng`, for its next iteration."""
    for pipe in get_all_graph_pipes(traverse_dps(datapipe)):
        if _has(pipe, "set_seed"):
            pipe.set_seed(int(_C.empty((), dtype=_C.int64).random_(generator=rng).item()))
    return datapipe


def apply_shuffle_seed(datapipe: _Pipe, rng: _C.Generator) -> _Pipe:
    """PyTorch's older name of apply_random_seed()."""
    return apply_random_seed(datapipe, rng)
