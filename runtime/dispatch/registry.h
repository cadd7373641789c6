// The registry: every operator by name, fallbacks that serve all operators, names of dispatch keys.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/dispatch/functionality.h"
#include "runtime/dispatch/operator.h"

namespace opweave {

// Adds the operators of a library. Called by its generated register_<library>(). Throws when a name
// is taken by another entry; adding the same entry again is no error.
void register_operators(std::span<OperatorEntry* const> entries);
// Removes them again, for operators defined at run time.
void unregister_operator(const OperatorEntry& entry);

// By full name ("add.Tensor", "relu"; of a library "mine::relu"); null when there is none.
OperatorEntry* find_operator(std::string_view full_name);
// All overloads of a base name, in registration order.
std::vector<OperatorEntry*> find_overloads(std::string_view name);
std::vector<OperatorEntry*> all_operators();

// "f.out" of "mine::f.out": without what says whose it is, as entries, Python and errors of calls
// have it.
constexpr std::string_view plain_name(std::string_view name) {
  return name.substr(name.rfind(':') + 1);  // npos + 1 is 0
}

// A boxed kernel that serves every operator, now and later, that has no kernel of its own for the
// key.
void register_fallback(DispatchKey key, BoxedKernel kernel);
void remove_fallback(DispatchKey key);

// --- a build of selected operators (docs/selection.md)
// Called by the generated registration of such a build: what its operators' names begin with
// ("mine::"), the selection's file, the plain names of the public operators that it does not have,
// and whether it has gradients.
void register_left_out(std::string_view prefix, std::string_view selection,
                       std::span<const std::string_view> operators, bool gradients);
// What to say of an operator, by full or base name ("mine::f"), that is not there because it was
// not selected; empty for any other.
std::string left_out_message(std::string_view name);
// In place of an operator that was not selected.
[[noreturn]] void fail_left_out(std::string_view name);

// --- what a program calls: a selection for a build with those operators (trace.cc)
// From now on, every call of this thread is noted, at whatever depth. Costs nothing before.
void start_trace();
// The operators that were called since, as the text of a selection; ends the trace.
std::string stop_trace();

// --- for OperatorEntry
ForkSafeRecursiveMutex& registry_mutex();
const BoxedKernel* registered_fallback(DispatchKey key);

}  // namespace opweave
