"""How several hosts meet in a store that one of their launchers serves, and end an attempt together."""

import contextlib
import json
import time
from dataclasses import asdict

from opweave.distributed import DistError, DistStoreError, PrefixStore, TCPStore
from opweave.distributed.run.failure import Failure
from opweave.distributed.run.meeting import MeetingError, cannot_serve, places, served
from opweave.distributed.run.neighbours import Neighbours
from opweave.distributed.run.place import given_secret

# Who serves the store waits so long for the others; for what they read alone, where one is gone.
_LEAVE_SECONDS, _LOST_SECONDS = 5.0, 0.5
# Who waits for a restart looks so often whether somebody will not come.
_TURN_SECONDS = 0.5
# What the launchers of all hosts must have been given alike.
_COMMON = {"nnodes": "--nnodes", "max_restarts": "--max-restarts"}


class Hosts:
    """The launcher of one host among several."""

    def __init__(self, options):
        self.options, self._number, self._attempt = options, None, 0
        self._neighbours, self._leave_seconds = None, _LEAVE_SECONDS

    def __enter__(self):
        server = self._connect()
        self._store = PrefixStore(f"run/{self.options.run_id}", server)
        self._place = self._join(server.port)
        conf = self.options.configuration
        self._store.set_timeout(conf["keep_alive_interval"] * conf["keep_alive_max_attempt"])
        self._neighbours = Neighbours(self._store.clone(), self._place, self.options, self._hosts)
        return self

    def __exit__(self, kind, error, _):
        if kind is not None:  # the others need not wait until they miss it
            text = f"the launcher on {self.options.name} has ended: {error}"
            self.tell(self._attempt, {"kind": "lost", "text": text})
        self._neighbours.close()
        if kind is None:
            self._leave()
        self._store = None

    @property
    def descriptor(self):
        """Can be read when there is something to hear."""
        return self._neighbours.descriptor

    def _connect(self):
        """The store: this launcher serves it, or finds who does."""
        options, conf = self.options, self.options.configuration
        self._serves = conf["is_host"]
        if options.backend == "static":
            self._serves = options.node_rank == 0
        timeout, secret = conf["timeout"], given_secret()
        if self._serves is not False:
            try:
                store = served(options.host, options.port, secret, timeout)
                self._serves = True
                return store
            except RuntimeError as error:
                if self._serves:
                    raise cannot_serve(options, error) from None
        self._serves = False
        try:
            return TCPStore(
                *(options.host, options.port),
                is_master=False,
                timeout=timeout,
                wait_for_workers=False,
                secret=secret,
            )
        except RuntimeError as error:
            raise MeetingError(
                f"no launcher is found at {options.host}:{options.port}: {error}"
            ) from None

    def _join(self, port):
        """Where this host stands among those that take part."""
        options = self.options
        own = {
            "host": options.name,
            "processes": options.processes,
            "nnodes": f"{options.least_nodes}:{options.most_nodes}",
            "max_restarts": options.max_restarts,
            "time": time.time_ns(),
        }
        self._number = self._ticket(json.dumps(own))
        try:
            if self._number == 0:
                self._decide()
            hosts = self._decided()
        except DistStoreError:
            raise MeetingError("the other hosts did not come in time") from None
        except DistError as error:
            raise MeetingError(f"the launcher that serves the store is gone: {error}") from None
        if self._number >= len(hosts):
            names = ", ".join(host["host"] for host in hosts)
            raise MeetingError(
                f"the run {options.run_id!r} has begun without this host, with {names}"
            )
        self._hosts = [host["host"] for host in hosts]
        counts = [host["processes"] for host in hosts]
        return places(options, counts, port, given_secret())[self._number]

    def _ticket(self, own):
        """The number of this host, which others see once it is taken."""
        if self.options.backend == "c10d":
            number = self._store.add("joined", 1) - 1
            self._store.set(f"host/{number}", own)
            return number
        number = self.options.node_rank
        there = self._store.compare_set(f"host/{number}", "", own).decode()
        if there != own:
            other = json.loads(there)["host"]
            raise MeetingError(f"--node-rank: {number} is taken by a launcher on {other}")
        return number

    def _decide(self):
        """Who takes part: those that come in time, and for a short while more of them."""
        options, conf = self.options, self.options.configuration
        end, count = time.monotonic() + conf["join_timeout"], 0
        while count < options.most_nodes:
            if count == options.least_nodes:
                end = time.monotonic() + conf["last_call_timeout"]
            try:
                self._store.wait([f"host/{count}"], max(end - time.monotonic(), 0.01))
            except DistStoreError:
                break
            count += 1
        hosts = [json.loads(self._store.get(f"host/{number}")) for number in range(count)]
        error = self._refusal(hosts)
        self._store.set("members", json.dumps({"hosts": hosts, "error": error}))

    def _refusal(self, hosts):
        """Why these do not make a run; None if they do."""
        names = ", ".join(host["host"] for host in hosts)
        if len(hosts) < self.options.least_nodes:
            seconds = self.options.configuration["join_timeout"]
            return (
                f"{len(hosts)} of {self.options.least_nodes} hosts came within {seconds:g} s "
                f"(--rdzv-conf join_timeout): {names}"
            )
        for name, flag in _COMMON.items():
            for host in hosts[1:]:
                if host[name] != hosts[0][name]:
                    return (
                        f"{flag} must be the same on all hosts, got {hosts[0][name]} on "
                        f"{hosts[0]['host']} and {host[name]} on {host['host']}"
                    )
        return None

    def _decided(self):
        conf = self.options.configuration
        self._store.wait(["members"], conf["join_timeout"] + conf["last_call_timeout"])
        members = json.loads(self._store.get("members"))
        if members["error"] is not None:
            if self._serves:  # the others are to read it
                time.sleep(_LOST_SECONDS)
            raise MeetingError(members["error"])
        return members["hosts"]

    def meet(self, attempt):
        """The place of this host in an attempt; all wait for one another before a restart."""
        self._attempt = attempt
        self._neighbours.listen(attempt)  # also to who is lost before all have come
        if attempt:
            try:
                self._wait_for_all(attempt)
            except DistStoreError as error:
                raise MeetingError(f"not all hosts came to the restart: {error}") from None
            except DistError as error:
                raise MeetingError(
                    "not all hosts came to the restart: "
                    f"{self._neighbours.serving_host_is_gone(error)}"
                ) from None
        return self._place

    def _wait_for_all(self, attempt):
        all_ready = f"all ready/{attempt}"
        if self._store.add(f"ready/{attempt}", 1) == self._place.nodes:
            self._store.set(all_ready, "")
        end = time.monotonic() + self.options.configuration["join_timeout"]
        while True:
            try:
                self._store.wait([all_ready], min(_TURN_SECONDS, max(end - time.monotonic(), 0.01)))
                return
            except DistStoreError:
                over = _read(self._neighbours.told())
                if over is not None and over["kind"] in ("lost", "signal"):
                    raise MeetingError(
                        f"not all hosts came to the restart: {over['text']}"
                    ) from None
                if time.monotonic() >= end:
                    raise

    def tell(self, attempt, over):
        """How the attempt ends; whoever tells first is believed."""
        text = json.dumps(over, default=asdict)
        with contextlib.suppress(DistError):  # which is heard
            self._store.compare_set(f"over/{attempt}", "", text)

    def heard(self):
        """How the attempt ended elsewhere, or that all are done; None before that."""
        return _read(self._neighbours.heard())

    def done(self, attempt):
        """This host's processes ended well. The last host says so to all."""
        with contextlib.suppress(DistError):
            if self._store.add(f"done/{attempt}", 1) == self._place.nodes:
                self.tell(attempt, {"kind": "done"})

    def agreed(self, attempt, over):
        """How the attempt ended for all, where this host says `over`."""
        if over["kind"] != "lost":
            with contextlib.suppress(DistError):  # a store that is gone ends the next attempt
                over = _read(self._store.get(f"over/{attempt}"))
        if over["kind"] == "lost":
            self._leave_seconds = _LOST_SECONDS
        return over

    def first(self, attempt, failure):
        """The first failure of all hosts, where `failure` is this one's, or None.

        That of another host may be why this one's failed, and be told later.
        """
        keys = [f"first/{attempt}/{node}" for node in range(self._place.nodes)]
        with contextlib.suppress(DistError):
            self._store.set(keys[self._place.node], json.dumps(failure, default=asdict))
            with contextlib.suppress(DistStoreError):  # some are slow to end
                self._store.wait(keys, _LEAVE_SECONDS)
            there = [json.loads(self._store.get(key)) for key in keys if self._store.check([key])]
            return min(
                (Failure(**each) for each in there if each is not None),
                key=lambda each: each.when,
                default=failure,
            )
        return failure

    def _leave(self):
        """Who serves the store goes last."""
        with contextlib.suppress(DistError):
            if self._store.add("left", 1) == self._place.nodes:
                self._store.set("all left", "")
            if self._serves:
                self._store.wait(["all left"], self._leave_seconds)


def _read(text):
    if text is None:
        return None
    over = json.loads(text)
    if over["kind"] == "failure":
        over["first"] = Failure(**over["first"])
    return over
