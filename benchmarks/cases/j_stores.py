"""What calls of a TCPStore cost a client: the server is a thread of the same process, as rank 0 has it."""

from datetime import timedelta

import opweave.distributed
import torch.distributed
from measure import Pair, Sampler, statement
from rows import add_row


def _contender(dist, code: str) -> Sampler:
    """`code` may name a client of a store, whose key "k" is set, and a value of 1 MiB."""
    timeout = timedelta(seconds=60)
    server = dist.TCPStore("127.0.0.1", 0, None, True, timeout)
    store = dist.TCPStore("127.0.0.1", server.port, None, False, timeout)
    store.set("k", "value")
    # The server lives as long as the statement does.
    return statement(code, store=store, server=server, large=bytes(2**20))


def _against_pytorch(name: str, code: str) -> None:
    def prepare() -> Pair:
        return Pair(_contender(opweave.distributed, code), _contender(torch.distributed, code))

    add_row(f"TCPStore {name}", "PyTorch", 1, prepare, "0.7")


for _name, _code in {
    "set": "store.set('k', 'value')",
    "get": "store.get('k')",
    "add": "store.add('n', 1)",
    "wait for a key that is there": "store.wait(['k'])",
    "compare_set": "store.compare_set('c', '', 'value')",
    "set and get of 1 MiB": "store.set('large', large); store.get('large')",
}.items():
    _against_pytorch(_name, _code)
