"""Settings of PyTorch's programs: each acts, or says why not."""

import subprocess
import sys
import warnings

import pytest


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_small_floats_are_zeros(ow):
    least = 2.0**-149
    x = ow.full((100_000,), least)
    threads = ow.get_num_threads()
    ow.set_num_threads(2)
    try:
        assert ow.set_flush_denormal(True) is True
        assert (x * 1).count_nonzero() == 0
        assert ow.set_flush_denormal(False) is True
        assert (x * 1).count_nonzero() == x.numel()
    finally:
        ow.set_flush_denormal(False)
        ow.set_num_threads(threads)
    with pytest.raises(TypeError, match="set_flush_denormal expects a bool, but got int"):
        ow.set_flush_denormal(1)


def test_interop_threads_are_said_once():
    code = (
        "import opweave as ow; ow.set_num_interop_threads(2); print(ow.get_num_interop_threads())"
    )
    assert run(code) == "2"
    assert "cannot set number of interop threads after" in run(
        "import opweave as ow; ow.set_num_interop_threads(2); ow.set_num_interop_threads(2)"
    )
    assert "expects an int, but got str" in run(
        "import opweave as ow; ow.set_num_interop_threads('2')"
    )


TOGETHER = """
import threading
import opweave as ow
both = threading.Barrier(2, timeout=20)
def meets(x):
    both.wait()
    return x.sum(), ow.is_grad_enabled(), ow.is_autocast_enabled("cpu"), threading.current_thread().name
{set}
with ow.no_grad(), ow.autocast("cpu"):
    futures = [ow.jit.fork(meets, ow.ones(n)) for n in (2, 3)]
for future in futures:
    total, grad, autocast, name = ow.jit.wait(future)
    print(total.item(), grad, autocast, name.startswith("opweave-interop"), end="; ")
"""


def test_interop_threads_make_the_calls_that_are_forked():
    met = run(TOGETHER.format(set="ow.set_num_interop_threads(2)"))
    assert met == "2.0 False True True; 3.0 False True True;"
    alone = TOGETHER.format(set="ow.set_num_interop_threads(1); both = threading.Barrier(1)")
    assert run(alone) == "2.0 False True False; 3.0 False True False;"
    assert run("import opweave as ow; print(ow.get_num_interop_threads())") == "1"


def test_a_forked_call_may_fork_and_wait():
    code = """
import opweave as ow
ow.set_num_interop_threads(2)
def inner(n):
    return 1 if n == 0 else sum(ow.jit.wait(ow.jit.fork(inner, n - 1)) for _ in range(2))
print(sum(ow.jit.wait(f) for f in [ow.jit.fork(inner, 4) for _ in range(4)]))
def fails():
    raise KeyError("x")
future = ow.jit.fork(fails)
try:
    future.wait()
except KeyError as error:
    print("raised", error)
"""
    assert run(code) == "64\nraised 'x'"


def test_a_word_that_is_none_for_products(ow):
    with pytest.warns(UserWarning, match="x is not one of 'highest', 'high', or 'medium'"):
        ow.set_float32_matmul_precision("x")
    with pytest.raises(RuntimeError, match="expects a str, but got int"):
        ow.set_float32_matmul_precision(3)
    assert ow.get_float32_matmul_precision() == "highest"


def test_warnings_that_come_always(ow):
    def how_often():
        with warnings.catch_warnings(record=True) as seen:
            warnings.resetwarnings()
            ow.set_warn_always(ow.is_warn_always_enabled())
            for _ in range(3):
                warnings.warn("again", UserWarning, stacklevel=1)
        return len(seen)

    with warnings.catch_warnings():
        assert how_often() == 1
        ow.set_warn_always(True)
        assert ow.is_warn_always_enabled()
        assert how_often() == 3
        ow.set_warn_always(False)
        assert how_often() == 1
    with pytest.raises(RuntimeError, match="expects a bool, but got int"):
        ow.set_warn_always(1)


def test_modules_of_devices(ow):
    assert ow.get_device_module("cpu") is ow.cpu
    assert ow.get_device_module(ow.device("cuda:1")) is ow.cuda
    assert ow.get_device_module() is ow.get_device_module(
        ow.accelerator.current_accelerator() or "cpu"
    )
    with pytest.raises(
        RuntimeError, match="Invalid value of device '3', expect device, str, or None"
    ):
        ow.get_device_module(3)


def test_types_of_tensors_elsewhere(ow):
    wanted = ow.cuda.FloatTensor
    assert (wanted.__module__, wanted.dtype, wanted.device.type) == (
        "opweave.cuda",
        ow.float32,
        "cuda",
    )
    assert not isinstance(ow.ones(1), wanted)
    assert isinstance(ow.ones(1), ow.FloatTensor)
    assert not isinstance(ow.ones(1, device="meta"), ow.FloatTensor)
    assert ow.ones(1, device="meta").type() == "opweave.meta.FloatTensor"
    assert ow.ones(1).type("torch.meta.LongTensor").device.type == "meta"
    assert ow.ones(1).type(ow.LongTensor).dtype is ow.int64
    with pytest.raises(ValueError, match=r"invalid type: 'torch\.nope\.LongTensor'"):
        ow.ones(1).type("torch.nope.LongTensor")
    with pytest.raises(AttributeError, match=r"module 'opweave\.cuda' has no attribute 'NoTensor'"):
        ow.cuda.NoTensor  # noqa: B018


def test_without_a_gpu(ow):
    if ow.cuda.is_available():
        pytest.skip("there is a GPU")
    assert ow.device("cuda:0").index == 0
    assert ow.cuda.default_generators == ()
    assert ow.cuda.memory_stats() == {}
    assert ow.cuda.is_current_stream_capturing() is False
    assert ow.cuda.OutOfMemoryError is ow.OutOfMemoryError
    with pytest.raises(RuntimeError, match="no usable cuda device"):
        ow.cuda.can_device_access_peer(0, 1)
    with pytest.raises(RuntimeError, match="device type 'cuda' has no devices"):
        ow.cuda.FloatTensor(2)


def test_settings_of_backends_together(ow):
    cudnn, mkldnn, miopen = ow.backends.cudnn, ow.backends.mkldnn, ow.backends.miopen
    first = cudnn.set_flags(False, True, 5, True, False, "ieee", "native")
    assert first == (True, False, 10, False, True, "none", "auto")
    found = cudnn.enabled, cudnn.benchmark, cudnn.benchmark_limit, cudnn.deterministic
    assert found == (False, True, 5, True)
    assert cudnn.set_flags(*first) == (False, True, 5, True, False, "ieee", "native")
    assert cudnn.set_flags() == first
    with pytest.raises(RuntimeError, match=r"cudnn\.benchmark expects bool, but got int"):
        cudnn.set_flags(_benchmark=3)
    assert mkldnn.set_flags(_deterministic=True) == (True, False, None, "none")
    assert mkldnn.set_flags(_deterministic=False) == (True, True, None, "none")
    with pytest.raises(RuntimeError, match="oneDNN computes products"):
        mkldnn.set_flags(_enabled=False)
    assert miopen.set_flags(True) == (False,)
    with miopen.flags(immediate=False):
        assert miopen.immediate is False
    assert miopen.set_flags(False) == (True,)
    assert ow.backends.xnnpack.enabled is False
    with pytest.raises(RuntimeError, match=r"xnnpack\.enabled = True: Assignment not supported"):
        ow.backends.xnnpack.enabled = True


def test_backends(ow):
    backends = ow.backends
    assert backends.mkldnn.is_available()
    assert backends.mkldnn.enabled
    with pytest.raises(RuntimeError, match=r"mkldnn\.enabled = False: oneDNN computes products"):
        backends.mkldnn.enabled = False
    with backends.mkldnn.flags(deterministic=True):
        assert backends.mkldnn.deterministic
    assert not backends.mkldnn.deterministic
    assert backends.quantized.engine == "none"
    with pytest.raises(RuntimeError, match=r"engine expects one of none, but got 'x86'"):
        backends.quantized.engine = "x86"
    with pytest.raises(
        RuntimeError, match=r"fp32_precision expects one of ieee, tf32, bf16, none, but got 'x'"
    ):
        backends.fp32_precision = "x"
    assert not any(
        getattr(backends, name).is_available() for name in ("nnpack", "kleidiai", "cusparselt")
    )
    with (
        pytest.warns(FutureWarning, match="deprecated"),
        backends.cuda.sdp_kernel(enable_flash=False),
    ):
        assert not backends.cuda.flash_sdp_enabled()
    assert backends.cuda.flash_sdp_enabled()


def test_what_is_read_alone(ow):
    quantized, xnnpack = ow.backends.quantized, ow.backends.xnnpack
    assert (quantized.supported_engines, xnnpack.enabled) == (["none"], False)
    with pytest.raises(RuntimeError, match=r"supported_engines = \[\]: Assignment not supported"):
        quantized.supported_engines = []
    with pytest.raises(RuntimeError, match=r"xnnpack\.enabled = False: Assignment not supported"):
        xnnpack.enabled = False
    assert (ow.backends.cusparselt.version(), ow.backends.cusparselt.get_max_alg_id()) == (
        None,
        None,
    )
    assert not ow.backends.mps.is_macos_or_newer(13, 0)
    assert not ow.backends.mps.is_macos13_or_newer()
    assert not ow.backends.mkldnn.is_acl_available()


def test_libraries_that_print_their_calls(ow):
    mkl, mkldnn = ow.backends.mkl, ow.backends.mkldnn
    with mkl.verbose(mkl.VERBOSE_OFF), mkldnn.verbose(mkldnn.VERBOSE_OFF):
        ow.ones(1)
    with pytest.raises(RuntimeError, match="no kernel uses MKL"), mkl.verbose(mkl.VERBOSE_ON):
        pass
    with pytest.raises(RuntimeError, match="ONEDNN_VERBOSE=1"), mkldnn.verbose(mkldnn.VERBOSE_ON):
        pass


def test_flags_of_cudnn_are_all_set(ow):
    """What a program does not name has PyTorch's defaults, and not what it was."""
    cudnn = ow.backends.cudnn
    cudnn.benchmark = cudnn.deterministic = True
    try:
        with cudnn.flags(enabled=True):
            assert (cudnn.enabled, cudnn.benchmark, cudnn.deterministic) == (True, False, False)
        assert (cudnn.enabled, cudnn.benchmark, cudnn.deterministic) == (True, True, True)
    finally:
        cudnn.benchmark = cudnn.deterministic = False


def test_nnpack(ow):
    nnpack = ow.backends.nnpack
    assert nnpack.set_flags(False) == (True,)
    with nnpack.flags(enabled=True):
        assert nnpack.set_flags(True) == (True,)
    assert nnpack.set_flags(True) == (False,)
    with pytest.raises(RuntimeError, match=r"nnpack\.enabled expects bool, but got int"):
        nnpack.set_flags(1)


def test_settings_that_change_within_flags_alone():
    code = """
import opweave as ow
ow.backends.disable_global_flags()
with ow.backends.cudnn.flags(benchmark=True):
    print(ow.backends.cudnn.benchmark, end=" ")
print(ow.backends.flags_frozen(), ow.backends.cudnn.benchmark)
ow.backends.cudnn.benchmark = True
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "True True False\n"
    assert (
        "not allowed to set opweave.backends.cudnn flags after disable_global_flags" in done.stderr
    )


def test_the_default_by_a_type_of_tensors(ow):
    try:
        for name, dtype in (("torch.DoubleTensor", ow.float64), (ow.FloatTensor, ow.float32)):
            ow.set_default_tensor_type(name)
            assert ow.tensor(1.0).dtype is dtype
        ow.set_default_device("meta")
        ow.set_default_tensor_type("torch.FloatTensor")
        assert ow.ones(1).is_meta  # what somebody else set
    finally:
        ow.set_default_device(None)
        ow.set_default_dtype(ow.float32)
    for wrong in ("torch.LongTensor", "torch.nope.FloatTensor", "x", ow.float32, None, ow.Tensor):
        with pytest.raises(
            TypeError, match="only floating-point types are supported as the default"
        ):
            ow.set_default_tensor_type(wrong)


def test_the_default_by_a_type_of_devices_that_are_not_there(ow):
    if ow.cuda.is_available():
        pytest.skip("there is a GPU")
    for wanted in ("torch.cuda.HalfTensor", ow.cuda.HalfTensor):
        with pytest.raises(TypeError, match=r"type opweave\.cuda\.HalfTensor not available"):
            ow.set_default_tensor_type(wanted)
    assert ow.tensor(1.0).dtype is ow.float32
