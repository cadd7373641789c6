"""Clients of a TCPStore that are not as they should be, and who knows its secret."""

import contextlib
import re
import socket
import struct
import threading
import time

import opweave.distributed as dist
import pytest
from support.stores import HELLO, LOCAL, VERSION, client_of, frame, greeted, master, raw, read_all


@pytest.fixture(name="closing")
def closed_at_the_end():
    """Takes connections that a test makes, and ends them."""
    with contextlib.ExitStack() as stack:
        yield stack.enter_context


NONSENSE = {
    "another protocol": (
        b"GET / HTTP/1.1\r\n\r\n",
        "not a message of a TCPStore, it begins with 'GET / HTTP",
    ),
    "wrong magic": (frame(1, VERSION, [bytes(32)], magic=b"OWS2"), "not a message of a TCPStore"),
    "oversized frame": (
        b"OWS1" + struct.pack("<I", 2**31),
        "a message of 2147483656 bytes; at most 57 are taken",
    ),
    "short frame": (b"OWS1" + struct.pack("<I", 3), "a message of 11 bytes, which is too short"),
    "another version": (
        frame(1, VERSION + 1, [bytes(32)]),
        f"the client speaks version {VERSION + 1} .* the server version {VERSION}",
    ),
    "no hello": (frame(11), "a client begins with a hello"),
    "an answer": (frame(64), "an answer was sent as a request"),
    "unknown kind": (frame(55), "a message of unknown kind 55"),
    "too many strings": (frame(1, VERSION, [b"", b""]), "a message 'hello' has 2 strings"),
    "oversized frame later": (
        HELLO + b"OWS1" + struct.pack("<I", 2**31),
        "a message of 2147483656 bytes; at most 268435456 are taken",
    ),
    "a huge count": (
        HELLO + b"OWS1" + struct.pack("<IBqI", 13, 5, 0, 2**17),
        "a message 'wait' has fewer strings than it says",
    ),
    "a string beyond the end": (
        HELLO + b"OWS1" + struct.pack("<IBqII", 17, 7, 0, 1, 100),
        "a string ends behind its message",
    ),
    "a long key": (
        HELLO + frame(7, 1, [bytes(65537)]),
        "a message 'add' has a string of 65537 bytes",
    ),
    "two at once": (HELLO + frame(5, 0, [b"no"]) + frame(11), "a request came before the answer"),
    "a reserved key": (
        HELLO + frame(3, 0, [b"\0opweave/joined", b"7"]),
        "an earlier set failed: the key",
    ),
}


@pytest.mark.parametrize("what", NONSENSE)
def test_nonsense_is_answered_and_harms_no_other(what):
    server = master()
    other = client_of(server)
    content, text = NONSENSE[what]
    with raw(server) as connection:
        connection.sendall(content)
        answer = read_all(connection).decode(errors="replace")
    assert re.search(text, answer), answer
    other.set("k", "v")
    assert server.get("k") == b"v"


def test_half_a_frame_and_a_vanished_client_harm_nobody(closing):
    server = master()
    other = client_of(server)
    half = closing(greeted(server))
    half.sendall(frame(3, 0, [b"k", b"v" * 1000])[:500])
    waiting = closing(greeted(server))
    waiting.sendall(frame(4, 0, [b"k"]))
    gone = closing(greeted(server))
    gone.sendall(frame(14, 0, [b"q"]))
    time.sleep(0.05)
    # Ends with a reset: it vanishes while it waits.
    gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    gone.close()
    half.close()
    time.sleep(0.05)
    assert not other.check(["k"])
    other.queue_push("q", "for those who are left")
    assert other.queue_pop("q", block=False) == b"for those who are left"
    other.set("k", "v")
    assert frame(64, 0, [b"v"]) == waiting.recv(4096)


def test_a_client_that_sends_a_byte_at_a_time_holds_nobody_up(closing):
    server = master()
    slow = closing(greeted(server))
    message = frame(3, 0, [b"slow", b"at last"])
    end = threading.Event()

    def send_slowly():
        for byte in message:
            slow.sendall(bytes([byte]))
            end.wait(0.05)

    thread = threading.Thread(target=send_slowly)
    thread.start()
    other = client_of(server)
    calls, begin = 0, time.monotonic()
    while time.monotonic() - begin < 1.0:
        other.add("n", 1)
        calls += 1
    assert calls > 500
    assert not other.check(["slow"])
    end.set()
    thread.join()
    assert other.get("slow") == b"at last"


def test_a_client_that_does_not_read_holds_nobody_up(closing):
    server = master()
    server.set("big", bytes(2**25))
    deaf = closing(greeted(server))
    deaf.sendall(frame(4, 0, [b"big"]))
    other = client_of(server)
    for _ in range(100):
        other.add("n", 1)
    rest = 0
    while rest < 2**25:
        rest += len(deaf.recv(2**20))
    assert rest > 2**25


def test_what_answers_there_is_no_store():
    with socket.create_server((LOCAL, 0)) as listener:

        def serve():
            connection, _ = listener.accept()
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n")
            connection.recv(1000)
            connection.close()

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(
            dist.DistStoreError, match=r"what answers there is no store: .* 'HTTP/1.1 400"
        ):
            dist.TCPStore(LOCAL, listener.getsockname()[1], timeout=5.0)
        thread.join()


def test_a_server_that_says_nothing_times_out():
    with socket.create_server((LOCAL, 0)) as listener:
        begin = time.monotonic()
        with pytest.raises(
            dist.DistNetworkError, match=r"timed out after 300ms .*did not answer in time"
        ):
            dist.TCPStore(LOCAL, listener.getsockname()[1], timeout=0.3)
        assert time.monotonic() - begin < 1.3


# --- secrets ---------------------------------------------------------------------------------------


def test_a_secret_lets_those_in_who_know_it():
    server = master(secret="abc")
    client_of(server, secret=b"abc").set("k", "v")
    assert server.clone().get("k") == b"v"


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        ("wrong", "the server refuses: the client's secret is not the store's"),
        (None, "the server asks for a secret, and none was given"),
        ("", "the server asks for a secret, and none was given"),
    ],
)
def test_nobody_else_reads_or_writes(secret, text):
    server = master(secret="abc")
    begin = time.monotonic()
    with pytest.raises(
        dist.DistStoreError, match=rf"^TCPStore\(127.0.0.1:{server.port}\): {text}$"
    ):
        client_of(server, secret=secret)
    assert time.monotonic() - begin < 1
    with greeted(server) as connection:
        connection.sendall(frame(3, 0, [b"k", b"v"]))
        answer = read_all(connection)
    assert b"a message of" in answer or b"the store asks for a secret" in answer
    with greeted(server) as connection:
        connection.sendall(frame(11))
        assert b"the store asks for a secret, and the client has none" in read_all(connection)
    assert server.list_keys() == []


def test_a_server_without_the_secret_is_not_believed():
    with pytest.raises(
        dist.DistStoreError, match="a secret was given, but the server asks for none"
    ):
        client_of(master(), secret="abc")
    with socket.create_server((LOCAL, 0)) as listener:

        def pretend():
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(frame(66, 1, [bytes(32)]))
                connection.recv(1000)
                connection.sendall(frame(64, 0, [bytes(32)]))
                connection.recv(1000)

        thread = threading.Thread(target=pretend)
        thread.start()
        with pytest.raises(dist.DistStoreError, match="the server does not know the secret"):
            dist.TCPStore(LOCAL, listener.getsockname()[1], timeout=5.0, secret="abc")
        thread.join()


def test_what_was_sent_once_opens_nothing_again():
    """Somebody who records a connection and sends the same bytes is refused."""
    server = master(secret="abc")
    sent = []
    with socket.create_server((LOCAL, 0)) as listener:

        def listen():
            outside, _ = listener.accept()
            with outside, raw(server) as inside:
                for _ in range(2):
                    sent.append(outside.recv(4096))
                    inside.sendall(sent[-1])
                    outside.sendall(inside.recv(4096))
                outside.recv(1)

        thread = threading.Thread(target=listen)
        thread.start()
        client = dist.TCPStore(LOCAL, listener.getsockname()[1], timeout=5.0, secret="abc")
        del client
        thread.join()
    assert b"abc" not in b"".join(sent)
    with raw(server) as connection:
        connection.sendall(sent[0])
        connection.recv(4096)
        connection.sendall(sent[1])
        assert b"the client's secret is not the store's" in read_all(connection)
