"""Groups of processes whose starter knows their ranks: mpirun, for the backend 'mpi'."""

import os
import secrets

from opweave._distributed import TCPStore, _spread, _start_place

# What env:// needs; where all of it is set, somebody has arranged where to meet.
_ENVIRONMENT = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


def rendezvous_of(routes, timeout):
    """(store, rank, world size) by the starter of one of the backends; None where none has one.

    Rank 0 serves the store; its address and secret go over what the backend brings. A call of every process.
    """
    if all(name in os.environ for name in _ENVIRONMENT):
        return None
    for _, backend in routes or ():
        place = _start_place(backend)
        if place is not None:
            return _meet(backend, *place, timeout)
    return None


def _meet(backend, rank, size, address, timeout):
    store, where = None, ""
    if rank == 0:
        secret = secrets.token_hex(16)
        store = _store(address, 0, True, timeout, secret)
        where = f"{address} {store.port} {secret}"
    where = _spread(backend, where, timeout)
    if store is None:
        address, port, secret = where.split(" ")
        store = _store(address, int(port), False, timeout, secret)
    return store, rank, size


def _store(address, port, is_master, timeout, secret):
    return TCPStore(
        address,
        port,
        is_master=is_master,
        timeout=timeout,
        wait_for_workers=False,
        secret=secret,
    )
