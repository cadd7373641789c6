"""Tags of operators that programs define, as PyTorch has them, and what two of them promise."""

from opweave._tags import Tag


def given_tags(tags):
    """A tag, several, or None, as a tuple. TypeError for what is no tag."""
    tags = () if tags is None else (tags,) if isinstance(tags, Tag) else tuple(tags)
    for tag in tags:
        if not isinstance(tag, Tag):
            raise TypeError(f"tags: expected members of opweave.Tag, got {type(tag).__name__}")
    return tags


def check_tags(function, name, tags):
    """The members of Tag that are given. NotImplementedError if one says that results are arguments.

    Args:
        function: that was called, for the error.
        name: of the operator.
        tags: one, several, or None.
    """
    tags = given_tags(tags)
    if promised := {Tag.inplace, Tag.out} & set(tags):
        raise NotImplementedError(
            f"{function}: {name!r} is tagged Tag.{promised.pop().name}: it would return what it writes, "
            "which results of Python functions are not. Leave the tag out and return None, or use "
            "Library.define and Library.impl"
        )
    return tags


def check_promises(operator):
    """ValueError unless the schema keeps what the tags `out` and `inplace` say of it."""
    if Tag.out in operator.tags:
        _check_out(operator, _refuser(operator, "out"))
    if Tag.inplace in operator.tags:
        _check_inplace(operator, _refuser(operator, "inplace"))


def _refuser(operator, tag):
    def refuse(why):
        raise ValueError(f"Schema tagged with torch.Tag.{tag} {why}. Got: {operator.schema}")

    return refuse


def _check_out(operator, refuse):
    written = [a for a in operator.arguments if a["written"]]
    if not written:
        refuse("must have at least one mutable argument")
    if at := [a["name"] for a in written if not a["keyword_only"]]:
        refuse(
            "requires all mutable arguments to be keyword-only (after the *). Found mutable positional "
            f"args: {at}"
        )
    if other := [a["name"] for a in written if a["type"] != "Tensor"]:
        refuse(f"only supports Tensor mutable arguments. Found unsupported mutable args: {other}")
    if len(operator.returns) != len(written):
        refuse(
            f"must return all mutable arguments (got {len(written)} mutable args but "
            f"{len(operator.returns)} returns)"
        )
    for i, (result, argument) in enumerate(zip(operator.returns, written)):
        if not result["written"] or result["alias"] != argument["alias"]:
            refuse(f"must return mutable arg '{argument['name']}' as result {i}")


def _check_inplace(operator, refuse):
    first = operator.arguments[0] if operator.arguments else None
    if first is None or first["keyword_only"]:
        refuse("must have at least one positional argument")
    if not first["written"]:
        refuse("requires the first positional argument to be mutable (e.g., Tensor(a!))")
    if first["type"] != "Tensor":
        refuse(f"requires the first positional argument to be a Tensor, not {first['type']}")
    if len(operator.returns) != 1:
        refuse(
            "must return exactly one value (the first argument). Got "
            f"{len(operator.returns)} returns"
        )
    result = operator.returns[0]
    if not result["written"] or result["alias"] != first["alias"]:
        refuse("must return the first mutable argument (e.g., Tensor(a!))")
    if others := [a["name"] for a in operator.arguments[1:] if a["written"]]:
        refuse(
            f"must only mutate the first positional argument. Found additional mutable args: {others}"
        )
