// The table of named values, and lookup in it.
#include "codegen/syntax/named_values.h"

#include <algorithm>

namespace opweave::codegen {
namespace {

constexpr NamedValue kValues[] = {
    {"bool", BaseType::scalar_type, "kBool", "bool"},
    {"uint8", BaseType::scalar_type, "kByte", "uint8"},
    {"int8", BaseType::scalar_type, "kChar", "int8"},
    {"int16", BaseType::scalar_type, "kShort", "int16"},
    {"int32", BaseType::scalar_type, "kInt", "int32"},
    {"int64", BaseType::scalar_type, "kLong", "int64"},
    {"long", BaseType::scalar_type, "kLong", "int64"},  // as PyTorch's schemas say it
    {"float16", BaseType::scalar_type, "kHalf", "float16"},
    {"bfloat16", BaseType::scalar_type, "kBFloat16", "bfloat16"},
    {"float32", BaseType::scalar_type, "kFloat", "float32"},
    {"float64", BaseType::scalar_type, "kDouble", "float64"},
    {"contiguous_format", BaseType::memory_format, "MemoryFormat::kContiguous",
     "contiguous_format"},
    {"preserve_format", BaseType::memory_format, "MemoryFormat::kPreserve", "preserve_format"},
    {"channels_last", BaseType::memory_format, "MemoryFormat::kChannelsLast", "channels_last"},
    {"channels_last_3d", BaseType::memory_format, "MemoryFormat::kChannelsLast3d",
     "channels_last_3d"},
    {"strided", BaseType::layout, "Layout::kStrided", "strided"},
    // PyTorch's numbers of reductions. `None` would be 0, but means the absence of a value.
    {"Mean", BaseType::integer, "1", "Mean"},
    {"Sum", BaseType::integer, "2", "Sum"},
};

template <class Wanted>
const NamedValue* find(Wanted wanted) {
  const auto found = std::ranges::find_if(kValues, wanted);
  return found == std::end(kValues) ? nullptr : found;
}

}  // namespace

const NamedValue* find_named_value(std::string_view name, BaseType type) {
  return find([&](const NamedValue& value) { return value.name == name && value.type == type; });
}

const NamedValue* find_named_value(std::string_view name) {
  return find([&](const NamedValue& value) { return value.name == name; });
}

std::vector<std::string_view> value_names(BaseType type) {
  std::vector<std::string_view> names;
  for (const NamedValue& value : kValues) {
    if (value.type == type) names.push_back(value.name);
  }
  return names;
}

}  // namespace opweave::codegen
