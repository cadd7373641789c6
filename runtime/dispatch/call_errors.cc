// Errors of calls, in the words of operators' records.
#include "runtime/dispatch/call_errors.h"

#include "runtime/core/base/error.h"
#include "runtime/dispatch/boxed_scalar.h"
#include "runtime/dispatch/boxing.h"
#include "runtime/dispatch/registry.h"
#include "runtime/dispatch/runtime_record.h"

namespace opweave {
namespace {

template <class T>
bool is(const IValue& value) {
  return std::holds_alternative<T>(value.value());
}
bool is_int(const IValue& value) { return is<int64_t>(value) || is<bool>(value); }
bool is_boxed(const IValue& value) { return boxed_scalar_of(value.value()) != nullptr; }

bool is_array(const TypeRecord& type, const IValue& value) {
  const auto* list = std::get_if<std::vector<bool>>(&value.value());
  return list != nullptr && (type.size == 0 || list->size() == type.size);
}

bool is_list_of(const TypeRecord& type, const IValue& value) {
  switch (type.base) {
    case BaseType::tensor:
      return is<std::vector<Tensor>>(value);
    case BaseType::floating:
      return is<std::vector<double>>(value);
    case BaseType::boolean:
      return is_array(type, value);
    default:
      return is<std::vector<int64_t>>(value);
  }
}

// As the readers of boxing.h take it.
bool is_of_type(const TypeRecord& type, const IValue& value) {
  // An undefined tensor is None, also where the schema has no `?`.
  if (value.is_none()) return type.optional || type.is_tensor();
  if (type.list) return is_list_of(type, value);
  switch (type.base) {
    case BaseType::tensor:
      return is<Tensor>(value);
    case BaseType::scalar:
      return is_int(value) || is<double>(value) || is_boxed(value);
    case BaseType::integer:
      return is_int(value);
    case BaseType::floating:
      return is<double>(value) || is<int64_t>(value);
    case BaseType::boolean:
      return is<bool>(value);
    case BaseType::string:
      return is<std::string>(value);
    case BaseType::scalar_type:
      return is<ScalarType>(value);
    case BaseType::layout:
      return is<Layout>(value);
    case BaseType::device:
      return is<Device>(value);
    case BaseType::memory_format:
      return is<MemoryFormat>(value);
    default:
      return is<Object>(value) && value.to_object().type == type.object;
  }
}

// What check_length says of a typed call. A list of one length or dimensions takes any number.
void check_boxed_length(const OperatorEntry& op, const ArgumentRecord& argument,
                        const IValue& value) {
  const size_t length = argument.type.size, least = argument.default_value == "[]" ? 0 : 1;
  const auto fits = [&](size_t n) { return n == length || n == 1 || (least == 0 && n == 0); };
  if (length <= 1 || argument.role != ArgRole::kPlain) return;
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&value.value())) {
    if (!fits(ints->size())) fail_length(op, argument.name, least, length, IntList(*ints));
  } else if (const auto* numbers = std::get_if<std::vector<double>>(&value.value())) {
    if (!fits(numbers->size())) fail_length(op, argument.name, least, length, DoubleList(*numbers));
  }
}

// "'self' (Tensor), 'other' (Tensor)": the arguments by which a target is chosen.
std::string choosing_arguments(const OperatorRecord& record) {
  std::string tensors, devices;
  for (const ArgumentRecord& a : record.arguments) {
    const bool device = a.type.base == BaseType::device;
    if (!device && a.type.base != BaseType::tensor) continue;
    std::string& text = device ? devices : tensors;
    text += str(text.empty() ? "" : ", ", "'", a.name, "' (", type_text(a.type), ")");
  }
  return tensors.empty() ? devices : tensors;
}

std::string backends_of(DispatchKeySet keys) {
  std::string text;
  for (int i = 0; i < kMaxDeviceTypes; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    if (keys.has(key)) text += str(text.empty() ? "'" : ", '", key_name(key), "'");
  }
  return text;
}

bool on_several(DispatchKeySet keys) {
  const uint64_t bits = (keys & DispatchKeySet::backends()).bits();
  return (bits & (bits - 1)) != 0;
}

// "must have 1 or 2 elements".
std::string length_text(size_t least, size_t length) {
  const std::string most = length == 1 ? str(length, " element") : str(length, " elements");
  return str(least == 0 ? "be empty or have " : "have ", length == 1 ? "" : "1 or ", most);
}

}  // namespace

void fail_length(const OperatorEntry& op, std::string_view argument, size_t least, size_t length,
                 IntList given) {
  OW_THROW(ErrorKind::kRuntime, plain_name(op.def().name), "(): argument '", argument, "' must ",
           length_text(least, length), ", but got ", given);
}
void fail_length(const OperatorEntry& op, std::string_view argument, size_t least, size_t length,
                 DoubleList given) {
  OW_THROW(ErrorKind::kRuntime, plain_name(op.def().name), "(): argument '", argument, "' must ",
           length_text(least, length), ", but got a list of ", given.size());
}

void fail_undefined(const OperatorEntry& op, size_t argument) {
  const ArgumentRecord& record = op.record().arguments[argument];
  OW_THROW(
      ErrorKind::kType, plain_name(op.full_name()), "(): argument '", record.name, "' (position ",
      argument + 1, ") must be ", type_text(record.type), ", not ",
      record.type.list ? "a list with an undefined tensor (None)" : "an undefined tensor (None)",
      ". Schema: ", op.def().schema);
}

void check_arguments(const OperatorEntry& op, const Stack& stack) {
  const auto arguments = op.record().arguments;
  OW_CHECK_TYPE(arguments.size() == stack.size(), plain_name(op.full_name()), "(): expected ",
                arguments.size(), " boxed arguments but got ", stack.size(),
                ". Schema: ", op.def().schema);
  for (size_t i = 0; i < stack.size(); ++i) {
    const ArgumentRecord& argument = arguments[i];
    OW_CHECK_TYPE(is_of_type(argument.type, stack[i]), plain_name(op.full_name()), "(): argument '",
                  argument.name, "' (position ", i + 1, ") must be ", type_text(argument.type),
                  ", not ", stack[i].kind_name(), ". Schema: ", op.def().schema);
    check_boxed_length(op, argument, stack[i]);
  }
}

void check_results(const OperatorEntry& op, const Stack& stack, size_t count) {
  OW_CHECK(stack.size() == count, "a boxed kernel of ", op.full_name(), "() left ", stack.size(),
           " results instead of ", count);
  const auto returns = op.record().returns;
  for (size_t i = 0; i < std::min(count, returns.size()); ++i) {
    OW_CHECK_TYPE(is_of_type(returns[i].type, stack[i]), "a boxed kernel of ", op.full_name(),
                  "() left ", stack[i].kind_name(), " as result ", i, ", which is ",
                  type_text(returns[i].type), ". Schema: ", op.def().schema);
  }
}

void OperatorEntry::fail_complex() const {
  OW_THROW(ErrorKind::kNotImplemented, '"', plain_name(def_->name), "\" not implemented for '",
           scalar_type_name(kComplexFloat), "'");
}

void OperatorEntry::fail_no_keys() const {
  const std::string arguments = choosing_arguments(record());
  OW_THROW(ErrorKind::kRuntime, plain_name(full_name()), "(): there is no tensor ",
           arguments.empty() ? "argument" : str("among its arguments ", arguments),
           " to choose a kernel by. Schema: ", def_->schema);
}

void OperatorEntry::fail_missing(DispatchKeySet keys) const {
  const DispatchKey key = keys.highest();
  std::string have;
  for (int i = 0; i < kMaxDeviceTypes; ++i) {
    if (kernels_[i].load() == nullptr) continue;
    const std::string name = key_name(static_cast<DispatchKey>(i));
    if (!name.empty()) have += str(have.empty() ? "" : ", ", name);
  }
  const std::string arguments = choosing_arguments(record());
  std::string chosen;
  if (!arguments.empty()) chosen = str(" The target is that of ", arguments, ".");
  if (on_several(keys)) {
    chosen = str(" Its arguments ", arguments, " are on several: ", backends_of(keys), ".");
  }
  OW_THROW(ErrorKind::kNotImplemented, "Could not run '", full_name(), "' on the '", key_name(key),
           "' target: it has no kernel there. It has kernels for: ",
           have.empty() ? "nothing" : have, ".", chosen,
           " To supply one: give the operator an `expr` or `composite` in its YAML entry, add '",
           key_name(key), "' to its `kernels`, or register a kernel at run time.");
}

}  // namespace opweave
