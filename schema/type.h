// The types of schema strings: base type, optional, list, and alias annotation. Lossless.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opweave::schema {

enum class BaseType : uint8_t {
  tensor,
  scalar,
  integer,  // `int`, and `SymInt` (see Type::symbolic)
  floating,
  boolean,
  string,
  scalar_type,
  layout,
  device,
  memory_format,
  object,  // of a type that Opweave knows by name alone: see object_types.h
  dimname,
  device_index,
  storage,
  stream,
  qscheme,
  options,  // formulas only: what `x.options()` returns (dtype, layout and device together)
  none,     // formulas only: the type of `none`
  tuple,    // formulas only: the results of an operator with several returns
};

// The name that a schema string uses for it: `Tensor`, `int`, `ScalarType`, ...
std::string_view base_type_name(BaseType type);
// The types that every schema string may name. Empty if `name` is none of them; `SymInt` is an
// integer. Types of objects are not among them.
std::optional<BaseType> base_type_from_name(std::string_view name);
std::vector<std::string_view> base_type_names();

// `(a)`, `(a!)`, `(a|b)`, `(a -> *)`, `(a! -> a|b)`: the storage sets that a value shares.
struct Alias {
  std::vector<std::string> before;
  std::vector<std::string> after;  // empty if there is no arrow
  bool write = false;

  friend bool operator==(const Alias&, const Alias&) = default;
};

// A type as schema strings write it. `Tensor?[]` is a list of optional elements, `int[2]?` an
// optional list. For a value that is not a list, `optional` says it all.
struct Type {
  BaseType base = BaseType::tensor;
  std::string_view object;  // the name of an `object`'s type; stays where it is
  bool symbolic = false;  // was written `SymInt`, `SymFloat` or `SymBool`: reads as the plain type
  bool list = false;
  bool element_optional = false;  // of a list: `Tensor?[]`
  bool optional = false;
  std::optional<int64_t> size;  // of a list: `int[2]`
  std::optional<Alias> alias;

  bool is_tensor() const { return base == BaseType::tensor && !list; }  // Tensor, Tensor?
  bool is_tensor_list() const { return base == BaseType::tensor && list; }
  bool is_tensor_like() const { return base == BaseType::tensor; }
  bool is_mutated() const { return alias && alias->write; }
  friend bool operator==(const Type&, const Type&) = default;
};

// Lossless for every type that was parsed: `Tensor(a!)[]`, `SymInt[2]?`.
std::string print(const Type& type);
std::string print(const Alias& alias);

}  // namespace opweave::schema
