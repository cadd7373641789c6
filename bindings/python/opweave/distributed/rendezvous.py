"""How processes meet: a URL becomes a store, a rank and a world size.

    env://                                what the launcher set: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT;
                                          without them what mpirun or Slurm (srun) set
    tcp://HOST:PORT?rank=R&world_size=N   rank 0 serves the store
    file:///PATH?rank=R&world_size=N      a file that all processes see
    etcd://HOST:PORT,HOST:PORT/PREFIX?rank=R&world_size=N
                                          a cluster of etcd; a prefix for each run, as keys stay there

Rank and world size may stand in the URL or be given as arguments. What is secret is taken from the
environment, as URLs are printed and logged: that of a TCPStore from OPWEAVE_STORE_SECRET, the user of an
EtcdStore from ETCDCTL_USER (a name, or name:password) and ETCDCTL_PASSWORD, as etcdctl has them. Where a
cluster speaks https, its URL says protocol=https, and names files as cacert, cert and key, as far as needed.
"""

from __future__ import annotations

import datetime
import os
import time
import urllib.parse
from collections.abc import Callable, Iterator
from typing import Any

from opweave._distributed import (
    DistNetworkError,
    DistStoreError,
    EtcdStore,
    FileStore,
    PrefixStore,
    TCPStore,
)
from opweave.distributed._job import job

# What Store.kDefaultTimeout is.
_TIMEOUT = datetime.timedelta(seconds=300)
_SECRET = "OPWEAVE_STORE_SECRET"

_handlers = {}
_met = set()  # where this process has met others: (host, port)
_BETWEEN_LOOKS = 0.02  # seconds
_LATELY = 0.5


def register_rendezvous_handler(scheme: str, handler: Callable[..., Any]) -> None:
    """Lets handler(url, timeout=...) serve URLs of a scheme; it yields (store, rank, world_size)."""
    if scheme in _handlers:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    _handlers[scheme] = handler


def rendezvous(url: str, rank: int = -1, world_size: int = -1, **kwargs: Any) -> Iterator[Any]:
    """An iterator whose first item is (store, rank, world_size); a second one is an error.

    `kwargs` go to the handler of the URL's scheme: timeout, and use_libuv for PyTorch's sake.
    """
    if not isinstance(url, (str, bytes)):
        raise RuntimeError(f"`url` must be a string. {type(url)}: {url}")
    for name, value in (("rank", rank), ("world_size", world_size)):
        if not isinstance(value, int):
            raise RuntimeError(f"`{name}` must be an integer. {value}")
    url = url.decode() if isinstance(url, bytes) else url
    parts = urllib.parse.urlparse(url)
    if parts.scheme not in _handlers:
        raise RuntimeError(f"No rendezvous handler for {parts.scheme}://")
    query = dict(urllib.parse.parse_qsl(parts.query))
    for name, value in (("rank", rank), ("world_size", world_size)):
        if value == -1:
            continue
        if name in query:
            raise ValueError(f"rendezvous: {name} is in the URL {url} and an argument as well")
        query[name] = str(value)
    url = parts._replace(query=urllib.parse.urlencode(query)).geturl()
    return _handlers[parts.scheme](url, **kwargs)


def _error(scheme, text):
    return ValueError(
        f"Error initializing opweave.distributed using {scheme}:// rendezvous: {text}"
    )


def _read(url):
    parts = urllib.parse.urlparse(url)
    return parts, dict(urllib.parse.parse_qsl(parts.query))


def _number(scheme, name, text):
    try:
        return int(text)
    except ValueError:
        raise _error(scheme, f"{name} is no whole number: {text!r}") from None


def _place(scheme, rank, world_size):
    """Both numbers, if they fit one another."""
    rank = _number(scheme, "the rank", rank)
    world_size = _number(scheme, "the world size", world_size)
    if not 0 <= rank < world_size:
        raise _error(scheme, f"rank {rank} is none of a world of size {world_size}")
    return rank, world_size


def _place_of_query(scheme, query):
    for name, text in (("rank", "rank"), ("world_size", "world size")):
        if name not in query:
            raise _error(scheme, f"{text} parameter missing")
    return _place(scheme, query["rank"], query["world_size"])


def _only_once(scheme, *met):
    yield met
    raise RuntimeError(f"Unable to perform re-rendezvous using {scheme}:// method")


def _tcp_store(host, port, rank, world_size, timeout, secret=None):
    """As the elastic launcher wants it: it may serve the store itself, over all restarts of the workers.

    `secret` counts where the environment has none.
    """
    is_served = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"

    def connect():
        return TCPStore(
            host,
            port,
            world_size,
            rank == 0 and not is_served,
            timeout,
            wait_for_workers=not is_served,
            multi_tenant=True,
            secret=os.environ.get(_SECRET, secret),
        )

    if not is_served:
        store = connect() if rank == 0 else _new_world(connect, host, port, world_size, timeout)
        _met.add((host, port))
        return store
    store = connect()
    return PrefixStore(f"/worker/attempt_{os.environ['TORCHELASTIC_RESTART_COUNT']}", store)


def _new_world(connect, host, port, world_size, timeout):
    """A store whose server is not that of an earlier group, which rank 0 may have yet to leave."""
    end = time.monotonic() + timeout.total_seconds()
    seen = -1.0  # when the old one was there
    while True:
        try:
            store = connect()
            if (host, port) not in _met or store._place <= world_size:
                return store
            seen = time.monotonic()
        except DistNetworkError:  # it is closed just now, or there was no time left to ask
            is_late = time.monotonic() >= end
            if (host, port) not in _met or (is_late and seen < end - _LATELY):
                raise
        if time.monotonic() >= end:
            raise DistStoreError(
                f"TCPStore({host}:{port}): the server is that of an earlier group, whose {world_size} "
                "processes have all come: rank 0 has not left that group in time"
            )
        store = None
        time.sleep(_BETWEEN_LOOKS)


def _meet_in_file(url, timeout=_TIMEOUT, **_):
    parts, query = _read(url)
    if not parts.path:
        raise _error("file", "path missing")
    rank, world_size = _place_of_query("file", query)
    store = FileStore(urllib.parse.unquote(parts.path), world_size, timeout)
    return _only_once("file", store, rank, world_size)


def _meet_at_host(url, timeout=_TIMEOUT, **_):
    parts, query = _read(url)
    if parts.port is None:
        raise _error("tcp", "port number missing")
    rank, world_size = _place_of_query("tcp", query)
    store = _tcp_store(parts.hostname or "", parts.port, rank, world_size, timeout)
    return _only_once("tcp", store, rank, world_size)


def _etcd_user():
    user, _, password = os.environ.get("ETCDCTL_USER", "").partition(":")
    return {
        "user": user or None,
        "password": password or os.environ.get("ETCDCTL_PASSWORD") if user else None,
    }


def _meet_in_etcd(url, timeout=_TIMEOUT, **_):
    parts, query = _read(url)
    if not parts.netloc:
        raise _error("etcd", "endpoints missing")
    if not parts.path.strip("/"):
        raise _error("etcd", "prefix missing: the URL names what all keys of this run begin with")
    protocol = query.get("protocol", "http")
    if protocol not in ("http", "https"):
        raise _error("etcd", f"the protocol is neither http nor https: {protocol!r}")
    rank, world_size = _place_of_query("etcd", query)
    store = EtcdStore(
        [f"{protocol}://{endpoint}" for endpoint in parts.netloc.split(",")],
        urllib.parse.unquote(parts.path),
        timeout,
        **_etcd_user(),
        ca_cert=query.get("cacert"),
        cert=query.get("cert"),
        cert_key=query.get("key"),
    )
    return _only_once("etcd", store, rank, world_size)


def _variable(name, job, told):
    """A variable of the environment, or what the job tells in its place."""
    if os.environ.get(name):
        return os.environ[name]
    if not told:
        also = f", and {job.starter} does not tell it" if job else ""
        raise _error("env", f"environment variable {name} expected, but not set{also}")
    return told


def _meet_by_environment(url, timeout=_TIMEOUT, **_):
    _, query = _read(url)
    # Who says a part of it means the rest as well.
    is_said = any(os.environ.get(name) for name in ("RANK", "WORLD_SIZE"))
    of = None if is_said or query else job()
    rank, world_size = _place(
        "env",
        query["rank"] if "rank" in query else _variable("RANK", of, of and of.rank),
        query["world_size"]
        if "world_size" in query
        else _variable("WORLD_SIZE", of, of and of.size),
    )
    host = _variable("MASTER_ADDR", of, of and of.host)
    port = _number("env", "MASTER_PORT", _variable("MASTER_PORT", of, of and str(of.port)))
    if not 0 < port < 2**16:
        raise _error("env", f"MASTER_PORT is no port: {port}")
    secret = of.name if of else None  # processes of another job may have come to the same port
    return _only_once(
        "env", _tcp_store(host, port, rank, world_size, timeout, secret), rank, world_size
    )


register_rendezvous_handler("env", _meet_by_environment)
register_rendezvous_handler("etcd", _meet_in_etcd)
register_rendezvous_handler("file", _meet_in_file)
register_rendezvous_handler("tcp", _meet_at_host)
