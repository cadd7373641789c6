"""The C++ rules of this repository: the native ones, with our warnings and code generation options.

Warnings are errors in our code only: headers of other libraries come through -isystem.
"""

load("//kernels/cpu/pointwise:options.bzl", "KERNEL_COPTS", "POINTWISE_COPTS")
load("//tools:slots.bzl", "slots")
load("//tools/cuda:flags.bzl", "ARCHITECTURES", "CUDA_CODE_GENERATION")

_WARNINGS = [
    "-Wall",
    "-Wextra",
    "-Werror",
    # A designated initialiser that leaves fields at their defaults is meant to.
    "-Wno-missing-field-initializers",
]

# Calls inside our own shared libraries need neither the PLT nor an interposable symbol. Thread-local state is
# found by plain calls: descriptors (-mtls-dialect=gnu2) are faster, but before glibc 2.40 the first access of a
# thread overwrites vector registers that the compiler takes for kept (sourceware bug 31372): numbers in flight
# changed in silence, as tests/python/package/test_first_call.py saw.
_CODE_GENERATION = [
    "-fno-plt",
    "-fno-semantic-interposition",
    "-fomit-frame-pointer",
]

def flags_module(name, out, more):
    """A Python file with the options of code that is compiled to run with ours.

    `CODE_GENERATION` for C++, `CUDA_CODE_GENERATION` and `CUDA_ARCHITECTURES` for nvcc.

    Args:
      name: of the rule.
      out: the file.
      more: of generated code, besides those of all.
    """
    lines = [
        "# How code of libraries is compiled, as ours.",
        "CODE_GENERATION = %s" % (_CODE_GENERATION + more),
        "CUDA_CODE_GENERATION = %s" % CUDA_CODE_GENERATION,
        "CUDA_ARCHITECTURES = %s" % ARCHITECTURES,
    ]
    native.genrule(
        name = name,
        outs = [out],
        cmd = "echo '%s' > $@" % "\n".join(lines),
    )

# For code that a command runs once: the wheel carries it, and has a limit.
SMALL = ["-Os"]

# Equal functions once, for the wheel as well; `safe`: addresses that are compared stay different.
FOLDED = "-Wl,--icf=safe"

_OPENMP = ["-fopenmp"]

# DT_RPATH rather than DT_RUNPATH, because the libraries in `lib/` look for each other through it too.
_EXTENSION_LINKOPTS = [
    "-Wl,-rpath,'$$ORIGIN/lib'",
    "-Wl,--disable-new-dtags",
    "-Wl,-Bsymbolic-functions",
    FOLDED,
]

# Sets of options for which //tools/pch has the standard library's headers compiled: of OpenMP or not, and of a
# target's own.
FLAVOURS = {
    "plain": (False, []),
    "small": (False, SMALL),
    "openmp": (True, []),
    "kernels": (False, KERNEL_COPTS),
    "pointwise": (False, POINTWISE_COPTS),
}

def flavour_options(name):
    """The options of a flavour, as they stand in front of those that say where headers are."""
    openmp, more = FLAVOURS[name]
    return _WARNINGS + _CODE_GENERATION + (_OPENMP if openmp else []) + more

def _precompiled(openmp, copts):
    """(options, dependencies) of a target that reads the precompiled headers, if there are some for it."""
    for name, flavour in FLAVOURS.items():
        if flavour == (openmp, copts):
            return select({
                # clang cannot read those of gcc.
                "//tools/fuzz:enabled": [],
                "//tools/pch:unused": [],
                # One that does not fit the options of its user is no silent loss of time.
                "//conditions:default": ["-Winvalid-pch", "-include", "$(BINDIR)/tools/pch/%s/std.h" % name],
            }), select({
                "//tools/fuzz:enabled": [],
                "//tools/pch:unused": [],
                "//conditions:default": ["//tools/pch:" + name],
            })
    return [], []

def _options(kwargs, openmp):
    options = dict(kwargs)
    omp = _OPENMP if openmp else []
    copts, deps = _precompiled(openmp, kwargs.get("copts", []))
    options["copts"] = _WARNINGS + _CODE_GENERATION + omp + kwargs.get("copts", []) + copts
    options["linkopts"] = omp + kwargs.get("linkopts", [])
    if "srcs" in kwargs:
        options["deps"] = kwargs.get("deps", []) + deps
    return options

def ow_cc_library(name, openmp = False, **kwargs):
    """cc_library with our options; openmp = True compiles and links with OpenMP.

    Everything is linked, whether a symbol of it is asked for or not: libopweave.so is there for code
    that is linked later.
    """
    native.cc_library(name = name, alwayslink = True, **_options(kwargs, openmp))

def ow_cc_binary(name, openmp = False, **kwargs):
    native.cc_binary(name = name, **_options(kwargs, openmp))

def ow_cc_test(name, openmp = False, deps = [], doctest = True, size = "small", waits = False, tags = [], **kwargs):
    """cc_test; with doctest = True (the default) its sources hold TEST_CASEs and no main(). `waits`: see slots.bzl."""
    more = ["//tools/doctest:main"] if doctest else []
    native.cc_test(
        name = name,
        size = size,
        tags = tags + slots(waits),
        **_options(dict(kwargs, deps = deps + more), openmp)
    )

def ow_cc_extension(name, openmp = False, linkopts = [], **kwargs):
    """A shared library that Python or dlopen loads (name ends in .so).

    Its dependencies are linked in; system libraries are looked for in `lib/` beside it first,
    where a wheel carries them.
    """
    native.cc_binary(
        name = name,
        linkshared = True,
        linkstatic = True,
        **_options(dict(
            kwargs,
            linkopts = _EXTENSION_LINKOPTS + linkopts,
        ), openmp)
    )

def ow_cc_fuzz_test(name, corpus, data = [], openmp = False, deps = [], **kwargs):
    """A libFuzzer target (LLVMFuzzerTestOneInput) that as a test replays its corpus.

    To fuzz: bazel build --config=fuzz //path:name && bazel-bin/path/name -max_total_time=60 DIR
    """
    native.cc_test(
        name = name,
        data = corpus + data,
        **_options(dict(
            kwargs,
            deps = deps + select({
                "//tools/fuzz:enabled": [],
                "//conditions:default": ["//tools/fuzz:replay"],
            }),
            args = ["$(rootpaths %s)" % file for file in corpus],
            linkopts = select({
                "//tools/fuzz:enabled": ["-fsanitize=fuzzer"],
                "//conditions:default": [],
            }),
        ), openmp)
    )
