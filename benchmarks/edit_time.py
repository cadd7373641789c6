#!/usr/bin/env python3
"""How long an edit of the YAML files takes until Python can use it, and how many files it compiles.

    ./dev edit-time          an expression is edited, an operator added
    ./dev edit-time --all    every kind of edit
    ./dev edit-time --tree   counts the files of the whole tree as well: tests, examples, CUDA

Works in a copy of the checkout with an output folder of its own and the same disk cache. What an edit
builds is neither put into the cache nor taken from it. Processor time is that of Bazel and of what it
runs: half of it is the least that two idle cores take.
"""

import argparse
import contextlib
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "//benchmarks:package"
SEARCH_PATH = "bazel-bin/benchmarks/package.runfiles/opweave/bindings/python"
EVERYTHING = ["//benchmarks:package", "//tests/...", "//examples/...", "//kernels/..."]


@dataclass
class Edit:
    """A change of a file, what Python computes once it is built, and the limits."""

    name: str
    change: Callable[[str, float], str]
    expression: str
    expected: Callable[[float], float]
    max_files: int = 6
    max_seconds: float = 20
    file: str = "ops.yaml"
    # What the file is before the edit, if that is not what is checked in.
    prepare: Callable[[str, float], str] | None = None
    always: bool = False  # measured without --all, too


def replace_field(text: str, entry: str, key: str, value: str) -> str:
    """The file with another value for a key of the entry that begins like this."""
    start = text.index(f"- {entry}")
    at = text.index(f"  {key}:", start)
    return text[:at] + f"  {key}: {value}" + text[text.index("\n", at) :]


def edit_expr(text: str, number: float) -> str:
    return replace_field(text, "func: silu(", "expr", f"self * sigmoid(self) * {number}")


def edit_doc(text: str, number: float) -> str:
    return replace_field(text, "func: silu(", "doc", f"A sigmoid of {number}.")


def edit_composite(text: str, number: float) -> str:
    return replace_field(text, "func: arcsin(", "composite", f"asin(self) * {number}")


def edit_derivative(text: str, number: float) -> str:
    return replace_field(text, "name: flip\n", "self", f"grad.flip(dims) * {number}")


def edit_declaration(text: str, number: float) -> str:
    del number
    return text.replace("glu(Tensor self, int dim=-1)", "glu(Tensor self, int dim=0)")


def unchanged(text: str, number: float) -> str:
    del number
    return text


def add_operator(text: str, number: float) -> str:
    return f"""{text}- func: edit_time_probe(Tensor self) -> Tensor
  variants: function, method
  expr: self * {number} + 1
  dtypes: floating
  doc: What ./dev edit-time adds.
"""


EDITS = [
    Edit(
        "edit an expr",
        edit_expr,
        "opweave.nn.functional.silu(zero + 1).item()",
        lambda x: x * 0.7310586,
        max_seconds=15,
        always=True,
    ),
    Edit(
        "edit a doc",
        edit_doc,
        "float(opweave._C._nn.silu.__doc__.split()[-1][:-1])",
        lambda x: x,
    ),
    Edit(
        "edit a composite",
        edit_composite,
        "opweave.arcsin(zero + 1).item()",
        lambda x: x * math.pi / 2,
    ),
    Edit(
        "edit a derivative",
        edit_derivative,
        "opweave.autograd.functional.vjp(lambda x: x.flip(0), zero, zero + 1)[1].item()",
        lambda x: x,
        file="derivatives.yaml",
    ),
    Edit(
        "edit the declaration of a kernel",
        edit_declaration,
        "opweave._C._nn.glu(opweave.ones(2, 1)).item()",
        lambda _: 0.7310586,
        max_files=8,
    ),
    Edit(
        "add an operator",
        add_operator,
        "opweave.edit_time_probe(zero + 1).item()",
        lambda x: x + 1,
        max_files=8,
        always=True,
    ),
    Edit(
        "remove an operator",
        unchanged,
        "float(hasattr(opweave, 'edit_time_probe'))",
        lambda _: 0,
        max_files=8,
        prepare=add_operator,
    ),
]


class Copy:
    """A copy of the checkout, and Bazel in it."""

    def __init__(self, folder: Path, everything: bool) -> None:
        self.tree = folder / "tree"
        self.output = folder / "output"
        self.cuda = (
            ["--config=cuda"] if everything and Path("/usr/local/cuda/bin/nvcc").exists() else []
        )

    def build(self, *targets: str, cache: bool = True) -> list[dict[str, str]]:
        """Builds, and says which actions ran."""
        events = self.output.with_suffix(".json")
        self._bazel(
            "build",
            *self.cuda,
            "--build_event_publish_all_actions",
            "--remote_upload_local_results=false",
            f"--remote_accept_cached={str(cache).lower()}",
            f"--build_event_json_file={events}",
            *targets,
        )
        with events.open(encoding="utf-8") as lines:
            return list(actions(json.loads(line) for line in lines))

    def shutdown(self) -> None:
        self._bazel("shutdown")

    def python(self, code: str) -> str:
        path = {**os.environ, "PYTHONPATH": str(self.tree / SEARCH_PATH)}
        return run(["/usr/bin/python3", "-c", code], self.tree, path)

    def processor_seconds(self) -> float:
        """What Bazel and everything that it ran have used so far."""
        server = self._bazel("info", "server_pid").strip()
        fields = Path(f"/proc/{server}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def _bazel(self, command: str, *arguments: str) -> str:
        return run(["bazel", f"--output_base={self.output}", command, *arguments], self.tree)


def actions(events: Iterator[dict]) -> Iterator[dict[str, str]]:
    for event in events:
        if "action" in event and "actionCompleted" in event["id"]:
            done = event["id"]["actionCompleted"]
            yield {"kind": event["action"].get("type", ""), "output": done.get("primaryOutput", "")}


def run(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> str:
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        sys.exit(f"edit-time: {' '.join(command)} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


@contextlib.contextmanager
def copy_of_checkout(everything: bool) -> Iterator[Copy]:
    """A git worktree with the uncommitted changes of tracked files, removed at the end."""
    commit = run(["git", "stash", "create"], ROOT).strip() or "HEAD"
    with tempfile.TemporaryDirectory(
        prefix="opweave_edit_time_", ignore_cleanup_errors=True
    ) as folder:
        copy = Copy(Path(folder), everything)
        run(["git", "worktree", "add", "--detach", str(copy.tree), commit], ROOT)
        try:
            yield copy
        finally:
            copy.shutdown()
            run(["chmod", "-R", "u+w", folder], ROOT)  # Bazel's outputs are read-only
            run(["git", "worktree", "remove", "--force", str(copy.tree)], ROOT)


def compiled(done: list[dict[str, str]]) -> list[str]:
    return [action["output"] for action in done if action["kind"] in ("CppCompile", "CudaCompile")]


def short(output: str) -> str:
    """generated/autograd_07.cc of an object file's path."""
    path = Path(output)
    return f"{path.parts[path.parts.index('bin') + 1] if 'bin' in path.parts else path.parts[0]}/{path.stem}"


def print_row(edit: Edit, files: int, seconds: float, processor: float) -> None:
    time_of = f"{seconds:.1f} s | {edit.max_seconds:g} s | {processor:.1f} s"
    load = os.getloadavg()[0]
    print(f"| {edit.name} | {files} | {edit.max_files} | {time_of} | {load:.1f} |", flush=True)


def measure(copy: Copy, edit: Edit, everything: bool) -> bool:
    """Makes the edit, builds, calls it from Python, and takes it back. Whether it is within its limits."""
    file = copy.tree / edit.file
    before = file.read_text()
    number = 1 + random.randrange(1, 10**6) / 10**6
    if edit.prepare is not None:
        file.write_text(edit.prepare(before, number))
        copy.build(*(EVERYTHING if everything else [PACKAGE]))
    used = copy.processor_seconds()
    start = time.monotonic()
    file.write_text(edit.change(before, number))
    done = copy.build(PACKAGE, cache=False)
    answer = float(
        copy.python(f"import opweave; zero = opweave.zeros(1); print({edit.expression})")
    )
    seconds = time.monotonic() - start
    used = copy.processor_seconds() - used
    files = compiled(done)
    if abs(answer - edit.expected(number)) > 1e-5:
        sys.exit(f"edit-time: {edit.name}: Python answers {answer}, not {edit.expected(number)}")
    if everything:
        files += compiled(copy.build(*EVERYTHING, cache=False))
    file.write_text(before)
    within = len(files) <= edit.max_files and seconds <= edit.max_seconds
    print_row(edit, len(files), seconds, used)
    print("  compiled:", *sorted(short(file) for file in files), file=sys.stderr, flush=True)
    copy.build(*(EVERYTHING if everything else [PACKAGE]))
    return within


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="every kind of edit")
    parser.add_argument(
        "--tree", action="store_true", help="count the files of the whole tree as well"
    )
    parser.add_argument("--runs", type=int, default=1, help="of each edit")
    options = parser.parse_args()
    with copy_of_checkout(options.tree) as copy:
        copy.build(*(EVERYTHING if options.tree else [PACKAGE]))
        print("| edit | files compiled | limit | edit to use | limit | processor time | load |")
        print("|---|---|---|---|---|---|---|")
        edits = [edit for edit in EDITS if options.all or edit.always] * options.runs
        results = [measure(copy, edit, options.tree) for edit in edits]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
