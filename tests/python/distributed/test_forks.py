"""A process that is forked while threads of its parent use the runtime uses it as well."""

import subprocess
import sys
import textwrap

# The child has 20 seconds, after which the system ends it.
PROGRAM = """
    import os, signal, threading, time
    from datetime import timedelta
    import opweave as ow
    import opweave.distributed as dist

    def in_child(act):
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            act()
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        assert status == 0, status
"""


def run(program):
    text = textwrap.dedent(PROGRAM) + textwrap.dedent(program)
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr


def test_while_a_thread_waits_for_the_other_ranks():
    run(
        """
        def alone():
            try:
                dist.init_process_group(
                    "gloo", store=dist.HashStore(), rank=0, world_size=2, timeout=timedelta(seconds=2)
                )
            except dist.DistError:
                failed.set()

        failed = threading.Event()
        waits = threading.Thread(target=alone, daemon=True)
        waits.start()
        time.sleep(0.5)
        in_child(lambda: dist.init_process_group("fake", store=dist.HashStore(), rank=0, world_size=2))
        waits.join()
        assert failed.is_set()
        """
    )


def test_while_a_thread_waits_for_a_key():
    run(
        """
        store = dist.TCPStore("localhost", 0, is_master=True, wait_for_workers=False)

        def get():
            store.get("key")

        waits = [threading.Thread(target=get, daemon=True) for _ in range(4)]
        for thread in waits:
            thread.start()
        time.sleep(0.2)

        def of_the_child():
            assert store.add("count", 1) == 1
            store.set("key", "value")
            assert store.get("key") == b"value"

        in_child(of_the_child)
        for thread in waits:
            thread.join()
        """
    )


def test_while_threads_compute_on_a_device():
    run(
        """
        x = ow.ones(3, requires_grad=True)
        (x * x).sum().backward()  # imports modules: a forked process has the interpreter's locks of those
        on = threading.Event()

        def train():
            while not on.is_set():
                (x * x).sum().backward()

        threads = [threading.Thread(target=train, daemon=True) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(50):
            in_child(lambda: (x * x).sum().backward())
        on.set()
        for thread in threads:
            thread.join()
        """
    )
