"""Locks that a forked process may want are of the types of runtime/core/base/fork_safe_mutex.h."""

import re

from lint_test import CHECKOUT, sources

# The files that have others, how many, and why a forked process does not wait for them.
OTHERS = {
    "runtime/core/base/fork_safe_mutex.h": (2, "what such a lock is made of"),
    "runtime/core/base/no_fork.cc": (1, "taken by every fork itself"),
    "runtime/core/random/generator.h": (1, "taken within a NoFork; libraries know its layout"),
    "runtime/target/caching_allocator.h": (1, "taken within a NoFork; libraries know its layout"),
    "runtime/target/shared_blocks.h": (2, "taken by every fork itself"),
    "kernels/cpu/target/allocator.cc": (1, "taken by every fork itself"),
    "kernels/cpu/linear_algebra/svd.cc": (1, "of one call"),
    "runtime/autograd/graph_task.h": (1, "of one backward pass, which stays its process's"),
    "runtime/autograd/ready_queue.h": (1, "of the threads that serve it, which stay the parent's"),
    "runtime/autograd/ready_queue.cc": (1, "made anew by a forked process"),
    "runtime/distributed/watch/watchdog.h": (2, "made anew by a forked process"),
    "runtime/distributed/watch/flight_recorder.h": (1, "made anew by a forked process"),
    "runtime/distributed/training/reducer.h": (
        2,
        "of a group, in which no forked process has part",
    ),
    "runtime/distributed/schedule/scheduler.h": (1, "refuses a forked process before it is taken"),
    "bindings/python/distributed/python_group.cc": (
        1,
        "of a group, in which no forked process has part",
    ),
    "bindings/python/distributed/python_waits.h": (1, "the same"),
    "kernels/cuda/linear_algebra/matmul.cc": (1, "CUDA does not work in a forked process"),
    "kernels/cuda/device.cc": (1, "CUDA does not work in a forked process"),
}
OF_GROUPS = "runtime/distributed/backends/"
STD = re.compile(r"\bstd::(?:recursive_|shared_|timed_)?mutex\b")


def code(text: str) -> str:
    return re.sub(r"//.*", "", text)


def found_in(paths: list[str]) -> dict[str, int]:
    counts = {p: len(STD.findall(code((CHECKOUT / p).read_text(encoding="utf-8")))) for p in paths}
    return {path: count for path, count in counts.items() if count}


def files() -> list[str]:
    patterns = [
        f"{top}/*.{end}" for top in ("runtime", "kernels", "bindings") for end in ("h", "cc")
    ]
    return [path for pattern in patterns for path in sources(pattern)]


def test_no_lock_is_left_to_a_thread_of_the_parent() -> None:
    # Those of a group and its backends: a forked process has no part in its parent's groups.
    found = {p: n for p, n in found_in(files()).items() if not p.startswith(OF_GROUPS)}
    assert found == {path: count for path, (count, _) in OTHERS.items()}


def test_no_backend_has_one_for_all_groups() -> None:
    for path in sources(f"{OF_GROUPS}*.cc"):
        text = code((CHECKOUT / path).read_text(encoding="utf-8"))
        statics = [line for line in text.splitlines() if "static" in line and STD.search(line)]
        assert not statics, path


# The same in the Python package.
OTHERS_IN_PYTHON = {
    "bindings/python/opweave/distributed/run/neighbours.py": "of the launcher, whose processes use none",
    "bindings/python/opweave/utils/_second_runs.py": "of one backward pass, which stays its process's",
}
IN_PYTHON = re.compile(r"threading\.(?:R?Lock|Condition|Semaphore|BoundedSemaphore)\b")


def test_locks_of_the_package_are_renewed_in_a_forked_process() -> None:
    with_locks = {
        path: (CHECKOUT / path).read_text(encoding="utf-8")
        for path in sources("bindings/python/opweave/*.py")
        if IN_PYTHON.search((CHECKOUT / path).read_text(encoding="utf-8"))
    }
    others = {path for path, text in with_locks.items() if "register_at_fork" not in text}
    assert others == set(OTHERS_IN_PYTHON)
