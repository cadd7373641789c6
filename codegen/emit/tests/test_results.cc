// What the rules of operators say of the sample calls, for the tests that compare it with kernels.
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/signature.h"
#include "codegen/shapes/samples.h"

namespace opweave::codegen {
namespace {

std::string tuple_text(const Sizes& sizes) {
  std::string text;
  for (const Size& size : sizes) text += size.text() + ", ";
  return "(" + text + ")";
}

// Only a view's place in memory is the same on every target.
std::string result_text(const Operator& op, const ShapedTensor& result) {
  if (!result.defined) return "None";
  const bool view = op.is_view();
  return "Result(" + tuple_text(result.sizes) + ", " + quoted(result.dtype) + ", " +
         (view && result.strides ? tuple_text(*result.strides) : "None") + ", " +
         (view && result.offset ? result.offset->text() : "None") + ")";
}

std::string call_text(const Operator& op, const SampleResults& call) {
  if (call.data) return "DATA";
  if (!call.refusal.empty()) return quoted(call.refusal);
  std::string text;
  for (const ShapedTensor& result : call.results)
    text += (text.empty() ? "" : ", ") + result_text(op, result);
  return "[" + text + "]";
}

bool returns_tensors(const Operator& op) {
  for (const Return& result : op.schema.returns) {
    if (result.type.is_tensor_like()) return true;
  }
  return false;
}

bool has_results(const Operator& op) {
  return op.is_emitted() && !op.face->internal &&
         op.computation->implementation != Implementation::derived &&
         (op.forms->functional == nullptr || op.forms->functional == &op) && returns_tensors(op);
}

}  // namespace

void emit_test_results(Output& output) {
  Printer p;
  p.print(
      "# What the results of sample calls look like: of each operator a list, parallel to its "
      "calls in\n"
      "# operators.py, of its results, or why nobody knows. DATA: the elements decide.\n"
      "# Generated from ops.yaml. Do not edit.\n"
      "from operator_table import DATA, Result\n"
      "\n"
      "RESULTS = {");
  for (const Operator* op : output.model.operators().all()) {
    if (!has_results(*op)) continue;
    const bool data = op->rule != nullptr && op->rule->data;
    p.print({{"name", quoted(op->name.full)}}, data ? "    $name$: DATA," : "    $name$: [");
    if (data) continue;
    for (const SampleResults& call : results_of_samples(*op))
      p.print({{"call", call_text(*op, call)}}, "        $call$,");
    p.print("    ],");
  }
  p.print("}");
  output.add(p.take());
}

}  // namespace opweave::codegen
