// Python's operators on tensors: the words of the key `python_operator`.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace opweave::codegen {

enum class PythonOperatorKind : uint8_t { binary, unary, comparison, equality };

struct PythonOperator {
  std::string_view name;  // `__add__`
  PythonOperatorKind kind;
  std::string_view slot;      // `nb_add`, `Py_LT`
  std::string_view spelling;  // `a + b`

  bool is_unary() const { return kind == PythonOperatorKind::unary; }
  bool is_binary() const { return kind == PythonOperatorKind::binary; }
};

inline constexpr PythonOperator kPythonOperators[] = {
#define OPWEAVE_PYTHON_OPERATOR(name, kind, slot, spelling) \
  {#name, PythonOperatorKind::kind, #slot, spelling},
#include "codegen/model/entries/python_operators.def"
};

namespace words {
// In the order of kPythonOperators.
inline constexpr auto kPythonOperatorNames = [] {
  std::array<std::string_view, std::size(kPythonOperators)> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kPythonOperators[i].name;
  return names;
}();
}  // namespace words

}  // namespace opweave::codegen
