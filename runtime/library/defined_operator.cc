// Such an operator has no typed signature: its only kernels are boxed. The dispatcher calls it by
// `def.call`, which here is the entry's own address.
#include "runtime/library/defined_operator.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/dispatch/boxing.h"
#include "runtime/dispatch/call_errors.h"
#include "runtime/dispatch/registry.h"
#include "runtime/dispatch/runtime_record.h"
#include "runtime/forward/dual.h"

namespace opweave {
namespace {

struct DefinedOperator {
  DefinedOperator(std::string_view text, const OperatorNotes& notes) : given(text), parsed(text) {
    def = {parsed.name(),
           parsed.overload(),
           parsed.schema(),
           call,
           reinterpret_cast<AnyKernel>(&never_called),
           reinterpret_cast<AnyKernel>(&entry),
           parsed.record()};
    def.record.arguments = arguments;
    note(notes);
  }
  void note(const OperatorNotes& notes) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (i < notes.roles.size()) arguments[i].role = notes.roles[i];
      arguments[i].number = i < 64 && (notes.numbers >> i & 1) != 0;
    }
    def.record.functional = notes.functional;
  }

  static void never_called() { OW_THROW(ErrorKind::kInternal, "a typed call of a boxed operator"); }
  static void call(AnyKernel entry, Stack& stack) {
    const auto* op = reinterpret_cast<OperatorEntry*>(entry);
    check_arguments(*op, stack);
    try {
      op->run_boxed(op->resolve(keys_of_stack(stack)), stack);
    } catch (...) {
      stack.clear();  // whatever is there, it is no longer what the call was given
      throw;
    }
  }
  static DispatchKeySet keys_of_stack(const Stack& stack) {
    DispatchKeySet keys;
    for (const IValue& v : stack) {
      if (v.is_tensor()) keys = keys | v.to_tensor().key_set();
      if (v.is_tensor_list()) keys = keys | keys_of(TensorList(v.to_tensor_list()));
    }
    return keys;
  }

  std::string given;  // as it was written
  RuntimeRecord parsed;
  std::vector<ArgumentRecord> arguments = {parsed.record().arguments.begin(),
                                           parsed.record().arguments.end()};
  OperatorDef def{};
  OperatorEntry entry{def};
  bool removed = false;
};

struct Defined {
  ForkSafeMutex mutex;
  std::vector<std::unique_ptr<DefinedOperator>> all;
};
Defined& defined() {
  static auto* operators = new Defined;
  return *operators;
}

}  // namespace

// The same operator defined again takes its old entry.
OperatorEntry& define_operator(std::string_view schema, const OperatorNotes& notes) {
  Defined& operators = defined();
  const std::lock_guard lock(operators.mutex);
  const auto known = std::ranges::find_if(
      operators.all, [&](const auto& op) { return op->removed && op->given == schema; });
  if (known != operators.all.end()) {
    OperatorEntry* const entries[] = {&(*known)->entry};
    (*known)->note(notes);
    register_operators(entries);
    (*known)->removed = false;
    return *entries[0];
  }
  auto op = std::make_unique<DefinedOperator>(schema, notes);
  OperatorEntry* const entries[] = {&op->entry};
  register_operators(entries);  // throws when the name is taken
  require_tangents(op->entry);
  operators.all.push_back(std::move(op));
  return *entries[0];
}

void undefine_operator(std::string_view full_name) {
  Defined& operators = defined();
  const std::lock_guard lock(operators.mutex);
  for (const auto& op : operators.all) {
    if (op->removed || op->entry.full_name() != full_name) continue;
    unregister_operator(op->entry);
    op->removed = true;
  }
}

}  // namespace opweave
