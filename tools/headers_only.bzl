"""cc_headers_only and cc_linked_only, the halves of a library: what a library lets others include, without what it links.

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

def _linked_impl(ctx):
    merged = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    return [CcInfo(linking_context = merged.linking_context)]

# The other half: what has to be linked, without its headers. Their set is part of what a file is compiled
# from, so code that only needs the definitions should not see it.
cc_linked_only = rule(
    implementation = _linked_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
)
