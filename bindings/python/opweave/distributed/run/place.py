"""Where the processes of a host stand in the world, and the environment that tells them, as torchrun's."""

import os
from dataclasses import dataclass

# Names the launchers, the outermost first, below which a process runs: `descendants.py` finds it by that.
MARK = "OPWEAVE_LAUNCHER"
SECRET = "OPWEAVE_STORE_SECRET"


@dataclass(frozen=True)
class Place:
    """What the hosts agreed on before an attempt."""

    node: int  # this host
    nodes: int
    first_rank: int  # of this host
    world_size: int
    master: str
    port: int
    secret: str | None
    run_id: str


def mark_of(token):
    """The value of MARK for what a launcher starts: its own behind those that it runs below."""
    return ":".join(filter(None, [os.environ.get(MARK), token]))


def environment_of(place, options, local_rank, attempt, error_file, token):
    """The environment of one process."""
    rank = place.first_rank + local_rank
    told = {
        "LOCAL_RANK": local_rank,
        "RANK": rank,
        "GROUP_RANK": place.node,
        "GROUP_WORLD_SIZE": place.nodes,
        "ROLE_RANK": rank,
        "ROLE_NAME": options.role,
        "ROLE_WORLD_SIZE": place.world_size,
        "LOCAL_WORLD_SIZE": options.processes,
        "WORLD_SIZE": place.world_size,
        "MASTER_ADDR": place.master,
        "MASTER_PORT": place.port,
        "TORCHELASTIC_RESTART_COUNT": attempt,
        "TORCHELASTIC_MAX_RESTARTS": options.max_restarts,
        "TORCHELASTIC_RUN_ID": place.run_id,
        "TORCHELASTIC_USE_AGENT_STORE": "True",
        "TORCHELASTIC_ERROR_FILE": error_file,
        "TORCHELASTIC_SIGNALS_TO_HANDLE": ",".join(s.name for s in options.signals),
        MARK: mark_of(token),
    }
    if place.secret is not None:
        told[SECRET] = place.secret
    environment = dict(os.environ)
    if options.processes > 1:
        environment.setdefault("OMP_NUM_THREADS", "1")
    if options.virtual_local_rank:
        told |= {"LOCAL_RANK": 0, "CUDA_VISIBLE_DEVICES": _device(local_rank)}
    return environment | {name: str(value) for name, value in told.items()}


def _device(local_rank):
    """That of a process among those which the launcher may use."""
    usable = [d for d in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if d]
    return usable[local_rank] if local_rank < len(usable) else local_rank


def given_secret():
    """The word that opens the store of the run, where the user gave one."""
    return os.environ.get(SECRET) or None
