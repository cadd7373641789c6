"""@system: the C and C++ libraries that Debian's packages install, one cc_library each.

Every library gets a folder of its own that links to its headers, so that a target sees only the
headers of what it depends on and a changed header recompiles what includes it.
"""

_INCLUDE = "/usr/include"

# Libraries of which a part is linked (third_party/openblas), or shipped (third_party/onednn).
_ARCHIVES = [
    "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.a",
    "/usr/lib/x86_64-linux-gnu/libdnnl.so.2",
]

# name -> headers: what to link, relative to /usr/include, into the library's folder;
#         includes: sub-folders of it on the include path; defines: macros; libs: what to link; deps: other libraries.
_LIBRARIES = {
    # Multiple precision, for the generator alone: headers.
    "boost": struct(headers = ["boost"]),
    "cpuinfo": struct(headers = ["cpuinfo.h"], libs = ["cpuinfo"]),
    # Loaded while a program runs: nothing is linked with it.
    "curl": struct(headers = ["x86_64-linux-gnu/curl"], includes = ["x86_64-linux-gnu"]),
    "dlpack": struct(headers = ["dlpack"]),
    "dnnl": struct(
        headers = ["oneapi", "dnnl.h", "dnnl.hpp", "dnnl_config.h", "dnnl_types.h", "dnnl_version.h"],
        libs = ["dnnl"],
    ),
    "doctest": struct(headers = ["doctest"]),
    "fmt": struct(headers = ["fmt"], libs = ["fmt"]),
    "gloo": struct(headers = ["gloo"], libs = ["gloo"]),
    "hwy": struct(headers = ["hwy"], libs = ["hwy"]),
    "md4c": struct(headers = ["md4c.h"], libs = ["md4c"]),
    # Its C++ interface is another library, which nobody needs.
    "mpi": struct(
        headers = ["x86_64-linux-gnu/mpi"],
        includes = ["x86_64-linux-gnu/mpi"],
        defines = ["OMPI_SKIP_MPICXX=1"],
        libs = ["mpi"],
    ),
    "nlohmann_json": struct(headers = ["nlohmann"]),
    "pybind11": struct(headers = ["pybind11"], deps = ["python"]),
    "python": struct(headers = ["python3.11"], includes = ["python3.11"]),
    # The interpreter itself, for programs that are not started by it.
    "python_embedded": struct(libs = ["python3.11"], deps = ["python"]),
    "random123": struct(headers = ["Random123"]),
    "sleef": struct(
        headers = ["x86_64-linux-gnu/sleef.h"],
        includes = ["x86_64-linux-gnu"],
        libs = ["sleef"],
    ),
    # Of these two the part that is called is linked: the wheel has a limit. Who uses the former says so
    # himself (SODIUM_LINKOPTS), as each of his libraries has its own part.
    "sodium": struct(headers = ["sodium", "sodium.h"]),
    "yaml_cpp": struct(headers = ["yaml-cpp"], libs = [":libyaml-cpp.a"]),
}

# The names of libsodium stay within the library that it becomes a part of: its code, which is compiled for
# programs, takes that for granted.
SODIUM_LINKOPTS = ["-l:libsodium.a", "-Wl,--exclude-libs,libsodium.a"]

# What few builds need has a repository of its own, which others do not look for.
_APART = ["mpi"]

_TEMPLATE = """
cc_library(
    name = "{name}",
    hdrs = glob(["{name}/**"], allow_empty = True),
    defines = {defines},
    includes = {includes},
    linkopts = {linkopts},
    visibility = ["//visibility:public"],
    deps = {deps},
)
"""

def _target(name, library):
    includes = getattr(library, "includes", ["."] if hasattr(library, "headers") else [])
    return _TEMPLATE.format(
        name = name,
        includes = [name + "/" + folder for folder in includes],
        defines = getattr(library, "defines", []),
        linkopts = ["-l" + lib for lib in getattr(library, "libs", [])],
        deps = [":" + dep for dep in getattr(library, "deps", [])],
    )

def _archive(ctx, path):
    source = ctx.path(path)
    if not source.exists:
        fail("%s is not installed; './dev' installs it" % source)
    ctx.symlink(source, source.basename)
    return source.basename

def _system_libraries_impl(ctx):
    chosen = ctx.attr.libraries or [name for name in _LIBRARIES if name not in _APART]
    libraries = {name: _LIBRARIES[name] for name in chosen}
    for name, library in libraries.items():
        for header in getattr(library, "headers", []):
            source = ctx.path(_INCLUDE + "/" + header)
            if not source.exists:
                fail("%s of library '%s' is not installed; './dev' installs it" % (source, name))
            ctx.symlink(source, name + "/" + header)
    archives = [] if ctx.attr.libraries else _ARCHIVES
    exported = "exports_files(%s)\n" % [_archive(ctx, path) for path in archives]
    ctx.file("BUILD", exported + "".join([_target(n, lib) for n, lib in libraries.items()]))

system_libraries = repository_rule(
    implementation = _system_libraries_impl,
    attrs = {"libraries": attr.string_list(doc = "Those of _APART that it has, instead of all others.")},
    local = True,
)
