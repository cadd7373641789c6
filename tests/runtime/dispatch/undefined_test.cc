// A tensor that an operator needs and that is undefined is refused before anything reads it: by
// every operator, in every place, alone and in lists.
#include <doctest/doctest.h>

#include <algorithm>

#include "kernels/initialize/initialize.h"
#include "runtime/dispatch/registry.h"

namespace opweave::test {
namespace {

bool is_required(const TypeRecord& type) {
  return type.base == BaseType::tensor && !type.optional && !type.element_optional;
}

// Something of the argument's type, whatever the operator thinks of it.
IValue some_value(const TypeRecord& type) {
  if (type.optional) return {};
  if (type.is_tensor()) return make_tensor({1}, kFloat, kCPU);
  if (type.is_tensor_list()) return std::vector<Tensor>{make_tensor({1}, kFloat, kCPU)};
  const size_t length = type.size == 0 ? 1 : type.size;
  switch (type.base) {
    case BaseType::boolean:
      return type.list ? IValue(std::vector<bool>(length)) : IValue(false);
    case BaseType::floating:
      return type.list ? IValue(std::vector<double>(length)) : IValue(0.0);
    case BaseType::scalar:
    case BaseType::integer:
      return type.list ? IValue(std::vector<int64_t>(length)) : IValue(int64_t{0});
    case BaseType::string:
      return std::string();
    case BaseType::scalar_type:
      return kFloat;
    case BaseType::device:
      return Device(kCPU);
    case BaseType::memory_format:
      return MemoryFormat::kContiguous;
    default:
      return {};
  }
}

// Such an operator is asked for its object first: there is none to be made here.
bool needs_object(const OperatorEntry& op) {
  return std::ranges::any_of(op.record().arguments, [](const ArgumentRecord& argument) {
    return argument.type.base == BaseType::object && !argument.type.optional;
  });
}

IValue undefined(const TypeRecord& type) {
  if (type.is_tensor()) return Tensor();
  return std::vector<Tensor>{make_tensor({1}, kFloat, kCPU), Tensor()};
}

std::string message_of(const OperatorEntry& op, size_t without) {
  Stack stack;
  for (const ArgumentRecord& argument : op.record().arguments)
    stack.push_back(some_value(argument.type));
  stack[without] = undefined(op.record().arguments[without].type);
  try {
    op.call(stack);
  } catch (const Error& e) {
    return e.kind() == ErrorKind::kType ? e.message() : "not a TypeError: " + e.message();
  }
  return "no error";
}

TEST_CASE("every operator refuses an undefined tensor where it needs one") {
  initialize();
  size_t calls = 0;
  for (const OperatorEntry* op : all_operators()) {
    if (needs_object(*op)) continue;
    const auto arguments = op->record().arguments;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!is_required(arguments[i].type)) continue;
      INFO(op->def().schema);
      const std::string what = arguments[i].type.is_tensor()
                                   ? "an undefined tensor (None)"
                                   : "a list with an undefined tensor (None)";
      const std::string start = str(plain_name(op->full_name()), "(): argument '",
                                    arguments[i].name, "' (position ", i + 1, ") must be Tensor");
      const std::string message = message_of(*op, i);
      CAPTURE(message);
      CHECK(message.starts_with(start));
      CHECK(message.ends_with(str(", not ", what, ". Schema: ", op->def().schema)));
      ++calls;
    }
  }
  CHECK(calls > all_operators().size());
}

TEST_CASE("what an operator does without may be undefined") {
  Stack stack{
      make_tensor({2, 3}, kFloat, kCPU), std::vector<int64_t>{3}, Tensor(), Tensor(), 1e-5, true};
  find_operator("layer_norm")->call(stack);
  CHECK(stack.front().to_tensor().defined());
}

}  // namespace
}  // namespace opweave::test
