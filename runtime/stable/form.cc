// Other forms of a library's operators.
#include "runtime/stable/form.h"

#include <algorithm>

#include "kernels/composite/write_result.h"
#include "runtime/dispatch/registry.h"
#include "runtime/stable/tables.h"

namespace opweave::stable {
namespace {

OutDtype allowed_in(const OperatorEntry& op, uint32_t code) {
  OW_CHECK(code <= static_cast<uint32_t>(OutDtype::kAny), "'", op.full_name(),
           "': there is no set ", code, " of dtypes for `out`");
  return static_cast<OutDtype>(code);
}

void for_each_tensor(const IValue& value, auto&& body) {
  if (value.is_tensor()) body(value.to_tensor());
  if (!value.is_tensor_list()) return;
  for (const Tensor& t : value.to_tensor_list()) body(t);
}

}  // namespace

Form::Form(const OperatorEntry& op, const OwForm& table, const OperatorEntry& functional)
    : op_(op), functional_(functional), table_(read(table)) {
  allowed_in(op, table_.out_dtypes);
  for (size_t i = 0; i < op.record().arguments.size(); ++i) {
    if (op.record().arguments[i].type.written) written_.push_back(i);
  }
  OW_CHECK(!written_.empty() && written_.size() == functional.record().returns.size(), "'",
           op.full_name(), "' writes ", written_.size(), " tensors, but '", functional.full_name(),
           "', of which it is a form, gives ", functional.record().returns.size(), ": ",
           op.def().schema);
  in_place_ = !op.record().arguments[written_[0]].keyword_only;
  match_arguments();
}

void Form::match_arguments() {
  const auto own = op_.record().arguments;
  for (const ArgumentRecord& wanted : functional_.record().arguments) {
    const auto same = std::ranges::find(own, wanted.name, &ArgumentRecord::name);
    const bool fits = same != own.end() && same->type.base == wanted.type.base &&
                      same->type.list == wanted.type.list;
    OW_CHECK(fits, "'", op_.full_name(), "' has no argument '", wanted.name, "' as '",
             functional_.full_name(), "' takes it, of which it is a form: ", op_.def().schema);
    arguments_.push_back(static_cast<size_t>(same - own.begin()));
  }
}

// What is refused before anything is computed: results that lie in each other or partly in what is
// read.
void Form::check_writes(const Stack& stack) const {
  for (size_t i = 0; i < written_.size(); ++i) {
    const Tensor& out = stack[written_[i]].to_tensor();
    for (const size_t argument : arguments_) {
      if (in_place_) break;
      for_each_tensor(stack[argument], [&](const Tensor& t) { check_out_overlap(out, t); });
    }
    for (size_t k = 0; k < i; ++k) check_apart(stack[written_[k]].to_tensor(), out);
  }
}

bool Form::is_recorded(const Stack& stack) const {
  bool any = false;
  for (const size_t i : arguments_)
    for_each_tensor(stack[i], [&](const Tensor& t) { any |= composite::recording(t); });
  return any;
}

// What is overwritten may be kept by a node that is recorded now.
Stack Form::arguments_of(const Stack& stack) const {
  Stack arguments;
  for (const size_t i : arguments_) {
    const bool overwritten = in_place_ && i == written_[0];
    if (!overwritten) {
      arguments.push_back(stack[i]);
      continue;
    }
    const Tensor& self = stack[i].to_tensor();
    if (table_.through == 0) {
      arguments.emplace_back(value_before_batched_write(self));
    } else {
      arguments.emplace_back(is_recorded(stack) ? copy_before_write(self) : self);
    }
  }
  return arguments;
}

void Form::write(Stack& stack, Stack& results) const {
  Stack written;
  for (size_t i = 0; i < written_.size(); ++i) {
    Tensor to = stack[written_[i]].to_tensor();
    const Tensor& result = results[i].to_tensor();
    if (in_place_) {
      write_inplace(plain_name(op_.def().name), to, result);
    } else {
      write_out(plain_name(op_.def().name), to, result, static_cast<OutDtype>(table_.out_dtypes));
    }
    written.emplace_back(std::move(to));
  }
  stack = std::move(written);
}

void Form::run(Stack& stack) const {
  check_writes(stack);
  Stack results = arguments_of(stack);
  functional_.call(results);
  write(stack, results);
}

}  // namespace opweave::stable
