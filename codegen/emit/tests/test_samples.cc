// Sample calls in Python.
#include "codegen/emit/tests/test_samples.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "codegen/emit/output/outputs.h"
#include "codegen/emit/python/python_face.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/model/samples/sample_calls.h"

namespace opweave::codegen {
namespace {

std::string drawn(std::string_view domain, const std::string& shape, const std::string& rest) {
  return "Drawn(" + quoted(domain) + ", " + shape + rest + ")";
}

std::string tuple_text(const std::vector<int64_t>& sizes) {
  std::string text = "(";
  for (int64_t size : sizes) text += std::to_string(size) + ", ";
  if (sizes.size() > 1) text.resize(text.size() - 2);
  if (sizes.size() == 1) text.pop_back();
  return text + ")";
}

std::string value_text(const SampleValue& value) {
  switch (value.kind) {
    case SampleValue::Kind::drawn: {
      std::string rest = value.limit > 0 ? ", limit=" + std::to_string(value.limit) : "";
      if (!value.dtype.empty()) rest += ", dtype=" + quoted(value.dtype);
      return drawn(domain_name(value.domain), tuple_text(value.sizes), rest);
    }
    case SampleValue::Kind::number:
      return drawn(domain_name(value.domain), "None", "");
    case SampleValue::Kind::elements:
      return "Elements(" + python_constant(value.constant) + ")";
    case SampleValue::Kind::constant:
      return python_constant(value.constant);
    case SampleValue::Kind::list:
      break;
  }
  return "[" + comma_list(value.items, value_text) + "]";
}

std::string call_text(const SampleCall& call) {
  const auto text = [](const SampleCall::Given& given) {
    return quoted(given.argument) + ": " + value_text(given.value);
  };
  return "{" + comma_list(call.arguments, text) + "}";
}

const ArgumentSample* sample_of(const Operator& op, const std::string& argument) {
  const auto found =
      std::ranges::find(op.tests->argument_samples, argument, &ArgumentSample::argument);
  return found == op.tests->argument_samples.end() ? nullptr : &*found;
}

}  // namespace

std::string python_bool(bool value) { return value ? "True" : "False"; }

std::string python_number(double value) {
  if (!std::isfinite(value)) {
    return std::isnan(value) ? "float(\"nan\")" : value > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  }
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string python_constant(const Constant& c) {
  switch (c.kind) {
    case Constant::Kind::none:
      return "None";
    case Constant::Kind::boolean:
      return python_bool(c.boolean);
    case Constant::Kind::integer:
      return std::to_string(c.integer);
    case Constant::Kind::real:
      return python_number(c.real);
    case Constant::Kind::string:
      return quoted(c.string);
    case Constant::Kind::symbol:
      return "Symbol(" + quoted(c.string) + ")";
    case Constant::Kind::list:
      break;
  }
  return "[" + comma_list(c.items, python_constant) + "]";
}

std::vector<std::string> sample_calls(const Operator& op) {
  std::vector<std::string> calls;
  for (const SampleCall& call : calls_of_samples(op)) calls.push_back(call_text(call));
  return calls;
}

// Where nothing is said of single arguments, the first call says it.
static std::string sample_of_first_call(const Operator& op, const std::string& argument) {
  if (op.tests->calls.empty()) return "None";
  const auto& given = op.tests->calls.front().arguments;
  const auto found = std::ranges::find(given, argument, &SampleCall::Given::argument);
  if (found == given.end()) return "None";
  const SampleValue& value = found->value;
  if (value.kind == SampleValue::Kind::constant) return "[" + python_constant(value.constant) + "]";
  const bool drawn = value.kind == SampleValue::Kind::drawn && value.domain < Domain::integer;
  return drawn ? quoted(domain_name(value.domain)) : "None";
}

std::string argument_sample(const Operator& op, const std::string& argument) {
  const ArgumentSample* sample = sample_of(op, argument);
  if (sample == nullptr) return sample_of_first_call(op, argument);
  if (sample->domain == Domain::integer) return quoted("integer");
  if (sample->domain == Domain::boolean) return quoted("boolean");
  if (sample->domain) return quoted(domain_name(*sample->domain));
  std::string values;
  for (const Constant& value : sample->values) values += python_constant(value) + ", ";
  return "[" + values + "]";
}

}  // namespace opweave::codegen
