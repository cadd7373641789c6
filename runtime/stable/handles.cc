// The operators that libraries call.
#include "runtime/stable/handles.h"

#include <map>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/dispatch/call_errors.h"
#include "runtime/dispatch/registry.h"
#include "runtime/stable/values.h"

struct OwOperatorHandle {
  const opweave::OperatorEntry* entry;
  opweave::Stack defaults;  // of the arguments that a call may leave out, from `required` on
  size_t required;
};

namespace opweave::stable {
namespace {

std::string full_name(const RuntimeRecord& schema) {
  if (schema.overload().empty()) return std::string(schema.name());
  return str(schema.name(), ".", schema.overload());
}

bool same_argument(const ArgumentRecord& a, const ArgumentRecord& b) {
  return a.name == b.name && a.type == b.type;
}

bool takes_what(const OperatorRecord& now, const OperatorRecord& known) {
  if (now.arguments.size() < known.arguments.size() || now.returns.size() != known.returns.size())
    return false;
  for (size_t i = 0; i < now.returns.size(); ++i) {
    if (now.returns[i].type != known.returns[i].type) return false;
  }
  for (size_t i = 0; i < now.arguments.size(); ++i) {
    const ArgumentRecord& argument = now.arguments[i];
    const bool fits = i < known.arguments.size() ? same_argument(argument, known.arguments[i])
                                                 : !argument.default_value.empty();
    if (!fits) return false;
  }
  return true;
}

// Defaults of a call: the caller's, and those of arguments that it does not know.
OwOperatorHandle handle_of(const OperatorEntry& entry, const RuntimeRecord& known) {
  const std::span<const ArgumentRecord> own = known.record().arguments;
  const std::span<const ArgumentRecord> now = entry.record().arguments;
  size_t required = own.size();
  while (required > 0 && !own[required - 1].default_value.empty()) --required;
  OwOperatorHandle handle{&entry, {}, required};
  for (size_t i = required; i < now.size(); ++i) {
    handle.defaults.push_back(default_of(i < own.size() ? own[i] : now[i]));
  }
  return handle;
}

struct Handles {
  ForkSafeMutex mutex;
  std::map<std::string, std::unique_ptr<const OwOperatorHandle>, std::less<>> by_schema;
};
Handles& handles() {
  static auto* all = new Handles;
  return *all;
}

// Arguments, then defaults of those that are left out.
Stack stack_for(const OwOperatorHandle& op, const OwValue* arguments, uint32_t count) {
  const size_t all = op.required + op.defaults.size();
  OW_CHECK_TYPE(count >= op.required && count <= all, op.entry->full_name(), "(): got ", count,
                " arguments, expected ", op.required, " to ", all);
  Stack stack;
  stack.reserve(all);
  for (uint32_t i = 0; i < count; ++i) stack.push_back(to_ivalue(arguments[i]));
  for (size_t i = count; i < all; ++i) stack.push_back(op.defaults[i - op.required]);
  return stack;
}

}  // namespace

std::string why_changed(const RuntimeRecord& schema) {
  const std::string name = full_name(schema);
  const OperatorEntry* entry = find_operator(name);
  if (entry == nullptr) {
    const std::string left_out = left_out_message(name);
    return left_out.empty() ? str(name, ": there is no such operator") : left_out;
  }
  if (takes_what(entry->record(), schema.record())) return {};
  return str(schema.schema(), ": it is now ", entry->def().schema);
}

OwHandle find_handle(std::string_view schema) {
  Handles& all = handles();
  const std::lock_guard lock(all.mutex);
  const RuntimeRecord record(schema);
  const std::string why = why_changed(record);
  OW_CHECK(why.empty(), "the operator cannot be called: ", why);
  const OperatorEntry* entry = find_operator(full_name(record));
  auto& handle = all.by_schema[std::string(schema)];
  // A library that is built again has other entries.
  if (!handle || handle->entry != entry) {
    handle = std::make_unique<const OwOperatorHandle>(handle_of(*entry, record));
  }
  return handle.get();
}

void call(OwHandle op, const OwValue* arguments, uint32_t num_arguments, OwValue* results,
          uint32_t num_results) {
  Stack stack = stack_for(*op, arguments, num_arguments);
  check_arguments(*op->entry, stack);
  op->entry->call(stack);
  OW_CHECK_TYPE(stack.size() == num_results, op->entry->full_name(), "(): has ", stack.size(),
                " results, the caller takes ", num_results);
  for (uint32_t i = 0; i < num_results; ++i) results[i] = to_owned(stack[i]);
}

}  // namespace opweave::stable
