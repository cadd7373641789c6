"""What README, CONTRIBUTING and docs/ tell the reader to type, open or run is there and works."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

# Runfiles are links into the checkout.
CHECKOUT = Path("pyproject.toml").resolve().parent
DOCUMENTS = [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", *CHECKOUT.glob("docs/*.md")]
TEXT = {path.name: path.read_text(encoding="utf-8") for path in DOCUMENTS}
LABEL = re.compile(r"(?<![\w:/])//([\w./-]*)(?::([\w.-]+))?")


def blocks(language):
    """(document, text) of every fenced block in the language."""
    fence = re.compile(rf"^```{language}\n(.*?)^```", re.MULTILINE | re.DOTALL)
    return [(name, block) for name, text in TEXT.items() for block in fence.findall(text)]


def code(text):
    """What a document sets as code: indented by nothing, in fences or in backquotes."""
    return re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL) + re.findall(
        r"`([^`\n]+)`", text
    )


def commands(word):
    return sorted(
        {
            (name, found)
            for name, text in TEXT.items()
            for snippet in code(text)
            for found in re.findall(word, snippet)
        }
    )


def printed(block):
    """The comments that say what a line prints."""
    return re.findall(r"print\(.*\)  # (.*)", block)


@pytest.mark.parametrize(("document", "block"), blocks("python"))
def test_python_examples(document, block, tmp_path):
    """In a folder of their own, as some write files."""
    command = [sys.executable, "-c", block]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == printed(block)


@pytest.mark.parametrize(("document", "block"), blocks("yaml"))
def test_entries_are_those_of_the_file(document, block):
    """All but those of pages that have tests of their own, which see that they load."""
    own = (
        "yaml.md",
        "selection.md",
        "kernels.md",
        "libraries.md",
        "targets.md",
        "torch_extension.md",
        "jax_extension.md",
    )
    assert document in own or block in (CHECKOUT / "ops.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(("document", "command"), commands(r"\./dev (\w[\w-]*)"))
def test_commands_of_dev(document, command):
    function = "cmd_" + command.replace("-", "_")
    assert command == "help" or re.search(rf"^{function}\(\)", (CHECKOUT / "dev").read_text(), re.M)
    usage = subprocess.run(
        [CHECKOUT / "dev", "help"], capture_output=True, text=True, check=True
    ).stdout
    assert command == "help" or re.search(rf"^  {command}\b", usage, re.M)


@pytest.mark.parametrize(("document", "config"), commands(r"--config=(\w+)"))
def test_configurations(document, config):
    assert re.search(rf"^build:{config} ", (CHECKOUT / ".bazelrc").read_text(), re.M)


def labels():
    return sorted(
        {
            (name, package, target)
            for name, text in TEXT.items()
            for snippet in code(text)
            for package, target in LABEL.findall(snippet)
            if package != "path/..."  # stands for any
        }
    )


@pytest.mark.parametrize(("document", "package", "target"), labels())
def test_labels(document, package, target):
    folder = CHECKOUT / package.removesuffix("...")
    assert folder.is_dir()
    if not package.endswith("..."):
        name = target or folder.name
        query = f'name = "{name}"'
        build = (folder / "BUILD").read_text()
        assert query in build or f'"{name.removesuffix("_fuzz")}"' in build


@pytest.mark.parametrize(
    ("document", "rule"), commands(r"\b(ow_\w+|cuda_library|opweave_library)\b")
)
def test_rules(document, rule):
    rules = "".join(path.read_text() for path in CHECKOUT.glob("tools/**/*.bzl"))
    assert re.search(rf"^(def {rule}\(|{rule} = rule\()", rules, re.M)


@pytest.mark.parametrize(
    ("document", "link"),
    [
        (path, link)
        for path in DOCUMENTS
        for link in re.findall(r"\]\(([^)#\s]+)\)", TEXT[path.name])
    ],
    ids=lambda value: value.name if isinstance(value, Path) else value,
)
def test_links(document, link):
    assert (document.parent / link).exists()


@pytest.mark.parametrize(("document", "path"), commands(r"^([\w.]+/[\w./-]*)$"))
def test_paths(document, path):
    """A path is written from the root of the checkout, or from a folder that the text is about."""
    folders = (
        *("", "codegen", "codegen/emit", "codegen/model", "runtime", "runtime/core"),
        *("runtime/distributed/backends", "kernels", "kernels/cpu"),
    )
    roots = [CHECKOUT / folder for folder in folders]
    of_libraries = ("my_ops/", "kernels/every_target/")
    assert path.startswith(("bazel-", "opweave/", "dist/", *of_libraries)) or any(
        (root / path).exists() for root in roots
    )


def test_there_is_something_to_test():
    assert len(blocks("python")) >= 1
    assert len(commands(r"\./dev (\w[\w-]*)")) >= 5
    assert len(labels()) >= 5


def test_every_generated_test_is_in_the_table():
    files = {path.name for path in CHECKOUT.glob("tests/python/generated/test_*.py")}
    listed = set(re.findall(r"^\| `(test_\w+\.py)` \|", TEXT["CONTRIBUTING.md"], re.MULTILINE))
    assert files - listed == set()
