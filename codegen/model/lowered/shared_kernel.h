// The kernel of an operator that serves all targets: what it is made of, what stands around it, and
// how forms that are derived write what the functional form gives.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

enum class SharedWay : uint8_t {
  none,         // there is none: every target has its own
  formula,      // the composite
  handwritten,  // a function of kernels/composite
  view,         // the rule is the view
  written,      // of a derived form: the functional form runs, and its results are written
};

// How a derived form writes.
enum class WriteWay : uint8_t {
  inplace,
  out,
  range,  // an `out` of as many elements, whatever its shape
};

// What becomes of an argument that a derived form hands to the functional one.
enum class Handed : uint8_t {
  as_it_is,
  as_of_out,        // what a factory makes is as `out` is, if nothing else is asked for
  asked_or_of_out,  // a kernel that can computes in the dtype of `out`
  // A written tensor of which something may be read later is copied: what is differentiated through
  // may save it, and under vmap, where autograd sees the values only, everything may be saved.
  value_before_write,
  value_before_batched_write,
};

struct SharedKernel {
  SharedWay way = SharedWay::none;
  // It runs below autograd and writes to what it makes without counting versions. (Where something
  // is written or viewed, the kernel that tracks this has seen to it.)
  bool below_autograd = false;
  // Made of calls that would be differentiated through, in both directions, although its results
  // are constant: it runs with neither autograd nor forward mode in front.
  bool constant = false;
  // What a call requires and may take is checked in front of a handwritten function.
  bool checked = false;
  // Of SharedWay::view: whose rule it is, the operator's or that of the one that it calls.
  const Operator* view = nullptr;

  // Of SharedWay::written.
  WriteWay write = WriteWay::out;
  OutDtype out_dtype = OutDtype::same;  // which dtypes `out` may have beside the result's
  std::vector<Handed> handed;           // parallel to the functional form's arguments
  // Of an out form: the call that its functional form is and nothing else, where the out form of
  // that can write where this one is told to.
  const FormulaNode* forwarded = nullptr;
  // Under vmap the functional form has a rule, and the kernel that writes where it is told has
  // none.
  bool in_batches = false;

  // Something stands around the function that computes.
  bool is_wrapped() const { return below_autograd || constant || checked; }
};

// Arguments of what is no expression whose dtype not every call may have: `dtypes` and
// `argument_dtypes`, checked in front of what computes. (Of an expression the plan of its call
// checks it.)
std::vector<uint16_t> checked_dtypes(const Operator& op);

// `tracked`: the kernel that notes writes and views is in front of it.
SharedKernel lower_shared_kernel(const Operator& op, bool tracked);

}  // namespace opweave::codegen
