"""What happens to the process: its end while threads compute, and what a forked child can do."""

import os
import subprocess
import sys
import textwrap

import pytest

THREADS = """
import sys, threading, time
import opweave as ow

class Twice(ow.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

def kernels():
    x = ow.ones(200, 200, requires_grad=True)
    while True:
        y = x
        for _ in range(20):
            y = (y @ x).tanh()
        y.sum().backward()

def callbacks():
    x = ow.ones(3, requires_grad=True)
    x.register_hook(lambda g: None)
    while True:
        y = x
        for _ in range(50):
            y = Twice.apply(y)
        y.sum().backward()

started = threading.Event()
for _ in range(4):
    threading.Thread(target=globals()[sys.argv[1]], daemon=True).start()
time.sleep(float(sys.argv[2]))
"""


def run(program, *arguments, seconds=60):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=seconds,
    )


@pytest.mark.parametrize("work", ["kernels", "callbacks"])
def test_leaving_while_daemon_threads_compute(work):
    for i in range(6):
        ended = run(THREADS, work, 0.1 + 0.03 * i)
        assert (ended.returncode, ended.stderr) == (0, "")


FORK = """
    import os
    import opweave as ow
    import opweave.nn.functional as F

    def work():
        x = ow.arange(360_000.0).reshape(600, 600) / 1e6
        w = ow.ones(8, 8, 3, 3, requires_grad=True)
        F.conv2d(ow.ones(4, 8, 64, 64), w).sum().backward()
        y = [x + x, x @ x, F.softmax(x, 1), x.sort()[0], x.sum(0), w.grad]
        return [round(t.sum().item(), 2) for t in y]

    before = {before}
    ow.manual_seed(1)
    child = os.fork()
    if child == 0:
        try:
            after = work()
            os._exit(0 if before is None or before == after else 3)
        except Exception as error:
            print(error, flush=True)
            os._exit(4)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), ow.get_num_threads() > 0)
    assert work() == (before or work())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("before", ["work()", "None"])
def test_a_child_computes_whatever_its_parent_computed(before):
    ended = run(FORK.format(before=before))
    assert (ended.stdout, ended.stderr) == ("0 True\n", "")


def test_a_child_of_a_parent_with_a_pool_computes_on_one_thread():
    program = """
        import os
        import opweave as ow
        (ow.ones(1000, 1000) + 1).sum()
        if os.fork() == 0:
            os._exit(ow.get_num_threads())
        print(os.waitstatus_to_exitcode(os.wait()[1]))
    """
    assert run(program).stdout == "1\n"
