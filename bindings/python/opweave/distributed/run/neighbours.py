"""A thread that hears how the attempt ends on other hosts, and whether their launchers live."""

import contextlib
import json
import os
import threading
import time

from opweave.distributed import DistError, DistStoreError

_BEAT_SECONDS = 1.0


class Neighbours:
    """`descriptor` can be read once there is something to hear.

    Every host shows that it lives, and host 0 looks at all of them.
    """

    def __init__(self, store, place, options, hosts):
        """`store` is the thread's alone; `hosts` are the names by number."""
        conf = options.configuration
        self._limit = conf["keep_alive_interval"] * conf["keep_alive_max_attempt"]
        self._beat = min(_BEAT_SECONDS, self._limit / 3)
        self._store, self._place, self._hosts = store, place, hosts
        store.set_timeout(self._limit)
        self._where = f"{options.host}:{options.port}"
        self._changed = threading.Condition()
        self._attempt, self._text, self._gone, self._ends = None, None, None, False
        self._seen = {}  # by host: its last beat, and when it came
        self.descriptor, self._writing = os.pipe()
        os.set_blocking(self.descriptor, False)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def listen(self, attempt):
        """From now on this attempt counts. A store that is gone is so in all of them."""
        with self._changed:
            self._attempt, self._text = attempt, self._gone
            self._changed.notify()

    def heard(self):
        """What somebody told of the attempt; None before that."""
        with contextlib.suppress(BlockingIOError):
            os.read(self.descriptor, 4096)
        return self.told()

    def told(self):
        """The same, and what it is stays to be heard."""
        with self._changed:
            return self._text

    def close(self):
        with self._changed:
            self._ends = True
            self._changed.notify()
        self._thread.join(timeout=5 + self._limit)
        os.close(self.descriptor)
        os.close(self._writing)

    def _run(self):
        count = 0
        try:
            while not self._ends:
                count += 1
                self._store.set(f"beat/{self._place.node}", str(count))
                if self._place.node == 0:
                    self._look()
                self._wait()
        except DistError as error:
            text = self.serving_host_is_gone(error)
            self._gone = json.dumps({"kind": "lost", "text": text})
            self._note(self._gone)

    def serving_host_is_gone(self, error):
        """What is said where the store does not answer."""
        return (
            f"the launcher on {self._hosts[0]}, which serves the store at {self._where}, "
            f"is gone: {error}"
        )

    def _wait(self):
        """A beat long for what others tell, or, when that is known, for the next attempt."""
        with self._changed:
            if self._attempt is None or self._text is not None:
                self._changed.wait(self._beat)
                return
            key = f"over/{self._attempt}"
        try:
            self._store.wait([key], self._beat)
        except DistStoreError:
            self._store.check([key])  # a server that is stopped, or cut off, does not answer
            return
        self._note(self._store.get(key))

    def _note(self, text):
        with self._changed:
            self._text = text
        os.write(self._writing, b"!")

    def _look(self):
        """Says whose beats have stopped."""
        now = time.monotonic()
        for node in range(1, self._place.nodes):
            key = f"beat/{node}"
            beat = self._store.get(key) if self._store.check([key]) else b""
            if self._seen.get(node, (None,))[0] != beat:
                self._seen[node] = beat, now
            elif now - self._seen[node][1] > self._limit and self._attempt is not None:
                text = (
                    f"the launcher on {self._hosts[node]} (host {node}) is gone: "
                    f"nothing was heard of it for {self._limit:g} s"
                )
                lost = json.dumps({"kind": "lost", "text": text})
                self._store.compare_set(f"over/{self._attempt}", "", lost)
