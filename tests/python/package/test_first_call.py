"""The first call of a thread gets the numbers that it was given.

What a thread keeps is made on its first access, in the middle of that call, with numbers in registers.
"""

import subprocess
import sys

import pytest

CALLS = {
    "normal": "opweave.normal(0.0, -1.0, (2,))",
    "uniform_": "opweave.empty(2).uniform_(2.0, 1.0)",
    "exponential_": "opweave.empty(2).exponential_(-1.0)",
}
ALONE = """import opweave
try:
    {call}
    print('accepted')
except RuntimeError:
    print('refused')
"""
IN_A_THREAD = """import threading
import opweave
said = []
def call():
    try:
        {call}
        said.append('accepted')
    except RuntimeError:
        said.append('refused')
for _ in range(4):
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
print(*sorted(set(said)))
"""


@pytest.mark.parametrize("program", [ALONE, IN_A_THREAD], ids=["process", "thread"])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_numbers_of_the_first_call_arrive(program: str, call: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program.format(call=call)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "refused", done.stdout


def test_the_first_call_computes_what_the_second_does() -> None:
    program = (
        "import opweave\nopweave.manual_seed(3)\na = opweave.normal(5.0, 2.0, (4,))\n"
        "opweave.manual_seed(3)\nprint(bool((a == opweave.normal(5.0, 2.0, (4,))).all()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "True"
