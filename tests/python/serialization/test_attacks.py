"""Files made to do harm: nothing of them is executed, and each is an error that says why."""

import collections
import io
import os
import pickle
import struct
import subprocess
import sys

import opweave
import pytest
from pickles import (
    BUILD,
    MARK,
    NEWOBJ,
    PERSID,
    PROTO,
    REDUCE,
    TUPLE,
    call,
    checkpoint,
    named,
    of,
    storage,
    tensor,
    tuple_of,
    whole,
)

REBUILD = ("torch._utils", "_rebuild_tensor_v2")
GIGA = 10**9
# A tuple of two that are one, eighty times: 2**80 parts.
BOMB = b")q\x00" + b"0h\x00h\x00\x86q\x00" * 80


# By name: a pickle, and what the error says.
ATTACKS = {
    "os.system": (whole(call(("os", "system"), of("touch /tmp/harm"))), "os.system"),
    "posix.system": (whole(call(("posix", "system"), of("true"))), "posix.system"),
    "eval": (whole(call(("builtins", "eval"), of("1"))), "builtins.eval"),
    "eval of Python 2": (whole(call(("__builtin__", "eval"), of("1"))), "__builtin__.eval"),
    "exec": (whole(call(("builtins", "exec"), of("1"))), "builtins.exec"),
    "getattr": (whole(call(("builtins", "getattr"), of("a"), of("upper"))), "builtins.getattr"),
    "import": (whole(call(("builtins", "__import__"), of("os"))), "__import__"),
    "importlib": (whole(call(("importlib", "import_module"), of("os"))), "importlib.import_module"),
    "subprocess": (whole(call(("subprocess", "Popen"), of("true"))), "subprocess.Popen"),
    "a dotted name": (whole(named("torch", "os.system")), "torch.os.system"),
    "a module of ours": (whole(named("opweave.serialization._loading", "os")), "_loading.os"),
    "a function of PyTorch": (whole(call(("torch", "load"), of("x"))), "torch.load"),
    "a module": (whole(named("torch", "nn")), "torch.nn"),
    "pickle itself": (whole(call(("pickle", "loads"), of(b"N."))), "pickle.loads"),
    "names on the stack": (
        b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R.",
        "os.system",
    ),
    "a name that is a number": (b"\x80\x04K\x01K\x02\x93.", "not a string"),
    "the result of a call is called": (
        whole(call(("collections", "OrderedDict")), tuple_of(), REDUCE),
        "calls OrderedDict",
    ),
    "a constant is called": (whole(call(("torch", "float32"))), "not to be called"),
    "a storage is made": (whole(call(("torch", "FloatStorage"), of(GIGA))), "not to be called"),
    "a tensor is made": (whole(call(("torch", "Tensor"), of(GIGA))), "not to be called"),
    "a tensor is made by its old name": (
        whole(call(("torch", "FloatTensor"), of(GIGA))),
        "not to be called",
    ),
    "a tensor is made anew": (
        whole(named("torch", "Tensor"), tuple_of(of(GIGA)), NEWOBJ),
        "not to be made",
    ),
    "a string is called": (whole(of("f"), tuple_of(), REDUCE), "not to be called"),
    "no tuple of arguments": (whole(named(*REBUILD), of([1]), REDUCE), "without a tuple"),
    "wrong arguments": (whole(call(REBUILD, of(1))), "does not take"),
    "a class of strings": (whole(named("builtins", "str")), "builtins.str"),
    "bytearray of a size": (whole(call(("builtins", "bytearray"), of(GIGA))), "bytearray"),
    "a bomb of codecs": (
        whole(call(("_codecs", "encode"), of("x" * 99), of("zip"))),
        "_codecs.encode",
    ),
    "a set of an expanded tensor": (
        whole(call(("builtins", "set"), tensor(size=(GIGA,), stride=(0,)))),
        "a set is to be made of Tensor",
    ),
    "a Size of an expanded tensor": (
        whole(call(("torch", "Size"), tensor(size=(GIGA,), stride=(0,)))),
        "a Size is to be made of Tensor",
    ),
    "sizes that are a tensor": (
        whole(
            call(
                REBUILD,
                storage(),
                of(0),
                tensor(size=(GIGA,), stride=(0,)),
                of((1,)),
                of(False),
                of(None),
            )
        ),
        "a tuple is expected, not Tensor",
    ),
    "an expanded tensor is copied": (
        whole(
            call(
                ("torch._utils", "_rebuild_device_tensor_from_cpu_tensor"),
                tensor(size=(GIGA, GIGA), stride=(0, 0)),
                named("torch", "float64"),
                of("cpu"),
                of(False),
            )
        ),
        "contiguous",
    ),
    "a tensor of what makes none": (
        whole(
            call(
                ("torch._tensor", "_rebuild_from_type_v2"),
                named("torch", "device"),
                named("torch", "Tensor"),
                tuple_of(of("cpu")),
                of({}),
            )
        ),
        "makes no tensors",
    ),
    "a tensor becomes a dict": (
        whole(
            call(
                ("torch._tensor", "_rebuild_from_type_v2"),
                named(*REBUILD),
                named("collections", "OrderedDict"),
                tuple_of(),
                of({}),
            )
        ),
        "is to become",
    ),
    "state of a list": (whole(of([]), of({"a": 1}), BUILD), "sets the state of list"),
    "state of a class": (
        whole(named("torch", "Tensor"), of({"backward": 1}), BUILD),
        "sets the state of",
    ),
    "state of a function": (
        whole(named(*REBUILD), of({"a": 1}), BUILD),
        "sets the state of function",
    ),
    "an empty pickle": (b"", "has no end"),
    "no end": (PROTO + of(1), "has no end"),
    "nothing but the end": (whole(), "stack is empty"),
    "two objects": (whole(of(1), of(2)), "more than one object"),
    "a mark at the end": (whole(of(1), MARK), "stack is empty"),
    "below a mark": (whole(of(1), MARK, b"0"), "stack is empty"),
    "an item below a mark": (whole(of({}), of(1), MARK, of(2), b"s"), "stack is empty"),
    "a tuple below a mark": (whole(of(1), MARK, of(2), b"\x86"), "stack is empty"),
    "no mark": (whole(of(1), TUPLE), "no mark"),
    "items without a dict": (whole(MARK, of(1), of(2), b"u"), "not a dict"),
    "items of a list": (whole(of([]), MARK, of(1), of(2), b"u"), "not a dict"),
    "a key without a value": (whole(of({}), MARK, of(1), b"u"), "without a value"),
    "appended to a number": (whole(of(1), of(1), b"a"), "not a list"),
    "appended to nothing": (whole(MARK, of(1), b"e"), "not a list"),
    "added to a list": (whole(of([]), MARK, of(1), b"\x90"), "not a set"),
    "a key without a hash": (whole(of({}), of([]), of(1), b"s"), "unhashable"),
    "nothing was kept": (whole(b"h\x07"), "no object under number 7"),
    "a huge memo": (whole(of(1), b"r\xff\xff\xff\xff"), "more than it has bytes"),
    "an object of protocol 0": (b"I1\n.", "opcode that is not read"),
    "an instance of protocol 0": (b"(ios\nsystem\n.", "opcode that is not read"),
    "protocol 0": (b"\x80\x00N.", "protocol is 0"),
    "protocol 77": (b"\x80\x4dN.", "protocol is 77"),
    "an extension": (whole(b"\x82\x01"), "opcode that is not read"),
    "a huge string": (whole(b"X\xff\xff\xff\xffab"), "ends too early"),
    "a string of 2**63": (b"\x80\x04\x8d" + b"\xff" * 8 + b"a.", "ends too early"),
    "a huge number": (whole(b"\x8b\xff\xff\xff\x7fab"), "ends too early"),
    "no UTF-8": (whole(b"X\x02\x00\x00\x00\xff\xfe"), "invalid start byte"),
    "a name without an end": (PROTO + b"ctorch", "within the name"),
    "a key of many parts": (
        whole(of({}), BOMB, of(1), b"s"),
        "more than 256 parts",
    ),
    # Each would be hashed from one end to the other as often as it is a key.
    "a large int that is a key many times": (
        whole(of({}), of(1 << 80_000), b"q\x00", of(1), b"s", b"h\x00K\x01s" * 1000),
        "an int of more than 512 bits",
    ),
    "a large int within a tuple as a key": (
        whole(of({}), of((1, (1 << 600,))), of(1), b"s"),
        "an int of more than 512 bits",
    ),
    "a large int of a set": (
        whole(b"\x8f", MARK, of(1 << 600), b"\x90"),
        "an int of more than 512 bits",
    ),
    "a call of a tuple that is many": (
        whole(BOMB, tuple_of(), REDUCE),
        "not to be called",
    ),
    "a storage that is a tuple of many": (
        whole(BOMB, PERSID),
        "no storage",
    ),
    "persistent text": (whole(of("storage"), PERSID), "no storage of the file"),
    "a storage of a dict": (
        whole(tuple_of(of("storage"), of({}), of("0"), of("cpu"), of(4)), PERSID),
        "no class of storages",
    ),
    "a storage of numbers": (
        whole(
            tuple_of(of("storage"), named("torch", "FloatStorage"), of(0), of("cpu"), of(4)), PERSID
        ),
        "strings and a number",
    ),
    "one storage, two dtypes": (
        whole(tuple_of(storage(), storage("IntStorage"))),
        "two dtypes or sizes",
    ),
    "an offset before the storage": (whole(tensor(offset=-1)), "may not be negative"),
    "an offset behind the storage": (
        whole(tensor(offset=1)),
        "out of bounds for storage of size 16",
    ),
    "a negative stride": (whole(tensor(stride=(-1,))), "may not be negative"),
    "a negative size": (whole(tensor(size=(-4,))), "negative size -4"),
    "a size beyond the storage": (whole(tensor(size=(5,))), "out of bounds for storage of size 16"),
    "a stride beyond the storage": (
        whole(tensor(size=(2,), stride=(4,))),
        "out of bounds for storage of size 16",
    ),
    "sizes that overflow": (
        whole(tensor(size=(2**62, 2**62), stride=(2**62, 2**62))),
        "beyond|overflow|too large",
    ),
    "a size of 2**70": (whole(tensor(size=(2**70,))), "does not take"),
    "more strides than sizes": (whole(tensor(stride=(1, 1))), "differ in length"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_is_refused(name):
    data, text = ATTACKS[name]
    with pytest.raises(pickle.UnpicklingError, match=text) as error:
        opweave.load(checkpoint(data))
    assert "Weights only load failed: the BytesIO" in str(error.value)
    assert not os.path.exists("/tmp/harm")


# Those that the archive refutes.
FORGED = {
    "larger than its record": (
        whole(storage(elements=5)),
        r"takes 20 bytes, and its record 'data/0' has 16",
    ),
    "larger than memory": (whole(storage(elements=2**62)), "takes 18446744073709551616 bytes"),
    "of a negative size": (whole(storage(elements=-1)), "takes -4 bytes"),
    "not there": (whole(storage(key="9")), "lacks the record 'data/9'"),
    "outside": (whole(storage(key="../../../etc/passwd")), "lacks the record"),
    "of an unknown device": (whole(storage(location="nowhere")), "tagged with nowhere"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_storage_that_is_not_there(name):
    data, text = FORGED[name]
    for options in ({}, {"weights_only": False}):
        with pytest.raises(RuntimeError, match=text):
            opweave.load(checkpoint(data), **options)


def test_ints_that_are_keys():
    value = dict.fromkeys((0, -1, 2**63 - 1, -(2**63), 2**64, -(2**500)), 1)
    file = io.BytesIO()
    opweave.save(value, file)
    file.seek(0)
    assert opweave.load(file) == value


def test_the_builders_build_what_is_read():
    found = opweave.load(checkpoint(whole(tensor(size=(2, 2), stride=(1, 2)))))
    assert found.tolist() == [[1, 3], [2, 4]]


@pytest.mark.parametrize("depth", [10_000, 1_000_000])
def test_deep_nesting_is_no_recursion(depth):
    found = opweave.load(checkpoint(whole(b"]" * depth, b"a" * (depth - 1))))
    for _ in range(depth - 1):
        (found,) = found
    assert found == []
    assert opweave.load(checkpoint(whole(b")" + b"\x85" * depth)))
    assert opweave.load(
        checkpoint(whole(b"}" + b"K\x01" + (b"}K\x01") * depth + b"N" + b"s" * (depth + 1)))
    )


def test_tensors_that_hold_one_another():
    """A chain of tensors, each an attribute of the next, that is taken down without recursion."""
    meta = named("torch._utils", "_rebuild_meta_tensor_no_storage")
    arguments = tuple_of(named("torch", "float32"), of(()), of(()), of(False))
    start = named("torch._tensor", "_rebuild_from_type_v2") + MARK + meta + named("torch", "Tensor")
    link = b"q\x000" + start + arguments + b"}" + of("a")[:-2] + b"h\x00s" + TUPLE + REDUCE
    found = opweave.load(checkpoint(whole(of(1), link * 100_000)))
    assert isinstance(found.a.a, opweave.Tensor)
    del found


def test_cycles_are_made_as_pickle_makes_them():
    data = whole(b"]q\x00h\x00a")
    found = opweave.load(checkpoint(data))
    assert found[0] is found


def test_a_memo_bomb_takes_no_more_than_its_file():
    """Eighty lists of ten times the one before."""
    found = opweave.load(checkpoint(whole(b"]q\x00" + (b"0](" + b"h\x00" * 10 + b"eq\x00") * 80)))
    assert len(found) == 10
    assert len({id(item) for item in found}) == 1


def test_a_class_may_be_allowed_and_nothing_else_is():
    counter = collections.Counter
    assert opweave.load(
        checkpoint(whole(call(("collections", "Counter"), of({"a": 2}))))
    ) == counter(a=2)
    data = checkpoint(whole(call(("fractions", "Fraction"), of(1), of(2))))
    import fractions

    with pytest.raises(pickle.UnpicklingError, match=r"fractions\.Fraction"):
        opweave.load(data)
    with opweave.serialization.safe_globals([fractions.Fraction]):
        assert opweave.load(data) == fractions.Fraction(1, 2)
        data.seek(0)
        assert opweave.serialization.get_unsafe_globals_in_checkpoint(data) == []
    assert opweave.serialization.get_unsafe_globals_in_checkpoint(data) == ["fractions.Fraction"]
    assert opweave.serialization.get_safe_globals() == []


@pytest.mark.parametrize("home", [opweave, opweave.cuda], ids=["host", "cuda"])
def test_old_names_of_tensors_are_among_weights(home):
    """The classes, as PyTorch's list of what weights are made of has them."""
    names = ["BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short"]
    types = [getattr(home, f"{name}Tensor") for name in names]
    file = io.BytesIO()
    opweave.save(types, file)
    file.seek(0)
    assert opweave.load(file, weights_only=True) == types


def test_what_reaches_everything_cannot_be_allowed():
    with opweave.serialization.safe_globals([eval, os.system]):
        for function in (("builtins", "eval"), ("posix", "system")):
            with pytest.raises(pickle.UnpicklingError, match="nothing of the module"):
                opweave.load(checkpoint(whole(call(function, of("1")))))


def test_an_allowed_name():
    with opweave.serialization.safe_globals([(struct.calcsize, "elsewhere.size")]):
        assert opweave.load(checkpoint(whole(call(("elsewhere", "size"), of("<4f"))))) == 16


@pytest.mark.parametrize("wrong", ["x", [1], [("a", 1)]])
def test_what_is_allowed_is_checked(wrong):
    with pytest.raises(TypeError, match="expected"):
        opweave.serialization.add_safe_globals(wrong)


def test_python_does_not_run_what_is_refused():
    """The one that would print, in a process of its own."""
    data = whole(call(("builtins", "print"), of("harm")))
    program = (
        f"import opweave, io, sys; sys.path[:0] = {sys.path!r}; from pickles import checkpoint\n"
    )
    program += (
        f"try: opweave.load(checkpoint({data!r}))\nexcept Exception as e: print(type(e).__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout == "UnpicklingError\n", done.stderr
