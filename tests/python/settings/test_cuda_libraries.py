"""torch.backends.cuda and nn.attention as scripts ask of them: what can be chosen, what says it cannot."""

import opweave as ow
import pytest
from opweave.nn import attention
from opweave.nn.attention.bias import CausalBias, causal_lower_right, causal_upper_left

cuda = ow.backends.cuda


def test_preferred_libraries():
    for choose, other, names in (
        (cuda.preferred_linalg_library, "magma", "default, cusolver, magma"),
        (
            cuda.preferred_blas_library,
            "cublaslt",
            "default, cublas, hipblas, cublaslt, hipblaslt, ck",
        ),
        (cuda.preferred_rocm_fa_library, "ck", "default, aotriton, ck"),
    ):
        assert choose() is choose("default")
        with pytest.raises(RuntimeError, match=f"backend: {other} cannot be preferred"):
            choose(other)
        with pytest.raises(RuntimeError, match=f"Unknown input value 'x'. Choose from: {names}"):
            choose("x")
        with pytest.raises(RuntimeError, match="Unknown input value type int, expected str or"):
            choose(3)
    assert cuda.is_ck_sdpa_available() is False


def test_plans_of_transforms():
    for use in (
        lambda: cuda.cufft_plan_cache.size,
        lambda: cuda.cufft_plan_cache[0],
        lambda: setattr(cuda.cufft_plan_cache, "max_size", 10),
        lambda: setattr(cuda.cufft_plan_cache[0], "max_size", 10),
        lambda: cuda.cuFFTPlanCache(0),
    ):
        with pytest.raises(RuntimeError, match=r"cufft_plan_cache.* no Fourier transforms on CUDA"):
            use()


def test_workspaces():
    if ow.cuda.is_available():
        said = "the memory that products work in is the target's own"
    else:
        said = "no usable cuda device"
    for name in ("cublas_workspace_size", "cublaslt_workspace_size", "blas_workspace_size"):
        with pytest.raises(RuntimeError, match=f"{name}.*: {said}"):
            getattr(cuda, name)(1024)


def test_reductions_of_attention():
    assert cuda.fp16_bf16_reduction_math_sdp_allowed() is False
    cuda.allow_fp16_bf16_reduction_math_sdp(True)
    assert cuda.fp16_bf16_reduction_math_sdp_allowed() is True
    cuda.allow_fp16_bf16_reduction_math_sdp(False)
    with pytest.raises(
        RuntimeError, match="allow_fp16_bf16_reduction_math_sdp expects bool, but got"
    ):
        cuda.allow_fp16_bf16_reduction_math_sdp("yes")


def test_ways_of_attention():
    q = ow.ones(1, 1, 2, 2)
    params = attention.SDPAParams(q, q, q, None, 0.0, False, False)
    assert not attention.can_use_flash_attention(params, True)
    assert not attention.can_use_efficient_attention(params)
    assert not cuda.can_use_cudnn_attention(params)
    with pytest.raises(TypeError, match=r"SDPAParams\(\): key: expected a Tensor, got int"):
        attention.SDPAParams(q, 3, q, None, 0.0, False, False)
    assert attention.list_flash_attention_impls() == []
    assert attention.current_flash_attention_impl() is None
    attention.restore_flash_attention_impl()
    with pytest.raises(ValueError, match=r"impl: expected one of .* got 'FA4'"):
        attention.activate_flash_attention_impl("FA4")


def test_causal_masks_by_name():
    upper, lower = causal_upper_left(2, 4), causal_lower_right(2, 4)
    assert upper.tolist() == [[True, False, False, False], [True, True, False, False]]
    assert lower.tolist() == [[True, True, True, False], [True, True, True, True]]
    assert repr(lower).startswith("tensor([[ True")
    q, k = ow.randn(1, 2, 2, 8), ow.randn(1, 2, 4, 8)
    attend = ow.nn.functional.scaled_dot_product_attention
    found = attend(q, k, k, lower)
    assert type(found) is ow.Tensor
    ow.testing.assert_close(found, attend(q, k, k, ow.tensor(lower.tolist())))
    ow.testing.assert_close(attend(q, k, k, upper), attend(q, k, k, is_causal=True))
    with pytest.raises(AssertionError, match="variant: expected a CausalVariant, got int"):
        CausalBias(1, 2, 3)
    with pytest.raises(AssertionError, match="size must be 2D, got 3D"):
        causal_upper_left(1, 2, 3)


def test_marks_for_other_profilers():
    profiler = ow.autograd.profiler
    for name in ("emit_nvtx", "emit_itt"):
        kind = getattr(profiler, name)
        with pytest.raises(RuntimeError, match=f"{name}: operators are not told to"), kind():
            pass
        with kind(enabled=False):
            ow.ones(1)
    with pytest.raises(
        NotImplementedError, match=r"load_nvprof.'file'.: files of nvprof are not read"
    ):
        profiler.load_nvprof("file")
    from opweave.profiler import itt

    assert itt.is_available() is False
    for call in (
        lambda: itt.mark("a"),
        lambda: itt.range_push("a"),
        itt.range_pop,
        lambda: itt.range("a"),
    ):
        with pytest.raises(RuntimeError, match="nothing is told to ITT"):
            call()
