"""Kernels that are wrong in ways that are easily overlooked: `build test` tells each, in few lines."""

import re
from pathlib import Path

import pytest
from installed import BUILD, Installed

ENTRY = """\
- func: {name}(Tensor self) -> Tensor
  kernels: [cpu]
  result: self.sizes()
  differentiable: false
  reference: {reference}
  samples: [{{self: {sample}}}]
"""
KERNEL = """\
#include <chrono>
#include <thread>
#include "kernels/cpu/common/visit_dtype.h"
#include "opweave/kernels/cpu/{name}.h"
#include "opweave/ops/contiguous.h"
namespace opweave::cpu {{
void {name}(const Tensor& self, Tensor& out) {{
  const Tensor x = opweave::contiguous(self);
  visit_floating("{name}", self.dtype(), [&]<class T>(TypeTag<T>) {{
    const T* in = static_cast<const T*>(x.raw_data());
    T* to = static_cast<T*>(out.raw_data());
    const int64_t n = out.numel();
    {body}
  }});
}}
}}  // namespace opweave::cpu
"""
EACH = "for (int64_t i = 0; i < n; ++i) to[i] = {}; (void)n;"
SQUARE = EACH.format("static_cast<T>(in[i] * in[i])")
# The body of the kernel, its reference, its sample, and what is told: nothing of one that is right.
KERNELS = {
    "right": (SQUARE, "self * self", "real(2x3)", None),
    "through_float": (
        EACH.format("static_cast<T>(static_cast<float>(in[i]) / 3.0f)"),
        "self / 3",
        "real(2x3)",
        r"through_float: its values are not those of its reference\n  call: .*float64, contiguous\n"
        r"  element \[0, 0\] is",
    ),
    "narrowed": (
        EACH.format("static_cast<T>(2.0f * static_cast<float>(in[i]))"),
        "self * 2",
        "real(2x3)",
        r"narrowed: its values are not those of its reference\n  call: .*float64, contiguous\n",
    ),
    "past_the_end": (
        SQUARE + " to[n] = T(5);",
        "self * self",
        "real(2x3)",
        r"past_the_end: it writes memory before or behind its result\n  call: past_the_end\(self=",
    ),
    "unset": (
        "for (int64_t i = 0; i + 1 < n; ++i) to[i] = static_cast<T>(in[i] * in[i]); to[n - 1] = T(777);",
        "self * self",
        "real(2x3)",
        r"unset: its values are not those of its reference\n  call: ",
    ),
    "throws": (
        'if (!std::is_same_v<T, double>) OW_THROW(ErrorKind::kRuntime, "no luck today"); ' + SQUARE,
        "self * self",
        "real(2x3)",
        r"throws: the call is refused: RuntimeError: no luck today",
    ),
    "takes_few": (
        'if (!std::is_same_v<T, double>) OW_THROW(ErrorKind::kRuntime, "takes_few: expected float64"); '
        + SQUARE,
        "self * self",
        "real(2x3)",
        None,
    ),
    "of_complex": (
        SQUARE,
        '{numpy: "self * self + 1j"}',
        "real(2x3)",
        r"of_complex: its values are not those of its reference\n  call: .*\n"
        r"  the reference gives complex numbers, which are no elements of a tensor",
    ),
    "loses_nan": (
        EACH.format("in[i] > T(0.f) ? in[i] : T(0.f)"),
        "clamp(self, min=0)",
        "real(2x3)",
        r"loses_nan: its values are not those of its reference\n  call: .*with nan in 'self'\n",
    ),
    "assigned": (
        "out = x; (void)in, (void)to, (void)n;",
        "self",
        "real(2x3)",
        r"assigned: the sample was refused: RuntimeError: assigned\(\): the kernel put another tensor in .*\n"
        r"  call: assigned\(self=real\(2x3\)\)\n",
    ),
    "of_nothing": (EACH.format("T(9)"), "self * self", "real(0x3)", None),
}

# Kernels that are right where their samples look: parameters beside `self` in both languages, what else the
# entry says, the reference, the sample, the factor of the kernel, and the call that is told.
BESIDE_ENTRY = """\
- func: {name}(Tensor self{parameters}) -> Tensor
  kernels: [cpu]
  result: {result}
  differentiable: false
  {more}
  reference: {reference}
  samples: [{{{sample}}}]
"""
BESIDE_KERNEL = """\
#include "kernels/cpu/common/visit_dtype.h"
#include "opweave/kernels/cpu/{name}.h"
#include "opweave/ops/contiguous.h"
namespace opweave::cpu {{
void {name}(const Tensor& self{parameters}, Tensor& out) {{
  const Tensor x = opweave::contiguous(self);
  visit_floating("{name}", self.dtype(), [&]<class T>(TypeTag<T>) {{
    const T* in = static_cast<const T*>(x.raw_data());
    T* to = static_cast<T*>(out.raw_data());
    {body}
  }});
}}
}}  // namespace opweave::cpu
"""
SCALED = "for (int64_t i = 0; i < out.numel(); ++i) to[i] = static_cast<T>(in[i] * T({}));"
BESIDE = {
    "counted": (
        (", int dim", ", int64_t dim"),
        ("self.sizes()", "roles: {dim: dim}", "self * 2", "self: real(2x3), dim: 1"),
        SCALED.format("dim < 0 ? 3.f : 2.f"),
        r"counted\(self=real\(2x3\),dim=-1\)",
    ),
    "of_one_dim": (
        (", int dim", ", int64_t dim"),
        ("self.sizes()", "roles: {dim: dim}", "self * 2", "self: real(2x3), dim: 1"),
        SCALED.format("dim == 0 ? 3.f : 2.f"),
        r"of_one_dim\(self=real\(2x3\),dim=0\)",
    ),
    "at_index": (
        (", int index", ", int64_t index"),
        ("self.sizes()", "roles: {index: index}", "self * 2", "self: real(2x3), index: 1"),
        SCALED.format("index < 0 ? 3.f : 2.f"),
        r"at_index\(self=real\(2x3\),index=-1\)",
    ),
    "never_told": (
        (", bool told=False", ", bool told"),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3)"),
        SCALED.format("told ? 3.f : 2.f"),
        r"never_told\(self=real\(2x3\),told=True\)",
    ),
    "of_one_dtype": (
        (", Tensor other", ", const Tensor& other"),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3), other: real(2x3)"),
        SCALED.format("other.dtype() == self.dtype() ? 2.f : 3.f"),
        r"of_one_dtype\(.*real\(2x3\):float32.*\)",
    ),
    "left_out": (
        (", float? by=None", ", std::optional<double> by"),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3), by: 2"),
        SCALED.format("by ? 2.f : 3.f"),
        r"left_out\(self=real\(2x3\)\)",
    ),
    "without_tail": (
        ("", ""),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3)"),
        SCALED.format("i < 16 || i < out.numel() / 16 * 16 ? 2.f : 3.f"),
        r"without_tail\(self=real\(2x67\)\)",
    ),
    "split_wrongly": (
        ("", ""),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3)"),
        SCALED.format("i < 32768 ? 2.f : 3.f"),
        r"split_wrongly\(self=real\(1031x67\)\)",
    ),
    "of_size_one": (
        ("", ""),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3)"),
        SCALED.format("self.dim() == 2 && self.size(1) == 1 ? 3.f : 2.f"),
        r"of_size_one\(self=real\(2x1\)\)",
    ),
    "of_one_row": (
        ("", ""),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3)"),
        SCALED.format("self.dim() == 2 && self.size(0) == 1 ? 3.f : 2.f"),
        r"of_one_row\(self=real\(1x3\)\)",
    ),
    "of_numbers": (
        ("", ""),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3)"),
        SCALED.format("self.dim() == 0 ? 3.f : 2.f"),
        r"of_numbers\(self=real\(\)\)",
    ),
    "of_vectors": (
        ("", ""),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3)"),
        SCALED.format("self.dim() == 1 ? 3.f : 2.f"),
        r"of_vectors\(self=real\(3\)\)",
    ),
    "of_many_dims": (
        ("", ""),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3)"),
        SCALED.format("self.dim() > 3 ? 3.f : 2.f"),
        r"of_many_dims\(self=real\(2x2x2x3\)\)",
    ),
    "of_unequal_ranks": (
        (", Tensor other", ", const Tensor& other"),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3), other: real(2x3)"),
        SCALED.format("self.dim() > other.dim() ? 3.f : 2.f"),
        r"of_unequal_ranks\(self=real\(2x3\),other=real\(3\)\)",
    ),
    "of_zeros": (
        ("", ""),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3)"),
        SCALED.format("2.f")
        + " for (int64_t i = 0; i < out.numel(); ++i) if (in[i] == T(0.f)) to[i] = T(1.f);",
        r"of_zeros\(self=\[\[0.0,1.0,-1.0\],\[2.0,-2.0,3.0\]\]\)",
    ),
    "of_ones": (
        ("", ""),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: positive(2x3)"),
        SCALED.format("in[i] == T(1.f) ? 3.f : 2.f"),
        r"of_ones\(self=\[\[1.0,2.0,3.0\],\[1.0,2.0,3.0\]\]\)",
    ),
    "given_twice": (
        (", Tensor other", ", const Tensor& other"),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3), other: real(2x3)"),
        SCALED.format("self.numel() > 0 && self.raw_data() == other.raw_data() ? 3.f : 2.f"),
        r"given_twice\(self=real\(2x3\),other=real\(2x3\)\), float16, with 'self' as 'other' too\n  element",
    ),
    "of_lists_of_one": (
        (", Tensor[] more", ", TensorList more"),
        (
            "self.sizes()",
            "dtypes: floating",
            "self * 2",
            "self: real(2x3), more: [real(2), real(2)]",
        ),
        SCALED.format("more.size() == 1 ? 3.f : 2.f"),
        r"of_lists_of_one\(self=real\(2x3\),more=\[real\(2\)\]\)",
    ),
    "by_default": (
        (", float by=2", ", double by"),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3)"),
        SCALED.format("by"),
        None,
    ),
    "nothing": (
        ("", ""),
        ("[]", "dtypes: floating", "sum(self)", "self: real(2x3)"),
        "to[0] = T(7.f);  // as memory that nobody set may be\n"
        "for (int64_t i = 0; i < x.numel(); ++i) to[0] = static_cast<T>((i == 0 ? T(0.f) : to[0]) + in[i]);",
        r"nothing\(self=real\(0x3\)\)",
    ),
}


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"), system=True)


def write(folder: Path, name: str, body: str, reference: str, sample: str) -> str:
    """Writes a kernel; its entry."""
    (folder / "kernels").mkdir(parents=True, exist_ok=True)
    (folder / f"kernels/{name}.cc").write_text(KERNEL.format(name=name, body=body))
    return ENTRY.format(name=name, reference=reference, sample=sample)


@pytest.fixture(scope="module")
def said(user: Installed, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("home") / "wrong"
    entries = [write(folder, name, *kernel[:3]) for name, kernel in KERNELS.items()]
    (folder / "ops.yaml").write_text("".join(entries))
    run = user.run(*BUILD, "test", "wrong", cwd=folder.parent)
    assert run.returncode == 1, run.stdout + run.stderr
    return run.stdout


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel(said: str, name: str) -> None:
    told = KERNELS[name][3]
    faults = re.findall(rf"^wrong/ops.yaml:\d+: ({name}: .*)", said, re.MULTILINE)
    assert len(faults) == (told is not None), said[-3000:]
    assert told is None or re.search(told, said), said[-3000:]


def write_beside(folder: Path, name: str) -> str:
    """Writes a kernel of `BESIDE`; its entry."""
    (yaml, cpp), (result, more, reference, sample), body, _ = BESIDE[name]
    (folder / "kernels").mkdir(parents=True, exist_ok=True)
    text = BESIDE_KERNEL.format(name=name, parameters=cpp, body=body)
    (folder / f"kernels/{name}.cc").write_text(text)
    told = {"result": result, "more": more, "reference": reference, "sample": sample}
    return BESIDE_ENTRY.format(name=name, parameters=yaml, **told)


def test_what_samples_do_not_show(user: Installed, tmp_path: Path) -> None:
    entries = [write_beside(tmp_path / "beside", name) for name in BESIDE]
    (tmp_path / "beside/ops.yaml").write_text("".join(entries))
    run = user.run(*BUILD, "test", "beside", cwd=tmp_path)
    assert run.returncode == 1, run.stdout + run.stderr
    place = r"beside/ops.yaml:\d+"
    told = rf"by_default: 'by' is compared with its default alone: no sample of {place} gives it"
    assert re.search(told, run.stdout), run.stdout[-3000:]
    for name, (*_, call) in BESIDE.items():
        if call is None:
            continue
        beside = (
            ""
            if ", with " in call
            else r", float\w+, contiguous\n  beside its sample: .* instead of "
        )
        told = rf"{name}: its values are not those of its reference\n  call: {call}{beside}"
        assert re.search(told, run.stdout), run.stdout[-3000:]
    assert "dim=-1 instead of dim=1\n" in run.stdout


def test_empty_samples_compare_nothing(said: str) -> None:
    place = r"wrong/ops.yaml:\d+"
    told = (
        rf"of_nothing: values are compared with nothing: no result of the samples of {place} has an"
    )
    assert re.search(told, said), said[-1000:]
    assert "right: values" not in said


# A gradient that another kernel computes, wrongly in float32 alone; and a result that is said to be constant.
GRADIENTS = {
    "ops.yaml": """\
- func: twice(Tensor self) -> (Tensor doubled, Tensor total)
  kernels: [cpu]
  dtypes: floating
  result: {doubled: self.sizes(), total: []}
  samples: [{self: real(2x3)}]
- func: slope(Tensor self) -> Tensor
  kernels: [cpu]
  dtypes: floating
  result: self.sizes()
  samples: [{self: real(2x3)}]
""",
    "derivatives.yaml": """\
- name: twice
  self: slope(grad)
  output_differentiability: [true, false]
- name: slope
  self: grad * 2
""",
    "kernels/slope.cc": KERNEL.format(
        name="slope",
        body=EACH.format("static_cast<T>(in[i] * T(std::is_same_v<T, float> ? 3.f : 2.f))"),
    ),
    "kernels/twice.cc": KERNEL.format(
        name="twice",
        body="T sum = T(0.f); for (int64_t i = 0; i < n; ++i) {\n"
        "to[i] = static_cast<T>(in[i] * T(2.f)); sum = static_cast<T>(sum + in[i]); }\n"
        "*static_cast<T*>(total.raw_data()) = sum;",
    ).replace("Tensor& out)", "Tensor& out, Tensor& total)"),
}


def test_gradients(user: Installed, tmp_path: Path) -> None:
    for file, text in GRADIENTS.items():
        (tmp_path / "sloped" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "sloped" / file).write_text(text)
    run = user.run(*BUILD, "test", "sloped", cwd=tmp_path)
    assert run.returncode == 1, run.stdout + run.stderr
    said = run.stdout
    told = (
        r"sloped/derivatives.yaml:2: the gradient of twice by 'self' is wrong in float32\n"
        r"  call: twice\(self=real\(2x3\)\)\n  element \d is "
    )
    assert re.search(told, said), said[-3000:]
    assert "in bfloat16" not in said, said[-3000:]
    assert (
        "twice: result 1 depends on arguments and has no gradient, as 'output_differentiability' says "
        "(sloped/derivatives.yaml:2)" in said
    ), said[-3000:]


# A gradient whose kernel takes what comes in for contiguous, as behind a sum it is not.
LAYOUTS = {
    "ops.yaml": """\
- func: twice(Tensor self) -> Tensor
  kernels: [cpu]
  dtypes: floating
  result: self.sizes()
  reference: self * 2
  samples: [{self: real(2x3)}]
- func: slope(Tensor self) -> Tensor
  kernels: [cpu]
  dtypes: floating
  internal: true
  result: self.sizes()
""",
    "derivatives.yaml": """\
- name: twice
  self: slope(grad)
- name: slope
  self: grad * 2
""",
    "kernels/slope.cc": KERNEL.format(
        name="slope",
        body=EACH.format("static_cast<T>((self.is_contiguous() ? in[i] : T(7.f)) * T(2.f))"),
    ),
    "kernels/twice.cc": KERNEL.format(
        name="twice", body=EACH.format("static_cast<T>(in[i] * T(2.f))")
    ),
}


def test_layouts_of_gradients(user: Installed, tmp_path: Path) -> None:
    for file, text in LAYOUTS.items():
        (tmp_path / "laid" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "laid" / file).write_text(text)
    run = user.run(*BUILD, "test", "laid", cwd=tmp_path)
    assert run.returncode == 1, run.stdout + run.stderr
    told = (
        "laid/derivatives.yaml:2: the gradient of twice by 'self' is wrong where the gradient of the result "
        "is expanded: a kernel takes it for contiguous\n  call: twice(self=real(2x3))"
    )
    assert told in run.stdout, run.stdout[-3000:]


# Derivatives and batching rules that are right where their samples look: parameters beside `self` in both
# languages, the entry, the body of the kernel, the formulas, and what is told.
BENT_ENTRY = """\
- func: {name}(Tensor self{parameters}) -> Tensor
  kernels: [cpu]
  dtypes: floating
  {more}
"""
SIZES = "result: self.sizes()\n  "
OF_DIM = "roles: {dim: dim}\n  batching: loop\n  " + SIZES + "samples: [{self: real(2x3), dim: 1}]"
WITH_DIM = (", int dim", ", int64_t dim")
TOTAL = """\
for (int64_t i = 0; i < out.numel(); ++i) to[i] = T(0.f);
for (int64_t i = 0; i < x.size(0); ++i)
  for (int64_t j = 0; j < x.size(1); ++j) {
    T& sum = to[dim == 0 || dim == -2 ? j : i];
    sum = static_cast<T>(sum + in[i * x.size(1) + j]);
  }
(void)keepdim;
"""
BENT = {
    "flag": (
        (", bool turned=False", ", bool turned"),
        SIZES + "samples: [{self: real(2x3)}]",
        SCALED.format("turned ? -2.f : 2.f"),
        "self: grad * 2",
        "the gradient of flag by 'self' is not that of its values\n  call: flag(self=real(2x3),turned=True)\n"
        "  beside its sample: turned=True instead of no 'turned'\n  element 0 of the result changes by -2 "
        "per unit of element 0 of the argument; the formula says 2",
    ),
    "other_dim": (
        WITH_DIM,
        OF_DIM,
        SCALED.format("dim == 0 || dim == -2 ? 3.f : 2.f"),
        "self: grad * 2",
        "the gradient of other_dim by 'self' is not that of its values\n"
        "  call: other_dim(self=real(2x3),dim=0)\n  beside its sample: dim=0 instead of dim=1\n",
    ),
    "from_the_end": (
        WITH_DIM,
        OF_DIM,
        SCALED.format("dim + 10 > 0 ? 2.f : 3.f"),
        'self: "dim < 0 ? grad : grad * 2"',
        "the gradient of from_the_end by 'self' is not that of its values\n"
        "  call: from_the_end(self=real(2x3),dim=-1)\n",
    ),
    "kept": (
        (", int dim, bool keepdim=False", ", int64_t dim, bool keepdim"),
        'roles: {dim: dim}\n  batching: loop\n  require: {self.dim() == 2: "kept(): a matrix"}\n  '
        "result: reduced(self.sizes(), dim, keepdim)\n  samples: [{self: real(2x3), dim: 1}]",
        TOTAL,
        "self: grad.unsqueeze(dim).expand(self.sizes())",
        "the gradient of kept by 'self' cannot be computed: RuntimeError: expand(",
    ),
    "forward": (
        (", bool turned=False", ", bool turned"),
        SIZES + "samples: [{self: real(2x3)}]",
        SCALED.format("turned ? -2.f : 2.f"),
        'self: "turned ? grad * -2 : grad * 2"\n  result: self_t * 2',
        "the tangent of forward does not agree with its gradient\n"
        "  call: forward(self=real(2x3),turned=True)\n",
    ),
    "squeezed": (
        ("", ""),
        "result: [self.size(0), 1, self.size(1)]\n  "
        'require: {self.dim() == 2: "squeezed(): a matrix"}\n  samples: [{self: real(2x3)}]',
        SCALED.format("2.f"),
        "self: squeeze(grad) * 2",
        "the gradient of squeezed by 'self' cannot be computed: ",
    ),
    "batch": (
        (", bool whole=False", ", bool whole"),
        SIZES + "batching: pointwise\n  differentiable: false\n  samples: [{self: real(2x3)}]",
        "for (int64_t i = 0; i < out.numel(); ++i) to[i] = whole ? in[0] : in[i];",
        "",
        "batch: vmap gives something else than a loop over the examples\n"
        "  call: batch(self=real(2x3),whole=True)\n  beside its sample: whole=True instead of no 'whole'\n",
    ),
    "second": (
        WITH_DIM,
        OF_DIM,
        SCALED.format("dim + 10 > 0 ? 2.f : 3.f"),
        "self: second_slope(grad, dim)\n  result: self_t * 2",
        "the second derivative of second is wrong\n  call: second(self=real(2x3),dim=0)\n",
    ),
    "second_slope": (
        WITH_DIM,
        "internal: true\n  batching: loop\n  roles: {dim: dim}\n  " + SIZES,
        SCALED.format("dim + 10 > 0 ? 2.f : 3.f"),
        'self: "dim == 0 ? grad : grad * 2"',
        "",
    ),
}


def test_what_samples_do_not_show_of_derivatives(user: Installed, tmp_path: Path) -> None:
    entries, formulas = [], []
    (tmp_path / "bent/kernels").mkdir(parents=True)
    for name, ((yaml, cpp), more, body, formula, _) in BENT.items():
        entries.append(BENT_ENTRY.format(name=name, parameters=yaml, more=more))
        text = BESIDE_KERNEL.format(name=name, parameters=cpp, body=body)
        (tmp_path / f"bent/kernels/{name}.cc").write_text(text)
        formulas += [f"- name: {name}\n  {formula}\n"] if formula else []
    (tmp_path / "bent/ops.yaml").write_text("".join(entries))
    (tmp_path / "bent/derivatives.yaml").write_text("".join(formulas))
    run = user.run(*BUILD, "test", "bent", cwd=tmp_path)
    assert run.returncode == 1, run.stdout + run.stderr
    for *_, told in BENT.values():
        assert told in run.stdout, told + run.stdout[-3000:]
    places = re.findall(r"^bent/(?:ops|derivatives).yaml:\d+: .*", run.stdout, re.MULTILINE)
    assert len(places) == len(BENT) - 1, run.stdout[-3000:]


def test_it_is_short(said: str) -> None:
    assert len(said.splitlines()) < 50
    assert "During handling" not in said


def test_memory_that_others_have(user: Installed, tmp_path: Path) -> None:
    """A kernel that writes it may end the tests in a call of another one, which is innocent."""
    ends = f"if (std::is_same_v<T, float>) std::abort(); {SQUARE}"
    entries = [
        write(tmp_path / "beyond", name, body, "self * self", "real(2x3)")
        for name, body in (("ends", ends), ("behind", f"{SQUARE} to[n] = T(5);"))
    ]
    (tmp_path / "beyond/ops.yaml").write_text("".join(entries))
    run = user.run(*BUILD, "test", "beyond", cwd=tmp_path)
    assert run.returncode == 1
    assert run.stderr.rstrip().endswith(
        "no test after it has run:\n  ends(self=real(2x3))\nThis was found before, and may be why:\n"
        "beyond/ops.yaml:7: behind: it writes memory before or behind its result\n"
        "  call: behind(self=real(2x3))"
    ), run.stderr[-1000:]


def test_a_kernel_without_an_end(user: Installed, tmp_path: Path) -> None:
    body = f"{SQUARE} while (n == 3) std::this_thread::sleep_for(std::chrono::milliseconds(50));"
    entry = write(tmp_path / "endless", "endless", body, "self * self", "real(2x3)")
    text = entry.replace("real(2x3)}]", "real(2x3)}, {self: real(3)}]")
    (tmp_path / "endless/ops.yaml").write_text(text)
    run = user.run(*BUILD, "test", "endless", cwd=tmp_path, OPWEAVE_TEST_SECONDS="3")
    assert run.returncode == 1
    assert run.stderr.rstrip().endswith(
        "endless: this call of an operator has not ended within 3 s (OPWEAVE_TEST_SECONDS allows others), "
        "and no test after it has run:\n  endless(self=real(3))"
    )
