// Sample calls, evaluated.
#include "codegen/shapes/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/model/samples/sample_calls.h"
#include "codegen/shapes/bind.h"
#include "codegen/shapes/effort.h"
#include "codegen/shapes/evaluate.h"
#include "dtypes/dtype.h"

namespace opweave::codegen {
namespace {

using Kind = SampleValue::Kind;

constexpr std::string_view kDefault = "float64";

// Domains whose tensors have a dtype of their own, whatever the call is run with.
std::string dtype_of(Domain domain, std::string_view run_with) {
  if (domain == Domain::boolean) return "bool";
  const bool whole = domain == Domain::integer || domain == Domain::below;
  return whole ? "int64" : std::string(run_with);
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

ShapedTensor of_elements(const Constant& elements, std::string_view run_with) {
  Sizes sizes;
  const Constant* first = nullptr;
  bool has_point = false;
  measure(elements, sizes, first, has_point);
  const bool truth = first && first->kind == Constant::Kind::boolean;
  return dense_tensor(sizes, has_point ? std::string(run_with) : truth ? "bool" : "int64");
}

Value value_of(const SampleValue& value, const Type& type, std::string_view run_with) {
  switch (value.kind) {
    case Kind::drawn:
      return {dense_tensor(Sizes(value.sizes.begin(), value.sizes.end()),
                           value.dtype.empty() ? dtype_of(value.domain, run_with) : value.dtype)};
    case Kind::number: {
      const std::string dtype = dtype_of(value.domain, kDefault);
      if (dtype == kDefault) return {Unknown{"float32"}};
      return {Unknown{dtype}};
    }
    case Kind::elements:
      return {of_elements(value.constant, run_with)};
    case Kind::constant:
      if (type.is_tensor()) return {ShapedTensor{{}, "", false}};
      return constant_value(value.constant, type);
    case Kind::list:
      break;
  }
  Type element = type;
  element.list = false;
  Values values;
  for (const SampleValue& item : value.items) values.push_back(value_of(item, element, run_with));
  return {values};
}

Values arguments_of(const Operator& op, const SampleCall& call, std::string_view run_with) {
  Values values;
  for (const Argument& argument : op.schema.arguments) {
    const auto given =
        std::ranges::find(call.arguments, argument.name, &SampleCall::Given::argument);
    values.push_back(given != call.arguments.end() ? value_of(given->value, argument.type, run_with)
                                                   : default_value(argument).value_or(Value()));
  }
  return values;
}

}  // namespace

std::vector<SampleResults> results_of_samples(const Operator& op) {
  std::vector<SampleResults> all;
  for (const SampleCall& call : calls_of_samples(op)) {
    SampleResults& one = all.emplace_back();
    one.span = call.span;
    Conditions conditions;
    const Effort::Scope effort;
    try {
      one.arguments = arguments_of(op, call, kDefault);
      one.results = results_of(op, one.arguments, conditions);
    } catch (const rule::NoShape& refusal) {
      one.refusal = refusal.why;
      one.data = refusal.kind == NoShape::Kind::data;
    }
  }
  return all;
}

// --- refusals ---

// Why a call with tensors of a dtype is refused; nothing if it is taken, or nobody knows.
static std::optional<NoShape> refusal_of(const Operator& op, const SampleCall& call,
                                         std::string_view run_with) {
  Conditions conditions;
  const Effort::Scope effort;
  try {
    results_of(op, arguments_of(op, call, run_with), conditions);
  } catch (const NoShape& refusal) {
    if (refusal.kind == NoShape::Kind::refused) return refusal;
  } catch (const rule::NoShape& refusal) {
    if (refusal.kind == NoShape::Kind::refused) return NoShape(refusal.why);
  }
  return {};
}

// What may be given where a sample leaves the dtype open, the likeliest first.
static std::vector<std::string_view> dtypes_to_try(const Operator& op) {
  std::vector<std::string_view> names = {kDefault};
  for (const DtypeInfo& dtype : kDtypes) {
    if (dtype.name != kDefault) names.push_back(dtype.name);
  }
  const auto is_left_out = [&](std::string_view name) {
    const ScalarType dtype = *dtype_from_name(name);
    const auto takes = [&](DTypeSet set) { return set.contains(dtype); };
    return (op.is_expr() && !takes(op.selected->dtypes)) ||
           (!op.dtypes->of_arguments.empty() &&
            std::ranges::none_of(op.dtypes->of_arguments, takes));
  };
  std::erase_if(names, is_left_out);
  return names;
}

// Refused with every dtype: the reason with the first, which is no one's fault but the sample's.
static std::optional<NoShape> refusal_of(const Operator& op, const SampleCall& call) {
  std::optional<NoShape> first;
  for (std::string_view dtype : dtypes_to_try(op)) {
    std::optional<NoShape> refusal = refusal_of(op, call, dtype);
    if (!refusal) return {};
    if (!first) first = std::move(refusal);
  }
  return first;
}

// Whether generated tests make its calls: forms of another operator are tested with that one's, and
// of what only formulas call nobody draws samples by type.
static bool is_called(const Operator& op) {
  const bool own = !op.tests->calls.empty() || !op.tests->argument_samples.empty();
  return op.is_emitted() && !op.is_generated() && (own || !op.face->internal) &&
         (op.forms->functional == nullptr || op.forms->functional == &op);
}

void check_samples_taken(const Model& model, DiagnosticSink& sink) {
  for (const Operator* op : model.operators().all()) {
    if (!is_called(*op)) continue;
    Span reported;
    for (const SampleCall& call : calls_of_samples(*op)) {
      const Span place = call.span ? call.span : op->origin.span;
      // Calls that one mapping makes are likely to have one mistake.
      if (reported && place.begin == reported.begin) continue;
      const std::optional<NoShape> refusal = refusal_of(*op, call);
      if (!refusal) continue;
      reported = place;
      Diagnostic& error = sink.error(
          Code::refused_sample, place,
          fmt::format("'{}' refuses a sample of its own: {}", op->name.full, refusal->why));
      if (refusal->span) error.note(refusal->span, "it is refused here");
    }
  }
}

}  // namespace opweave::codegen
