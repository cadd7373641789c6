import builtins
from os import PathLike
from typing import Any

def get_dir() -> str: ...
def set_dir(d: str | PathLike[str]) -> None: ...
def download_url_to_file(
    url: str, dst: str | PathLike[str], hash_prefix: str | None = None, progress: bool = True
) -> None: ...
def load_state_dict_from_url(
    url: str,
    model_dir: str | PathLike[str] | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = True,
) -> dict[str, Any]: ...
def load(
    repo_or_dir: str | PathLike[str],
    model: str,
    *args: Any,
    source: str = "github",
    **options: Any,
) -> Any: ...
def list(
    github: str | PathLike[str],
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: bool | str | None = "check",
    verbose: bool = True,
) -> builtins.list[str]: ...
def help(
    github: str | PathLike[str],
    model: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: bool | str | None = "check",
) -> str | None: ...
