// Operators that are defined while a program runs, by a schema alone.
#pragma once

#include <span>
#include <string_view>

#include "runtime/dispatch/operator.h"

namespace opweave {

// What no schema says: the roles of arguments, if it knows any; a bit for each tensor for which
// Python may pass a number; and, of another form of an operator, that one.
struct OperatorNotes {
  std::span<const ArgRole> roles;
  uint64_t numbers = 0;
  const OperatorEntry* functional = nullptr;
};

// Adds an operator of a schema such as "mine::f(Tensor self, float eps=1e-5) -> Tensor", without
// kernels. RuntimeError for what is no schema, and for a name that is taken.
OperatorEntry& define_operator(std::string_view schema, const OperatorNotes& notes = {});
// Takes one back that define_operator() made; its entry stays in memory, as a thread may be on its
// way to it. Nothing happens if there is none of the name ("mine::f", "mine::f.overload").
void undefine_operator(std::string_view full_name);

}  // namespace opweave
