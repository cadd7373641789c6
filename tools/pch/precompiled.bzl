"""precompiled_header: a header that gcc reads compiled, by the options that its users are compiled with."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        use_pic = True,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts,
    )
    options = cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = CPP_COMPILE_ACTION_NAME,
        variables = variables,
    )
    header = ctx.actions.declare_file(ctx.label.name + "/" + ctx.file.header.basename)
    compiled = ctx.actions.declare_file(ctx.label.name + "/" + ctx.file.header.basename + ".gch")
    ctx.actions.symlink(output = header, target_file = ctx.file.header)
    ctx.actions.run(
        outputs = [compiled],
        inputs = depset([header], transitive = [toolchain.all_files]),
        executable = cc_common.get_tool_for_action(feature_configuration = features, action_name = CPP_COMPILE_ACTION_NAME),
        arguments = options + ["-x", "c++-header", header.path, "-o", compiled.path],
        mnemonic = "CppPrecompile",
        progress_message = "Precompiling " + ctx.file.header.short_path,
    )
    context = cc_common.create_compilation_context(headers = depset([header, compiled]))
    return [CcInfo(compilation_context = context), DefaultInfo(files = depset([header, compiled]))]

precompiled_header = rule(
    implementation = _impl,
    attrs = {
        "copts": attr.string_list(doc = "Options of its users besides those of the command line."),
        "header": attr.label(allow_single_file = [".h"], mandatory = True),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
