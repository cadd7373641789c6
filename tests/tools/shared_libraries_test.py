"""What the wheel carries is found, and what would not work elsewhere is refused."""

import importlib.util
from pathlib import Path

import pytest

SPEC = importlib.util.spec_from_file_location("sl", "tools/wheel/shared_libraries.py")
assert SPEC is not None
assert SPEC.loader is not None
shared = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(shared)

DNNL = Path("/usr/lib/x86_64-linux-gnu/libdnnl.so.2").resolve()


def test_finds_what_the_system_may_not_have():
    needed = shared.needed_libraries(DNNL)
    assert "libgomp.so.1" in needed
    assert not needed.keys() & shared.SYSTEM_LIBRARIES
    assert all(path.is_file() for path in needed.values())


def test_tells_the_system_from_what_is_built_here(tmp_path):
    assert shared.is_installed(DNNL)
    assert not shared.is_installed(tmp_path / "libopweave.so")


def test_names_the_package_and_its_notice():
    assert shared.debian_package(DNNL) == "libdnnl2"
    assert "Apache" in shared.notice_of("libdnnl2")


def test_refuses_a_newer_glibc_than_promised():
    assert shared.required_glibc(DNNL) > (2, 2)
    with pytest.raises(
        shared.WheelError, match=r"requires glibc .*, manylinux_2_5_x86_64 promises"
    ):
        shared.check_glibc(DNNL, "manylinux_2_5_x86_64")


def test_refuses_an_unknown_platform():
    with pytest.raises(shared.WheelError, match="unknown platform tag 'linux_x86_64'"):
        shared.check_glibc(DNNL, "linux_x86_64")


def test_refuses_a_library_that_cannot_find_its_own():
    with pytest.raises(shared.WheelError, match="has no RPATH"):
        shared.check_search_path(DNNL)
