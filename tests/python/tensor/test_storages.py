"""Storages as programs of PyTorch call them: what they are made of, parts, files, buffers, conversions."""

import copy
import gc
import struct

import opweave as ow
import pytest
from opweave import UntypedStorage
from opweave.storage import TypedStorage


def test_storages_are_made_of_nothing_sizes_numbers_and_bytes():
    assert UntypedStorage().nbytes() == 0
    assert UntypedStorage(5).nbytes() == UntypedStorage(size=5).nbytes() == 5
    assert UntypedStorage([1, 300, -1]).tolist() == [1, 44, 255]
    assert UntypedStorage(range(3)).tolist() == UntypedStorage(b"\0\1\2").tolist() == [0, 1, 2]
    assert UntypedStorage(3, device="meta").device.type == "meta"
    assert UntypedStorage([1, 2], device="meta").nbytes() == 2


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (
            ([1, 1.5],),
            RuntimeError,
            r"opweave.UntypedStorage\(\): tried to construct a storage from a sequence \(list\), but one of "
            "the items was of type float instead of int",
        ),
        (("ab",), RuntimeError, r"sequence \(str\), but one of the items was of type str instead"),
        ((1.5,), RuntimeError, "Expected a sequence type, but got float"),
        (({1: 2},), RuntimeError, "Expected a sequence type, but got dict"),
        ((-1,), RuntimeError, "the size must not be negative, got -1"),
        ((3, 4), TypeError, r"received an invalid combination of arguments - got \(int, int\)"),
    ],
)
def test_storages_refuse_what_they_cannot_be_made_of(arguments, error, text):
    with pytest.raises(error, match=text):
        UntypedStorage(*arguments)


def test_storages_print_as_pytorchs():
    assert (
        repr(UntypedStorage([1, 2]))
        == " 1\n 2\n[opweave.storage.UntypedStorage(device=cpu) of size 2]"
    )
    assert repr(UntypedStorage(1, device="meta")).startswith(
        "...\n[opweave.storage.UntypedStorage("
    )
    shown = " 1.0\n[opweave.storage.TypedStorage(dtype=opweave.float32, device=cpu) of size 1]"
    assert repr(ow.FloatStorage([1])) == shown


def test_bytes_are_read_and_written_by_index():
    storage = UntypedStorage([1, 2, 3])
    assert (storage[0], storage[-1], list(storage), 2 in storage) == (1, 3, [1, 2, 3], True)
    storage[-1] = 258
    storage[:2] = 7
    assert storage.tolist() == [7, 7, 2]
    assert storage.fill_(9).tolist() == [9, 9, 9]


@pytest.mark.parametrize(
    ("use", "error", "text"),
    [
        (lambda s: s[3], IndexError, "index 3 out of range for storage of size 3"),
        (lambda s: s[-4], IndexError, "index -1 out of range for storage of size 3"),
        (
            lambda s: s[::2],
            RuntimeError,
            "slice with a step of 2, but only a step of 1 is supported",
        ),
        (lambda s: s["a"], TypeError, "can't index a opweave.UntypedStorage with str"),
        (lambda s: s.__setitem__(0, 1.5), RuntimeError, "with a int types, but got float instead"),
        (lambda s: s.__setitem__(3, 1), RuntimeError, "index 3 of a storage of 3 bytes"),
        (
            lambda s: s.__setitem__("a", 1),
            RuntimeError,
            "can't index a opweave.UntypedStorage with",
        ),
        (lambda s: s.__setitem__(slice(0, 3, 2), 1), RuntimeError, "only a step of 1 is supported"),
        (lambda s: s.__delitem__(0), TypeError, "bytes of a storage cannot be deleted"),
        (lambda s: s.fill_(1.5), RuntimeError, "fill_ expects int, but got float"),
        (lambda s: s.copy_([1]), TypeError, "argument 'src' .* must be opweave.Storage, not list"),
        (lambda s: s.to("cpu"), TypeError, r"UntypedStorage.to\(\) takes 1 positional argument"),
        (lambda s: UntypedStorage(3, device="meta")[0], RuntimeError, "only bytes of CPU storages"),
        (
            lambda s: s.byteswap(ow.int16),
            ValueError,
            "3 bytes are no whole number of elements of 2",
        ),
        (
            lambda s: s.type("torch.cuda.FloatStorage"),
            ValueError,
            "invalid type: 'torch.cuda.Float",
        ),
    ],
)
def test_what_storages_refuse(use, error, text):
    with pytest.raises(error, match=text):
        use(UntypedStorage([1, 2, 3]))


def test_parts_share_their_bytes_and_outlive_the_whole():
    whole = UntypedStorage([1, 2, 3, 4])
    part = whole[1:3]
    part[0] = 9
    assert whole.tolist() == [1, 9, 3, 4]
    assert (part.nbytes(), part.resizable(), whole.resizable()) == (2, False, True)
    whole.resize_(1 << 20)
    del whole
    gc.collect()
    assert part.tolist() == [9, 3]
    assert part[2:].nbytes() == part[5:1].nbytes() == 0


def test_files_are_mapped(tmp_path):
    file = tmp_path / "bytes"
    file.write_bytes(bytes(range(10)))
    private = UntypedStorage.from_file(str(file), False, 4)
    private[0] = 77
    assert (private.tolist(), file.read_bytes()[0]) == ([77, 1, 2, 3], 0)
    shared = UntypedStorage.from_file(filename=str(file), shared=True, nbytes=4)
    shared[0] = 78
    assert file.read_bytes()[0] == 78
    assert not shared.resizable()
    assert UntypedStorage.from_file(str(file)).nbytes() == 0
    assert ow.ShortStorage.from_file(str(file), False, 2).tolist() == [256 + 78, 3 * 256 + 2]


def test_a_file_in_parts_is_tensors_over_it(tmp_path):
    """As the package safetensors reads one."""
    file = tmp_path / "parts"
    file.write_bytes(b"head" + struct.pack("2f", 1.5, -2) + struct.pack("1q", 1 << 40))
    whole = UntypedStorage.from_file(str(file), nbytes=20)
    floats = ow.asarray(whole[4:12], dtype=ow.uint8).view(dtype=ow.float32)
    number = ow.asarray(whole[12:20], dtype=ow.uint8).view(dtype=ow.int64)
    empty = ow.asarray(whole[12:12], dtype=ow.uint8)
    assert (floats.tolist(), number.tolist(), empty.shape) == ([1.5, -2], [1 << 40], (0,))
    assert floats.data_ptr() == whole.data_ptr() + 4


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (
            ("none", False, 10),
            RuntimeError,
            "unable to open file <none> in read-only mode: No such",
        ),
        (
            (__file__, False, 1 << 40),
            RuntimeError,
            "is smaller than the required mapping size <109951",
        ),
        ((__file__, False, -1), RuntimeError, "unable to mmap -1 bytes from file"),
        ((__file__, False, "a"), TypeError, "'str' object cannot be interpreted as an integer"),
        ((3,), TypeError, "argument 1 must be str, not int"),
    ],
)
def test_files_that_cannot_be_mapped(arguments, error, text):
    with pytest.raises(error, match=text):
        UntypedStorage.from_file(*arguments)


def test_buffers_are_copied_in_this_computers_order():
    numbers = struct.pack(">3h", 1, -2, 3)
    storage = UntypedStorage.from_buffer(numbers, "big", dtype=ow.int16)
    assert storage.short().tolist() == list(storage.tolist())
    assert ow.asarray(storage, dtype=ow.int16).tolist() == [1, -2, 3]
    assert ow.ShortStorage.from_buffer(numbers, "big", 1, 2).tolist() == [-2]
    assert TypedStorage.from_buffer(
        struct.pack("<2i", 5, 6), "little", dtype=ow.int32
    ).tolist() == [5, 6]
    assert UntypedStorage.from_buffer(b"\0\2", "native", dtype=ow.bool).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (("big",), RuntimeError, "argument 'dtype' cannot be None"),
        (("big", -1, 0, 3), RuntimeError, "argument 'dtype' must be of type opweave.dtype"),
        ((None, -1, 0, ow.int16), RuntimeError, "missing required argument 'byte_order'"),
        (("middle", -1, 0, ow.int16), ValueError, "invalid byte_order 'middle' .expected 'big'"),
        (
            ("big", 3, 0, ow.int16),
            ValueError,
            "only 2 elements after offset 0, but specified a size of 3",
        ),
        (
            ("big", -1, 1, ow.int16),
            ValueError,
            r"buffer size \(3\) must be a multiple of element size \(2\)",
        ),
        (("big", -1, 5, ow.int16), ValueError, r"no greater than buffer length \(4\), but got 5"),
    ],
)
def test_buffers_that_do_not_fit(arguments, error, text):
    with pytest.raises(error, match=text):
        UntypedStorage.from_buffer(b"abcd", *arguments)


def test_tensors_of_storages_read_their_bytes_as_a_dtype():
    storage = UntypedStorage(struct.pack("2f", 1, 2))
    for make in (ow.asarray, ow.as_tensor, ow.tensor):
        assert make(storage, dtype=ow.float32).tolist() == [1, 2]
    assert ow.asarray(storage).tolist() == [0x400000003F800000]  # int64, as PyTorch takes it
    for made in (ow.Tensor(storage), ow.FloatTensor(storage), ow.ones(1).new(storage)):
        assert made.tolist() == [1, 2]
        assert made.data_ptr() == storage.data_ptr()
    copied = ow.tensor(storage, dtype=ow.float32).fill_(3)
    assert ow.asarray(storage, dtype=ow.float32).tolist() == [1, 2] != copied.tolist()


def test_tensors_share_storages_of_their_dtype():
    storage = ow.FloatStorage([1, 2])
    ow.FloatTensor(storage)[0] = 5
    ow.Tensor(storage)[1] = 6
    assert storage.tolist() == [5, 6]
    for make in (ow.IntTensor, ow.ones(1, dtype=ow.int32).new):
        with pytest.raises(
            RuntimeError, match=r"Expected a Storage of type int32 .* got type float32"
        ):
            make(storage)


def test_conversions_and_copies():
    storage = UntypedStorage([1, 2, 0])
    assert storage.float().tolist() == [1.0, 2.0, 0.0]
    assert storage.bool().tolist() == [True, True, False]
    assert storage.type() == "opweave.storage.UntypedStorage"
    assert storage.type("opweave.IntStorage").dtype == ow.int32
    assert ow.FloatStorage([1.5]).long().tolist() == [1]
    assert ow.FloatStorage(1).pickle_storage_type() == "FloatStorage"
    assert ow.ones(1).double().storage_type() is ow.DoubleStorage
    for made in (copy.copy(storage), copy.deepcopy(storage), storage.clone()):
        made[0] = 8
        assert storage.tolist() == [1, 2, 0]
    twice = [storage, storage]
    assert (lambda pair: pair[0] is pair[1])(copy.deepcopy(twice))
    assert storage.untyped() is storage
    assert storage.new().nbytes() == 0
    assert storage.__sizeof__() >= 3
    swapped = UntypedStorage([1, 2, 3, 4])
    assert swapped.byteswap(ow.int16) is None
    assert swapped.tolist() == [2, 1, 4, 3]


def test_facts_about_the_place():
    storage = UntypedStorage(2)
    assert (storage.is_cuda, storage.is_sparse, storage.is_sparse_csr, storage.is_hpu) == (
        False,
    ) * 4
    assert (storage.is_pinned(), storage.get_device(), storage.filename) == (False, None, None)
    typed = ow.FloatStorage(2)
    assert (typed.is_cuda, typed.is_pinned(), typed.resizable()) == (False, False, True)


@pytest.mark.parametrize(
    ("use", "error", "text"),
    [
        (lambda s: s[0:1], RuntimeError, "slices are only supported in UntypedStorage.__getitem__"),
        (lambda s: s[5], IndexError, "index 5 out of range for storage of size 2"),
        (lambda s: s["a"], RuntimeError, "can't index a .*FloatStorage'> with <class 'str'>"),
        (
            lambda s: TypedStorage.from_file("x"),
            RuntimeError,
            "can only be called on derived classes",
        ),
        (
            lambda s: ow.FloatStorage(1, dtype=ow.int32),
            TypeError,
            "has elements of opweave.float32",
        ),
        (
            lambda s: s.type("torch.NoStorage"),
            ValueError,
            "invalid type: 'torch.NoStorage'; the classes",
        ),
    ],
)
def test_what_typed_storages_refuse(use, error, text):
    with pytest.raises(error, match=text):
        use(ow.FloatStorage([1, 2]))
