// Values in formulas: sums that refuse to overflow, elements of lists, tensors that may be None.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/SymInt.h>
#include <c10/util/Exception.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace opweave {

// Sizes that only a trace knows are computed by PyTorch.
#define OW_CHECKED(name, symbol, builtin)                                                          \
  template <class A, class B>                                                                      \
  auto name(const A& a, const B& b, [[maybe_unused]] std::string_view op = {}) {                   \
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {                                \
      int64_t result = 0;                                                                          \
      TORCH_CHECK_VALUE(!builtin(int64_t{a}, int64_t{b}, &result), op, "(): ", a, " " #symbol " ", \
                        b, " is larger than int64 can hold");                                      \
      return result;                                                                               \
    } else {                                                                                       \
      return c10::SymInt(a) symbol c10::SymInt(b);                                                 \
    }                                                                                              \
  }
OW_CHECKED(checked_add, +, __builtin_add_overflow)
OW_CHECKED(checked_sub, -, __builtin_sub_overflow)
OW_CHECKED(checked_mul, *, __builtin_mul_overflow)
#undef OW_CHECKED

// What formulas read of an argument that may be None.
inline at::Tensor undefined_if_none(const std::optional<at::Tensor>& tensor) {
  return tensor.has_value() ? *tensor : at::Tensor();
}

template <class List>
auto list_element(const List& list, int64_t index, std::string_view op, std::string_view name) {
  TORCH_CHECK_INDEX(index >= 0 && static_cast<size_t>(index) < list.size(), op, "(): index ", index,
                    " is out of range for ", name, ", which has ", list.size(), " elements");
  return list[static_cast<size_t>(index)];
}

}  // namespace opweave
