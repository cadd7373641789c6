// What a selection keeps: the operators that it names, and what those need.
#include "codegen/model/selection/selection.h"

#include <set>

#include "codegen/emit/output/emit.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

constexpr const char* kOps =
    "- func: mul(Tensor self, Tensor other) -> Tensor\n"
    "  expr: self * other\n"
    "- func: sigmoid(Tensor self) -> Tensor\n"
    "  expr: sigmoid(self)\n"
    "- func: twice(Tensor self) -> Tensor\n"
    "  composite: mul(self, mul(self, self))\n"
    "- func: twice.Scalar(Tensor self, Scalar by) -> Tensor\n"
    "  kernels: [cpu]\n"
    "  samples: {self: real}\n"
    "- func: pool(Tensor self) -> Tensor\n"
    "  kernels: [every_target]\n"
    "  samples: {self: real}\n"
    "- func: pool_backward(Tensor x) -> Tensor\n"
    "  kernels: [every_target]\n"
    "  internal: true\n"
    "- func: lonely(Tensor self) -> Tensor\n"
    "  kernels: [cpu]\n"
    "  differentiable: false\n"
    "  samples: {self: real}\n"
    "  batching: {example: sigmoid(self)}\n";
constexpr const char* kDerivatives =
    "- name: pool\n  self: pool_backward(grad)\n"
    "- name: pool_backward\n  x: pool(grad)\n"
    "- name: twice.Scalar\n  self: mul(grad, by)\n";

struct Selected {
  explicit Selected(std::string selection, std::string calls = "", std::string imported = "") {
    Inputs inputs;
    inputs.ops.push_back({"ops.yaml", kOps});
    inputs.derivatives.push_back({"derivatives.yaml", kDerivatives});
    inputs.selection.push_back({"folder/some.yaml", std::move(selection)});
    if (!imported.empty()) inputs.imported_ops.push_back({"imported.yaml", std::move(imported)});
    inputs.kernel_calls = std::move(calls);
    model = load_model(std::move(inputs), sources, sink);
    sink.sort();
  }

  // The full names of what is emitted, generated operators left out.
  std::set<std::string> kept() const {
    INFO(render_all(sink));
    REQUIRE(model != nullptr);
    std::set<std::string> names;
    for (const Operator* op : model->operators().all()) {
      if (op->is_emitted() && !op->is_generated() && op->forms->form == Form::functional)
        names.insert(op->name.full);
    }
    return names;
  }
  const Operator& op(std::string_view name) const { return *model->operators().find(name); }
  std::string file(std::string_view path, EmitOptions options = {.shards = 1, .kernel_shards = 1}) {
    for (const EmittedFile& file : emit_all(*model, options)) {
      if (file.path == path) return file.text;
    }
    return "";
  }

  std::shared_ptr<Sources> sources = std::make_shared<Sources>();
  DiagnosticSink sink;
  std::shared_ptr<const Model> model;
};
using Names = std::set<std::string>;

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a composite brings the operators of its formula, and every form") {
  const Selected selected("operators: [twice]\n");
  CHECK(selected.kept() == Names{"mul", "twice", "twice.Scalar"});
  CHECK(selected.op("mul_").is_emitted());
  CHECK(selected.op("mul.out").is_emitted());
  CHECK(selected.op("twice.out").is_emitted());
  CHECK(selected.op("pool").selected->left_out);
  CHECK(selected.op("sigmoid_").selected->left_out);
}

TEST_CASE("a full name is one overload") {
  CHECK(Selected("operators: [twice.Scalar]\n").kept() == Names{"mul", "twice.Scalar"});
}

TEST_CASE("a form brings the computation that it shares") {
  CHECK(Selected("operators: [mul_]\n").kept() == Names{"mul"});
  CHECK(Selected("operators: [mul.out]\n").kept() == Names{"mul"});
}

TEST_CASE("derivative and batching formulas are followed, around circles too") {
  CHECK(Selected("operators: [pool]\n").kept() == Names{"pool", "pool_backward"});
  CHECK(Selected("operators: [lonely]\n").kept() == Names{"lonely", "sigmoid"});
  // What an expression's gradient calls, and so on.
  CHECK(Selected("operators: [sigmoid]\n").op("sigmoid_backward_self").is_emitted());
}

TEST_CASE("without gradients their formulas need nothing, and nothing records") {
  Selected selected("gradients: false\noperators: [pool, twice.Scalar]\n");
  CHECK(selected.kept() == Names{"pool", "twice.Scalar"});
  CHECK_FALSE(has(selected.file("opweave/autograd/autograd_00.cc"), "PoolBackward0"));
  CHECK(has(selected.file("opweave/register.cc"), "first(names), false)"));
  Selected with("operators: [pool]\n");
  CHECK(has(with.file("opweave/autograd/autograd_00.cc"), "PoolBackward0"));
}

TEST_CASE("handwritten kernels and the runtime bring what they call") {
  const std::string calls =
      "# comment\nruntime: twice no_such_operator\ncomposite/pool: lonely\ncpu/pool: sigmoid\n";
  CHECK(Selected("operators: []\n", calls).kept() == Names{"mul", "twice"});
  // `pool` has no kernel for the CPU.
  const Names with_pool{"lonely", "mul", "pool", "pool_backward", "sigmoid", "twice"};
  CHECK(Selected("operators: [pool]\n", calls).kept() == with_pool);
  CHECK(Selected("operators: [mul]\n", "runtime:\ncpu/pool: sigmoid\n").kept() == Names{"mul"});
}

TEST_CASE("everything is as if there were no selection") {
  const Selected selected("operators: all\n");
  CHECK(selected.model->selection() == nullptr);
  CHECK(selected.kept().size() == 7);
  CHECK(Selected("operators: all\ndtypes: [float32]\n").model->selection() != nullptr);
}

DtypeMask bits(std::initializer_list<ScalarType> dtypes) {
  DtypeMask bits = 0;
  for (ScalarType dtype : dtypes) bits |= dtype_bit(dtype);
  return bits;
}

TEST_CASE("dtypes limit the operators whose kernels are generated") {
  const Selected selected(
      "dtypes: [float32, int64]\n"
      "operators:\n- twice\n- {name: mul_, dtypes: [bool]}\n- {name: sigmoid, dtypes: floating}\n");
  CHECK(selected.op("mul").selected->dtypes.bits == bits({kBool}));
  CHECK(selected.op("mul.out").selected->dtypes.bits == bits({kBool}));
  CHECK(selected.op("sigmoid").selected->left_out_dtypes.bits ==
        bits({kBool, kByte, kChar, kShort, kInt, kLong}));
  CHECK(selected.op("sigmoid").selected->has_own_dtypes);
  CHECK(selected.op("sigmoid_backward_self").selected->dtypes ==
        selected.op("sigmoid").selected->dtypes);
  CHECK(selected.op("twice.Scalar").selected->left_out_dtypes.bits == 0);  // handwritten
}

TEST_CASE("an operator that is needed and has none of the dtypes keeps its own") {
  const Selected selected("dtypes: [bool]\noperators: [sigmoid]\n");
  // Derivatives of floats do not exist for truth values.
  CHECK(selected.op("sigmoid").selected->dtypes.bits == bits({kBool}));
  CHECK(selected.op("sigmoid_backward_self").selected->left_out_dtypes.bits == 0);
}

TEST_CASE("loops are made for the selected dtypes") {
  const auto loops = [](const char* selection) {
    return Selected(selection).file("opweave/cpu/pointwise_00.cc");
  };
  CHECK(has(loops("operators: [mul]\ndtypes: [float32]\n"),
            "/*dtypes=*/dtype_bit(kFloat), /*int_to_float=*/false"));
  CHECK(has(loops("operators: [sigmoid]\n"), "/*int_to_float=*/true"));
  // Integers become float32, and no other type is made.
  CHECK(has(loops("operators: [sigmoid]\ndtypes: [int64]\n"),
            "/*dtypes=*/dtype_bit(kFloat), /*int_to_float=*/false"));
  CHECK(has(loops("operators: [sigmoid]\ndtypes: [float64]\n"),
            "/*dtypes=*/dtype_bit(kDouble), /*int_to_float=*/false"));
}

TEST_CASE("what is left out says so, in every language") {
  Selected selected("operators: [twice.Scalar]\ndtypes: [float32]\n");
  const std::string text =
      "operator 'pool' was left out of this build (selection some.yaml): add `- pool` under "
      "operators";
  CHECK(has(selected.file("opweave/ow.h"), "[[gnu::error(\"" + text + "\")]] Tensor pool("));
  const std::string registration = selected.file("opweave/register.cc");
  CHECK(has(registration,
            "Tensor ops::pool::call([[maybe_unused]] const Tensor& self) { "
            "fail_left_out(\"pool\"); }"));
  CHECK(has(registration, "register_left_out(\"\", \"some.yaml\""));
  CHECK(has(registration,
            "{\"mul\", dtypes::kCommonWhole | dtype_bit(kHalf) | dtype_bit(kBFloat16) | "
            "dtype_bit(kDouble), false}"));
  CHECK_FALSE(has(registration, "ops::mul::call"));
  const std::string python = selected.file("opweave/python/bindings_00.cc");
  CHECK(has(python, "return left_out(\"pool\");"));
  // The other overload of a name that is there.
  CHECK(has(python, "fail_left_out(\"twice\");"));
  CHECK(has(selected.file("opweave/_generated.pyi"), "def twice("));
  CHECK_FALSE(has(selected.file("opweave/_generated.pyi"), "def pool("));
  // Handwritten code includes the headers of all operators.
  CHECK(has(selected.file("opweave/ops/pool.h"), "struct pool"));
  CHECK(has(selected.file("opweave/kernels/composite/pool.h"), "Tensor pool("));
  CHECK_FALSE(has(selected.file("opweave/composite/composites_00.cc"), "pool"));
}

TEST_CASE("a build of everything has no word about selections") {
  Selected all("operators: all\n");
  CHECK_FALSE(has(all.file("opweave/register.cc"), "left_out"));
  CHECK_FALSE(has(all.file("opweave/python/bindings_00.cc"), "left_out"));
}

TEST_CASE("operators of another library are not selected here") {
  const Selected selected("operators: [theirs]\n", "",
                          "- func: theirs(Tensor self) -> Tensor\n  expr: -self\n");
  CHECK(selected.model == nullptr);
  CHECK(render_all(selected.sink) ==
        "folder/some.yaml:1:13: error[OW0501]: 'theirs' is an operator of another library\n"
        "    1 | operators: [theirs]\n"
        "      |             ^~~~~~\n"
        "note: a selection chooses among the operators of the library that is generated\n"
        "1 error\n");
}

}  // namespace
}  // namespace opweave::codegen
