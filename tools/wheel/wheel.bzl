"""ow_wheel: a py_library and the shared libraries it needs, as an installable wheel."""

def _wheel_file_name(name, version, platform):
    return "%s-%s-cp311-cp311-%s.whl" % (name, version, platform)

# Where headers of other libraries are, which ours include as `hwy/...`.
_EXTERNAL = "../system/"

# Where those of the generator are, included as `opweave/ops/...`.
_GENERATED = "generated/"

# Those that libraries for every release are compiled with, included as `opweave/stable/...`.
_STABLE = "runtime/stable/include/"

# Headers that none in the wheel includes, so that kernels of libraries cannot: of Highway what its platform is
# not, its tests and its algorithms (sorting.cc alone has one), of Random123 all but philox.
_LEFT_OUT = [
    "Random123/MicroURNG",
    "Random123/ReinterpretCtr",
    "Random123/aes",
    "Random123/ars",
    "Random123/boxmuller",
    "Random123/conventional/",
    "Random123/gsl",
    "Random123/threefry",
    "Random123/u01fixedpt",
    "Random123/uniform",
    "hwy/contrib/",
    "hwy/nanobenchmark",
    "hwy/ops/arm_",
    "hwy/ops/ppc_",
    "hwy/ops/rvv",
    "hwy/ops/wasm_",
    "hwy/print",
    "hwy/tests/",
    "hwy/timer",
]

def _is_left_out(path):
    return any([path.startswith(start) for start in _LEFT_OUT])

def _include_path(header, external):
    """How a header is included; None for one of a library that the wheel does not carry."""
    path = header.short_path
    if path.startswith(_EXTERNAL):
        library, _, rest = path[len(_EXTERNAL):].partition("/")
        return rest if library in external else None
    for root in (_GENERATED, _STABLE):
        if path.startswith(root):
            return path[len(root):]
    return path

def _include_files(ctx):
    """What libraries of others are compiled with, by the paths in the wheel."""
    files = {}
    for target in ctx.attr.headers:
        for header in target[CcInfo].compilation_context.headers.to_list():
            path = _include_path(header, ctx.attr.external_headers)

            # Files that include themselves, and what this build has compiled, are not for others.
            own = header.extension == "cc" or path and path.startswith("tools/pch/")
            if path and not own and not _is_left_out(path):
                files["opweave/include/" + path] = header
    return files

def _ow_wheel_impl(ctx):
    out = ctx.actions.declare_file(_wheel_file_name("opweave", ctx.attr.version, ctx.attr.platform))
    root = ctx.attr.root + "/"
    runfiles = ctx.attr.package[DefaultInfo].default_runfiles.files.to_list()
    files = [f for f in runfiles if f.short_path.startswith(root)]

    included = _include_files(ctx)
    shared = {
        file: "opweave/share/" + (folder + "/" if folder else "") + file.basename
        for target, folder in ctx.attr.share.items()
        for file in target.files.to_list()
    }
    program = ctx.executable.generator

    args = ctx.actions.args()
    args.use_param_file("@%s", use_always = True)
    args.set_param_file_format("multiline")
    args.add(out, format = "--out=%s")
    args.add(ctx.attr.version, format = "--version=%s")
    args.add(ctx.attr.platform, format = "--platform=%s")
    args.add(ctx.file.readme, format = "--readme=%s")
    args.add_all(ctx.files.licenses, format_each = "--license=%s")
    args.add_all(ctx.attr.notices_of, format_each = "--notice-of=%s")
    args.add_all(ctx.files.plugins, format_each = "--plugin=%s")
    args.add_all(ctx.files.parts, format_each = "--part=%s")
    args.add_all(["--file=%s=%s" % (f.short_path[len(root):], f.path) for f in files])
    args.add_all(["--file=%s=%s" % (path, f.path) for path, f in included.items()])
    args.add_all(["--file=%s=%s" % (path, f.path) for f, path in shared.items()])
    args.add(program.path, format = "--program=%s")
    args.add_all(ctx.files.scripts, format_each = "--script=%s")
    ctx.actions.run(
        executable = ctx.executable._builder,
        arguments = [args],
        inputs = files + included.values() + shared.keys() + ctx.files.scripts + ctx.files.libraries + ctx.files.plugins + ctx.files.parts +
                 ctx.files.licenses + [ctx.file.readme, program],
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
        "parts": attr.label_list(
            allow_files = True,
            doc = "What is carried of libraries of others, instead of those of the same name.",
        ),
        "plugins": attr.label_list(
            allow_files = True,
            doc = "Our shared libraries that are loaded on demand and need what a system may not have.",
        ),
        "generator": attr.label(
            executable = True,
            cfg = "target",
            mandatory = True,
            doc = "The program that operator libraries are made with.",
        ),
        "headers": attr.label_list(
            providers = [CcInfo],
            doc = "What operator libraries are compiled with.",
        ),
        "external_headers": attr.string_list(
            doc = "The libraries of others whose headers ours include, by their names in @system.",
        ),
        "share": attr.label_keyed_string_dict(
            allow_files = True,
            doc = "Files that operator libraries are made from and tested with -> folder of opweave/share.",
        ),
        "scripts": attr.label_list(allow_files = True, doc = "Commands in Python."),
        "readme": attr.label(allow_single_file = True, mandatory = True),
        "licenses": attr.label_list(allow_files = True),
        "notices_of": attr.string_list(doc = "Debian packages whose headers are compiled in."),
        "_builder": attr.label(
            default = "//tools/wheel:build_wheel",
            executable = True,
            cfg = "exec",
        ),
    },
)
