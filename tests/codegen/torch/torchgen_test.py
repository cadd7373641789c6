"""What `opweave check --dialect=torch` refuses is what PyTorch's generator refuses, and where it does.

`OPWEAVE_UPDATE=1` in the environment records where torchgen refuses each case.
"""

import json
import os
import random
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import mutations
import pytest
import refusals
from support import GENERATOR, python_with_torch

SCRIPT = "tests/codegen/torch/torchgen_says.py"
TAKEN = "taken"


def ask(texts):
    """What torchgen says of pairs of files."""
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    done = subprocess.run(
        [python_with_torch(), SCRIPT], input=lines, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("path", refusals.files(), ids=lambda path: path.stem)
def test_torchgen_refuses_the_same_and_takes_what_is_mended(path):
    cases = refusals.read(path)
    found = ask([case.wrong for case in cases] + [case.mended for case in cases])
    wrong, mended = found[: len(cases)], found[len(cases) :]
    sites = {case.name: each.get("site", TAKEN) for case, each in zip(cases, wrong, strict=True)}
    if os.environ.get("OPWEAVE_UPDATE"):
        refusals.write(path, sites)
    else:
        assert sites == {case.name: case.recorded for case in cases}
    # What is taken there without doing anything is refused here alone.
    taken = [name for name, site in sites.items() if site == TAKEN]
    assert taken == (list(sites) if path.stem == TAKEN else [])
    refused = [(case.name, each["site"]) for case, each in zip(cases, mended, strict=True) if each]
    assert refused == []


def unreachable():
    """Patterns of places that no case reaches, with the reason."""
    text = (refusals.FOLDER / "unreachable.list").read_text()
    rows = [line.split("  ", 1) for line in text.splitlines() if line and line[0] != "#"]
    return {pattern: reason.strip() for pattern, reason in rows}


def test_every_place_where_torchgen_raises_has_a_case_or_a_reason():
    done = subprocess.run(
        [python_with_torch(), SCRIPT, "--sites"], capture_output=True, text=True, check=True
    )
    reached = {case.recorded for path in refusals.files() for case in refusals.read(path)}
    left = [site for site in json.loads(done.stdout) if site not in reached]
    patterns = unreachable()
    assert [site for site in left if not any(fnmatchcase(site, each) for each in patterns)] == []
    assert [each for each in patterns if not any(fnmatchcase(site, each) for site in left)] == []


def native_functions():
    where = "import torchgen; print(torchgen.__path__[0])"
    found = subprocess.run(
        [python_with_torch(), "-c", where], capture_output=True, text=True, check=True
    )
    return Path(found.stdout.strip()) / "packaged/ATen/native/native_functions.yaml"


def test_pytorchs_own_files_pass():
    native = native_functions()
    derivatives = native.parents[2] / "autograd/derivatives.yaml"
    done = subprocess.run(
        [GENERATOR, "check", "--dialect=torch", native, derivatives], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-4000:]


def checked(text, folder):
    """The first message about a file, or nothing."""
    file = folder / "native_functions.yaml"
    file.write_text(text)
    done = subprocess.run(
        [GENERATOR, "check", "--dialect=torch", "--format=json", file],
        capture_output=True,
        text=True,
    )
    found = json.loads(done.stdout)["diagnostics"]
    return found[0]["message"] if found else ""


# What is refused here alone, as refused/taken.txt says, and there alone, for want of derivatives.yaml.
HERE = ("which is not generated", "in several namespaces", "expected a name after the type")
THERE = (
    "packaged/autograd/gen_variable_type:emit_body#2",
    "packaged/autograd/gen_inplace_or_view_type:emit_view_func#1",
)


def test_mistakes_in_pytorchs_own_file_are_refused_by_both_or_none(tmp_path):
    count = int(os.environ.get("OPWEAVE_MUTATIONS", "40"))
    draw = random.Random(os.environ.get("OPWEAVE_SEED", "38"))
    texts = list(mutations.mistakes(native_functions().read_text(), draw, count))
    different = []
    for text, answer in zip(texts, ask({"native": text} for text in texts), strict=True):
        here, there = checked(text, tmp_path), answer.get("site", "")
        meant = any(each in here for each in HERE) if here else there in THERE
        if bool(here) != bool(there) and not meant:
            different.append(f"here: {here or 'taken'}\nthere: {there or 'taken'}\n{text}")
    if different:
        pytest.fail(f"{len(different)} of {count}:\n" + "\n".join(different[:10]), pytrace=False)


# --- without PyTorch ----------------------------------------------------------------------------------------
def test_every_case_is_recorded():
    for path in refusals.files():
        assert [case.name for case in refusals.read(path) if not case.recorded] == []


def test_each_place_that_is_left_out_has_a_reason():
    assert all(len(reason) > 10 for reason in unreachable().values())


def test_mistakes_are_those_of_the_seed():
    text = "- func: f(Tensor self) -> Tensor\n  variants: method\n- func: f_(Tensor(a!) self) -> Tensor(a!)\n"
    drawn = [list(mutations.mistakes(text, random.Random("1"), 20)) for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert all(each != text for each in drawn[0])
