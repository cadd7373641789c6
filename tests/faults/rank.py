"""One process of a round: takes its steps, and writes what became of them as a line of JSON."""

import faulthandler
import gc
import json
import os
import signal
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from datetime import timedelta

import deeds
import opweave as ow
import opweave.distributed as dist
from rounds import GONE, LIMIT, MEETING, SIGNALS, Round
from support.held import held


@dataclass
class Outcome:
    """Of a rank. `told` is what it was told of the fault, in which step, and after how many seconds."""

    told: dict | None = None
    wrong: str = ""  # a result
    leaving: float = 0.0  # seconds
    kept: list = field(default_factory=list)  # what it holds beyond what it held at first
    again: str = ""  # what a group of those that are left failed with


def beyond(first):
    """What is held and was not, a second after it was let go at the latest."""
    for _ in range(20):
        now = held()
        more = [f"{now['threads']} threads"] if now["threads"] > first["threads"] else []
        more += [f"file {f}" for f in set(now["files"]) - set(first["files"])]
        more += [f"segment {s}" for s in now["shared"][len(first["shared"]) :]]
        if not more:
            return []
        time.sleep(0.05)
    return more


class Fault:
    """What befalls this process, if it is the victim."""

    def __init__(self, drawn, rank):
        self.drawn = drawn
        self.is_mine = rank == drawn.victim and drawn.fault != "none"

    def strike(self, step):
        """Called when a step begins."""
        if not self.is_mine or step != self.drawn.at:
            return
        if self.drawn.fault in SIGNALS:
            number = signal.SIGKILL if self.drawn.fault == "killed" else signal.SIGSTOP
            threading.Timer(self.drawn.delay, os.kill, (os.getpid(), number)).start()
            return
        {
            "exits": lambda: sys.exit(0),
            "vanishes": lambda: os._exit(3),
            "raises": self.fail,
            "late": lambda: time.sleep(LIMIT + 2),
        }[self.drawn.fault]()

    @staticmethod
    def fail():
        raise RuntimeError("the victim gives up")


class ToldError(Exception):
    """Something was said of the fault."""


def take(step, name, call, fault, outcome):
    """Takes a step. ToldError where the others, or the runtime, say that it cannot be."""
    fault.strike(step)
    began = time.monotonic()
    try:
        call()
    except AssertionError as error:
        outcome.wrong = f"{name}: {error}"
        raise ToldError from error
    except Exception as error:
        seconds = time.monotonic() - began
        outcome.told = {
            "step": name,
            "text": f"{type(error).__name__}: {error}",
            "seconds": seconds,
        }
        raise ToldError from error


def meet(drawn, room, name, rank, ranks, seconds=LIMIT):
    limit = timedelta(seconds=seconds)
    # Of the store as well: the victim may stand still while it has the file's lock.
    store = dist.FileStore(f"{room}/{name}", timeout=limit)
    dist.init_process_group(drawn.backend, store=store, rank=rank, world_size=ranks, timeout=limit)


def take_all(drawn, rank, room, outcome):
    fault = Fault(drawn, rank)

    def begin():
        meet(drawn, room, "first", rank, drawn.ranks)

    try:
        take(MEETING, "meeting", begin, fault, outcome)
        deed = deeds.DEEDS[drawn.deed](rank, drawn.ranks)
        for step, name in enumerate(drawn.steps):
            take(step, name, lambda name=name: deed.take(name), fault, outcome)
    except ToldError:
        pass
    gc.collect()  # an exception and the frames that it came through hold one another, and tensors


def leave(outcome):
    began = time.monotonic()
    if dist.is_initialized():
        dist.destroy_process_group()
    outcome.leaving = time.monotonic() - began


def meet_again(drawn, rank, room, outcome):
    """A group of those that are left."""
    left = [r for r in range(drawn.ranks) if r != drawn.victim]
    try:
        # They come when they have been told, some of them at once and some after their time-out.
        meet(drawn, room, "second", left.index(rank), len(left), 5 * LIMIT)
        x = ow.ones(3)
        dist.all_reduce(x)
        deeds.expect(x, len(left))
        dist.destroy_process_group()
    except Exception as error:
        outcome.again = f"{type(error).__name__}: {error}"


def await_others():
    """Until all have started, which takes them seconds on a busy machine."""
    print("READY", flush=True)
    sys.stdin.readline()


def main():
    drawn, rank, room = Round(**json.loads(sys.argv[1])), int(sys.argv[2]), sys.argv[3]
    ow.set_num_threads(1)
    await_others()
    faulthandler.dump_traceback_later(6 * LIMIT, exit=False)
    first, outcome = held(), Outcome()
    take_all(drawn, rank, room, outcome)
    leave(outcome)
    outcome.kept = beyond(first)
    if drawn.fault in GONE and rank != drawn.victim:
        meet_again(drawn, rank, room, outcome)
        outcome.kept += beyond(first)
    print("OUTCOME", json.dumps(asdict(outcome)), flush=True)


if __name__ == "__main__":
    main()
