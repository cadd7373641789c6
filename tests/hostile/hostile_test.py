"""The search for calls that end the process: a short run of it, and that it finds what there is to find."""

import random

import breaking
import minimise
import pytest
import values
from campaign import Campaign, Limits, run_program, sanitized
from worker import bad_text

LEAST_ACCEPTED = 0.2


def test_a_short_run_finds_nothing():
    campaign = Campaign(seed=12)
    findings = campaign.run(count=1500 if sanitized() else 6000)
    assert not findings, "\n\n".join(f"{f.kind}: {f.text}\n{f.program}" for f in findings)
    assert campaign.made >= 1500
    # What is refused at once searches nothing: of broken calls some have to get through.
    assert campaign.accepted > campaign.judged * LEAST_ACCEPTED > 0


def test_a_process_that_dies_is_a_finding():
    assert run_program("import os; os.kill(os.getpid(), 9)", Limits())[0] == "SIGKILL"


def test_a_call_that_does_not_end_is_a_finding():
    assert run_program("while True: pass", Limits(seconds=0.5))[0] == "hangs"


def test_words_that_are_not_for_users_are_a_finding():
    kind, text = run_program("raise RuntimeError('internal error: x is false at y.cc:3')", Limits())
    assert kind == "text"
    assert "y.cc:3" in text
    assert run_program("raise ValueError('the size is 3')", Limits()) == (None, "")


def test_exceptions_are_answers():
    assert bad_text(ValueError("expected 2 elements, got 3")) is None
    assert bad_text(MemoryError("std::bad_alloc")) is not None
    assert bad_text(RuntimeError("numel: the product of sizes [3] overflows int64")) is not None
    assert bad_text(RuntimeError("eye(): numel: the product of sizes [3] overflows")) is None
    assert bad_text(SystemError("error return without exception set")) is not None


def test_the_number_of_a_call_decides_it():
    call = values.Call(
        "f", [values.Array((2, 3)), values.Text("1"), values.Items([values.Text("2")])], {}
    )
    texts = [breaking.break_call(random.Random(f"1:{i}"), call).program() for i in range(50)]
    assert texts == [
        breaking.break_call(random.Random(f"1:{i}"), call).program() for i in range(50)
    ]
    assert len(set(texts)) > 40


def test_a_finding_is_made_smaller():
    program = "a0 = 1\na1 = ow.ones((2, 3)).requires_grad_()\nr = f(a1, dim=a0, out=a0)\ntouch(r)"
    assert minimise.minimised(program, lambda p: "f(a1" in p and "out=" in p) == "r = f(a1, out=a0)"


def test_the_programs_own_names_are_enough():
    program = "assert ow.ones(2).sum().item() == 2 and F.relu(ow.ones(1)).numpy() == np.ones(1)"
    assert run_program(program, Limits()) == (None, "")
    assert run_program("group(), dist, Evil, fail, evil_list, touch", Limits()) == (None, "")


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("assert ow.ones(2).sum().item() == 3", "AssertionError: "),
        ("r = own.ones(2)", "NameError: name 'own' is not defined"),
        ("r = ow.ops.random_.from(1)", "SyntaxError: invalid syntax"),
    ],
)
def test_a_program_that_calls_nothing_is_a_finding(program, text):
    kind, said = run_program(program, Limits())
    assert kind == "text"
    assert said.startswith(text)


def test_a_comparison_that_was_called_is_an_answer():
    assert run_program("ow.testing.assert_close(1, 2)", Limits()) == (None, "")


def test_what_a_name_stood_for_is_not_left_out_alone():
    call = values.Call(
        "f", [values.Text("1")], {"out": values.Same("a1"), "like": values.Same("a0")}
    )
    breaking.drop_lost_names(call)
    assert call.program() == "a0 = 1\nr = f(a0, like=a0)"
