"""jit, compiler, fx and onnx: what programs say about compilation holds, and what needs it is refused."""

import importlib
import sys
import warnings

import opweave as ow
import pytest
from opweave import compiler, fx, jit, nn, onnx


def test_functions_and_modules_stay_what_they_are():
    def twice(x):
        return x * 2

    layer = nn.Linear(2, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert jit.script(twice) is twice
        assert jit.script(layer) is jit.trace(layer, ow.ones(2)) is layer
        assert jit.trace_module(layer, {"forward": ow.ones(2)}) is layer
    decorators = [jit.export, jit.unused, jit.ignore, jit.ignore(drop=True), jit.script_method]
    decorators += [jit.script_if_tracing, jit._overload, jit._overload_method, fx.wrap]
    decorators += [compiler.disable, compiler.disable(recursive=False), compiler.allow_in_graph]
    decorators += [compiler.substitute_in_graph(twice), compiler.set_stance("force_eager")]
    assert [decorate(twice)(3) for decorate in decorators] == [6] * len(decorators)
    assert not isinstance(layer, jit.ScriptModule)
    assert jit.freeze(layer.eval()) is jit.optimize_for_inference(layer) is layer


def test_that_nothing_is_compiled_is_said_once():
    jit._warn.cache_clear()
    with pytest.warns(
        UserWarning, match=r"opweave\.jit\.script\(\) gives the function or module back"
    ):
        jit.script(len)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jit.script(len)


def test_a_module_of_an_old_program_runs():
    class Net(jit.ScriptModule):
        __constants__ = ["n"]

        def __init__(self):
            super().__init__()
            self.n = jit.Attribute(3, int)
            self.w = nn.Parameter(ow.ones(2))

        @jit.script_method
        def forward(self, x):
            if jit.is_scripting() or jit.is_tracing():
                return x
            return jit.annotate(ow.Tensor, x * self.w * self.n)

    assert Net()(ow.ones(2)).tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ([1], list[int], True),
        ([1, "a"], list[int], False),
        ((1, "a"), tuple[int, str], True),
        ((1,), tuple[int, str], False),
        ((1, 2), tuple[int, ...], True),
        ({"a": 1}, dict[str, int], True),
        (None, int | None, True),
        ("a", int | None, False),
        (3, (int, str), True),
    ],
)
def test_types_of_containers_are_looked_into(value, kind, expected):
    assert jit.isinstance(value, kind) is expected


def test_calls_that_are_forked_have_a_result_or_raise():
    assert jit.wait(jit.fork(lambda a, b: a - b, 3, b=1)) == 2
    with pytest.raises(ZeroDivisionError):
        jit.wait(jit.fork(lambda: 1 / 0))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: jit.save(nn.ReLU(), "x.pt"), NotImplementedError, "state_dict"),
        (lambda: jit.load("x.pt"), NotImplementedError, "neither written nor read"),
        (lambda: jit.freeze(nn.ReLU()), RuntimeError, "in eval mode"),
        (lambda: jit.freeze(3), RuntimeError, "expected a module, got int"),
        (
            lambda: jit.CompilationUnit("def f(x): return x"),
            NotImplementedError,
            "write a function",
        ),
        (lambda: jit.ScriptFunction(), TypeError, "compiles nothing"),
        (lambda: jit.enable_onednn_fusion(True), NotImplementedError, "no graphs"),
        (lambda: jit.ignore(drop=3), RuntimeError, "must be a bool or a function"),
        (lambda: jit.interface(3), RuntimeError, "must be applied to a class"),
        (
            lambda: onnx.export(nn.ReLU(), (), "x.onnx"),
            NotImplementedError,
            "not recorded as graphs",
        ),
        (lambda: fx.wrap(3), RuntimeError, "callable or string name"),
        (lambda: compiler.allow_in_graph(3), AssertionError, "expects a callable"),
    ],
)
def test_what_needs_a_graph_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_event_files_need_a_package(monkeypatch):
    for name in [n for n in sys.modules if n.startswith("opweave.utils.tensorboard")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(ModuleNotFoundError, match="pip install tensorboard") as error:
        importlib.import_module("opweave.utils.tensorboard")
    assert error.value.name == "tensorboard"


def test_questions_are_answered():
    answers = [compiler.is_compiling(), compiler.is_exporting(), onnx.is_in_onnx_export()]
    assert not any(answers)
    assert compiler.list_backends() == []


def test_annotations_of_compiled_programs_are_read():
    from opweave.jit.annotations import BroadcastingList2, List, Optional

    def area(size: BroadcastingList2[int], more: Optional[List[int]] = None):
        return size[0] * size[1]

    assert area([2, 3]) == 6
