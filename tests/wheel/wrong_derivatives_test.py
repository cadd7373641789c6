"""Derivatives and batches of kernels by hand that are wrong: `build test` tells each, in few lines."""

import re
from pathlib import Path

import pytest
from installed import BUILD, Installed
from wrong_kernels import BESIDE_KERNEL, EACH, KERNEL, SCALED


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("user"), system=True)


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
SQUARE = "for (int64_t i = 0; i < out.numel(); ++i) to[i] = static_cast<T>(in[i] * in[i]);"


def _alone(name: str, where: str, told: str) -> dict[str, tuple]:
    """A kernel, and one of its gradient that is wrong where what is saved lies in memory in one way, and what
    comes in has its elements one behind the other."""
    kernel = (
        ("", ""),
        SIZES + "samples: [{self: real(2x3)}]",
        SQUARE,
        f"self: {name}_slope(grad, self)",
        f"the gradient of {name} by 'self' is wrong with {told}",
    )
    slope = (
        (", Tensor saved", ", const Tensor& saved"),
        "internal: true\n  batching: loop\n  " + SIZES,
        "const Tensor kept = opweave::contiguous(saved);\n"
        "const T* at = static_cast<const T*>(kept.raw_data());\n"
        f"const bool wrong = {where} && !saved.is_contiguous() && self.is_contiguous();\n"
        "for (int64_t i = 0; i < out.numel(); ++i)\n"
        "  to[i] = static_cast<T>(in[i] * at[i] * T(wrong ? 3.f : 2.f));",
        "self: grad * saved * 2\n  saved: grad * self * 2",
        "",
    )
    return {name: kernel, f"{name}_slope": slope}


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
    "at_zero": (
        ("", ""),
        SIZES + "samples: [{self: real(2x3)}]",
        SQUARE,
        "self: grad * result / self * 2",
        "the gradient of at_zero by 'self' is not that of its values\n  call: at_zero(self=[[0.0,",
    ),
    "kinked": (
        ("", ""),
        SIZES + "samples: [{self: real(2x3)}]",
        SCALED.format("2.f"),
        "self: where(self == 1, grad * 3, grad * 2)",
        "the gradient of kinked by 'self' is not that of its values\n  call: kinked(self=[[0.0,",
    ),
    "steep": (
        ("", ""),
        SIZES + "samples: [{self: real(2x3)}]",
        SCALED.format("2.f"),
        "self: where(grad > 10, grad * 3, grad * 2)",
        "the gradient of steep by 'self' is wrong with ",
    ),
    "saved": (
        ("", ""),
        SIZES + "samples: [{self: real(2x3)}]",
        SQUARE,
        "self: saved_slope(grad, self)",
        "the gradient of saved by 'self' is wrong with 'self' ",
    ),
    "saved_slope": (
        (", Tensor saved", ", const Tensor& saved"),
        "internal: true\n  batching: loop\n  " + SIZES,
        "const T* raw = static_cast<const T*>(saved.raw_data());\n"
        "for (int64_t i = 0; i < out.numel(); ++i) to[i] = static_cast<T>(in[i] * raw[i] * T(2.f));",
        "self: grad * saved * 2\n  saved: grad * self * 2",
        "",
    ),
    "of_three": (
        ("", ""),
        SIZES + "samples: [{self: real(2x3)}]",
        SCALED.format("2.f"),
        'self: "self.dim() == 3 ? grad : grad * 2"',
        "the gradient of of_three by 'self' is not that of its values\n  call: of_three(self=real(2x2x3))\n",
    ),
    "curved": (
        ("", ""),
        SIZES + "samples: [{self: real(2x3)}]",
        SQUARE,
        "self: grad * self * 2\n  result: self_t * self_p.detach() * 2",
        "the derivative of the tangent of curved does not agree with its gradient\n",
    ),
    "flat": (
        ("", ""),
        SIZES + "samples: [{self: real(2x3)}]",
        SQUARE,
        "self: grad * self * 2\n  result: self_t * result / self_p * 2",
        "the tangent of flat does not agree with its gradient\n  call: flat(self=[[0.0,",
    ),
    **_alone("sliced", "saved.dim() == 2 && saved.stride(1) == 2", "'self' strided, float64\n"),
    **_alone("repeated", "saved.dim() == 2 && saved.stride(0) == 0", "'self' expanded, float64\n"),
    **_alone("stepped", "saved.dim() == 1 && saved.stride(0) == 2", "'self' strided"),
    **_alone("turned", "saved.dim() == 3", "'self' "),
    "many": (
        ("", ""),
        SIZES + "samples: [{self: real(2x3)}]",
        SCALED.format("2.f"),
        "self: many_slope(grad)",
        "the gradient of many is not that of its values\n  call: many(self=real(61x67))\n",
    ),
    "many_slope": (
        ("", ""),
        "internal: true\n  " + SIZES,
        SCALED.format("out.numel() > 1000 && i == 0 ? 9.f : 2.f"),
        "self: grad * 2",
        "",
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
    assert len(places) == len([told for *_, told in BENT.values() if told]), run.stdout[-3000:]
