// Operators of elements that a library describes by a table.
#pragma once

#include <vector>

#include "kernels/cpu/pointwise/loops.h"
#include "runtime/dispatch/operator.h"
#include "runtime/pointwise/spec.h"
#include "runtime/stable/include/opweave/stable/abi.h"

namespace opweave::stable {

class Pointwise {
 public:
  // RuntimeError where the table does not fit the schema.
  Pointwise(const OperatorEntry& op, const OwPointwise& table);

  void run_on_cpu(Stack& stack) const;
  void run_on_meta(Stack& stack) const;

  PointwisePromotion promotion() const { return spec_.promotion; }

 private:
  void read_arguments(const OperatorEntry& op);
  void read_inputs(const OperatorEntry& op, const OwPointwise& table);
  void read_numbers(const OperatorEntry& op, const OwPointwise& table);
  void read_loops(const OwPointwise& table);
  template <class Run, class RunInto>
  void run(Stack& stack, Run run, RunInto run_into) const;

  PointwiseSpec spec_{};
  cpu::PointwiseLoops loops_{};
  std::vector<size_t> inputs_, numbers_;  // by their places among the arguments
  int written_ = -1;
  bool resizes_ = false;  // what is written: out=, that is
};

// The best OwIsa of this processor.
uint32_t best_isa();

}  // namespace opweave::stable
