"""The parts of an operator library for hardware besides the CPU: shared libraries, loaded with their targets."""

load("//tools:cc.bzl", "ow_cc_extension")
load("//tools/codegen:generated.bzl", "kernel_sources", "target_sources")
load("//tools/cuda:cuda.bzl", "CUDA_ONLY", "cuda_library", "if_cuda")
load("//tools/link:checked.bzl", "checked_library")

def target_kernels(srcs = [], deps = [], expressions = False, cuda = False):
    """What `targets` of opweave_library() says of one of them.

    Args:
      srcs: files with handwritten kernels for it, .cc or .cu.
      deps: what those include.
      expressions: whether `expr` entries are compiled for it as well: `deps` give a meaning to the vocabulary
        (kernels/TARGET/pointwise/begin.h). Without, they have no kernels there.
      cuda: whether nvcc compiles all of it, with the vocabulary of the target 'cuda'. The part is built
        under --config=cuda alone.

    Returns:
      a value of `targets`.
    """
    return struct(srcs = srcs, deps = deps, expressions = expressions or cuda, cuda = cuda)

def part_sources(target):
    """The files that are generated for a part: all of them, and by what compiles them."""
    kernels = kernel_sources(target, 1)
    host = [file for file in target_sources(target, 1) if file not in kernels] + ["opweave/%s/part.cc" % target]
    return struct(all = kernels + host, host = host, kernels = kernels)

def _kernels_by_nvcc(name, part, generated):
    """The library of what nvcc compiles, as what is linked in."""
    cuda_library(
        name = name + "_kernels",
        srcs = part.srcs + generated.kernels,
        alwayslink = True,
        deps = part.deps,
    )
    return [":%s_kernels" % name]

def library_part(name, target, part, headers, visibility):
    """The shared library `<name>_<target>.so`.

    Args:
      name: of the operator library.
      target: the name of the hardware.
      part: its target_kernels().
      headers: the declarations of its handwritten kernels.
      visibility: of the shared library.
    """
    generated = part_sources(target)
    module = "%s_%s" % (name, target)
    deps = [":%s_headers" % name] + part.deps
    if part.cuda:
        whole = target_kernels(part.srcs, deps + ["//kernels/cuda:library_headers"])
        compiled, deps = [], deps + _kernels_by_nvcc(module, whole, generated)
    else:
        compiled = part.srcs + (generated.kernels if part.expressions else [])
    against = [
        "//bindings/native:libopweave.so",
        ":%s.so" % name,
    ]
    ow_cc_extension(
        name = module + ".linked.so",
        srcs = compiled + generated.host + against,
        target_compatible_with = CUDA_ONLY if part.cuda else [],
        deps = deps,
    )
    checked_library(
        name = module + ".so",
        against = against,
        headers = headers,
        linked = module + ".linked.so",
        part = True,
        sources = part.srcs,
        visibility = visibility,
    )

def part_files(name, targets):
    """The shared libraries of all parts that the build makes, as data."""
    files = []
    for target, part in targets.items():
        made = [
            ":%s_%s.linked.so" % (name, target),
            ":%s_%s.so" % (name, target),
        ]
        files = files + (if_cuda(made) if part.cuda else made)
    return files

def package_of_parts(name, targets):
    """The file that makes a package of a library that has parts; its label.

    What is imported is the package: it loads the module beside its folder, and has the parts that were built
    loaded with their targets.
    """
    head = "'\"\"\"The operators of %s.\"\"\"' '' 'from opweave._libraries import load_built' ''" % name
    lines = head + " 'load_built(__name__, __file__, ['"
    for target, part in targets.items():
        line = " '    \"%s\",'" % target
        lines = lines + (if_cuda(line) if part.cuda else line)
    native.genrule(
        name = name + "_package",
        outs = [name + "/__init__.py"],
        cmd = "printf '%s\\n' " + lines + " '])' > $@",
    )
    return name + "/__init__.py"
