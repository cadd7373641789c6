// What a backward pass keeps alive from the forward call.
#pragma once

#include <string>
#include <vector>

#include "codegen/model/declarations/derivative.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

struct KeptTensor {
  std::string name;
  bool is_result = false;
  bool is_list = false;
  // Bytes of one of its elements if the operator runs in that dtype.
  int bytes(ScalarType dtype) const { return fixed_size > 0 ? fixed_size : size_of(dtype); }

  static int size_of(ScalarType dtype);
  int fixed_size = 0;  // of a mask or of indices, whatever dtype the operator runs in
};

struct Kept {
  std::vector<KeptTensor> tensors;
  std::vector<std::string> values;  // numbers, sizes and the like
};

// Of an operator with formulas; empty for others.
Kept kept_by(const Operator& op);
// "self, result: 8 bytes per element in float32; also sizes of weight", "nothing".
std::string describe_kept(const Kept& kept);

}  // namespace opweave::codegen
