"""save() and load() with files of any kind: where they stand, and how much they take at a time."""

import io

import opweave
import pytest


def several(*values, before=b"", behind=b""):
    """A file of several archives, and where each begins."""
    file, starts = io.BytesIO(), []
    file.write(before)
    for value in values:
        starts.append(file.tell())
        opweave.save(value, file)
    file.write(behind)
    return file, starts


@pytest.mark.parametrize("before", [b"", b"a header", b"PK\3\4 and not one" * 20_000])
def test_what_is_loaded_begins_where_the_file_stands(before):
    values = [[1, 2], opweave.arange(100_000), {"a": opweave.ones(2)}]
    file, starts = several(*values, before=before)
    for value, start in reversed(list(zip(values, starts, strict=True))):
        file.seek(start)
        assert str(opweave.load(file)) == str(value)
    for value in values[1:]:  # one after the other
        assert str(opweave.load(file)) == str(value)
    with pytest.raises(
        EOFError, match=rf"the BytesIO is at its end, byte {file.tell()}.*seek\(0\)"
    ):
        opweave.load(file)
    file.seek(starts[1] + 3)
    with pytest.raises(
        RuntimeError, match=rf"BytesIO, at byte {starts[1] + 3} where it stands, is no"
    ):
        opweave.load(file)


def test_an_archive_without_an_end_is_not_another_one():
    file, starts = several(1, 2)
    data = file.getvalue()
    cut = data[: starts[1] - 30] + data[starts[1] :]
    with pytest.raises(
        RuntimeError, match="an archive begins at byte 0, and the directory at the end"
    ):
        opweave.load(io.BytesIO(cut))


def test_arguments_that_weights_have_no_use_for():
    file, _ = several(1)
    file.seek(0)
    with pytest.raises(
        TypeError, match=r"unexpected keyword argument 'bogus': with weights_only=True"
    ):
        opweave.load(file, bogus=3)
    assert file.tell() == 0


class Partial(io.RawIOBase):
    """Takes some bytes at a time, and from `most` on none."""

    def __init__(self, step, most=10**9):
        self.file, self.step, self.most = io.BytesIO(), step, most

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data[: max(0, min(self.step, self.most - self.file.tell()))])


def test_a_writer_that_takes_some_bytes_at_a_time():
    value = opweave.arange(1000)
    for step in (1, 7, 1 << 20):
        partial = Partial(step)
        opweave.save(value, partial)
        partial.file.seek(0)
        assert opweave.load(partial.file).equal(value)
    with pytest.raises(OSError, match=r"save\(\): Partial.write\(\) took 0 of \d+ bytes"):
        opweave.save(value, Partial(7, 700))


def test_a_writer_that_does_not_wait():
    class Full(io.RawIOBase):
        def writable(self):
            return True

        def write(self, data):
            return None

    with pytest.raises(OSError, match=r"Full.write\(\) took 0 of"):
        opweave.save(1, Full())


def test_a_writer_that_does_not_say_how_many():
    class Silent:
        def __init__(self):
            self.file = io.BytesIO()

        def write(self, data):
            self.file.write(data)

    silent = Silent()
    opweave.save([1, 2], silent)
    silent.file.seek(0)
    assert opweave.load(silent.file) == [1, 2]


def test_layouts_are_read_with_weights():
    file, _ = several({"layout": opweave.strided, "x": opweave.ones(1)})
    file.seek(0)
    assert opweave.load(file)["layout"] is opweave.strided
