"""Names that can be imported and say when they are used what is not there, and modules below targets."""

import importlib

import opweave as ow
import pytest


def test_extensions_in_cpp_are_built_otherwise():
    extensions = importlib.import_module("opweave.utils.cpp_extension")
    for name in ("load", "load_inline", "CppExtension", "CUDAExtension", "include_paths"):
        with pytest.raises(NotImplementedError, match=f"cpp_extension.{name}: .*opweave.build"):
            getattr(extensions, name)("name", ["a.cc"])
    with pytest.raises(NotImplementedError, match=r"BuildExtension: .*opweave.build"):
        extensions.BuildExtension.with_options(use_ninja=True)()
    assert extensions.check_compiler_ok_for_platform("no-such-compiler") is False


def test_targets_give_their_names_themselves():
    with pytest.raises(
        NotImplementedError, match=r"rename_privateuse1_backend\('mine'\): a target is"
    ):
        ow.utils.rename_privateuse1_backend("mine")
    with pytest.raises(NotImplementedError, match="generate_methods_for_privateuse1_backend"):
        ow.utils.generate_methods_for_privateuse1_backend()


@pytest.mark.skipif(ow.cuda.is_available(), reason="about machines without a GPU")
def test_modules_of_a_target_without_devices():
    parts = ("amp", "comm", "graphs", "memory", "nccl", "nvtx", "profiler", "random", "streams")
    modules = {name: importlib.import_module(f"opweave.cuda.{name}") for name in parts}
    assert modules["memory"].memory_allocated() == 0
    assert modules["memory"].memory_stats_as_nested_dict() == {}
    assert modules["random"].get_rng_state_all() == []
    assert modules["streams"].Stream is ow.cuda.Stream
    assert modules["graphs"].CUDAGraph is ow.cuda.CUDAGraph
    assert ow.cuda.get_arch_list() == []
    for name in ("temperature", "cudart", "MemPool", "set_sync_debug_mode"):
        with pytest.raises(RuntimeError, match=f"opweave.cuda.{name}: no usable cuda device"):
            getattr(ow.cuda, name)()
    with pytest.raises(RuntimeError, match=r"opweave.cuda.profiler: no usable cuda device"):
        modules["profiler"].start()
    with pytest.raises(NotImplementedError, match=r"nccl.all_reduce: opweave.distributed"):
        modules["nccl"].all_reduce([ow.ones(1)])


def test_what_a_target_has_not_is_not_found():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'opweave.cuda.nothing'"):
        importlib.import_module("opweave.cuda.nothing")
    with pytest.raises(
        AttributeError, match=r"module 'opweave.cuda.random' has no attribute 'memory"
    ):
        _ = importlib.import_module("opweave.cuda.random").memory_allocated
    assert importlib.import_module("opweave.meta") is ow.meta


def test_edges_of_other_nodes_are_refused():
    x = ow.ones(2, requires_grad=True)
    node = (x * 2).grad_fn
    edge = ow.autograd.graph.GradientEdge(*node.next_functions[0])
    with pytest.raises(NotImplementedError, match="expected one that get_gradient_edge"):
        ow.autograd.grad((x * 2).sum(), edge)
    y = x * 1
    edge = ow.autograd.graph.get_gradient_edge(y)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="its tensor was written in place since"):
        ow.autograd.grad(y.sum(), edge)


def test_settings_that_are_not_there_are_refused():
    with pytest.raises(
        NotImplementedError, match=r"grad_dtype: a gradient has the dtype of its tensor"
    ):
        ow.ones(1).grad_dtype = ow.float64
    leaf = ow.ones(2, requires_grad=True)
    with pytest.raises(NotImplementedError, match=r"as_strided_\(\): not recorded"):
        (leaf * 1).as_strided_((1,), (1,))
    with pytest.raises(NotImplementedError, match="options has to be None"):
        ow.nn.functional.linear_cross_entropy(ow.ones(1), ow.ones(2, 1), ow.tensor(0), options=1)
    with pytest.raises(RuntimeError, match="Invalid reduction type encountered: 3"):
        ow.margin_ranking_loss(leaf, leaf, leaf, 0.5, 3)


@pytest.mark.parametrize("engine", ["philox", "mt19937"])
def test_counts_without_an_end_are_refused(engine):
    # PyTorch draws forever.
    generator = ow.Generator(engine=engine)
    with pytest.raises(RuntimeError, match="non-negative and finite, got inf"):
        ow.poisson(ow.tensor([1.0, float("inf")]), generator)
    with pytest.raises(RuntimeError, match="expected finite counts, got inf"):
        ow.binomial(ow.tensor([float("inf")]), ow.tensor([0.5]), generator)
    assert ow.binomial(ow.tensor([float("nan")]), ow.tensor([0.5]), generator).isnan().all()


def test_counts_are_drawn_by_their_distribution():
    generator = ow.Generator().manual_seed(1)
    for rate in (0.5, 4.0, 30.0):
        drawn = ow.poisson(ow.full((4000,), rate), generator)
        assert abs(float(drawn.mean()) - rate) < 5 * (rate / 4000) ** 0.5
        assert float(drawn.var()) == pytest.approx(rate, rel=0.15)
    for count, share in ((5.0, 0.3), (100.0, 0.4), (60.0, 0.9)):
        drawn = ow.binomial(ow.full((4000,), count), ow.full((4000,), share), generator)
        spread = count * share * (1 - share)
        assert abs(float(drawn.mean()) - count * share) < 5 * (spread / 4000) ** 0.5
        assert float(drawn.var()) == pytest.approx(spread, rel=0.15)


def test_what_a_report_needs(capsys):
    importlib.import_module("opweave.utils.collect_env").main()
    assert f"Opweave version: {ow.__version__}" in capsys.readouterr().out
