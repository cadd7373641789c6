"""Locks between the threads of this process; a child of fork has them free, whoever held them before."""

import os
import threading


def _renew():
    global loading, building
    # Whoever loads a library.
    loading = threading.Lock()
    # Whoever builds one for this process alone.
    building = threading.Lock()


_renew()
os.register_at_fork(after_in_child=_renew)
