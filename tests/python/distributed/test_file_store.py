"""FileStore: several processes, the end of the file, files that are none."""

import os
import signal
import subprocess
import sys
import threading
import time

import opweave.distributed as dist
import pytest


@pytest.fixture(name="path")
def path_of_a_store(tmp_path):
    return str(tmp_path / "store")


@pytest.mark.parametrize("world_size", [-1, 1, 2])
def test_the_last_store_removes_the_file(path, world_size):
    first = dist.FileStore(path, world_size)
    assert first.path == path
    second = dist.FileStore(path, world_size)
    first.set("k", "v")
    assert second.get("k") == b"v"
    del first
    assert os.path.exists(path)
    del second
    assert os.path.exists(path) == (world_size < 0)


def test_the_file_waits_for_all(path):
    first = dist.FileStore(path, 2)
    first.set("k", "v")
    del first
    # The second process has not come yet.
    assert os.path.exists(path)
    second = dist.FileStore(path, 2)
    assert second.get("k") == b"v"
    del second
    assert not os.path.exists(path)


def test_a_removed_file_stays_away(path):
    store = dist.FileStore(path, 1)
    os.remove(path)
    del store
    assert not os.path.exists(path)


def test_somebody_elses_file_is_left_alone(path):
    store = dist.FileStore(path, 1)
    os.remove(path)
    other = dist.FileStore(path, 1)
    other.set("k", "v")
    del store
    assert other.get("k") == b"v"


def test_the_store_keeps_a_key_for_itself(path):
    store = dist.FileStore(path, 1)
    assert store.num_keys() == 1
    with pytest.raises(
        ValueError, match=r"the key '\\x00opweave/users' begins as those do that a store"
    ):
        store.set("\0opweave/users", "7")


COUNTS = """
import sys
import opweave.distributed as dist
store = dist.FileStore(sys.argv[1], 4)
for _ in range(100):
    store.add("n", 1)
store.barrier("end", 4)
assert store.get("n") == b"400", store.get("n")
store.barrier("read", 4)
"""


def test_processes_count_together(path):
    processes = [subprocess.Popen([sys.executable, "-c", COUNTS, path]) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert not os.path.exists(path)


def test_half_a_record_of_a_dead_process_is_cut_off(path):
    store = dist.FileStore(path)
    store.set("a", "1")
    whole = os.path.getsize(path)
    with open(path, "ab") as file:
        file.write(b"s\x05\0\0\0\xff\0\0\0half")
    assert store.get("a") == b"1"
    assert dist.FileStore(path).get("a") == b"1"
    store.set("b", "2")
    assert dist.FileStore(path).multi_get(["a", "b"]) == [b"1", b"2"]
    assert os.path.getsize(path) > whole


FIRST_LINE = b"Opweave FileStore 1 0123456789abcdef\n"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"hello world, this is no store\xff" * 5, "it begins differently"),
        (FIRST_LINE + b"x\x01\0\0\0\0\0\0\0a", "a record is of no known kind"),
        (FIRST_LINE + b"s\xff\xff\xff\xff\0\0\0\0a", "a record is too large"),
    ],
)
def test_what_is_no_store_is_refused(path, content, text):
    with open(path, "wb") as file:
        file.write(content)
    with pytest.raises(dist.DistStoreError, match=rf"^FileStore\('{path}'\): .*: {text}$"):
        dist.FileStore(path)
    with open(path, "rb") as file:
        assert file.read() == content


def test_places_without_files_are_named(tmp_path):
    with pytest.raises(
        dist.DistStoreError, match=r"^FileStore\('/no/such/f'\): cannot open the file: No such"
    ):
        dist.FileStore("/no/such/f")
    with pytest.raises(dist.DistStoreError, match=r"cannot open the file: Is a directory"):
        dist.FileStore(str(tmp_path))
    with pytest.raises(dist.DistStoreError, match=r"'/dev/full'\): cannot use what is no file"):
        dist.FileStore("/dev/full")


HOLDS = """
import fcntl, os, sys, time
file = open(sys.argv[1])
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)
"""


def test_who_leaves_waits_for_no_process_that_was_stopped(path):
    store = dist.FileStore(path, 1)
    with subprocess.Popen([sys.executable, "-c", HOLDS, path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        holder.send_signal(signal.SIGSTOP)
        begin = time.monotonic()
        del store
        assert time.monotonic() - begin < 5  # and not the 300 s of a store
        holder.kill()
    assert os.path.exists(path)


def test_a_lock_that_is_never_given_back_is_an_error(path):
    store = dist.FileStore(path)
    store.set_timeout(0.2)
    with subprocess.Popen([sys.executable, "-c", HOLDS, path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        begin = time.monotonic()
        with pytest.raises(
            dist.DistStoreError, match=r"cannot lock the file, process \d+ holds it"
        ):
            store.get("a")
        assert time.monotonic() - begin < 1.2
        with pytest.raises(dist.DistStoreError, match="holds it"):
            dist.FileStore(path, timeout=0.2)
        holder.kill()
    store.set("a", "1")


def test_ctrl_c_ends_a_wait(path):
    for store in (dist.FileStore(path), dist.HashStore()):
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            store.wait(["never"], 30.0)
        assert time.monotonic() - begin < 1.5
        timer.join()
        # And the store goes on.
        store.set("a", "1")
        assert store.get("a") == b"1"


def test_a_forked_process_does_not_end_the_store(path):
    store = dist.FileStore(path, 1)
    store.set("a", "1")
    child = os.fork()
    if child == 0:
        del store
        os._exit(0)
    os.waitpid(child, 0)
    assert os.path.exists(path)
    assert store.get("a") == b"1"
