"""cuda_library: .cu files compiled by nvcc into something that cc_* rules depend on.

Built under --config=cuda where the toolkit is installed; everywhere else such targets, and all that
depend on them, are incompatible: wildcards like //... leave them out.
"""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")
load("@cuda//:found.bzl", "CUDA_HOME")
load(":flags.bzl", "ARCHITECTURES", "CUDA_CODE_GENERATION")

# For `target_compatible_with` of any target that needs CUDA.
CUDA_ONLY = select({
    "//tools/cuda:enabled": [] if CUDA_HOME else ["//tools/cuda:no_toolkit"],
    "//conditions:default": ["//tools/cuda:no_toolkit"],
})

def if_cuda(when_enabled):
    """`when_enabled`, a list or a text, under --config=cuda where the toolkit is installed, an empty one elsewhere."""
    nothing = "" if type(when_enabled) == "string" else []
    return select({
        "//tools/cuda:enabled": when_enabled if CUDA_HOME else nothing,
        "//conditions:default": nothing,
    })

def _architecture_flags(archs):
    """Machine code for every architecture, PTX of the newest for those to come."""
    flags = ["-gencode=arch=compute_%s,code=sm_%s" % (a, a) for a in archs]
    return flags + ["-gencode=arch=compute_%s,code=compute_%s" % (archs[-1], archs[-1])]

def _compile_flags(ctx, context):
    flags = ctx.actions.args()
    flags.add_all(["-ccbin", "/usr/bin/g++", "-std=c++20", "-Xcompiler", "-fPIC,-Wall"])
    flags.add_all(CUDA_CODE_GENERATION)
    flags.add_all({
        "dbg": ["-O0", "-g", "-lineinfo"],
        "fastbuild": ["-O1"],
        "opt": ["-O2", "-DNDEBUG"],
    }[ctx.var["COMPILATION_MODE"]])
    flags.add_all(_architecture_flags(ARCHITECTURES))
    flags.add_all(context.quote_includes, before_each = "-I")
    flags.add_all(context.includes, before_each = "-I")
    flags.add_all(context.system_includes, before_each = "-isystem")
    flags.add_all(context.defines, format_each = "-D%s")
    flags.add_all(context.local_defines, format_each = "-D%s")
    flags.add_all(ctx.attr.copts)
    return flags

def _compile(ctx, context, source):
    stem = source.basename[:-len(source.extension) - 1]
    out = ctx.actions.declare_file("_objs/%s/%s.pic.o" % (ctx.label.name, stem))
    files = ctx.actions.args()
    files.add_all(["-x", "cu", "-c", source, "-o", out])
    ctx.actions.run(
        executable = CUDA_HOME + "/bin/nvcc",
        arguments = [_compile_flags(ctx, context), files],
        inputs = depset([source], transitive = [context.headers]),
        outputs = [out],
        mnemonic = "CudaCompile",
        progress_message = "Compiling %s" % source.short_path,
        env = {"PATH": CUDA_HOME + "/bin:/usr/bin:/bin"},
    )
    return out

def _cuda_library_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    deps = [dep[CcInfo] for dep in ctx.attr.deps]
    own = CcInfo(compilation_context = cc_common.create_compilation_context(
        headers = depset(ctx.files.hdrs),
        quote_includes = depset([".", ctx.bin_dir.path]),
    ))
    headers = cc_common.merge_cc_infos(direct_cc_infos = [own], cc_infos = deps)
    objects = depset([_compile(ctx, headers.compilation_context, s) for s in ctx.files.srcs])
    linking, _ = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        name = ctx.label.name,
        feature_configuration = features,
        cc_toolchain = toolchain,
        compilation_outputs = cc_common.create_compilation_outputs(
            objects = objects,
            pic_objects = objects,
        ),
        linking_contexts = [dep.linking_context for dep in deps],
        alwayslink = ctx.attr.alwayslink,
        disallow_dynamic_library = True,
    )
    return [
        DefaultInfo(files = objects),
        CcInfo(
            compilation_context = headers.compilation_context,
            linking_context = linking,
        ),
    ]

_cuda_library = rule(
    implementation = _cuda_library_impl,
    attrs = {
        # Generated sources may end in .cc; they are CUDA C++ all the same.
        "srcs": attr.label_list(allow_files = [
            ".cc",
            ".cu",
        ]),
        "hdrs": attr.label_list(allow_files = True),
        "deps": attr.label_list(providers = [CcInfo]),
        "copts": attr.string_list(),
        "alwayslink": attr.bool(),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

def cuda_library(name, deps = [], **kwargs):
    _cuda_library(
        name = name,
        deps = deps + ["@cuda//:cudart"],
        target_compatible_with = CUDA_ONLY,
        **kwargs
    )
