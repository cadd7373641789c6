// Other forms of a library's operators: in place and into `out`, by the functional form.
#pragma once

#include <vector>

#include "runtime/dispatch/operator.h"
#include "runtime/stable/include/opweave/stable/abi.h"

namespace opweave::stable {

class Form {
 public:
  // RuntimeError unless `op` takes what the operator takes that it is a form of, and writes as many
  // tensors as that one gives.
  Form(const OperatorEntry& op, const OwForm& table, const OperatorEntry& functional);

  // Whether autograd sees what the form calls, and needs no node for the form itself.
  bool is_through() const { return in_place_ && table_.through != 0; }
  // Writes what the functional form gives; leaves the written tensors on the stack.
  void run(Stack& stack) const;

 private:
  void match_arguments();
  void check_writes(const Stack& stack) const;
  bool is_recorded(const Stack& stack) const;
  Stack arguments_of(const Stack& stack) const;
  void write(Stack& stack, Stack& results) const;

  const OperatorEntry& op_;
  const OperatorEntry& functional_;
  OwForm table_;
  std::vector<size_t> arguments_;  // of the functional form, by their places here
  std::vector<size_t> written_;
  bool in_place_ = false;
};

}  // namespace opweave::stable
