"""How hosts meet, agree on their ranks, and tell one another how an attempt ends; the way of one host."""

import secrets

from opweave.distributed import TCPStore
from opweave.distributed.run.place import Place, given_secret


class MeetingError(RuntimeError):
    """Hosts do not find one another, or lost each other."""


def served(host, port, secret, timeout):
    """A store that this process serves."""
    return TCPStore(
        host, port, is_master=True, timeout=timeout, wait_for_workers=False, secret=secret
    )


def places(options, hosts, port, secret):
    """Where each of the hosts stands that have so many processes."""
    return [
        Place(
            node=node,
            nodes=len(hosts),
            first_rank=sum(hosts[:node]),
            world_size=sum(hosts),
            master=options.host,
            port=port,
            secret=secret,
            run_id=options.run_id,
        )
        for node in range(len(hosts))
    ]


def cannot_serve(options, error):
    """That the store cannot be where the flags say."""
    return MeetingError(
        f"no store can be served at {options.host}:{options.port} "
        f"(--master-addr, --master-port, --rdzv-endpoint): {error}"
    )


class Alone:
    """One host: there is nobody to meet, and the launcher serves the store of its processes."""

    descriptor = None

    def __init__(self, options):
        secret = given_secret() or secrets.token_hex(16)
        self._over = None
        try:
            self._store = served(options.host, options.port, secret, 300.0)
        except RuntimeError as error:
            raise cannot_serve(options, error) from None
        (self._place,) = places(options, [options.processes], self._store.port, secret)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._store = None

    def meet(self, _attempt):
        """The place of this host in an attempt."""
        self._over = None
        return self._place

    def tell(self, _attempt, over):
        """How the attempt ends."""

    def heard(self):
        """How the attempt ended elsewhere, or that all are done; None before that."""
        return self._over

    def done(self, _attempt):
        """This host's processes ended well."""
        self._over = {"kind": "done"}

    def agreed(self, _attempt, over):
        """How the attempt ended for all, where this host says `over`."""
        return over

    def first(self, _attempt, failure):
        """The first failure of all hosts, where `failure` is this one's, or None."""
        return failure
