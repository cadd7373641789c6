"""What the launcher tells its processes: variables of torchrun, arguments, a store at a free port."""

import json

import pytest
from support.launcher import finish, launch, start, written

TELL = """
import json, os, sys
names = ("RANK", "LOCAL_", "WORLD_SIZE", "GROUP_", "ROLE_", "MASTER_", "TORCHELASTIC_", "OMP_", "CUDA_VIS")
told = {name: value for name, value in os.environ.items() if name.startswith(names)}
print(json.dumps([told, sys.argv[1:], __name__]), flush=True)
"""


def told(folder, *flags, arguments=(), program=TELL, **options):
    """What each process was told, by its rank."""
    prefix = ("--log-line-prefix-template", "")
    code, out, error = launch(folder, program, *flags, *prefix, arguments=arguments, **options)
    assert code == 0, error
    return sorted((json.loads(line) for line in out.splitlines()), key=lambda t: t[0].get("RANK"))


def test_variables_are_those_of_torchrun(tmp_path):
    ranks = told(tmp_path, "--standalone", "--nproc-per-node", 2, arguments=["a", "--nnodes", "7"])
    assert [name for _, _, name in ranks] == ["__main__"] * 2
    assert [arguments for _, arguments, _ in ranks] == [["a", "--nnodes", "7"]] * 2
    for rank, (variables, _, _) in enumerate(ranks):
        assert variables.pop("MASTER_ADDR") == "127.0.0.1"
        assert int(variables.pop("MASTER_PORT")) > 1023
        assert variables.pop("TORCHELASTIC_ERROR_FILE").endswith(f"attempt_0/{rank}/error.json")
        assert variables == {
            "GROUP_RANK": "0",
            "GROUP_WORLD_SIZE": "1",
            "LOCAL_RANK": str(rank),
            "LOCAL_WORLD_SIZE": "2",
            "OMP_NUM_THREADS": "1",
            "RANK": str(rank),
            "ROLE_NAME": "default",
            "ROLE_RANK": str(rank),
            "ROLE_WORLD_SIZE": "2",
            "TORCHELASTIC_MAX_RESTARTS": "0",
            "TORCHELASTIC_RESTART_COUNT": "0",
            "TORCHELASTIC_RUN_ID": "none",
            "TORCHELASTIC_SIGNALS_TO_HANDLE": "SIGTERM,SIGINT,SIGHUP,SIGQUIT",
            "TORCHELASTIC_USE_AGENT_STORE": "True",
            "WORLD_SIZE": "2",
        }


def test_what_the_user_set_stays(tmp_path):
    ((one, _, _),) = told(tmp_path)
    assert "OMP_NUM_THREADS" not in one  # a single process has all cores, as with torchrun
    ranks = told(
        tmp_path,
        *("--nproc_per_node=2", "--role", "trainer", "--rdzv_id", "job7", "--virtual-local-rank"),
        more={"OMP_NUM_THREADS": "3", "CUDA_VISIBLE_DEVICES": "5,7"},
    )
    assert [t["OMP_NUM_THREADS"] for t, _, _ in ranks] == ["3", "3"]
    assert [t["ROLE_NAME"] for t, _, _ in ranks] == ["trainer"] * 2
    assert [t["TORCHELASTIC_RUN_ID"] for t, _, _ in ranks] == ["job7"] * 2
    assert [(t["LOCAL_RANK"], t["CUDA_VISIBLE_DEVICES"]) for t, _, _ in ranks] == [
        ("0", "5"),
        ("0", "7"),
    ]


def test_a_module_and_a_program_without_python(tmp_path):
    written(tmp_path, TELL, "tell.py")
    flags = ("--log-line-prefix-template", "", "-m")
    code, out, error = finish(start("tell", *flags, arguments=["-m", "x"], cwd=tmp_path))
    assert code == 0, error
    assert json.loads(out)[1:] == [["-m", "x"], "__main__"]
    shell = written(tmp_path, '#!/bin/sh\necho "$RANK of $WORLD_SIZE: $1"\n', "run.sh")
    shell.chmod(0o755)
    code, out, error = finish(start(shell, "--no-python", "--nproc-per-node", 2, arguments=["y"]))
    assert (code, sorted(out.splitlines())) == (0, ["[rank0]: 0 of 2: y", "[rank1]: 1 of 2: y"]), (
        error
    )


MEET = """
import opweave as ow
import opweave.distributed as dist

dist.init_process_group()
x = ow.ones(1) * (dist.get_rank() + 1)
dist.all_reduce(x)
print(int(x.item()))
dist.destroy_process_group()
"""


@pytest.mark.parametrize(
    "flags", [[], ["--standalone"], ["--rdzv-backend=c10d", "--rdzv-endpoint=[::1]:0"]]
)
def test_processes_meet_in_the_launchers_store(tmp_path, flags):
    code, out, error = launch(tmp_path, MEET, *flags, "--nproc-per-node", 2)
    assert (code, sorted(out.splitlines())) == (0, ["[rank0]: 3", "[rank1]: 3"]), error


def test_two_launchers_at_once_do_not_race_for_a_port(tmp_path):
    script = written(tmp_path, MEET)
    started = [start(script, "--nproc-per-node", 2) for _ in range(2)]
    for process in started:
        code, out, error = finish(process)
        assert (code, sorted(out.splitlines())) == (0, ["[rank0]: 3", "[rank1]: 3"]), error


def test_the_command_that_tells_the_local_rank(tmp_path):
    """torch.distributed.launch: `--local-rank=N` comes before the program's own arguments."""
    flags, given = ("--nproc-per-node", 2), ["--lr", "1"]
    ranks = told(tmp_path, *flags, arguments=given, module="launch")
    assert [words for _, words, _ in ranks] == [[f"--local-rank={n}", *given] for n in range(2)]
    assert [variables["LOCAL_RANK"] for variables, _, _ in ranks] == ["0", "1"]
    ranks = told(tmp_path, *flags, "--use-env", arguments=given, module="launch")
    assert [words for _, words, _ in ranks] == [given] * 2


def test_another_program_is_not_told_the_local_rank(tmp_path):
    code, out, error = launch(tmp_path, TELL, "--no-python", module="launch")
    assert (code, out) == (2, "")
    assert "--no-python: another program than Python needs --use-env as well" in error
