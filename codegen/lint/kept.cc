// Reading of what derivatives save.
#include "codegen/lint/kept.h"

#include <fmt/format.h>

#include "codegen/expr/formula_arena.h"

namespace opweave::codegen {
namespace {

// The size of the one dtype that an argument may have; 0 if there are several.
int only_size(const Operator& op, uint16_t argument) {
  if (argument >= op.dtypes->of_arguments.size()) return 0;
  int size = 0;
  for (int i = 0; i < kNumScalarTypes; ++i) {
    if (!op.dtypes->of_arguments[argument].contains(static_cast<ScalarType>(i))) continue;
    if (size != 0 && size != kDtypes[i].bytes) return 0;
    size = kDtypes[i].bytes;
  }
  return size;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string value_name(const Operator& op, const Saved& saved) {
  const bool of_argument =
      saved.kind == Saved::Kind::argument_property || saved.kind == Saved::Kind::forward_value;
  if (of_argument)
    return fmt::format("{} of {}", property_name(saved.property),
                       op.schema.arguments[saved.index].name);
  if (saved.kind == Saved::Kind::result_property)
    return fmt::format("{} of the result", property_name(saved.property));
  return saved.name;
}

}  // namespace

int KeptTensor::size_of(ScalarType dtype) { return dtype_info(dtype).bytes; }

Kept kept_by(const Operator& op) {
  Kept kept;
  if (op.gradient->derivative == nullptr) return kept;
  for (const Saved& saved : op.gradient->derivative->saved) {
    const bool is_result = saved.kind == Saved::Kind::result;
    const bool whole = is_result || saved.kind == Saved::Kind::argument;
    if (!whole || !saved.type.is_tensor_like()) {
      kept.values.push_back(value_name(op, saved));
      continue;
    }
    const int size = is_result ? 0 : only_size(op, saved.index);
    kept.tensors.push_back({saved.name, is_result, saved.type.list, size});
  }
  return kept;
}

std::string describe_kept(const Kept& kept) {
  std::vector<std::string> names;
  int bytes = 0;
  for (const KeptTensor& tensor : kept.tensors) {
    names.push_back(tensor.name);
    bytes += tensor.bytes(kFloat);
  }
  std::string text = joined(names);
  if (bytes > 0) text += fmt::format(": {} bytes per element in float32", bytes);
  if (kept.values.empty()) return text.empty() ? "nothing" : text;
  return text.empty() ? joined(kept.values) : text + "; also " + joined(kept.values);
}

}  // namespace opweave::codegen
