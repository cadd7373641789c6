// Names and printing of schema types.
#include "schema/type.h"

#include <array>
#include <utility>

namespace opweave::schema {
namespace {

// In the order of BaseType.
constexpr std::array<std::string_view, 19> kNames = {
    "Tensor", "Scalar",  "int",           "float", "bool",    "str",         "ScalarType",
    "Layout", "Device",  "MemoryFormat",  "",      "Dimname", "DeviceIndex", "Storage",
    "Stream", "QScheme", "TensorOptions", "none",  "tuple"};
constexpr size_t kSchemaTypes = static_cast<size_t>(BaseType::options);

std::string join_sets(const std::vector<std::string>& sets) {
  std::string out;
  for (const std::string& set : sets) {
    if (!out.empty()) out += '|';
    out += set;
  }
  return out;
}

std::string_view symbolic_name(BaseType base) {
  if (base == BaseType::floating) return "SymFloat";
  return base == BaseType::boolean ? "SymBool" : "SymInt";
}

}  // namespace

std::string_view base_type_name(BaseType type) { return kNames[static_cast<size_t>(type)]; }

std::optional<BaseType> base_type_from_name(std::string_view name) {
  for (size_t i = 0; i < kSchemaTypes; ++i) {
    if (kNames[i] == name && !name.empty()) return static_cast<BaseType>(i);
  }
  if (name == "SymInt") return BaseType::integer;
  if (name == "SymFloat") return BaseType::floating;
  if (name == "SymBool") return BaseType::boolean;
  return std::nullopt;
}

std::vector<std::string_view> base_type_names() {
  std::vector<std::string_view> names(kNames.begin(), kNames.begin() + kSchemaTypes);
  std::erase(names, "");
  return names;
}

std::string print(const Alias& alias) {
  std::string out = "(" + join_sets(alias.before) + (alias.write ? "!" : "");
  if (!alias.after.empty()) out += " -> " + join_sets(alias.after);
  return out + ")";
}

std::string print(const Type& type) {
  std::string out(type.symbolic                   ? symbolic_name(type.base)
                  : type.base == BaseType::object ? type.object
                                                  : base_type_name(type.base));
  if (type.alias) out += print(*type.alias);
  if (type.element_optional) out += '?';
  if (type.list) out += type.size ? "[" + std::to_string(*type.size) + "]" : "[]";
  if (type.optional) out += '?';
  return out;
}

}  // namespace opweave::schema
