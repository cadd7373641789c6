"""How hosts meet, agree on their ranks, and tell one another how an attempt ends."""

import secrets

from opweave.distributed import TCPStore
from opweave.distributed.run.place import Place, given_secret


class MeetingError(RuntimeError):
    """Hosts do not find one another, or lost each other."""


def meeting_of(options):
    """The one that the options name."""
    return Alone(options)


def served(host, port, secret, timeout=300.0):
    """A store that this process serves."""
    return TCPStore(
        host, port, is_master=True, timeout=timeout, wait_for_workers=False, secret=secret
    )


class Alone:
    """One host: there is nobody to meet, and the launcher serves the store of its processes."""

    descriptor = None

    def __init__(self, options):
        self._options, self._over = options, None
        secret = given_secret() or secrets.token_hex(16)
        try:
            self._store = served(options.host, options.port, secret)
        except RuntimeError as error:
            raise MeetingError(
                f"no store can be served at {options.host}:{options.port} "
                f"(--master-addr, --master-port, --rdzv-endpoint): {error}"
            ) from None
        self._place = Place(
            node=0,
            nodes=1,
            first_rank=0,
            world_size=options.processes,
            master=options.host,
            port=self._store.port,
            secret=secret,
            run_id=options.run_id,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._store = None

    def meet(self, _attempt):
        """The place of this host."""
        self._over = None
        return self._place

    def tell(self, _attempt, over):
        """How the attempt ends."""

    def heard(self):
        """What another host told, or that all are done."""
        return self._over

    def done(self, _attempt):
        """This host's processes ended well."""
        self._over = {"kind": "done"}
