// What an operator is, how it computes, and what calls of it look like.
#include "codegen/data/operators.h"

#include "codegen/data/derivatives.h"
#include "codegen/data/elements.h"
#include "codegen/data/formulas.h"
#include "codegen/data/rules.h"
#include "codegen/data/samples.h"
#include "codegen/data/values.h"
#include "codegen/data/words.h"
#include "codegen/emit/output/operator_list.h"
#include "codegen/model/entries/keys.h"
#include "codegen/model/entries/python_operators.h"
#include "codegen/model/lowered/lowered.h"
#include "codegen/model/lowered/out_dtypes.h"

namespace opweave::codegen::data {
namespace {

bool is_functional(const Operator& op) { return op.functional == nullptr || op.functional == &op; }

Json forms_data(const Operator& op) {
  Json data = Json::object();
  const auto add = [&](const char* form, const Operator* other) {
    if (other != nullptr && !other->left_out) data[form] = other->full_name;
  };
  add("functional", op.functional);
  add("inplace", op.inplace);
  add("out", op.out);
  return data;
}

Json python_data(const Operator& op) {
  Json data = {{"name", op.python_name}, {"module", op.python_module}};
  add_flag(data, "function", op.variant_function);
  add_flag(data, "method", op.variant_method);
  if (op.python_operator != nullptr) data["operator"] = op.python_operator->name;
  if (op.nn_function) data["nn_function"] = op.nn_function->name;
  add_places(data, "numbers", op.numbers);
  return data;
}

// In-place and out forms whose expression is that of the functional one compute what that does.
Json computation_data(const Operator& op) {
  if (op.implementation == Implementation::derived)
    return {{"by", "functional"}, {"operator", op.functional->full_name}};
  if (op.is_expr() && !is_functional(op))
    return {{"by", "functional"}, {"operator", op.functional->full_name}};
  if (op.is_expr()) return {{"by", "expression"}, {"expression", expression_data(op)}};
  if (op.composite == nullptr) {
    Json data = {{"by", "kernels"}, {"targets", op.targets}};
    if (op.elements_of != nullptr) data["elements_of"] = op.elements_of->full_name;
    return data;
  }
  Json data = {{"by", "formula"}};
  if (!op.parts.empty()) data["parts"] = locals_data(op.parts);
  data["formula"] = formula_data(*op.composite);
  return data;
}

Json batching_data(const Operator& op) {
  Json data = {{"rule", word(kBatchRules, op.lowered->batching)}};
  add_flag(data, "refused", op.batching == Batching::none);
  if (op.batching_formula != nullptr) {
    const bool example = op.batching == Batching::example;
    data[example ? "example" : "batch"] = formula_data(*op.batching_formula);
  }
  return data;
}

void add_reference(Json& data, const Operator& op) {
  if (op.reference != nullptr) data["reference"] = {{"formula", formula_data(*op.reference)}};
  if (!op.numpy_reference.empty()) data["reference"] = {{"numpy", op.numpy_reference}};
}

// What tests call it with and compare it with; other forms have those of the functional one.
void add_tests(Json& data, const Operator& op) {
  add_reference(data, op);
  if (is_functional(op) && !op.imported) data["samples"] = samples_data(op);
}

void add_origin(Json& data, const Operator& op) {
  data["place"] = place_of(op.span);
  add_flag(data, "internal", op.internal);
  add_flag(data, "imported", op.imported);
  add_flag(data, "derived", op.generated || !is_functional(op));
  if (op.origin != nullptr) data["gradient_of"] = op.origin->full_name;
}

void add_calls(Json& data, const Operator& op) {
  if (op.rule != nullptr) data["rule"] = rule_data(*op.rule, op.schema);
  if (op.out != nullptr && is_functional(op))
    data["out_dtype"] = word(words::kOutDtypes, out_dtype(op));
  data["batching"] = batching_data(op);
  if (op.autocast.any()) {
    data["autocast"] = {{"cpu", word(words::kAutocast, op.autocast.cpu)},
                        {"others", word(words::kAutocast, op.autocast.others)}};
  }
}

}  // namespace

Json operator_data(const Operator& op) {
  Json data = {{"name", op.full_name}, {"form", word(kForms, op.form)}, {"forms", forms_data(op)}};
  add_origin(data, op);
  if (!op.doc.empty()) data["doc"] = op.doc;
  if (!op.tags.empty()) data["tags"] = op.tags;
  data["schema"] = schema_data(op);
  if (!op.internal) data["python"] = python_data(op);
  data["dtypes"] = dtypes_data(op.dtypes);
  data["computes"] = computation_data(op);
  add_calls(data, op);
  data["derivative"] = derivative_data(op);
  add_tests(data, op);
  return data;
}

}  // namespace opweave::codegen::data
