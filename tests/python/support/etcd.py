"""Clusters of etcd for tests: members on free ports of this host, in a folder of their own."""

import atexit
import functools
import json
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

LIMIT = 40


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Member:
    """One process of a cluster."""

    def __init__(self, name, client, peer):
        self.name = name
        self.client = f"http://127.0.0.1:{client}"
        self.peer = f"http://127.0.0.1:{peer}"
        self.endpoint = f"127.0.0.1:{client}"
        self.process = None

    def start(self, cluster, folder, options):
        listens = options.get("scheme", "http") + self.client[4:]
        with open(folder / f"{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(
                [
                    "etcd",
                    f"--name={self.name}",
                    f"--data-dir={folder / self.name}",
                    f"--listen-client-urls={listens}",
                    f"--advertise-client-urls={listens}",
                    f"--listen-peer-urls={self.peer}",
                    f"--initial-advertise-peer-urls={self.peer}",
                    f"--initial-cluster={cluster}",
                    "--heartbeat-interval=50",
                    "--election-timeout=500",
                    *options.get("more", ()),
                ],
                stdout=log,
                stderr=log,
            )

    def ask(self, path, body, timeout=5):
        request = urllib.request.Request(self.client + path, json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.loads(answer.read())

    def end(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        if number == signal.SIGKILL:
            self.process.wait()
        if number == signal.SIGSTOP:
            while not self.is_stopped():
                time.sleep(0.01)

    def is_stopped(self):
        """All of its threads: the last may answer for a moment longer."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return all(
            (task / "stat").read_text().rsplit(")", 1)[1].split()[0] == "T" for task in tasks
        )


class Cluster:
    """Members that have found a leader; it ends with the tests, or by end()."""

    def __init__(self, size=1, **options):
        if shutil.which("etcd") is None:
            pytest.skip("there is no etcd; Debian's package etcd-server has it")
        fast = Path("/dev/shm")
        self.folder = Path(tempfile.mkdtemp(prefix="etcd-", dir=fast if fast.is_dir() else None))
        ports = free_ports(2 * size)
        self.members = [Member(f"m{i}", *ports[2 * i : 2 * i + 2]) for i in range(size)]
        everyone = ",".join(f"{member.name}={member.peer}" for member in self.members)
        for member in self.members:
            member.start(everyone, self.folder, options)
        atexit.register(self.end)
        if options.get("scheme", "http") == "http":
            self.wait_for_leader()

    def wait_for_leader(self):
        end = time.monotonic() + LIMIT
        while self.leader() is None:
            assert time.monotonic() < end, (self.folder / "m0.log").read_text()[-2000:]
            time.sleep(0.05)

    def leader(self):
        """The member that leads, if those that answer know one."""
        for member in self.members:
            try:
                status = member.ask("/v3/maintenance/status", {}, timeout=1)
            except (OSError, urllib.error.URLError):
                continue
            if status.get("leader") == status["header"]["member_id"]:
                return member
        return None

    @property
    def endpoints(self):
        return [member.endpoint for member in self.members]

    def end(self):
        for member in self.members:
            if member.process.poll() is None:
                member.end()
        shutil.rmtree(self.folder, ignore_errors=True)


@functools.cache
def shared():
    """One member, for all tests that need no more."""
    return Cluster()


_numbers = iter(range(10**9))


def new_prefix():
    return f"/test/{next(_numbers)}"
