"""The flags of torchrun, each with `-` or `_`, and with its default from PET_… in the environment."""

import argparse
import os

_DESCRIPTION = (
    "Starts a program as several processes, each a rank of one world, on one or several hosts."
)

# Name, default, help. Values are read in arguments.py, which says what is wrong with them.
_VALUES = (
    ("nnodes", "1:1", "how many hosts take part: N, or MIN:MAX with --rdzv-backend c10d"),
    ("nproc-per-node", "1", "processes on this host: a number, gpu, cpu or auto"),
    ("rdzv-backend", "static", "how hosts meet: static (--node-rank, --master-addr) or c10d"),
    ("rdzv-endpoint", "", "HOST:PORT where hosts meet"),
    ("rdzv-id", "none", "the name of the run, the same on all hosts"),
    ("rdzv-conf", "", "KEY=VALUE,…: join_timeout, last_call_timeout, is_host, timeout, …"),
    ("max-restarts", "0", "how often all processes are started again after one has failed"),
    ("monitor-interval", "0.1", "taken for torchrun's sake: ends are seen at once"),
    (
        "start-method",
        "spawn",
        "taken for torchrun's sake: processes are always programs of their own",
    ),
    ("role", "default", "the name of what the processes do, for ROLE_NAME"),
    ("log-dir", None, "a folder for the output of every process and attempt"),
    (
        "redirects",
        "0",
        "streams that go to files alone: 1 stdout, 2 stderr, 3 both, or 0:1,1:3 by local rank",
    ),
    ("tee", "0", "streams that go to files and to the console, as --redirects"),
    (
        "log-line-prefix-template",
        "[rank${rank}]: ",
        "what lines begin with: ${role_name}, ${local_rank}, ${rank}, ${hostname}",
    ),
    ("local-ranks-filter", "", "local ranks whose output the console shows: 0,2 (all)"),
    ("node-rank", "0", "which host this is, for static"),
    ("master-addr", "127.0.0.1", "the address of host 0, for static"),
    ("master-port", None, "the port of host 0, for static (29500; on one host one that is free)"),
    ("local-addr", None, "the name of this host in reports"),
    ("signals-to-handle", "SIGTERM,SIGINT,SIGHUP,SIGQUIT", "signals that are passed on"),
    (
        "shutdown-timeout",
        None,
        "seconds between a signal and SIGKILL (TORCH_ELASTIC_SHUTDOWN_TIMEOUT, 30)",
    ),
)
_SHORT = {"redirects": "-r", "tee": "-t", "module": "-m"}
_SWITCHES = (
    ("standalone", "one host that needs no other: any free port"),
    ("module", "the program is a module, as for python -m"),
    ("no-python", "the program is run as it is, not by Python"),
    ("run-path", "taken for torchrun's sake: as without it"),
    ("virtual-local-rank", "each process sees its GPU alone, as LOCAL_RANK 0"),
)
# What torchrun has and this launcher has not.
_REFUSED = (
    "event-log-handler",
    "duplicate-stdout-filters",
    "duplicate-stderr-filters",
    "logs-specs",
    "numa-binding",
    "print-completion",
)


class _Refuse(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        parser.error(f"{option_string}: this launcher has no such flag of torchrun's; leave it out")


def _spellings(name):
    short = [_SHORT[name]] if name in _SHORT else []
    return [*short, *dict.fromkeys([f"--{name}", "--" + name.replace("-", "_")])]


def _default(name, default):
    return os.environ.get("PET_" + name.replace("-", "_").upper(), default)


def get_args_parser():
    """The parser of the launcher's command line, which knows names alone: values are strings."""
    parser = argparse.ArgumentParser(
        prog="python -m opweave.distributed.run", description=_DESCRIPTION
    )
    for name, default, text in _VALUES:
        parser.add_argument(*_spellings(name), default=_default(name, default), help=text)
    for name, text in _SWITCHES:
        given = _default(name, "0") not in ("", "0")
        parser.add_argument(*_spellings(name), action="store_true", default=given, help=text)
    for name in _REFUSED:
        parser.add_argument(*_spellings(name), action=_Refuse, help=argparse.SUPPRESS)
    parser.add_argument("training_script", help="the program, followed by its arguments")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER)
    return parser
