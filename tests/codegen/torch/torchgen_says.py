"""Runs in a Python that has PyTorch: what its generator says of files.

Reads lines of JSON, `{"native": ..., "derivatives": ...}`, and prints one for each: `{"site": ...}` is where
torchgen raises, `{}` that it generates its files. With `--sites` it prints where torchgen can raise at all.
"""

import ast
import contextlib
import functools
import io
import json
import os
import shutil
import sys
import tempfile
import traceback
from pathlib import Path

import torchgen
from torchgen import gen
from torchgen.api.autograd import match_differentiability_info
from torchgen.dest import native_functions
from torchgen.selective_build.selector import SelectiveBuilder

ROOT = Path(torchgen.__file__).parent
PACKAGED = ROOT / "packaged"
sys.path.insert(0, str(PACKAGED))
from autograd import gen_autograd, load_derivatives  # noqa: E402

TAGS = PACKAGED / "ATen/native/tags.yaml"
MODULES = [
    "model",
    "native_function_generation",
    "gen",
    "gen_functionalization_type",
    "utils",
    "yaml_utils",
    "api/cpp",
    "api/native",
    "api/structured",
    "api/ufunc",
    "api/python",
    "api/autograd",
    "api/dispatcher",
    "api/functionalization",
    "api/translate",
    "api/types/signatures",
    "dest/native_functions",
    "dest/register_dispatch_key",
    "dest/ufunc",
    "packaged/autograd/load_derivatives",
    "packaged/autograd/gen_variable_type",
    "packaged/autograd/gen_inplace_or_view_type",
    "packaged/autograd/gen_python_functions",
    "packaged/autograd/gen_autograd_functions",
    "packaged/autograd/gen_view_funcs",
]
# A list of kernels that PyTorch's own file has to have.
native_functions._CPU_DLL_CUDA_KERNELS = frozenset()


@functools.cache
def raises(path):
    """(first line, last line, `function#2`) of each place where a file raises."""
    found = []

    def walk(node, names, counter):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                walk(child, [*names, child.name], [0])
                continue
            if isinstance(child, ast.Raise | ast.Assert):
                counter[0] += 1
                name = f"{'.'.join(names)}#{counter[0]}"
                found.append((child.lineno, child.end_lineno, name))
            walk(child, names, counter)

    walk(ast.parse(Path(path).read_text()), [], [0])
    return found


def sites():
    for module in MODULES:
        for _, _, name in raises(str(ROOT / f"{module}.py")):
            yield f"{module}:{name}"


def site(error):
    """Where torchgen noticed: what raised, or the function in which Python did."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(str(ROOT))]
    if not own or Path(frames[-1].filename).parent.name == "yaml":
        return f"yaml:{type(error).__name__}"
    last = own[-1]
    module = os.path.relpath(last.filename, ROOT)[:-3]
    for begin, end, name in raises(last.filename):
        if begin <= last.lineno <= end:
            return f"{module}:{name}"
    return f"{module}:{last.name}:{type(error).__name__}"


def generate(native, derivatives, folder):
    gen._GLOBAL_PARSE_NATIVE_YAML_CACHE.clear()
    load_derivatives._GLOBAL_LOAD_DERIVATIVE_CACHE.clear()
    source = folder / "ATen"
    (source / "native").mkdir(parents=True)
    file = source / "native/native_functions.yaml"
    file.write_text(native)
    shutil.copy(TAGS, source / "native")
    (source / "templates").symlink_to(PACKAGED / "ATen/templates")
    own = folder / "autograd"
    own.mkdir()
    (own / "derivatives.yaml").write_text(derivatives or "[]")
    (own / "deprecated.yaml").write_text("[]")
    (own / "templates").symlink_to(PACKAGED / "autograd/templates")

    file, tags = str(file), str(source / "native/tags.yaml")
    functions = gen.parse_native_yaml(file, tags).native_functions
    gen.get_grouped_native_functions(functions)
    gen.get_grouped_by_view_native_functions(functions)
    infos, used = load_derivatives.load_derivatives(str(own / "derivatives.yaml"), file, tags)
    used.add("Default")  # which some entry of PyTorch's own file always has
    match_differentiability_info(functions, infos)
    for name in ("out", "gen", "aoti"):
        (folder / name).mkdir()
    selector = SelectiveBuilder.get_nop_selector()
    gen_autograd.gen_autograd(file, tags, str(folder / "out"), str(own), selector)
    gen_autograd.gen_autograd_python(file, tags, str(folder / "out"), str(own))
    sys.argv = ["gen.py", "-s", str(source), "-d", str(folder / "gen"), "--per-operator-headers"]
    sys.argv += ["--aoti-install-dir", str(folder / "aoti"), "--mps", "--xpu", "--mtia"]
    gen.main()


def answer(native, derivatives=None):
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        try:
            generate(native, derivatives, Path(folder))
        except Exception as error:  # whatever it is: the file is refused
            return {"site": site(error)}
    return {}


if __name__ == "__main__":
    if "--sites" in sys.argv:
        print(json.dumps(list(sites())))
    else:
        for line in sys.stdin:
            print(json.dumps(answer(**json.loads(line))), flush=True)
