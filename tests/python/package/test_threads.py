"""How the threads of the library wait for one another, and how those of programs share what is compiled,
in processes of their own."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os
import opweave
print(os.environ.get("GOMP_SPINCOUNT"), opweave.ones(100_000).sum().item())
"""


def started(**settings):
    """The environment as the script sees it after the import, and what OpenMP says it took from it."""
    kept = {k: v for k, v in os.environ.items() if k not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    environment = kept | {"OMP_DISPLAY_ENV": "VERBOSE"} | settings
    command = [sys.executable, "-c", SCRIPT]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return run.stdout.split(), run.stderr


def test_waiting_threads_soon_sleep():
    (seen, total), openmp = started()
    assert "GOMP_SPINCOUNT = '2000'" in openmp
    assert seen == "None"  # programs that this one starts do not inherit it
    assert total == "100000.0"


@pytest.mark.parametrize(
    ("name", "value", "effect"),
    [("GOMP_SPINCOUNT", "77", "= '77'"), ("OMP_WAIT_POLICY", "PASSIVE", "= '0'")],
)
def test_the_user_chooses_otherwise(name, value, effect):
    _, openmp = started(**{name: value})
    assert f"GOMP_SPINCOUNT {effect}" in openmp


# The primitives of the first step are run by the threads after it.
CONVOLUTIONS = """
import threading
import opweave as ow

ow.set_num_threads({threads})

def step():
    found = []
    sizes = [(33, 2, 2, 3), (64, 2, 3, 1), (12, 3, 2, 1), (12, 3, 1, 1), (40, 2, 1, 1)]
    for n, dims, dilation, groups in sizes:
        x = (ow.arange(2 * 3 * n**dims) % 7.0).view(2, 3, *[n] * dims)
        w = (ow.arange(6 * (3 // groups) * 3**dims) % 5.0).view(6, 3 // groups, *[3] * dims)
        x, w = x.requires_grad_(), w.requires_grad_()
        function = getattr(ow.nn.functional, f"conv{{dims}}d")
        y = function(x, w, dilation=dilation, groups=groups)
        found += [y.detach(), *ow.autograd.grad(y.sum(), (x, w))]
    return found

first, others = step(), []
threads = [threading.Thread(target=lambda: others.append(step())) for _ in range(3)]
for t in threads: t.start()
for t in threads: t.join()
print(sum(all(ow.equal(a, b) for a, b in zip(first, other)) for other in others))
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_convolution_compiled_in_one_thread_runs_in_others(threads):
    command = [sys.executable, "-c", CONVOLUTIONS.format(threads=threads)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "3\n"
