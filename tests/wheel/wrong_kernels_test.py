"""Kernels that are wrong in ways that are easily overlooked: `build test` tells each, in few lines."""

import re
from pathlib import Path

import pytest
from installed import BUILD, Installed
from wrong_kernels import BESIDE_KERNEL, EACH, KERNEL, SCALED

ENTRY = """\
- func: {name}(Tensor self) -> Tensor
  kernels: [cpu]
  result: self.sizes()
  differentiable: false
  reference: {reference}
  samples: [{{self: {sample}}}]
"""
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
        r"assigned: its kernel is wrong: RuntimeError: assigned\(\): the kernel put another tensor in .*\n"
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
        r"of_unequal_ranks\(self=real\(2x3\),other=real\(\):float64\)",
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
    "of_larger_numbers": (
        (", int count", ", int64_t count"),
        ("self.sizes()", "roles: {count: number}", "self * count", "self: real(2x3), count: 3"),
        SCALED.format("count > 3 ? 3.f : float(count)"),
        r"of_larger_numbers\(self=real\(2x3\),count=4\)",
    ),
    "of_positive_numbers": (
        (", float by", ", double by"),
        ("self.sizes()", "dtypes: floating", "self * by", "self: real(2x3), by: 2.5"),
        SCALED.format("by < 0 ? -by : by"),
        r"of_positive_numbers\(self=real\(2x3\),by=-2.5\)",
    ),
    "of_two_flags": (
        (", bool a=False, bool b=False, bool c=False", ", bool a, bool b, bool c"),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3)"),
        SCALED.format("a && b && !c ? 3.f : 2.f"),
        r"of_two_flags\(self=real\(2x3\),a=True,b=True\)",
    ),
    "of_strided_vectors": (
        ("", ""),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3)"),
        SCALED.format("self.dim() == 1 && !self.is_contiguous() ? 3.f : 2.f"),
        r"of_strided_vectors\(self=real\(3\)\), float\w+, 'self' (strided|expanded)\n",
    ),
    "of_one_strided": (
        (", Tensor other", ", const Tensor& other"),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3), other: real(2x3)"),
        SCALED.format("self.is_contiguous() && !other.is_contiguous() ? 3.f : 2.f"),
        r"of_one_strided\(.*\), float\w+, .*'other' \w+\n",
    ),
    "of_one_mode": (
        (", str mode", ", std::string_view mode"),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3), mode: a"),
        SCALED.format('mode == "a" ? 2.f : 3.f'),
        None,
    ),
    "by_default": (
        (", float by=2", ", double by"),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3)"),
        SCALED.format("by"),
        None,
    ),
    "of_three_dims": (
        ("", ""),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3)"),
        SCALED.format("self.dim() == 3 ? 3.f : 2.f"),
        r"of_three_dims\(self=real\(2x2x3\)\)",
    ),
    "of_two_dims": (
        ("", ""),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(5)"),
        SCALED.format("self.dim() == 2 ? 3.f : 2.f"),
        r"of_two_dims\(self=real\(2x5\)\)",
    ),
    "column_with_row": (
        (", Tensor other", ", const Tensor& other"),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3), other: real(2x3)"),
        SCALED.format(
            "self.dim() == 2 && other.dim() == 2 && self.size(1) == 1 && other.size(0) == 1 "
            "&& self.size(0) > 1 ? 3.f : 2.f"
        ),
        r"column_with_row\(self=real\(2x1\),other=real\(1x3\)\)",
    ),
    "number_with_matrix": (
        (", Tensor other", ", const Tensor& other"),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3), other: real(2x3)"),
        SCALED.format("self.dim() == 0 && other.dim() == 2 ? 3.f : 2.f"),
        r"number_with_matrix\(self=real\(\):float64,other=real\(2x3\)\)",
    ),
    "vector_with_more": (
        (", Tensor other", ", const Tensor& other"),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3), other: real(2x3)"),
        SCALED.format("self.dim() == 1 && other.dim() == 3 ? 3.f : 2.f"),
        r"vector_with_more\(self=real\(3\),other=real\(2x2x3\)\)",
    ),
    "wide_number": (
        (", Tensor other", ", const Tensor& other"),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3), other: real(2x3)"),
        SCALED.format(
            "other.dim() == 0 && other.dtype() == ScalarType::kDouble "
            "&& !std::is_same_v<T, double> ? 3.f : 2.f"
        ),
        r"wide_number\(self=real\(2x3\),other=real\(\):float64\)",
    ),
    "turned_twice": (
        (", Tensor other", ", const Tensor& other"),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3), other: real(2x3)"),
        SCALED.format(
            "self.numel() > 1 && self.raw_data() == other.raw_data() "
            "&& self.stride(0) != other.stride(0) ? 3.f : 2.f"
        ),
        r"turned_twice\(self=real\(3x3\),other=real\(3x3\)\), float64, with 'self'.t\(\) as 'other'\n",
    ),
    "of_no_number": (
        (", int count", ", int64_t count"),
        ("self.sizes()", "roles: {count: number}", "self * count", "self: real(2x3), count: 3"),
        SCALED.format("count == 0 ? 3.f : float(count)"),
        r"of_no_number\(self=real\(2x3\),count=0\)",
    ),
    "of_less_than_none": (
        (", int count", ", int64_t count"),
        ("self.sizes()", "roles: {count: number}", "self * count", "self: real(2x3), count: 3"),
        SCALED.format("count == -1 ? 3.f : float(count)"),
        r"of_less_than_none\(self=real\(2x3\),count=-1\)",
    ),
    "of_whole_numbers": (
        (", Scalar by", ", const Scalar& by"),
        ("self.sizes()", "dtypes: floating", "self * by", "self: real(2x3), by: 2.5"),
        SCALED.format("by.to<double>() == 3 ? 2.f : by.to<double>()"),
        r"of_whole_numbers\(self=real\(2x3\),by=3\)",
    ),
    "of_factor_one": (
        (", float by", ", double by"),
        ("self.sizes()", "dtypes: floating", "self * by", "self: real(2x3), by: 2.5"),
        SCALED.format("by == 1 ? 2. : by"),
        r"of_factor_one\(self=real\(2x3\),by=1.0\)",
    ),
    "kept_of_a_vector": (
        (", int dim, bool keepdim=False", ", int64_t dim, bool keepdim"),
        ("self.sizes()", "roles: {dim: dim}", "self * 2", "self: real(2x3), dim: 1"),
        SCALED.format("self.dim() == 1 && dim == 0 && keepdim ? 3.f : 2.f"),
        r"kept_of_a_vector\(self=real\(3\),dim=0,keepdim=True\)",
    ),
    "kept_from_the_end": (
        (", int dim, bool keepdim=False", ", int64_t dim, bool keepdim"),
        ("self.sizes()", "roles: {dim: dim}", "self * 2", "self: real(2x3), dim: 1"),
        SCALED.format("keepdim && dim < -1 ? 3.f : 2.f"),
        r"kept_from_the_end\(self=real\(2x3\),dim=-2,keepdim=True\)",
    ),
    "of_kept_elements": (
        ("", ""),
        ("self.sizes()", "dtypes: floating", "self * 2", "self: real(2x3)"),
        "static const void* last = nullptr; static double first = 0;\n"
        "const bool same = in == last && out.numel() > 0; last = in;\n"
        "if (!same && out.numel() > 0) first = static_cast<double>(in[0]);\n"
        + SCALED.format("2.f")
        + " if (same) to[0] = static_cast<T>(2 * first);",
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
    told = rf"of_one_mode: 'mode' is compared as 'a' alone: no sample of {place} gives another"
    assert re.search(told, run.stdout), run.stdout[-3000:]
    assert run.stdout.count("kernels ran on one thread: how parallel_for() splits") == 1
    for name, (*_, call) in BESIDE.items():
        if call is None:
            continue
        beside = (
            ""
            if ", with " in call or call.endswith(r"\n")
            else r", float\w+, contiguous\n  beside its sample: .* instead of "
        )
        told = rf"{name}: its values are not those of its reference\n  call: {call}{beside}"
        assert re.search(told, run.stdout), run.stdout[-3000:]
    assert "dim=-1 instead of dim=1\n" in run.stdout
    # Which is seen first depends on whether memory that a test has given back is another's now.
    told = (
        r"of_kept_elements: (result 0 is not that of the same elements in other memory|its values are not "
        r"those of its reference)\n  call: of_kept_elements\(self=real\(2x3\)\), float"
    )
    assert re.search(told, run.stdout), run.stdout[-3000:]


def test_empty_samples_compare_nothing(said: str) -> None:
    place = r"wrong/ops.yaml:\d+"
    told = (
        rf"of_nothing: values are compared with nothing: no result of the samples of {place} has an"
    )
    assert re.search(told, said), said[-1000:]
    assert "right: values" not in said


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
