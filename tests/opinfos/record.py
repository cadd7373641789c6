"""Writes what PyTorch answers to the samples of its own operator tests; runs in a Python that has PyTorch.

`torch.testing._internal` has an OpInfo for nearly every operator, which makes sample calls and calls that
are errors. Each is written as plain data (plain.py) and made from that (calls.py), as elsewhere: what is
compared is the same call.
"""

import argparse
import pickle
import sys
from functools import partial
from pathlib import Path

import torch
from torch.overrides import TorchFunctionMode, resolve_name
from torch.testing._internal.common_methods_invocations import op_db

sys.path.insert(0, str(Path(__file__).parent))

from calls import answer, function_of
from plain import NoPlainFormError, Writer

# Those of which an OpInfo makes no samples here: what it makes of another is converted.
OTHERS = (torch.float16, torch.int32, torch.int16, torch.int8, torch.uint8)
DTYPES = (torch.float32, torch.float64, torch.int64, torch.bool, torch.bfloat16)
# Of each operator and dtype; those that are left out lie evenly between them.
_MOST_SAMPLES = 24


class Calls(TorchFunctionMode):
    """The outermost calls of public functions, as they were when they were made."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name = resolve_name(function)
        if name and name.startswith("torch."):
            writer = Writer(torch)
            named = {key: writer.write(each) for key, each in (kwargs or {}).items()}
            arguments = [writer.write(each) for each in args]
            self.calls.append((name.removeprefix("torch."), arguments, named, writer))
        return function(*args, **(kwargs or {}))


def plain_call(path, arguments, named, writer, gradients):
    """A call whose arguments `writer` has written."""
    return {
        "path": path,
        "args": arguments,
        "kwargs": named,
        "storages": writer.storages,
        "gradients": gradients,
    }


def written(path, args, kwargs, gradients=False):
    """A call as plain data."""
    writer = Writer(torch)
    arguments = [writer.write(each) for each in args]
    named = {name: writer.write(each) for name, each in kwargs.items()}
    return plain_call(path, arguments, named, writer, gradients)


def seen(function, args, kwargs, gradients=False):
    """The last call that a function makes: of wrappers that OpInfos have for what they test."""
    with Calls() as mode:
        try:
            function(*args, **kwargs)
        except NoPlainFormError:
            raise
        except Exception:
            pass
    if not mode.calls:
        raise NoPlainFormError("a function that calls none that is public")
    # Attributes are asked for beside the call, or are what is tested.
    calls = [call for call in mode.calls if not call[0].endswith("__get__")] or mode.calls
    path, arguments, named, writer = calls[-1]
    return plain_call(path, arguments, named, writer, gradients)


def path_of(function, name, prefix=""):
    """The path of a function that is found below its name, if it is."""
    try:
        found = function_of(torch, prefix + name)
    except Exception:
        return None
    return prefix + name if found is function else None


def call_of(function, path, sample, gradients=False):
    arguments = (sample.input, *sample.args)
    if path:
        return written(path, arguments, sample.kwargs, gradients)
    return seen(function, arguments, sample.kwargs, gradients)


def forms(op):
    """What an operator is called by: each form's word, function and path."""
    yield "function", op.op, path_of(op.op, op.name)
    if op.method_variant and op.method_variant is not op.op:
        yield "method", op.method_variant, path_of(op.method_variant, op.name, "Tensor.")
    for alias in op.aliases:
        yield "alias", alias.op, path_of(alias.op, alias.name)
    if op.inplace_variant:
        yield "in place", op.inplace_variant, path_of(op.inplace_variant, op.name + "_", "Tensor.")


def _outs(value):
    """Where results of a call can be written."""
    if isinstance(value, torch.Tensor):
        return torch.empty(0, dtype=value.dtype)
    return tuple(torch.empty(0, dtype=each.dtype) for each in value)


def _out_call(op, sample):
    value = op.op(sample.input, *sample.args, **sample.kwargs)
    named = {**sample.kwargs, "out": _outs(value)}
    path = path_of(op.op, op.name)
    return written(path, (sample.input, *sample.args), named) if path else None


def chosen(samples, most=_MOST_SAMPLES):
    every = list(samples)
    step = max(1.0, len(every) / most)
    return [every[int(i * step)] for i in range(min(len(every), most))]


def _is_differentiated(op, sample, form):
    """A sample of which OpInfo does not say that only a part of its results is determined."""
    plain = sample.output_process_fn_grad.__code__.co_filename.endswith("opinfo/core.py")
    return form == "function" and plain and op.supports_autograd


def _converted(before, after):
    def convert(value):
        if isinstance(value, torch.dtype):
            return after if value is before else value
        return value.to(after) if value.dtype is before else value

    return convert


class Record:
    """What is known of one operator."""

    def __init__(self, op):
        self.op = op
        self.calls = []
        self.left_out = []

    def add(self, form, dtype, make):
        try:
            call = make()
            if call is not None:
                self.calls.append((form, dtype, call, answer(torch, call)))
        except Exception as error:
            self.left_out.append((form, dtype, type(error).__name__, str(error)))

    def of_sample(self, sample, dtype, sides=True):
        for form, function, path in forms(self.op):
            self.add(form, dtype, lambda f=function, p=path: call_of(f, p, sample))
            if not sides:
                return
        if self.op.supports_out:
            self.add("out", dtype, lambda: _out_call(self.op, sample))

    def of_gradients(self, sample):
        if _is_differentiated(self.op, sample, "function"):
            path = path_of(self.op.op, self.op.name)
            self.add("gradients", "float64", lambda: call_of(self.op.op, path, sample, True))

    def of_dtype(self, dtype):
        name = str(dtype).removeprefix("torch.")
        grad = dtype is torch.float64 and self.op.supports_autograd
        for i, sample in enumerate(chosen(self.op.sample_inputs("cpu", dtype, requires_grad=grad))):
            self.of_sample(sample, name, sides=i % 2 == 0)
            if grad:
                self.of_gradients(sample)
            if dtype is torch.float32 and i % 3 == 0:
                self.add("strided", name, lambda s=sample: self._strided(s))

    def _strided(self, sample):
        return call_of(self.op.op, path_of(self.op.op, self.op.name), sample.noncontiguous())

    def of_other_dtypes(self):
        """Also of those that the operator refuses: who takes what is compared."""
        known = [dtype for dtype in DTYPES if self.op.supports_dtype(dtype, "cpu")]
        base = torch.int64 if torch.int64 in known else known[0]
        samples = chosen(self.op.sample_inputs("cpu", base), 6)
        path = path_of(self.op.op, self.op.name)
        for dtype in (*OTHERS, *(each for each in DTYPES if each not in known)):
            for sample in samples:
                change = _converted(base, dtype)
                make = lambda s=sample, c=change: call_of(self.op.op, path, s.transform(c))  # noqa: E731
                self.add("other", str(dtype).removeprefix("torch."), make)

    def of_errors(self):
        if self.op.error_inputs_func is None:
            return
        for each in self.op.error_inputs("cpu"):
            sample = each.sample_input
            for form, function, path in forms(self.op):
                self.add(f"error {form}", "", partial(call_of, function, path, sample))


def record(op):
    found = Record(op)
    for dtype in DTYPES:
        if op.supports_dtype(dtype, "cpu"):
            try:
                found.of_dtype(dtype)
            except Exception as error:
                found.left_out.append(("samples", str(dtype), type(error).__name__, str(error)))
    for more in (found.of_other_dtypes, found.of_errors):
        try:
            more()
        except Exception as error:
            found.left_out.append((more.__name__, "", type(error).__name__, str(error)))
    return {"name": op.full_name, "calls": found.calls, "left out": found.left_out}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="operators; all without any")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    for number, op in enumerate(op_db):
        if not options.names or op.name in options.names:
            torch.manual_seed(0)
            found = record(op)
            (options.folder / f"{number:04}.pickle").write_bytes(pickle.dumps(found))
            for left in found["left out"]:
                print(f"{op.full_name}: left out: {' '.join(left).splitlines()[0]}")


if __name__ == "__main__":
    main()
