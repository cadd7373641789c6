"""The command lines of the generator, as the build runs them."""

from baseline import BIN

OPWEAVE = str(BIN / "codegen/cli/opweave")
YAML = ["--ops", "ops.yaml", "--derivatives", "derivatives.yaml"]


def generate(folder: str) -> list[str]:
    return [OPWEAVE, "gen", "--out", folder, *YAML, "--target", "cpu"]


def check(_folder: str) -> list[str]:
    return [OPWEAVE, "check", *YAML]
