"""Ranks on hosts of their own, which are namespaces of the network, and the cable between them."""

import os
import shutil
import subprocess
import threading
import time

import opweave as ow
import pytest
from support.ranks import run

NFT = shutil.which("nft", path=os.environ["PATH"] + ":/usr/sbin")
HOSTS = [f"ow{os.getpid()}a", f"ow{os.getpid()}b"]


def ip(*arguments):
    return subprocess.run(["ip", *arguments], check=False, capture_output=True).returncode == 0


@pytest.fixture(scope="module", autouse=True)
def cable():
    """From cable0 on the first host to cable1 on the second."""
    if shutil.which("ip") is None or not all(ip("netns", "add", host) for host in HOSTS):
        pytest.skip("namespaces of the network are not allowed here")
    ends = [("cable0", HOSTS[0]), ("cable1", HOSTS[1])]
    made = ip(
        *("link", "add", "cable0", "netns", HOSTS[0]),
        *("type", "veth", "peer", "name", "cable1", "netns", HOSTS[1]),
    )
    for number, (end, host) in enumerate(ends, 1):
        made = made and ip("-n", host, "addr", "add", f"10.99.0.{number}/24", "dev", end)
        made = made and ip("-n", host, "link", "set", end, "up")
        made = made and ip("-n", host, "link", "set", "lo", "up")
    yield made or pytest.skip("cables between namespaces are not allowed here")
    for host in HOSTS:
        ip("netns", "del", host)


def on_hosts(function, folder, **options):
    prefix = lambda rank: ("ip", "netns", "exec", HOSTS[rank])  # noqa: E731
    return run(function, 2, folder, backend="gloo", prefix=prefix, host=HOSTS[0], **options)


def cut(dist, rank, size, host):
    x = ow.ones(3)
    dist.all_reduce(x)
    if rank == 0:
        assert ip("link", "set", "cable0", "down")
    time.sleep(0.3)
    began = time.monotonic()
    with pytest.raises(dist.DistBackendError) as caught:
        dist.all_reduce(ow.ones(1000))
    seconds = time.monotonic() - began
    time.sleep(0.5)
    if rank == 0:
        assert ip("link", "set", "cable0", "up")
    return [x.tolist(), str(caught.value), seconds]


def test_a_cable_that_is_cut(tmp_path):
    for rank, (x, text, seconds) in enumerate(on_hosts(cut, tmp_path, timeout=2)):
        assert x == [2] * 3
        other, end, address = 1 - rank, f"cable{rank}", f"10.99.0.{rank + 1}"
        assert f"rank {other} did not come in time; rank {rank} did, over {end} ({address})" in text
        assert 1.9 < seconds < 3


def restored(dist, rank, size, host):
    x = ow.ones(3)
    dist.all_reduce(x)
    if rank == 0:
        assert ip("link", "set", "cable0", "down")
    time.sleep(0.3)
    if rank == 1:
        time.sleep(0.5)
        assert ip("-n", host, "link", "set", "cable0", "up")
    dist.all_reduce(x)
    return x.tolist()


def test_a_cable_that_is_mended(tmp_path):
    """In time: nobody notices."""
    assert on_hosts(restored, tmp_path, timeout=20) == [[4.0] * 3] * 2


def pull(host):
    assert ip("-n", host, "link", "set", "cable0", "down")


def plug(host):
    assert ip("-n", host, "link", "set", "cable0", "up")


def rule(verdict):
    """Of a firewall on the first host, for what comes from the second and goes to it."""
    return (
        "table inet cut {"
        f" chain in {{ type filter hook input priority 0; ip saddr 10.99.0.2 {verdict}; }};"
        f" chain out {{ type filter hook output priority 0; ip daddr 10.99.0.2 {verdict}; }}; }}"
    )


def firewall(host, rules):
    command = ["ip", "netns", "exec", host, NFT, rules]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def deafen(host):
    """What is sent goes to nobody, and nothing says so."""
    assert firewall(host, rule("drop"))


def undeafen(host):
    assert firewall(host, "delete table inet cut")


def has_firewall():
    return NFT is not None and firewall(HOSTS[0], "add table inet tried; delete table inet tried")


def interrupted(dist, rank, size, host, cut, mend):
    """Cut while data is under way, for so long that the system's pauses have become long."""
    x = ow.ones(2**22)
    dist.all_reduce(x)
    mended = 0.0
    works = [dist.all_reduce(x, async_op=True) for _ in range(40)]
    if rank == 0:
        works[0].wait()
        globals()[cut](host)
        time.sleep(7)
        assert not works[-1].is_completed()
        globals()[mend](host)
        mended = time.monotonic()
    for work in works:
        work.wait()
    return [x[0].item(), time.monotonic() - mended]


@pytest.mark.parametrize(("cut", "mend"), [("pull", "plug"), ("deafen", "undeafen")])
def test_data_under_way_when_the_network_is_cut(cut, mend, tmp_path):
    if cut == "deafen" and not has_firewall():
        pytest.skip("rules of a firewall (nft) are not allowed here")
    results = on_hosts(interrupted, tmp_path, timeout=60, cut=cut, mend=mend)
    assert [x for x, _ in results] == [2.0**41] * 2
    assert results[0][1] < (3 if has_short_pauses() else 30)


def has_short_pauses():
    """Linux 6.15 and later lets a program say how long TCP may wait before it sends again."""
    return tuple(int(n) for n in os.uname().release.split(".")[:2]) >= (6, 15)


def reduce_until_it_fails(dist):
    while True:
        dist.all_reduce(ow.ones(1000))


def rejected(dist, rank, size, host):
    """By a firewall that answers each packet with the end of its connection."""
    dist.all_reduce(ow.ones(3))
    if rank == 0:
        assert firewall(host, rule("meta l4proto tcp reject with tcp reset"))
    time.sleep(0.3)
    began = time.monotonic()
    with pytest.raises(dist.DistBackendError) as caught:
        reduce_until_it_fails(dist)
    seconds = time.monotonic() - began
    dist.destroy_process_group()
    if rank == 0:
        time.sleep(0.5)
        undeafen(host)
    else:
        time.sleep(1)
    return [str(caught.value), seconds]


def test_a_firewall_that_rejects(tmp_path):
    if not has_firewall():
        pytest.skip("rules of a firewall (nft) are not allowed here")
    for rank, (text, seconds) in enumerate(on_hosts(rejected, tmp_path, timeout=3)):
        assert f"rank {1 - rank}" in text, text
        assert seconds < 4, text


def with_neighbours(dist, rank, size, host):
    """Two ranks on each host."""
    began = time.monotonic()
    links = dist.measure_links()
    seconds = time.monotonic() - began
    assert set(links) == {"within", "between"}
    sums = []
    for count in (1, 1000, 100_000, 2_000_003):
        x = ow.arange(count) % 7 + rank
        dist.all_reduce(x)
        sums.append(bool((x == ow.arange(count) % 7 * size + sum(range(size))).all()))
    x = ow.full((300_001,), float(rank))
    dist.all_reduce(x, dist.ReduceOp.AVG)
    return [sums, set(x.tolist()) == {1.5}, dist.explain(2**24), seconds]


def test_two_ranks_on_each_of_two_hosts(tmp_path):
    prefix = lambda rank: ("ip", "netns", "exec", HOSTS[rank // 2])  # noqa: E731
    environment = {"OPWEAVE_ALL_REDUCE": "two_level"}
    options = {"backend": "gloo", "prefix": prefix, "host": HOSTS[0]}
    for sums, average, text, seconds in run(
        with_neighbours, 4, tmp_path, environment=environment, **options
    ):
        assert sums == [True] * 4
        assert average
        assert "4 ranks on 2 hosts: two_level (OPWEAVE_ALL_REDUCE=two_level)" in text
        assert "GB/s between hosts" in text
        assert seconds < 1


def trains(dist, rank, size, host):
    """Steps while the cable is out for a second."""
    model = ow.nn.parallel.DistributedDataParallel(ow.nn.Linear(300, 300))
    optimizer = ow.optim.SGD(model.parameters(), lr=0.01)
    x = ow.randn(4, 300, generator=ow.Generator().manual_seed(rank))
    out = threading.Timer(1, lambda: plug(host))
    for number in range(30):
        if rank == 0 and number == 10:
            pull(host)
            out.start()
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    return model.module.weight.double().sum().item()


def test_training_goes_on_when_the_cable_is_plugged_in_again(tmp_path):
    first, second = on_hosts(trains, tmp_path, timeout=20)
    assert first == second
