"""Reads the values of the flags; what is wrong is a ValueError that says what was given and expected."""

import os
import re
import signal
import string

from opweave import _targets

OUT, ERROR = 1, 2  # bits of --redirects and --tee
_MACROS = ("role_name", "local_rank", "rank", "hostname")
# Of --rdzv-conf; the others of torchrun's are taken and have no meaning here.
_CONF = {
    "join_timeout": 600.0,
    "last_call_timeout": 30.0,
    "timeout": 900.0,
    "keep_alive_interval": 5.0,
    "keep_alive_max_attempt": 3.0,
    "close_timeout": 30.0,
    "read_timeout": 60.0,
}


def whole(text, least, what="a whole number"):
    """An int of at least `least`."""
    expected = f"expected {what} of at least {least}, got {text!r}"
    try:
        number = int(text)
    except ValueError:
        raise ValueError(expected) from None
    if number < least:
        raise ValueError(expected)
    return number


def seconds(text, least=0.0):
    """A float of at least `least`."""
    expected = f"expected seconds of at least {least:g}, got {text!r}"
    try:
        number = float(text)
    except ValueError:
        raise ValueError(expected) from None
    if not least <= number < float("inf"):
        raise ValueError(expected)
    return number


def nodes(text):
    """The least and the largest number of hosts."""
    expected = f"expected N or MIN:MAX with 1 <= MIN <= MAX, got {text!r}"
    if not re.fullmatch(r"\d+(:\d+)?", text):
        raise ValueError(expected)
    least, _, most = text.partition(":")
    least, most = int(least), int(most or least)
    if not 1 <= least <= most:
        raise ValueError(expected)
    return least, most


def _devices():
    cuda = _targets.module("cuda")
    return cuda.device_count() if cuda.is_available() else 0


def processes(text):
    """How many processes a host runs."""
    words = "a number above 0, gpu, cpu or auto"
    if text == "cpu":
        return os.cpu_count() or 1
    if text in ("gpu", "auto"):
        devices = _devices()
        if text == "gpu" and not devices:
            raise ValueError("got 'gpu', and this host has no CUDA device that can be used")
        return devices or os.cpu_count() or 1
    if not re.fullmatch(r"\d+", text) or int(text) == 0:
        raise ValueError(f"expected {words}, got {text!r}")
    return int(text)


def endpoint(text, port):
    """Host and port of HOST:PORT, [ADDRESS]:PORT or HOST; `port` where there is none."""
    found = re.fullmatch(r"(\[[0-9a-fA-F:.%\w]+\]|[^\s:\[\]]+)(?::(\d{1,5}))?", text)
    if found is None or int(found[2] or 0) >= 2**16:
        raise ValueError(f"expected HOST:PORT, got {text!r}")
    return found[1].strip("[]"), int(found[2]) if found[2] else port


def port(text):
    """A port, 0 for one that is free."""
    if not re.fullmatch(r"\d{1,5}", text) or int(text) >= 2**16:
        raise ValueError(f"expected a port from 0 to 65535, got {text!r}")
    return int(text)


def configuration(text):
    """A dict of KEY=VALUE,…, with defaults; 'is_host' is True, False, or None for who can be."""
    values = {**_CONF, "is_host": None}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals or key not in values:
            known = ", ".join(sorted(values))
            raise ValueError(f"expected KEY=VALUE,… with the keys {known}, got {part!r}")
        if key == "is_host":
            values[key] = _yes_or_no(value)
        else:
            values[key] = seconds(value)
    return values


def _yes_or_no(text):
    words = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    if text.lower() not in words:
        raise ValueError(f"expected is_host=0 or is_host=1, got {text!r}")
    return words[text.lower()]


def streams(text, count):
    """The bits OUT and ERROR, by local rank."""
    if re.fullmatch("[0-3]", text):
        return [int(text)] * count
    if not re.fullmatch(r"\d+:[0-3](,\d+:[0-3])*,?", text):
        raise ValueError(f"expected 0, 1, 2, 3 or RANK:STREAMS,… such as 0:1,1:3, got {text!r}")
    bits = [0] * count
    for part in text.strip(",").split(","):
        rank, _, wanted = part.partition(":")
        if int(rank) >= count:
            raise ValueError(f"local rank {rank} is none of the {count} of this host, got {text!r}")
        bits[int(rank)] = int(wanted)
    return bits


def shown(text, count):
    """The local ranks of R,R,…; all where nothing is given."""
    if not text:
        return frozenset(range(count))
    if not re.fullmatch(r"\d+(,\d+)*,?", text):
        raise ValueError(f"expected local ranks such as 0,2, got {text!r}")
    ranks = frozenset(int(rank) for rank in text.strip(",").split(","))
    if max(ranks) >= count:
        raise ValueError(
            f"local rank {max(ranks)} is none of the {count} of this host, got {text!r}"
        )
    return ranks


def template(text):
    """A template of the known macros."""
    made = string.Template(text)
    try:
        made.substitute(dict.fromkeys(_MACROS, ""))
    except (KeyError, ValueError):
        known = ", ".join("${" + name + "}" for name in _MACROS)
        raise ValueError(f"expected no macros but {known}, got {text!r}") from None
    return made


def signals(text):
    """Signals by their names."""
    found = []
    for name in filter(None, (name.strip() for name in text.split(","))):
        number = getattr(signal, name, None) if re.fullmatch("SIG[A-Z0-9]+", name) else None
        if number is None or number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD):
            raise ValueError(
                f"expected names of signals that can be caught, such as SIGTERM,SIGUSR1, got {name!r}"
            )
        found.append(number)
    return tuple(found)
