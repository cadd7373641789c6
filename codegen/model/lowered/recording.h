// What a call of an operator, in each of its forms, does to the history of tensors: the part of a
// backward pass that is decided when the call is made.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/model/declarations/operator.h"
#include "codegen/model/lowered/backward.h"

namespace opweave::codegen {

enum class RecordWay : uint8_t {
  none,             // nothing: what it calls is recorded, or it has no gradient and calls nothing
  node,             // a node runs the steps
  not_implemented,  // a node that is an error when it runs
  constant,         // results have no history, and what the call calls is not recorded
  out,              // refused where something would be recorded: `out` has no history
};

// What a call without steps leaves of the history of a tensor that it writes.
enum class WrittenHistory : uint8_t {
  zeros,  // nothing of what was there is left: zeros flow back
  lost,   // some of it may be left, and nobody knows its derivative: an error
};

struct Recording {
  RecordWay way = RecordWay::none;
  WrittenHistory written = WrittenHistory::zeros;  // of RecordWay::constant
  // The argument that the call writes and whose history the node becomes; results get none then.
  std::optional<uint16_t> rewritten;
  // It moved over its base, as a view, and has written nothing.
  bool moves_view = false;
  // A kernel by hand may return an argument, which would get a history that is not its own.
  bool checks_results = false;
  // It is noted what the call writes, and whose memory its results share.
  bool tracks = false;
  // Its results are views with a gradient. One without, such as detach(), stands for itself: a
  // write to it is not a write to its base.
  bool makes_views = false;
  // Arguments on which results depend without a gradient (`refused` in derivatives.yaml): a call
  // whose gradient or tangent would be lost is an error. An out form has none: it refuses all.
  std::vector<uint16_t> refused;
  // Arguments that steps read and the call writes: what is kept of them is a copy from before.
  std::vector<uint16_t> copied;
};

// `pass` is null for an operator without formulas.
Recording lower_recording(const Operator& op, const BackwardPass* pass);

}  // namespace opweave::codegen
