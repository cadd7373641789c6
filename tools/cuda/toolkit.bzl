"""@cuda: the CUDA toolkit of this machine, or nothing where there is none.

`load("@cuda//:found.bzl", "CUDA_HOME")`: its folder, "" where it is absent.
"""

_LIBRARIES = {
    "cublas": ["cublas", "cublasLt"],
    "cudnn": ["cudnn"],
    "nccl": ["nccl"],
    "nvrtc": ["nvrtc"],
}

_PREAMBLE = """package(default_visibility = ["//visibility:public"])
"""

_HEADERS = """
cc_library(
    name = "headers",
    hdrs = glob(["include/**"]),
    includes = ["include", "include/cccl"],
)

cc_library(
    name = "cudart",
    srcs = ["lib64/libcudart_static.a"],
    linkopts = ["-ldl", "-lrt", "-lpthread"],
    deps = [":headers"],
)
"""

_LIBRARY = """
cc_library(
    name = "{name}",
    linkopts = ["-L{lib}", "-Wl,-rpath,{lib}"] + {flags},
    deps = [":headers"],
)
"""

def _absent(names):
    return "".join(['\ncc_library(name = "%s")\n' % name for name in names])

def _cuda_toolkit_impl(ctx):
    home = ctx.os.environ.get("CUDA_HOME", "/usr/local/cuda")
    names = ["headers", "cudart"] + _LIBRARIES.keys()
    if not ctx.path(home + "/bin/nvcc").exists:
        ctx.file("found.bzl", 'CUDA_HOME = ""\n')
        ctx.file("BUILD", _PREAMBLE + _absent(names))
        return
    ctx.file("found.bzl", 'CUDA_HOME = "%s"\n' % home)
    ctx.symlink(home + "/include", "include")
    ctx.symlink(home + "/lib64", "lib64")
    ctx.file("BUILD", _PREAMBLE + _HEADERS + "".join([
        _LIBRARY.format(name = name, lib = home + "/lib64", flags = ["-l" + lib for lib in libs])
        for name, libs in _LIBRARIES.items()
    ]))

cuda_toolkit = repository_rule(
    implementation = _cuda_toolkit_impl,
    environ = ["CUDA_HOME"],
    local = True,
)
