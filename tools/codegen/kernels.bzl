"""Handwritten code that uses operators, one library per file.

A file is compiled again when the set of headers that it may include changes. So each file declares the
operators that it uses, and an operator that others use, or a new one, leaves it alone. The lists are in
`operators.bzl` of its folder, which `tools/codegen/update_operators` writes from the #include lines.
"""

load("//examples/selection:digits.bzl", "OPERATORS")
load("//tools:cc.bzl", "ow_cc_library")
load("//tools:headers_only.bzl", "cc_linked_only")

# Selections of which Bazel knows, before it builds anything, what they come to: those that people wait for.
_KNOWN = {"//examples/selection:is_digits": OPERATORS}

def operators(names):
    """Labels of the headers `opweave/<name>.h`: of `ops/add` or `kernels/cpu/add`."""
    return ["//generated:" + name for name in names]

def _included_by(files, uses):
    names = {name: True for file in files for name in uses.get(file, [])}
    return operators(sorted(names))

def _stays(file, uses, selected):
    """Whether a build with selected operators needs a file: not if it has kernels, and of none of them."""
    own = [name.split("/")[-1] for name in uses.get(file, []) if name.startswith("kernels/")]
    return not own or any([name in selected for name in own])

def kernel_library(name, srcs, hdrs, uses, deps, copts = [], file_copts = {}):
    """A library of kernels. Files whose kernels a known selection leaves out are not compiled for it.

    Args:
      name: of the library.
      srcs: its files; each becomes a library `<name>_<file>`.
      hdrs: headers that they share.
      uses: names of the operators that each file includes.
      deps: what all of them need.
      copts: how they are compiled.
      file_copts: how single ones are compiled beside that, by file.
    """
    headers = name + "_headers"
    ow_cc_library(
        name = headers,
        hdrs = hdrs,
        deps = deps + _included_by(hdrs, uses),
    )
    parts = [name + "_" + src[:-len(".cc")] for src in srcs]
    for part, src in zip(parts, srcs):
        ow_cc_library(
            name = part,
            srcs = [src],
            copts = copts + file_copts.get(src, []),
            deps = [":" + headers] + _included_by([src], uses),
        )
    kept = {
        condition: [":" + part for part, src in zip(parts, srcs) if _stays(src, uses, selected)]
        for condition, selected in _KNOWN.items()
    }
    kept["//conditions:default"] = [":" + part for part in parts]
    cc_linked_only(
        name = name + "_linked",
        deps = select(kept),
    )
    ow_cc_library(
        name = name,
        deps = [
            ":" + headers,
            ":" + name + "_linked",
        ],
    )
