"""ow_wheel: a py_library and the shared libraries it needs, as an installable wheel."""

def _wheel_file_name(name, version, platform):
    return "%s-%s-cp311-cp311-%s.whl" % (name, version, platform)

def _ow_wheel_impl(ctx):
    out = ctx.actions.declare_file(_wheel_file_name("opweave", ctx.attr.version, ctx.attr.platform))
    root = ctx.attr.root + "/"
    runfiles = ctx.attr.package[DefaultInfo].default_runfiles.files.to_list()
    files = [f for f in runfiles if f.short_path.startswith(root)]

    args = ctx.actions.args()
    args.use_param_file("@%s", use_always = True)
    args.set_param_file_format("multiline")
    args.add(out, format = "--out=%s")
    args.add(ctx.attr.version, format = "--version=%s")
    args.add(ctx.attr.platform, format = "--platform=%s")
    args.add(ctx.file.readme, format = "--readme=%s")
    args.add_all(ctx.files.licenses, format_each = "--license=%s")
    args.add_all(ctx.attr.notices_of, format_each = "--notice-of=%s")
    args.add_all(ctx.attr.loaded, format_each = "--loaded=%s")
    args.add_all(ctx.files.plugins, format_each = "--plugin=%s")
    args.add_all(["--file=%s=%s" % (f.short_path[len(root):], f.path) for f in files])
    ctx.actions.run(
        executable = ctx.executable._builder,
        arguments = [args],
        inputs = files + ctx.files.libraries + ctx.files.plugins + ctx.files.licenses + [ctx.file.readme],
        outputs = [out],
        mnemonic = "Wheel",
        progress_message = "Packing %s" % out.basename,
    )
    return [DefaultInfo(files = depset([out]), runfiles = ctx.runfiles([out]))]

ow_wheel = rule(
    implementation = _ow_wheel_impl,
    attrs = {
        "package": attr.label(mandatory = True, doc = "The py_library."),
        "root": attr.string(mandatory = True, doc = "Folder that contains the Python package."),
        "version": attr.string(mandatory = True),
        "platform": attr.string(mandatory = True, doc = "Platform tag of the wheel."),
        "libraries": attr.label_list(
            allow_files = True,
            doc = "Our shared libraries that extensions of the package load.",
        ),
        "plugins": attr.label_list(
            allow_files = True,
            doc = "Our shared libraries that are loaded on demand and need what a system may not have.",
        ),
        "readme": attr.label(allow_single_file = True, mandatory = True),
        "licenses": attr.label_list(allow_files = True),
        "loaded": attr.string_list(
            doc = "Libraries of the system that are not linked but loaded when they are needed.",
        ),
        "notices_of": attr.string_list(doc = "Debian packages whose headers are compiled in."),
        "_builder": attr.label(
            default = "//tools/wheel:build_wheel",
            executable = True,
            cfg = "exec",
        ),
    },
)
