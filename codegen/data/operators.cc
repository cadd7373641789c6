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

bool is_functional(const Operator& op) {
  return op.forms->functional == nullptr || op.forms->functional == &op;
}

Json forms_data(const Operator& op) {
  Json data = Json::object();
  const auto add = [&](const char* form, const Operator* other) {
    if (other != nullptr && !other->selected->left_out) data[form] = other->name.full;
  };
  add("functional", op.forms->functional);
  add("inplace", op.forms->inplace);
  add("out", op.forms->out);
  return data;
}

Json python_data(const Operator& op) {
  Json data = {{"name", op.face->python_name}, {"module", op.face->python_module}};
  add_flag(data, "function", op.face->function);
  add_flag(data, "method", op.face->method);
  if (op.face->python_operator != nullptr) data["operator"] = op.face->python_operator->name;
  if (op.face->nn_function) data["nn_function"] = op.face->nn_function->name;
  add_places(data, "numbers", op.face->numbers);
  return data;
}

// In-place and out forms whose expression is that of the functional one compute what that does.
Json computation_data(const Operator& op) {
  if (op.computation->implementation == Implementation::derived)
    return {{"by", "functional"}, {"operator", op.forms->functional->name.full}};
  if (op.is_expr() && !is_functional(op))
    return {{"by", "functional"}, {"operator", op.forms->functional->name.full}};
  if (op.is_expr()) return {{"by", "expression"}, {"expression", expression_data(op)}};
  if (op.formulas->composite == nullptr) {
    Json data = {{"by", "kernels"}, {"targets", op.computation->targets}};
    if (op.forms->elements_of != nullptr) data["elements_of"] = op.forms->elements_of->name.full;
    return data;
  }
  Json data = {{"by", "formula"}};
  if (!op.formulas->parts.empty()) data["parts"] = locals_data(op.formulas->parts);
  data["formula"] = formula_data(*op.formulas->composite);
  return data;
}

Json batching_data(const Operator& op) {
  Json data = {{"rule", word(kBatchRules, op.lowered->batching.rule)}};
  add_flag(data, "refused", op.policies->batching == Batching::none);
  if (op.formulas->batching != nullptr) {
    const bool example = op.policies->batching == Batching::example;
    data[example ? "example" : "batch"] = formula_data(*op.formulas->batching);
  }
  return data;
}

void add_reference(Json& data, const Operator& op) {
  if (op.formulas->reference != nullptr)
    data["reference"] = {{"formula", formula_data(*op.formulas->reference)}};
  if (!op.tests->numpy_reference.empty())
    data["reference"] = {{"numpy", op.tests->numpy_reference}};
}

// What tests call it with and compare it with; other forms have those of the functional one.
void add_tests(Json& data, const Operator& op) {
  add_reference(data, op);
  if (is_functional(op) && !op.origin.imported) data["samples"] = samples_data(op);
}

void add_origin(Json& data, const Operator& op) {
  data["place"] = place_of(op.origin.span);
  add_flag(data, "internal", op.face->internal);
  add_flag(data, "imported", op.origin.imported);
  add_flag(data, "derived", op.is_generated() || !is_functional(op));
  if (op.origin.gradient_of != nullptr) data["gradient_of"] = op.origin.gradient_of->name.full;
}

void add_calls(Json& data, const Operator& op) {
  if (op.rule != nullptr) data["rule"] = rule_data(*op.rule, op.schema);
  if (op.forms->out != nullptr && is_functional(op))
    data["out_dtype"] = word(words::kOutDtypes, out_dtype(op));
  data["batching"] = batching_data(op);
  if (op.policies->autocast.any()) {
    data["autocast"] = {{"cpu", word(words::kAutocast, op.policies->autocast.cpu)},
                        {"others", word(words::kAutocast, op.policies->autocast.others)}};
  }
}

}  // namespace

Json operator_data(const Operator& op) {
  Json data = {
      {"name", op.name.full}, {"form", word(kForms, op.forms->form)}, {"forms", forms_data(op)}};
  add_origin(data, op);
  if (!op.face->doc.empty()) data["doc"] = op.face->doc;
  if (!op.face->tags.empty()) data["tags"] = op.face->tags;
  data["schema"] = schema_data(op);
  if (!op.face->internal) data["python"] = python_data(op);
  data["dtypes"] = dtypes_data(op.selected->dtypes);
  data["computes"] = computation_data(op);
  add_calls(data, op);
  data["derivative"] = derivative_data(op);
  add_tests(data, op);
  return data;
}

}  // namespace opweave::codegen::data
