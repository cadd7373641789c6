"""A folder of tests of the Python package."""

load("//tools:pytest.bzl", "ow_py_test")

def room_of_tests(deps = {}, data = {}, waits = False, tools = []):
    """A test for every test_*.py of the package, and their files, some of which others run as well.

    `deps` says by file what else one imports, `data` which files it reads; `waits` is that of
    ow_py_test, and `tools` says which files have it.
    """
    files = native.glob(["test_*.py"])
    for file in files:
        ow_py_test(
            name = file[:-len(".py")],
            srcs = [file],
            waits = waits,
            tools = file in tools,
            data = data.get(file, []),
            deps = [
                "//bindings/python:opweave",
                "//tests/python:support",
            ] + deps.get(file, []),
        )
    native.filegroup(
        name = "tests",
        srcs = files,
        visibility = [
            "//tests/mutation:__pkg__",
            "//tests/python:__subpackages__",
        ],
    )
