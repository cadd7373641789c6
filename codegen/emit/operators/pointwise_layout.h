// How the generated kernel of an operator with an expression receives its arguments: tensors as
// inputs, everything else as numbers. The same for every target.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit/text/signature.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// A number that a kernel needs, besides its tensors.
struct PointwiseParam {
  enum class Kind : uint8_t {
    value,          // the argument itself
    has_value,      // whether the optional argument was given
    string_equals,  // whether the string argument has this text
  };
  Kind kind = Kind::value;
  uint16_t argument = 0;
  std::string text;  // of string_equals
  std::string name;  // of the variable in the kernel
};

struct PointwiseLayout {
  std::vector<uint16_t> inputs;        // indices of the tensor arguments
  std::vector<PointwiseParam> params;  // in the order in which they are passed
};

PointwiseLayout pointwise_layout(const Operator& op);
// The C++ expression, in terms of the operator's parameters, of the Scalar that is passed.
std::string param_expression(const PointwiseParam& param, const Signature& signature);
// The truth value that a kernel is given for a question about an argument: has_value or
// string_equals.
std::string flag_text(const PointwiseLayout& layout, const ElementNode& question);
// The operators whose kernels are generated: the functional forms with an expression.
bool has_pointwise_kernel(const Operator& op);

}  // namespace opweave::codegen
