"""PyTorch's own samples of its operators, called here and there; and that differences are found."""

import os
import pickle
import subprocess

import known
import opweave as ow
import pytest
from judge import differences
from plain import Reader, Writer
from replay import FACTS, replay, report
from support import python_with_torch


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """All calls and differences."""
    python = python_with_torch()
    folder = tmp_path_factory.mktemp("opinfos")
    made = subprocess.run(
        [python, "tests/opinfos/record.py", folder], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr[-4000:]
    return list(replay(folder))


def test_nothing_is_different_that_is_not_known(found):
    new = known.unknown([each for each in found if each["kind"] not in FACTS])
    if new:
        lines = [f"{d['name']} {d['form']} {d['dtype']}: {d['kind']}: {d['words']}" for d in new]
        # Whole, where pytest would shorten it.
        pytest.fail("\n".join(lines[:200]), pytrace=False)


def test_what_is_known_is_there(found):
    assert known.unused(found) == []


def test_most_calls_are_made(found):
    counts = {kind: sum(each["kind"] == kind for each in found) for kind in FACTS}
    assert counts["call"] - counts["lacking"] - counts["not made"] > 50_000


# --- without PyTorch ----------------------------------------------------------------------------------------
def call(path, *arguments, **named):
    return {
        "path": path,
        "args": list(arguments),
        "kwargs": named,
        "storages": [],
        "gradients": False,
    }


def written(folder, *calls, want=("value", None, [], None)):
    record = {"name": "some", "calls": [("function", "", each, want) for each in calls]}
    (folder / "0000.pickle").write_bytes(pickle.dumps(record))
    return folder


def seen(folder, **options):
    return [(each["kind"], each["words"]) for each in replay(folder, **options)]


def test_calls_that_end_the_process_are_found_and_those_after_them_made(tmp_path):
    calls = call("hub.os._exit", 3), call("no.such"), call("is_grad_enabled")
    assert seen(written(tmp_path, *calls)) == [
        ("call", ""),
        ("crash", "ends the process with status 3"),
        ("call", ""),
        ("lacking", "no.such"),
        ("call", ""),
        ("result", "a bool, not a NoneType"),
    ]


def test_a_report_says_what_is_new_known_and_lacking(tmp_path):
    found = list(replay(written(tmp_path, call("no.such"), call("is_grad_enabled"))))
    assert list(report(found)) == [
        "some (is_grad_enabled function): result: a bool, not a NoneType",
        "2 calls, 1 new differences, 0 known ones:",
        "result 1",
        "1 functions are lacking: no.such",
    ]


def test_calls_that_hang_are_found(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)  # that nobody writes to
    kinds = seen(written(tmp_path, call("hub.os.open", str(pipe), os.O_RDONLY)), seconds=4)
    assert kinds == [("call", ""), ("crash", "takes more than 4 seconds")]


def test_tensors_of_one_memory_stay_so():
    x = Reader(ow, [bytes(range(24))]).read(("tensor", "uint8", (2, 3), (1, 4), 2, 0, False))
    assert x.tolist() == [[2, 6, 10], [3, 7, 11]]
    assert (x.stride(), x.storage_offset()) == ((1, 4), 2)


def tensor(values, **changes):
    from calls import described

    return {**described(ow, ow.tensor(values), []), **changes}


@pytest.mark.parametrize(
    ("want", "got", "kind"),
    [
        (tensor([1.0, 2.0]), tensor([1.0, 2.001]), "values"),
        (tensor([1.0, 2.0]), tensor([1, 2]), "dtype"),
        (tensor([1.0, 2.0]), tensor([1.0]), "size"),
        (tensor([1.0, 2.0]), tensor([1.0, 2.0], stride=(2,)), "stride"),
        (tensor([1.0]), tensor([1.0], shares=0), "shares"),
        (tensor([1.0]), tensor([1.0], requires_grad=True), "requires_grad"),
        (tensor([float("nan")]), tensor([0.0]), "values"),
        (tensor([1.0]), None, "result"),
        (("tuple", None, [tensor([1.0])]), ("tuple", ("values",), [tensor([1.0])]), "fields"),
    ],
)
def test_results_are_compared(want, got, kind):
    found = list(differences(("value", want, [], None), ("value", got, [], None)))
    assert [each for each, _ in found] == [kind]
    assert not list(differences(("value", want, [], None), ("value", want, [], None)))


ERROR = ("error", ["IndexError", "LookupError", "Exception"], "out of range")
GOOD = ("value", tensor([1.0]), [], [tensor([1.0])])


@pytest.mark.parametrize(
    ("want", "got", "kind"),
    [
        (ERROR, GOOD, "accepted"),
        (GOOD, ERROR, "refused"),
        (ERROR, ("error", ["ValueError", "Exception"], ""), "exception"),
        (GOOD, (*GOOD[:2], [(0, tensor([1.0]))], GOOD[3]), "written"),
        (GOOD, (*GOOD[:3], [tensor([2.0])]), "gradient"),
        (GOOD, (*GOOD[:3], [None]), "gradient"),
        (GOOD, (*GOOD[:3], None), "gradient"),
        (GOOD, (*GOOD[:3], []), "gradient"),
    ],
)
def test_answers_are_compared(want, got, kind):
    assert [each for each, _ in differences(want, got)] == [kind]


def test_what_cannot_be_written_down_is_not():
    from plain import NoPlainFormError

    with pytest.raises(NoPlainFormError, match="function"):
        Writer(ow).write([test_what_cannot_be_written_down_is_not])
