"""What libraries are linked from: cc_objects, its files; cc_without, all of it but one package."""

def _linker_inputs(ctx):
    infos = [dep[CcInfo] for dep in ctx.attr.deps]
    return cc_common.merge_cc_infos(cc_infos = infos).linking_context.linker_inputs.to_list()

def _objects_impl(ctx):
    objects = []
    for linked in _linker_inputs(ctx):
        for library in linked.libraries:
            objects += library.pic_objects or library.objects or []
    return [DefaultInfo(files = depset(objects), runfiles = ctx.runfiles(objects))]

cc_objects = rule(
    implementation = _objects_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
)

def _without_impl(ctx):
    merged = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    kept = [linked for linked in _linker_inputs(ctx) if linked.owner.package != ctx.attr.package]
    return [CcInfo(
        compilation_context = merged.compilation_context,
        linking_context = cc_common.create_linking_context(linker_inputs = depset(kept)),
    )]

# Handwritten code without the generated code that it is linked with: for another selection of it.
cc_without = rule(
    implementation = _without_impl,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "package": attr.string(mandatory = True),
    },
)
