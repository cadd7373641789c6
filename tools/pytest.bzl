"""ow_py_test: a pytest file (or several) as one Bazel test."""

load("//tools:slots.bzl", "slots")

def ow_py_test(name, srcs, deps = [], data = [], pytest_args = [], tools = False, env = {}, size = "medium", waits = False, tags = [], **kwargs):
    """Runs pytest on `srcs`; every case lands in Bazel's test.xml.

    The sources that are conftest.py files or helpers (not test_*.py, *_test.py) are only made
    importable. `waits`: see slots.bzl. `import opweave` needs "//bindings/python:opweave" among the deps. With tools = True
    they run in the Python of `./dev setup`, if there is one, whose packages Debian does not have.
    """
    names = {s: s.replace(":", "/").split("/")[-1] for s in srcs}
    tests = [s for s in srcs if names[s].startswith("test_") or names[s].endswith("_test.py")]
    if not tests:
        fail("no test_*.py or *_test.py among the srcs of '%s'" % name)
    native.py_test(
        name = name,
        size = size,
        srcs = srcs + ["//tools/pytest:run.py"],
        main = "//tools/pytest:run.py",
        args = ["$(rootpath %s)" % s for s in tests] + pytest_args,
        data = data + ["//:pyproject.toml"],
        env = dict(env, OPWEAVE_PYTHON_TOOLS = "1") if tools else env,
        # An __init__.py at the root of the runfiles would hide the package `opweave`.
        legacy_create_init = False,
        deps = deps,
        tags = tags + slots(waits),
        **kwargs
    )
