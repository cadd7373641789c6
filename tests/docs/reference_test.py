"""The generated reference documentation: every link leads somewhere, and nothing comes from elsewhere."""

import json
import os
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

VOID = {"meta", "link", "input", "br", "hr", "wbr"}
# Runfiles are links into the checkout, where the kernels are.
CHECKOUT = Path("pyproject.toml").resolve().parent
OPWEAVE = Path("codegen/cli/opweave").resolve()
FILES = ["--ops", "ops.yaml", "--derivatives", "derivatives.yaml", "--kernels", "kernels"]
FILES += ["--target", "kernels/cpu/target.yaml", "--target-file", "kernels/cuda/target.yaml"]
FILES += ["--kernel-dtypes", "kernels/dtypes.txt"]
GUIDES = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(f"docs/{path.name}" for path in CHECKOUT.glob("docs/*.md")),
]
FILES += [f"--guide={guide}" for guide in GUIDES]


class Page(HTMLParser):
    """Links, ids and the nesting of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.feed(path.read_text())
        self.close()

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.tags.add(tag)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values[key] for key in ("href", "src") if key in values]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open[-1:] == [tag], f"</{tag}> closes something else"
        self.open.pop()

    def handle_data(self, data):
        self.text += data


def run_docs(folder: Path) -> str:
    command = [str(OPWEAVE), "docs", "--out", str(folder), *FILES]
    done = subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture(scope="module")
def docs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    print(run_docs(folder))
    return folder


@pytest.fixture(scope="module")
def pages(docs) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(docs.rglob("*.html"))}


def test_pages_are_well_formed(pages):
    assert len(pages) > 350
    for path, page in pages.items():
        assert not page.open, f"{path.name}: never closed: {page.open}"
        assert len(page.ids) == len(set(page.ids)), f"{path.name}: an id twice"
        assert {"h1", "main", "header", "title"} <= page.tags, path.name


def test_every_link_leads_somewhere(docs, pages):
    for path, page in pages.items():
        for link in page.links:
            if link.startswith("data:"):
                continue
            assert not re.match(r"[a-z]+:|//", link), f"{path.name}: {link} is not ours"
            target, _, fragment = link.partition("#")
            file = (path.parent / target).resolve() if target else path
            assert file.is_file(), f"{path.name}: {link} leads nowhere"
            if fragment:
                assert fragment in pages[file].ids, f"{path.name}: there is no {link}"
    style = (docs / "style.css").read_text()
    assert "url(" not in style
    assert "@import" not in style


def test_every_page_can_be_reached(docs, pages):
    index = {(docs / link).resolve() for link in pages[docs / "index.html"].links}
    assert set(pages) - {docs / "index.html"} <= index


def test_search_knows_every_page(docs, pages):
    text = (docs / "index.js").read_text()
    entries = json.loads(text[text.index("[") : text.rindex(";")].replace(",\n]", "\n]"))
    found = {docs / entry[1].partition("#")[0] for entry in entries}
    assert found == set(pages) - {docs / "index.html"}
    assert ["Samples", "guides/yaml.html#samples"] in [entry[:2] for entry in entries]
    assert all(len(entry) == 4 and entry[0] and entry[2] for entry in entries)


def test_every_public_operator_has_a_page(docs):
    schemas = re.findall(
        r"^- func: ([A-Za-z0-9_]+)[.(]", (CHECKOUT / "ops.yaml").read_text(), re.MULTILINE
    )
    # In-place and out forms with kernels of their own are told with their functional form.
    names = {name for name in schemas if not (name.endswith("_") and name[:-1] in schemas)}
    missing = [name for name in names if not (docs / "ops" / f"{name}.html").is_file()]
    assert not missing


def test_pages_say_what_there_is_to_say(docs, pages):
    silu = pages[docs / "ops" / "silu.html"]
    for words in [
        "opweave.nn.functional.silu(input, inplace=False) -> Tensor",
        "Tensor ow::silu(const Tensor& self)",
        "generated from its expression",
        "self: 4 bytes per element in float32",
        "all examples at once",
    ]:
        assert words in silu.text, words
    assert {"math", "mfrac", "table"} <= silu.tags
    total = pages[docs / "ops" / "sum.html"]
    assert re.search(r"cpu: kernels/cpu/[a-z_/]+\.cc", total.text)
    assert "sum.dim_IntList" in total.text
    assert "Tensor Tensor::view(IntList size) const" in pages[docs / "ops" / "view.html"].text
    assert "Tensor ow::cat(const TensorArgs& tensors" in pages[docs / "ops" / "cat.html"].text


def test_kernels_of_a_target_are_where_the_page_says(docs, pages):
    text = pages[docs / "ops" / "mm.html"].text
    places = dict(re.findall(r"(cpu|cuda): (kernels/\1/[\w/]+\.\w+:\d+)", text))
    assert set(places) == {"cpu", "cuda"}
    for place in places.values():
        file, line = place.split(":")
        assert " mm(" in (CHECKOUT / file).read_text().splitlines()[int(line) - 1]


def test_every_kernel_has_a_line(pages):
    text = "\n".join(page.text for path, page in pages.items() if path.parent.name == "ops")
    lines = re.findall(
        r"(?:cpu|cuda|meta|composite|every_target): kernels/[\w/]+\.cu?c?(:\d+)?", text
    )
    assert len(lines) > 250
    assert "" not in lines


def test_dtypes_are_those_that_kernels_take(docs, pages):
    assert (
        "Dtypesfloat16, bfloat16, float32, float64"
        in pages[docs / "ops/native_layer_norm.html"].text
    )
    assert "Dtypesuint8, int8" in pages[docs / "ops/mm.html"].text
    texts = {path.stem: page.text for path, page in pages.items() if path.parent.name == "ops"}
    vague = [name for name, text in texts.items() if re.search("Dtypesthose (that|of)", text)]
    public = {name for name in vague if "used by formulas only" not in texts[name]}
    assert public <= {
        "_amp_update_scale_",
        "bilinear",
        "normal",
        "one_hot",
        "repeat_interleave",
        "view",
    }


def test_guides_are_pages(docs, pages):
    yaml = pages[docs / "guides" / "yaml.html"]
    assert {"article", "pre", "code", "table", "ul"} <= yaml.tags
    assert "- func: soft_sign(Tensor self) -> Tensor\n  variants: function, method\n" in yaml.text
    assert "&& || !" in yaml.text.replace("\n", " ")
    assert "../guides/contributing.html#generated-tests" in yaml.links
    assert "../guides/yaml.html#the-other-keys" in pages[docs / "guides" / "selection.html"].links
    for path, page in pages.items():
        if path.parent.name == "guides":
            assert "|---" not in page.text, f"{path.name}: a table that is none"
            assert not re.search(r"\]\([^\s()]+\)", page.text), f"{path.name}: a link that is none"
            assert "```" not in page.text, f"{path.name}: a block that is none"
    assert len([path for path in pages if path.parent.name == "guides"]) == len(GUIDES)


def test_a_second_run_changes_nothing(docs):
    assert " 0 written" in run_docs(docs)
    sizes = sum(f.stat().st_size for f in docs.rglob("*") if f.is_file())
    assert sizes < 6e6
    assert os.access(docs / "search.js", os.R_OK)
