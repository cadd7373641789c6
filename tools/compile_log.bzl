"""cc_compile_log: what the compiler says about a program, for tests of code that must not compile."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    context = cc_common.merge_cc_infos(
        cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
    ).compilation_context
    log = ctx.actions.declare_file(ctx.label.name + ".log")
    arguments = ctx.actions.args()
    arguments.add_all(["-std=c++20", "-O1", "-S", "-o", "/dev/null"])
    arguments.add_all(context.includes, before_each = "-I")
    arguments.add_all(context.quote_includes, before_each = "-iquote")
    arguments.add_all(context.system_includes, before_each = "-isystem")
    arguments.add(ctx.file.src)
    ctx.actions.run_shell(
        inputs = depset([ctx.file.src], transitive = [context.headers, toolchain.all_files]),
        outputs = [log],
        # The last line is the exit status.
        command = '{ LC_ALL=C "%s" "$@" 2>&1; echo "$?"; } > "%s"' % (
            toolchain.compiler_executable,
            log.path,
        ),
        arguments = [arguments],
        mnemonic = "CompileLog",
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([log]), runfiles = ctx.runfiles([log]))]

cc_compile_log = rule(
    implementation = _impl,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "src": attr.label(allow_single_file = [".cc"], mandatory = True),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
)
