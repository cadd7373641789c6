// OW04xx: derivatives.
#include "codegen/explain/tables.h"

namespace opweave::codegen {
namespace {

constexpr std::string_view kKernel =
    "- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  samples: {self: real}\n";
constexpr std::string_view kPair =
    "- func: f(Tensor a, Tensor b) -> Tensor\n  kernels: [cpu]\n  samples: {a: real}\n";
constexpr std::string_view kProduct =
    "- func: mul.Tensor(Tensor self, Tensor other) -> Tensor\n  expr: self * other\n";

constexpr Explanation kExplanations[] = {
    {Code::unknown_operator,
     "A derivative or a target's kernel is for an operator that exists, by its full name.",
     {kProduct, "- name: mul.Tesnor\n  self: grad * other\n  other: grad * self\n"},
     {kProduct, "- name: mul.Tensor\n  self: grad * other\n  other: grad * self\n"}},
    {Code::duplicate_derivative,
     "An operator has one entry, and each argument one formula in it.",
     {kKernel, "- name: f\n  self: grad\n- name: f\n  self: zero\n"},
     {kKernel, "- name: f\n  self: grad\n"}},
    {Code::missing_derivative,
     "An entry speaks about every tensor argument, so that no gradient is forgotten: by a "
     "formula,\n"
     "'zero', or 'non_differentiable'.",
     {kPair, "- name: f\n  a: grad\n"},
     {kPair, "- name: f\n  a: grad\n  b: non_differentiable\n"}},
    {Code::not_differentiable_input,
     "Only tensors carry gradients; numbers and flags do not.",
     {"- func: f(Tensor self, Scalar factor) -> Tensor\n  kernels: [cpu]\n  samples: {factor: 2}\n",
      "- name: f\n  self: grad\n  factor: grad\n"},
     {"- func: f(Tensor self, Scalar factor) -> Tensor\n  kernels: [cpu]\n  samples: {factor: 2}\n",
      "- name: f\n  self: grad\n"}},
    {Code::derived_form,
     "In-place and out forms take the gradient of their functional form: that one has the entry.",
     {kProduct, "- name: mul_.Tensor\n  self: grad * other\n  other: grad * self\n"},
     {kProduct, "- name: mul.Tensor\n  self: grad * other\n  other: grad * self\n"}},
    {Code::no_symbolic_derivative,
     "The gradient of an expr is derived symbolically, but for a few functions that have no\n"
     "derivative here. Then an entry says what it is, or the operator that it is not\n"
     "differentiable.",
     {"- func: f(Tensor self) -> Tensor\n  expr: polygamma(self, 2)\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: polygamma(self, 2)\n  differentiable: false\n"}},
    {Code::derivative_conflict,
     "An operator that says 'differentiable: false' has no entry in derivatives.yaml.",
     {"- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  samples: {self: real}\n  "
      "differentiable: false\n",
      "- name: f\n  self: grad\n"},
     {kKernel, "- name: f\n  self: grad\n"}},
    {Code::formula_disagrees,
     "The gradient of an expr, or of a composite of such, can be derived. A formula that an "
     "author\n"
     "gives as well, because it is faster or keeps more digits, has to be equal to that, and "
     "finite "
     "where\n"
     "that is: by algebra or, where no proof is found, in numbers from the domain of 'samples', "
     "with\n"
     "other values of the parameters and of the gradient too. Only where the derivative jumps is "
     "the\n"
     "choice the author's. A counterexample shows both, and the difference quotient of the expr.",
     {"- func: rest(Tensor self) -> Tensor\n  expr: 1 - self\n", "- name: rest\n  self: grad\n"},
     {"- func: rest(Tensor self) -> Tensor\n  expr: self - 1\n", "- name: rest\n  self: grad\n"}},
    {Code::bad_forward_rule,
     "A forward rule stands under the name of a differentiable output and is linear in the\n"
     "tangents of the inputs: 'auto_linear', 'auto_element_wise', or a sum whose terms each read\n"
     "tangents, as 'self_t' of the argument 'self'.",
     {kPair, "- name: f\n  a: grad\n  b: zero\n  result: a_p\n"},
     {kPair, "- name: f\n  a: grad\n  b: zero\n  result: a_t\n"}},
    {Code::digits_lost,
     "Every gradient of an expr is computed as kernels do it, in float32 and float64, near the "
     "zeros\n"
     "of what it divides by and at the ends of what floats hold, and compared with the same in "
     "512\n"
     "bits. A quotient whose numerator cancels there gives noise times a huge number; zero times\n"
     "infinity is NaN. Digits below those of the gradient that comes in do not count, nor what a\n"
     "change of the argument's last digits explains. Gradients of gradients are looked at as well, "
     "but\n"
     "for overflow. It is a warning: the expr may have a form of its own there, such as a few "
     "terms "
     "of\n"
     "its series, or derivatives.yaml a formula that does not cancel.",
     {"- func: f(Tensor self) -> Tensor\n  expr: \"self == 0 ? 1.0 : expm1(self) / self\"\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: \"abs(self) < 0.01 ? 1 + self * (0.5 + self * "
      "(1.0 "
      "/ 6 + self * (1.0 / 24 + self * (1.0 / 120 + self * (1.0 / 720 + self * (1.0 / 5040)))))) : "
      "expm1(self) / self\"\n"},
     true},
};

}  // namespace

std::span<const Explanation> derivative_explanations() { return kExplanations; }

}  // namespace opweave::codegen
