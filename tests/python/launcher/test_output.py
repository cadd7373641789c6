"""What processes print comes whole, line by line, with its rank, and is kept where the flags say."""

import os
import subprocess
import sys
from pathlib import Path

from opweave.distributed.run.output import Console, Stream
from support.launcher import environment, launch, written

MANY = """
import os, sys
rank = os.environ["RANK"]
for i in range(3000):
    text = f"{rank} {i} " + "x" * (i * 37 % 900) + "\\n"
    half = len(text) // 2
    os.write(1, text[:half].encode()); os.write(1, text[half:].encode())
os.write(2, b"an error\\n")
os.write(1, b"last")
"""


def test_no_line_is_lost_or_mixed(tmp_path):
    code, out, error = launch(tmp_path, MANY, "--nproc-per-node", 2)
    assert code == 0, error
    lines = out.splitlines()
    assert len(lines) == 6002
    for rank in "01":
        own = [line for line in lines if line.startswith(f"[rank{rank}]: ")]
        assert own == [
            *(f"[rank{rank}]: {rank} {i} " + "x" * (i * 37 % 900) for i in range(3000)),
            f"[rank{rank}]: last",
        ]
    assert sorted(error.splitlines()) == ["[rank0]: an error", "[rank1]: an error"]


def test_a_progress_bar_stays_in_its_line(tmp_path):
    program = r"""
    import os
    for text in (b"\r10 %", b"\r20 %", b"\r30 %\n", b"a\r\nb\n"):
        os.write(1, text)
    """
    script = tmp_path / "out"
    with script.open("wb") as file:  # not as text, which knows no \r
        code, _, error = launch_to(file, tmp_path, program)
    assert code == 0, error
    expected = b"\r[rank0]: 10 %\r[rank0]: 20 %\r[rank0]: 30 %\n[rank0]: a\r\n[rank0]: b\n"
    assert script.read_bytes() == expected


def launch_to(file, folder, program):
    done = subprocess.run(
        [sys.executable, "-m", "opweave.distributed.run", written(folder, program)],
        stdout=file,
        stderr=subprocess.PIPE,
        env=environment(),
        check=False,
        timeout=60,
    )
    return done.returncode, "", done.stderr


SAY = """
import os, sys
print("out", os.environ["RANK"])
print("error", os.environ["RANK"], file=sys.stderr)
"""


def kept(folder):
    """The files of the only run below a folder."""
    (run,) = folder.iterdir()
    return {
        str(file.relative_to(run)): file.read_text() for file in run.rglob("*") if file.is_file()
    }


def test_a_folder_of_logs_has_all(tmp_path):
    logs = tmp_path / "logs/of/runs"
    code, out, error = launch(
        tmp_path, SAY, "--nproc-per-node=2", "--log-dir", logs, "--rdzv-id=j/1"
    )
    assert code == 0
    assert sorted(out.splitlines()) == ["[rank0]: out 0", "[rank1]: out 1"]
    assert sorted(error.splitlines()) == ["[rank0]: error 0", "[rank1]: error 1"]
    assert next(logs.iterdir()).name.startswith("j_1_")
    assert kept(logs) == {
        "attempt_0/0/stdout.log": "out 0\n",
        "attempt_0/0/stderr.log": "error 0\n",
        "attempt_0/1/stdout.log": "out 1\n",
        "attempt_0/1/stderr.log": "error 1\n",
    }


def test_redirects_tee_filter_and_template(tmp_path):
    code, out, error = launch(
        tmp_path,
        SAY,
        *("--nproc-per-node=3", "--log_dir", tmp_path / "logs", "-r", "0:3,1:1", "--tee", "0:2"),
        *("--local-ranks-filter", "0,1", "--local-addr", "here", "--role", "r"),
        *("--log-line-prefix-template", "${hostname} ${role_name}${local_rank}/${rank}> "),
    )
    assert code == 0
    assert out == ""  # of 0 and 1 redirected, of 2 filtered
    assert sorted(error.splitlines()) == ["here r0/0> error 0", "here r1/1> error 1"]
    assert kept(tmp_path / "logs") == {
        f"attempt_0/{rank}/{stream}.log": f"{text} {rank}\n"
        for rank in range(3)
        for stream, text in (("stdout", "out"), ("stderr", "error"))
    }


def test_a_reader_that_goes_away_ends_nothing(tmp_path):
    program = """
    import os
    for i in range(20000):
        os.write(1, b"a line of some length\\n")
    open("end", "w").close()
    """
    command = f"{sys.executable} -m opweave.distributed.run {written(tmp_path, program)} | head -1"
    done = subprocess.run(
        command,
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        env=environment(),
        timeout=60,
        check=False,
    )
    assert done.stdout == b"[rank0]: a line of some length\n"
    assert (tmp_path / "end").exists()


def test_a_full_disk_loses_the_file_alone(capsys):
    reading, writing = os.pipe()
    shown, console = os.pipe()
    file = Path("/dev/full").open("wb", buffering=0)  # noqa: SIM115 - the stream closes it
    stream = Stream(reading, b"> ", Console(console), file)
    for text in (b"one\n", b"two\n"):
        os.write(writing, text)
        assert stream.read()
    os.close(writing)
    assert not stream.read()
    stream.close()
    os.close(console)
    assert os.read(shown, 100) == b"> one\n> two\n"
    os.close(shown)
    assert stream.remains() == b"one\ntwo\n"
    assert capsys.readouterr().err == "/dev/full: No space left on device; the rest is not kept\n"
