"""Survivors of a rank that is killed or stopped name it, and no other; what they call next is soon over."""

import os
import signal
import time
from datetime import timedelta

import opweave as ow
import pytest
from support.ranks import Ranks, run

BACKENDS = pytest.mark.parametrize("backend", ["shm", "gloo"])


def said(call):
    """What it raised, if it did, and how long it took."""
    began = time.monotonic()
    try:
        call()
    except RuntimeError as error:
        return [str(error), time.monotonic() - began]
    return ["", time.monotonic() - began]


def outcome(function, tmp_path, **options):
    """Of three ranks, of which the last does not come to its end."""
    ranks = Ranks(function, 3, tmp_path, **options)
    for rank in (0, 1):
        ranks.processes[rank].wait(30)
    ranks.processes[2].kill()
    return ranks.wait()[:2]


def leaving(dist, rank, size, others, letters):
    groups = [dist.new_group() for _ in range(others)]
    x = ow.ones(2)
    for group in (None, *groups):
        dist.all_reduce(x, group=group)
    time.sleep(0.3)
    if rank == 2:
        os.kill(os.getpid(), signal.SIGSTOP)
    if letters:
        dist.send(x, 2)
    failed = said(lambda: dist.new_group(timeout=timedelta(seconds=1)))
    return [failed, said(dist.destroy_process_group)]


@pytest.mark.parametrize("letters", [False, True])
@pytest.mark.parametrize("others", [0, 4])
def test_whoever_leaves_waits_for_no_stopped_rank(others, letters, tmp_path):
    results = outcome(leaving, tmp_path, backend="gloo", timeout=4, others=others, letters=letters)
    for (text, seconds), (nothing, leaving_took) in results:
        assert "of 3 ranks cannot be made: rank 2 did not come in time" in text
        assert 0.9 < seconds < 2
        assert nothing == ""
        assert leaving_took < (3.8 if letters else 1.5)


def behind(dist, rank, size):
    x = ow.ones(4)
    dist.all_reduce(x)
    time.sleep(0.3)
    if rank == 2:
        os.kill(os.getpid(), signal.SIGSTOP)
    taken = [ow.empty(4) for _ in range(size)] if rank == 0 else None

    def gathers():
        for _ in range(5):
            dist.gather(x, taken, dst=0)
        dist.barrier()

    return said(gathers)


def test_a_rank_that_waits_itself_is_not_blamed(tmp_path):
    """Ranks that only give are ahead; the one that gets waits for the one that is stopped."""
    for text, seconds in outcome(behind, tmp_path, backend="gloo", timeout=1.5):
        assert "rank 2 did not come in time" in text
        assert "ranks 0, 2" not in text
        assert "rank 0 is still in gather (number 1)" in text or "ranks 0, 1 did" in text
        assert seconds < 2.5


def within(dist, rank, size):
    """Of what all ranks have begun."""
    if rank == 2:
        work = dist.all_reduce(ow.ones(3), async_op=True)
        time.sleep(0.6)
        os.kill(os.getpid(), signal.SIGSTOP)
        work.wait()
    if rank == 1:
        time.sleep(1.2)
    if rank == 0:
        return said(lambda: dist.all_reduce(ow.ones(3)))
    return said(lambda: dist.recv(ow.ones(3), 0))


def test_a_rank_that_stops_after_it_has_come(tmp_path):
    text, seconds = outcome(within, tmp_path, backend="gloo", timeout=2.0)[0]
    assert "rank 1 did not come in time" in text
    assert "rank 2 no longer answered" in text
    assert seconds < 3


def fetched_late(dist, rank, size):
    """Rank 0 leaves while its letter is still to be fetched, and asks meanwhile whether anybody is there."""
    if rank == 0:
        dist.send(ow.ones(4), 1)
        return 0
    time.sleep(0.8)
    x = ow.zeros(4)
    dist.recv(x, 0)
    return x.sum().item()


@BACKENDS
def test_a_letter_of_a_rank_that_leaves_is_fetched_late(backend, tmp_path):
    assert run(fetched_late, 2, tmp_path, backend=backend) == [0, 4.0]


def from_nobody(dist, rank, size):
    dist.barrier()
    return said(lambda: dist.recv(ow.ones(1))) if rank == 0 else None


@pytest.mark.parametrize("backend", ["shm", "gloo"])
def test_who_receives_from_any_rank_hears_that_all_have_left(backend, tmp_path):
    text, seconds = run(from_nobody, 3, tmp_path, backend=backend)[0]
    assert "with the tag 0: no other rank is in the group any more; in the group 'world'" in text
    assert seconds < 2


CALLS = {
    "new_group": lambda dist: dist.new_group(),
    "new_group by name": lambda dist: dist.new_group(backend=dist.get_backend()),
    "split_group": lambda dist: dist.split_group(None, [[0, 1, 2]]),
    "monitored_barrier": lambda dist: dist.monitored_barrier(),
    "monitored_barrier for all": lambda dist: dist.monitored_barrier(wait_all_ranks=True),
}


def lost(dist, rank, size, call, before):
    dist.barrier()
    if rank == 2:
        # Once the others have left the barrier; or while they wait.
        time.sleep(0.3 if before else 0.8)
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.8 if before else 0)
    return said(lambda: CALLS[call](dist))


@BACKENDS
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("call", CALLS)
def test_a_rank_that_has_ended_is_not_waited_for(call, before, backend, tmp_path):
    for text, seconds in outcome(lost, tmp_path, backend=backend, call=call, before=before):
        assert "rank 2 (process " in text
        assert "has ended" in text
        assert seconds < 1.5


def without_it(dist, rank, size):
    dist.barrier()
    if rank == 2:
        time.sleep(0.3)  # once the others have left the barrier
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.8)
    group, x = dist.new_group([0, 1]), ow.ones(1)
    dist.all_reduce(x, group=group)
    return x.tolist()


@BACKENDS
def test_a_group_of_those_that_are_left(backend, tmp_path):
    assert outcome(without_it, tmp_path, backend=backend) == [[2.0]] * 2


def finished(dist, rank, size):
    """Rank 1 ends the group once it has finished itself; rank 0 still gives to rank 2, which is late."""
    x = ow.full((6_000_000,), float(rank))
    dist.barrier()
    if rank == 2:
        time.sleep(0.3)
    dist.broadcast(x, 0)
    if rank == 1:
        dist.group.WORLD.abort()
    with pytest.raises(dist.DistBackendError):
        dist.barrier()  # rank 1 does not come
    return x[-1].item()


@pytest.mark.parametrize("backend", ["shm", "gloo"])
def test_what_all_have_given_is_finished(backend, tmp_path):
    assert run(finished, 3, tmp_path, backend=backend) == [0.0] * 3
