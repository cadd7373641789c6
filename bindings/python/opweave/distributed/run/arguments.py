"""From the launcher's command line to what it is to do, checked: each error names its flag."""

import os
import shutil
import socket
import string
import sys
from dataclasses import dataclass
from pathlib import Path

from opweave.distributed.run import values
from opweave.distributed.run.flags import get_args_parser

__all__ = ["Options", "get_args_parser", "read"]

_STATIC_PORT, _C10D_PORT = 29500, 29400


@dataclass(frozen=True)
class Options:
    """What the launcher of one host is to do."""

    command: list[str]  # up to the program's own arguments
    script_arguments: list[str]
    script: str
    processes: int
    least_nodes: int
    most_nodes: int
    backend: str  # 'alone', where there is no other host, 'static' or 'c10d'
    host: str
    port: int
    node_rank: int
    run_id: str
    configuration: dict
    max_restarts: int
    role: str
    log_dir: Path | None
    redirects: list[int]  # bits, by local rank
    tee: list[int]
    shown: frozenset[int]
    template: string.Template
    name: str  # of this host
    signals: tuple[int, ...]
    grace: float
    virtual_local_rank: bool
    tells_local_rank: bool  # to the program, as its first argument

    def command_of(self, local_rank):
        """What that process runs."""
        told = [f"--local-rank={local_rank}"] if self.tells_local_rank else []
        return [*self.command, *told, *self.script_arguments]


class _Reader:
    """Values of flags, by name; what is wrong with one ends the program."""

    def __init__(self, parser, given):
        self.parser, self.given = parser, given

    def text(self, flag):
        return getattr(self.given, flag.replace("-", "_"))

    def read(self, flag, reader, *arguments):
        try:
            return reader(self.text(flag), *arguments)
        except ValueError as error:
            self.refuse(flag, str(error))

    def refuse(self, flag, text):
        self.parser.error(f"--{flag}: {text}")


def _meeting(flags, least, most):
    """How hosts meet and where: the backend, host and port."""
    given, backend = flags.given, flags.given.rdzv_backend
    if given.standalone:
        if most > 1:
            flags.refuse("standalone", f"this is for one host, got --nnodes {given.nnodes}")
        return "alone", "127.0.0.1", 0
    if backend not in ("static", "c10d"):
        flags.refuse("rdzv-backend", f"expected static or c10d, got {backend!r}")
    if backend == "c10d":
        return _meeting_of_c10d(flags, most)
    if least != most:
        flags.refuse("nnodes", f"MIN:MAX needs --rdzv-backend c10d, got {given.nnodes!r}")
    single = most == 1
    port = 0 if single else _STATIC_PORT
    if given.master_port is not None:
        port = flags.read("master-port", values.port)
    host, _ = flags.read("master-addr", _address)
    if given.rdzv_endpoint:
        host, port = flags.read("rdzv-endpoint", values.endpoint, port)
    if not single and port == 0:
        flags.refuse("master-port", "several hosts need one that all know, got 0")
    return "alone" if single else "static", host, port


def _meeting_of_c10d(flags, most):
    if not flags.given.rdzv_endpoint:
        if most > 1:
            flags.refuse("rdzv-endpoint", "--rdzv-backend c10d needs HOST:PORT, got none")
        return "alone", "127.0.0.1", 0
    host, port = flags.read("rdzv-endpoint", values.endpoint, _C10D_PORT)
    if most == 1:
        return "alone", host, port
    if port == 0:
        flags.refuse("rdzv-endpoint", "several hosts need a port that all know, got 0")
    return "c10d", host, port


def _address(text):
    if not text or any(c.isspace() for c in text):
        raise ValueError(f"expected a name or an address of a host, got {text!r}")
    return text.strip("[]"), 0


def _node_rank(flags, backend, count):
    """Which host this is, where that is given."""
    if backend != "static":
        return 0
    rank = flags.read("node-rank", values.whole, 0)
    if rank >= count:
        flags.refuse(
            "node-rank", f"expected one of 0 to {count - 1} (--nnodes {count}), got {rank}"
        )
    return rank


def _command(flags):
    given, script = flags.given, flags.given.training_script
    if given.no_python:
        if given.module:
            flags.refuse("no-python", "--module runs a module by Python: give one of them")
        if shutil.which(script) is None:
            there = Path(script).exists()
            why = "may not be executed" if there else "is not found"
            flags.parser.error(f"training_script: {script!r} {why} (--no-python runs it as it is)")
        return [script]
    python = [sys.executable or "python3", "-u"]
    if given.module:
        return [*python, "-m", script]
    if not Path(script).exists():
        flags.parser.error(f"training_script: there is no file {script!r}")
    if not os.access(script, os.R_OK):
        flags.parser.error(f"training_script: {script!r} may not be read")
    return [*python, script]


def _log_dir(flags):
    if flags.given.log_dir is None:
        return None
    folder = Path(flags.given.log_dir).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        flags.refuse(
            "log-dir", f"expected a folder that can be made, got {str(folder)!r}: {error.strerror}"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        flags.refuse("log-dir", f"expected a folder that can be written, got {str(folder)!r}")
    return folder


def _grace(flags):
    if flags.given.shutdown_timeout is None:
        flags.given.shutdown_timeout = os.environ.get("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", "30")
    return flags.read("shutdown-timeout", values.seconds)


def read(arguments=None, parser=None):
    """The options of a command line. Ends the program with status 2 where something is wrong.

    A `parser` of its own may have `--use-env`, without which processes are told `--local-rank=N`.
    """
    parser = parser or get_args_parser()
    flags = _Reader(parser, parser.parse_args(arguments))
    given = flags.given
    least, most = flags.read("nnodes", values.nodes)
    count = flags.read("nproc-per-node", values.processes)
    backend, host, port = _meeting(flags, least, most)
    flags.read("monitor-interval", values.seconds)
    return Options(
        command=_command(flags),
        script=given.training_script,
        script_arguments=given.training_script_args,
        processes=count,
        least_nodes=least,
        most_nodes=most,
        backend=backend,
        host=host,
        port=port,
        node_rank=_node_rank(flags, backend, most),
        run_id=given.rdzv_id,
        configuration=flags.read("rdzv-conf", values.configuration),
        max_restarts=flags.read("max-restarts", values.whole, 0),
        role=given.role,
        redirects=flags.read("redirects", values.streams, count),
        tee=flags.read("tee", values.streams, count),
        shown=flags.read("local-ranks-filter", values.shown, count),
        template=flags.read("log-line-prefix-template", values.template),
        name=given.local_addr or socket.gethostname(),
        signals=flags.read("signals-to-handle", values.signals),
        grace=_grace(flags),
        virtual_local_rank=given.virtual_local_rank,
        tells_local_rank=not getattr(given, "use_env", True),
        log_dir=_log_dir(flags),
    )
