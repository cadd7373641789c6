"""cc_headers_only: what a library lets others include, without what it links.

For code that is linked against a shared library which holds the rest: linking it again would make a
second copy of every table in the process.
"""

def _impl(ctx):
    merged = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    return [CcInfo(compilation_context = merged.compilation_context)]

cc_headers_only = rule(
    implementation = _impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
)
