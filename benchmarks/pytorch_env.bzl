"""@pytorch: libtorch of the environment that benchmarks/make_env makes.

Only `./dev bench` names the environment ($OPWEAVE_PYTORCH); every other build goes without.
"""

_BUILD = """
cc_library(
    name = "libtorch",
    hdrs = glob(["include/**"]),
    includes = ["include"],
    linkopts = [
        "-L{lib}",
        "-Wl,-rpath,{lib}",
        "-Wl,--allow-shlib-undefined",
        "-ltorch_cpu",
        "-lc10",
    ],
    visibility = ["//visibility:public"],
)
"""

def _pytorch_env_impl(ctx):
    env = ctx.os.environ.get("OPWEAVE_PYTORCH", "")
    torch = ctx.path(env + "/lib/python3.11/site-packages/torch") if env else None
    if torch == None or not torch.exists:
        ctx.file("found.bzl", "PYTORCH = False\n")
        ctx.file("BUILD", 'cc_library(name = "libtorch", visibility = ["//visibility:public"])\n')
        return
    ctx.file("found.bzl", "PYTORCH = True\n")
    ctx.symlink(str(torch) + "/include", "include")
    ctx.file("BUILD", _BUILD.format(lib = str(torch) + "/lib"))

pytorch_env = repository_rule(
    implementation = _pytorch_env_impl,
    environ = ["OPWEAVE_PYTORCH"],
    local = True,
)
