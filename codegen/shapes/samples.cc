// Sample calls, evaluated.
#include "codegen/shapes/samples.h"

#include <algorithm>

#include "codegen/model/samples/sample_calls.h"
#include "codegen/shapes/bind.h"
#include "codegen/shapes/effort.h"
#include "codegen/shapes/evaluate.h"

namespace opweave::codegen {
namespace {

using Kind = SampleValue::Kind;

// Domains whose tensors have a dtype of their own, whatever the call is run with.
std::string dtype_of(Domain domain) {
  if (domain == Domain::boolean) return "bool";
  return domain == Domain::integer || domain == Domain::below ? "int64" : "float64";
}

void measure(const Constant& elements, Sizes& sizes, const Constant*& first, bool& has_point) {
  if (elements.kind != Constant::Kind::list) {
    if (!first) first = &elements;
    has_point = has_point || elements.kind == Constant::Kind::real;
    return;
  }
  sizes.emplace_back(static_cast<int64_t>(elements.items.size()));
  Sizes inner;
  for (const Constant& item : elements.items) {
    inner.clear();
    measure(item, inner, first, has_point);
  }
  sizes.insert(sizes.end(), inner.begin(), inner.end());
}

ShapedTensor of_elements(const Constant& elements) {
  Sizes sizes;
  const Constant* first = nullptr;
  bool has_point = false;
  measure(elements, sizes, first, has_point);
  const bool truth = first && first->kind == Constant::Kind::boolean;
  return dense_tensor(sizes, has_point ? "float64" : truth ? "bool" : "int64");
}

Value value_of(const SampleValue& value, const Type& type) {
  switch (value.kind) {
    case Kind::drawn:
      return {dense_tensor(Sizes(value.sizes.begin(), value.sizes.end()),
                           value.dtype.empty() ? dtype_of(value.domain) : value.dtype)};
    case Kind::number: {
      const std::string dtype = dtype_of(value.domain);
      if (dtype == "float64") return {Unknown{"float32"}};
      return {Unknown{dtype}};
    }
    case Kind::elements:
      return {of_elements(value.constant)};
    case Kind::constant:
      if (type.is_tensor()) return {ShapedTensor{{}, "", false}};
      return constant_value(value.constant, type);
    case Kind::list:
      break;
  }
  Type element = type;
  element.list = false;
  Values values;
  for (const SampleValue& item : value.items) values.push_back(value_of(item, element));
  return {values};
}

Values arguments_of(const Operator& op, const SampleCall& call) {
  Values values;
  for (const Argument& argument : op.schema.arguments) {
    const auto given =
        std::ranges::find(call.arguments, argument.name, &SampleCall::Given::argument);
    values.push_back(given != call.arguments.end() ? value_of(given->value, argument.type)
                                                   : default_value(argument).value_or(Value()));
  }
  return values;
}

}  // namespace

std::vector<SampleResults> results_of_samples(const Operator& op) {
  std::vector<SampleResults> all;
  for (const SampleCall& call : calls_of_samples(op)) {
    SampleResults& one = all.emplace_back();
    Conditions conditions;
    const Effort::Scope effort;
    try {
      one.results = results_of(op, arguments_of(op, call), conditions);
    } catch (const NoShape& refusal) {
      one.refusal = refusal.why;
      one.data = refusal.data;
    }
  }
  return all;
}

}  // namespace opweave::codegen
