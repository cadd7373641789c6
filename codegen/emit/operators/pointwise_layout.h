// How the generated kernel of a pointwise operator receives its arguments: tensors as inputs,
// everything else as numbers. The same for every target.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit/text/printer.h"
#include "codegen/emit/text/signature.h"
#include "codegen/model/mutants/mutant.h"

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
// The operators whose kernels are generated: the functional forms with an expression.
bool has_pointwise_kernel(const Operator& op);
// The struct `<identifier>_expr` with the kernel's `apply`, over the math vocabulary `m` of the
// target.
std::string print_expression_struct(const Operator& op, const Mutants& mutants = Mutants::none());
// That struct and the function `<identifier>_loops`, which makes the loops over it for one target.
void print_pointwise_loops(Printer& printer, const Operator& op,
                           const Mutants& mutants = Mutants::none());
// The constant `<identifier>_spec`: promotion and operand rules, shared by all targets.
void print_pointwise_spec(Printer& printer, const Operator& op);

}  // namespace opweave::codegen
