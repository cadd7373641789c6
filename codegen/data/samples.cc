// Sample calls.
#include "codegen/data/samples.h"

#include "codegen/data/values.h"
#include "codegen/data/words.h"
#include "codegen/model/samples/sample_calls.h"

namespace opweave::codegen::data {
namespace {

Json drawn_data(const SampleValue& value) {
  const bool is_number = value.kind == SampleValue::Kind::number;
  Json data = {{"draw", word(kDomains, value.domain)}};
  if (value.domain == Domain::below) data["limit"] = value.limit;
  if (!is_number) data["sizes"] = value.sizes;
  if (!value.dtype.empty()) data["dtype"] = value.dtype;
  return data;
}

Json value_data(const SampleValue& value) {
  switch (value.kind) {
    case SampleValue::Kind::drawn:
    case SampleValue::Kind::number:
      return drawn_data(value);
    case SampleValue::Kind::elements:
      return {{"elements", constant_data(value.constant)}};
    case SampleValue::Kind::constant:
      return {{"constant", constant_data(value.constant)}};
    case SampleValue::Kind::list:
      break;
  }
  return {{"list", list_of(value.items, value_data)}};
}

}  // namespace

Json samples_data(const Operator& op) {
  return list_of(calls_of_samples(op), [](const SampleCall& call) {
    Json data = Json::object();
    for (const SampleCall::Given& given : call.arguments)
      data[given.argument] = value_data(given.value);
    return data;
  });
}

}  // namespace opweave::codegen::data
