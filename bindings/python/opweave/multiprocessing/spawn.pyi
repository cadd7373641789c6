# Types of opweave.multiprocessing.spawn.
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Literal, overload

ENV_VAR_PARALLEL_START: str

class ProcessException(Exception):
    msg: str
    error_index: int
    error_pid: int
    def __init__(self, msg: str, error_index: int, error_pid: int) -> None: ...

class ProcessRaisedException(ProcessException): ...

class ProcessExitedException(ProcessException):
    exit_code: int
    signal_name: str | None
    def __init__(
        self,
        msg: str,
        error_index: int,
        error_pid: int,
        exit_code: int,
        signal_name: str | None = None,
    ) -> None: ...

class ProcessContext:
    processes: list[BaseProcess]
    reports: list[Connection]
    sentinels: dict[int, int]
    def __init__(self, processes: list[BaseProcess], reports: list[Connection]) -> None: ...
    def pids(self) -> list[int]: ...
    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool: ...

class SpawnContext(ProcessContext): ...

@overload
def start_processes(
    fn: Callable[..., object],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: Literal[True] = True,
    daemon: bool = False,
    start_method: str = "spawn",
    numa_options: None = None,
) -> None: ...
@overload
def start_processes(
    fn: Callable[..., object],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
    numa_options: None = None,
) -> ProcessContext | None: ...
@overload
def spawn(
    fn: Callable[..., object],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: Literal[True] = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> None: ...
@overload
def spawn(
    fn: Callable[..., object],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None: ...
