// The table of named values, and lookup in it.
#include "codegen/syntax/named_values.h"

#include <algorithm>

#include "dtypes/dtype.h"

namespace opweave::codegen {
namespace {

constexpr NamedValue kValues[] = {
#define OW_DTYPE(id, name, ...) {#name, BaseType::scalar_type, "k" #id},
#include "dtypes/dtypes.def"
    {"long", BaseType::scalar_type, "kLong"},  // as PyTorch's schemas say it
    {"contiguous_format", BaseType::memory_format, "MemoryFormat::kContiguous"},
    {"preserve_format", BaseType::memory_format, "MemoryFormat::kPreserve"},
    {"channels_last", BaseType::memory_format, "MemoryFormat::kChannelsLast"},
    {"channels_last_3d", BaseType::memory_format, "MemoryFormat::kChannelsLast3d"},
#define OW_LAYOUT(id, name, ...) {#name, BaseType::layout, "Layout::k" #id},
#include "dtypes/layouts.def"
    // PyTorch's numbers of reductions. `None` would be 0, but means the absence of a value.
    {"Mean", BaseType::integer, "1"},
    {"Sum", BaseType::integer, "2"},
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

std::vector<std::string_view> all_value_names() {
  std::vector<std::string_view> names;
  for (const NamedValue& value : kValues) names.push_back(value.name);
  return names;
}

std::string_view dtype_called(std::string_view name) {
  if (name.empty()) return {};
  for (const DtypeInfo& dtype : kDtypes) {
    if (name == dtype.alias || name == dtype.method) return dtype.name;
  }
  return {};
}

std::vector<std::string_view> value_names(BaseType type) {
  std::vector<std::string_view> names;
  for (const NamedValue& value : kValues) {
    if (value.type == type) names.push_back(value.name);
  }
  return names;
}

}  // namespace opweave::codegen
