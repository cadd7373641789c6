"""What training would take on many ranks, and where these would call different things."""

import json
import os
import random
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from dataclasses import replace

import opweave as ow
import pytest
from opweave import nn
from opweave.distributed.plan import (
    Level,
    Links,
    LinksError,
    Profile,
    all_reduce_seconds,
    check,
    costs,
    messages,
    plan,
    profile,
    read_links,
    step_seconds,
    write_links,
)
from opweave.distributed.plan.check import ranges

MIB = 2**20
FLAT = Links([Level("host", 2**20, 1e-5, 1e9)])


def test_all_reduce_on_one_level():
    assert all_reduce_seconds(MIB, 1, FLAT) == 0
    # Two ranks: each gives half, twice.
    assert all_reduce_seconds(MIB, 2, FLAT) == pytest.approx(2e-5 + MIB / 1e9)
    ring = 2 * 7 * (1e-5 + 100 * MIB / 8 / 1e9)
    assert all_reduce_seconds(100 * MIB, 8, FLAT) == pytest.approx(ring)
    trees = 2 * 10 * (1e-5 + 4 / 1e9)  # of few bytes: a step for each level
    assert all_reduce_seconds(4, 1024, FLAT) == pytest.approx(trees)


def test_levels_carry_what_is_left():
    levels = Links([Level("host", 4, 1e-6, 100e9), Level("hosts", 64, 1e-5, 1e9)])
    inner = 2 * 3 * (1e-6 + 100 * MIB / 4 / 100e9)
    outer = 2 * (1e-5 + 25 * MIB / 2 / 1e9)
    assert all_reduce_seconds(100 * MIB, 8, levels) == pytest.approx(inner + outer)
    assert levels.groups(6) == [(4, 1e-6, 100e9), (2, 1e-5, 1e9)]
    assert levels.worst(4) == (1e-6, 100e9)


def test_matrices_are_taken_for_rings():
    slow = [[0, 1e-5, 1e-3], [1e-5, 0, 1e-5], [1e-3, 1e-5, 0]]
    fast = [[0, 1e9, 1e8], [1e9, 0, 1e9], [1e8, 1e9, 0]]
    links = Links((), slow, fast)
    assert links.most == 3
    assert links.worst(2) == (1e-5, 1e9)
    assert links.worst(3) == (1e-3, 1e8)
    with_ring = 2 * 2 * (1e-3 + 3 * MIB / 3 / 1e8)
    assert all_reduce_seconds(3 * MIB, 3, links) == pytest.approx(with_ring)


def test_communication_is_hidden_by_the_backward_pass():
    gradients = tuple((MIB, i * 0.01) for i in range(1, 11))
    made = Profile(forward=0.05, backward=0.1, update=0.01, gradients=gradients)
    quick = Links([Level("host", 2**20, 1e-9, 1e15)])
    assert step_seconds(made, 64, quick) == pytest.approx(made.seconds)
    # One bucket is full when all is computed: nothing is hidden.
    late = step_seconds(made, 2, FLAT, bucket_mb=100)
    assert late == pytest.approx(made.seconds + all_reduce_seconds(10 * MIB, 2, FLAT))
    soon = step_seconds(made, 2, FLAT, bucket_mb=1)
    assert soon == pytest.approx(made.seconds + all_reduce_seconds(MIB, 2, FLAT))
    [outlook] = plan(made, FLAT, [2])
    assert outlook.bucket_mb <= 1
    assert outlook.best_seconds == pytest.approx(soon)
    assert outlook.efficiency == pytest.approx(made.seconds / outlook.seconds)
    assert outlook.speedup == pytest.approx(2 * outlook.efficiency)
    assert [o.ranks for o in plan(made, FLAT)] == [2**i for i in range(1, 15)]


def test_what_is_copied_back_hides_nothing():
    gradients = ((MIB, 0.05), (MIB, 0.08))
    made = Profile(0.05, 0.1, 0.01, gradients, after=0.02)
    reduced = all_reduce_seconds(2 * MIB, 2, FLAT)
    assert step_seconds(made, 2, FLAT, bucket_mb=100) == pytest.approx(0.16 + reduced)
    quick = step_seconds(made.faster(10), 2, FLAT, bucket_mb=100)
    assert quick == pytest.approx(0.016 + reduced)
    waits = replace(made, waiting=0.03)
    assert step_seconds(waits, 2, FLAT, bucket_mb=100) == pytest.approx(0.19 + reduced)


def test_a_step_is_measured():
    ow.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 8))
    made = profile(model, lambda m: m(ow.ones(32, 64)).square().mean(), steps=3)
    assert made.nbytes == sum(4 * p.numel() for p in model.parameters())
    times = [at for _, at, _ in made.gradients]
    assert times == sorted(times)
    assert 0 < times[0] <= times[-1] <= made.backward * 1.5
    assert made.after == pytest.approx(made.backward - times[-1], rel=0.5, abs=1e-4)
    assert made.waiting < 1e-4  # there are no others
    with pytest.raises(ValueError, match="no parameter a gradient"):
        profile(model, lambda m: ow.ones(1, requires_grad=True).sum())


def test_waiting_for_the_others_is_measured():
    model = nn.Linear(8, 8)
    waits = [0.5, *[0.02] * 10]  # the last one is of the slowest steps, which do not count
    made = profile(
        model,
        lambda m: m(ow.ones(2, 8)).sum(),
        steps=8,
        meet=lambda: time.sleep(waits.pop()),
    )
    assert made.waiting == pytest.approx(0.02, rel=0.5)
    assert made.backward < 0.02


BAD_LINKS = {
    "{": r"links.json:1:2: Expecting property name",
    "[]": r"the file: expected an object, got \[\]",
    "{}": "expected the key 'levels', or 'latency' and 'bandwidth', got none",
    '{"levels": []}': r"levels: expected a list of levels, got \[\]",
    '{"levels": [{"name": "a"}]}': r"levels\[0\]: expected an object with name, count, latency and",
    '{"levels": [{"name": "a", "count": 0, "latency": 1, "bandwidth": 1}]}': (
        r"levels\[0\].count: expected a whole number of at least 1, got 0"
    ),
    '{"levels": [{"name": "a", "count": 2, "latency": -1, "bandwidth": 1}]}': (
        r"levels\[0\].latency: expected a number above 0, got -1"
    ),
    '{"latency": [[0]], "bandwidth": [[0]]}': "latency: expected a list of at least 2 rows",
    '{"latency": [[0, 1], [1, 0]], "bandwidth": [[0, 1]]}': "bandwidth: expected a list of 2 rows",
    '{"latency": [[0, "x"], [1, 0]], "bandwidth": 1}': r"latency\[0\]\[1\]: expected a number above",
}


def level(more="", beside=""):
    row = '{"name": "a", "count": 2, "latency": 1, "bandwidth": 1' + more + "}"
    return '{"levels": [' + row + "]" + beside + "}"


BAD_LINKS |= {
    level(', "at_once": 0'): r"levels\[0\].at_once: expected a whole number",
    level(', "measured": {"2": []}'): r"measured\[2\]: expected a list of \[bytes, seconds\]",
    level(', "measured": {"2": [[4, 1], [4, 1]]}'): (
        r"measured\[2\]\[1\]\[0\]: expected more bytes than in the one before, got 4"
    ),
    level(', "measured": {"x": []}'): "expected an object with numbers of ranks",
    level("", ', "processors": 0.5'): "processors: expected a whole number of at least 1",
    level("", ', "busy": -1'): "busy: expected a number above 0, got -1",
    level("", ', "lazy": 1'): "expected the key 'levels'",
}


@pytest.mark.parametrize("text", BAD_LINKS)
def test_links_that_cannot_be_used(text, tmp_path):
    file = tmp_path / "links.json"
    file.write_text(text)
    with pytest.raises(LinksError, match=BAD_LINKS[text]):
        read_links(file)


def test_links_in_yaml(tmp_path):
    file = tmp_path / "links.yaml"
    file.write_text(
        "levels:\n- {name: host, count: 4, latency: 2.0e-6, bandwidth: 1.0e+9}\nprocessors: 2\n"
    )
    links = read_links(file)
    assert links.levels == (Level("host", 4, 2e-6, 1e9),)
    assert links.processors == 2
    file.write_text("levels:\n- {name: host,\n  count: ]\n")
    with pytest.raises(LinksError, match=r"links.yaml:3:10: .*expected|links.yaml:3:10: "):
        read_links(file)


def test_links_are_written_as_they_are_read(tmp_path):
    points = ((4.0, 1e-5), (float(MIB), 1e-3))
    levels = [Level("host", 4, 2e-6, 1e9, None, ((2, points),)), Level("hosts", 8, 1e-5, 1e8, 1)]
    file = tmp_path / "links.json"
    write_links(Links(levels, processors=2, busy=0.5), file)
    links = read_links(file)
    assert (links.levels, links.processors, links.busy) == (tuple(levels), 2, 0.5)


def test_what_was_measured_stands_for_the_model():
    points = ((1024.0, 1e-5), (16384.0, 4e-5), (float(MIB), 1e-3))
    links = Links([Level("host", 8, 1e-6, 1e9, None, ((2, points),)), Level("hosts", 4, 1e-5, 1e8)])
    assert [all_reduce_seconds(n, 2, links) for n in (4, 1024, 16384)] == pytest.approx(
        [1e-5, 1e-5, 4e-5]
    )
    assert all_reduce_seconds(4096, 2, links) == pytest.approx(
        2e-5
    )  # half of the way, in logarithms
    assert all_reduce_seconds(4 * MIB, 2, links) == pytest.approx(4e-3)
    # Of four ranks nothing was measured.
    assert all_reduce_seconds(4 * MIB, 4, links) == pytest.approx(6 * (1e-6 + MIB / 1e9))


def test_ranks_of_a_host_share_what_leaves_it():
    shared = Links([Level("host", 4, 1e-9, 1e15), Level("hosts", 2, 1e-5, 1e9, at_once=1)])
    each = Links([Level("host", 4, 1e-9, 1e15), Level("hosts", 2, 1e-5, 1e9)])
    # Of each host the four ranks send a quarter: over one card all of it.
    assert all_reduce_seconds(8 * MIB, 8, shared) == pytest.approx(2e-5 + 8 * MIB / 1e9, rel=1e-3)
    assert all_reduce_seconds(8 * MIB, 8, each) == pytest.approx(2e-5 + 2 * MIB / 1e9, rel=1e-3)
    one = each.with_ranks_per_host(1)
    assert one.groups(2) == [(2, 1e-5, 1e9)]


def random_links(rng, count):
    latency = [[rng.uniform(1e-6, 1e-4) for _ in range(count)] for _ in range(count)]
    bandwidth = [[rng.uniform(1e8, 1e10) for _ in range(count)] for _ in range(count)]
    return Links((), latency, bandwidth)


@pytest.mark.parametrize("ranks", [2, 3, 4, 7, 16])
@pytest.mark.parametrize("nbytes", [4, 64 * 1024, 16 * MIB])
def test_the_formulas_agree_with_messages(ranks, nbytes):
    members = list(range(ranks))
    ring = messages.simulate(messages.ring(nbytes, members), FLAT)
    assert ring == pytest.approx(costs.ring(nbytes, ranks, FLAT))
    tree, formula = (
        messages.simulate(messages.tree(nbytes, members), FLAT),
        costs.tree(nbytes, ranks, FLAT),
    )
    if ranks & (ranks - 1):  # some way down is shorter than that up
        assert 0.7 * formula < tree < formula
    else:
        assert tree == pytest.approx(formula)
    # Where links differ, the slowest hop is the ring's bound.
    links = random_links(random.Random(ranks), ranks)
    assert messages.simulate(messages.ring(nbytes, members), links) <= costs.ring(
        nbytes, ranks, links
    )


@pytest.mark.parametrize("at_once", [1, 2, None])
@pytest.mark.parametrize("nbytes", [4096, 16 * MIB])
@pytest.mark.parametrize(("hosts", "inner"), [(2, 2), (2, 4), (4, 4), (3, 2)])
def test_levels_agree_with_messages(hosts, inner, nbytes, at_once):
    links = Links(
        [Level("host", inner, 2e-6, 50e9), Level("hosts", hosts, 2e-5, 1e9, at_once=at_once)]
    )
    ranks = [list(range(h * inner, (h + 1) * inner)) for h in range(hosts)]
    seen = messages.simulate(messages.two_levels(nbytes, ranks), links)
    (k, a, b), (h, c, d) = links.groups(hosts * inner)
    rings = 2 * (k - 1) * (a + nbytes / k / b) + 2 * (h - 1) * (c + nbytes / k / h / d)
    assert seen == pytest.approx(rings, rel=0.1)


def test_a_host_has_only_so_many_processors():
    gradients = ((8 * MIB, 0.05), (8 * MIB, 0.1))
    made = Profile(forward=0.05, backward=0.1, update=0.01, gradients=gradients)
    one = all_reduce_seconds(8 * MIB, 2, FLAT)
    free = step_seconds(made, 2, FLAT, 8)
    assert free == pytest.approx(0.16 + one)
    levels = FLAT.levels
    # The first reduction and the backward pass have half a processor each, the second has all it needs.
    tight = Links(levels, processors=2, busy=1.0)
    assert step_seconds(made, 2, tight, 8) == pytest.approx(0.16 + 2 * one)
    # Four ranks, two processors: what a process alone computes takes twice as long; what was measured in four
    # at once does not. Reductions that compete with nothing are as the links say.
    crowded, reduced = Links(levels, processors=2, busy=1.0), all_reduce_seconds(8 * MIB, 4, FLAT)
    assert step_seconds(made, 4, crowded, 8) == pytest.approx(2 * 0.16 + 2 * reduced)
    at_once = replace(made, processes=4)
    assert step_seconds(at_once, 4, crowded, 8) == pytest.approx(0.16 + 2 * reduced)
    assert step_seconds(made, 4, Links(levels, processors=64, busy=1.0), 8) == pytest.approx(
        0.16 + reduced
    )
    quick = made.faster(10)
    assert quick.seconds == pytest.approx(made.seconds / 10)
    assert step_seconds(quick, 2, FLAT, 8) == pytest.approx(0.016 + one + max(one - 0.005, 0))
    [outlook] = plan(made, tight, [2])
    assert outlook.communication == pytest.approx(all_reduce_seconds(16 * MIB, 2, FLAT), rel=0.01)
    assert outlook.exposed == pytest.approx(outlook.seconds - made.seconds)


def test_ranks_are_named_shortly():
    assert ranges([4]) == "rank 4"
    assert ranges([3, 0, 1, 2]) == "ranks 0-3"
    assert ranges(range(1, 1024, 2)) == "ranks 1-1023 by 2"
    assert ranges([0, 1, 7, 9]) == "ranks 0-1, 7, 9"
    assert ranges([i * i for i in range(20)]).endswith(", 49, 64 and 11 more")


PROGRAM = """
import opweave as ow, opweave.distributed as dist
dist.init_process_group("gloo")
rank, x = dist.get_rank(), ow.ones(4)
print("not to be seen")
dist.all_reduce(x)
{}
dist.destroy_process_group()
"""


def program(tmp_path, lines):
    file = tmp_path / "train.py"
    file.write_text(PROGRAM.format(lines))
    return file


def test_ranks_that_agree(tmp_path):
    lines = "g = dist.new_group([0, 2])\nif rank in (0, 2): dist.broadcast(x, 0, group=g)"
    assert check(program(tmp_path, lines), 5) == []


MISMATCHES = {
    "sizes": (
        "dist.all_reduce(ow.ones(5 if rank % 4 == 3 else 4))",
        "group 'world', collective 1: ranks 0-2, 4-6, 8-9: all_reduce(sum) of float32[4]",
        "ranks 3, 7: all_reduce(sum) of float32[5]",
    ),
    "kinds": ("dist.barrier() if rank else dist.all_reduce(x)", "rank 0: all_reduce", "barrier"),
    "roots": ("dist.broadcast(x, rank // 5)", "ranks 0-4: broadcast with the root 0", "ranks 5-9"),
    "ops": (
        "dist.all_reduce(x, dist.ReduceOp.MAX if rank else dist.ReduceOp.MIN)",
        "(max)",
        "(min)",
    ),
    "absent": ("if rank != 7: dist.all_reduce(x)", "rank 7: nothing any more", "ranks 0-6, 8-9"),
    "groups": (
        "g = dist.new_group([1, 3])\nif rank in (1, 3): dist.all_reduce(ow.ones(rank), group=g)",
        "collective 0: rank 1: all_reduce(sum) of float32[1]",
        "rank 3: all_reduce(sum) of float32[3]",
    ),
    "asked": (
        "if rank != 2: g = dist.new_group([0, 2])\nif rank == 0: dist.all_reduce(x, group=g)",
        "ranks 0-1, 3-9: new_group() of ranks 0, 2 (",
        "rank 2: nothing any more",
    ),
    "members": (
        "dist.new_group([0, 1] if rank < 5 else [0, 2])",
        "ranks 0-4: new_group() of ranks 0-1 (",
        "ranks 5-9: new_group() of ranks 0, 2 (",
    ),
    "errors": (
        "assert rank != 6, 'no data'",
        "rank 6: AssertionError: no data (",
        "train.py:7 in <module>",
    ),
    "ends": (
        "import os\nif rank == 2: os._exit(3)",
        "rank 2: it ended with the status 3",
        "rank 2",
    ),
}


@pytest.mark.parametrize("what", MISMATCHES)
def test_ranks_that_do_not_agree(what, tmp_path):
    lines, *pieces = MISMATCHES[what]
    found = check(program(tmp_path, lines), 10)
    text = "\n".join(map(str, found))
    assert all(piece in text for piece in pieces), text
    assert len(found) == 1


def test_a_rank_that_does_not_end(tmp_path):
    [found] = check(program(tmp_path, "while rank == 1: pass"), 3, limit=1)
    assert str(found) == "rank 1: it had not ended after 1 seconds"


def run(*arguments):
    command = [sys.executable, "-m", "opweave.distributed.plan", *map(str, arguments)]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), OMP_NUM_THREADS="1")
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


MODEL = """
import opweave as ow
from opweave import nn
def model(): return nn.Linear(300, 300)
def loss(model): return model(ow.ones(16, 300)).square().mean()
def optimizer(parameters): return ow.optim.SGD(parameters, lr=0.1)
"""


def test_the_command(tmp_path):
    model, links, plot = (tmp_path / name for name in ("model.py", "links.json", "plan.svg"))
    model.write_text(MODEL)
    level = {"name": "host", "count": 64, "latency": 1e-5, "bandwidth": 1e9}
    links.write_text(json.dumps({"levels": [level]}))
    status, out, error = run(model, "--links", links, "--ranks", 2, "--ranks", 8, "--plot", plot)
    assert (status, error) == (0, "")
    assert out.startswith("one process: ")
    assert [line.split()[0] for line in out.splitlines()[2:]] == ["2", "8"]
    assert ET.parse(plot).getroot().tag.endswith("svg")
    status, out, _ = run(model, "--json", "--ranks", 4)
    assert json.loads(out)[0]["ranks"] == 4
    assert run(model, "--bucket-cap-mb", 0.1, "--ranks", 4)[0] == 0
    assert run(program(tmp_path, ""), "--check", "--ranks", 4)[:2] == (0, "4 ranks call the same\n")
    status, out, _ = run(
        program(tmp_path, "dist.all_reduce(ow.ones(rank))"), "--check", "--ranks", 4
    )
    assert status == 1
    assert "collective 1" in out


def test_commands_that_cannot_be_done(tmp_path):
    model = tmp_path / "model.py"
    model.write_text("def model(): pass")
    for arguments, text in [
        ([tmp_path / "none.py"], "there is no program"),
        ([model], "expected model() and loss(model); there is not a function loss"),
        ([model, "--ranks", 1], "--ranks: expected at least 2, got 1"),
        ([model, "--bucket-cap-mb", 0], "--bucket-cap-mb: expected more than 0, got 0.0"),
        ([model, "--check", "--ranks", 1], "expected at least 2 ranks, got 1"),
        ([model, "--links", tmp_path / "none.json"], "none.json"),
    ]:
        status, _, error = run(*arguments)
        assert status == 2
        assert error.startswith("plan: ")
        assert text in error
        assert "Traceback" not in error


OF_PROGRAMS = {
    "model(): expected a Module, got int": ("return 3", "return 1"),
    "loss(): expected a Tensor, got float": ("return nn.Linear(4, 2)", "return 1.0"),
    "the loss gives no parameter a gradient": (
        "return nn.Linear(4, 2)",
        "return ow.ones((), requires_grad=True) * 1",
    ),
}


def a_model(tmp_path, model, loss):
    program = tmp_path / "model.py"
    begin = "import opweave as ow\nfrom opweave import nn\n"
    program.write_text(f"{begin}def model():\n    {model}\ndef loss(model):\n    {loss}\n")
    return program


@pytest.mark.parametrize("text", OF_PROGRAMS)
def test_programs_of_which_no_plan_can_be_made(tmp_path, text):
    status, _, error = run(a_model(tmp_path, *OF_PROGRAMS[text]))
    assert status == 2
    assert error.startswith("plan: ")
    assert text in error
    assert "Traceback" not in error


@pytest.mark.parametrize("kind", ["ValueError", "FileNotFoundError"])
def test_what_a_program_raises_is_told_with_its_lines(tmp_path, kind):
    program = a_model(tmp_path, "return nn.Linear(4, 2)", f"raise {kind}('my own')")
    status, _, error = run(program)
    assert status == 1
    assert f'File "{program}", line 6, in loss' in error
    assert error.endswith(f"{kind}: my own\n")
