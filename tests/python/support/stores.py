"""Stores for tests, and a client that speaks their protocol byte by byte."""

import socket
import struct

import opweave.distributed as dist

LOCAL = "127.0.0.1"


def master(**options):
    return dist.TCPStore(LOCAL, 0, is_master=True, **options)


def client_of(server, timeout=10.0, **options):
    return dist.TCPStore(LOCAL, server.port, timeout=timeout, **options)


def frame(code, number=0, strings=(), magic=b"OWS1"):
    """A message as messages.def has it."""
    body = struct.pack("<BqI", code, number, len(strings))
    for text in strings:
        body += struct.pack("<I", len(text)) + text
    return magic + struct.pack("<I", len(body)) + body


VERSION = 2  # of the protocol (frame.h)
HELLO = frame(1, VERSION, [bytes(32)])


def raw(server):
    return socket.create_connection((LOCAL, server.port), timeout=10)


def read_all(connection):
    """What a server says before it ends a connection."""
    text = b""
    while part := connection.recv(65536):
        text += part
    return text


def greeted(server):
    connection = raw(server)
    connection.sendall(HELLO)
    assert connection.recv(4096)[8] == 66
    return connection
