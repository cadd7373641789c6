"""Messages between a program and its worker processes, over a pair of sockets.

What a message holds is pickled; the storages of its tensors travel beside it, by their files' descriptors:
those that are in shared memory as they are, the others together in one file. A message that is large itself
lies in a file as well, so that sending never waits for the receiver to read for long. Descriptors that are
under way when a process is killed are closed by the system.
"""

import array
import io
import marshal
import os
import pickle
import socket
import threading
from multiprocessing.reduction import ForkingPickler

from opweave import _C
from opweave._utils import ExceptionWrapper
from opweave.multiprocessing.reductions import expect_leaf, init_reductions

_SMALL = 4096  # bytes: a storage of so few travels within the message, which costs less than a file
_ALIGNED = 64  # bytes: what parts of a file begin at multiples of
_MOST_BYTES = 1 << 16  # of a message in a socket
_MOST_FILES = 60  # of a message; the system takes 253
_ROOM = socket.CMSG_SPACE((_MOST_FILES + 2) * array.array("i").itemsize)

init_reductions()


class _Pickler(ForkingPickler):
    """Keeps the storages that it meets."""

    def __init__(self, file):
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.storages = []
        self.dispatch_table = self.dispatch_table.copy()
        self.dispatch_table[_C.UntypedStorage] = self._reduce_storage
        self.dispatch_table[_C.Tensor] = _reduce_tensor

    def _reduce_storage(self, storage):
        self.storages.append(storage)
        return _storage_of_message, (len(self.storages) - 1,)


def _reduce_tensor(tensor):
    """A view of a small part of a storage that is not shared is sent alone."""
    expect_leaf(tensor)
    if _C._is_host(tensor.device):
        storage = tensor.untyped_storage()
        taken = tensor.numel() * tensor.element_size()
        if 2 * taken < storage.nbytes() > _SMALL and not storage.is_shared():
            tensor = tensor.detach().clone().requires_grad_(tensor.requires_grad)
    return tensor.__reduce_ex__(pickle.HIGHEST_PROTOCOL)


class _Received(threading.local):
    storages = ()


_received = _Received()


def _storage_of_message(index):
    return _received.storages[index]


class _Files:
    """The descriptors that a message brings, each once; and storages that are copied into one more file."""

    def __init__(self):
        self.descriptors, self._numbers = [], {}
        self._copied, self._end = [], 0

    def place(self, storage):
        """Where the receiver finds a storage: its bytes, or (file, bytes of that, offset, bytes)."""
        nbytes, shared = storage.nbytes(), None
        if _C._is_host(storage.device):
            shared = _C._shared_place(storage)
        if shared is not None and (number := self._number(shared[0])) is not None:
            return number, shared[1], shared[2], nbytes
        if nbytes <= _SMALL:
            return bytes(storage)
        offset = self._end
        self._end += -(-nbytes // _ALIGNED) * _ALIGNED
        self._copied.append((storage, offset))
        return -1, 0, offset, nbytes

    def _number(self, descriptor):
        if descriptor not in self._numbers and len(self.descriptors) < _MOST_FILES:
            self._numbers[descriptor] = len(self.descriptors)
            self.descriptors.append(descriptor)
        return self._numbers.get(descriptor)

    def copy(self):
        """The file of what was copied, which lives as long as this, and its bytes; (None, 0) without any."""
        if not self._copied:
            return None, 0
        file = _C._new_shared_storage(self._end)
        into = file._bytes()
        for storage, offset in self._copied:
            into[offset : offset + storage.nbytes()].copy_(storage._bytes())
        return file, self._end


class Message:
    """A number and an object as bytes and descriptors, which stay open as long as this lives."""

    def __init__(self, number, value=None):
        written = io.BytesIO()
        pickler = _Pickler(written)
        pickler.dump(value)
        files = _Files()
        places = [files.place(storage) for storage in pickler.storages]
        self._copied, copied_nbytes = files.copy()
        self._storages = pickler.storages
        count = len(files.descriptors)
        self.data = marshal.dumps((number, places, copied_nbytes, count, written.getvalue()))
        self.descriptors = files.descriptors
        if self._copied is not None:
            self.descriptors.append(_C._shared_place(self._copied)[0])
        self._lay_apart()

    def _lay_apart(self):
        """The bytes go into a file of their own if they are many."""
        self._body = None
        if len(self.data) > _MOST_BYTES:
            self._body = _C._new_shared_storage(len(self.data))
            memoryview(self._body)[:] = self.data
            self.descriptors.append(_C._shared_place(self._body)[0])
            self.data = marshal.dumps(len(self.data))


def _open_all(descriptors, places, copied_nbytes, count):
    """The storages of a message. Takes the descriptors."""
    sizes = {place[0]: place[1] for place in places if type(place) is tuple and place[0] >= 0}
    if copied_nbytes:
        sizes[-1] = copied_nbytes
    files = {}
    for number, nbytes in sizes.items():
        at = number if number >= 0 else count
        descriptor, descriptors[at] = descriptors[at], -1
        files[number] = _C._open_shared_storage(descriptor, nbytes)
    return [
        _C.UntypedStorage(place)
        if type(place) is bytes
        else _C._part_of_shared(files[place[0]], place[2], place[3])
        for place in places
    ]


def decode(data, descriptors):
    """Number and object of a message; an ExceptionWrapper in place of one that cannot be unpickled here.

    Closes the descriptors that it has no use for.
    """
    try:
        told = marshal.loads(data)
        if type(told) is int:
            told = marshal.loads(_C._open_shared_storage(descriptors.pop(), told))
        number, places, copied_nbytes, count, body = told
        try:
            _received.storages = _open_all(descriptors, places, copied_nbytes, count)
            return number, pickle.loads(body)
        except Exception:
            return number, ExceptionWrapper(where="while a message of another process was read")
    finally:
        _received.storages = ()
        for descriptor in descriptors:
            if descriptor >= 0:
                os.close(descriptor)


class Channel:
    """One end. Sent to another process as an argument of it."""

    def __init__(self, end):
        self.socket = end

    @classmethod
    def pair(cls):
        """Both ends."""
        ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return tuple(cls(end) for end in ends)

    def fileno(self):
        return self.socket.fileno()

    def send(self, message, flags=0):
        """A Message. OSError: the other end is closed; BlockingIOError: it has no room (MSG_DONTWAIT)."""
        flags |= socket.MSG_NOSIGNAL
        files = []
        if message.descriptors:
            numbers = array.array("i", message.descriptors)
            files = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)]
        self.socket.sendmsg([message.data], files, flags)

    def receive(self, flags=0):
        """The next number and object. EOFError: the other end is closed; BlockingIOError: there is none.

        Raises:
            RuntimeError: this process has no room for more open files.
        """
        size = _MOST_BYTES + 1024
        data, extra, told, _ = self.socket.recvmsg(size, _ROOM, flags | socket.MSG_CMSG_CLOEXEC)
        descriptors = array.array("i")
        for level, kind, numbers in extra:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors.frombytes(numbers[: len(numbers) - len(numbers) % descriptors.itemsize])
        if told & socket.MSG_CTRUNC:
            for descriptor in descriptors:
                os.close(descriptor)
            raise RuntimeError(
                "too many open files: this process could not take the shared memory of a batch. Raise the "
                'limit (`ulimit -n`, or opweave.multiprocessing.set_sharing_strategy("file_system")), or '
                "keep fewer batches"
            )
        if not data:
            raise EOFError
        return decode(data, list(descriptors))

    def close(self):
        self.socket.close()
