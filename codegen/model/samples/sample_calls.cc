// Sample calls, listed and made.
#include "codegen/model/samples/sample_calls.h"

#include <algorithm>

namespace opweave::codegen {
namespace {

using Kind = SampleValue::Kind;

// What an argument is drawn from when nothing is said: whatever its type and dtypes admit.
Domain domain_by_type(const Operator& op, const Argument& argument) {
  if (argument.type.base == BaseType::boolean) return Domain::boolean;
  const bool has_floats = (op.selected->dtypes.bits & dtypes::kFloating) != 0;
  const bool whole = argument.type.base == BaseType::integer || !has_floats;
  return whole ? Domain::integer : Domain::real;
}

SampleValue drawn(Domain domain, const Argument& argument) {
  SampleValue value;
  value.kind = argument.type.is_tensor() ? Kind::drawn : Kind::number;
  value.domain = domain;
  if (argument.type.is_tensor()) value.sizes = {2, 3};
  return value;
}

SampleValue given(const Constant& constant, const Argument& argument) {
  SampleValue value;
  const bool none = constant.kind == Constant::Kind::none;
  value.kind = argument.type.is_tensor() && !none ? Kind::elements : Kind::constant;
  value.constant = constant;
  return value;
}

// An argument of the n-th made call; nothing if it is left to its default.
std::optional<SampleValue> made_argument(const Operator& op, const Argument& argument, size_t n) {
  const auto sample =
      std::ranges::find(op.tests->argument_samples, argument.name, &ArgumentSample::argument);
  if (sample == op.tests->argument_samples.end()) {
    if (argument.default_value) return {};
    if (argument.type.optional) return given(Constant{}, argument);
    return drawn(domain_by_type(op, argument), argument);
  }
  if (sample->domain) return drawn(*sample->domain, argument);
  return given(sample->values[n % sample->values.size()], argument);
}

SampleCall made_call(const Operator& op, size_t n) {
  SampleCall call;
  for (const ArgumentSample& sample : op.tests->argument_samples)
    call.span = call.span ? join(call.span, sample.span) : sample.span;
  for (const Argument& argument : op.schema.arguments) {
    if (std::optional<SampleValue> value = made_argument(op, argument, n))
      call.arguments.push_back({argument.name, std::move(*value)});
  }
  return call;
}

}  // namespace

bool needs_object(const Operator& op) {
  return std::ranges::any_of(op.schema.arguments, [](const Argument& argument) {
    return argument.type.base == BaseType::object && !argument.default_value;
  });
}

std::vector<SampleCall> calls_of_samples(const Operator& op) {
  if (!op.tests->calls.empty()) return op.tests->calls;
  if (needs_object(op)) return {};
  size_t count = 1;
  for (const ArgumentSample& sample : op.tests->argument_samples)
    count = std::max(count, sample.values.size());
  std::vector<SampleCall> calls;
  for (size_t i = 0; i < count; ++i) calls.push_back(made_call(op, i));
  return calls;
}

}  // namespace opweave::codegen
