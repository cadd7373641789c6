"""All_reduces message by message: what the closed forms of costs.py are checked against.

A rank sends one message at a time and receives one at a time; of the ranks of a part, as many as its level
says send out of it at once. A message occupies what it passes for its bytes over the bandwidth, and is there
a latency later. It begins when those it needs have come and all that it passes is free, the ones that could
begin earlier first.
"""

import heapq
from collections import defaultdict
from dataclasses import dataclass, field
from math import inf


@dataclass
class Message:
    """From a rank to another; `needs` are the messages that have to be there before, by their numbers."""

    source: int
    target: int
    nbytes: float
    needs: list[int] = field(default_factory=list)


def simulate(messages, links):
    """The seconds until all messages are there."""
    passes = _Passes(links)
    followers, missing = defaultdict(list), []
    for i, message in enumerate(messages):
        missing.append(len(message.needs))
        for need in message.needs:
            followers[need].append(i)
    ready = [(0.0, i) for i, count in enumerate(missing) if count == 0]
    heapq.heapify(ready)
    came = [0.0] * len(messages)
    while ready:
        at, i = heapq.heappop(ready)
        begin, came[i] = passes.send(messages[i], at)
        if begin > at:  # somebody else may be able to before it
            heapq.heappush(ready, (begin, i))
            continue
        for follower in followers[i]:
            missing[follower] -= 1
            if missing[follower] == 0:
                latest = max(came[need] for need in messages[follower].needs)
                heapq.heappush(ready, (latest, follower))
    return max(came)


class _Passes:
    """When what messages pass is free."""

    def __init__(self, links):
        self._links, self._free = links, {}

    def send(self, message, at):
        """When it can begin; if that is at once, it does, and when it is there."""
        latency, bandwidth = self._links.between(message.source, message.target)
        passed = [self._server(key, count) for key, count in self._passed(message)]
        begin = max(at, *(free[0] for free in passed))
        if begin > at:
            return begin, inf
        end = begin + message.nbytes / bandwidth
        for free in passed:
            heapq.heapreplace(free, end)
        return begin, end + latency

    def _server(self, key, count):
        return self._free.setdefault(key, [0.0] * count)

    def _passed(self, message):
        a, b = message.source, message.target
        found = [(("out", a), 1), (("in", b), 1)]
        if self._links.is_matrix:
            return found
        for depth, level in enumerate(self._links.levels):
            if level.at_once is not None and depth > 0:
                found.append((("out", depth, a), level.at_once))
                found.append((("in", depth, b), level.at_once))
            a, b = a // level.count, b // level.count
            if a == b:
                break
        return found


def ring(nbytes, members):
    """Around the ranks in their order, a share of the bytes in each step, twice."""
    count = len(members)
    messages = []
    for step in range(2 * (count - 1)):
        for i, rank in enumerate(members):
            # What a rank passes on it got from the one before it in the step before.
            needs = [(step - 1) * count + (i - 1) % count] if step else []
            target = members[(i + 1) % count]
            messages.append(Message(rank, target, nbytes / count, needs))
    return messages


def tree(nbytes, members):
    """All of it up a binary tree of neighbours, and down again."""
    messages, last = [], {}
    distances = [2**i for i in range((len(members) - 1).bit_length())]
    for distance in distances:
        for i in range(0, len(members) - distance, 2 * distance):
            source, target = members[i + distance], members[i]
            needs = [*last.get(source, []), *last.get(target, [])]
            messages.append(Message(source, target, nbytes, needs))
            last.setdefault(target, []).append(len(messages) - 1)
    for distance in reversed(distances):
        for i in range(0, len(members) - distance, 2 * distance):
            source, target = members[i], members[i + distance]
            messages.append(Message(source, target, nbytes, list(last.get(source, []))))
            last[target] = [len(messages) - 1]
    return messages


def two_levels(nbytes, hosts):
    """Shares within each host, each of them between the hosts, and back: rings of lists of ranks."""
    inner = len(hosts[0])
    half = (inner - 1) * inner  # of a host's ring: then every rank has come to a share
    rings = [ring(nbytes, host) for host in hosts]
    messages, last = [], {}  # by rank what it waits for before it goes on
    for host, steps in zip(hosts, rings, strict=True):
        _add(messages, steps[:half], host, last)
    for i in range(inner):
        across = [host[i] for host in hosts]
        _add(messages, ring(nbytes / inner, across), across, last)
    for host, steps in zip(hosts, rings, strict=True):
        back = [
            Message(m.source, m.target, m.nbytes, [n - half for n in m.needs]) for m in steps[half:]
        ]
        for message in back[:inner]:
            message.needs = []
        _add(messages, back, host, last)
    return messages


def _add(messages, steps, members, last):
    """Steps around a ring of ranks, each of which goes on with what it was the last to get."""
    begin, count = len(messages), len(members)
    for i, message in enumerate(steps):
        needs = (
            [need + begin for need in message.needs] if i >= count else last.get(message.source, [])
        )
        messages.append(Message(message.source, message.target, message.nbytes, list(needs)))
    if steps:
        for i, rank in enumerate(members):
            last[rank] = [len(messages) - count + (i - 1) % count]
