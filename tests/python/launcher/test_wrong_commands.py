"""Every wrong flag and combination: a message that names the flag, what was given and what is expected."""

import os
import socket

import pytest
from opweave.distributed.run import arguments, get_args_parser
from support.launcher import launch

SCRIPT = __file__


def refused(capsys, *flags, script=(SCRIPT,)):
    """The last line of the message."""
    with pytest.raises(SystemExit) as ended:
        arguments.read([*flags, *script])
    assert ended.value.code == 2
    prefix = "python -m opweave.distributed.run: error: "
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith(prefix)
    return line.removeprefix(prefix)


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        ("--nnodes x", "--nnodes: expected N or MIN:MAX with 1 <= MIN <= MAX, got 'x'"),
        ("--nnodes 0", "--nnodes: expected N or MIN:MAX with 1 <= MIN <= MAX, got '0'"),
        ("--nnodes 3:2", "--nnodes: expected N or MIN:MAX with 1 <= MIN <= MAX, got '3:2'"),
        ("--nnodes 1:2", "--nnodes: MIN:MAX needs --rdzv-backend c10d, got '1:2'"),
        (
            "--nproc-per-node x",
            "--nproc-per-node: expected a number above 0, gpu, cpu or auto, got 'x'",
        ),
        (
            "--nproc_per_node 0",
            "--nproc-per-node: expected a number above 0, gpu, cpu or auto, got '0'",
        ),
        ("--standalone --nnodes 2", "--standalone: this is for one host, got --nnodes 2"),
        ("--rdzv-backend etcd", "--rdzv-backend: expected static or c10d, got 'etcd'"),
        (
            "--nnodes 2 --rdzv-backend c10d",
            "--rdzv-endpoint: --rdzv-backend c10d needs HOST:PORT, got none",
        ),
        (
            "--nnodes 2 --rdzv-backend c10d --rdzv-endpoint h:0",
            "--rdzv-endpoint: several hosts need a port that all know, got 0",
        ),
        (
            "--rdzv-backend c10d --rdzv-endpoint h:x",
            "--rdzv-endpoint: expected HOST:PORT, got 'h:x'",
        ),
        ("--rdzv-endpoint h:65536", "--rdzv-endpoint: expected HOST:PORT, got 'h:65536'"),
        (
            "--nnodes 2 --node-rank 2",
            "--node-rank: expected one of 0 to 1 (--nnodes 2), got 2",
        ),
        (
            "--nnodes 2 --node-rank -1",
            "--node-rank: expected a whole number of at least 0, got '-1'",
        ),
        ("--master-port 70000", "--master-port: expected a port from 0 to 65535, got '70000'"),
        ("--master-port x", "--master-port: expected a port from 0 to 65535, got 'x'"),
        (
            "--nnodes 2 --master-port 0",
            "--master-port: several hosts need one that all know, got 0",
        ),
        ("--max-restarts -1", "--max-restarts: expected a whole number of at least 0, got '-1'"),
        ("--max-restarts 1.5", "--max-restarts: expected a whole number of at least 0, got '1.5'"),
        ("--monitor-interval x", "--monitor-interval: expected seconds of at least 0, got 'x'"),
        ("--shutdown-timeout nan", "--shutdown-timeout: expected seconds of at least 0, got 'nan'"),
        ("--tee 4", "--tee: expected 0, 1, 2, 3 or RANK:STREAMS,… such as 0:1,1:3, got '4'"),
        (
            "--redirects 1:1",
            "--redirects: local rank 1 is none of the 1 of this host, got '1:1'",
        ),
        (
            "--local-ranks-filter a",
            "--local-ranks-filter: expected local ranks such as 0,2, got 'a'",
        ),
        (
            "--local-ranks-filter 0,1",
            "--local-ranks-filter: local rank 1 is none of the 1 of this host, got '0,1'",
        ),
        (
            "--log-line-prefix-template ${x}",
            "--log-line-prefix-template: expected no macros but ${role_name}, ${local_rank}, ${rank}, "
            "${hostname}, got '${x}'",
        ),
        (
            "--signals-to-handle SIGKILL",
            "--signals-to-handle: expected names of signals that can be caught, such as SIGTERM,SIGUSR1, "
            "got 'SIGKILL'",
        ),
        ("--rdzv-conf is_host=2", "--rdzv-conf: expected is_host=0 or is_host=1, got '2'"),
        ("--rdzv-conf join_timeout=x", "--rdzv-conf: expected seconds of at least 0, got 'x'"),
        ("--no-python -m", "--no-python: --module runs a module by Python: give one of them"),
        (
            "--numa-binding node",
            "--numa-binding: this launcher has no such flag of torchrun's; leave it out",
        ),
        (
            "--log-dir /dev/null/x",
            "--log-dir: expected a folder that can be made, got '/dev/null/x': ",
        ),
        ("--max-restart", "argument --max-restarts/--max_restarts: expected one argument"),
    ],
)
def test_wrong_flags(capsys, flags, text):
    script = () if flags == "--max-restart" else (SCRIPT,)
    assert refused(capsys, *flags.split(), script=script).startswith(text)


def test_unknown_keys_of_the_configuration(capsys):
    text = refused(capsys, "--rdzv-conf", "join_time=3")
    assert text.startswith(
        "--rdzv-conf: expected KEY=VALUE,… with the keys close_timeout, is_host, "
    )
    assert text.endswith("got 'join_time=3'")


def test_without_a_device(capsys):
    import opweave as ow

    if ow.cuda.is_available():
        pytest.skip("there is one")
    text = "--nproc-per-node: got 'gpu', and this host has no CUDA device that can be used"
    assert refused(capsys, "--nproc-per-node", "gpu") == text
    for word in ("auto", "cpu"):
        assert arguments.read([f"--nproc-per-node={word}", SCRIPT]).processes == os.cpu_count()


def test_programs_that_cannot_be_run(capsys, tmp_path):
    text = refused(capsys, script=[str(tmp_path / "x.py")])
    assert text == f"training_script: there is no file '{tmp_path / 'x.py'}'"
    text = refused(capsys, "--no-python", script=["nosuchprogram"])
    assert text == "training_script: 'nosuchprogram' is not found (--no-python runs it as it is)"
    (tmp_path / "x.sh").write_text("#!/bin/sh\n")
    text = refused(capsys, "--no-python", script=[str(tmp_path / "x.sh")])
    assert text.startswith(f"training_script: '{tmp_path / 'x.sh'}' may not be executed")
    assert "training_script" in refused(capsys, script=[])


def test_every_flag_has_both_spellings_and_a_variable(monkeypatch):
    words = ["--nproc_per_node=2", "--max_restarts=3", "--rdzv_backend=c10d", "--master_addr=::1"]
    for spelled in (words, [word.replace("_", "-") for word in words]):
        options = arguments.read([*spelled, SCRIPT, "--nproc-per-node=9"])
        assert (options.processes, options.max_restarts) == (2, 3)
        assert options.command_of(0)[-2:] == [SCRIPT, "--nproc-per-node=9"]
    for action in get_args_parser()._actions:
        for name in action.option_strings:
            assert "-" not in name[2:] or "--" + name[2:].replace("-", "_") in action.option_strings
    monkeypatch.setenv("PET_NPROC_PER_NODE", "4")
    monkeypatch.setenv("PET_MODULE", "1")
    options = arguments.read(["this"])
    assert (options.processes, options.command[-2:]) == (4, ["-m", "this"])


def test_a_port_that_is_in_use(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, out, error = launch(tmp_path, "print('x')", f"--master-port={port}")
    assert (code, out) == (1, "")
    assert f"no store can be served at 127.0.0.1:{port} (--master-addr, --master-port" in error
    assert "Address already in use" in error
    assert "Traceback" not in error


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_of_others(capsys, tmp_path):
    tmp_path.chmod(0o555)
    text = f"--log-dir: expected a folder that can be written, got '{tmp_path}'"
    assert refused(capsys, "--log-dir", str(tmp_path)) == text
