// Elements of lists, for generated formulas and rules: callers decide how long lists are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/core/base/error.h"

namespace opweave {

// IndexError, which names the operator and the list, where the list has no such element.
template <class List>
decltype(auto) list_element(const List& list, int64_t index, std::string_view op,
                            std::string_view name) {
  OW_CHECK_INDEX(index >= 0 && static_cast<size_t>(index) < list.size(), op, "(): index ", index,
                 " is out of range for ", name, ", which has ", list.size(), " elements");
  return list[static_cast<size_t>(index)];
}

}  // namespace opweave
