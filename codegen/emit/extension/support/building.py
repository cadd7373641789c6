"""What every build of an extension does: finds its files and a compiler, and tells errors of the entries."""

import contextlib
import hashlib
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from compiler_messages import explain

ROOT = Path(__file__).parent


def files(pattern):
    """Those under csrc, relative to here."""
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "csrc").rglob(pattern))


def check_compiler(package):
    """That there is one: the program ends, and says what to do, where there is none."""
    given = os.environ.get("CXX", "")
    try:
        compiler = (shlex.split(given) or ["c++"])[0]
    except ValueError as error:
        sys.exit(f"CXX={given}: cannot be read as words of a shell: {error}")
    if shutil.which(compiler) is None:
        sys.exit(
            f"{package}: there is no C++ compiler '{compiler}' on the PATH: on Debian 'apt install g++' "
            "installs one; CXX names another"
        )


@contextlib.contextmanager
def _output_in(file, descriptors):
    """What this process and those that it starts write there goes into a file."""
    sys.stdout.flush()
    before = [os.dup(descriptor) for descriptor in descriptors]
    for descriptor in descriptors:
        os.dup2(file.fileno(), descriptor)
    try:
        yield
    finally:
        sys.stdout.flush()
        for descriptor, old in zip(descriptors, before, strict=True):
            os.dup2(old, descriptor)
            os.close(old)


def _handwritten():
    """The kernels, by the names that the compiler knows: those of the files that they were copied from."""
    for path in filter(Path.is_file, (ROOT / "csrc").glob("handwritten*/**/*.c*")):
        first = path.read_text(encoding="utf-8", errors="replace").partition("\n")[0]
        if found := re.match(r'#line 1 "(.+)"', first):
            yield Path(re.sub(r"\\(.)", r"\1", found[1]))


def _explained(output):
    """What the compiler said, told of the entries in the YAML file that it is about."""
    operators = json.loads((ROOT / "operators.json").read_text(encoding="utf-8"))
    return explain(output, ROOT / "csrc", list(_handwritten()), operators)


def build_and_explain(build, failures, descriptors=(1,)):
    """Runs a build, and prints what it writes to the descriptors; the program ends if it fails.

    Args:
        build: does it; raises one of `failures` where it cannot.
    """
    os.environ["LC_ALL"] = "C.UTF-8"  # messages are read
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as file:
        try:
            with _output_in(file, descriptors):
                build()
        except failures as error:
            file.seek(0)
            output = file.read()
            if "error:" not in output:
                print(output)
                raise
            sys.exit(f"{_explained(output)}\n{error}")
        file.seek(0)
        print(file.read())


def write_record(command, built_for):
    """What the import compares, beside each library, in the sources and where pip packs them."""
    for built in command.extensions:
        package = built.name.partition(".")[0]
        library = Path(command.get_ext_fullpath(built.name))
        digest = hashlib.sha256(library.read_bytes()).hexdigest()
        for folder in {ROOT / package, library.parent}:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "_built.txt").write_text(f"{built_for} {digest}\n")
